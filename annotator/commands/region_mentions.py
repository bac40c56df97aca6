"""Items that name regions: they follow when a region is renumbered, and are flagged when it is removed."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.answers.region_parser import HIGHEST_ID
from annotator.domain.event import CREATED, Edit, edit_differences
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Region
from annotator.domain.region_names import RegionName, names_by_field, with_new_number
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

REMOVED_KIND, AMBIGUOUS_KIND = "region_removed", "region_ambiguous"


@dataclass(frozen=True, kw_only=True)
class RenumberRegion(Command):
    """Give a region another number; items that name it follow, in their question, options and answer key.

    All boxes of the object in the medium, such as those of other frames, get the number. The state of the
    items stays: their meaning is the same. A name that can be that of a region in another view stays as it
    is, and its item is flagged.

    Attributes:
        region: Id of the region.
        number: The new number.
    """

    region: str
    number: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("renumber_region", number=str(self.number))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the number of each box, the texts of the items that name it, and flags.

        Raises:
            UserError: There is no such region, it is locked, or the number is not free or not valid.
        """
        progress.begin(self.summary, total=1)
        region = reader.require(Region, self.region)
        if region.number == self.number:
            return
        # The number names the object: its boxes on all frames, and proposals of it, take the new one.
        boxes = list(reader.find(Region, medium=region.medium, number=region.number, is_proposed=ANY))
        self._require_possible(reader, boxes)
        for box in boxes:
            yield Edit(entity="region", entity_id=box.id, field="number", value=self.number)
        surroundings = _ItemSurroundings(reader)
        for item in reader.regions.items_showing(region.medium):
            yield from self._followed(item, region, surroundings)

    def _require_possible(self, reader: Reader, boxes: list[Region]) -> None:
        if any(box.is_locked for box in boxes):
            raise UserError(f"Region {boxes[0].number} is locked.", hint="Unlock the region to change it.")
        if not 0 <= self.number <= HIGHEST_ID:
            raise UserError(f"{self.number} is not a valid region number.", hint=f"Enter 0 to {HIGHEST_ID}.")
        taken = reader.find(Region, medium=boxes[0].medium, number=self.number, is_proposed=ANY)
        if next(taken, None) is not None:
            raise UserError(
                f"Another region of this view has the number {self.number}.", hint="Choose a free number."
            )

    def _followed(self, item: Item, region: Region, surroundings: _ItemSurroundings) -> Iterator[Edit]:
        owner = NameOwner(item, medium=region.medium, numbers={region.number}, surroundings=surroundings)
        after = with_new_number(item, number=self.number, concerns=owner.is_certain, views=owner.views)
        yield from edit_differences(item, after)
        # One flag an item: each further name would ask the person the same.
        for field, _ in itertools.islice(owner.names(owner.is_doubtful), 1):
            message = (
                f"Region {region.number} of one view is now Region {self.number}, and another view has a "
                f"Region {region.number} too."
            )
            yield _flag(item, kind=AMBIGUOUS_KIND, message=message, field=field)


class _ItemSurroundings:
    """The numbers of the regions of media, and the names of views, each read once."""

    def __init__(self, reader: Reader) -> None:
        self._numbers: dict[str, frozenset[int]] = {}
        self._views: dict[str, dict[str, str]] = {}
        self._reader = reader

    def of_medium(self, medium: str) -> frozenset[int]:
        if medium not in self._numbers:
            self._numbers[medium] = self._reader.regions.numbers(medium)
        return self._numbers[medium]

    def views_of(self, item: Item) -> tuple[str, ...]:
        """Return the names of the views that an item shows, in the order of its media."""
        if item.scene not in self._views:
            scene = self._reader.get(Scene, item.scene) if item.scene else None
            self._views[item.scene] = {view.medium: view.name for view in scene.views} if scene else {}
        names = self._views[item.scene]
        return tuple(names.get(medium, "") for medium in item.media)


class NameOwner:
    """Tells which names in an item are those of regions of one medium.

    Args:
        item: The item.
        medium: Id of the medium.
        numbers: Numbers of the regions.
        surroundings: Regions and views of the items of the command.
    """

    def __init__(
        self, item: Item, *, medium: str, numbers: Collection[int], surroundings: _ItemSurroundings
    ) -> None:
        self.views = surroundings.views_of(item)
        self._item, self._numbers = item, numbers
        self._positions = {index for index, shown in enumerate(item.media) if shown == medium}
        others = (surroundings.of_medium(shown) for shown in item.media if shown != medium)
        self._others: frozenset[int] = frozenset().union(*others)

    def is_certain(self, name: RegionName) -> bool:
        """Return whether a name is that of one of the regions."""
        if name.number not in self._numbers:
            return False
        return name.number not in self._others if name.view is None else name.view in self._positions

    def is_doubtful(self, name: RegionName) -> bool:
        """Return whether a name can be that of one of the regions or of one in another view."""
        return name.number in self._numbers and name.view is None and name.number in self._others

    def names(self, concerns: Callable[[RegionName], bool]) -> Iterator[tuple[str, int]]:
        """Yield field and number of the names of some kind."""
        for field, names in names_by_field(self._item, views=self.views):
            yield from ((field, name.number) for name in names if concerns(name))


def flag_items_without(reader: Reader, removed: Iterable[Region]) -> Iterator[Edit]:
    """Yield a flag on each item in use that names a region which is removed.

    Args:
        reader: Shows the project with the regions.
        removed: The regions; a number that other boxes of the medium keep is not missing.
    """
    surroundings = _ItemSurroundings(reader)
    named: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    items: dict[str, Item] = {}
    for medium, numbers in _missing_numbers(reader, list(removed)).items():
        for item in reader.regions.items_showing(medium):
            items[item.id] = item
            owner = NameOwner(item, medium=medium, numbers=numbers, surroundings=surroundings)
            named[item.id] += owner.names(owner.is_certain)
    for item_id, found in named.items():
        if found and items[item_id].state != "rejected":
            listed = ", ".join(map(str, sorted({number for _, number in found})))
            message = f"The item names a region that was removed: Region {listed}."
            yield _flag(items[item_id], kind=REMOVED_KIND, message=message, field=found[0][0])


def _missing_numbers(reader: Reader, removed: list[Region]) -> dict[str, set[int]]:
    ids = {region.id for region in removed}
    gone: defaultdict[str, set[int]] = defaultdict(set)
    for medium, number in dict.fromkeys((region.medium, region.number) for region in removed):
        # Without proposals: nobody has confirmed that one of them shows the object that is named.
        left = reader.find(Region, medium=medium, number=number)
        if all(region.id in ids for region in left):
            gone[medium].add(number)
    return gone


def _flag(item: Item, *, kind: str, message: str, field: str) -> Edit:
    flag = Flag(
        id=new_id(),
        entity="item",
        target=item.id,
        kind=kind,
        message=message,
        field=field.partition("[")[0],
        severity="error",
        raised_by="check",
    )
    return Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)
