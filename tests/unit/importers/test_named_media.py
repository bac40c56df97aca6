"""Names of label files that hold more, or less, of a path than the media of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.importers.named_media import NamedMedia
from annotator.session import Session
from tests.unit.store.making import write


@pytest.mark.parametrize(
    ("paths", "name", "found"),
    [
        (["b.png"], "sub/b.png", "b.png"),
        (["sub/b.png"], "data/sub/b.png", "sub/b.png"),
        (["b.png", "a.png"], "x/y/b.png", "b.png"),
        # Of two with this name, or of another folder, none is meant.
        (["b.png", "other/b.png"], "sub/b.png", None),
        (["other/b.png"], "sub/b.png", None),
        (["b.jpg"], "sub/b.png", None),
        (["ab.png"], "sub/b.png", None),
    ],
)
def test_name_when_it_has_more_folders_than_the_file_then_meets_the_only_one(
    tmp_path: Path, paths: list[str], name: str, found: str | None
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        media = [Medium(id=new_id(), name=path, path=path, dataset="d", source="s") for path in paths]
        write(session, *(Edit(entity="medium", entity_id=m.id, field=CREATED, value=m) for m in media))
        met = NamedMedia(session.reader).find(name, dataset="d")
        assert (met.path if met else None) == found


def test_name_when_another_name_has_met_the_only_file_then_it_meets_none(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        medium = Medium(id=new_id(), name="b.png", path="b.png", dataset="d", source="s")
        write(session, Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium))
        named = NamedMedia(session.reader)
        assert named.find("one/b.png", dataset="d") == medium
        assert named.find("two/b.png", dataset="d") is None
        assert named.find("one/b.png", dataset="d") == medium
