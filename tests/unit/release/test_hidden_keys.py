"""Hidden answer keys: no byte of a release depends on them, and their folder proves to be the right one."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.releases import CreateRelease
from annotator.domain.event_label import EventLabel
from annotator.domain.image_recipe import ImageRecipe
from annotator.domain.item import Item, Provenance
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import FieldCorrection, Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.source import Source
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.release.exporters import EXPORTERS
from annotator.release.keys_folder import (
    HiddenKey,
    keys_folder_of,
    read_keys,
    read_keys_manifest,
    verify_keys,
)
from annotator.release.manifest import MANIFEST, read_manifest, verify_release
from annotator.release.released_splits import SPLIT_LIST
from annotator.release.splits import Split, SplitSettings
from annotator.scoring.released_items import ReleasedItems
from annotator.session import Session
from annotator.verification import verify_everything, verify_release_alone
from tests.item_fields import SetItemField
from tests.unit.release.samples import aircop_item, fill, options, release, spatialuav_item, urbanvideo_item

HIDING = [name for name, exporter in EXPORTERS.items() if exporter.can_hide_keys]
HALVES = (Split(name="dev", share=0.5), Split(name="test", share=0.5))
ALL_HIDDEN = SplitSettings(splits=HALVES, hidden=("dev", "test"))
TEST_HIDDEN = SplitSettings(splits=HALVES, hidden=("test",))
SCENES = 6


def number(n: int, kind: int) -> str:
    return f"{kind:02x}{n:030x}"


def places(n: int, *, secret: str) -> list[Record]:
    """Return the records around the items of a scene; all but images and names depend on a secret."""
    medium, scene = number(n, 1), number(n, 2)
    boxes = {"a": 10.0, "b": 20.0}[secret[0]]
    return [
        Medium(
            id=medium, name=f"{n}-UAV1.jpg", path=f"Real/{n}-UAV1.jpg", dataset="Real",
            exif={"ImageDescription": secret}, altitude_m=boxes, latitude_deg=boxes, longitude_deg=boxes,
            captured_at=secret,
        ),
        Scene(
            id=scene, name=f"{n}", dataset="Real", views=(SceneView(name="UAV1", medium=medium),),
            metadata={"destination": secret}, tags=(secret,),
        ),
        Region(
            id=number(n, 3), medium=medium, number=1, box=Box(x1=1, y1=1, x2=boxes, y2=20), category=secret,
        ),
        Link(id=number(n, 4), scene=scene, regions=(number(n, 3),), kind=secret),
        EventLabel(
            id=number(n, 5), scene=scene, view="UAV1", medium=medium, other_degradation=secret,
            original=msgspec.Raw(json.dumps({"answer": secret}).encode()),
        ),
        Trajectory(
            id=number(n, 6), scene=scene, name=f"t{n}", instruction_goal=secret,
            poses=(Pose(x_m=boxes, y_m=0, z_m=0, yaw_deg=0),),
        ),
    ]  # fmt: skip


def traces(secret: str) -> dict[str, Any]:
    """Return all fields of an item in which a secret can come along."""
    return {
        "extras": {"rationale": secret, "GT": secret},
        "original": msgspec.Raw(json.dumps({"answer": secret}).encode()),
        "corrections": (FieldCorrection(field="answer_key", original=secret, value=secret, reason=secret),),
        "provenance": Provenance(
            made_by="rule",
            is_keyed=True,
            maker=secret,
            labels=(secret,),
            subject=secret,
            predictions=(secret,),
            locator=secret,
        ),
        "import_key": secret,
        "issue_classes": ("options",) if secret[0] == "a" else (),
    }


def items(n: int, *, secret: str) -> list[Item]:
    """Return items of every task set of a scene; their answer keys depend on a secret."""
    is_first = secret[0] == "a"
    letter = "A" if is_first else "B"
    shown: dict[str, Any] = {"scene": number(n, 2), "media": (number(n, 1),), "state": "accepted"}
    choices = options("one", "two", "three", "four")
    return [
        aircop_item(
            id=number(n, 7), name=f"air{n}", question=f"How many in {n}?", options=choices, answer_key=letter,
            **shown, **traces(secret),
        ),
        spatialuav_item(
            id=number(n, 8), name=f"Region_Recognition_{n:05}", question=f"Which regions in {n}?",
            answer_key="Region 1" if is_first else "Region 2", **shown, **traces(secret),
        ),
        urbanvideo_item(
            id=number(n, 9), name=f"{1000 + n}", question=f"What next in {n}?", options=choices,
            answer_key=letter, **shown, **traces(secret),
        ),
        aircop_item(
            id=number(n, 10), name=f"map{n}", task_set="topviewrs", task="object_recognition",
            question=f"Which is in {n}?", options=choices, answer_key=letter, **shown, **traces(secret),
        ),
        # Refused by forms of choices, with a reason that quotes the answer key.
        aircop_item(
            id=number(n, 11), name=f"odd{n}", question=f"How odd is {n}?", options=choices,
            answer_key=secret, **shown, **traces(secret),
        ),
    ]  # fmt: skip


def made(path: Path, *, secret: str) -> Path:
    path.mkdir()
    source = Source(id=number(0, 12), name="q.json", format="aircop", sha256=secret, size_bytes=len(secret))
    with Session.create(path / "p.vantage") as session:
        records = [*(one for n in range(SCENES) for one in items(n, secret=secret))]
        fill(
            session,
            *records,
            positions=(source, *(one for n in range(SCENES) for one in places(n, secret=secret))),
        )
    return path


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two projects that are alike but for the answer keys and everything that can tell them."""
    path = tmp_path_factory.mktemp("pair")
    return made(path / "a", secret="aPLANTEDfirst"), made(path / "b", secret="bPLANTEDsecondone")


