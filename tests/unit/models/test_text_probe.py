from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, UserError
from annotator.model_api import BlindQuestion
from annotator.progress import Progress, ProgressUpdate
from models.conditional_logit import log_probabilities, option_scores, train
from models.probe_features import encode, words_of
from models.question_folds import TEMPLATE, folds_of
from models.text_probe import TextProbe, accuracy_of, open_model
from tests.bench.planted import GIVEAWAYS, planted_items
from tests.hangs import soon

COLOURS = ("red", "blue", "white", "black", "green", "yellow", "grey", "orange")
THINGS = ("bus", "van", "truck", "taxi", "tram", "crane")


def question(number: int, options: tuple[str, ...], key: int, *, stem: str = "", task: str = "colour"):
    return BlindQuestion(
        item=str(number),
        task=task,
        question=stem or f"What is the colour of thing {number}?",
        options=options,
        key=key,
    )


def fair(n: int, *, seed: int) -> list[BlindQuestion]:
    draw = random.Random(seed)
    return [
        question(
            number,
            tuple(draw.sample(COLOURS, 4)),
            draw.randrange(4),
            stem=f"What is the colour of the {draw.choice(THINGS)}?",
        )
        for number in range(n)
    ]


def at_one_position(draw: random.Random, number: int) -> BlindQuestion:
    return question(number, tuple(draw.sample(COLOURS, 4)), 2 if draw.random() < 0.6 else draw.randrange(4))


def the_longest(draw: random.Random, number: int) -> BlindQuestion:
    key = draw.randrange(4)
    options = draw.sample(COLOURS, 4)
    options[key] = f"{options[key]} with {draw.choice(THINGS)}s, {draw.choice(COLOURS)} below"
    return question(number, tuple(options), key)


def always_blue(draw: random.Random, number: int) -> BlindQuestion:
    others = draw.sample([colour for colour in COLOURS if colour != "blue"], 3)
    key = draw.randrange(4)
    return question(number, (*others[:key], "blue", *others[key:]), key)


def by_the_question(draw: random.Random, number: int) -> BlindQuestion:
    # Neither the thing nor the colour tells: only both together do.
    at = draw.randrange(4)
    options = list(COLOURS[:4])
    draw.shuffle(options)
    stem = f"What is the colour of the {THINGS[at]}, as seen from place {number}?"
    return question(number, tuple(options), options.index(COLOURS[at]), stem=stem)


def of_one_task(draw: random.Random, number: int) -> BlindQuestion:
    # In one task the key is red wherever there is red, in the other it never is.
    task, others = draw.choice(("day", "night")), draw.sample(COLOURS[1:], 3)
    index = draw.randrange(4)
    options = (*others[:index], "red", *others[index:])
    wrong = [at for at in range(4) if at != index]
    return question(number, options, index if task == "day" else draw.choice(wrong), task=task)


def the_middle_number(draw: random.Random, number: int) -> BlindQuestion:
    first = draw.randint(2, 90)
    options = [str(first + step) for step in range(3)]
    key = options[1]
    draw.shuffle(options)
    return question(number, tuple(options), options.index(key))


def never_absolute(draw: random.Random, number: int) -> BlindQuestion:
    options = [
        f"it {word} {colour}"
        for word, colour in zip(
            ("is always", "is never", "was", "must be"), draw.sample(COLOURS, 4), strict=True
        )
    ]
    key = options[2]
    draw.shuffle(options)
    return question(number, tuple(options), options.index(key))


PLANTED: dict[Callable[[random.Random, int], BlindQuestion], tuple[float, str]] = {
    at_one_position: (0.6, "position 3 of 4"),
    the_longest: (0.95, "long"),
    always_blue: (0.95, "blue"),
    by_the_question: (0.9, "if the question contains"),
    of_one_task: (0.55, "red"),
    the_middle_number: (0.95, "number 2 by size of 3"),
    never_absolute: (0.95, "was"),
}


