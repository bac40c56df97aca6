"""A command's record: what one gesture did, so that it can be undone and told."""

from __future__ import annotations

from typing import Any, Literal

from annotator.command_summary import CommandSummary
from annotator.domain.record import Column, Record, Table


class CommandRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The log's entry about one command; its events carry its id.

    Attributes:
        code: What it did: a code of ``annotator.command_summary``.
        parameters: Values of the places in the sentence of the code.
        kind: ``do``; ``undo`` or ``redo`` of another command; ``merge`` of events of others (no undo).
        target: Id of the command that an undo or redo is about.
        name: Class of the command, "" for undo and redo.
        details: Values that tell more (JSON), for instance the seed of a draft.
        accepted: Digests of the content of the items that it accepted (``domain.accepted_content``), by id.
    """

    code: str
    parameters: dict[str, str | int] = {}
    kind: Literal["do", "undo", "redo", "merge"] = "do"
    target: str = ""
    name: str = ""
    details: dict[str, Any] = {}
    accepted: dict[str, str] = {}

    table = Table(
        entity="command",
        columns=(
            Column(name="kind", value=lambda r: r.kind),
            Column(name="target", value=lambda r: r.target),
            Column(name="code", value=lambda r: r.code),
        ),
    )

    @property
    def summary(self) -> CommandSummary:
        """What it did."""
        return CommandSummary(self.code, self.parameters)
