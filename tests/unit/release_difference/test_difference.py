"""The difference between two releases, read from their folders alone."""

from __future__ import annotations

import csv
import json
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.commands.item_states import ChangeState
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.process_call import call_in_process
from annotator.progress import Progress
from annotator.release.images import ImageSettings
from annotator.release.splits import Split, SplitSettings
from annotator.release.subset import SubsetSettings
from annotator.release_difference.difference import (
    FieldChange,
    ReleaseDifference,
    SingleItem,
    compare_folders,
)
from annotator.release_difference.difference_table import HEAD, write_table
from annotator.release_difference.removal_reasons import with_reasons
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.release.samples import AddRecords, aircop_item, fill, release

SEEDS = {"old": 0, "new": 1}
HALVES = (Split(name="dev", share=0.5), Split(name="test", share=0.5))


def item(n: int, **fields: object) -> Item:
    return aircop_item(
        id=f"{n:032x}", name=f"q{n}", question=f"How many cars are in picture {n}?", scene=f"5{n:031x}",
        media=(f"4{n:031x}",), state="accepted", extras={"rationale": f"There are {n}."}, **fields,
    )  # fmt: skip


def places(n: int) -> tuple[Medium, Scene]:
    medium = Medium(id=f"4{n:031x}", name=f"{n}-UAV1.png", path=f"Real/{n}-UAV1.png", dataset="Real")
    view = SceneView(name="UAV1", medium=medium.id)
    return medium, Scene(id=f"5{n:031x}", name=f"{n}", dataset="Real", views=(view,))


def write_image(session: Session, n: int, *, grey: int) -> None:
    path = session.media_root / f"Real/{n}-UAV1.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((24, 32, 3), grey, dtype=np.uint8)).save(path)


