"""Which scored predictions are wanted, and in which order."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["", "not_right", "right", "wrong", "unparsed", "settled", "read_by_model"]
"""``right``: an exact answer; ``not_right``: everything else; ``wrong``: another answer; ``unparsed``: no
answer can be read, and nobody has decided about it; ``settled``: a person has decided what it means;
``read_by_model``: a model has read it, since no rule could."""
RowOrder = Literal["release", "model", "task", "score", "error_class"]
RowFacet = Literal["model", "task", "group", "format", "source"]
FACETS: tuple[RowFacet, ...] = ("model", "task", "group", "format", "source")
UNLABELLED = "-"
"""Stands for predictions without an error label."""


class RowFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions on scored predictions; all of them hold, and "" is no condition.

    Attributes:
        model: Name of the model.
        task: ``set/task``.
        tasks: Any of several tasks; () for all.
        group: ``set/group``.
        format: Id of the answer format.
        source: ``real``, ``simulated`` or ``unknown``.
        item: Public id of the item.
        outcome: What became of the prediction.
        error_class: Id of the class of its error; ``UNLABELLED`` for none.
        text: A part of the reply, or a public id.
    """

    model: str = ""
    task: str = ""
    tasks: tuple[str, ...] = ()
    group: str = ""
    format: str = ""
    source: str = ""
    item: str = ""
    outcome: Outcome = ""
    error_class: str = ""
    text: str = ""


EVERYTHING = RowFilter()
