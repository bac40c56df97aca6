"""The signature of a release folder: who made it, proved by a file beside the manifest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from annotator.domain.actor import Actor
from annotator.domain.record import ValueObject, to_json
from annotator.domain.signature import Sign, Signature, TrustedKey, fingerprint, is_signed
from annotator.errors import EnvironmentFailure
from annotator.release.manifest import MANIFEST, SIGNATURE, ReleaseProblem

MAX_SIGNATURE_BYTES = 1 << 16


class ReleaseSignature(ValueObject, frozen=True, kw_only=True):
    """What ``signature.json`` contains.

    Attributes:
        name: Name of the person who signed; the signature covers it.
        signature: The signature of the manifest, which has the digests of all files.
    """

    name: str
    signature: Signature


def sign_release(folder: Path, *, actor: Actor, sign: Sign) -> None:
    """Sign a release folder.

    Raises:
        EnvironmentFailure: The folder cannot be read or written.
    """
    try:
        signature = sign(_signed_content(folder, name=actor.name))
        text = to_json(ReleaseSignature(name=actor.name, signature=signature))
        _replace(folder / SIGNATURE, f"{text}\n".encode())
    except OSError as error:
        raise EnvironmentFailure(
            f"The release {folder} could not be signed: {error.strerror}.",
            hint="Check the free space and the permissions of the folder.",
        ) from error


def valid_signature(folder: Path) -> ReleaseSignature | None:
    """Return the signature of a release folder, None where there is none or it does not fit the manifest."""
    # Reading a pipe would never end.
    if not all((folder / name).is_file() for name in (SIGNATURE, MANIFEST)):
        return None
    try:
        if (folder / SIGNATURE).stat().st_size > MAX_SIGNATURE_BYTES:
            return None
        found = msgspec.json.decode((folder / SIGNATURE).read_bytes(), type=ReleaseSignature)
        content = _signed_content(folder, name=found.name)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if is_signed(content, found.signature) else None


def signature_problems(folder: Path, *, trusted: Sequence[TrustedKey]) -> list[ReleaseProblem]:
    """Return what is wrong with the signature of a release folder; nothing is wrong where there is none."""
    if not (folder / SIGNATURE).exists():
        return []
    found = valid_signature(folder)
    message = "The signature does not fit the manifest."
    if found is not None:
        # Of somebody without a trusted key nothing is known to be wrong; ``signature_note`` says so.
        keys = {one.key: one for one in trusted if one.actor == found.signature.actor}
        if not keys or found.signature.key in keys:
            return []
        owner = next(iter(keys.values())).name
        message = f"The release is signed in the name of {owner}, with a key that is not trusted."
    return [ReleaseProblem(file=SIGNATURE, kind="changed", message=message)]


def signature_note(folder: Path, *, trusted: Sequence[TrustedKey]) -> str:
    """Return what the signature of a release folder proves, "" where there is none that fits."""
    found = valid_signature(folder)
    if found is None:
        return ""
    for one in trusted:
        if (one.actor, one.key) == (found.signature.actor, found.signature.key):
            return f"Verified: the release is signed by {one.name}."
    return (
        f"Signed with the key {fingerprint(found.signature.key)}, which says that it is of {found.name}. "
        "Nobody here has confirmed it: vantage key trust RELEASE"
    )


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that a crash or a full disk leaves the one before as it is."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _signed_content(folder: Path, *, name: str) -> bytes:
    # The first line keeps a signature of something else from fitting. JSON has no line end, so that no
    # other pair of name and manifest has these bytes.
    return b"vantage release\n" + to_json(name).encode() + b"\n" + (folder / MANIFEST).read_bytes()
