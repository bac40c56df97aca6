from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotator.commands.records import DecideFlags
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, SortOrder
from annotator.domain.scene import Scene
from annotator.queries.item_queries import match_expression
from annotator.session import Session
from annotator.store.connection import connect
from tests.e2e.conftest import Open, Person
from tests.unit.cli.conftest import Verb, verb
from tests.unit.store.making import aircop_file
from tests.windows import make_flag, make_item, make_project, small_project
from widgets import display_text
from widgets.import_wizard.wizard import ImportWizard
from widgets.library.facets import ANY
from widgets.library.progress_page import ProgressPage, read_progress
from widgets.library.record_details import SceneDetail
from widgets.library.record_types import Query
from widgets.library.reports import OperationReport
from widgets.new_release.release_dialog import ReleaseDialog

__all__ = ["verb"]

STEPS = 12
MATCHING = {"AirCopBench": "aircop", "SpatialUAV": "spatialuav"}


@pytest.fixture(scope="module")
def two_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project in which two task sets have a task of the same id and title."""
    items = [
        make_item(n, task_set=task_set, task="object_matching", state=state)
        for n, (task_set, state) in enumerate(
            [("aircop", "drafted")] * 2 + [("spatialuav", "drafted")] * 3 + [("aircop", "accepted")]
        )
    ]
    items.append(make_item(9, task="object_counting"))
    return make_project(tmp_path_factory.mktemp("sets") / "sets.vantage", list(items))


def test_tasks_of_same_title_when_filtered_then_are_kept_apart_with_their_own_counts(
    two_sets: Path, open_window: Open
) -> None:
    person = open_window(two_sets)
    rows = [
        r for r in person.library.listing().facet_model.rows if r.facet.id == "task" and r.part == "value"
    ]
    assert {row.text: row.count for row in rows} == {
        "Object Matching · AirCopBench": 3,
        "Object Matching · SpatialUAV": 3,
        "Object Counting": 1,
    }
    person.toggle("task", "spatialuav/object_matching")
    assert person.library.filters.count.text() == "3 of 7"
    assert person.names() == ["item_00002", "item_00003", "item_00004"]


def test_progress_when_two_sets_share_a_title_then_names_both_and_opens_the_list_with_the_same_number(
    two_sets: Path, open_window: Open
) -> None:
    person = open_window(two_sets)
    person.library.pages.open_progress()
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ProgressPage)
    person.qtbot.waitUntil(lambda: bool(page.tables))
    rows = {row.name: row for row in page.tables[0]._model.shares}
    for title, task_set in MATCHING.items():
        row = rows[f"Object Matching · {title}"]
        assert row.open_row is not None
        row.open_row(-1)
        person.settle()
        assert person.library.listing().query == ItemQuery(tasks=(f"{task_set}/object_matching",))
        assert len(person.names()) == row.total == 3


def test_release_when_made_then_dialog_report_command_and_files_have_the_same_numbers(
    two_sets: Path, tmp_path: Path, open_window: Open, verb: Verb
) -> None:
    person = open_window(two_sets)
    person.press("Ctrl+Shift+E")
    person.settle()
    sheet = person.window.findChild(ReleaseDialog)
    assert sheet.summary.text() == "The release takes 1 item: Accepted 1."
    sheet.states["drafted"].setChecked(True)
    assert sheet.summary.text() == "The release takes 7 items: Drafted 6, Accepted 1."
    sheet.folder.setText(str(tmp_path / "window"))
    person.click(sheet.main)
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    released, withheld = (figure.number for figure in report.figures)
    assert [figure.title for figure in report.figures] == ["items released", "withheld"]
    assert released + withheld == 7
    person.click(report.close_button)

    said = verb("release", two_sets, tmp_path / "verb", "--format", "native", "--states", "all", "--json")
    assert (said.json["items"], said.json["withheld"]) == (released, withheld)
    assert said.json["selected"] == {"drafted": 6, "accepted": 1}
    assert "Items that the release takes: 7 (drafted 6, accepted 1). Not accepted: 6." in said.err
    options = ("--format", "native", "--include-flagged", "--json")
    accepted = verb("release", two_sets, tmp_path / "one", *options)
    assert (accepted.json["items"], accepted.json["selected"]) == (1, {"accepted": 1})
    for folder, items in (("window", released), ("verb", released), ("one", 1)):
        lines = (tmp_path / folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
        assert sum(json.loads(line)["entity"] == "item" for line in lines) == items


class Walker:
    """Somebody who goes through the Library at random; every number on the screen is counted anew in SQL."""

    def __init__(self, person: Person, *, seed: int) -> None:
        self.person, self.rng = person, random.Random(seed)
        self.compared = 0

    @property
    def session(self) -> Session:
        session = self.person.window.controller.session
        assert session is not None
        return session

    def sql(self, select: str, *values: object) -> int:
        """Count in the project file, over a connection of the test's own."""
        with closing(connect(self.session.path, read_only=True)) as connection:
            return int(connection.execute(select, values).fetchone()[0])

    def same(self, shown: int, counted: int, what: str) -> None:
        assert shown == counted, what
        self.compared += 1

    def step(self) -> None:
        """Do one thing, and compare what is shown after it."""
        self.rng.choice((self.change_list, self.toggle, self.toggle, self.search, self.clear, self.sort))()
        self.person.settle()
        self.compare_list()
        self.rng.choice((self.compare_inspector, self.compare_progress, self.change_flag, self.undo))()
        self.person.settle()

    def change_list(self) -> None:
        self.person.press(self.rng.choice(("Alt+I", "Alt+S", "Alt+M")))

    def toggle(self) -> None:
        listing = self.person.library.listing()
        rows = [row for row in listing.facet_model.rows if row.part == "value"]
        if rows:
            row = self.rng.choice(rows)
            listing.facets.toggled.emit(row.facet.field, row.value)

    def search(self) -> None:
        self.person.library.search_for(self.rng.choice(("item", "000", "1", "UAV1", "")))

    def clear(self) -> None:
        self.person.library.clear_filters()

    def sort(self) -> None:
        listing = self.person.library.listing()
        column = self.rng.choice([column.id for column in listing.kind.columns if column.is_sortable])
        listing.sort(SortOrder(column=column, is_descending=self.rng.random() < 0.5))

    def undo(self) -> None:
        self.person.window.controller.undo()

    def change_flag(self) -> None:
        """Decide a flag, and see that the undo entry counts as many as were decided."""
        flags = [flag for flag in self.session.reader.records(Flag) if flag.state == "open"]
        chosen = flags[: self.rng.randint(0, 2)]
        if chosen:
            ids = tuple(flag.id for flag in chosen)
            self.session.execute(DecideFlags(flags=ids, state="resolved", resolution="x")).result()
            self.person.settle()
            entry = self.person.window.registry.action("edit.undo").text()
            assert f"{len(ids)} flag" in entry
            self.compared += 1

    def compare_list(self) -> None:
        """Compare the rows, the total and the values of all filters of the list in front."""
        # A change that was only just made is on its way to the list.
        self.person.qtbot.waitUntil(lambda: not self.differences())
        listing, kind = self.person.library.listing(), self.person.library.listing().kind.id
        numbers = listing.model.numbers.tolist()
        assert len(set(numbers)) == len(numbers)
        total = self.sql(f"SELECT count(*) FROM {kind} WHERE removed=0")
        assert self.person.library.filters.count.text() == f"{len(numbers):,} of {total:,}"
        self.compared += len(listing.facet_model.rows) + 2

    def differences(self) -> list[str]:
        """Return the numbers of the list in front that are not those of the file."""
        listing = self.person.library.listing()
        kind, query = listing.kind.id, listing.query
        shown = {("rows", ""): (listing.model.rowCount(), self.count(kind, query))}
        for row in listing.facet_model.rows:
            if row.part == "value" and row.value != ANY:
                # The other filters of this list stay; of this one only the value.
                one = msgspec.structs.replace(query, **{row.facet.field: (row.value,)})
                shown[row.facet.id, row.value] = (row.count, self.count(kind, one))
        return [f"{kind} {what}: {here} and {file}" for what, (here, file) in shown.items() if here != file]

    def count(self, kind: str, query: Query) -> int:
        """Count a selection record by record, as the query is defined."""
        conditions, values = ["r.removed=0"], []
        for field, (sql, as_list) in SQL[kind].items():
            chosen = getattr(query, field)
            if not chosen:
                continue
            marks = ", ".join("?" * len(chosen))
            if ANY in chosen:
                conditions.append(as_list)
            else:
                conditions.append(sql.format(marks=marks))
                values += chosen
        if query.text and kind == "item":
            conditions.append("r.n IN (SELECT rowid FROM item_words WHERE item_words MATCH ?)")
            values.append(match_expression(query.text))
        elif query.text:
            conditions.append("instr(lower(r.name), lower(?)) > 0")
            values.append(query.text)
        return self.sql(f"SELECT count(*) FROM {kind} r WHERE {' AND '.join(conditions)}", *values)

    def compare_inspector(self) -> None:
        """Compare the flags on the tab, on the cards and in the file."""
        inspector = self.person.library.inspector
        self.person.qtbot.waitUntil(inspector.is_settled)
        detail = inspector.detail
        if detail is None:
            return
        inspector.choose_tab(1)
        self.person.settle()
        targets = {detail.id}
        if isinstance(detail, SceneDetail):
            targets |= {label.id for label in detail.labels} | {item.id for item in detail.items}
            targets |= {shown.medium.id for shown in detail.media}
        marks = ", ".join("?" * len(targets))
        counted = self.sql(
            f"SELECT count(*) FROM flag WHERE removed=0 AND state='open' AND target IN ({marks})", *targets
        )
        self.same(sum(flag.state == "open" for flag in detail.flags), counted, "flags of the record")
        assert inspector.tabs[1].text() == (f"Flags {counted}" if counted else "Flags")
        cards = [card for card in inspector.flags.cards if card.flag.state == "open"]
        self.same(sum(len(card.ids) for card in cards), counted, "flags on cards")

    def compare_progress(self) -> None:
        """Compare the page of progress with the file."""
        self.person.library.pages.open_progress()
        self.person.settle()
        page = self.person.library.pages.shown
        assert isinstance(page, ProgressPage)
        self.person.qtbot.waitUntil(lambda: page.progress is not None)
        progress = read_progress(self.session.reader)
        self.person.qtbot.waitUntil(lambda: page.progress == progress)
        states = list(display_text.STATES)
        for row, task in zip(page.tables[0]._model.shares, progress.tasks, strict=False):
            for state, shown in zip(states, row.parts, strict=True):
                counted = self.sql(
                    "SELECT count(*) FROM item WHERE removed=0 AND task_set=? AND task=? AND state=?",
                    task.task_set,
                    task.task,
                    state,
                )
                self.same(shown, counted, f"{row.name} {state}")
        self.person.library.leave_page()


