"""The base classes of exporters, each of which writes one file format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic

from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.record import ValueObject
from annotator.domain.rows import ItemRow
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.document import DocumentTable
from annotator.release.hidden_keys import HiddenItems, conceal_item
from annotator.release.release_filter import ReleaseFilter, WithheldRecord, WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import BATCH, M, RecordLookup, ReleaseCounts, ReleaseItems

EVERYTHING = ItemQuery()
"""The selection of all items."""


def selected_rows(reader: Reader, selection: ItemQuery) -> Iterator[list[ItemRow]]:
    """Yield the rows of the items that a filter chooses, at most ``BATCH`` at a time, in order of arrival."""
    numbers = reader.items.numbers(selection)
    for start in range(0, len(numbers), BATCH):
        yield reader.items.rows(numbers[start : start + BATCH])


def selected_ids(reader: Reader, selection: ItemQuery) -> Iterator[list[str]]:
    """Yield the ids of the items that a filter chooses in lists of at most ``BATCH``, in order of arrival."""
    for rows in selected_rows(reader, selection):
        yield [row.id for row in rows]


def selected_items(reader: Reader, selection: ItemQuery) -> Iterator[Item]:
    """Yield the items that a filter chooses, in order of arrival."""
    if selection == EVERYTHING:
        yield from reader.records(Item)
        return
    for ids in selected_ids(reader, selection):
        yield from reader.records(Item, ids=ids)


@dataclass(frozen=True, kw_only=True)
class ExportInput:
    """The input of an exporter.

    Attributes:
        reader: A reader that shows one state of the project throughout.
        release_filter: The filter that applies to all formats.
        selection: The filter that chose the items.
        progress: Advanced once per record.
        is_shown: Whether ``totals.media`` is to contain the media of the members.
        hidden: The items whose answer keys are not written, None for none.
    """

    reader: Reader
    release_filter: ReleaseFilter
    selection: ItemQuery
    progress: Progress
    is_shown: bool = False
    hidden: HiddenItems | None = None

    def items(self) -> Iterator[Item]:
        """Yield the items selected, in order of arrival."""
        return selected_items(self.reader, self.selection)

    def labels(self) -> Iterator[EventLabel]:
        """Yield all event labels, in order of arrival."""
        yield from self.reader.records(EventLabel)

    def lookup(self) -> RecordLookup:
        """Return a look-up of media and scenes."""
        return RecordLookup(self.reader)


class CardPart(ValueObject, frozen=True, kw_only=True):
    """What an export format adds to the card of its releases.

    Attributes:
        front_matter: Text before the card, as a hub reads it; it ends with a line break.
        lead: Paragraphs below the title.
        tables: Tables about the content.
    """

    front_matter: str = ""
    lead: tuple[str, ...] = ()
    tables: tuple[DocumentTable, ...] = ()


NO_CARD_PART = CardPart()


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """The members of a release and the withheld records.

    Attributes:
        totals: Counts of the members.
        withheld: The records kept out, in order of arrival.
        card: What the format adds to the card.
    """

    totals: ReleaseCounts
    withheld: list[WithheldRecord]
    card: CardPart = NO_CARD_PART


class Exporter(ABC):
    """A file format of releases.

    Attributes:
        id: Value of ``--format``.
        title: Displayed name.
        files: Description of the files it writes.
        limits: Description of what it cannot represent; such records are withheld.
        holds_items: Whether it contains items, to which checks apply.
        carries_all: Whether it contains all records that items refer to, whatever items are selected.
        can_hide_keys: Whether it can contain items without their answer keys.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    files: ClassVar[str]
    limits: ClassVar[str]
    holds_items: ClassVar[bool] = True
    carries_all: ClassVar[bool] = False
    can_hide_keys: ClassVar[bool] = False

    def size(self, counts: Mapping[str, int], *, items: int) -> int:  # noqa: ARG002 - other forms count more
        """Return the number of records that a release will process, for the progress.

        Args:
            counts: Records of each kind in the project.
            items: Number of items selected.
        """
        return items

    def refused(self, material: ExportInput) -> list[WithheldRecord]:  # noqa: ARG002 - other forms refuse
        """Return the records that the form cannot represent; those that the filter withholds may be there."""
        return []

    def hidden_lines(self, material: ExportInput) -> Iterable[bytes]:  # noqa: ARG002 - other forms leave more out
        """Return lines with the records that a release with hidden answer keys leaves out."""
        return ()

    @abstractmethod
    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write the files of a release into a folder.

        Raises:
            UserError: The project has no records of the form's kind.
            Cancelled: The user cancelled the operation.
        """


class RecordExporter(Exporter, Generic[M]):
    """A form whose files are a sequence of records of one kind."""

    def write(self, material: ExportInput, *, folder: ReleaseFolder) -> ExportResult:
        """Write the records that the filter and the form permit."""
        members = self.members(material)
        card = self.write_members(members, folder=folder)
        return ExportResult(totals=members.totals, withheld=members.withheld, card=card or NO_CARD_PART)

    def refused(self, material: ExportInput) -> list[WithheldRecord]:
        """Return the records that the filter or the form keeps out."""
        members = self.members(material)
        # A pass of its own: the records that a release has are known before the first one is written.
        deque(members, maxlen=0)
        return members.withheld

    def members(self, material: ExportInput) -> ReleaseItems[M]:
        """Return the records that the filter and the form permit, ready for the first pass."""
        return ReleaseItems(
            self.records(material),
            exporter=self,
            release_filter=material.release_filter,
            lookup=material.lookup(),
            progress=material.progress,
            public=partial(self.public, material=material),
        )

    def public(self, record: M, *, material: ExportInput) -> M:  # noqa: ARG002 - items need it
        """Return a record as the form may contain it."""
        return record

    @abstractmethod
    def records(self, material: ExportInput) -> Callable[[], Iterator[M]]:
        """Return a function that starts a pass over the records of the form."""

    @abstractmethod
    def write_members(self, members: ReleaseItems[M], *, folder: ReleaseFolder) -> CardPart | None:
        """Write the members in one or several passes; return what the form adds to the card, if anything."""

    @abstractmethod
    def refusal(self, record: M, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent a record; None if it can."""

    @abstractmethod
    def member_name(self, record: M, *, lookup: RecordLookup) -> str:
        """Return the id that the record has in the form."""


