"""Fits the directions whose signs late interaction keeps, on text that every Python installation carries.

Run once per shipped model: `python -m bench.basis minilm`. The result is part of the package, so that all
stores made with the model share it.
"""

from __future__ import annotations

import pydoc_data.topics
import sys
import sysconfig
from pathlib import Path

import numpy as np

from longmind.embed import open_embedder
from longmind.embed.models import default_cache
from longmind.vectors.late_interaction import fit_basis

_PARAGRAPHS = 900


def paragraphs() -> list[str]:
    """Documentation, docstrings and comments of the language and its standard library."""
    sources = [text for _, text in sorted(pydoc_data.topics.topics.items())]
    library = Path(sysconfig.get_paths()["stdlib"])
    sources += [path.read_text("utf-8", errors="ignore") for path in sorted(library.glob("*.py"))]
    packages = Path(sysconfig.get_paths()["purelib"])
    sources += [
        path.read_text("utf-8", errors="ignore") for path in sorted(packages.glob("*.dist-info/METADATA"))
    ]
    texts = [
        " ".join(piece.split())
        for source in sources
        for piece in source.split("\n\n")
        if 120 < len(piece) < 700 and piece.count(" ") > 15
    ]
    return texts[:: max(1, len(texts) // _PARAGRAPHS)]


def main() -> None:
    name = sys.argv[1]
    embedder = open_embedder(name, cache=default_cache())
    encodings = embedder.encode(paragraphs(), tokens=True)
    states = np.concatenate([encoding.tokens.states for encoding in encodings if encoding.tokens is not None])
    basis = fit_basis(states)
    target = Path(__file__).resolve().parents[1] / "longmind" / "vectors" / "bases" / f"{name}.npz"
    np.savez_compressed(target, mean=basis.mean.astype(np.float16), axes=basis.axes.astype(np.float16))
    print(f"{len(states)} token states of {len(encodings)} paragraphs; {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