FLAGGED = "EXISTS (SELECT 1 FROM flag f WHERE f.removed=0 AND f.state='open' AND f.target=r.id{kinds})"
OF_SCENE = (
    "EXISTS (SELECT 1 FROM flag f WHERE f.removed=0 AND f.state='open'{kinds} AND (f.target=r.id"
    " OR f.target IN (SELECT id FROM item WHERE scene=r.id AND removed=0)"
    " OR f.target IN (SELECT id FROM event_label WHERE scene=r.id AND removed=0)"
    " OR f.target IN (SELECT medium FROM scene_view WHERE scene=r.id)))"
)
SQL: dict[str, dict[str, tuple[str, str]]] = {
    "item": {
        "task_sets": ("r.task_set IN ({marks})", ""),
        "tasks": ("r.task_set || '/' || r.task IN ({marks})", ""),
        "states": ("r.state IN ({marks})", ""),
        "flags": (FLAGGED.format(kinds=" AND f.kind IN ({marks})"), FLAGGED.format(kinds="")),
        "sources": ("r.source IN ({marks})", ""),
    },
    "scene": {
        "datasets": ("r.dataset IN ({marks})", ""),
        "flags": (OF_SCENE.format(kinds=" AND f.kind IN ({marks})"), OF_SCENE.format(kinds="")),
        "tags": ("EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value IN ({marks}))", "r.tags<>'[]'"),
        "stages": ("(SELECT stage FROM scene_facet WHERE id=r.facet) IN ({marks})", ""),
        "annotations": ("r.annotation IN ({marks})", ""),
        "healths": ("(SELECT health FROM scene_facet WHERE id=r.facet) IN ({marks})", ""),
    },
    "medium": {
        "datasets": ("r.dataset IN ({marks})", ""),
        "media_types": ("r.media_type IN ({marks})", ""),
        "healths": ("r.health IN ({marks})", ""),
        "licences": ("r.licence IN ({marks})", ""),
    },
}
"""How a filter selects records, straight from the tables of records: for some values, and for any at all."""


