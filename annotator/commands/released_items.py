"""Which releases hold an item as it stands: worked out from the log, as each release saw it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, REMOVED
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, selects_task
from annotator.domain.record import Record
from annotator.domain.release import Release
from annotator.quality.context import CheckContext
from annotator.quality.run import run_item_checks
from annotator.release.exporter import RecordExporter
from annotator.release.exporters import EXPORTERS
from annotator.release.release_filter import NEVER_RELEASED, ReleaseFilter
from annotator.release.release_items import RecordLookup, has_nul
from annotator.store.reader import Reader

WHOLE_HISTORY = 1_000_000
"""More events than any one record gets."""
ANY_FLAG = "*"
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True)
class _ReleasePoint:
    """A release, and where in the log it was entered."""

    release: Release
    n: int


@dataclass(frozen=True, kw_only=True)
class _RecordHistory:
    """What happened to one record: arrival numbers, fields and JSON texts, oldest first."""

    events: tuple[tuple[int, str, str], ...]

    def at(self, n: int, *, kind: type[R]) -> R | None:
        """Return the record as it was before an event, None where it was not there."""
        fields: dict[str, msgspec.Raw] = {}
        is_removed = False
        for number, name, value in self.events:
            # The event itself is not counted: the release was made of what was there before it was entered.
            if number >= n:
                break
            if name == CREATED:
                fields = msgspec.json.decode(value, type=dict[str, msgspec.Raw])
            elif name == REMOVED:
                is_removed = bool(msgspec.json.decode(value))
            else:
                fields[name] = msgspec.Raw(value.encode())
        is_there = bool(fields) and not is_removed
        return msgspec.json.decode(msgspec.json.encode(fields), type=kind) if is_there else None


@dataclass
class ReleasedItems:
    """Tells which releases of a project hold an item with the words that it has now.

    A release keeps no list of its members: an item is one where, at the release's place in the log, the
    selection chose it and its state, open errors, checks and the form let it through. Checks that compare
    items with one another are not done again, and texts that a selection asked for are sought in the item as
    it is now.

    Attributes:
        reader: The project, in one and the same state throughout.
    """

    reader: Reader
    _points: list[_ReleasePoint] = field(init=False)
    _context: CheckContext = field(init=False)
    _contents: dict[str, frozenset[str]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Look the releases up, oldest first."""
        self._context = CheckContext.of(self.reader)
        found = self.reader.records(Release)
        points = [_ReleasePoint(release=one, n=_past(self.reader, one.id).events[0][0]) for one in found]
        self._points = sorted(points, key=lambda point: point.n)

    def holding(self, item: Item) -> tuple[str, ...]:
        """Return the names of the releases that hold an item as it stands, oldest first."""
        if not self._points:
            return ()
        past, shown = _past(self.reader, item.id), prompt_digest(item)
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
        gate = ReleaseFilter(include_flagged=release.include_flagged)
        if not release.include_flagged:
            gate.add_flags(self._flags(item, n=point.n))
            # By the checks of this version and the media of now: no release says which ones it was made with.
            gate.add_findings(run_item_checks(item, self._context))
        return not gate.reasons(item) and self._is_held(item, form=release.export_format)

    def _is_selected(self, item: Item, point: _ReleasePoint) -> bool:
        asked = point.release.selection
        named = (
            (asked.task_sets, item.task_set),
            (asked.states, item.state),
            (asked.sources, item.provenance.source),
            ((asked.scene,) if asked.scene else (), item.scene),
        )
        if any(wanted and value not in wanted for wanted, value in named):
            return False
        if asked.tasks and not selects_task(asked.tasks, task_set=item.task_set, task=item.task):
            return False
        if asked.flags:
            kinds = {flag.kind for flag in self._flags(item, n=point.n) if flag.state == "open"}
            if not kinds & {*asked.flags} and not (ANY_FLAG in asked.flags and kinds):
                return False
        return not asked.text or item.id in self._content(asked.text)

    def _flags(self, item: Item, *, n: int) -> list[Flag]:
        pasts = (_past(self.reader, flag.id) for flag in self.reader.flags_of(item.id))
        return [flag for past in pasts if (flag := past.at(n, kind=Flag)) is not None]

    def _content(self, text: str) -> frozenset[str]:
        if text not in self._contents:
            rows = self.reader.item_rows(self.reader.item_numbers(ItemQuery(text=text)))
            self._contents[text] = frozenset(row.id for row in rows)
        return self._contents[text]

    def _is_held(self, item: Item, *, form: str) -> bool:
        known = EXPORTERS.get(form)
        # A form of a newer version may hold anything; one of records says what it cannot.
        if known is None or not isinstance(known, RecordExporter):
            return True
        if not known.holds_items:
            return False
        lookup = RecordLookup(self.reader)
        lookup.prepare([item])
        return not has_nul(item) and known.refusal(item, lookup=lookup) is None


def release_text(names: tuple[str, ...]) -> str:
    """Return in words that releases hold an item, as the end of a flag's message; "" for none."""
    if not names:
        return ""
    told = (
        "Release {} contains it and does not change"
        if len(names) == 1
        else "Releases {} contain it and do not change"
    )
    return f" {told.format(', '.join(names))}: decide before the next release."


def _past(reader: Reader, record: str) -> _RecordHistory:
    entries = reversed(reader.history(record, limit=WHOLE_HISTORY))
    logged = [event for entry in entries if (event := reader.event(entry.event)) is not None]
    return _RecordHistory(events=tuple((event.n, event.field, event.value) for event in logged))