def released(project: Path, name: str, form: str, *, splits: SplitSettings) -> Path:
    out = project / name
    if not out.exists():
        with Session.open(project / "p.vantage") as session:
            release(session, out, form, splits=splits, include_flagged=True)
    return out


def public_files(folder: Path) -> dict[str, bytes]:
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    stated = json.loads(found.pop(MANIFEST))
    # What depends on the answer keys by intention, and cannot be compared with a guess of them.
    hmac = stated["splits"]["hidden"]["keys_hmac"]
    stated.pop("seal")
    # The number covers that digest, the canary string and the card follow from the number.
    found[MANIFEST] = json.dumps(stated).encode()
    intended = (hmac, stated["card"]["sha256"], stated["sha256"], stated["canary"].rpartition(" ")[2])
    for text in intended:
        found = {name: content.replace(text.encode(), b"-" * 8) for name, content in found.items()}
    return found


@pytest.mark.parametrize("form", HIDING)
def test_keys_when_hidden_then_no_byte_of_the_release_depends_on_them(
    pair: tuple[Path, Path], form: str
) -> None:
    folders = [released(project, f"{form}-all", form, splits=ALL_HIDDEN) for project in pair]
    first, second = (public_files(folder) for folder in folders)
    assert first == second
    assert not any(b"PLANTED" in content for content in first.values())
    assert b"Answer keys that are not in this release: " in first["README.md"]
    # The same answer keys are in their own folders, where they differ.
    keys = [keys_folder_of(folder) for folder in folders]
    assert [key.name for key in read_keys(keys[0])] == [key.name for key in read_keys(keys[1])]
    assert {key.answer_key for key in read_keys(keys[0])}.isdisjoint(
        key.answer_key for key in read_keys(keys[1])
    )
    assert [verify_release(folder) for folder in folders] == [[], []]
    assert [verify_keys(one, release=folder) for one, folder in zip(keys, folders, strict=True)] == [[], []]