def scored(questions, *, probe: TextProbe | None = None):
    found = (probe or TextProbe()).scores(questions, progress=Progress())
    return accuracy_of("", zip(questions, found, strict=True))


@pytest.mark.parametrize("make", PLANTED, ids=lambda make: make.__name__)
def test_probe_when_a_bias_is_planted_then_finds_it_and_says_what_it_is(make) -> None:
    least, text = PLANTED[make]
    draw = random.Random(7)
    questions = [make(draw, number) for number in range(240)]
    probe = TextProbe()
    scores = probe.scores(questions, progress=Progress())
    report = probe.report(questions, scores, progress=Progress())
    assert report.whole.correct / report.whole.items >= least
    assert report.whole.p_value < 1e-6
    assert report.whole.low > report.whole.chance
    assert any(text in each.text for each in report.giveaways)
    assert all(each.strength > 0 for each in report.giveaways)
    strengths = [each.strength for each in report.giveaways]
    assert strengths == sorted(strengths, reverse=True)


def test_probe_when_nothing_gives_keys_away_then_p_values_are_as_chance_has_them() -> None:
    values = sorted(scored(fair(100, seed=seed), probe=TextProbe(seed=seed)).p_value for seed in range(25))
    # Kolmogorov and Smirnov: the distance from a uniform distribution passes this at one in a thousand.
    distance = max(abs(value - (index + 0.5) / 25) + 0.5 / 25 for index, value in enumerate(values))
    assert distance < 1.95 / np.sqrt(25)


def test_probe_when_tasks_are_mixed_then_only_those_with_a_bias_stand_out() -> None:
    items = [planted.question for planted in planted_items(fair=200, each=40)]
    probe = TextProbe()
    scores = probe.scores(items, progress=Progress())
    report = probe.report(items, scores, progress=Progress())
    by_task = {share.task: share for share in report.tasks}
    assert by_task["fair"].p_value > 0.01
    # What only knowledge of the world gives away is for a language model: no other item has the same words.
    found = {task for task, share in by_task.items() if share.p_value < 1e-6}
    assert found == set(GIVEAWAYS) - {"common sense"}
    assert sum(share.items for share in report.tasks) == report.whole.items == 400
    assert {giveaway.task for giveaway in report.giveaways} - {""}


def test_scores_when_asked_twice_then_are_the_same_and_probabilities_add_up() -> None:
    questions = fair(60, seed=1)
    first, second = (TextProbe(seed=3).scores(questions, progress=Progress()) for _ in range(2))
    assert first == second
    assert [score.item for score in first] == [each.item for each in questions]
    assert [sum(score.probabilities) for score in first] == pytest.approx([1.0] * 60)
    assert {score.chosen for score in first} == {0, 1, 2, 3}


def test_scores_when_the_key_of_an_item_changes_then_its_own_guess_does_not() -> None:
    questions = [at_one_position(random.Random(number), number) for number in range(60)]
    before = TextProbe().scores(questions, progress=Progress())
    questions[5] = msgspec.structs.replace(questions[5], key=(questions[5].key + 1) % 4)
    after = TextProbe().scores(questions, progress=Progress())
    assert after[5] == before[5]
    assert after != before


