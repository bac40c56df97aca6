from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

import pytest

from annotator.command_summary import TEMPLATES, CommandSummary
from annotator.domain import answers, task_set_files
from annotator.domain.error_label import ErrorLabel
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import FlagState, Severity
from annotator.domain.item import IssueClass, Item, ItemState, Provenance
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.settled_text import SettledText
from annotator.importers.registry import IMPORTERS
from annotator.quality.checks import CHECKS
from annotator.release.exporters import EXPORTERS
from annotator.release.release_filter import NEVER_RELEASED
from tests.gui.test_display_text import REPO, raised_kinds
from widgets import display_text
from widgets.field_text import change_text, maker_text, value_text
from widgets.field_titles import FIELDS, field_title
from widgets.import_wizard import formats
from widgets.library.item_form import MADE_BY
from widgets.library.record_types import RECORD_TYPES
from widgets.translation import set_language, tr

CODE = re.compile(r"\b[a-z]+_[a-z_]+\b|[{}]|\b[0-9a-f]{32}\b")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
MADE_BY_VALUES = get_args(Provenance.__annotations__["made_by"]) or tuple(MADE_BY)
SETS = task_set_files.builtin_ids()


def refusals() -> set[str]:
    """Return the reasons for which export formats refuse records, read from their code."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in (REPO / "annotator/release").rglob("*.py"))
    return {f"format:{kind}" for kind in re.findall(r'refusal_of\(\s*"(\w+)"', text)} | {"format:text"}


def tasks() -> Iterator[str]:
    for name in SETS:
        task_set = task_set_files.builtin(name)
        display_text.load_task_set_titles_of(task_set)
        yield from (f"{name}/{task.id}" for task in task_set.tasks)


def facet_values() -> Iterator[str]:
    """Yield the values that facets list in an order of their own."""
    for kind in RECORD_TYPES.values():
        yield from (facet.title for facet in kind.facets)
        yield from (column.title for column in kind.columns)
        yield from (facet.any_title for facet in kind.facets if facet.any_title)


SHOWN: dict[str, tuple[Callable[[str], str], Iterable[str]]] = {
    "states": (display_text.item_state_title, get_args(ItemState)),
    "stages": (display_text.stage_title, display_text.STAGES),
    "healths": (display_text.health_title, display_text.HEALTHS),
    "kinds of media": (display_text.media_kind_title, display_text.MEDIUM_KINDS),
    "severities": (lambda value: tr(display_text.SEVERITIES[value]), get_args(Severity)),
    "states of flags": (lambda value: tr(display_text.FLAG_STATES[value]), get_args(FlagState)),
    "origins of flags": (display_text.origin_title, ("import", "check", "blind", "consensus", "hand")),
    "kinds of flags": (display_text.flag_kind_title, sorted(raised_kinds() | set(CHECKS))),
    "reasons of releases": (
        display_text.withheld_reason_text,
        sorted(
            refusals()
            | {f"state:{state}" for state in NEVER_RELEASED}
            | {f"fork:{field}" for field in (*Item.__struct_fields__, "flag") if field != "id"}
        ),
    ),
    "answer formats": (display_text.format_title, sorted(answers.formats())),
    "import formats": (formats.format_title, sorted(IMPORTERS)),
    "export formats": (lambda value: tr(EXPORTERS[value].title), sorted(EXPORTERS)),
    "origins of items": (lambda value: tr(MADE_BY[value]), MADE_BY),
    "facets and columns": (tr, sorted(set(facet_values()))),
    "issue classes": (lambda value: value_text("issue_classes", [value]), get_args(IssueClass)),
    "fields": (field_title, sorted(FIELDS)),
}


@pytest.mark.parametrize("what", SHOWN)
def test_titles_of_everything_shown_then_are_no_codes_and_are_there_in_both_languages(what: str) -> None:
    word, values = SHOWN[what]
    known = list(values)
    assert known
    assert [value for value in known if CODE.search(word(value))] == []
    set_language("zh")
    assert [value for value in known if not CHINESE.search(word(value))] == []


def test_titles_of_tasks_and_values_then_are_there_in_both_languages() -> None:
    known = list(tasks())
    assert [task for task in known if CODE.search(display_text.task_label(task, shared=()))] == []
    set_language("zh")
    assert [task for task in known if not CHINESE.search(display_text.task_label(task, shared=()))] == []
    for name in SETS:
        assert CHINESE.search(display_text.task_set_title(name))
        for values, listed in task_set_files.builtin(name).value_lists.items():
            assert [
                v.id for v in listed if not CHINESE.search(display_text.listed_value_title(values, v.id))
            ] == []


@pytest.mark.parametrize(
    "record", [ErrorLabel, EventLabel, Item, Medium, Polyline, Region, Scene, SettledText]
)
def test_fields_of_records_that_are_shown_then_all_have_titles(record: type) -> None:
    # The id never changes, so that no history has it.
    assert sorted(set(record.__struct_fields__) - {"id"} - set(FIELDS)) == []


def test_made_by_of_items_then_all_have_titles() -> None:
    assert set(MADE_BY) == set(MADE_BY_VALUES)


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("state", '"in_refinement"', "State → In refinement"),
        ("answer_key", '"B"', "Answer key → B"),
        ("question", '""', "Question → empty"),
        ("options", '[{"letter":"A","text":"4"},{"letter":"B","text":"7"}]', "Options → A  4, B  7"),
        ("degradations", '["out_of_fov"]', "Degradation → Out of the field of view"),
        ("usable", "false", "Usable → no"),
        ("who", "null", "Who → none"),
        ("media", '["0190a1b2c3d4e5f60190a1b2c3d4e5f6"]', "Media changed"),
        ("tags", '["night","rain"]', "Tags → night, rain"),
        ("metadata", '{"wind_speed":4.5}', "Metadata → Wind speed 4.5"),
        (
            "question",
            "",
            "Question → this value cannot be read: it is damaged or larger than 256 MB. Verify the project",
        ),
        ("question", '"How many \\"red\\u201', 'Question → How many "red'),
        ("options", '[{"letter":"A","te', "Options changed"),
    ],
)
def test_change_text_when_a_field_changed_then_has_neither_code_nor_json(
    field: str, value: str, text: str
) -> None:
    display_text.load_task_set_titles(("aircop",))
    assert change_text(field, value) == text


def test_field_title_when_it_is_about_one_box_then_counts_from_one() -> None:
    assert field_title("issue_boxes[2]") == "Issue boxes 3"
    assert field_title("Collaboration_who") == "Collaboration_who"


def test_value_text_when_long_then_is_cut() -> None:
    assert len(value_text("question", "x" * 500)) < 170


@pytest.mark.parametrize(
    ("maker", "text"),
    [
        ("aircop-questions", IMPORTERS["aircop-questions"].title),
        ("object_counting@2", "Object counting, version 2"),
        ("urbanvideo/causal@1 SmolLM2", "Causal, version 1 SmolLM2"),
    ],
)
def test_maker_text_when_shown_then_is_a_title_with_its_version(maker: str, text: str) -> None:
    assert maker_text(maker) == text


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (CommandSummary.of("edit_field", name="answer_format"), "Edit Answer format"),
        (CommandSummary.of("set_state", count=2, state="in_refinement"), "Set 2 items to In refinement"),
        (CommandSummary.of("draft_items", name="aircop"), "Draft AirCopBench items by rule"),
        (
            CommandSummary.of("release", name="aircop-labels"),
            f"Release as {EXPORTERS['aircop-labels'].title}",
        ),
    ],
)
def test_command_summary_text_when_a_parameter_is_an_id_then_shows_its_title(
    summary: CommandSummary, text: str
) -> None:
    display_text.load_task_set_titles(("aircop",))
    assert display_text.command_summary_text(summary) == text


FREE_TEXTS = {"add_media", "derive_images", "import_file", "merge_bundle", "set_licence", "set_offset"}
"""Commands whose names are those of files, views and people's own words."""


def test_parameters_of_commands_when_they_hold_ids_then_all_have_titles() -> None:
    named = {code for code, template in TEMPLATES.items() if re.search(r"\{(name|state)\}", template.many)}
    assert named == set(display_text.PARAMETER_TEXTS) | FREE_TEXTS
