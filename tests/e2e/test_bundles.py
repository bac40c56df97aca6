"""Bundles in the window: written, merged, dropped, refused in words, and forks chosen."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from annotator.domain.item import Option
from annotator.domain.signature import TrustedKey
from annotator.exchange.merge_report import MergeOutcome
from annotator.exchange.prediction_exchange import ReceivedPredictions
from annotator.session import Session
from annotator.signing_keys import make_key, trust_key
from annotator.store.bundles.bundle_file import read_manifest
from annotator.user_profile import config_folder
from tests.e2e.conftest import Open, Person
from tests.unit.store.bundles.recorded_runs import ask
from tests.unit.store.bundles.workstations import Workstation, item, joined
from widgets.bundles.export_dialog import ExportBundleDialog
from widgets.bundles.forks_dialog import ForksDialog
from widgets.bundles.merge_report import merged
from widgets.dialog import FormDialog
from widgets.library.predictions import read_evidence
from widgets.library.reports import OperationReport
from widgets.review.case_answers import read_answers
from widgets.run_text import title_of
from widgets.translation import set_language

Team = tuple[Workstation, Workstation]


@pytest.fixture
def team(tmp_path: Path) -> Team:
    ann, bob = joined(tmp_path, "ann", "bob")
    return ann, bob


def dialog_of(person: Person, kind: type[FormDialog]) -> Any:
    def shown() -> list[Any]:
        return [one for one in person.window.findChildren(kind) if one.isVisible()]

    person.qtbot.waitUntil(lambda: bool(shown()))
    return shown()[-1]


def merge(person: Person, *bundles: Path) -> OperationReport:
    """Merge bundles by the menu's action, and return the report."""
    with pytest.MonkeyPatch.context() as patch:
        chosen = [str(bundle) for bundle in bundles]
        patch.setattr(QFileDialog, "open", lambda dialog: dialog.filesSelected.emit(chosen))
        person.window.registry.run("project.merge_bundle")
    report: OperationReport = dialog_of(person, OperationReport)
    return report


def figures(report: OperationReport) -> dict[str, int]:
    return {figure.title: figure.number for figure in report.figures}


def report_text(report: FormDialog) -> str:
    return "\n".join(found.text() for found in report.findChildren(QLabel))


def rows(report: OperationReport, title: str) -> list[str]:
    table = next(one for one in report.tables if one.accessibleName() == title)
    return table.text().splitlines()[1:]


