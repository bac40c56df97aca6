from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from annotator.domain.record import new_id, to_json
from annotator.domain.region import Box, Region
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import packing
from annotator.store.backups import make_backup
from annotator.store.packing import PACKED_FROM, pack, unpack, unpack_or_nothing
from tests.unit.store.making import a_medium, changed, created, events, problems, reading, write

LONG = json.dumps({"bbox": [1.5, 2.5], "note": "長い " * 200}, ensure_ascii=False)
# Written by the first version that packs: what lies in people's projects must stay readable.
STORED = bytes.fromhex("01430d2e0cbf009d044e2349c9a39c81e300e3d5b01600")


def a_region(**values: object) -> Region:
    original = msgspec.Raw(msgspec.json.encode({"id": 1, "polygon": list(range(300))}))
    fields = {"id": new_id(), "medium": new_id(), "number": 1, "box": Box(x1=0, y1=0, x2=2, y2=2)}
    return Region(**{**fields, "original": original, **values})  # type: ignore[arg-type]


def kept(session: Session, region: Region) -> tuple[str, str, bool]:
    """Return the record and the value as the tables hold them, and whether the value is packed."""
    with reading(session.path) as connection:
        record = connection.execute("SELECT record FROM region WHERE id=?", (region.id,)).fetchone()[0]
        select = "SELECT value, packed IS NOT NULL FROM event WHERE entity_id=? AND field='*'"
        value, is_packed = connection.execute(select, (region.id,)).fetchone()
    return record, value, bool(is_packed)


@pytest.mark.parametrize("text", [LONG, "x" * PACKED_FROM, to_json(a_region())])
def test_pack_when_a_text_is_long_then_is_shorter_and_comes_back(text: str) -> None:
    packed = pack(text)
    assert packed is not None
    assert len(packed) < len(text.encode()) / 2
    assert unpack(packed) == text


def test_pack_when_a_text_is_short_then_is_left_as_it_is() -> None:
    assert pack("x" * (PACKED_FROM - 1)) is None


def test_unpack_when_an_earlier_version_packed_it_then_reads_it() -> None:
    text = '{"id":"0192","category":"car",' + '"note":"abc",' * 30 + '"x":1}'
    assert unpack(STORED) == text
    assert pack(text) == STORED


def test_unpack_when_a_value_is_larger_than_any_that_is_packed_then_refuses_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed, bomb = pack("x" * 1_000), pack("x" * 1_001)
    assert allowed is not None
    assert bomb is not None
    monkeypatch.setattr(packing, "MOST_BYTES", 1_000)
    assert unpack(allowed) == "x" * 1_000
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        unpack(bomb)
    assert unpack_or_nothing(bomb) == ""
    assert pack("x" * 1_001) is None


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"\x02" + data[1:], "not known here"),
        (lambda data: data[:-4], "cut off"),
        (lambda data: data[:9] + b"\xff\xff\xff" + data[12:], "damaged|cut off"),
    ],
)
def test_unpack_when_it_is_damaged_then_says_so(damage: object, message: str) -> None:
    packed = pack(LONG)
    assert packed is not None
    with pytest.raises(ValueError, match=message):
        unpack(damage(packed))  # type: ignore[operator]
    assert unpack_or_nothing(damage(packed)) == ""  # type: ignore[operator]


def test_region_when_its_original_is_long_then_it_is_kept_once_and_read_whole(session: Session) -> None:
    region = a_region()
    write(session, created("medium", a_medium(id=region.medium)), created("region", region))
    assert kept(session, region) == ("", "", True)
    assert session.reader.get(Region, region.id) == region
    assert list(session.reader.find(Region, medium=region.medium)) == [region]
    assert list(session.reader.stream_json(Region)) == [to_json(region).encode()]
    assert session.reader.history.of(region.id)[-1].value == to_json(region)
    assert events(session.path, "value", f"entity_id='{region.id}'") == [(to_json(region),)]
    assert problems(session.path) == []


def test_region_when_it_is_edited_undone_and_redone_then_is_the_same_as_ever(session: Session) -> None:
    region = a_region()
    write(session, created("medium", a_medium(id=region.medium)), created("region", region))
    moved = msgspec.structs.replace(region, box=Box(x1=1, y1=1, x2=2, y2=2))
    write(session, *changed("region", region.id, box=moved.box))
    assert session.reader.get(Region, region.id) == moved
    session.undo().result()
    assert session.reader.get(Region, region.id) == region
    session.undo().result()
    assert session.reader.get(Region, region.id) is None
    session.redo().result()
    assert session.reader.get(Region, region.id) == region
    session.redo().result()
    assert session.reader.get(Region, region.id) == moved
    assert problems(session.path) == []


def test_region_when_it_is_short_then_is_kept_as_it_is(session: Session) -> None:
    region = a_region(original=msgspec.Raw(b"null"))
    write(session, created("region", region))
    assert kept(session, region) == (to_json(region), to_json(region), False)


def test_verify_when_a_packed_value_was_damaged_then_names_its_event(session: Session, path: Path) -> None:
    region = a_region()
    write(session, created("region", region))
    with reading(path) as connection:
        (event,) = connection.execute("SELECT id FROM event WHERE packed IS NOT NULL").fetchone()
    session._connection.execute("DROP TRIGGER event_is_never_updated")
    session._connection.execute("UPDATE event SET packed=substr(packed, 1, 20) WHERE packed IS NOT NULL")
    found = problems(path)
    assert ("hash", event) in {(problem.kind, problem.where) for problem in found}
    assert "projection" in {problem.kind for problem in found}


def test_backup_when_records_are_packed_then_reads_the_same(session: Session) -> None:
    region = a_region()
    write(session, created("region", region))
    copy = make_backup(session.path, reason="test", progress=Progress()).path
    with Session.open(copy) as other:
        assert other.reader.get(Region, region.id) == region
    assert problems(copy) == []
