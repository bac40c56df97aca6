from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.commands.command import Command
from annotator.commands.media import MediaSurvey, RegisterMedia, survey_media
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class AddMedia(Command):
    names: tuple[str, ...]
    label = "Add media"

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for name in self.names:
            medium = Medium(id=new_id(), name=name)
            yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        session.do(AddMedia(names=("a.png", "b.png"))).result()
        session.media_root.mkdir()
        cv2.imwrite(str(session.media_root / "a.png"), np.zeros((20, 30, 3), np.uint8))
        yield session


def _media(session: Session) -> dict[str, Medium]:
    return {medium.name: medium for medium in session.reader.records("medium")}


def _survey(session: Session) -> MediaSurvey:
    return survey_media(session.reader, root=session.media_root, progress=Progress())


def test_register_media_when_a_file_is_there_then_the_record_tells_what_it_is(session: Session) -> None:
    session.do(RegisterMedia(survey=_survey(session))).result()
    found, absent = _media(session)["a.png"], _media(session)["b.png"]
    assert (found.path, found.width_px, found.height_px, len(found.sha256)) == ("a.png", 30, 20, 64)
    assert found.size_bytes == (session.media_root / "a.png").stat().st_size
    assert (absent.path, absent.sha256) == ("", "")


def test_register_media_when_undone_and_redone_then_the_records_follow(session: Session) -> None:
    before = _media(session)
    session.do(RegisterMedia(survey=_survey(session))).result()
    after = _media(session)
    session.undo().result()
    assert _media(session) == before
    session.redo().result()
    assert _media(session) == after != before


def test_register_media_when_all_is_known_then_nothing_is_written(session: Session) -> None:
    session.do(RegisterMedia(survey=_survey(session))).result()
    assert session.do(RegisterMedia(survey=_survey(session))).result().command == ""


def test_register_media_when_a_file_moved_then_its_new_place_is_entered(session: Session) -> None:
    session.do(RegisterMedia(survey=_survey(session))).result()
    (session.media_root / "new").mkdir()
    (session.media_root / "a.png").rename(session.media_root / "new" / "other.png")
    session.do(RegisterMedia(survey=_survey(session))).result()
    assert _media(session)["a.png"].path == "new/other.png"


def test_register_media_when_a_file_changed_then_the_digest_stays(session: Session) -> None:
    session.do(RegisterMedia(survey=_survey(session))).result()
    known = _media(session)["a.png"].sha256
    cv2.imwrite(str(session.media_root / "a.png"), np.ones((20, 30, 3), np.uint8))
    survey = _survey(session)
    session.do(RegisterMedia(survey=survey)).result()
    assert survey.counts == {"changed": 1, "missing": 1}
    assert _media(session)["a.png"].sha256 == known
