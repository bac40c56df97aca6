"""The verb ``items``: what it lists, edits, previews, writes and takes back in."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from annotator.commands.item_edits import SetQuestion
from annotator.domain.item import Item, Option
from annotator.errors import UserError
from annotator.session import Session
from annotator.spreadsheets.item_sheet import read_sheet, write_sheet
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import an_item, created, write

OPTIONS = tuple(
    Option(letter=letter, text=text) for letter, text in zip("ABC", ("red", "green", "blue"), strict=True)
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project of four items, of which one has another task."""
    path = tmp_path / "p.vantage"
    items = [
        an_item(
            name=f"car_{n}",
            task="object_counting",
            question="Which car is red?",
            options=OPTIONS,
            answer_key="A",
        )
        for n in range(3)
    ]
    items.append(an_item(name="bus", task="quality_assessment", question="How good?", options=OPTIONS))
    with Session.create(path) as session:
        write(session, *(created("item", item) for item in items))
    return path


def stored(project: Path) -> dict[str, Item]:
    with Session.open(project) as session:
        return {item.name: item for item in session.reader.records(Item)}


def test_items_when_no_subcommand_is_given_then_lists_them(project: Path, verb: Verb) -> None:
    said = verb("items", project)
    assert said.status == 0
    assert "4 items" in said.out
    assert "Which car is red?" in said.out
    assert verb("items", project, "--task", "object_counting", "--json").json["count"] == 3
    [bus] = verb("items", project, "list", "--name", "bus", "--json").json["items"]
    assert (bus["question"], bus["B"], bus["state"]) == ("How good?", "green", "drafted")


def test_set_when_fields_are_given_then_all_items_change_in_one_step(project: Path, verb: Verb) -> None:
    said = verb(
        "items", project, "set", "--task", "object_counting",
        "--question", "Which car?", "--option", "b=lime", "--answer", "b", "--issue-class", "options",
        "--json",
    )  # fmt: skip
    assert (said.json["items"], said.json["changed"]) == (3, 3)
    after = stored(project)
    assert {
        (i.question, i.options[1].text, i.answer_key, i.issue_classes, i.state)
        for n, i in after.items()
        if n != "bus"
    } == {("Which car?", "lime", "B", ("options",), "in_refinement")}
    with Session.open(project) as session:
        session.undo().result()
    assert stored(project)["car_0"].question == "Which car is red?"


def test_set_when_a_state_is_given_then_the_life_of_items_is_kept(project: Path, verb: Verb) -> None:
    refused = verb("items", project, "set", "--name", "car_0", "--to-state", "accepted")
    assert refused.status == 2
    assert "cannot be set to accepted" in refused.err
    assert verb("items", project, "set", "--name", "car_0", "--to-state", "rejected").status == 2
    assert (
        verb(
            "items", project, "set", "--name", "car_0", "--to-state", "rejected", "--reason", "blurred"
        ).status
        == 0
    )
    assert stored(project)["car_0"].state == "rejected"


@pytest.mark.parametrize(
    "options",
    [
        ("--question", "x", "--to-state", "rejected"),
        (),
        ("--option", "B"),
        ("--to-task", "cooking"),
        ("--answer", "Z"),
        ("--text", "nowhere", "--question", "x"),
    ],
)
def test_set_when_it_cannot_be_done_then_ends_with_2_and_changes_nothing(
    project: Path, verb: Verb, options: tuple[str, ...]
) -> None:
    before = stored(project)
    said = verb("items", project, "set", *options)
    assert (said.status, said.out) == (2, "")
    assert said.err
    assert stored(project) == before


def test_replace_when_it_is_a_dry_run_then_shows_and_changes_nothing(project: Path, verb: Verb) -> None:
    before = stored(project)
    said = verb("items", project, "replace", "red", "yellow", "--dry-run", "--json").json
    assert (said["changed"], said["dry_run"]) == (4, True)
    changes = {item["name"]: item["changes"] for item in said["items"]}
    assert changes["bus"] == [{"field": "option A", "before": "red", "after": "yellow"}]
    assert changes["car_1"][0] == {
        "field": "question",
        "before": "Which car is red?",
        "after": "Which car is yellow?",
    }
    assert stored(project) == before
    done = verb("items", project, "replace", "RED", "yellow", "--ignore-case", "--field", "question")
    assert "3 items changed" in done.out
    assert stored(project)["car_0"].question == "Which car is yellow?"
    assert stored(project)["car_0"].options[0].text == "red"


def edited_sheet(project: Path, verb: Verb, change) -> Path:
    """Write the items as a table, have a function change its rows, and return the changed file."""
    sheet = project.with_name("items.csv")
    assert verb("items", project, "--csv", sheet).status == 0
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    change({row["name"]: row for row in rows})
    out = project.with_name("edited.csv")
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return out