def busy_project(path: Path) -> Path:
    """Write a project of two scenes, thirty items of three task sets, and flags on all kinds of records."""
    records = small_project()
    scene = next(record for record in records if isinstance(record, Scene))
    media = [record for record in records if isinstance(record, Medium)]
    tasks = (("aircop", "object_matching"), ("spatialuav", "object_matching"), ("aircop", ""))
    items = [
        make_item(
            n + 10,
            task_set=tasks[n % 3][0],
            task=tasks[n % 3][1],
            state=("drafted", "accepted", "rejected", "refined")[n % 4],
            scene=scene.id if n % 2 else "",
        )
        for n in range(30)
    ]
    flags = [
        make_flag("item", item.id, kind, message="The same.")
        for n, item in enumerate(items)
        for kind in ("duplicate_options", "missing_media")[: n % 3]
    ]
    flags += [make_flag("medium", medium.id, "medium_damaged") for medium in media[:1]]
    return make_project(path, [*records, *items, *flags])


@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_when_one_walks_through_the_library_at_random_then_equal_the_file(
    tmp_path: Path, open_window: Open, seed: int
) -> None:
    person = open_window(busy_project(tmp_path / "busy.vantage"))
    walker = Walker(person, seed=seed)
    for _ in range(STEPS):
        walker.step()
    assert walker.compared > 10 * STEPS


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 6))
def test_numbers_when_one_walks_for_long_then_equal_the_file(
    tmp_path: Path, open_window: Open, seed: int
) -> None:
    person = open_window(busy_project(tmp_path / "busy.vantage"))
    walker = Walker(person, seed=seed)
    for _ in range(10 * STEPS):
        walker.step()
    assert walker.compared > 100 * STEPS