def test_scores_when_items_have_different_numbers_of_options_then_chance_is_theirs() -> None:
    draw = random.Random(1)
    questions = [
        question(n, tuple(draw.sample(COLOURS, 2 + n % 4)), draw.randrange(2 + n % 4)) for n in range(80)
    ]
    found = TextProbe().scores(questions, progress=Progress())
    assert [len(score.probabilities) for score in found] == [2 + n % 4 for n in range(80)]
    share = accuracy_of("", zip(questions, found, strict=True))
    assert share.chance == pytest.approx((1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4)


def test_folds_when_items_are_near_duplicates_then_they_stay_together() -> None:
    questions = [
        question(n, tuple(random.Random(n).sample(COLOURS, 4)), 0, stem=f"Which, {n // 3}?")
        for n in range(60)
    ]
    parts = folds_of(questions, folds=5, seed=0)
    assert all(len(set(parts[at : at + 3])) == 1 for at in range(0, 60, 3))
    assert np.bincount(parts).tolist() == [12] * 5


def test_folds_when_a_stem_is_a_template_then_its_items_are_learnt_from() -> None:
    same = [question(n, COLOURS[:4], 0, stem="Which UAV sees more?") for n in range(TEMPLATE + 12)]
    assert len(set(folds_of(same, folds=5, seed=0).tolist())) == 5
    # Those that share their options as well are near-duplicates, as long as they are few.
    pairs = [
        question(n, tuple(random.Random(n // 2).sample(COLOURS, 4)), 0, stem="Which UAV sees more?")
        for n in range(20)
    ]
    parts = folds_of(pairs, folds=5, seed=0)
    assert [int(parts[at]) for at in range(0, 20, 2)] == [int(parts[at + 1]) for at in range(0, 20, 2)]


@pytest.mark.parametrize(
    ("questions", "words"),
    [
        ([], "too few"),
        ([question(1, COLOURS[:4], 0)], "too few"),
        ([question(1, ("one",), 0), question(2, COLOURS, 0)], "Item 1"),
        ([question(1, COLOURS, 0), question(2, COLOURS, 8)], "Item 2"),
    ],
)
def test_scores_when_there_is_nothing_to_learn_from_then_says_so(questions, words) -> None:
    with pytest.raises(UserError, match=words):
        TextProbe().scores(questions, progress=Progress())


def test_scores_when_cancelled_then_stops_midway() -> None:
    progress = Progress()

    def watch(step: ProgressUpdate) -> None:
        if step.what == "Training the text probe":
            progress.cancel()

    progress._report = watch
    with pytest.raises(Cancelled):
        TextProbe().scores(fair(50, seed=1), progress=progress)


def test_training_when_it_ends_then_the_gradient_is_that_of_the_loss_and_near_nothing() -> None:
    questions = fair(40, seed=2)
    features = encode(questions, progress=Progress())
    everything = np.ones(40, dtype=np.bool_)

    def loss(weights: np.ndarray) -> float:
        logs = log_probabilities(features, scores=option_scores(features, weights=weights))
        return float(-logs[features.keys].sum() + 0.5 * weights @ weights)

    found = train(features, trained_on=everything, penalty=1.0, most_steps=200, on_step=lambda: None)
    least = loss(found)
    assert least < loss(np.zeros_like(found))
    draw = np.random.default_rng(0)
    for _ in range(20):
        way = draw.normal(size=found.size)
        way *= 0.05 / np.linalg.norm(way)
        assert loss(found + way) > least - 1e-3


def test_words_when_text_is_chinese_then_are_its_characters() -> None:
    assert words_of("图中有3辆 Red cars，吗？") == ["图", "中", "有", "3", "辆", "red", "cars", "吗"]


def test_profile_when_opened_then_decides_folds_penalty_and_seed() -> None:
    profile = ModelProfile(name="Probe", adapter="probe", seed=4, options={"folds": 3, "penalty": 2.5})
    parameters = open_model(profile).identity.parameters
    assert (parameters["folds"], parameters["penalty"], parameters["seed"]) == (3, 2.5, 4)


@pytest.mark.parametrize("options", [{"folds": 1}, {"folds": "many"}, {"penalty": 0}, {"fold": 5}])
def test_profile_when_an_option_makes_no_sense_then_says_so(options) -> None:
    with pytest.raises(UserError):
        open_model(ModelProfile(name="Probe", adapter="probe", options=options))


@pytest.mark.slow
def test_scores_when_there_are_5000_items_then_they_end_soon() -> None:
    questions = [planted.question for planted in planted_items(fair=2500, each=500)]
    with soon():
        assert len(TextProbe().scores(questions, progress=Progress())) == 5000
