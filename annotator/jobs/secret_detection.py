"""Detects API keys in fields of profiles that should only contain the location of a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from annotator.diagnostics.redaction import API_KEY
from annotator.domain.profile import ModelProfile

RUN = re.compile(r"[A-Za-z0-9]{32,}")
"""Shorter ones are names as well: keys that nothing marks have 32 letters and digits or more."""
LONG_TOKEN = re.compile(r"[A-Za-z0-9]{40,}")
"""Addresses and names of models hold the numbers of accounts, which have 32."""
DIGEST = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![A-Za-z0-9])")
"""A commit, or the SHA-256 of a file: what a revision is."""
PART = re.compile(r"[0-9]+|[A-Z]?[a-z]+|[A-Z]+")
RANDOM_PART = 4.0
"""By chance letters and digits change their kind after 2 of them in the mean, in names after 5 and more."""
HEX = frozenset("0123456789abcdef")
KEY_FIELDS = frozenset(
    {"key", "api_key", "api-key", "apikey", "x-api-key", "token", "access_token", "authorization"}
    | {"secret", "password"}
)


def secret_field(profile: ModelProfile) -> str:
    """Return the name of the profile field whose value looks like a key, "" for none.

    The path of an existing file, or a part of it, is not a key.
    """
    file = profile.path if _is_there(profile.path) else ""
    for field, text in _texts("", msgspec.to_builtins(profile)):
        is_marked = _is_key(text, field=field) and text not in file and not _is_there(text)
        if is_marked or _is_key_field(field):
            return field
    return ""


def has_login(address: str) -> bool:
    """Tell whether an address has a name or a password before its host."""
    return "@" in address.partition("://")[2].partition("/")[0]


def _texts(field: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Yield all texts of a value, and the names of its fields, each under its path: ``options.extra``."""
    if isinstance(value, str) and value:
        yield field, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield field, str(name)
            yield from _texts(f"{field}.{name}".removeprefix("."), inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(field, inner)


def _is_key_field(field: str) -> bool:
    return "." in field and field.rpartition(".")[2].lower() in KEY_FIELDS


def _is_key(text: str, *, field: str) -> bool:
    if API_KEY.search(text):
        return True
    if field == "path":
        return False
    if field in {"revision", "model"}:
        text = DIGEST.sub("", text)
    if field == "base_url":
        location, _, query = text.partition("?")
        return _is_random(LONG_TOKEN, location) or _is_random(RUN, query)
    return _is_random(LONG_TOKEN if field == "model" else RUN, text)


def _is_random(runs: re.Pattern[str], text: str) -> bool:
    """Tell whether a run of letters and digits changes its kind as often as one of chance does."""
    return any(
        any(one.isdigit() for one in run)
        and not run.isdigit()
        and (set(run.lower()) <= HEX or len(run) / len(PART.findall(run)) < RANDOM_PART)
        for run in runs.findall(text)
    )


def _is_there(text: str) -> bool:
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        # Too long for a name, or with letters that no name has.
        return False
