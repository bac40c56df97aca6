"""The model profiles of a person: one JSON file in the folder of settings, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.secret_detection import has_login, secret_field

FILE = "models.json"
VERSION = 2
"""Files of version 1, which does not say so, contain ``visuals`` also where nobody stated them."""
WITH_WEIGHTS = frozenset({"transformers", "vllm", "onnx", "ultralytics", "depth-onnx", "sam-onnx"})
KEY_REFERENCE = re.compile(r"env:[^\s=]+|keyring:.+")
DEFAULTS = (
    ModelProfile(
        name="SmolLM2", adapter="smollm", model="SmolLM2-135M-Instruct", in_flight=1, timeout_s=60.0
    ),
    ModelProfile(name="Text probe", adapter="probe", model="hashed n-grams", in_flight=1),
)
"""Models that need no server and no key; they are there from the start."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int = 1
    profiles: tuple[ModelProfile, ...] = ()


def read_profiles(folder: Path) -> dict[str, ModelProfile]:
    """Return all profiles by their names: those of the file, and the ones that are always there.

    Args:
        folder: Of the settings.

    Raises:
        UserError: The file cannot be understood, or holds a secret.
        EnvironmentFailure: It cannot be read.
    """
    file = folder / FILE
    try:
        content = file.read_bytes() if file.is_file() else b"{}"
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error}.") from error
    try:
        stored = _stored(content)
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{file} is not valid: {error}.", hint="Correct the file, or move it away."
        ) from error
    for profile in stored:
        require_valid_profile(profile)
    names = [profile.name for profile in stored]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{file} has two models named {twice!r}.", hint="Rename one of them.")
    # In this order, so that a stored profile replaces the default of its name.
    return {profile.name: profile for profile in (*DEFAULTS, *stored)}


def _stored(content: bytes) -> tuple[ModelProfile, ...]:
    file = msgspec.json.decode(content, type=_File)
    if file.version >= VERSION:
        return file.profiles
    unstated = msgspec.to_builtins(VisualSettings())
    written = msgspec.json.decode(content).get("profiles", ())
    return tuple(
        # All fields, each with its default: what version 1 wrote where nothing was stated.
        msgspec.structs.replace(profile, visuals=None) if values.get("visuals") == unstated else profile
        for profile, values in zip(file.profiles, written, strict=True)
    )


def write_profiles(folder: Path, profiles: Iterable[ModelProfile]) -> None:
    """Write the profiles of a person; those that are always there only where they were changed.

    Raises:
        UserError: One of them holds a secret, or lacks what its adapter needs.
        EnvironmentFailure: The file cannot be written; the old one stays.
    """
    changed = tuple(profile for profile in profiles if profile not in DEFAULTS)
    for profile in changed:
        require_valid_profile(profile)
    file = folder / FILE
    partial = folder / f"{FILE}.{new_id()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Defaults are not written: a newer Vantage may know better ones.
        partial.write_bytes(
            msgspec.json.format(msgspec.json.encode(_File(version=VERSION, profiles=changed))) + b"\n"
        )
        partial.replace(file)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise EnvironmentFailure(
            f"{file} cannot be written: {error}.", hint="The profiles are unchanged."
        ) from error


def _require_valid_url(profile: ModelProfile) -> None:
    if has_login(profile.base_url):
        raise UserError(
            f"The server URL of {profile.name!r} contains a user name or a password.",
            hint="Remove it from the URL, and set the API key as env:NAME or keyring:NAME.",
        )
    if profile.adapter == "openai" and not profile.base_url.startswith(("http://", "https://")):
        raise UserError(
            f"The profile {profile.name!r} needs a server URL.",
            hint="For example http://127.0.0.1:8000/v1.",
        )


def require_valid_profile(profile: ModelProfile) -> None:
    """Refuse a profile that cannot work, or that holds a secret.

    Raises:
        UserError: What is wrong, and what to do.
    """
    if not profile.name.strip():
        raise UserError("A model needs a name.")
    if field := secret_field(profile):
        raise UserError(
            # A name that is a key must not be repeated.
            "The name of a model looks like an API key."
            if field == "name"
            else f"The field {field} of the profile {profile.name!r} contains text like an API key.",
            hint="Put the key into an environment variable or the keyring, and set env:NAME or keyring:NAME.",
        )
    if profile.key_from and not KEY_REFERENCE.fullmatch(profile.key_from):
        raise UserError(
            f"The location of the API key of {profile.name!r} is not valid.",
            hint="Set it as env:NAME or keyring:NAME.",
        )
    _require_valid_url(profile)
    if profile.adapter in WITH_WEIGHTS and not profile.path:
        raise UserError(f"The profile {profile.name!r} needs the path of its weights.")
