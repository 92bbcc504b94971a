"""The JSON file of a space: the same bytes for the same content, with hashes of its parts and a signature.

A file is checked against its hashes before anything in it is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from longmind.base import signatures
from longmind.base.checks import canonical_json
from longmind.base.errors import Conflict, InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.names import canonical_space
from longmind.base.times import format_ms
from longmind.spaces.values import MemoryObject


def hash_of(value: object) -> str:
    return "sha256:" + hashlib.sha256(canonical_json(value, "bundle").encode()).hexdigest()


def part_hashes(body: Mapping[str, Any]) -> dict[str, Any]:
    """One hash per part and per object, so that a changed bundle can say where it was changed."""
    return {
        "metadata": hash_of(body["metadata"]),
        "objects": {item["id"]: hash_of(item) for item in body["objects"]},
        "policies": hash_of(body["policies"]),
        "updated_at": hash_of(body["updated_at"]),
    }


def sign(space: str, whole: str, *, key: bytes, algorithm: str) -> dict[str, str]:
    """A signature over the space's name and the hash of the whole file."""
    return signatures.sign(_message(space, whole), key=key, algorithm=algorithm)


def check_signature(space: str, whole: str, signature: object, *, key: bytes, algorithm: str) -> None:
    """`key` is the shared key of an HMAC, or the public key of an Ed25519 signature, as `algorithm` says."""
    signatures.check_signature(_message(space, whole), signature, key=key, algorithm=algorithm, what="bundle")


def _message(space: str, whole: str) -> bytes:
    return canonical_json({"hash": whole, "space": space}, "bundle").encode()


FORMAT: Final = "longmind.space/1"
_FORMATS: Final = (FORMAT, "recollect.space/1")
"""The current name, and the one from before the product was renamed."""
MOST_BYTES: Final = 1 << 30
_BODY: Final = ("format", "metadata", "objects", "policies", "space", "updated_at")


@dataclass(frozen=True, slots=True)
class SpaceFile:
    """The content of a file, and how it was verified."""

    space: str
    metadata: Mapping[str, Any]
    policies: Mapping[str, Any]
    objects: Sequence[Mapping[str, Any]]
    verified: Literal["signature", "hash", "none"]
    signed_with: str | None = None
    """The name of the key that the file says it is signed with, whether or not that was checked."""


def write_file(
    space: str,
    *,
    metadata: Mapping[str, Any],
    policies: Mapping[str, Any],
    objects: Sequence[MemoryObject],
    updated_at: int,
    key: bytes | None,
    algorithm: str,
) -> str:
    """Sorted keys, objects by time and id, a hash of each part and of the whole, a line break at the end."""
    ordered = sorted(objects, key=lambda item: (item.updated_at, item.id))
    body: dict[str, Any] = {
        "format": FORMAT,
        "metadata": dict(metadata),
        "objects": [item.to_dict() for item in ordered],
        "policies": dict(policies),
        "space": space,
        "updated_at": format_ms(updated_at),
    }
    whole = hash_of(body)
    sealed = {**body, "hash": whole, "hashes": part_hashes(body)}
    if key is not None:
        sealed["signature"] = sign(space, whole, key=key, algorithm=algorithm)
    return json.dumps(sealed, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def read_file(text: str, *, name: str | None, key: bytes | None, algorithm: str) -> SpaceFile:
    """A file of ours, checked against its hashes; or a plain space file, which has none."""
    try:
        document = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"Invalid space file: it is not JSON: {error}.",
            hint="Export the space again: longmind space export.",
        ) from None
    if not isinstance(document, dict) or not isinstance(document.get("objects"), list):
        raise InvalidInput(
            "Invalid space file: it has no list of objects.",
            hint="Export the space again: longmind space export.",
        )
    space = document.get("space") or document.get("name") or name
    if not isinstance(space, str):
        raise InvalidInput("Invalid space file: it does not name its space.", hint="Name one.")
    for index, item in enumerate(document["objects"]):
        if not isinstance(item, dict):
            raise InvalidInput(f"Invalid space file: object {index} is not a JSON object.")
        canonical_json(item, f"Invalid space file: object {index}")  # no NUL, no lone surrogate in it
    return SpaceFile(
        space=canonical_space(space),
        metadata=_mapping(document, "metadata"),
        policies=_mapping(document, "policies"),
        objects=document["objects"],
        verified=_verify(document, key, algorithm),
        signed_with=_signer(document.get("signature")),
    )


def _signer(signature: object) -> str | None:
    if not isinstance(signature, Mapping):
        return None
    name = signature.get("key_id")
    return name[:64] if isinstance(name, str) and name.isalnum() else "unknown"


def _mapping(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(f"Invalid space file: {name} is not a JSON object.")
    return value


def _verify(
    document: Mapping[str, Any], key: bytes | None, algorithm: str
) -> Literal["signature", "hash", "none"]:
    if "hash" not in document and "format" not in document:
        if key is not None:
            raise Conflict("The bundle is not signed, and a key was given.", hint="Leave out the key.")
        return "none"
    body = {name: document[name] for name in _BODY if name in document}
    unknown = sorted(set(document) - {*_BODY, "hash", "hashes", "signature"})
    missing = sorted(set(_BODY) - set(document))
    if missing or unknown or document.get("format") not in _FORMATS:
        raise InvalidInput(
            f"Invalid space file: it is not {FORMAT}"
            + (f", without {', '.join(missing)}" if missing else "")
            + (f", with {', '.join(unknown)}" if unknown else "")
            + "."
        )
    differing = _differences(body, document.get("hashes"))
    if hash_of(body) != document.get("hash") or differing:
        what = ", ".join(differing) or "the whole or its hash"
        raise Conflict(
            f"The bundle was changed after it was made. What differs: {what}.",
            hint="Get it again from where it came; nothing was imported.",
        )
    if key is None:
        return "hash"
    signed = str(document["space"]), str(document["hash"])
    check_signature(*signed, document.get("signature"), key=key, algorithm=algorithm)
    return "signature"


def _differences(body: Mapping[str, Any], stated: object) -> list[str]:
    """Which parts are not what their hashes say."""
    if not isinstance(stated, Mapping):
        return ["hashes"]
    if not all(isinstance(item, Mapping) and isinstance(item.get("id"), str) for item in body["objects"]):
        return ["an object without an id"]
    actual = part_hashes(body)
    names = [name for name in ("metadata", "policies", "updated_at") if stated.get(name) != actual[name]]
    before = stated.get("objects")
    before = before if isinstance(before, Mapping) else {}
    now = actual["objects"]
    for name in sorted({*before, *now}):
        if name not in now:
            names.append(f"object {name} (missing)")
        elif name not in before:
            names.append(f"object {name} (added)")
        elif before[name] != now[name]:
            names.append(f"object {name}")
    return names
