from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain.event_label import EventLabel
from annotator.domain.scene import Scene
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_who import NOBODY, team_text

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]
MakeScene = Callable[..., Scene]


def _teams(outcome: RuleResult) -> set[tuple[str, ...]]:
    assert isinstance(outcome, DraftedItem)
    return {_team(option.text) for option in outcome.item.options}


def _team(text: str) -> tuple[str, ...]:
    return () if text in NOBODY else tuple(text.replace(" and ", ", ").split(", "))


def _answer(outcome: RuleResult) -> tuple[str, ...]:
    assert isinstance(outcome, DraftedItem)
    return _team(outcome.answer)


@pytest.mark.parametrize(
    ("team", "message"),
    [
        ((), "None of them"),
        (("UAV2",), "UAV2"),
        (("UAV1", "UAV3"), "UAV1 and UAV3"),
        (("UAV1", "UAV3", "UAV4"), "UAV1, UAV3 and UAV4"),
    ],
)
def test_team_words_when_a_team_has_members_then_they_are_joined(team: tuple[str, ...], message: str) -> None:
    assert team_text(team, nobody=NOBODY[0]) == message


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"who": ("UAV3",)}, ("UAV3",)),
        ({"who": ("UAV3", "UAV2")}, ("UAV2", "UAV3")),
        ({"when": False, "who": ()}, ()),
        ({"when": False, "who": None}, ()),
    ],
)
def test_who_when_there_are_three_views_then_nobody_either_and_both_are_offered(
    draft_one: DraftOne, make_label: MakeLabel, fields: dict[str, object], answer: tuple[str, ...]
) -> None:
    outcome = draft_one("aircop.who", make_label(**fields))
    assert _answer(outcome) == answer
    assert _teams(outcome) == {(), ("UAV2",), ("UAV3",), ("UAV2", "UAV3")}


def test_who_when_asked_about_another_view_then_its_own_name_is_no_option(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    outcome = draft_one("aircop.who", make_label(view="UAV2", medium="m2", who=("UAV1", "UAV3")))
    assert _answer(outcome) == ("UAV1", "UAV3")
    assert not any("UAV2" in team for team in _teams(outcome))


@pytest.mark.parametrize("views", [4, 5, 6])
@pytest.mark.parametrize("who", [(), ("UAV3",), ("UAV2", "UAV4"), ("UAV2", "UAV3", "UAV4")])
def test_who_when_there_are_more_views_then_nobody_two_views_and_a_team_are_offered_whatever_is_right(
    draft_one: DraftOne, make_label: MakeLabel, make_scene: MakeScene, who: tuple[str, ...], views: int
) -> None:
    for seed in range(20):
        label = make_label(when=bool(who), who=who)
        outcome = draft_one("aircop.who", label, scene=make_scene(views=views), seed=seed)
        assert _answer(outcome) == who
        assert sorted(min(len(team), 2) for team in _teams(outcome)) == [0, 1, 1, 2]


def test_who_when_labels_of_the_view_name_a_team_then_that_team_is_the_wrong_one(
    draft_one: DraftOne, make_label: MakeLabel, make_scene: MakeScene
) -> None:
    named = ("UAV3", "UAV5", "UAV6")
    counts = Counter({("UAV1", named): 4, ("UAV2", ("UAV1", "UAV3")): 9, ("UAV1", ("UAV4",)): 1})
    for seed in range(20):
        outcome = draft_one("aircop.who", make_label(), scene=make_scene(views=6), seed=seed, counts=counts)
        assert _teams(outcome) == {(), ("UAV2",), ("UAV4",), named}


@pytest.mark.parametrize(
    ("fields", "views", "reason"),
    [
        ({"when": None}, 3, "when is missing"),
        ({"when": False}, 3, "partners are given although the view needs none"),
        ({"view": ""}, 3, "the name of the view is unknown"),
        ({"who": None}, 3, "partners are missing"),
        ({"when": False, "who": (), "usable": False}, 3, "the image is not usable, but needs no other view"),
        ({"who": ("UAV1",)}, 3, "a partner is not another view of the scene"),
        ({"who": ("UAV2", "UAV11")}, 3, "a partner is not another view of the scene"),
        ({}, 2, "fewer than two other views to choose from"),
    ],
)
def test_who_when_it_cannot_be_asked_then_the_reason_is_told(
    draft_one: DraftOne,
    make_label: MakeLabel,
    make_scene: MakeScene,
    fields: dict[str, object],
    views: int,
    reason: str,
) -> None:
    outcome = draft_one("aircop.who", make_label(**fields), scene=make_scene(views=views))
    assert outcome == SkippedItem(reason)