def release_all(session: Session, path: Path, name: str) -> None:
    pictures = ImageSettings(rendering="clean", roots=session.roots)
    splits = SplitSettings(splits=HALVES, seed=SEEDS[name])
    common = {"include_flagged": True, "selection": ItemQuery(states=("accepted", "refined", "rejected"))}
    release(
        session, path / f"{name}-native", "native", pictures=pictures, splits=splits,
        subset=SubsetSettings(share=0.5, seed=SEEDS[name]), **common,
    )  # fmt: skip
    for form in ("aircop", "huggingface"):
        release(session, path / f"{name}-{form}", form, **common)
    hidden = SplitSettings(splits=HALVES, hidden=("test",))
    release(session, path / f"{name}-hidden", "native", splits=hidden, **common)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Release a project in several formats, edit it, and release it again."""
    path = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch, Session.create(path / "p.vantage") as session:
        patch.setenv("VANTAGE_CACHE", str(path / "cache"))
        fill(session, *map(item, range(6)), positions=tuple(one for n in range(7) for one in places(n)))
        for n in range(7):
            write_image(session, n, grey=10 * n)
        release_all(session, path, "old")
        session.execute(SetItemField(item=item(0).id, field="answer_key", value="A")).result()
        session.execute(
            SetItemField(item=item(1).id, field="question", value="How many vans are in picture 1?")
        ).result()
        session.execute(
            SetItemField(item=item(0).id, field="question", value="How many vans are in picture 0?")
        ).result()
        session.execute(ChangeState(items=(item(2).id,), state="rejected", reason="Blurred.")).result()
        session.execute(ChangeState(items=(item(4).id,), state="in_refinement", reason="Wait.")).result()
        write_image(session, 3, grey=200)
        session.execute(AddRecords((item(6),))).result()
        release_all(session, path, "new")
    return path


def splits_of(folder: Path) -> dict[str, str]:
    lines = (folder / "splits.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["name"]: entry["split"] for entry in map(json.loads, lines)}


def compared(made: Path, form: str, other: str = "") -> ReleaseDifference:
    return compare_folders(made / f"old-{form}", made / f"new-{other or form}", progress=Progress())


def changes(difference: ReleaseDifference) -> dict[str, list[str]]:
    return {one.name: [change.field for change in one.changes] for one in difference.changed}


def test_difference_when_items_were_edited_then_says_what_came_went_and_changed(made: Path) -> None:
    found = compared(made, "native")
    assert [one.name for one in found.added] == ["q6"]
    assert found.removed == (
        SingleItem(name="q2", task="aircop/object_counting", why="The item is rejected."),
        SingleItem(name="q4", task="aircop/object_counting"),
    )
    # The changed answer key comes first, whatever else changed.
    assert found.changed[0].name == "q0"
    first = {change.field: change for change in found.changed[0].changes}
    assert first["answer_key"] == FieldChange(field="answer_key", old="B", new="A")
    assert first["question"].old == "How many cars are in picture 0?"
    assert first["question"].new == "How many vans are in picture 0?"
    fields = changes(found)
    assert "images" in fields["q3"]
    assert sum("images" in names for names in fields.values()) == 1
    assert "question" in fields["q1"]
    assert {change.field: (change.old, change.new) for change in found.settings} == {"seed": ("0", "1")}
    assert not found.is_equal
    assert found.fields["answer_key"] == 1
    assert found.unchanged == 4 - len(found.changed)
    moved = {one.name for one in found.changed for change in one.changes if change.field == "split"}
    old, new = (splits_of(made / f"{name}-native") for name in SEEDS)
    assert moved == {name for name in old.keys() & new.keys() if old[name] != new[name]}
    assert moved
    subsets = {one.name for one in found.changed for change in one.changes if change.field == "subset"}
    assert subsets


@pytest.mark.parametrize(
    "forms",
    [("aircop", "aircop"), ("huggingface", "huggingface"), ("native", "aircop"), ("huggingface", "native")],
)
def test_difference_when_the_forms_are_others_then_the_items_are_compared_alike(
    made: Path, forms: tuple[str, str]
) -> None:
    found = compared(made, *forms)
    assert ([one.name for one in found.added], [one.name for one in found.removed]) == (["q6"], ["q2", "q4"])
    assert changes(found) == {"q0": ["answer_key", "question"], "q1": ["question"]}


def test_difference_when_a_release_is_compared_with_its_copy_then_they_are_equal(
    made: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(made / "old-native", tmp_path / "copy")
    found = compare_folders(made / "old-native", copy, progress=Progress())
    assert (found.is_equal, found.has_equal_files, found.unchanged) == (True, True, 6)
    found = compare_folders(made / "old-native", made / "old-aircop", progress=Progress())
    assert (found.is_equal, found.has_equal_files) == (True, False)
    assert [one.field for one in found.settings] == ["export_format", "pictures", "shares", "seed"]


def test_difference_when_keys_are_hidden_then_they_are_compared_if_they_are_at_hand(
    made: Path, tmp_path: Path
) -> None:
    found = compared(made, "hidden")
    assert found.not_compared == 0
    assert found.fields["answer_key"] == 1
    alone = [shutil.copytree(made / f"{name}-hidden", tmp_path / name) for name in SEEDS]
    found = compare_folders(*map(Path, alone), progress=Progress())
    assert found.not_compared > 0
    assert "provenance" not in found.fields


def test_difference_when_only_one_release_hides_keys_then_what_it_leaves_out_is_no_change(made: Path) -> None:
    found = compare_folders(made / "old-native", made / "old-hidden", progress=Progress())
    assert (found.is_equal, found.not_compared) == (True, 0)
    assert [one.field for one in found.settings] == ["pictures", "hidden"]


def test_difference_when_the_project_is_known_then_removed_items_say_why(made: Path) -> None:
    with Session.open(made / "p.vantage") as session:
        found = with_reasons(compared(made, "native"), session.reader)
    assert [one.why for one in found.removed] == [
        "The item is rejected.", "The item is in refinement; the new release did not select it.",
    ]  # fmt: skip


def test_difference_when_written_as_csv_then_has_a_row_for_each_change(made: Path, tmp_path: Path) -> None:
    found = compared(made, "aircop")
    assert write_table(found, tmp_path / "d.csv") == 6
    with (tmp_path / "d.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == HEAD
    assert rows[1] == ["changed", "aircop/object_counting", "q0", "answer_key", "B", "A", ""]
    assert [row[0] for row in rows[1:]] == ["changed"] * 3 + ["removed"] * 2 + ["added"]


def test_difference_when_a_release_was_changed_or_is_none_then_is_refused(made: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(made / "old-aircop", tmp_path / "copy"))
    (copy / "withheld.jsonl").unlink(missing_ok=True)
    path = next(copy.glob("*.jsonl"))
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(UserError, match="The release has changed"):
        compare_folders(made / "old-aircop", copy, progress=Progress())
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError):
        compare_folders(made / "old-aircop", tmp_path / "empty", progress=Progress())


def test_difference_when_a_record_cannot_be_read_then_it_is_counted(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines = next((made / "old-aircop").glob("VQA_*.jsonl")).read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, '{"question_id": 3, "options": 4}']) + "\n", encoding="utf-8")
    found = compare_folders(made / "old-aircop", path, progress=Progress())
    assert (found.is_equal, found.unreadable) == (True, 1)


def test_difference_when_made_in_a_process_then_is_the_same_and_can_be_cancelled(made: Path) -> None:
    paths = (made / "old-native", made / "new-native")
    phases: list[str] = []
    progress = Progress(lambda step: phases.append(str(step.what)))
    found = call_in_process(compare_folders, *paths, kind=ReleaseDifference, progress=progress)
    assert found == compare_folders(*paths, progress=Progress())
    assert "Comparing items" in phases
    stopped = Progress()
    stopped.cancel()
    with pytest.raises(Cancelled):
        call_in_process(compare_folders, *paths, kind=ReleaseDifference, progress=stopped)
    with pytest.raises(UserError, match="does not exist"):
        call_in_process(compare_folders, made / "cache", made, kind=ReleaseDifference, progress=Progress())


def test_call_when_the_process_dies_then_says_so() -> None:
    with pytest.raises(EnvironmentFailure, match="ended early with exit code 3"):
        call_in_process(end_process, kind=ReleaseDifference, progress=Progress())


def end_process(*, progress: Progress) -> ReleaseDifference:
    progress.begin("Ending")
    os._exit(3)


@pytest.mark.slow
def test_difference_when_twenty_thousand_items_are_compared_then_all_are_counted(tmp_path: Path) -> None:
    many = [
        aircop_item(id=new_id(), name=f"q{n}", question=f"How many cars are in {n}?", state="accepted")
        for n in range(20_000)
    ]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *many)
        release(session, tmp_path / "old", "native", include_flagged=True)
        session.execute(SetItemField(item=many[77].id, field="answer_key", value="A")).result()
        release(session, tmp_path / "new", "native", include_flagged=True)
    began = time.monotonic()
    found = call_in_process(
        compare_folders, tmp_path / "old", tmp_path / "new", kind=ReleaseDifference, progress=Progress()
    )
    print(f"{time.monotonic() - began:.1f} s")
    assert (found.unchanged, len(found.changed)) == (19_999, 1)
