"""A command for tests that need an item with a field as it is nowhere edited in the product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class SetItemField(Command):
    """Give one field of an item a new value, whatever the rules of items say."""

    item: str
    field: str
    value: Any

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of("edit_field", name=self.field)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        progress.begin(self.summary, total=1)
        item = reader.get(Item, self.item)
        assert item is not None
        if getattr(item, self.field) != self.value:
            yield Edit(entity="item", entity_id=self.item, field=self.field, value=self.value)
