from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.records import ChangeState, DecideFlags, EditItem, WriteComment
from annotator.commands.tags import ChangeTags
from annotator.domain import answers, tasksets
from annotator.domain.item import State
from annotator.domain.rows import HistoryEntry
from annotator.quality.checks import CHECKS
from annotator.release.forms import FORMS
from annotator.sources.registry import readers
from widgets import release_sheet, words
from widgets.import_wizard import formats
from widgets.translation import set_language

REPO = Path(__file__).resolve().parents[2]


def raised_kinds() -> set[str]:
    """Return the kinds of flags that importers and checks raise, read from their code."""
    files = [REPO / "annotator/domain/contradictions.py", *(REPO / "annotator/sources").glob("*.py")]
    files += (REPO / "annotator/commands").glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r'(?:Flag|Contradiction)\(\s*kind="(\w+)"', text))
    found |= set(re.findall(r'_flag\("(\w+)"', text))
    found |= set(re.findall(r'"(\w+_without_rect|medium_(?:missing|changed|damaged))"', text))
    return found


def test_flag_words_when_compared_with_what_is_raised_then_lack_none() -> None:
    assert len(raised_kinds()) > 30
    assert sorted(raised_kinds() - set(words.FLAG_KINDS) - set(CHECKS)) == []


def test_flag_word_when_a_check_raised_it_then_is_the_title_of_the_check() -> None:
    assert [words.flag_word(check) for check in CHECKS] == [check.title for check in CHECKS.values()]
    assert set(CHECKS).isdisjoint(words.FLAG_KINDS)


def test_states_when_compared_with_the_domain_then_are_the_same() -> None:
    assert tuple(words.STATES) == State.__args__


def test_formats_when_compared_with_the_answer_formats_then_lack_none() -> None:
    assert sorted({one.id for one in answers.all_formats()} - set(words.FORMATS)) == []


def test_import_formats_when_compared_with_the_readers_then_are_the_same() -> None:
    assert set(formats.FORMATS) == set(readers())


def test_release_forms_when_compared_with_the_exporters_then_are_the_same() -> None:
    assert set(release_sheet.FORMS) == set(FORMS)


@pytest.mark.parametrize(
    "summary",
    [
        EditItem(item="", field="key", value="A").summary,
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
    assert words.summary_word(summary) != str(summary)


def test_task_word_when_the_set_was_learned_then_is_its_title() -> None:
    words.learn(tasksets.builtin("aircop"))
    assert words.task_word("scene_description", "aircop") == "Scene Description"
    assert words.value_word("quality", "excellent") == "Excellent"
    set_language("zh")
    assert words.task_word("scene_description", "aircop") == "场景描述"


def test_words_when_an_id_is_unknown_then_are_made_of_it() -> None:
    assert words.flag_word("seen_by_nobody") == "Seen by nobody"
    assert words.task_word("own_task", "own_set") == "Own task"
    assert words.task_word("") == "No task"
    assert words.value_word("quality", "as it came") == "as it came"


def test_history_word_when_undone_then_says_so() -> None:
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
    assert words.history_word(entry) == "Undo: Check items"
