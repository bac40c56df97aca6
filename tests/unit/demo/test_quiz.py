from __future__ import annotations

from collections import Counter

from annotator.demo.quiz import Question, ask, choose_wrong, pose
from annotator.draft.seeded_random import SeededRandom


def _question(number: int) -> Question:
    right, *wrong = [str(number + step) for step in range(4)]
    return Question(
        task_set="topviewrs", task="scene_counting", text="?", media=(), right=right, wrong=tuple(wrong),
    )  # fmt: skip


def test_letters_when_dealt_then_each_is_right_equally_often_in_every_four() -> None:
    posed = list(pose((_question(n) for n in range(24)), seed=3))
    for start in range(0, 24, 4):
        assert Counter(one.key for one in posed[start : start + 4]) == dict.fromkeys("ABCD", 1)
    assert all(one.options["ABCD".index(one.key)] == one.question.right for one in posed)
    assert [one.number for one in posed] == list(range(1, 25))


def test_letters_when_dealt_again_then_they_are_the_same_and_with_another_seed_not() -> None:
    first, second, other = (
        [one.key for one in pose((_question(n) for n in range(24)), seed=seed)] for seed in (3, 3, 4)
    )
    assert first == second != other


def test_wrong_when_candidates_are_nearly_alike_then_only_one_of_them_is_taken() -> None:
    candidates = ["It shows the red house.", "It shows the red mouse.", "Nothing at all.", "A boat."]
    chosen = choose_wrong("Another thing", candidates, count=3, draw=SeededRandom(1))
    assert chosen is not None
    assert sum(text.startswith("It shows") for text in chosen) == 1


def test_wrong_when_there_are_too_few_candidates_then_there_are_none() -> None:
    assert choose_wrong("a", ["a", "b", "b"], count=2, draw=SeededRandom(1)) is None
    assert set(choose_wrong("a", ["a", "b", "c"], count=2, draw=SeededRandom(1)) or ()) == {"b", "c"}


def test_template_when_asked_for_then_its_slots_are_filled() -> None:
    text = ask("spatialuav", "distance_comparison", template="farthest", label="bus")
    assert text == "Which region contains the bus that is farthest from the drone?"
