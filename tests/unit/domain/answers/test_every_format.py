"""What holds for all formats alike: round trips, no exception on any text, honest reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, AnswerFormat, LetterRules, Mode
from annotator.domain.answers.angle_distance import CameraMove
from annotator.domain.answers.pair_list import RegionPair
from annotator.domain.item import LETTERS, Option
from annotator.domain.region import Box
from tests.unit.domain.answers.offered import lettered

IDS = st.integers(0, 999_999)
SENTENCES = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROOM = AnswerContext(
    options=tuple(
        Option(letter=letter, text=text)
        for letter, text in zip(
            LETTERS, ["bed", "chair", "dining table", "table", "a lamp, not lit", "--", "沙发"], strict=False
        )
    )
)

CORNERS = st.floats(-900_000, 900_000)
SIDES = st.floats(0.001, 100_000)


def make_box(x1: float, y1: float, width: float, height: float) -> Box:
    return Box(x1=x1, y1=y1, x2=x1 + width, y2=y1 + height)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "region_set": st.frozensets(IDS, min_size=1, max_size=8),
    "region_label": st.lists(IDS, min_size=1, max_size=5, unique=True).map(tuple),
    "clock": st.integers(1, 12),
    "direction_label": st.integers(1, 6),
    "option_letter": st.sampled_from(LETTERS),
    "pair_list": st.frozensets(st.builds(RegionPair, IDS, IDS), min_size=1, max_size=8),
    "bbox": st.builds(make_box, CORNERS, CORNERS, SIDES, SIDES),
    "angle": st.floats(-360, 360),
    "angle_distance": st.builds(CameraMove, angle_deg=st.floats(-360, 360), distance_m=NUMBERS),
    "free_text": SENTENCES,
    "span_set": st.frozensets(st.sampled_from([option.text for option in ROOM.options]), min_size=1),
    "instruction_text": st.lists(SENTENCES, min_size=1, max_size=4).map(tuple),
}
CONTEXTS = {"option_letter": lettered(9), "span_set": ROOM}
EVERY = {answer_format.id: answer_format for answer_format in answers.formats().values()}


def test_formats_when_listed_then_the_twelve() -> None:
    assert sorted(EVERY) == sorted(VALUES)
    assert all(EVERY[format_id].title for format_id in EVERY)


@pytest.mark.parametrize("format_id", VALUES)
@given(data=st.data())
def test_round_trip_when_value_is_valid_then_same_value(format_id: str, data: st.DataObject) -> None:
    answer_format, context = EVERY[format_id], CONTEXTS.get(format_id, AnswerContext())
    value = data.draw(VALUES[format_id])
    assume(not answer_format.validate(value, context=context))
    text = answer_format.render(value)
    assert answer_format.parse(text, context=context).value == value
    assert answer_format.canonical(text, context=context) == text


@pytest.mark.parametrize("format_id", VALUES)
@given(data=st.data())
def test_score_when_prediction_is_the_canonical_key_then_full(format_id: str, data: st.DataObject) -> None:
    answer_format, context = EVERY[format_id], CONTEXTS.get(format_id, AnswerContext())
    value = data.draw(VALUES[format_id])
    assume(not answer_format.validate(value, context=context))
    key = answer_format.render(value)
    score = answer_format.score(key, key, context=context)
    # "--" is an option without words: an exact match of it alone shares no word.
    assert score.is_correct
    assert score.is_parsed
    assert score.score == pytest.approx(1.0) or value == frozenset({"--"})


HOSTILE_PIECES = [
    *[
        "Region ",
        "region",
        "1",
        "-2",
        "3.5",
        "1e999",
        "٣",
        "①",
        "½",
        "\ud800",
        "\x00",
        "<think>",
        "</think>",
        "Answer: ",
    ],
    *[
        "\\boxed{",
        "}",
        "Option: ",
        "选项",
        "答案：",
        "A",
        "I",
        "a",
        " and ",
        ", ",
        "\n",
        "- ",
        "9" * 5000,
        "点",
        "°",
    ],
    *[" or ", " not ", "[", "]", "(", '"', " to ", " degrees", " m", "o'clock", "Direction "],
]
HOSTILE = st.one_of(
    st.text(max_size=80),
    st.text("0123456789-–.,:;()[]{} \n\\/'\"*_#~&%°", max_size=60),
    st.lists(st.sampled_from(HOSTILE_PIECES), max_size=10).map("".join),
)


@given(prediction=HOSTILE, key=HOSTILE, rules=st.sampled_from(LetterRules))
def test_parse_and_score_when_any_text_then_never_raise(
    prediction: str, key: str, rules: LetterRules
) -> None:
    context = msgspec.structs.replace(ROOM, letter_rules=rules)
    for answer_format in EVERY.values():
        for mode in Mode:
            parsed = answer_format.parse(prediction, context=context, mode=mode)
            assert parsed.is_parsed == (parsed.reason == "")
            score = answer_format.score(prediction, key, context=context, mode=mode)
            assert 0.0 <= score.score <= 1.0
            assert score.is_parsed or score.reason
            assert score.is_key_parsed or score.reason
            # A score is stored and exported as JSON, which has no NaN and no infinity.
            assert None not in msgspec.json.decode(msgspec.json.encode(score)).get("details", {}).values()


@given(text=HOSTILE)
def test_strict_value_when_read_from_any_text_then_canonical_form_reads_back(text: str) -> None:
    for answer_format in EVERY.values():
        for context in (AnswerContext(), ROOM):
            canonical = answer_format.canonical(text, context=context)
            value = answer_format.parse(text, context=context).value
            assert (canonical is None) == (value is None)
            if value is not None and not answer_format.validate(value, context=context):
                assert answer_format.parse(str(canonical), context=context).value == value


@pytest.mark.parametrize("format_id", VALUES)
@pytest.mark.parametrize("text", ["", " ", "\n", "???", "<think>Region 3, B, 2 o'clock"])
def test_strict_score_when_reply_says_nothing_then_unparsed_with_reason(format_id: str, text: str) -> None:
    context = CONTEXTS.get(format_id, AnswerContext())
    keys = {
        "region_set": "Region 3",
        "region_label": "Region 3",
        "clock": "3 o'clock",
        "direction_label": "Direction 3",
    }
    keys |= {"option_letter": "A", "pair_list": "1-2", "bbox": "[1, 2, 3, 4]", "angle": "3.0 degrees"}
    keys |= {
        "angle_distance": "3.0 degrees, 1.0 meters",
        "free_text": "up",
        "span_set": '["bed"]',
        "instruction_text": "up",
    }
    score = EVERY[format_id].score(text, keys[format_id], context=context)
    assert (score.score, score.is_correct, score.is_parsed, score.is_key_parsed) == (0.0, False, False, True)
    assert score.reason
    assert score.reason == EVERY[format_id].parse(text, context=context).reason


@pytest.mark.parametrize("format_id", VALUES)
def test_strict_score_when_key_cannot_be_read_then_item_is_unscorable(format_id: str) -> None:
    score = EVERY[format_id].score("3", "", context=CONTEXTS.get(format_id, AnswerContext()))
    assert not score.is_key_parsed
    assert score.is_parsed
    assert score.reason.startswith("Answer key: ")


def test_format_when_given_an_attribute_then_refused() -> None:
    with pytest.raises(AttributeError):
        EVERY["clock"].note = "x"  # type: ignore[attr-defined]


TASK_FORMATS = {
    "Region_Recognition": ["region_set"],
    "Anomaly_Detection": ["region_set"],
    "Distance_Comparison": ["region_label"],
    "A2A_Occlusion_Removal": ["region_label"],
    "A2G_View_Translation": ["region_label"],
    "Direction_Recognition": ["clock"],
    "A2G_Path_Planning": ["direction_label"],
    "A2A_Collaboration_Recognition": ["option_letter"],
    "A2G_Collaboration_Recognition": ["option_letter"],
    "A2A_Shared_Association": ["pair_list"],
    "A2G_Shared_Association": ["pair_list"],
    "A2A_Object_Matching": ["bbox", "region_label"],
    "A2A_Camera_Transformation": ["angle", "angle_distance"],
    "Motion_Understanding": ["free_text"],
}


def test_published_keys_when_read_in_their_tasks_format_then_all_are_readable(shared_data: Path) -> None:
    lines = (
        (shared_data / "spatialuav" / "spatialuav_annotations.jsonl").read_text(encoding="utf-8").splitlines()
    )
    rows = [json.loads(line) for line in lines if line.strip()]
    assert {row["id"].rsplit("_", 1)[0] for row in rows} == set(TASK_FORMATS)
    for row in rows:
        candidates = TASK_FORMATS[row["id"].rsplit("_", 1)[0]]
        answer_format: AnswerFormat[Any] = answers.get(answers.format_of_key(candidates, key=row["GT"]))
        parsed = answer_format.parse(row["GT"])
        assert parsed.is_parsed, row
        assert answer_format.validate(parsed.value) == []
        for mode in Mode:
            assert answer_format.score(row["GT"], row["GT"], mode=mode).is_correct, row


def test_published_instructions_when_read_as_lines_then_the_same_lists(shared_data: Path) -> None:
    lists = json.loads((shared_data / "indooruav" / "test_vln_seen.json").read_text(encoding="utf-8"))
    instructions = EVERY["instruction_text"]
    for steps in lists.values():
        value = tuple(" ".join(step.split()) for step in steps)
        assert instructions.parse("\n".join(steps)).value == value
        assert instructions.validate(value) == []
