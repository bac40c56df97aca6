"""Checks that a team writes as files beside its project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.commands.findings import RecordFindings
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.quality.checks import CHECKS
from annotator.quality.context import CheckContext
from annotator.quality.team_checks import ProjectChecks
from annotator.session import Session
from tests.unit.domain.test_task_set_catalogue import ROOFTOPS
from tests.unit.domain.test_task_set_catalogue import put as put_task_set
from tests.unit.store.making import created, write

REPO = Path(__file__).resolve().parents[3]
NEGATION = """
id = "negation"
title = "Negated question"
finds = "The question asks what is not the case."
advice = "Ask for what is the case."
tasks = ["aircop/object_recognition"]
forbidden = ["not", "except"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "city.vantage"


def put(project: Path, text: str, *, name: str = "negation") -> None:
    folder = project.with_suffix(".checks")
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def found(project: Path, item: Item, *, check: str = "negation") -> str | None:
    """Return what an own check says about an item, None where it says nothing."""
    [own] = ProjectChecks(project).own.values()
    assert own.id == check
    hit = own.check_item(item, _context(project))
    return hit.message if hit else None


def _context(project: Path) -> CheckContext:
    return CheckContext(find_medium=lambda _: None, find_regions=lambda _: frozenset(), project=project)


@pytest.mark.parametrize("name", ["key", "answer_key"])
def test_answer_key_when_named_as_in_older_files_or_as_today_then_it_is_looked_at(
    project: Path, name: str
) -> None:
    put(project, f'{NEGATION}fields = ["{name}"]\n')
    item = Item(name="q", task_set="aircop", task="object_recognition", answer_key="It is not there.")
    assert found(project, item) == "The text contains 'not'."


def test_checks_when_nothing_lies_beside_the_project_then_those_of_the_product(project: Path) -> None:
    assert dict(ProjectChecks(project).all) == dict(CHECKS)
    assert dict(ProjectChecks(None).all) == dict(CHECKS)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("Which car does not move?", "The text contains 'not'."),
        ("NOT this one?", "The text contains 'not'."),
        ("Which knot is it? Nothing else.", None),
        ("All except one", "The text contains 'except'."),
    ],
)
def test_check_when_words_are_forbidden_then_whole_words_are_found(
    project: Path, make_item: Callable[..., Item], question: str, message: str | None
) -> None:
    put(project, NEGATION)
    assert found(project, make_item(question=question)) == message


def test_check_when_words_are_chinese_then_they_are_found_inside_a_text(
    project: Path, make_item: Callable[..., Item]
) -> None:
    put(project, NEGATION.replace('"not", "except"', '"不是"'))
    assert found(project, make_item(question="哪个不是汽车?")) == "The text contains '不是'."


@pytest.mark.parametrize(
    ("rule", "question", "message"),
    [
        ('required = ["UAV1", "UAV2"]', "In UAV2, how many?", None),
        ('required = ["UAV1", "UAV2"]', "How many?", "The text contains none of: UAV1, UAV2."),
        ("shortest = 5", "abcd", "The text has 4 characters, fewer than 5."),
        ("longest = 3", "abcd", "The text has 4 characters, more than 3."),
        ("longest = 4", "abcd", None),
    ],
)
def test_check_when_it_asks_for_words_or_a_length_then_says_what_is_missing(
    project: Path, make_item: Callable[..., Item], rule: str, question: str, message: str | None
) -> None:
    put(project, NEGATION.replace('forbidden = ["not", "except"]', rule))
    assert found(project, make_item(question=question)) == message


@pytest.mark.parametrize(
    ("named", "task_set", "task", "applies"),
    [
        ('tasks = ["aircop/object_recognition"]', "aircop", "object_recognition", True),
        ('tasks = ["aircop/object_recognition"]', "aircop", "object_matching", False),
        ('task_sets = ["aircop"]', "aircop", "object_matching", True),
        ('task_sets = ["aircop"]', "urbanvideo", "causal", False),
        ("", "urbanvideo", "causal", True),
        ('tasks = ["aircop/object_matching"]', "rooftops", "roof_material", True),
    ],
)
def test_check_when_it_names_tasks_then_applies_to_those_and_where_a_task_names_it(
    project: Path, make_item: Callable[..., Item], named: str, task_set: str, task: str, applies: bool
) -> None:
    put_task_set(project, "rooftops.toml", ROOFTOPS.replace('checks = ["req', 'checks = ["negation", "req'))
    put(project, NEGATION.replace('tasks = ["aircop/object_recognition"]', named))
    checks = ProjectChecks(project)
    assert checks.faults == ()
    item = make_item(task_set=task_set, task=task)
    assert checks.own["negation"].applies_to(item, context=_context(project)) == applies


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NEGATION.replace("finds =", "find ="), "negation.toml, top level: unknown field"),
        (NEGATION + "longest = 'x'\n", "negation.toml, field longest: expected a whole number, got text."),
        (
            NEGATION.replace('id = "negation"', 'id = "other"'),
            "negation.toml, field id: 'other' must equal the",
        ),
        (NEGATION.replace('"not", ', '" ", '), "negation.toml, field forbidden: a word is empty."),
        (
            NEGATION.replace('title = "Negated question"', 'title = ""'),
            "negation.toml, field title: the value is empty.",
        ),
        (
            NEGATION.replace('forbidden = ["not", "except"]', ""),
            "negation.toml, field forbidden: set at least one of",
        ),
        (NEGATION + "shortest = 5\nlongest = 4\n", "negation.toml, field longest: 4 is less than the value"),
        (
            NEGATION.replace("aircop/object", "object"),
            "negation.toml, field tasks: 'object_recognition' does not have the form SET/TASK.",
        ),
        (
            NEGATION + 'fields = ["answer"]\n',
            "negation.toml, field fields[0]: 'answer' is not a valid value.",
        ),
        ("id = ", "negation.toml is not valid TOML: Invalid value (at "),
        ("#" * 70_000, "negation.toml is too large for a check file (limit: 64 kB)."),
    ],
)
def test_check_when_its_file_is_wrong_then_file_and_field_are_told_and_the_others_run(
    project: Path, text: str, message: str
) -> None:
    put(project, text)
    put(project, NEGATION.replace('id = "negation"', 'id = "sound"'), name="sound")
    checks = ProjectChecks(project)
    assert list(checks.own) == ["sound"]
    [fault] = checks.faults
    assert fault.file == "city.checks/negation.toml"
    assert fault.message.startswith(message)


