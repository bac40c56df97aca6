from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.commands.records import DecideFlags
from annotator.commands.release_gates import RequireGates
from annotator.commands.releases import CreateRelease
from annotator.domain.query import ItemQuery
from annotator.domain.release import Release
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from annotator.verification import verify_everything
from tests.item_fields import SetItemField
from tests.unit.release.samples import (
    aircop_item,
    contents,
    fill,
    flag,
    label,
    options,
    release,
    spatialuav_item,
)

ITEMS = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(3)]
REPO = Path(__file__).resolve().parents[3]
ONE_RELEASE = """
import json, sys
from pathlib import Path
from annotator.commands.releases import CreateRelease
from annotator.session import Session

project, out, form = sys.argv[1:]
command = CreateRelease(out=Path(out), export_format=form)
with Session.open(Path(project)) as session:
    session.execute(command).result()
print(json.dumps(command.report.to_json()))
"""


@pytest.fixture
def session(tmp_path: Path):
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *ITEMS)
        yield session


def _events(session: Session) -> int:
    return sum(session.reader.log.heads().values())


def _releases(session: Session) -> list[Release]:
    return list(session.reader.records(Release))


def test_freeze_release_when_done_then_the_log_has_a_point_to_come_back_to(
    session: Session, tmp_path: Path
) -> None:
    heads = session.reader.log.heads()
    report = release(session, tmp_path / "out", "aircop")
    (entry,) = _releases(session)
    assert entry.heads == heads
    assert (entry.sha256, entry.files) == (report.manifest.sha256, report.manifest.files)
    assert (entry.export_format, entry.items, entry.withheld) == ("aircop", 3, 0)
    assert entry.name == f"aircop {entry.sha256[:12]}"
    assert report.is_new


def test_freeze_release_when_reported_then_the_numbers_are_those_of_the_files(
    session: Session, tmp_path: Path
) -> None:
    session.execute(
        SetItemField(item=ITEMS[0].id, field="options", value=options("1", "1", "2", "3"))
    ).result()
    told = json.loads(json.dumps(release(session, tmp_path / "out", "aircop").to_json()))
    assert list(told) == [
        "export_format",
        "items",
        "withheld",
        "reasons",
        "files",
        "sha256",
        "folder",
        "unchanged",
        "gates",
    ]
    assert (told["export_format"], told["items"], told["withheld"], told["unchanged"]) == (
        "aircop",
        2,
        1,
        False,
    )
    assert told["reasons"] == {"check:duplicate_options": 1}
    for file in told["files"]:
        assert file["bytes"] == (tmp_path / "out" / file["name"]).stat().st_size
        assert file["records"] == 2


def test_freeze_release_when_done_twice_then_the_second_adds_no_event(
    session: Session, tmp_path: Path
) -> None:
    first = release(session, tmp_path / "out", "aircop")
    events = _events(session)
    again = release(session, tmp_path / "out", "aircop")
    elsewhere = release(session, tmp_path / "copy", "aircop")
    assert (again.is_unchanged, again.is_new, elsewhere.is_unchanged, elsewhere.is_new) == (
        True,
        False,
        False,
        False,
    )
    assert _events(session) == events
    assert contents(tmp_path / "copy") == contents(tmp_path / "out")
    assert first.manifest.sha256 == again.manifest.sha256 == elsewhere.manifest.sha256


def test_freeze_release_when_only_its_gates_changed_then_both_have_entries_that_verify(
    session: Session, tmp_path: Path
) -> None:
    first = release(session, tmp_path / "one", "aircop")
    session.execute(RequireGates(gates=())).result()
    second = release(session, tmp_path / "two", "aircop")
    again = release(session, tmp_path / "three", "aircop")
    assert first.manifest.sha256 == second.manifest.sha256
    assert (second.is_new, again.is_new) == (True, False)
    for folder in ("one", "two", "three"):
        found = verify_everything(session, release=tmp_path / folder, progress=Progress())
        assert [one for one in found.problems if one.kind.startswith("release_")] == []


def test_freeze_release_when_something_changed_then_it_is_another_release(
    session: Session, tmp_path: Path
) -> None:
    first = release(session, tmp_path / "one", "aircop")
    session.execute(SetItemField(item=ITEMS[0].id, field="answer_key", value="D")).result()
    second = release(session, tmp_path / "two", "aircop")
    assert first.manifest.sha256 != second.manifest.sha256
    assert first.manifest.members_sha256 == second.manifest.members_sha256
    assert len(_releases(session)) == 2


