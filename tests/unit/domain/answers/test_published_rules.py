"""Compatible mode against the published rules, written here a second time in their plainest form.

The oracle below shares no code with the product. It is compared on thousands of generated texts that are made
of what the rules trip over: signs, digits of other scripts, articles, marks, brackets, Chinese.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode
from tests.unit.domain.answers.offered import lettered

Outcome = tuple[float, bool]

PIECES = [
    *[
        "Region",
        "region ",
        "Regions ",
        " and ",
        ", ",
        ",",
        "-",
        " - ",
        "–",
        "−",
        "1",
        "2",
        "3",
        "12",
        "0",
        "-7",
    ],
    *[
        "269.4",
        ".5",
        "1e2",
        "+3",
        "4.",
        "３",
        "٣",
        " o'clock",
        "Direction ",
        "A",
        "B",
        "C",
        "D",
        "a ",
        "b",
        "E",
    ],
    *[
        " car in ",
        "option ",
        "Option: ",
        "Option: [",
        "]",
        "(",
        ")",
        "Answer: ",
        "THE ANSWER IS ",
        ":",
        ".",
        "é",
    ],
    *[
        "the answer is",
        "\n",
        " ",
        "x1=",
        "y2=",
        "[",
        "<think>",
        "</think>",
        "Unable",
        "degrees",
        " degrees, ",
    ],
    *[
        " meters",
        "选项",
        "答案：",
        "，",
        "；",
        "**",
        "ß",
        "drone",
        "rises",
        "The",
        "none",
        "N/A",
        "None",
        "_",
        "\t",
    ],
]


def make_texts(count: int, *, seed: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(PIECES, k=draw.randint(0, 8))) for _ in range(count)]


def plain_ints(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"-?\d+", text)]


def plain_regions(prediction: str, key: str) -> Outcome:
    guess, truth = set(plain_ints(prediction)), set(plain_ints(key))
    recall = len(guess & truth) / len(truth) if truth else 0.0
    return (0.0 if len(guess) > len(truth) else recall), guess == truth


def plain_list(prediction: str, key: str) -> Outcome:
    same = plain_ints(prediction) == plain_ints(key)
    return float(same), same


def plain_first(prediction: str, key: str) -> Outcome:
    first = [numbers[0] if numbers else None for numbers in map(plain_ints, (prediction, key))]
    return float(first[0] == first[1]), first[0] == first[1]


def plain_f1(guess: list[object], truth: list[object]) -> float:
    hits = sum((Counter(guess) & Counter(truth)).values())
    precision = hits / len(guess) if guess else 0.0
    recall = hits / len(truth) if truth else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def plain_pairs(prediction: str, key: str) -> Outcome:
    found = [re.findall(r"(\d+)\s*-\s*(\d+)", text) for text in (prediction, key)]
    guess, truth = [[(int(a), int(b)) for a, b in pairs] for pairs in found]
    return plain_f1(guess, truth), Counter(guess) == Counter(truth)


def plain_box(text: str) -> tuple[int, int, int, int] | None:
    numbers = plain_ints(text)[:4]
    if len(numbers) < 4:
        return None
    (left, right), (top, bottom) = sorted(numbers[0::2]), sorted(numbers[1::2])
    return left, top, right, bottom


def plain_object_matching(prediction: str, key: str) -> Outcome:
    truth, guess = plain_box(key), plain_box(prediction)
    if truth is None:
        return plain_list(prediction, key)
    if guess is None:
        return 0.0, False
    l1, t1, r1, b1 = guess
    l2, t2, r2, b2 = truth
    shared = max(0, min(r1, r2) - max(l1, l2)) * max(0, min(b1, b2) - max(t1, t2))
    union = (r1 - l1) * (b1 - t1) + (r2 - l2) * (b2 - t2) - shared
    iou = shared / union if union > 0 else 0.0
    w1, h1, w2, h2 = [max(side, 1e-6) for side in (r1 - l1, b1 - t1, r2 - l2, b2 - t2)]
    off = math.hypot((l1 + r1) / 2.0 - (l2 + r2) / 2.0, (t1 + b1) / 2.0 - (t2 + b2) / 2.0)
    center = max(0.0, 1.0 - off / max(math.hypot(w2, h2), 1e-6))
    size = (min(w1, w2) / max(w1, w2) + min(h1, h2) / max(h1, h2)) / 2.0
    passed = 0.5 * iou + 0.25 * center + 0.25 * size >= 0.5
    return float(passed), passed


def plain_camera(prediction: str, key: str) -> Outcome:
    pattern = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
    guess, truth = [[float(found) for found in re.findall(pattern, text)] for text in (prediction, key)]
    if len(guess) != len(truth) or len(guess) not in {1, 2}:
        return 0.0, False
    turn = abs(guess[0] % 360.0 - truth[0] % 360.0) % 360.0
    passed = min(turn, 360.0 - turn) <= 10.0
    if len(guess) == 2:
        passed = passed and abs(guess[1] - truth[1]) <= 10.0
    return float(passed), passed


def plain_spatialuav_letter(text: str) -> str | None:
    found = re.search(r"\b([A-D])\b", text.upper())
    return found.group(1) if found else None


def plain_spatialuav(prediction: str, key: str) -> Outcome:
    same = plain_spatialuav_letter(prediction) == plain_spatialuav_letter(key)
    return float(same), same


def plain_aircop_letter(text: str) -> str | None:
    """The letter, None where the script would draw one at random."""
    opened = text.rfind("<think>")
    if opened != -1:
        text = text[opened + len("</think>") :].strip()
    shouted = text.strip().upper()
    for before, after in (
        (r"ANSWER:\s*", ""),
        (r"THE ANSWER IS\s*", ""),
        (r"\(", r"\)"),
        ("^", ":"),
        (r"OPTION\s*", ""),
        ("", r"\s*\.?\s*$"),
    ):
        found = re.search(f"{before}([ABCD]){after}", shouted, re.MULTILINE)
        if found:
            return found.group(1)
    return next((character for character in shouted if character in "ABCD"), None)


def plain_aircop(prediction: str, key: str) -> Outcome:
    same = plain_aircop_letter(prediction) == key
    return float(same), same


def plain_urbanvideo(prediction: str, key: str) -> Outcome:
    if prediction in {"", "None", "N/A"}:
        return 0.0, False
    found = re.search(r"Option:\s*[\[\s]*(\w)", prediction)
    letter = found.group(1) if found else prediction[0].upper()
    return float(letter == key), letter == key


def plain_words(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().lower())


def plain_text(prediction: str, key: str) -> Outcome:
    guess, truth = [re.findall(r"[a-z0-9]+", plain_words(text)) for text in (prediction, key)]
    return plain_f1(guess, truth), plain_words(prediction) == plain_words(key)


ORACLES: dict[str, Callable[[str, str], Outcome]] = {
    "region_set": plain_regions,
    "region_label": plain_list,
    "clock": plain_first,
    "direction_label": plain_first,
    "pair_list": plain_pairs,
    "bbox": plain_object_matching,
    "angle": plain_camera,
    "angle_distance": plain_camera,
    "free_text": plain_text,
    "instruction_text": plain_text,
}
LETTER_ORACLES: dict[LetterRules, Callable[[str, str], Outcome]] = {
    LetterRules.SPATIALUAV: plain_spatialuav,
    LetterRules.AIRCOP: plain_aircop,
    LetterRules.URBANVIDEO: plain_urbanvideo,
}
# Keys of the right shape, so that scores other than "nothing equals nothing" come up often.
KEYS = {
    "region_set": ["Region 3, 4.", "Region 1, 2, 12", "Region 0"],
    "region_label": ["Region 3", "Region 1, 2"],
    "clock": ["2 o'clock", "8 o'clock."],
    "direction_label": ["Direction 3"],
    "pair_list": ["3-15, 4-5", "1-2", "2-3, 1-2, 1-2"],
    "bbox": ["[1, 2, 12, 3]", "[3, 3, 0, 1]", "Region 3", "[1, 1, 1, 1]"],
    "angle": ["269.4 degrees", "3.0 degrees", "-7.0 degrees"],
    "angle_distance": ["-7.0 degrees, 3.0 meters", "12.0 degrees, -7.0 meters"],
    "free_text": ["The drone rises and a car", "none"],
    "instruction_text": ["The drone\nrises"],
}


def compatible(format_id: str, prediction: str, key: str, context: AnswerContext) -> Outcome:
    score = answers.get(format_id).score(prediction, key, context=context, mode=Mode.COMPATIBLE)
    return score.score, score.is_correct


@pytest.mark.parametrize("format_id", ORACLES)
def test_compatible_score_when_compared_with_plain_rules_then_equal(format_id: str) -> None:
    predictions = make_texts(4000, seed=1) + [
        f"{a}, {b}" for a in KEYS[format_id] for b in make_texts(300, seed=2)
    ]
    keys = KEYS[format_id] * 8 + make_texts(40, seed=3)
    predictions += keys * 40
    draw = random.Random(4)
    seen = Counter[Outcome]()
    for prediction in predictions:
        key = draw.choice(keys)
        expected = ORACLES[format_id](prediction, key)
        assert compatible(format_id, prediction, key, AnswerContext()) == expected, (prediction, key)
        seen[expected] += 1
    assert seen[1.0, True] >= 20, "the texts never met a key"
    assert seen[0.0, False] > 20, "the texts never missed a key"


@pytest.mark.parametrize("rules", LetterRules)
@pytest.mark.parametrize("offered", [2, 4, 9])
def test_compatible_letter_when_compared_with_plain_rules_then_equal(
    rules: LetterRules, offered: int
) -> None:
    context = lettered(offered, letter_rules=rules)
    draw = random.Random(5)
    seen = Counter[Outcome]()
    for prediction in make_texts(4000, seed=6):
        key = draw.choice(["A", "B", "C", "D", "E", "A, B", "unclear", "Answer: A"])
        expected = LETTER_ORACLES[rules](prediction, key)
        assert compatible("option_letter", prediction, key, context) == expected, (prediction, key)
        seen[expected] += 1
    assert seen[1.0, True] > 50
    assert seen[0.0, False] > 50


@given(prediction=st.text(max_size=60), key=st.text(max_size=60))
def test_compatible_score_when_any_text_then_equals_plain_rules(prediction: str, key: str) -> None:
    for format_id, oracle in ORACLES.items():
        assert compatible(format_id, prediction, key, AnswerContext()) == oracle(prediction, key), format_id
    for rules, oracle in LETTER_ORACLES.items():
        context = AnswerContext(letter_rules=rules)
        assert compatible("option_letter", prediction, key, context) == oracle(prediction, key), rules


BOXES = st.lists(st.integers(-50, 300), min_size=4, max_size=5)


@given(guess=BOXES, truth=BOXES)
def test_compatible_box_when_any_integers_then_equals_plain_rules(guess: list[int], truth: list[int]) -> None:
    assert compatible("bbox", str(guess), str(truth), AnswerContext()) == plain_object_matching(
        str(guess), str(truth)
    )


ANGLES = st.floats(-720, 720).map(lambda angle: round(angle, 1))


@given(guess=ANGLES, offset=st.sampled_from([0, 5, 9.9, 10, 10.1, 350, -10, 180]), move=ANGLES)
def test_compatible_camera_when_near_the_limits_then_equals_plain_rules(
    guess: float, offset: float, move: float
) -> None:
    prediction, key = f"{guess} degrees, {move} meters", f"{guess + offset} degrees, {move + 10} meters"
    assert compatible("angle_distance", prediction, key, AnswerContext()) == plain_camera(prediction, key)
    alone = f"{guess} degrees", f"{guess + offset} degrees"
    assert compatible("angle", *alone, AnswerContext()) == plain_camera(*alone)