def test_check_when_it_has_the_name_of_one_of_the_product_then_is_refused(project: Path) -> None:
    put(project, NEGATION.replace('id = "negation"', 'id = "missing_media"'), name="missing_media")
    checks = ProjectChecks(project)
    assert checks.all["missing_media"] is CHECKS["missing_media"]
    assert [fault.message for fault in checks.faults] == [
        "missing_media.toml, field id: 'missing_media' is the id of a built-in check."
    ]


def test_task_set_when_it_names_an_unknown_check_then_the_place_is_told(project: Path) -> None:
    put_task_set(project, "rooftops.toml", ROOFTOPS.replace('checks = ["req', 'checks = ["negtion", "req'))
    [first, *_] = ProjectChecks(project).faults
    assert first.file == "city.tasksets/rooftops.toml"
    assert first.message.startswith("task roof_material, field checks: 'negtion' is unknown; available: ")


@pytest.mark.parametrize(
    ("line", "place", "said"),
    [
        ('severity = "fatal"', "severity", "'fatal' is not a valid value"),
        ('fields = ["answer"]', "fields[0]", "'answer' is not a valid value"),
        ("forbidden = [3]", "forbidden[0]", "expected text, got a whole number"),
        ('tasks = ["aircop/nope"]', "tasks", "'aircop/nope' does not exist"),
        ('task_sets = ["nope"]', "task_sets", "'nope' does not exist"),
    ],
)
def test_check_when_a_value_is_wrong_then_line_and_field_are_told_in_plain_words(
    project: Path, line: str, place: str, said: str
) -> None:
    field = line.partition(" ")[0]
    lines = [one for one in NEGATION.splitlines() if not one.startswith(field)] + [line]
    if field == "task_sets":
        lines = [one for one in lines if not one.startswith("tasks")]
    put(project, "\n".join(lines))
    [fault] = ProjectChecks(project).faults
    assert fault.message == f"negation.toml, field {place}: {said}."
    assert fault.line == len(lines)


def test_check_when_it_is_the_example_of_the_documents_then_it_works(
    project: Path, make_item: Callable[..., Item]
) -> None:
    page = (REPO / "docs" / "checks.md").read_text(encoding="utf-8")
    put(project, page.partition("```toml\n")[2].partition("```")[0])
    assert ProjectChecks(project).faults == ()
    assert found(project, make_item("not this", "that")) == "The text contains 'not'."


def test_checks_when_run_then_own_ones_raise_flags_and_broken_files_are_in_the_report(
    project: Path, make_item: Callable[..., Item]
) -> None:
    put(project, NEGATION)
    put(project, "id = ", name="broken")
    put_task_set(project, "rooftops.toml", ROOFTOPS)
    asked = make_item(id=new_id(), question="Which of these cars does not move at all?")
    roof = make_item(id=new_id(), name="roof", task_set="rooftops", task="roof_material", question="")
    with Session.create(project) as session:
        write(session, created("item", asked), created("item", roof))
        command = RecordFindings()
        session.execute(command).result()
        [flag] = session.reader.find(Flag, kind="negation")
        assert (flag.target, flag.message) == (asked.id, "The text contains 'not'.")
        # The task of the own set names required_fields, and not missing_media.
        assert [f.kind for f in session.reader.flags_of(roof.id)] == ["required_fields"]
        assert [fault["file"] for fault in command.report.to_json()["own_faults"]] == [
            "city.checks/broken.toml"
        ]
        session.execute(RecordFindings(checks=("negation",))).result()
        with pytest.raises(UserError, match="no check nothing"):
            session.execute(RecordFindings(checks=("nothing",))).result()
