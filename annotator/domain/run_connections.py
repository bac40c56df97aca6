"""What a run uses outside its project: servers, API keys, files and programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from annotator.domain.run import Run


class Connection(NamedTuple):
    """What a run uses outside the project through one model.

    Attributes:
        model: Name of the model profile.
        adapter: What opens the model.
        uses: Server URL, location of the API key, path and adapter options, by field; only those that are
            set.
    """

    model: str
    adapter: str
    uses: dict[str, str]


def connections_of(run: Run) -> Iterator[Connection]:
    """Yield what a run uses outside the project, one entry per model, for a person to judge."""
    for name, profile in run.profiles.items():
        fields = {field: profile.get(field, "") for field in ("base_url", "key_from", "path", "revision")}
        options: dict[str, Any] = profile.get("options") or {}
        fields |= {f"options.{key}": _text(value) for key, value in options.items()}
        yield Connection(
            model=name,
            adapter=str(profile.get("adapter", "")),
            uses={field: str(value) for field, value in fields.items() if value not in {"", None}},
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
