"""Checks of what an item points to: regions of its media, and the media themselves."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.domain.region_names import RegionName, find_key_names, names_by_field
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext


class UnknownRegions(ItemCheck):
    """Finds numbers of regions that do not exist."""

    id = "unknown_region"
    severity = "error"
    title = "Unknown regions"
    finds = "The question, options or answer key refer to a region that no media file of the item contains."
    advice = "Correct the region number, or add the region."
    threshold = "only if the media files have regions"
    task_sets = ("spatialuav",)

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name the regions that an item speaks of and none of its media has.

        Nothing is said while the media have no regions at all: they may not have been marked yet.
        """
        if not speaks_of_regions(item):
            return None
        by_medium = [context.regions(medium) for medium in item.media]
        known = frozenset().union(*by_medium)
        if not known:
            return None
        for path, names in names_by_field(item, views=context.views(item)):
            # Numbers of pairs are of their views, which ``_find_wrong_pair`` says.
            is_pair = path == "answer_key" and item.answer_format == "pair_list"
            if message := _problem(names, [] if is_pair else by_medium, known):
                field, _, location = path.partition("[")
                return CheckHit(
                    message=message, field=field, option_index=int(location.rstrip("]")) if location else None
                )
        return _find_wrong_pair(item, by_medium)


class MissingMedia(ItemCheck):
    """Finds items whose media are missing."""

    id = "missing_media"
    severity = "warning"
    title = "Missing media"
    finds = "The item has no media files, or a file that is not in the project yet."
    advice = "Import the media files. Until then the item can be edited but not displayed."
    threshold = "none"

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name the media of an item that are not in the project, or whose files nobody has seen yet."""
        if not item.media:
            # A question of a team's own, outside of all task sets, may be about text.
            is_text = context.task(item) is None
            return None if is_text else CheckHit(message="The item has no image or video.", field="media")
        absent = list(filter(None, (_absent_name(medium, context) for medium in item.media)))
        if not absent:
            return None
        shown = ", ".join(absent[:3]) + (f" and {len(absent) - 3} more" if len(absent) > 3 else "")
        return CheckHit(message=f"Files not in the project: {shown}.", field="media")


def speaks_of_regions(item: Item) -> bool:
    """Return whether an item names regions, or has an answer that does."""
    return answers.names_regions(item.answer_format) or any(names for _, names in names_by_field(item))


def _problem(names: list[RegionName], by_medium: list[frozenset[int]], known: frozenset[int]) -> str:
    """Return what is wrong with the regions that a text names, "" for nothing."""
    if unknown := sorted({name.number for name in names} - known):
        return f"No media file of this item contains {_named(unknown)}."
    by_view: dict[int | None, frozenset[int]] = dict(enumerate(by_medium))
    # A view without regions may not have been marked yet.
    misplaced = {n.number for n in names if (own := by_view.get(n.view)) and n.number not in own}
    return f"The view that is named does not contain {_named(sorted(misplaced))}." if misplaced else ""


def _find_wrong_pair(item: Item, by_medium: list[frozenset[int]]) -> CheckHit | None:
    """Check a key of pairs such as ``3-15, 4-5``: first number in the first view, second in the second."""
    if item.answer_format != "pair_list" or len(by_medium) != 2 or not all(by_medium):
        return None
    numbers = [name.number for name in find_key_names(item)]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    wrong = ", ".join(
        f"{one}-{two}" for one, two in pairs if one not in by_medium[0] or two not in by_medium[1]
    )
    message = f"The two views do not contain these regions: {wrong}."
    return CheckHit(message=message, field="answer_key") if wrong else None


def _named(numbers: list[int]) -> str:
    return f"Region {', '.join(map(str, numbers))}"


def _absent_name(medium: str, context: CheckContext) -> str:
    """Return the name of a medium that is not there, "" for one that is."""
    found = context.medium(medium)
    if found is None:
        return "a removed media file"
    return "" if found.sha256 else found.name