def test_native_when_keys_are_hidden_then_annotations_are_beside_the_keys_and_the_rest_is_public(
    pair: tuple[Path, Path],
) -> None:
    out = released(pair[0], "native-test", "native", splits=TEST_HIDDEN)
    lines = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
    hidden = [json.loads(line) for line in (keys_folder_of(out) / "records.jsonl").read_text().splitlines()]
    entities = [line["entity"] for line in hidden]
    count = entities.count("region")
    assert 0 < count < SCENES
    assert [entities.count(name) for name in ("link", "event_label", "trajectory")] == [count] * 3
    assert sum(line["entity"] == "region" for line in lines) == SCENES - count
    keyless = {
        line["record"]["name"]
        for line in lines
        if line["entity"] == "item" and "answer_key" not in line["record"]
    }
    assert keyless == {line["record"]["name"] for line in hidden if line["entity"] == "item"}
    assert all(line["record"]["answer_key"] for line in hidden if line["entity"] == "item")


@pytest.mark.parametrize("form", HIDING)
def test_score_when_the_keys_are_beside_the_release_then_they_are_those_of_the_project(
    pair: tuple[Path, Path], form: str, tmp_path: Path
) -> None:
    out = released(pair[0], f"{form}-test", form, splits=TEST_HIDDEN)
    hidden = {
        entry["name"]
        for entry in map(json.loads, (out / SPLIT_LIST).read_text().splitlines())
        if entry["split"] == "test"
    }
    expected = {item.name: item for n in range(SCENES) for item in items(n, secret="aPLANTEDfirst")}
    found = ReleasedItems.read(out, progress=Progress())
    assert hidden
    assert found.hidden == 0
    by_name = {one.item.name: one.item for one in found.items}
    assert {name: by_name[name].answer_key for name in hidden} == {
        name: expected[name].answer_key for name in hidden
    }
    assert {by_name[name].answer_format for name in hidden} == {
        expected[name].answer_format for name in hidden
    }
    alone = shutil.copytree(out, tmp_path / "alone")
    found = ReleasedItems.read(alone, progress=Progress())
    assert found.hidden == len(hidden)
    assert {one.item.name for one in found.items if not one.item.answer_key} == hidden
    found = ReleasedItems.read(alone, keys=keys_folder_of(out), progress=Progress())
    assert found.hidden == 0


@pytest.mark.parametrize(("task", "part"), [("vln", ""), ("vla", "/vla_ins_1.json")])
def test_native_when_a_flight_or_its_part_is_the_key_of_an_item_without_a_scene_then_it_is_beside_the_keys(
    tmp_path: Path, task: str, part: str
) -> None:
    name = "/hm3d_1/Room/traj_-3"
    scene = Scene(id=number(1, 2), name=name, dataset="IndoorUAV")
    flights = [
        Trajectory(id=number(n, 6), scene=scene.id, name=text, poses=(Pose(x_m=0, y_m=0, z_m=0, yaw_deg=0),))
        for n, text in enumerate((name, "/hm3d_1/Room/traj_-4"))
    ]
    item = Item(
        id=number(1, 7), name=f"{name}/instruction.json", task_set="indooruav", task=task,
        answer_format="trajectory", question="Fly along the wall.", answer_key=name + part,
    )  # fmt: skip
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, scene, *flights, item, positions=())
        release(session, tmp_path / "out", "native", splits=ALL_HIDDEN, include_flagged=True)
    lines = [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()]
    shown = [line["record"]["name"] for line in lines if line["entity"] == "trajectory"]
    assert shown == ["/hm3d_1/Room/traj_-4"]
    assert f'"name":"{name}"' in (tmp_path / "out-keys" / "records.jsonl").read_text()


def test_score_when_the_keys_are_of_another_release_then_they_are_refused(pair: tuple[Path, Path]) -> None:
    out = released(pair[0], "native-test", "native", splits=TEST_HIDDEN)
    other = released(pair[1], "native-test", "native", splits=TEST_HIDDEN)
    with pytest.raises(UserError, match="belong to another release"):
        ReleasedItems.read(out, keys=keys_folder_of(other), progress=Progress())
    plain = pair[0] / "plain"
    with Session.open(pair[0] / "p.vantage") as session:
        release(session, plain, "native", include_flagged=True)
    with pytest.raises(UserError, match="hides no answer keys"):
        ReleasedItems.read(plain, keys=keys_folder_of(out), progress=Progress())


