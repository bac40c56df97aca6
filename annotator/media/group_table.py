"""Grouping by an explicit table: a CSV file that names scene, view and path of each file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.listing import kind_by_name
from annotator.media.scene_grouping import Grouping, MediaMatch, build_scenes

REQUIRED = ("scene", "view", "path")
OPTIONAL = ("licence", "source", "dataset", "medium")
# Read whole: csv needs text, and a million lines are about 60 MB.
MOST_BYTES = 256 * 1024 * 1024


def group_by_table(table: Path, *, names: Iterable[str]) -> Grouping:
    """Return the scenes and views of a CSV file.

    The header has the columns ``scene``, ``view`` and ``path``, and optionally ``licence``, ``source``,
    ``dataset`` and ``medium`` (the name of the medium). A path has to equal a listed name, or be the end of
    exactly one.

    Args:
        table: The file, UTF-8, with commas, semicolons or tabs.
        names: Names of the existing files, from ``list_media``.

    Raises:
        UserError: The file is not such a table, or a line lacks scene or path.
        EnvironmentFailure: The file cannot be read.
    """
    listed = dict.fromkeys(names)
    ends = _ends(listed)
    claims, absent = [], []
    for line, row in _rows(table):
        claim = _claim(row, ends=ends, where=f"{table.name}, line {line}")
        if claim.name in listed:
            claims.append(claim)
        else:
            absent.append(f"line {line}: {claim.name}")
    taken = {claim.name for claim in claims}
    remarks = [f"{len(absent):,} files of the table are missing, first {absent[0]}."] if absent else []
    return build_scenes(claims, unmatched=[name for name in listed if name not in taken], remarks=remarks)


def _claim(row: Mapping[str, str], *, ends: Mapping[str, str], where: str) -> MediaMatch:
    # Some tables are written on Windows, or with ./ before.
    path = "/".join(part for part in row["path"].replace("\\", "/").split("/") if part not in {"", "."})
    if not row["scene"] or not path:
        raise UserError(f"{where}: a scene and a path are required.")
    name = ends.get(path) or path
    return MediaMatch(
        name=name,
        scene=row["scene"],
        view=row["view"],
        dataset=row.get("dataset", ""),
        medium=row.get("medium", ""),
        kind=kind_by_name(name) or "image",
        licence=row.get("licence", ""),
        source=row.get("source", ""),
    )


def _known_columns(head: Iterable[str], *, table: Path) -> dict[str, str]:
    """Return the columns of a table as its first line spells them, by their names.

    Raises:
        UserError: One is missing.
    """
    columns = {(name or "").strip().lower(): name for name in head}
    if missing := [name for name in REQUIRED if name not in columns]:
        raise UserError(
            f"{table.name} has no column {', '.join(missing)}.",
            hint=f"The first line must contain:  {','.join((*REQUIRED, *OPTIONAL))}.",
        )
    return {name: columns[name] for name in (*REQUIRED, *OPTIONAL) if name in columns}


def _rows(table: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line numbers and the known columns of each line, trimmed."""
    text = _text(table)
    first = text.split("\n", 1)[0]
    # Excel writes semicolons where the comma is the decimal sign.
    delimiter = max(",;\t", key=first.count)
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = _known_columns(lines.fieldnames or (), table=table)
        for row in lines:
            yield lines.line_num, {name: (row[column] or "").strip() for name, column in columns.items()}
    except csv.Error as error:
        raise UserError(f"{table.name}, line {lines.line_num + 1}: {error}.") from error


def _text(table: Path) -> str:
    try:
        if table.stat().st_size > MOST_BYTES:
            raise UserError(f"{table.name} is larger than {MOST_BYTES // 1024**2} MB.")
        return table.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{table.name} is not UTF-8 text.", hint="Save it as 'CSV UTF-8'.") from error
    except OSError as error:
        raise EnvironmentFailure(f"{table} cannot be read: {error.strerror}.") from error


def _ends(names: Iterable[str]) -> dict[str, str]:
    """Return the file that each end of a path means, where only one does."""
    ends: dict[str, str] = {}
    for name in names:
        parts = name.split("/")
        for at in range(len(parts)):
            end = "/".join(parts[at:])
            ends[end] = "" if end in ends else name
    # A full name is itself, whatever other file ends alike.
    return {**ends, **{name: name for name in names}}
