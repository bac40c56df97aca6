from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.media import RegisterMedia, SetLicence
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.source import Source
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.media_survey import MediaSurvey, survey_media
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import created, write


@dataclass(frozen=True, kw_only=True)
class AddMedia(Command):
    names: tuple[str, ...]
    summary = CommandSummary.of_text("Add media")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for name in self.names:
            medium = Medium(id=new_id(), name=name)
            yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(AddMedia(names=("a.png", "b.png"))).result()
        session.media_root.mkdir()
        cv2.imwrite(str(session.media_root / "a.png"), np.zeros((20, 30, 3), np.uint8))
        yield session


def _media(session: Session) -> dict[str, Medium]:
    return {medium.name: medium for medium in session.reader.records(Medium)}


def _survey(session: Session) -> MediaSurvey:
    return survey_media(session.reader, root=session.media_root, progress=Progress())


def test_register_media_when_a_file_is_there_then_the_record_tells_what_it_is(session: Session) -> None:
    session.execute(RegisterMedia(survey=_survey(session))).result()
    found, absent = _media(session)["a.png"], _media(session)["b.png"]
    assert (found.path, found.width_px, found.height_px, len(found.sha256)) == ("a.png", 30, 20, 64)
    assert found.size_bytes == (session.media_root / "a.png").stat().st_size
    assert (absent.path, absent.sha256) == ("", "")


def test_register_media_when_undone_and_redone_then_the_records_follow(session: Session) -> None:
    before = _media(session)
    session.execute(RegisterMedia(survey=_survey(session))).result()
    after = _media(session)
    session.undo().result()
    assert _media(session) == before
    session.redo().result()
    assert _media(session) == after != before


def test_register_media_when_all_is_known_then_nothing_is_written(session: Session) -> None:
    session.execute(RegisterMedia(survey=_survey(session))).result()
    assert session.execute(RegisterMedia(survey=_survey(session))).result().command == ""


def test_register_media_when_a_file_moved_then_its_new_place_is_entered(session: Session) -> None:
    session.execute(RegisterMedia(survey=_survey(session))).result()
    (session.media_root / "new").mkdir()
    (session.media_root / "a.png").rename(session.media_root / "new" / "other.png")
    session.execute(RegisterMedia(survey=_survey(session))).result()
    assert _media(session)["a.png"].path == "new/other.png"


def test_register_media_when_a_file_changed_then_the_digest_stays(session: Session) -> None:
    session.execute(RegisterMedia(survey=_survey(session))).result()
    known = _media(session)["a.png"].sha256
    cv2.imwrite(str(session.media_root / "a.png"), np.ones((20, 30, 3), np.uint8))
    survey = _survey(session)
    session.execute(RegisterMedia(survey=survey)).result()
    assert survey.counts == {"changed": 1, "missing": 1}
    assert _media(session)["a.png"].sha256 == known


def _register(session: Session, *, is_decoded: bool = False) -> None:
    survey = survey_media(session.reader, root=session.roots, is_decoded=is_decoded, progress=Progress())
    session.execute(RegisterMedia(survey=survey)).result()


def _flags(session: Session) -> list[tuple[str, str]]:
    flags = list(session.reader.records(Flag))
    return [(flag.kind, flag.state) for flag in flags]


def test_register_media_when_a_file_was_never_seen_then_no_flag_is_raised(session: Session) -> None:
    _register(session)
    assert _flags(session) == []


def test_register_media_when_a_file_is_gone_then_a_flag_stays_until_it_is_back(session: Session) -> None:
    _register(session)
    (session.media_root / "a.png").rename(session.media_root.parent / "away.png")
    _register(session)
    _register(session)
    assert _flags(session) == [("medium_missing", "open")]
    (session.media_root.parent / "away.png").rename(session.media_root / "back.png")
    _register(session)
    assert _flags(session) == [("medium_missing", "resolved")]
    assert _media(session)["a.png"].path == "back.png"


def test_register_media_when_a_file_changed_then_a_flag_of_its_own_replaces_the_other(
    session: Session,
) -> None:
    _register(session)
    (session.media_root / "a.png").unlink()
    _register(session)
    cv2.imwrite(str(session.media_root / "a.png"), np.ones((20, 30, 3), np.uint8))
    _register(session)
    assert _flags(session) == [("medium_missing", "resolved"), ("medium_changed", "open")]


def test_register_media_when_a_picture_is_cut_off_then_only_decoding_tells(session: Session) -> None:
    whole = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))[
        1
    ].tobytes()
    (session.media_root / "b.png").write_bytes(whole[: len(whole) // 2])
    _register(session)
    assert _flags(session) == []
    _register(session, is_decoded=True)
    assert _flags(session) == [("medium_damaged", "open")]
    flag = next(session.reader.records(Flag))
    assert (flag.target, flag.raised_by) == (_media(session)["b.png"].id, "check")
    assert "b.png cannot be read as an image" in flag.message


def test_register_media_when_a_named_picture_is_a_numpy_file_then_facts_are_its_own(session: Session) -> None:
    np.save(session.media_root / "x.npy", np.zeros((4, 6)))
    (session.media_root / "x.npy").rename(session.media_root / "b.png")
    _register(session)
    found = _media(session)["b.png"]
    assert (found.encoding, found.width_px, found.media_type) == ("NPY", 6, "image")


def test_register_media_when_a_person_entered_more_than_the_file_tells_then_it_stays(
    session: Session,
) -> None:
    medium = Medium(id=new_id(), name="c.png", captured_at="2020-01-01", latitude_deg=1.0, longitude_deg=2.0)
    write(session, created("medium", medium))
    cv2.imwrite(str(session.media_root / "c.png"), np.zeros((2, 2, 3), np.uint8))
    _register(session)
    found = _media(session)["c.png"]
    assert (found.captured_at, found.latitude_deg, found.width_px) == ("2020-01-01", 1.0, 2)


def test_licence_when_set_for_a_source_then_all_of_its_media_have_it(session: Session) -> None:
    source = Source(id=new_id(), name="card", format="media-folder", sha256="")
    media = [Medium(id=new_id(), name=f"{n}.png", source=source.id if n else "") for n in range(3)]
    write(session, created("source", source), *(created("medium", medium) for medium in media))
    before = _media(session)
    session.execute(SetLicence(licence="MIT", sources=(source.id,), media=(media[1].id,))).result()
    found = session.reader.get(Source, source.id)
    assert found is not None
    assert found.licence == "MIT"
    assert [_media(session)[f"{n}.png"].licence for n in range(3)] == ["", "MIT", "MIT"]
    assert session.execute(SetLicence(licence="MIT", sources=(source.id,))).result().command == ""
    session.undo().result()
    assert _media(session) == before
    session.redo().result()
    assert _media(session)["1.png"].licence == "MIT"


def test_licence_when_a_record_is_not_there_then_words_say_so(session: Session) -> None:
    with pytest.raises(UserError, match="There is no medium"):
        session.execute(SetLicence(licence="MIT", media=("0" * 32,))).result()