def changed_key(folder: Path) -> None:
    path = folder / "keys.jsonl"
    path.write_text(path.read_text().replace('"answer_key":"A"', '"answer_key":"C"'))


def changed_key_with_manifest(folder: Path) -> None:
    """Forge a key with everything that the folder itself says of it."""
    changed_key(folder)
    manifest, content = read_keys_manifest(folder), (folder / "keys.jsonl").read_bytes()
    files = tuple(
        msgspec.structs.replace(file, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
        if file.name == "keys.jsonl"
        else file
        for file in manifest.files
    )
    (folder / MANIFEST).write_bytes(msgspec.structs.replace(manifest, files=files).to_bytes())


def added_file(folder: Path) -> None:
    (folder / "more.txt").write_text("x")


def broken_manifest(folder: Path) -> None:
    (folder / MANIFEST).write_text("{}")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (changed_key, "keys.jsonl has changed since the release"),
        (changed_key_with_manifest, "The answer keys belong to another release."),
        (added_file, "more.txt is not part of the release."),
        (broken_manifest, "The manifest of the answer keys cannot be read"),
    ],
)
def test_verify_when_the_keys_were_changed_then_says_so(
    pair: tuple[Path, Path], tmp_path: Path, damage: Callable[[Path], None], told: str
) -> None:
    out = released(pair[0], "native-test", "native", splits=TEST_HIDDEN)
    keys = Path(shutil.copytree(keys_folder_of(out), tmp_path / "keys"))
    damage(keys)
    report = verify_release_alone(out, keys=keys, progress=Progress())
    assert told in " ".join(problem.message for problem in report.problems)


