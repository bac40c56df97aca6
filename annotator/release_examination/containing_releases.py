"""The releases that contain an item in its present form, derived from the log as of each release."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, selects_task
from annotator.domain.release import Release
from annotator.quality.context import CheckContext
from annotator.quality.run import run_item_checks
from annotator.queries.past_records import RecordHistory
from annotator.queries.reader import Reader
from annotator.release.exporter import EVERYTHING, RecordExporter
from annotator.release.exporters import EXPORTERS
from annotator.release.release_filter import NEVER_RELEASED, ReleaseFilter
from annotator.release.release_items import RecordLookup, has_nul

ANY_FLAG = "*"


@dataclass(frozen=True, kw_only=True)
class _ReleasePoint:
    """A release, and its position in the log."""

    release: Release
    n: int


@dataclass
class ContainingReleases:
    """Finds the releases of a project that contain an item with its present text.

    A release stores no list of its members. An item is a member if, at the release's position in the log, the
    selection included it and its state, open errors, checks and the form permitted it. Checks that compare
    items with one another are not repeated. Words, assignees and mentions that a selection asks for are those
    of the present item.

    Attributes:
        reader: A reader that shows one state of the project throughout.
    """

    reader: Reader
    _points: list[_ReleasePoint] = field(init=False)
    _context: CheckContext = field(init=False)
    _chosen_now: dict[ItemQuery, frozenset[str]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Find the releases, oldest first."""
        self._context = CheckContext.of(self.reader)
        found = self.reader.records(Release)
        points = [
            _ReleasePoint(release=one, n=RecordHistory.of(self.reader, one.id).events[0][0]) for one in found
        ]
        self._points = sorted(points, key=lambda point: point.n)

    def holding(self, item: Item) -> tuple[str, ...]:
        """Return the names of the releases that contain an item in its present form, oldest first."""
        if not self._points:
            return ()
        past, shown = RecordHistory.of(self.reader, item.id), prompt_digest(item)
        return tuple(
            point.release.name
            for point in self._points
            if (then := past.at(point.n, kind=Item)) is not None
            and prompt_digest(then) == shown
            and self._is_member(then, point)
        )

    def _is_member(self, item: Item, point: _ReleasePoint) -> bool:
        release = point.release
        if item.state in NEVER_RELEASED or not self._is_selected(item, point):
            return False
        release_filter = ReleaseFilter(include_flagged=release.include_flagged)
        if not release.include_flagged:
            release_filter.add_flags(self._flags(item, n=point.n))
            # Uses the checks of this version and the present media: releases do not record which ones they
            # used.
            release_filter.add_findings(run_item_checks(item, self._context))
        return not release_filter.reasons(item) and self._is_held(item, form=release.export_format)

    def _is_selected(self, item: Item, point: _ReleasePoint) -> bool:
        asked = point.release.selection
        named = (
            (asked.task_sets, item.task_set),
            (asked.states, item.state),
            (asked.sources, item.provenance.source),
            (asked.ids, item.id),
            ((asked.scene,) if asked.scene else (), item.scene),
        )
        if any(wanted and value not in wanted for wanted, value in named):
            return False
        if asked.tasks and not selects_task(asked.tasks, task_set=item.task_set, task=item.task):
            return False
        if asked.flags and not self._has_flag(item, asked.flags, n=point.n):
            return False
        rest = ItemQuery(text=asked.text, assignees=asked.assignees, mentions=asked.mentions)
        return rest == EVERYTHING or item.id in self._ids_of(rest)

    def _has_flag(self, item: Item, asked: Collection[str], *, n: int) -> bool:
        """Return whether an item had an open flag of a kind that is asked for."""
        kinds = {flag.kind for flag in self._flags(item, n=n) if flag.state == "open"}
        return not kinds.isdisjoint(asked) or (ANY_FLAG in asked and bool(kinds))

    def _flags(self, item: Item, *, n: int) -> list[Flag]:
        pasts = (RecordHistory.of(self.reader, flag.id) for flag in self.reader.flags_of(item.id))
        return [flag for past in pasts if (flag := past.at(n, kind=Flag)) is not None]

    def _ids_of(self, query: ItemQuery) -> frozenset[str]:
        if query not in self._chosen_now:
            rows = self.reader.items.rows(self.reader.items.numbers(query))
            self._chosen_now[query] = frozenset(row.id for row in rows)
        return self._chosen_now[query]

    def _is_held(self, item: Item, *, form: str) -> bool:
        known = EXPORTERS.get(form)
        # A form of a newer version is unknown and assumed to contain the item. A known form states what it
        # cannot contain.
        if known is None or not isinstance(known, RecordExporter):
            return True
        if not known.holds_items:
            return False
        lookup = RecordLookup(self.reader)
        lookup.prepare([item])
        return not has_nul(item) and known.refusal(item, lookup=lookup) is None


def release_text(names: tuple[str, ...]) -> str:
    """Return the end of a flag's message that names releases; "" for none."""
    if not names:
        return ""
    template = (
        "Release {} contains it and does not change"
        if len(names) == 1
        else "Releases {} contain it and do not change"
    )
    return f" {template.format(', '.join(names))}: decide before the next release."
