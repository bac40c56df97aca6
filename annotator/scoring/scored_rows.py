"""Scored predictions, read page by page with filters from the file that ``row_file`` writes.

A comparison of ten models has a million rows. A filter compares columns of numbers; texts are read for the
rows of a page.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.error_label import ErrorLabel
from annotator.domain.latest_decision import latest_decisions
from annotator.errors import UserError
from annotator.scoring.navigation import FlightScore
from annotator.scoring.row_file import COLUMNS, EXACT, READ_BY_MODEL, READABLE, SETTLED
from annotator.scoring.row_filter import EVERYTHING, FACETS, UNLABELLED, RowFacet, RowFilter, RowOrder
from annotator.scoring.scored_row import ItemFacts, ScoredRow, ShownItem
from annotator.scoring.shown_flight import ShownFlight, shown_flight
from annotator.store.connection import Connection, DatabaseError, connect, convert_disk_errors

Numbers = npt.NDArray[np.int64]
"""Row numbers from 1, int64 (n,)."""
SHORTEST_SEARCH = 3
"""Characters from which on a search uses the index of the texts."""
_OUTCOMES: Mapping[str, tuple[int, int]] = {
    "right": (EXACT, EXACT),
    "not_right": (EXACT, 0),
    "wrong": (READABLE | EXACT, READABLE),
    "unparsed": (READABLE | SETTLED, 0),
    "settled": (SETTLED, SETTLED),
    "read_by_model": (READ_BY_MODEL, READ_BY_MODEL),
}
"""Bits of ``marks`` that decide an outcome, and their values."""
_ROWS = """
SELECT p.n, p.answer, t.text, i.facts FROM prediction p, text t, item i
WHERE p.n=? AND t.id=? AND i.id=?
"""
_FACTS_DECODER = msgspec.json.Decoder(ItemFacts)
_FLIGHT_DECODER = msgspec.json.Decoder(FlightScore)
_SHOWN_DECODER = msgspec.json.Decoder(ShownItem)


class ScoredRows:
    """The rows of a file. May be used from any thread, by one at a time."""

    def __init__(self, path: Path) -> None:
        """Open a file that ``write_scored_rows`` made.

        Raises:
            UserError: It is no such file.
            EnvironmentFailure: It cannot be read.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            self._connection = connect(path, read_only=True)
            self._columns, self._names, self._release = _read_head(self._connection)
        except (UserError, DatabaseError) as error:
            raise UserError(
                f"{path} does not contain scored predictions.", hint="Score the predictions again."
            ) from error
        # Numbers from 1; a row without a label has 0.
        self._labels: dict[str, int] = {}
        self._label_of = np.zeros(self.total, dtype=np.int32)
        self._orders: dict[str, Numbers] = {}
        self._last_search = "", np.ones(self.total, dtype=np.bool_)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @property
    def release_id(self) -> str:
        """What error labels know the release by, "" if it is unknown."""
        return self._release[0]

    @property
    def release_folder(self) -> Path | None:
        """The release folder or file, None if it is unknown."""
        return Path(self._release[1]) if self._release[1] else None

    @property
    def total(self) -> int:
        """Number of all rows."""
        return len(self._columns["item"])

    def names(self, facet: RowFacet) -> tuple[str, ...]:
        """Return the values of a facet, in order of appearance."""
        return tuple(self._names[facet])

    def use_labels(self, labels: Iterable[ErrorLabel]) -> None:
        """Take the error labels of the release: filters and counts use them from now on.

        A label of another reply, from other predictions under the same name, is left out.
        """
        latest = latest_decisions(labels)
        with self._lock, convert_disk_errors():
            self._labels = {}
            self._label_of = np.zeros(self.total, dtype=np.int32)
            # The only order that depends on labels; the file itself never changes.
            self._orders.pop("error_class", None)
            positions = self._positions_of({one.item for one in latest})
            for one in latest:
                number = self._labels.setdefault(one.error_class, len(self._labels) + 1)
                model = self._names["model"].get(one.model, -1)
                for index in positions.get(one.item, ()):
                    if self._columns["model"][index] == model and one.is_about(self._text_at(index)):
                        self._label_of[index] = number

    def count(self, wanted: RowFilter = EVERYTHING) -> int:
        """Return the number of rows that a filter lets through."""
        return int(np.count_nonzero(self._mask(wanted)))

    def numbers(
        self, wanted: RowFilter = EVERYTHING, *, order: RowOrder = "release", is_descending: bool = False
    ) -> Numbers:
        """Return the numbers of the rows that a filter lets through, in order."""
        mask, ranked = self._mask(wanted), self._order(order)
        found = ranked[mask[ranked]]
        return (found[::-1] if is_descending else found) + 1

    def rows(self, numbers: Numbers) -> list[ScoredRow]:
        """Return rows by their numbers."""
        indices = numbers - 1
        keys = zip(
            numbers.tolist(),
            self._columns["text"][indices].tolist(),
            self._columns["item"][indices].tolist(),
            strict=True,
        )
        with self._lock, convert_disk_errors():
            found = [self._connection.execute(_ROWS, key).fetchone() for key in keys]
        return [self._scored_row(*row) for row in found]

    def page(
        self,
        wanted: RowFilter = EVERYTHING,
        *,
        order: RowOrder = "release",
        is_descending: bool = False,
        offset: int = 0,
        limit: int = 100,
    ) -> list[ScoredRow]:
        """Return some of the rows that a filter lets through, in order."""
        found = self.numbers(wanted, order=order, is_descending=is_descending)
        return self.rows(found[offset : offset + limit])

    def of_item(self, n: int) -> list[ScoredRow]:
        """Return the predictions of all models about the item of a row."""
        items = self._columns["item"]
        return self.rows(np.flatnonzero(items == items[n - 1]).astype(np.int64) + 1)

    def shown_item(self, n: int) -> ShownItem | None:
        """Return the item of a row as it was released, None if the file does not have it."""
        item = int(self._columns["item"][n - 1])
        with self._lock, convert_disk_errors():
            (shown,) = self._connection.execute("SELECT shown FROM item WHERE id=?", (item,)).fetchone()
        return _SHOWN_DECODER.decode(shown) if shown is not None else None

    def flight(self, row: ScoredRow, shown: ShownItem | None) -> ShownFlight | None:
        """Return the flight of a row for a plot, None for a row or an item without one.

        Args:
            row: The row.
            shown: Its item (``shown_item``).
        """
        with self._lock, convert_disk_errors():
            found = self._connection.execute("SELECT score FROM flight WHERE n=?", (row.n,)).fetchone()
        if found is None or shown is None:
            return None
        score = _FLIGHT_DECODER.decode(found[0])
        return shown_flight(row.text, shown.item, recorded=shown.recorded, score=score)

    def label_of(self, n: int) -> str:
        """Return the error class of a row, "" for none."""
        number = int(self._label_of[n - 1])
        return next((name for name, known in self._labels.items() if known == number), "")

    def label_counts(self, facet: RowFacet, wanted: RowFilter = EVERYTHING) -> dict[tuple[str, str], int]:
        """Return how many rows have each error class, by class and value of a facet."""
        found = np.flatnonzero(self._mask(wanted) & (self._label_of > 0))
        labels = {number: name for name, number in self._labels.items()}
        values = self.names(facet)
        pairs = zip(self._label_of[found].tolist(), self._columns[facet][found].tolist(), strict=True)
        counts = Counter((labels[label], values[value]) for label, value in pairs)
        return dict(sorted(counts.items()))

    def facet_counts(self, facet: RowFacet, wanted: RowFilter, *, error_class: str) -> dict[str, int]:
        """Return how many rows of an error class a filter lets through, by value of a facet."""
        mask = self._mask(msgspec.structs.replace(wanted, error_class=""))
        mask &= self._mask(RowFilter(error_class=error_class))
        counts = np.bincount(self._columns[facet][mask], minlength=len(self._names[facet]))
        return {name: int(counts[number]) for name, number in self._names[facet].items() if counts[number]}

    def _mask(self, wanted: RowFilter) -> npt.NDArray[np.bool_]:
        mask = np.ones(self.total, dtype=np.bool_)
        for facet in FACETS:
            if name := getattr(wanted, facet):
                mask &= self._columns[facet] == self._names[facet].get(name, -1)
        if wanted.tasks:
            numbers = [self._names["task"].get(name, -1) for name in wanted.tasks]
            mask &= np.isin(self._columns["task"], numbers)
        if wanted.outcome:
            mask &= self._outcome_mask(wanted.outcome)
        if label := wanted.error_class:
            mask &= self._label_of == (0 if label == UNLABELLED else self._labels.get(label, -1))
        if wanted.item:
            mask &= self._item_mask(wanted.item)
        if wanted.text.strip():
            mask &= self._searched(wanted.text.strip())
        return mask

    def _outcome_mask(self, outcome: str) -> npt.NDArray[np.bool_]:
        bits, value = _OUTCOMES[outcome]
        return cast("npt.NDArray[np.bool_]", (self._columns["marks"] & bits) == value)

    def _searched(self, text: str) -> npt.NDArray[np.bool_]:
        # Count, numbers and pages of one search follow each other; a common word has 100,000 texts.
        if self._last_search[0] != text:
            self._last_search = text, self._text_mask(text) | self._item_mask(text)
        return self._last_search[1]

    def _item_mask(self, name: str) -> npt.NDArray[np.bool_]:
        with self._lock, convert_disk_errors():
            found = [n for (n,) in self._connection.execute("SELECT id FROM item WHERE name=?", (name,))]
        return np.isin(self._columns["item"], found)

    def _text_mask(self, text: str) -> npt.NDArray[np.bool_]:
        """Return which rows have a text in their reply, whatever its case."""
        if len(text) < SHORTEST_SEARCH:
            # A trigram index finds nothing that is shorter than a trigram.
            select = "SELECT id FROM text WHERE text LIKE ? ESCAPE '\\'"
            value = f"%{_escaped(text)}%"
        else:
            select = "SELECT rowid FROM text_search WHERE text_search MATCH ?"
            # As a string: elsewhere in a query AND, NEAR, * and brackets are operators.
            value = '"' + text.replace('"', '""') + '"'
        with self._lock, convert_disk_errors():
            found = np.array(self._connection.execute(select, (value,)).fetchall(), dtype=np.int64)
        texts = self._columns["text"]
        has_text = np.zeros(int(texts.max(initial=0)) + 1, dtype=np.bool_)
        has_text[found.ravel()] = True
        return cast("npt.NDArray[np.bool_]", has_text[texts])

    def _order(self, order: RowOrder) -> Numbers:
        """Return the places of all rows in an order; equal rows are in the order of the release."""
        if order not in self._orders:
            items, models = self._columns["item"], self._columns["model"]
            first = {
                "release": items,
                "model": models,
                "task": self._columns["task"],
                "score": self._columns["score"],
                "error_class": self._label_of,
            }[order]
            # The last key is compared first.
            self._orders[order] = np.lexsort((models, items, first)).astype(np.int64)
        return self._orders[order]

    def _text_at(self, index: int) -> str:
        number = int(self._columns["text"][index])
        (text,) = self._connection.execute("SELECT text FROM text WHERE id=?", (number,)).fetchone()
        return str(text)

    def _positions_of(self, names: set[str]) -> dict[str, list[int]]:
        """Return the places of the rows of some items by their public ids."""
        select = "SELECT id, name FROM item WHERE name IN (SELECT value FROM json_each(?))"
        found = dict(self._connection.execute(select, (msgspec.json.encode(sorted(names)).decode(),)))
        items = self._columns["item"]
        positions: dict[str, list[int]] = {}
        for index in np.flatnonzero(np.isin(items, list(found))).tolist():
            positions.setdefault(found[int(items[index])], []).append(index)
        return positions

    def _scored_row(self, n: int, answer: str, text: str, facts: str) -> ScoredRow:
        item = _FACTS_DECODER.decode(facts)
        marks = int(self._columns["marks"][n - 1])
        return ScoredRow(
            item=item.name,
            project_item=item.project_item,
            model=self.names("model")[int(self._columns["model"][n - 1])],
            task=item.task,
            group=item.group,
            format=item.format,
            source=item.source,
            text=text,
            answer=answer,
            key=item.key,
            score=float(self._columns["score"][n - 1]),
            exact=bool(marks & EXACT),
            readable=bool(marks & READABLE),
            settled=bool(marks & SETTLED),
            read_by_model=bool(marks & READ_BY_MODEL),
            position=item.position,
            n=n,
        )


def _read_head(
    connection: Connection,
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, dict[str, int]], tuple[str, str]]:
    """Return columns, names and release; the connection is closed if it has none."""
    try:
        release = connection.execute("SELECT id, folder FROM release").fetchone()
        return _read_columns(connection), _read_names(connection), release or ("", "")
    except BaseException:
        connection.close()
        raise


def _read_columns(connection: Connection) -> dict[str, npt.NDArray[Any]]:
    found = connection.execute("SELECT name, data FROM numbers")
    return {name: np.frombuffer(data, dtype=COLUMNS[name]) for name, data in found}


def _read_names(connection: Connection) -> dict[str, dict[str, int]]:
    names: dict[str, dict[str, int]] = {facet: {} for facet in FACETS}
    for facet, number, name in connection.execute("SELECT facet, id, name FROM name ORDER BY id"):
        names[facet][name] = number
    return names


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