def test_verify_when_release_and_keys_are_sound_then_both_are_what_the_project_has_recorded(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    out = released(pair[0], "native-test", "native", splits=TEST_HIDDEN)
    with Session.open(pair[0] / "p.vantage") as session:
        report = verify_everything(session, release=out, progress=Progress())
    assert [problem for problem in report.problems if problem.kind.startswith("release_")] == []
    assert any("hidden answer keys belong to the release" in note for note in report.notes)
    alone = shutil.copytree(out, tmp_path / "alone")
    notes = verify_release_alone(alone, progress=Progress()).notes
    assert any(note.startswith("Not verified: the ") and "hidden answer keys" in note for note in notes)
    # The folder of the answer keys is verified by itself, too.
    found = verify_release_alone(keys_folder_of(out), progress=Progress())
    assert (found.problems, len(found.notes)) == ((), 1)
    with Session.open(pair[1] / "p.vantage") as session:
        other = verify_everything(session, release=out, progress=Progress())
    assert "release_unknown" in [problem.kind for problem in other.problems]


def test_release_when_only_a_hidden_key_differs_then_has_another_number_and_its_own_entry(
    tmp_path: Path,
) -> None:
    project = made(tmp_path / "one", secret="aPLANTEDfirst")
    first = released(project, "before", "huggingface", splits=TEST_HIDDEN)
    keys = {key.name: key for key in read_keys(keys_folder_of(first))}
    with Session.open(project / "p.vantage") as session:
        changed = next(
            one for one in session.reader.records(Item) if one.name in keys and len(one.options) > 1
        )
        other = next(option.letter for option in changed.options if option.letter != changed.answer_key)
        session.execute(SetItemField(item=changed.id, field="answer_key", value=other)).result()
    second = released(project, "after", "huggingface", splits=TEST_HIDDEN)

    one, two = read_manifest(first), read_manifest(second)
    assert one.files == two.files
    assert one.sha256 != two.sha256
    assert one.canary != two.canary
    with Session.open(project / "p.vantage") as session:
        for folder in (first, second):
            found = verify_everything(session, release=folder, progress=Progress())
            assert [problem for problem in found.problems if problem.kind.startswith("release_")] == []


def test_release_when_repeated_then_bytes_are_equal_and_foreign_keys_are_kept(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    first = released(pair[0], "native-test", "native", splits=TEST_HIDDEN)
    with Session.open(pair[0] / "p.vantage") as session:
        report = release(session, first, "native", splits=TEST_HIDDEN, include_flagged=True)
        assert report.is_unchanged
        # Lost answer keys are written again beside a release that is there.
        kept = {path.name: path.read_bytes() for path in keys_folder_of(first).iterdir()}
        shutil.move(keys_folder_of(first), tmp_path / "moved")
        release(session, first, "native", splits=TEST_HIDDEN, include_flagged=True)
        assert {path.name: path.read_bytes() for path in keys_folder_of(first).iterdir()} == kept
        other = tmp_path / "out"
        keys_folder_of(other).mkdir()
        (keys_folder_of(other) / "mine.txt").write_text("x")
        with pytest.raises(UserError, match="is not empty"):
            release(session, other, "native", splits=TEST_HIDDEN, include_flagged=True)
    assert not other.exists()
    assert [path.name for path in keys_folder_of(other).iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("form", ["sharegpt", "indooruav"])
def test_release_when_the_form_cannot_hide_keys_then_is_refused(
    pair: tuple[Path, Path], form: str, tmp_path: Path
) -> None:
    with Session.open(pair[0] / "p.vantage") as session:
        command = CreateRelease(out=tmp_path / "out", export_format=form, splits=TEST_HIDDEN)
        with pytest.raises(UserError, match="cannot hide answer keys"):
            session.execute(command).result()
    assert list(tmp_path.iterdir()) == []


def test_release_when_a_hidden_item_shows_a_degraded_image_then_is_refused(tmp_path: Path) -> None:
    recipe = ImageRecipe(steps=(), seed=1)
    noisy = Medium(id="e" * 32, name="1-noise.png", path="1-noise.png", recipe=recipe, derived_from="f" * 32)
    clean = Medium(id="f" * 32, name="1.png", path="1.png")
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item(media=(noisy.id,)), positions=(clean, noisy))
        splits = SplitSettings(
            splits=(Split(name="a", share=0.5), Split(name="b", share=0.5)), hidden=("a", "b")
        )
        with pytest.raises(UserError, match=r"1 degraded images, whose names say .*1-noise\.png"):
            release(session, tmp_path / "out", "native", splits=splits, include_flagged=True)
    assert not (tmp_path / "out").exists()


def test_release_when_two_hidden_items_have_one_name_then_is_refused(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        twins = [aircop_item(name="q", question=f"How many are in picture {n}?") for n in range(2)]
        fill(session, *twins)
        command = CreateRelease(
            out=tmp_path / "out", export_format="native", splits=ALL_HIDDEN, include_flagged=True
        )
        with pytest.raises(UserError, match="several items of the task aircop/object_counting are named"):
            session.execute(command).result()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("out", ".out"))] == []


def test_splits_when_the_hidden_one_is_unknown_then_is_refused(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    settings = SplitSettings(splits=HALVES, hidden=("tset",))
    with Session.open(pair[0] / "p.vantage") as session:
        command = CreateRelease(out=tmp_path / "out", export_format="native", splits=settings)
        with pytest.raises(UserError, match="the split tset cannot be hidden"):
            session.execute(command).result()


def test_key_lines_when_written_then_have_name_task_and_format(pair: tuple[Path, Path]) -> None:
    out = released(pair[0], "aircop-all", "aircop", splits=ALL_HIDDEN)
    key = read_keys(keys_folder_of(out))[0]
    assert key == HiddenKey(
        name="air0", task="aircop/object_counting", answer_format="option_letter", answer_key="A"
    )
