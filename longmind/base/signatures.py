"""Signatures over a message: HMAC with a shared key, or Ed25519 with a private one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from longmind.base.errors import Conflict, InvalidInput, MissingExtra

HMAC: Final = "hmac-sha256"
ED25519: Final = "ed25519"
_FEWEST_KEY_BYTES: Final = 16


def sign(message: bytes, *, key: bytes, algorithm: str) -> dict[str, str]:
    """The signature of a message, with the way it was made and a name for the key."""
    if algorithm == HMAC:
        _check_key(key)
        value = hmac.new(key, message, hashlib.sha256).hexdigest()
        return {"algorithm": HMAC, "key_id": key_id(key), "value": value}
    if algorithm == ED25519:
        private = _ed25519().Ed25519PrivateKey.from_private_bytes(_raw_key(key))
        public = private.public_key().public_bytes_raw()
        return {"algorithm": ED25519, "key_id": key_id(public), "value": private.sign(message).hex()}
    raise InvalidInput(f"{algorithm!r} is not a way to sign.", hint=f"Use {HMAC} or {ED25519}.")


def check_signature(message: bytes, signature: object, *, key: bytes, algorithm: str, what: str) -> None:
    """`key` is the shared key of an HMAC, or the public key of an Ed25519 signature; `what` was signed.

    The caller says which of the two it is. If the signature decided, anybody could forge one: an HMAC made
    with a public key that everybody has.
    """
    if algorithm not in (HMAC, ED25519):
        raise InvalidInput(f"{algorithm!r} is not a way to sign.", hint=f"Use {HMAC} or {ED25519}.")
    if not isinstance(signature, Mapping):
        raise Conflict(
            f"The {what} is not signed, and a key was given.", hint="Leave out the key to trust it."
        )
    stated, value = signature.get("algorithm"), str(signature.get("value"))
    if stated not in (HMAC, ED25519):
        raise InvalidInput(
            f"The {what} is signed by {stated!r}, which is not known here.",
            hint="Upgrade Longmind, or ask its author to sign it again.",
        )
    if stated != algorithm:
        raise Conflict(
            f"The {what} is signed by {stated}, and the key was given as one of {algorithm}.",
            hint=f"Say algorithm={stated} if the key is of that kind; otherwise somebody else signed it.",
        )
    if algorithm == HMAC:
        _check_key(key)
        expected = hmac.new(key, message, hashlib.sha256).hexdigest()
        good = hmac.compare_digest(expected.encode(), value.encode(errors="replace"))
    else:
        good = _verified(key, message, value)
    if not good:
        other = "" if signature.get("key_id") == key_id(key) else ": it was made with another key"
        raise Conflict(f"The signature of the {what} does not hold{other}.", hint="Ask for it again.")


def key_id(key: bytes) -> str:
    """Names a key without giving it away."""
    return hashlib.sha256(b"recollect key\0" + key).hexdigest()[:16]


def _check_key(key: bytes) -> None:
    if not isinstance(key, bytes) or len(key) < _FEWEST_KEY_BYTES:
        raise InvalidInput(
            f"A key has at least {_FEWEST_KEY_BYTES} bytes.", hint="Make one: openssl rand -hex 32 > key"
        )


def _raw_key(key: bytes) -> bytes:
    if not isinstance(key, bytes) or len(key) != 32:
        raise InvalidInput(
            "An Ed25519 key has 32 bytes.", hint="Give the raw 32 bytes of the private or the public key."
        )
    return key


def _verified(key: bytes, message: bytes, value: str) -> bool:
    module = _ed25519()
    with suppress(Exception):  # the library has one exception for all that does not fit
        module.Ed25519PublicKey.from_public_bytes(_raw_key(key)).verify(bytes.fromhex(value), message)
        return True
    return False


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("Ed25519 signatures need cryptography.", extra="crypto") from None
    return ed25519