def test_filtered_list_when_released_then_the_files_hold_as_many_records_as_the_list(
    tmp_path: Path, open_window: Open
) -> None:
    person = open_window(busy_project(tmp_path / "busy.vantage"))
    person.toggle("task", "spatialuav/object_matching")
    person.toggle("state", "accepted")
    shown = person.library.listing().model.rowCount()
    assert shown > 0
    person.press("Ctrl+Shift+E")
    person.settle()
    sheet = person.window.findChild(ReleaseDialog)
    sheet.filtered.setChecked(True)
    sheet.flagged.setChecked(True)
    assert sheet.summary.text().startswith(f"The release takes {shown} items: Accepted {shown}.")
    sheet.folder.setText(str(tmp_path / "out"))
    person.click(sheet.main)
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    assert [figure.number for figure in report.figures] == [shown, 0]
    person.click(report.close_button)
    lines = (tmp_path / "out" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    names = {json.loads(line)["record"]["name"] for line in lines if json.loads(line)["entity"] == "item"}
    assert names == set(person.names())


def test_import_when_finished_then_report_list_and_file_have_the_same_scenes_and_records(
    tmp_path: Path, open_window: Open, verb: Verb
) -> None:
    path = make_project(tmp_path / "new.vantage", [])
    file = aircop_file(tmp_path, name="23", records=4)
    said = verb("import", path, file, "--dry-run", "--json").json
    person = open_window(path)
    person.library.batch.offer_import((file,))
    wizard = person.window.findChild(ImportWizard)
    person.qtbot.waitUntil(lambda: wizard.main.isEnabled() and wizard.is_settled())
    person.click(wizard.main)
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    figures = {figure.title: figure.number for figure in report.figures}
    person.click(report.close_button)
    person.press("Alt+S")
    person.settle()
    session = person.window.controller.session
    assert session is not None
    counts = session.reader.counts()
    assert figures["added"] == said["added"] == counts["event_label"]
    scenes = person.library.listing().model.rowCount()
    assert figures["new scenes"] == said["scenes"] == counts["scene"] == scenes > 0
    assert figures["flags"] == counts["flag"]
