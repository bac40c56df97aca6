"""The table of differences in docs/answers.md, row by row against the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode, Score
from tests.unit.domain.answers.offered import lettered

PAGE = Path(__file__).resolve().parents[4] / "docs" / "answers.md"


def rows_of(heading: str, page: str) -> list[list[str]]:
    section = page.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows[2:]]


TEXT = PAGE.read_text(encoding="utf-8")
DIFFERENCES = rows_of("## Differences", TEXT)


def outcome(score: Score) -> str:
    parts = [f"{score.score:.3g} {'right' if score.is_correct else 'wrong'}"]
    parts += ["unparsed"] if not score.is_parsed else []
    parts += ["not counted"] if not score.is_counted else []
    return ", ".join(parts)


def test_differences_when_read_then_every_format_is_there() -> None:
    assert len(DIFFERENCES) >= 45
    named = {row[0].split(" ")[0] for row in DIFFERENCES}
    assert named == {answer_format.id for answer_format in answers.formats().values()}


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: f"{row[0]}: {row[1]}")
def test_difference_when_scored_then_page_tells_the_outcome(row: list[str]) -> None:
    name, reply, key, compatible, strict, why = row
    match = re.fullmatch(r"(\w+)(?: \((\w+)\))?", name)
    assert match is not None
    answer_format = answers.get(match[1])
    context = AnswerContext()
    if match[1] == "option_letter":
        context = lettered(4, letter_rules=LetterRules(match[2]))
    assert outcome(answer_format.score(reply, key, context=context, mode=Mode.COMPATIBLE)) == compatible
    score = answer_format.score(reply, key, context=context)
    assert outcome(score) == strict
    assert score.is_key_parsed == (
        "key cannot be read" not in why and "that is the format" not in why and "it cannot be read" not in why
    )


def test_overview_when_read_then_canonical_texts_are_canonical() -> None:
    overview = {row[0]: row[1] for row in rows_of("# Answer formats", "\n" + TEXT)}
    assert set(overview) == {answer_format.id for answer_format in answers.formats().values()}
    examples = {
        name: text for name, text in overview.items() if name not in ("free_text", "instruction_text")
    }
    assert {name: answers.get(name).canonical(text) for name, text in examples.items()} == examples