def test_sheet_when_nothing_was_edited_then_changes_nothing(project: Path, verb: Verb) -> None:
    out = edited_sheet(project, verb, lambda rows: None)
    assert verb("items", project, "apply", out, "--json").json["changed"] == 0


def test_sheet_when_edited_then_a_dry_run_shows_the_very_changes(project: Path, verb: Verb) -> None:
    def change(rows: dict[str, dict[str, str]]) -> None:
        rows["car_0"].update(question="=1+1", D="black", answer="D")
        rows["car_1"].update(C="", answer="B", issue_classes="options; question")
        rows["bus"].update(task="usability_assessment")

    out = edited_sheet(project, verb, change)
    dry = verb("items", project, "apply", out, "--dry-run", "--json").json
    assert stored(project)["car_0"].question == "Which car is red?"
    wet = verb("items", project, "apply", out, "--json").json
    assert dry["items"] == wet["items"]
    after = stored(project)
    assert [option.text for option in after["car_0"].options] == ["red", "green", "blue", "black"]
    assert (after["car_0"].question, after["car_0"].answer_key) == ("=1+1", "D")
    assert [option.letter for option in after["car_1"].options] == ["A", "B"]
    assert after["car_1"].issue_classes == ("question", "options")
    assert after["bus"].task == "usability_assessment"
    with Session.open(project) as session:
        session.undo().result()
    assert stored(project)["bus"].task == "quality_assessment"


def test_sheet_when_written_again_then_guards_formulas_and_comes_back(project: Path, verb: Verb) -> None:
    assert verb("items", project, "set", "--name", "bus", "--question", "=HYPERLINK(1)").status == 0
    sheet = project.with_name("guarded.csv")
    assert verb("items", project, "--csv", sheet).status == 0
    assert "'=HYPERLINK(1)" in sheet.read_text(encoding="utf-8-sig")
    assert verb("items", project, "apply", sheet, "--json").json["changed"] == 0


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("car_0", {"name": "nobody"}, "no item named 'nobody'"),
        ("car_0", {"B": "", "C": "blue"}, "Option B is empty"),
        ("car_0", {"answer": "Z"}, "'Z' is not an answer"),
        ("car_0", {"issue_classes": "rain"}, "no issue class 'rain'"),
    ],
)
def test_sheet_when_a_row_is_not_valid_then_nothing_is_changed(
    project: Path, verb: Verb, name: str, cells: dict[str, str], message: str
) -> None:
    def change(rows: dict[str, dict[str, str]]) -> None:
        rows["car_2"].update(question="Changed")
        rows[name].update(cells)

    out = edited_sheet(project, verb, change)
    before = stored(project)
    said = verb("items", project, "apply", out)
    assert said.status == 2
    assert message in said.err
    assert stored(project) == before


@pytest.mark.parametrize("letters", ["BCD", "ABCDEFGHIJ"])
def test_sheet_when_letters_are_not_those_of_its_columns_then_other_fields_can_be_edited(
    tmp_path: Path, letters: str
) -> None:
    options = tuple(Option(letter=letter, text=f"text {letter}") for letter in letters)
    item = an_item(name="odd", question="Which?", options=options, answer_key="C")
    sheet = tmp_path / "items.csv"
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, created("item", item))
        write_sheet(sheet, [item])
        assert [row.edits for row in read_sheet(sheet, session.reader)] == [()]
        text = sheet.read_text("utf-8")
        sheet.write_text(text.replace("Which?", "Which one?"), "utf-8")
        assert [row.edits for row in read_sheet(sheet, session.reader)] == [
            (SetQuestion(item=item.id, text="Which one?"),)
        ]
        sheet.write_text(text.replace("text C", "text X"), "utf-8")
        with pytest.raises(UserError, match=f"odd are not A, B, C and so on: {', '.join(letters)}"):
            list(read_sheet(sheet, session.reader))


def test_sheet_when_the_file_is_there_then_is_not_replaced(project: Path, verb: Verb) -> None:
    sheet = project.with_name("items.csv")
    sheet.write_text("mine", encoding="utf-8")
    said = verb("items", project, "--csv", sheet)
    assert (said.status, sheet.read_text(encoding="utf-8")) == (2, "mine")


def test_rebalance_when_run_then_letters_are_even(project: Path, verb: Verb) -> None:
    said = verb("items", project, "rebalance", "--task", "object_counting", "--seed", "3", "--json").json
    assert said["items"] == 3
    assert sorted(item.answer_key for name, item in stored(project).items() if name != "bus") == [
        "A",
        "B",
        "C",
    ]