class ItemExporter(RecordExporter[Item]):
    """A form that holds items."""

    def records(self, material: ExportInput) -> Callable[[], Iterator[Item]]:
        """Return a function that starts a pass over the selected items."""
        return material.items

    def public(self, record: Item, *, material: ExportInput) -> Item:
        """Return an item, without its answer key if that is hidden."""
        is_hidden = material.hidden is not None and record.id in material.hidden.ids
        return conceal_item(record) if is_hidden else record

    def member_name(self, record: Item, *, lookup: RecordLookup) -> str:  # noqa: ARG002 - labels need it
        """Return the public id."""
        return record.name


class LabelExporter(RecordExporter[EventLabel]):
    """A form that holds event labels."""

    holds_items = False

    def size(self, counts: Mapping[str, int], *, items: int) -> int:  # noqa: ARG002 - as the base says
        """Return the number of event labels."""
        return counts["event_label"]

    def member_name(self, record: EventLabel, *, lookup: RecordLookup) -> str:
        """Return the name of the image of the label, with the ids of the original form."""
        medium = lookup.medium(record.medium)
        return f"{medium.name if medium else ''} {record.source_task} {record.source_annotation}"

    def records(self, material: ExportInput) -> Callable[[], Iterator[EventLabel]]:
        """Return a function that starts a pass over all event labels.

        Raises:
            UserError: Items were selected; this form contains labels only.
        """
        if material.selection != EVERYTHING:
            raise UserError(
                f"The format {self.id} contains event labels; a selection of items does not apply to them.",
                hint="Remove the selection.",
            )
        return material.labels


def refusal_of(problem: str, message: str) -> WithholdReason:
    """Return the reason why a form cannot represent a record.

    Args:
        problem: Id of the reason within the form.
        message: The message, with the value concerned.
    """
    return WithholdReason(kind=f"format:{problem}", message=message)