def drop(person: Person, at: Any, *files: Path) -> bool:
    """Drag files over a widget and drop them; returns whether the drag was taken."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    where = QPointF(20, 20)
    about = (mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(where.toPoint(), Qt.DropAction.CopyAction, *about)
    entered.ignore()
    QApplication.sendEvent(at, entered)
    if entered.isAccepted():
        QApplication.sendEvent(at, QDropEvent(where, Qt.DropAction.CopyAction, *about))
    return entered.isAccepted()


def test_export_when_confirmed_then_writes_a_bundle_that_another_copy_merges(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    ann.add(item("a1"))
    person = open_window(ann.path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    assert dialog.choice().file.parent == ann.path.parent
    dialog.file.setText(str(tmp_path / "sent"))
    dialog.main.click()
    person.settle()
    assert "written" in person.window.banner.headline.text()
    bob.merge(tmp_path / "sent.bundle")
    assert len(bob.content()["item"]) == 1


def test_export_when_the_person_makes_a_key_then_this_bundle_and_later_ones_are_signed(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    def export(file: Path) -> None:
        dialog.file.setText(str(file))
        dialog.main.click()
        person.settle()

    person = open_window(team[0].path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    assert (dialog.signing.box.isEnabled(), dialog.choice().is_signed) == (False, False)
    assert "no signing key" in dialog.signing.note.text()
    dialog.signing.make.click()
    person.qtbot.waitUntil(dialog.signing.box.isEnabled)
    assert "Fingerprint" in dialog.signing.note.text()
    assert dialog.signing.make.isHidden()
    export(tmp_path / "first.bundle")
    signature = read_manifest(tmp_path / "first.bundle").signature
    assert signature is not None
    assert signature.actor == person.window.controller.session.actor.id
    person.window.registry.run("project.export_bundle")
    person.qtbot.waitUntil(lambda: dialog_of(person, ExportBundleDialog) is not dialog)
    dialog = dialog_of(person, ExportBundleDialog)
    assert dialog.signing.box.isChecked()
    dialog.signing.box.click()
    export(tmp_path / "second.bundle")
    assert read_manifest(tmp_path / "second.bundle").signature is None


def test_export_when_the_key_is_damaged_then_the_dialog_says_so_and_does_not_sign(
    team: Team, open_window: Open
) -> None:
    person = open_window(team[0].path)
    make_key(person.window.controller.session.actor)
    (file,) = config_folder().glob("signing/*.key")
    file.write_text("damaged")
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    assert "is not a signing key" in dialog.signing.note.text()
    assert (dialog.choice().is_signed, dialog.signing.make.isEnabled()) == (False, False)
    dialog.reject()


def test_export_when_an_earlier_bundle_is_missing_then_the_button_waits_and_says_why(
    team: Team, open_window: Open
) -> None:
    person = open_window(team[0].path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    dialog.new.setChecked(True)
    assert not dialog.main.isEnabled()
    assert dialog.problem_label.text() == "Choose an earlier bundle."
    dialog.since.setText(str(team[0].bundle()))
    assert dialog.main.isEnabled()
    dialog.reject()


@pytest.mark.parametrize("text", ["", "  ", ".", "/", "~nobody/x.bundle", "a\0"])
def test_export_when_the_file_is_none_then_the_button_waits_and_says_why(
    text: str, team: Team, open_window: Open
) -> None:
    person = open_window(team[0].path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    dialog.file.setText(text)
    assert not dialog.main.isEnabled()
    assert dialog.problem_label.text()
    dialog.note_entries()
    dialog.reject()


def test_merge_when_a_bundle_brings_records_then_the_report_counts_them_per_person(
    team: Team, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"), item("b2"))
    person = open_window(ann.path)
    report = merge(person, bob.bundle())
    assert figures(report)["new events"] > 2
    assert "2\tItem\tbob" in rows(report, "Records with new events")
    assert "Not signed" in rows(report, "Bundles")[0]
    assert "before_merge" in report_text(report)
    assert list(ann.path.with_name("p.backups").glob("*before_merge*"))
    report.accept()
    assert sorted(person.names()) == ["b1", "b2"]
    again = merge(person, bob.bundle())
    assert figures(again)["new events"] == 0
    assert "The project is unchanged." in report_text(again)
    again.accept()


def test_merge_when_a_bundle_is_signed_then_the_report_says_whether_its_author_is_proved(
    team: Team, open_window: Open
) -> None:
    ann, bob = team
    person = open_window(ann.path)
    key = make_key(bob.actor)
    signed = ann.path.with_name("signed.bundle")
    with bob.open() as session:
        session.export_bundle(signed, is_signed=True)
    report = merge(person, signed)
    assert "Key not confirmed" in rows(report, "Bundles")[0]
    report.accept()
    trust_key(TrustedKey(actor=bob.actor.id, name="bob", key=key))
    report = merge(person, signed)
    assert "Verified" in rows(report, "Bundles")[0]
    report.accept()
    bob.add(item("b1"))
    report = merge(person, bob.bundle())
    assert "Not signed" in rows(report, "Bundles")[0]
    assert "Events of bob came without a signature" in report_text(report)
    report.accept()


def test_merge_when_events_are_missing_then_the_report_names_whose(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"))
    first = bob.bundle()
    bob.add(item("b2"))
    person = open_window(ann.path)
    report = merge(person, bob.bundle(since=first))
    assert figures(report)["wait for other bundles"] > 0
    (row,) = rows(report, "Missing events")
    assert row.endswith("\tbob")
    report.accept()
    done = merge(person, first)
    assert figures(done)["wait for other bundles"] == 0
    assert sorted(person.names()) == ["b1", "b2"]
    done.accept()


def test_forks_when_a_value_is_kept_with_enter_then_the_next_is_shown_until_none_is_left(
    team: Team, open_window: Open
) -> None:
    ann, bob = team
    ann.add(one := item("a1"), other := item("a2"))
    bob.merge(ann.bundle())
    for each in (one, other):
        ann.ask(each.id, "cars")
        bob.ask(each.id, "vans")
    person = open_window(ann.path)
    report = merge(person, bob.bundle())
    assert figures(report)["forks"] == 2
    assert {row.split("\t")[1] for row in rows(report, "Forks")} == {"a1", "a2"}
    next(one for one in report.tables if one.accessibleName() == "Forks").doubleClicked.emit(
        report.tables[-1].model().index(0, 0)
    )
    dialog: ForksDialog = dialog_of(person, ForksDialog)
    dialog.table.clearSelection()
    lines = dialog.table.text().splitlines()[1:]
    assert {line.split("\t")[-1] for line in lines} == {"cars", "vans"}
    for left in (1, 0):
        dialog.table.selectRow(1)
        person.press("Return", at=dialog.table)
        person.settle()
        person.qtbot.waitUntil(lambda left=left: dialog.table.model().rowCount() == 2 * left)
    assert dialog.about.text() == "There are no forks."
    assert not dialog.keep.isEnabled()
    dialog.reject()
    with ann.open() as session:
        assert session.reader.forks.all() == []


def _of_another_project(bundle: Path) -> None:
    folder = bundle.parent / "other"
    folder.mkdir()
    (other,) = joined(folder, "cem")
    other.bundle().replace(bundle)


def _half(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes()[: bundle.stat().st_size // 2])


def _bomb(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        manifest = archive.read("manifest.json")
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
        with archive.open("events.jsonl", "w") as target:
            for _ in range(300):
                target.write(bytes(1 << 20))


def _future(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        events = archive.read("events.jsonl")
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest | {"version": 99}))
        archive.writestr("events.jsonl", events)


def _outside(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("../manifest.json", "{}")
        archive.writestr("../../events.jsonl", "")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (_of_another_project, "is a bundle of another project"),
        (_half, "is not a sound bundle"),
        (_bomb, "many times larger than a log can be"),
        (_future, "was written by a newer version of Vantage"),
        (_outside, "is not a bundle of Vantage"),
    ],
)
def test_merge_when_the_bundle_is_refused_then_a_dialog_says_why_and_the_project_is_unchanged(
    spoil: Callable[[Path], None], text: str, team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"))
    bundle = bob.bundle().replace(tmp_path / "sent.bundle")
    spoil(bundle)
    before = ann.content()
    person = open_window(ann.path)
    report = merge(person, bundle)
    assert report.windowTitle() == "Bundle refused"
    assert text in report_text(report)
    assert "The project is unchanged." in report_text(report)
    assert figures(report)["refused"] == 1
    report.accept()
    person.settle()
    assert ann.content() == before
    assert not [path for path in tmp_path.rglob("*") if path.name in {"manifest.json", "events.jsonl"}]


def test_merge_when_one_of_two_is_refused_then_the_other_is_merged(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"))
    half = bob.bundle()
    _half(half)
    person = open_window(ann.path)
    report = merge(person, half, bob.bundle())
    assert (figures(report)["refused"], report.windowTitle()) == (1, "Bundles merged")
    assert person.names() == ["b1"]
    report.accept()


@pytest.mark.parametrize("workspace", ["library", "annotate"])
def test_drop_when_a_bundle_falls_on_the_window_then_it_is_merged(
    workspace: str, team: Team, open_window: Open
) -> None:
    ann, bob = team
    bob.add(item("b1"))
    person = open_window(ann.path)
    person.window.show_workspace(workspace)
    person.settle()
    assert drop(person, person.library if workspace == "library" else person.window, bob.bundle())
    report = dialog_of(person, OperationReport)
    assert "1\tItem\tbob" in rows(report, "Records with new events")
    report.accept()


def test_drop_when_it_is_no_bundle_then_the_window_does_not_take_it(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    person = open_window(team[0].path)
    (tmp_path / "notes.txt").write_text("x")
    assert not drop(person, person.window, tmp_path / "notes.txt")


def test_new_project_when_made_from_a_bundle_then_has_its_items(
    team: Team, tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _bob = team
    ann.add(item("a1"))
    bundle = ann.bundle()
    answers = iter([str(bundle), str(tmp_path / "mine.vantage")])
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(next(answers)))
    person = open_window()
    person.window.registry.run("project.join")
    person.qtbot.waitUntil(lambda: person.window.project is not None)
    person.settle()
    assert person.names() == ["a1"]
    for dialog in person.window.findChildren(FormDialog):
        dialog.reject()


def test_export_when_it_carries_media_then_their_size_is_shown_before_and_they_arrive(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png", "b.png")
    person = open_window(ann.path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    person.qtbot.waitUntil(dialog.media.isEnabled)
    assert re.fullmatch(r"Carry 2 media files, \d+ B", dialog.media.text())
    dialog.media.click()
    dialog.file.setText(str(tmp_path / "sent.bundle"))
    dialog.main.click()
    person.settle()
    person.window.close()
    other = open_window(bob.path)
    report = merge(other, tmp_path / "sent.bundle")
    assert (figures(report)["media files"], figures(report)["media missing"]) == (2, 0)
    report.accept()
    assert len(list(bob.path.parent.rglob("*.png"))) == 2


def test_export_when_it_carries_predictions_then_a_reviewer_elsewhere_sees_the_answers_of_models(
    team: Team, tmp_path: Path, open_window: Open
) -> None:
    ann, bob = team
    options = tuple(Option(letter=letter, text=text) for letter, text in zip("ABC", "xyz", strict=True))
    asked = item("a1", question="Which?", options=options, answer_format="option_letter", answer_key="A")
    ann.add(asked)
    bob.merge(ann.bundle())
    run = ask(ann, asked, "B", "B")
    person = open_window(ann.path)
    person.window.registry.run("project.export_bundle")
    dialog = dialog_of(person, ExportBundleDialog)
    person.qtbot.waitUntil(dialog.predictions.isEnabled)
    assert re.fullmatch(
        r"Carry 2 predictions of models in finished runs, about [\d.]+ \w+", dialog.predictions.text()
    )
    dialog.predictions.click()
    dialog.file.setText(str(tmp_path / "sent.bundle"))
    dialog.main.click()
    person.settle()
    person.window.close()
    other = open_window(bob.path)
    report = merge(other, tmp_path / "sent.bundle")
    assert (figures(report)["runs of models"], figures(report)["new events"]) == (1, 0)
    assert "The answers of models are in Review" in report_text(report)
    report.accept()
    with bob.open() as session:
        (answer,) = read_answers(session.reader, asked, read_evidence(session.reader, asked))
        assert (answer.who, answer.answer, answer.is_person) == ("qwen-vl (from elsewhere)", "B", False)
        assert answer.reason == "It is red: B."
        received = session.reader.runs.get(run.id)
    assert received is not None
    assert title_of(received) == "Consensus 1 (from elsewhere)"


def test_report_when_a_run_was_refused_then_names_it_and_says_what_to_do(
    team: Team, open_window: Open
) -> None:
    person = open_window(team[0].path)
    outcome = MergeOutcome(predictions=ReceivedPredictions(refused=("Evening run",)))
    report = merged(person.window, outcome, show_forks=list, locate_media=list)
    assert rows(report, "Runs not entered") == ["Evening run"]
    assert "Run the command verify" in report_text(report)


def test_report_when_accepted_items_were_set_back_then_names_them(team: Team, open_window: Open) -> None:
    person = open_window(team[0].path)
    outcome = MergeOutcome(set_back=("Real2_OC_UAV1_1",))
    report = merged(person.window, outcome, show_forks=list, locate_media=list)
    assert rows(report, "Accepted items that are refined again") == ["Real2_OC_UAV1_1"]


def test_merge_when_media_are_only_named_then_they_are_listed_and_a_double_click_locates_them(
    team: Team, tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = team
    ann.add_images(tmp_path / "drive", "a.png")
    person = open_window(bob.path)
    report = merge(person, ann.bundle())
    assert rows(report, "Missing media") == ["a.png"]
    monkeypatch.setattr(QFileDialog, "open", lambda asked: asked.fileSelected.emit(str(tmp_path / "drive")))
    table = next(one for one in report.tables if one.accessibleName() == "Missing media")
    table.doubleClicked.emit(table.model().index(0, 0))
    person.settle()
    dialog_of(person, OperationReport).accept()
    with bob.open() as session:
        assert session.roots.further["drive"] == tmp_path / "drive"


def test_report_when_the_window_is_chinese_then_speaks_it(team: Team, open_window: Open) -> None:
    ann, bob = team
    bob.add(item("b1"))
    half = bob.bundle()
    _half(half)
    person = open_window(ann.path)
    set_language("zh")
    report = merge(person, half)
    assert "不是完好的数据包" in report_text(report)
    report.accept()


def test_merge_when_the_project_is_read_only_then_is_refused_with_the_reason(
    team: Team, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _bob = team
    monkeypatch.setattr(Session, "open", Session.open_for_reading)
    person = open_window(ann.path)
    monkeypatch.undo()
    person.window.registry.run("project.merge_bundle")
    person.qtbot.waitUntil(person.window.banner.isVisible)
    assert person.window.banner.headline.text().startswith("The project is open for reading only.")
    assert person.window.findChild(FormDialog) is None
