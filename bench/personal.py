"""Precision and recall of personal data detection, by kind, on the public set beside the project."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import defaultdict
from pathlib import Path

from longmind.extract.personal import PersonalSpan, find_personal

DATA = Path(__file__).resolve().parents[1] / "../shared/data/pii/synth_dataset_v2.json"
LABELS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
    "US_SSN": "ssn",
    "STREET_ADDRESS": "address",
}
TARGETS = {"email": 0.95, "card": 0.95, "ip": 0.95, "phone": 0.90}


def overlap(span: PersonalSpan, start: int, end: int) -> float:
    """How much of the labelled range the span covers."""
    return max(0, min(span.end, end) - max(span.start, start)) / (end - start)


def measure(
    rows: list[dict[str, object]], *, region: str | None = None
) -> dict[str, tuple[int, int, int, int]]:
    """By kind: labelled spans, those found (half covered or more), spans predicted, those on a label."""
    labelled: dict[str, int] = defaultdict(int)
    counts: dict[str, int] = defaultdict(int)
    predicted: dict[str, int] = defaultdict(int)
    right: dict[str, int] = defaultdict(int)
    for row in rows:
        text = str(row["full_text"])
        spans = find_personal(text, region=region)
        gold: list[tuple[str, int, int]] = []
        for entry in row["spans"]:  # type: ignore[attr-defined]
            kind = LABELS.get(entry["entity_type"])
            if kind is not None:
                start = len(text[: entry["start_position"]].encode())
                gold.append((kind, start, start + len(str(entry["entity_value"]).encode())))
        for kind, start, end in gold:
            labelled[kind] += 1
            counts[kind] += any(span.kind == kind and overlap(span, start, end) >= 0.5 for span in spans)
        for span in spans:
            predicted[span.kind] += 1
            right[span.kind] += any(
                kind == span.kind and overlap(span, start, end) > 0 for kind, start, end in gold
            )
    kinds = sorted({*labelled, *predicted})
    return {kind: (labelled[kind], counts[kind], predicted[kind], right[kind]) for kind in kinds}


def main() -> int:
    if not DATA.exists():
        print(f"skipped: {DATA.name} is not there")
        return 0
    rows = json.loads(DATA.read_text(encoding="utf-8"))
    print(f"{len(rows)} texts")
    print(f"{'kind':10}{'labelled':>9}{'recall':>8}{'predicted':>11}{'precision':>11}")
    missed = False
    for kind, (labelled, found, predicted, right) in measure(rows).items():
        recall = found / labelled if labelled else float("nan")
        precision = right / predicted if predicted else float("nan")
        short = labelled > 0 and recall < TARGETS.get(kind, 0.0)
        missed = missed or short
        print(
            f"{kind:10}{labelled:9}{recall:8.3f}{predicted:11}{precision:11.3f}"
            f"{'  below target' if short else ''}"
        )
    if importlib.util.find_spec("phonenumbers") is not None:
        labelled, found, predicted, right = measure(rows, region="US")["phone"]
        print(
            f"{'phone, with the numbering plan of the US':19}  "
            f"recall {found / labelled:.3f}, precision {right / predicted:.3f}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
