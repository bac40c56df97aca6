from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.commands.media import RegisterMedia
from annotator.commands.media_import import ImportMedia
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.media.file_import import import_files
from annotator.media.grouping import group_individually
from annotator.media.listing import list_media
from annotator.progress import Progress
from annotator.queries.media_health import MediaHealth, find_media_in, media_health
from annotator.queries.media_survey import survey_media
from annotator.session import Session
from tests.unit.store.making import created, write


def _draw(path: Path, *, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((6, 8, 3), shade, np.uint8))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Give a project with four pictures of a card, and one that was only named."""
    for number, name in enumerate("abcd"):
        _draw(tmp_path / "card" / f"{name}.png", shade=number)
    with Session.create(tmp_path / "p.vantage") as session:
        listing = list_media([tmp_path / "card"], progress=Progress())
        grouping = group_individually(listing.names)
        file_import = import_files(listing, grouping, roots=session.roots, progress=Progress())
        session.execute(ImportMedia(file_import=file_import, dataset="set")).result()
        write(session, created("medium", Medium(id=new_id(), name="named.png")))
        yield session


def _health(session: Session) -> MediaHealth:
    survey = survey_media(session.reader, root=session.roots, is_decoded=True, progress=Progress())
    session.execute(RegisterMedia(survey=survey)).result()
    return media_health(session.reader, survey)


def _names(health: MediaHealth) -> dict[str, list[str]]:
    return {state: [trouble.name for trouble in some] for state, some in health.faults.items()}


def test_health_when_files_are_gone_changed_and_damaged_then_each_is_told(
    session: Session, tmp_path: Path
) -> None:
    card = tmp_path / "card"
    (card / "a.png").unlink()
    _draw(card / "b.png", shade=77)
    health = _health(session)
    assert (health.found, health.unseen) == (2, 1)
    assert _names(health) == {"missing": ["a.png"], "changed": ["b.png"], "damaged": []}
    assert "was found earlier" in health.faults["missing"][0].why
    said = health.to_json()
    assert said["changed"][0]["name"] == "b.png"
    assert said["changed"][0]["why"]


def test_health_when_the_survey_is_not_stored_then_is_the_same(session: Session, tmp_path: Path) -> None:
    card = tmp_path / "card"
    _health(session)
    (card / "a.png").unlink()
    _draw(card / "b.png", shade=77)
    survey = survey_media(session.reader, root=session.roots, progress=Progress())
    unstored = media_health(session.reader, survey)
    assert unstored == _health(session)
    _draw(card / "a.png", shade=0)
    _draw(card / "b.png", shade=1)
    survey = survey_media(session.reader, root=session.roots, progress=Progress())
    assert media_health(session.reader, survey) == _health(session)


def test_health_when_all_is_well_then_storage_is_told_by_what_it_is(session: Session, tmp_path: Path) -> None:
    size = sum(path.stat().st_size for path in (tmp_path / "card").iterdir())
    storage = _health(session).to_json()["storage"]
    assert storage["kind"] == [{"name": "image", "media": 5, "bytes": size}]
    assert storage["dataset"] == [
        {"name": "set", "media": 4, "bytes": size},
        {"name": "", "media": 1, "bytes": 0},
    ]
    assert [use["name"] for use in storage["source"]] == ["card", ""]


def _locate(session: Session, folder: Path) -> dict[str, int]:
    survey = find_media_in(session.reader, folder, roots=session.roots, progress=Progress())
    session.execute(RegisterMedia(survey=survey)).result()
    return survey.counts


def test_locate_when_missing_media_lie_in_a_folder_then_it_becomes_a_root(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere" / "card").mkdir(parents=True)
    (tmp_path / "card" / "a.png").rename(tmp_path / "elsewhere" / "card" / "renamed.png")
    _health(session)
    _draw(tmp_path / "elsewhere" / "named.png", shade=9)
    # The folder of the same name must not be taken for the root that is there already.
    assert _locate(session, tmp_path / "elsewhere" / "card") == {"found": 1, "missing": 1}
    assert list(session.roots.further) == ["card", "card-2"]
    found = {m.name: m for m in session.reader.records(Medium)}
    assert found["a.png"].path == "@card-2/renamed.png"
    assert session.roots.file_of(found["a.png"].path) == tmp_path / "elsewhere" / "card" / "renamed.png"
    assert _health(session).faults["missing"] == ()


def test_locate_when_nothing_is_there_then_no_root_is_added(session: Session, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert _locate(session, tmp_path / "empty") == {"missing": 1}
    assert list(session.roots.further) == ["card"]


def test_locate_when_the_folder_is_a_root_already_then_it_stays_one(session: Session, tmp_path: Path) -> None:
    (tmp_path / "card" / "a.png").rename(tmp_path / "card" / "z.png")
    assert _locate(session, tmp_path / "card") == {"found": 1, "missing": 1}
    assert list(session.roots.further) == ["card"]


def test_locate_when_there_is_no_such_folder_then_words_say_so(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"The folder .* does not exist"):
        _locate(session, tmp_path / "none")