def test_freeze_release_when_undone_then_the_entry_goes_and_the_folder_stays(
    session: Session, tmp_path: Path
) -> None:
    release(session, tmp_path / "out", "aircop")
    session.undo().result()
    assert _releases(session) == []
    assert (tmp_path / "out" / "manifest.json").is_file()
    session.redo().result()
    assert len(_releases(session)) == 1
    session.undo().result()
    report = release(session, tmp_path / "out", "aircop")
    assert (report.is_unchanged, report.is_new) == (True, True)


def test_freeze_release_when_a_flag_is_open_then_the_item_waits_until_somebody_decides(
    session: Session, tmp_path: Path
) -> None:
    raised = flag(ITEMS[1])
    fill(session, raised, positions=())
    assert release(session, tmp_path / "one", "aircop").to_json()["reasons"] == {"flag:key_wrong": 1}
    flagged = release(session, tmp_path / "two", "aircop", include_flagged=True).manifest
    assert (flagged.records, flagged.include_flagged) == (3, True)
    session.execute(DecideFlags(flags=(raised.id,), state="dismissed", resolution="It is right.")).result()
    assert release(session, tmp_path / "three", "aircop").manifest.records == 3


def test_freeze_release_when_items_are_selected_then_the_manifest_says_which(
    session: Session, tmp_path: Path
) -> None:
    fill(session, spatialuav_item(), positions=())
    chosen = ItemQuery(text="picture 2")
    report = release(session, tmp_path / "out", "aircop", selection=chosen)
    assert (report.manifest.records, report.manifest.withheld.records, report.manifest.selection) == (
        1,
        0,
        chosen,
    )
    assert _releases(session)[0].selection == chosen


def test_freeze_release_when_it_is_refused_then_neither_log_nor_disk_changed(
    session: Session, tmp_path: Path
) -> None:
    events = _events(session)
    with pytest.raises(UserError, match="Unknown export format"):
        release(session, tmp_path / "out", "xml")
    with pytest.raises(UserError, match="No records to release"):
        release(session, tmp_path / "out", "aircop-labels")
    assert _events(session) == events
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("p.vantage")] == []


def test_freeze_release_when_cancelled_in_the_checks_then_neither_log_nor_disk_changed(
    session: Session, tmp_path: Path
) -> None:
    def stop(step: ProgressUpdate) -> None:
        if step.what.startswith("Checking"):
            progress.cancel()

    progress, events = Progress(stop), _events(session)
    with pytest.raises(Cancelled):
        session.execute(
            CreateRelease(out=tmp_path / "out", export_format="aircop"), progress=progress
        ).result()
    assert _events(session) == events
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["aircop", "aircop-labels", "native"])
def test_freeze_release_when_locale_zone_umask_and_hash_seed_differ_then_the_bytes_do_not(
    tmp_path: Path, form: str
) -> None:
    project = tmp_path / "p.vantage"
    with Session.create(project) as session:
        odd = [
            aircop_item(name=f"ä{n}", question=f"第 {n} 张图有几辆车，一共？ İı", extras={"b": 1, "a": 2})
            for n in range(40)
        ]
        fill(session, *odd, label(other_degradation="雾", degradations=("others", "shadow")), flag(odd[3]))
    surroundings = [
        {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0"},
        {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "1"},
        {
            "LC_ALL": "tr_TR.UTF-8",
            "TZ": "America/St_Johns",
            "PYTHONHASHSEED": "4294967295",
            "PYTHONUTF8": "0",
        },
    ]
    told = []
    for n, (variables, umask) in enumerate(zip(surroundings, (0o022, 0o077, 0o002), strict=True)):
        run = subprocess.run(
            [sys.executable, "-c", ONE_RELEASE, project, tmp_path / f"out{n}", form],
            env={**os.environ, "PYTHONPATH": str(REPO), "PYTHONCOERCECLOCALE": "0", **variables},
            cwd=tmp_path,
            umask=umask,
            capture_output=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr.decode()
        told.append(json.loads(run.stdout))
    everything = [{p.name: p.read_bytes() for p in (tmp_path / f"out{n}").iterdir()} for n in range(3)]
    assert everything[0] == everything[1] == everything[2]
    assert len({report["sha256"] for report in told}) == 1
    with Session.open(project) as session:
        assert len(_releases(session)) == 1
