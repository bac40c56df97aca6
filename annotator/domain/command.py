"""A command's record: what one gesture did, so that it can be undone and told."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import Column, Record, Table


class CommandRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The log's entry about one command; its events carry its id.

    Attributes:
        label: What it did, in words: "Import Real2_Sample.json".
        kind: ``do``, or ``undo`` / ``redo`` of another command.
        target: Id of the command that an undo or redo is about.
        name: Class of the command, "" for undo and redo.
        details: Values that tell more (JSON), for instance the seed of a draft.
    """

    label: str
    kind: Literal["do", "undo", "redo"] = "do"
    target: str = ""
    name: str = ""
    details: dict[str, Any] = {}

    table = Table(
        entity="command",
        columns=(
            Column(name="kind", value=lambda r: r.kind),
            Column(name="target", value=lambda r: r.target),
            Column(name="label", value=lambda r: r.label),
        ),
    )
