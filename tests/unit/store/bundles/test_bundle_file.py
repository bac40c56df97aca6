"""Bundles that are not sound are refused in words, and the project stays as it was."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.event import FIRST_HASH, event_hash
from annotator.domain.record import new_id
from annotator.domain.review import ReviewQuery
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.store.bundles import bundle_file
from annotator.store.bundles.bundle_file import EVENTS, MANIFEST, BundledEvent, BundleReader
from annotator.store.verification import verify_project
from tests.unit.store.bundles.workstations import Workstation, item, joined

BOMB_MB = 150


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Workstation, Workstation]:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    return ann, bob


def _parts(bundle: Path) -> tuple[dict[str, Any], list[list[Any]]]:
    with zipfile.ZipFile(bundle) as archive:
        events = [msgspec.json.decode(line) for line in archive.read(EVENTS).splitlines()]
        return msgspec.json.decode(archive.read(MANIFEST)), events


def _write(bundle: Path, manifest: dict[str, Any], events: list[list[Any]], **further: bytes) -> Path:
    """Write a bundle whose manifest fits its events, as an attacker would."""
    text = b"".join(msgspec.json.encode(event) + b"\n" for event in events)
    ends = {f"{event[1]}/{event[2]}": event[-1] for event in events}
    manifest = {"events": len(events), **manifest, "sha256": hashlib.sha256(text).hexdigest(), "ends": ends}
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(EVENTS, text)
        archive.writestr(MANIFEST, msgspec.json.encode(manifest))
        for name, content in further.items():
            archive.writestr(name, content)
    return bundle


def _sealed(event: list[Any]) -> list[Any]:
    """Return an event with the hash of its values."""
    event[-1] = event_hash(event[:13], prev_hash=bytes.fromhex(event[13])).hex()
    return event


def _other_project(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    _write(bundle, {**manifest, "project": new_id(), "title": "Another"}, events)


def _half(bundle: Path) -> None:
    content = bundle.read_bytes()
    bundle.write_bytes(content[: len(content) // 2])


def _changed_value(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    events[-1][9] = events[-1][9].replace("a1", "a2")
    _write(bundle, manifest, events)


def _flipped_bytes(bundle: Path) -> None:
    content = bytearray(bundle.read_bytes())
    content[200] ^= 0xFF
    bundle.write_bytes(content)


def _fewer_events(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    text = b"".join(msgspec.json.encode(event) + b"\n" for event in events[:-1])
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr(EVENTS, text)
        archive.writestr(MANIFEST, msgspec.json.encode(manifest))


def _future(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    _write(bundle, {**manifest, "version": 99, "unheard_of": []}, events)


def _no_bundle(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("readme.txt", "no bundle")


def _text(bundle: Path) -> None:
    bundle.write_text("no archive")


def _large_number(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    events[-1][4] = 1 << 62
    _write(bundle, manifest, [*events[:-1], _sealed(events[-1])])


def _unknown_field(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    made = events[-1]
    event = [new_id(), "eve", new_id(), 1, made[4] + 1, made[0], "item", made[7], "price", "1", 3, "", ""]
    _write(bundle, manifest, [*events, _sealed([*event, FIRST_HASH.hex(), ""])])


def _far_lamport(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    events[-1][4] += 1 << 40
    _write(bundle, manifest, [*events[:-1], _sealed(events[-1])])


def _second_creation(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    made = events[-1]
    event = [new_id(), "eve", new_id(), 1, made[4] + 1, "", *made[6:10], 3, "", ""]
    _write(bundle, manifest, [*events, _sealed([*event, FIRST_HASH.hex(), ""])])


def _second_project(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    made = next(event for event in events if event[6] == "project")
    event = [new_id(), "eve", new_id(), 1, events[-1][4] + 1, "", "project", new_id(), *made[8:10], 3, "", ""]
    _write(bundle, manifest, [*events, _sealed([*event, FIRST_HASH.hex(), ""])])


def _with_event(bundle: Path, *, entity: str, entity_id: str, field: str, value: str) -> None:
    manifest, events = _parts(bundle)
    last = events[-1]
    event = [new_id(), "eve", new_id(), 1, last[4] + 1, last[0], entity, entity_id, field, value, 3, "", ""]
    _write(bundle, manifest, [*events, _sealed([*event, FIRST_HASH.hex(), ""])])


def _project_id(bundle: Path) -> str:
    return str(_parts(bundle)[0]["project"])


def _no_project(bundle: Path) -> None:
    _with_event(bundle, entity="project", entity_id=_project_id(bundle), field="-", value="true")


def _other_media(bundle: Path) -> None:
    _with_event(bundle, entity="project", entity_id=_project_id(bundle), field="media_root", value='"/etc"')


def _invalid_record(bundle: Path) -> None:
    record = '{"id":"new","name":7,"task_set":"aircop"}'
    _with_event(bundle, entity="item", entity_id="new", field="*", value=record)


def _foreign_id(bundle: Path) -> None:
    _with_event(
        bundle, entity="item", entity_id="new", field="*", value='{"id":"old","name":"x","task_set":"a"}'
    )


def _repeated_id(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    last = events[-1]
    again = [last[0], *last[1:3], last[3] + 1, last[4] + 1, *last[5:13], last[-1], ""]
    _write(bundle, manifest, [*events, _sealed(again)])


def _encrypted(bundle: Path) -> None:
    content = bytearray(bundle.read_bytes())
    # The flags of the entries: bit 0 says that they are encrypted.
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        index = content.find(mark)
        while index >= 0:
            content[index + offset] |= 1
            index = content.find(mark, index + 4)
    bundle.write_bytes(content)


def _rewritten_history(bundle: Path) -> None:
    manifest, events = _parts(bundle)
    _write(bundle, manifest, [*events[:-1], _sealed([new_id(), *events[-1][1:]])])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_other_project, "is a bundle of another project: Another"),
        (_half, "is not a sound bundle"),
        (_changed_value, "was changed after it was written"),
        (_flipped_bytes, "is not a sound bundle"),
        (_fewer_events, "its events are not those of its manifest"),
        (_future, r"newer version of Vantage \(bundle 99\)"),
        (_no_bundle, "is not a bundle of Vantage"),
        (_text, "is not a sound bundle"),
        (_large_number, "is not a sound bundle"),
        (_unknown_field, "has no editable field 'price'"),
        (_far_lamport, "cannot be part of this project"),
        (_second_creation, "cannot be part of this project"),
        (_second_project, "has events of another project"),
        (_no_project, "cannot be part of this project"),
        (_other_media, "has events of another project"),
        (_invalid_record, "is not a sound bundle"),
        (_foreign_id, "cannot be part of this project"),
        (_repeated_id, "is another one in this project than in the bundle"),
        (_encrypted, "is not a sound bundle"),
    ],
)
def test_bundle_when_not_sound_then_is_refused_and_the_project_is_as_before(
    pair: tuple[Workstation, Workstation], spoil: Callable[[Path], None], message: str
) -> None:
    ann, bob = pair
    bundle = ann.bundle()
    spoil(bundle)
    before = bob.content()
    with pytest.raises(UserError, match=message):
        bob.merge(bundle)
    assert bob.content() == before
    assert list(verify_project(bob.path, progress=Progress())) == []


def test_bundle_when_it_unpacks_to_far_more_then_is_refused_before_it_is_read(
    pair: tuple[Workstation, Workstation],
) -> None:
    ann, bob = pair
    bundle = ann.bundle()
    manifest, _ = _parts(bundle)
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(EVENTS, "w") as target:
            for _ in range(BOMB_MB):
                target.write(bytes(1 << 20))
        archive.writestr(MANIFEST, msgspec.json.encode(manifest))
    with pytest.raises(UserError, match="many times larger than a log can be"):
        bob.merge(bundle)


def test_bundle_when_it_has_other_files_then_nothing_of_them_is_written(
    pair: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, bob = pair
    bundle = ann.bundle()
    _write(bundle, *_parts(bundle), **{"../../outside.txt": b"no", "/etc/outside.txt": b"no"})
    bob.merge(bundle)
    assert [path.name for path in tmp_path.rglob("outside.txt")] == []


def test_event_when_another_one_has_its_number_then_both_projects_are_named_for_verify(
    pair: tuple[Workstation, Workstation],
) -> None:
    ann, bob = pair
    bob.merge(ann.bundle())
    bundle = ann.bundle()
    _rewritten_history(bundle)
    before = bob.content()
    with pytest.raises(UserError, match="is another one in this project than in the bundle"):
        bob.merge(bundle)
    assert bob.content() == before


def test_events_of_a_newer_version_when_merged_then_are_kept_and_passed_on(
    pair: tuple[Workstation, Workstation],
) -> None:
    ann, bob = pair
    bundle = ann.bundle()
    manifest, events = _parts(bundle)
    lamport = events[-1][4] + 1
    made = [new_id(), "future", new_id(), 1, lamport, "", "hologram", "h1", "*", '{"depth":3}', 99, "", ""]
    _write(bundle, manifest, [*events, _sealed([*made, FIRST_HASH.hex(), ""])])
    (report,) = bob.merge(bundle)
    assert report.newer == 1
    ann.merge(bob.bundle())
    passed_on = {event[0] for event in _parts(ann.bundle())[1]}
    assert made[0] in passed_on
    assert list(verify_project(ann.path, progress=Progress())) == []


def test_fork_of_a_flag_of_a_newer_version_when_merged_then_the_review_queue_is_still_read(
    pair: tuple[Workstation, Workstation],
) -> None:
    ann, bob = pair
    bundle = ann.bundle()
    manifest, events = _parts(bundle)
    lamport = events[-1][4] + 1
    made, first, second = new_id(), new_id(), new_id()
    newer = [
        [made, "one", new_id(), 1, lamport, "", "flag", "f99", "*", '{"id":"f99"}', 99, "", ""],
        [first, "two", new_id(), 1, lamport + 1, made, "flag", "f99", "state", '"open"', 99, "", ""],
        [second, "three", new_id(), 1, lamport + 1, made, "flag", "f99", "state", '"resolved"', 99, "", ""],
    ]
    sealed = [_sealed([*event, FIRST_HASH.hex(), ""]) for event in newer]
    _write(bundle, manifest, [*events, *sealed])
    (report,) = bob.merge(bundle)
    assert report.newer == 3
    with bob.open() as session:
        assert [fork.entity_id for fork in session.reader.forks.all()] == ["f99"]
        assert list(session.reader.reviews.numbers(ReviewQuery())) == []


def test_bundle_when_the_folder_cannot_be_written_then_says_so_and_leaves_nothing(
    pair: tuple[Workstation, Workstation], tmp_path: Path
) -> None:
    ann, _ = pair
    with ann.open() as session, pytest.raises(EnvironmentFailure, match="could not be written"):
        session.export_bundle(tmp_path / "missing" / "x.bundle")


def test_event_when_bundled_then_has_the_order_of_the_sealed_values() -> None:
    from annotator.domain.event import SEALED

    # The column has a name that files of every version share.
    columns = {"session_id": "incarnation"}
    assert tuple(columns.get(name, name) for name in BundledEvent._fields[:-2]) == SEALED


@pytest.mark.parametrize("kept_bytes", [0, 1 << 20])
def test_events_when_read_in_pieces_then_are_those_that_were_written(
    pair: tuple[Workstation, Workstation], monkeypatch: pytest.MonkeyPatch, kept_bytes: int
) -> None:
    bundle = pair[0].bundle()
    _, written = _parts(bundle)
    monkeypatch.setattr(bundle_file, "CHUNK_BYTES", 7)
    monkeypatch.setattr(bundle_file, "KEPT_BYTES", kept_bytes)
    with BundleReader.open(bundle) as opened:
        assert [list(event) for event in opened.events()] == written
        assert [list(event) for event in opened.events()] == written
