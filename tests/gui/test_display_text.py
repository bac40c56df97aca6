from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.comments import WriteComment
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.commands.tags import ChangeTags
from annotator.domain import answers, task_set_files
from annotator.domain.item import ItemState
from annotator.domain.rows import HistoryEntry
from annotator.importers.registry import IMPORTERS
from annotator.quality.checks import CHECKS
from tests.item_fields import SetItemField
from tests.unit.domain.test_task_set_catalogue import ROOFTOPS
from tests.unit.quality.test_team_checks import NEGATION
from widgets import display_text
from widgets.import_wizard import formats
from widgets.translation import set_language

REPO = Path(__file__).resolve().parents[2]


def raised_kinds() -> set[str]:
    """Return the kinds of flags that importers and checks raise, read from their code."""
    files = [REPO / "annotator/domain/contradictions.py", *(REPO / "annotator/importers").glob("*.py")]
    files += (REPO / "annotator/commands").glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r'(?:Flag|Contradiction)\(\s*kind="(\w+)"', text))
    found |= set(re.findall(r'_flag\("(\w+)"', text))
    found |= set(re.findall(r'"(\w+_without_rect|medium_(?:missing|changed|damaged))"', text))
    return found


def test_flag_words_when_compared_with_what_is_raised_then_lack_none() -> None:
    assert len(raised_kinds()) > 30
    assert sorted(raised_kinds() - set(display_text.FLAG_KINDS) - set(CHECKS)) == []


def test_flag_kind_title_when_a_check_raised_it_then_is_the_title_of_the_check() -> None:
    assert [display_text.flag_kind_title(check) for check in CHECKS] == [
        check.title for check in CHECKS.values()
    ]
    assert set(CHECKS).isdisjoint(display_text.FLAG_KINDS)


def test_learn_sets_when_files_lie_beside_the_project_then_their_titles_are_shown(tmp_path: Path) -> None:
    for folder, name, text in (("tasksets", "rooftops", ROOFTOPS), ("checks", "negation", NEGATION)):
        (tmp_path / f"city.{folder}").mkdir()
        (tmp_path / f"city.{folder}" / f"{name}.toml").write_text(text, encoding="utf-8")
    display_text.load_task_set_titles(("rooftops",), project=tmp_path / "city.vantage")
    assert display_text.task_set_title("rooftops") == "Rooftop survey"
    assert display_text.task_title("solar_roofs", "rooftops") == "Solar Roofs"
    assert display_text.flag_kind_title("negation") == "Negated question"


def test_states_when_compared_with_the_domain_then_are_the_same() -> None:
    assert tuple(display_text.STATES) == ItemState.__args__


def test_format_title_when_the_format_is_known_then_is_its_title() -> None:
    assert display_text.format_title("pair_list") == answers.get("pair_list").title == "List of pairs"
    assert display_text.format_title("of_a_later_version") == "Of a later version"


def test_import_formats_when_shown_then_are_the_titles_of_the_importers() -> None:
    assert [formats.format_title(name) for name in IMPORTERS] == [entry.title for entry in IMPORTERS.values()]
    assert formats.format_title("of-a-later-version") == "of-a-later-version"


@pytest.mark.parametrize(
    "summary",
    [
        SetItemField(item="", field="answer_key", value="A").summary,
        ChangeState(items=("1", "2"), state="rejected", reason="x").summary,
        ChangeState(items=("1",), state="drafted").summary,
        ChangeState(items=("1",), state="accepted").summary,
        DecideFlags(flags=("1",), state="resolved").summary,
        DecideFlags(flags=("1", "2"), state="dismissed", resolution="x").summary,
        DecideFlags(flags=("1",), state="open").summary,
        ChangeTags(scenes=("1",)).summary,
        WriteComment(entity="item", target="1", text="x").summary,
    ],
)
def test_summary_of_every_gesture_then_has_chinese(summary: CommandSummary) -> None:
    set_language("zh")
    assert display_text.command_summary_text(summary) != str(summary)


def test_task_title_when_the_set_was_learned_then_is_its_title() -> None:
    display_text.load_task_set_titles_of(task_set_files.builtin("aircop"))
    assert display_text.task_title("scene_description", "aircop") == "Scene Description"
    assert display_text.listed_value_title("quality", "excellent") == "Excellent"
    set_language("zh")
    assert display_text.task_title("scene_description", "aircop") == "场景描述"


def test_words_when_an_id_is_unknown_then_are_made_of_it() -> None:
    assert display_text.flag_kind_title("seen_by_nobody") == "Seen by nobody"
    assert display_text.task_title("own_task", "own_set") == "Own task"
    assert display_text.task_title("") == "No task"
    assert display_text.listed_value_title("quality", "as it came") == "as it came"


def test_history_text_when_undone_then_says_so() -> None:
    entry = HistoryEntry(
        event="1",
        command="2",
        code="check_items",
        parameters={},
        kind="undo",
        actor="a",
        wall_time="",
        field="*",
        value="",
    )
    assert display_text.history_text(entry) == "Undo: Check items"
