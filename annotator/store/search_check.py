"""Compares the search indexes of a project with the texts of its records.

The texts are indexed anew in pieces, so that the write-ahead log can be emptied while others write; what they
have changed meanwhile is indexed again before the comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import json

from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.store.connection import Connection, DatabaseError, transaction
from annotator.store.projection import Projection, create_searches
from annotator.store.projections import PROJECTIONS
from annotator.store.scratch_database import AT_A_TIME, first_difference, one_state, scratch_database
from annotator.store.search_lookup import is_lookup_damaged
from annotator.store.search_origin_check import has_undeletable_text
from annotator.store.staged_rows import LAST_NUMBER
from annotator.store.staging import is_staging

# The index is read once and deleted: parts of it that are merged as it grows would be written several times.
SETTINGS = {"automerge": 0, "crisismerge": 1000, "hashsize": 16 << 20}
# What comes before are sums and the list of parts. Behind the number of its part, which depends on how many
# there were, stands that of the page.
_MERGED_PAGES = "SELECT id & 0x1fffffffff, block FROM {table}_data WHERE id>10 ORDER BY id"
# Without its length, the text of a record is not deleted when the record changes. Removed records have none.
_LENGTHS = "SELECT id, sz FROM main.{table}_docsize WHERE sz<>x'00' ORDER BY id"
_Row = tuple[int, int, str]
"""Arrival number, whether it is removed, and record."""


def differing_searches(connection: Connection, *, progress: Progress) -> Iterator[str]:
    """Yield the search tables that differ from what the records of the project would give.

    Nothing while an entry is staged: its texts are in the indexes already.

    Args:
        connection: The project, outside of a transaction; it may create temporary tables.
        progress: One step per record.

    Raises:
        Cancelled: The user stopped it.
    """
    progress.begin("Checking the search indexes")
    for projection in PROJECTIONS.values():
        if projection.searches:
            try:
                yield from _differing(connection, projection, is_merged=True, progress=progress)
            except EnvironmentFailure:
                # Merged, an index takes twice the room on the disk of temporary files.
                yield from _differing(connection, projection, is_merged=False, progress=progress)


def _differing(
    connection: Connection, projection: Projection, *, is_merged: bool, progress: Progress
) -> list[str]:
    """Return which search tables of a projection differ, with or without a look at merged indexes first."""
    with scratch_database() as made:
        return list(_differing_from(connection, made, projection, is_merged=is_merged, progress=progress))


def _differing_from(
    connection: Connection, made: Connection, projection: Projection, *, is_merged: bool, progress: Progress
) -> Iterator[str]:
    (position,) = connection.execute("SELECT coalesce(max(n), 0) FROM event").fetchone()
    with transaction(made):
        _create(made, projection)
        for rows in _pieces(connection, projection.entity, until=position):
            _index(made, projection, rows)
            progress.step(len(rows))
    with one_state(connection):
        if is_staging(connection):
            return
        with transaction(made):
            _index(made, projection, _changed_rows(connection, projection.entity, after=position))
        for suffix, _ in projection.searches:
            table = f"{projection.entity}_{suffix}"
            if (
                is_lookup_damaged(connection, table)
                or (
                    not (is_merged and _has_same_pages(connection, made, projection, table))
                    and _differs(connection, made, table)
                )
                or first_difference(connection, made, _LENGTHS.format(table=table))
                or has_undeletable_text(connection, table)
            ):
                yield table


def _create(made: Connection, projection: Projection) -> None:
    create_searches(made, projection)
    for suffix, _ in projection.searches:
        table = f"{projection.entity}_{suffix}"
        made.executemany(f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", SETTINGS.items())


def _pieces(connection: Connection, entity: str, *, until: int) -> Iterator[list[_Row]]:
    """Yield rows up to a position: somebody who writes as fast as this reads would be followed for ever."""
    select = f"SELECT n, removed, record FROM {entity} WHERE n>? AND n<=? AND removed=0 ORDER BY n LIMIT ?"
    last = 0
    while rows := connection.execute(select, (last, until, AT_A_TIME)).fetchall():
        yield rows
        last = rows[-1][0]


def _changed_rows(connection: Connection, entity: str, *, after: int) -> list[_Row]:
    """Return the rows of the records that have events after a position of the log."""
    select = "SELECT DISTINCT entity_id FROM event WHERE n>? AND entity=?"
    ids = [record for (record,) in connection.execute(select, (after, entity))]
    select = f"SELECT n, removed, record FROM {entity} WHERE id IN (SELECT value FROM json_each(?))"
    return connection.execute(select, (json.encode(ids).decode(),)).fetchall()


def _index(made: Connection, projection: Projection, rows: Iterable[_Row]) -> None:
    records = [(n, None if removed else projection.decode(text)) for n, removed, text in rows]
    for suffix, text_of in projection.searches:
        insert = f"INSERT OR REPLACE INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
        made.executemany(insert, [(n, text_of(record) if record else "") for n, record in records])


def _has_same_pages(connection: Connection, made: Connection, projection: Projection, table: str) -> bool:
    """Return whether a search index, its parts merged, consists of the same bytes as the one made anew.

    That takes a seventh of the time of a comparison place by place, which decides if the bytes differ.
    """
    word = new_id()
    with scratch_database() as kept:
        try:
            with transaction(kept):
                create_searches(kept, projection)
                kept.execute(f"DELETE FROM {table}_data")
                pages = connection.execute(f"SELECT id, block FROM main.{table}_data")
                kept.executemany(f"INSERT INTO {table}_data (id, block) VALUES (?, ?)", pages)
            _merge(kept, table, word)
        except (DatabaseError, EnvironmentFailure):
            # The comparison by place reads what is damaged, and reports it.
            return False
        _merge(made, table, word)
        is_same = first_difference(kept, made, _MERGED_PAGES.format(table=table)) is None
    made.execute(f"DELETE FROM {table} WHERE rowid=?", (LAST_NUMBER,))
    return is_same


def _merge(side: Connection, table: str, word: str) -> None:
    """Merge the parts of an index, and a record of one word that no text contains."""
    with transaction(side):
        # A part that is the only one would stay as it was written.
        side.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (LAST_NUMBER, word))
        side.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _differs(connection: Connection, made: Connection, table: str) -> bool:
    """Compare the records and places of each term: contentless search tables have no text to compare."""
    for side in (connection, made):
        side.execute(f"CREATE VIRTUAL TABLE temp.{table}_list USING fts5vocab('main', '{table}', 'instance')")
    # Summed by SQLite: each place of each word as a row of Python would take minutes for 10^6 records. The
    # remainders keep sums over 10^9 places within 64 bits, beyond which sum() fails. The linear sum alone is
    # the same where records 1 and 4 have swapped their texts with 2 and 3.
    select = (
        "SELECT term, count(*), sum(place % 2147483647), sum(place % 65521 * (place % 46337) % 1048573) "
        f"FROM (SELECT term, doc * 1000003 + offset * 8191 AS place FROM temp.{table}_list) "
        "GROUP BY term ORDER BY term"
    )
    return first_difference(connection, made, select) is not None
