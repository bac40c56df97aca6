"""The keys of the persons at this machine, and the keys of others that they trust.

They are in the settings folder and never in a project: ``signing/ACTOR.key`` is the private key of a person,
readable by its owner alone; ``signing/trusted.json`` lists public keys of others.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from annotator.domain.actor import Actor
from annotator.domain.record import new_id, to_json
from annotator.domain.signature import Sign, TrustedKey, make_private_key, public_key, sign
from annotator.errors import EnvironmentFailure, UserError
from annotator.user_profile import config_folder, people_here

KEY_BYTES = 32


def private_key_of(actor: str) -> bytes | None:
    """Return the private key of a person at this machine, None for one who has none.

    Raises:
        UserError: The file is no key, or others than its owner can read it.
    """
    file = _key_file(actor)
    if not file.is_file():
        return None
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise UserError(
            f"The signing key {file} can be read by others.",
            hint="Make a new key, or forbid others to read it: chmod 600.",
        )
    with suppress(OSError, ValueError):
        key = bytes.fromhex(file.read_text(encoding="ascii"))
        if len(key) == KEY_BYTES:
            return key
    raise UserError(f"{file} is not a signing key.", hint="Restore the file from a backup, or delete it.")


def make_key(actor: Actor) -> str:
    """Make the key of a person, and return its public part.

    Raises:
        UserError: The person has one.
        EnvironmentFailure: It cannot be stored.
    """
    file, key = _key_file(actor.id), make_private_key()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Never readable by others, not even while it is written.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as made:
            made.write(key.hex())
    except FileExistsError as error:
        raise UserError(
            f"{actor.name} has a signing key.",
            hint="Show it with: vantage key show. To replace it, delete the file first: " + str(file),
        ) from error
    except OSError as error:
        raise EnvironmentFailure(
            f"The signing key could not be saved in {file}: {error.strerror}.",
            hint="Check that you have permission to change this folder.",
        ) from error
    return public_key(key)


def signer_for(actor: Actor) -> Sign:
    """Return the function that signs contents in the name of a person.

    Raises:
        UserError: The person has no key.
    """
    key = private_key_of(actor.id)
    if key is None:
        raise UserError(f"{actor.name} has no signing key.", hint="Make one with: vantage key make")
    return partial(sign, actor=actor.id, private_key=key)


def trusted_keys() -> tuple[TrustedKey, ...]:
    """Return the keys that are trusted here: those of the persons at this machine, and confirmed ones.

    Raises:
        UserError: A file cannot be read.
    """
    own = ((person, private_key_of(person.id)) for person in people_here())
    mine = (TrustedKey(actor=person.id, name=person.name, key=public_key(key)) for person, key in own if key)
    return (*mine, *_confirmed())


def trust_key(trusted: TrustedKey, *, is_replacing: bool = False) -> None:
    """Trust a key from now on, beside other keys of the same person.

    Args:
        trusted: The key and its owner.
        is_replacing: Whether the confirmed keys of the same person are trusted no longer.

    Raises:
        UserError: The list cannot be read.
        EnvironmentFailure: It cannot be written.
    """
    kept = tuple(
        one
        for one in _confirmed()
        if one.actor != trusted.actor or (one.key != trusted.key and not is_replacing)
    )
    file = _trusted_file()
    partial = file.with_suffix(f".{new_id()}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.write_text(to_json((*kept, trusted)), encoding="utf-8")
        partial.replace(file)
    except OSError as error:
        raise EnvironmentFailure(
            f"The trusted key could not be saved in {file}: {error.strerror}.",
            hint="Check that you have permission to change this file.",
        ) from error


def _confirmed() -> tuple[TrustedKey, ...]:
    file = _trusted_file()
    if not file.is_file():
        return ()
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[TrustedKey, ...])
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{file} is not a list of trusted keys: {error}.",
            hint="Restore the file from a backup, or delete it and confirm the keys again.",
        ) from error


def _trusted_file() -> Path:
    return config_folder() / "signing" / "trusted.json"


def _key_file(actor: str) -> Path:
    return config_folder() / "signing" / f"{actor}.key"
