"""Generated sets and the figures of the calibrated policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from annotator.progress import Progress
from annotator.quality.calibrated.calibration import ENOUGH_ITEMS
from annotator.quality.calibrated.fixed_weights import fixed_weights
from annotator.quality.calibrated.option_features import Signal
from annotator.quality.predictions import ItemPredictions
from tests.bench import calibrated, demo_evidence
from tests.bench.calibrated import (
    FIGURES,
    FOREIGN_SOURCES,
    bound_figure,
    figures_of,
    found_items,
    with_probe,
    with_two_options,
)
from tests.bench.claim_sets import CLAIMS
from tests.bench.demo_evidence import recorded_entries
from tests.bench.figure import TARGETS
from tests.bench.fixed_weights import learn
from tests.bench.giveaways import GIVEAWAYS
from tests.bench.inspection_sets import INSPECTIONS
from tests.bench.model_evidence import CASES, LOOKUPS, asked
from tests.bench.model_evidence import FIGURES as EVIDENCE_FIGURES
from tests.bench.reading_sets import READINGS
from tests.bench.shortcut_sets import SHORTCUTS, STREETS, TOLD_APART, SetSource, generated_set, planted_in
from tests.bench.translated_sets import TRANSLATIONS


def test_generated_set_when_made_then_has_each_kind_equally_often_and_keys_at_every_place() -> None:
    entries = generated_set(items=1_400, planted=0.2, seed=3)
    kinds = Counter(planted_in(entry.item) for entry in entries)
    assert kinds == {"": 1_120} | dict.fromkeys(SHORTCUTS, 20)
    assert len(SHORTCUTS) - len(TOLD_APART) >= 10
    letters = Counter(entry.item.answer_key for entry in entries if not planted_in(entry.item))
    assert all(count == pytest.approx(280, abs=60) for count in letters.values())
    assert entries == generated_set(items=1_400, planted=0.2, seed=3)


@pytest.mark.parametrize("source", [STREETS, INSPECTIONS, LOOKUPS], ids=lambda source: source.name)
def test_generated_set_when_made_then_options_differ_in_each_item(source: SetSource) -> None:
    for entry in generated_set(items=500, planted=0.5, seed=1, source=source):
        texts = [option.text for option in entry.item.options]
        assert len(set(texts)) == len(texts) == 4


@pytest.mark.parametrize("source", FOREIGN_SOURCES, ids=lambda source: source.name)
def test_calibrate_when_the_generator_is_foreign_then_decides_options_of_each_number_and_keeps_the_loss(
    source: SetSource,
) -> None:
    entries = generated_set(items=ENOUGH_ITEMS, planted=0.24, seed=1, source=source)
    for entry in entries:
        texts = {option.letter: option.text for option in entry.item.options}
        assert 2 <= len(set(texts.values())) == len(texts) <= 6
        assert entry.item.answer_key in texts
    lost = [hit for one, hit in found_items(entries) if not planted_in(one.item)]
    assert sum(lost) <= 0.02 * len(entries)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "least"),
    [(TRANSLATIONS, 0.9), (READINGS, 0.5), (CLAIMS, 0.3)],
    ids=["chinese", "numbers", "claims"],
)
def test_calibrate_when_foreign_sets_are_large_then_finds_most_shortcuts_and_keeps_the_loss(
    source: SetSource, least: float
) -> None:
    entries = generated_set(items=1_000, planted=0.24, seed=7, source=source)
    found = [(planted_in(one.item), hit) for one, hit in found_items(entries)]
    recall, lost = figures_of("{}", found)
    assert recall.value >= least
    assert lost.value <= 0.02


def test_figures_of_when_items_are_found_then_tell_recall_and_loss_and_leave_knowledge_out() -> None:
    found = [
        ("length", True),
        ("length", False),
        ("pool", True),
        ("knowledge", False),
        ("", True),
        ("", False),
    ]
    recall, lost = figures_of("calibrated.{}_1000", found)
    assert (recall.name, recall.value, recall.n) == ("calibrated.recall_1000", pytest.approx(2 / 3), 3)
    assert recall.note == "length 50%, pool 100%"
    assert (lost.name, lost.value, lost.n) == ("calibrated.lost_1000", 0.5, 2)


def test_bound_figure_when_sets_have_no_shortcuts_then_is_the_share_that_keeps_the_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibrated, "BOUND_SEEDS", 2)
    monkeypatch.setattr(calibrated, "BOUND_ITEMS", 300)
    figure = bound_figure("calibrated.bound_held", planted=0.0, sources=(STREETS,), progress=Progress())
    assert figure.value in {0.0, 0.5, 1.0}
    assert figure.n == 2
    assert "at most" in figure.note


def test_with_two_options_when_made_then_about_half_of_the_items_keep_the_key_and_one_wrong_option() -> None:
    entries = generated_set(items=200, planted=0.0, seed=1)
    mixed = with_two_options(entries, seed=1)
    sizes = Counter(len(entry.item.options) for entry in mixed)
    assert sizes[2] == pytest.approx(100, abs=30)
    assert sizes[2] + sizes[4] == 200
    for before, after in zip(entries, mixed, strict=True):
        assert _key_text(before) == _key_text(after)
        texts = {option.text for option in after.item.options}
        assert texts <= {option.text for option in before.item.options}


def _key_text(entry: ItemPredictions) -> str:
    item = entry.item
    return next(option.text for option in item.options if option.letter == item.answer_key)


def test_with_probe_when_asked_then_each_item_has_the_probabilities_of_its_options() -> None:
    entries = with_probe(generated_set(items=60, planted=0.2, seed=1))
    for entry in entries:
        (prediction,) = entry.predictions
        assert prediction.method == "probe"
        assert len(prediction.scores) == len(entry.item.options)


def test_recorded_entries_when_read_then_have_the_scores_of_the_embedded_model_for_each_option() -> None:
    entries = recorded_entries()
    assert len(entries) == demo_evidence.ITEMS
    planted = Counter(planted_in(entry.item) for entry in entries)
    assert all(planted[kind] == demo_evidence.EACH for kind in GIVEAWAYS)
    for entry in entries:
        assert [one.method for one in entry.predictions] == ["text", "text-pmi"]
        assert all(len(one.scores) == len(entry.item.options) for one in entry.predictions)


def test_fixed_weights_when_models_share_a_signal_then_each_has_its_part() -> None:
    one = fixed_weights().weights([Signal(name="pmi", model="a")])
    two = fixed_weights().weights([Signal(name="pmi", model="a"), Signal(name="pmi", model="b")])
    assert (2 * two).tolist() == pytest.approx([*one, *one])


@pytest.mark.slow
def test_fixed_weights_when_learnt_again_then_are_those_that_come_with_the_product() -> None:
    learnt, stored = learn(), fixed_weights()
    assert learnt.signals.keys() == stored.signals.keys()
    assert learnt.thresholds == pytest.approx(stored.thresholds, rel=0.05)
    for name, own in learnt.signals.items():
        assert own.weights == pytest.approx(stored.signals[name].weights, abs=0.02)


def test_figures_when_listed_then_each_has_its_target() -> None:
    assert set(FIGURES) == {name for name in TARGETS if name.startswith("calibrated.")}
    assert set(EVIDENCE_FIGURES) == {name for name in TARGETS if name.startswith("model_evidence.")}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "form", "models", "is_stubborn"), CASES[1:], ids=str)
def test_asked_when_a_model_knows_shortcuts_then_they_are_found_that_text_alone_misses(
    name: str, form: str, models: int, is_stubborn: bool
) -> None:
    entries = generated_set(items=1_000, planted=0.3, seed=2, source=LOOKUPS, kinds=("knowledge",))
    by_text = dict(figures(entries))
    by_models = dict(figures(asked(entries, form, seed=2, models=models, is_stubborn=is_stubborn)))
    assert by_text["recall"] < 0.05
    assert by_models["lost"] <= 0.02
    if name == "stubborn":
        # One of four guesses is right: no share of 2 % can have the items that such a model knows.
        assert by_models["recall"] < 0.2
    else:
        assert by_models["recall"] > 0.3


def figures(entries: list[ItemPredictions]) -> Iterator[tuple[str, float]]:
    found = [(planted_in(one.item), hit) for one, hit in found_items(entries)]
    for kind, name in (("knowledge", "recall"), ("", "lost")):
        hits = [hit for own, hit in found if own == kind]
        yield name, sum(hits) / len(hits)
