from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.event_label import EventLabel
from annotator.domain.scene import Scene
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_who import NOBODY, rival_teams, team_text
from annotator.draft.seeded_random import SeededRandom

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]
MakeScene = Callable[..., Scene]


@pytest.mark.parametrize(
    ("team", "words"),
    [
        ((), NOBODY),
        (("UAV2",), "UAV2"),
        (("UAV1", "UAV3"), "UAV1 and UAV3"),
        (("UAV1", "UAV3", "UAV4"), "UAV1, UAV3 and UAV4"),
    ],
)
def test_team_words_when_a_team_has_members_then_they_are_joined(team: tuple[str, ...], words: str) -> None:
    assert team_text(team) == words


@pytest.mark.parametrize(("who", "answer"), [(("UAV3",), "UAV3"), (("UAV3", "UAV2"), "UAV2 and UAV3")])
def test_who_when_there_are_three_views_then_nobody_either_and_both_are_offered(
    draft_one: DraftOne, make_label: MakeLabel, who: tuple[str, ...], answer: str
) -> None:
    outcome = draft_one("aircop.who", make_label(who=who))
    assert isinstance(outcome, DraftedItem)
    assert outcome.answer == answer
    assert {option.text for option in outcome.item.options} == {NOBODY, "UAV2", "UAV3", "UAV2 and UAV3"}


def test_who_when_asked_about_another_view_then_its_own_name_is_no_option(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    outcome = draft_one("aircop.who", make_label(view="UAV2", medium="m2", who=("UAV1", "UAV3")))
    assert isinstance(outcome, DraftedItem)
    assert outcome.answer == "UAV1 and UAV3"
    assert all("UAV2" not in option.text for option in outcome.item.options)


@given(st.data())
def test_rival_teams_when_there_are_more_views_then_single_views_and_one_team_are_offered(
    data: st.DataObject,
) -> None:
    others = [f"UAV{n}" for n in range(2, 3 + data.draw(st.integers(2, 4)))]
    right = tuple(sorted(data.draw(st.sets(st.sampled_from(others), min_size=1))))
    offered = [right, *rival_teams(right, others=others, draw=SeededRandom(data.draw(st.integers())))]
    assert len(set(offered)) == 4
    assert sorted(min(len(team), 2) for team in offered) == [1, 1, 1, 2]
    assert all(set(team) <= set(others) for team in offered)


def test_rival_teams_when_nobody_is_right_then_two_views_and_a_team_stand_beside() -> None:
    rivals = rival_teams((), others=["UAV2", "UAV3", "UAV4"], draw=SeededRandom(1))
    assert sorted(min(len(team), 2) for team in rivals) == [1, 1, 2]


@pytest.mark.parametrize(
    ("fields", "views", "reason"),
    [
        ({"when": None}, 3, "when is missing"),
        ({"when": False, "who": ()}, 3, "the view needs no partner"),
        ({"view": ""}, 3, "the name of the view is unknown"),
        ({"who": None}, 3, "partners are missing"),
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
