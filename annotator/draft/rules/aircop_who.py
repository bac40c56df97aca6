"""AirCopBench 4.3: which other views could help one view."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from annotator.domain.event_label import EventLabel
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.seeded_random import SeededRandom

NOBODY = "None of them"
FEWEST_OTHERS = 2
Team = tuple[str, ...]


def choose_partners(view: LabelledView) -> ChoiceQuestion | SkippedItem:
    """Offer four different sets of the scene's other views, the label's one among them.

    With only one other view, that view is the answer whenever help is needed, so there is no question. The
    published question is padded there with "A ground-based sensor" and the view's own name.
    """
    others = sorted({v.name for v in view.scene.views} - {view.label.view, ""})
    if reason := _skip_reason(view.label, others):
        return SkippedItem(reason)
    right = tuple(name for name in others if name in (view.label.who or ()))
    wrong = rival_teams(right, others=others, draw=view.draw)
    return ChoiceQuestion(
        right=team_text(right), wrong=tuple(map(team_text, wrong)), slots={"view": view.name}
    )


def _skip_reason(label: EventLabel, others: Sequence[str]) -> str:
    """Return the first reason why a label gives no question, "" where it gives one."""
    # In this order: only the first reason is reported, and the later ones may follow from it.
    reasons = {
        "when is missing": label.when is None,
        "the view needs no partner": label.when is False,
        "the name of the view is unknown": not label.view,
        "partners are missing": label.who is None,
        "a partner is not another view of the scene": not set(label.who or ()) <= set(others),
        "fewer than two other views to choose from": len(others) < FEWEST_OTHERS,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def rival_teams(right: Team, *, others: Sequence[str], draw: SeededRandom) -> list[Team]:
    """Return the three sets of views offered besides the right one.

    Of two other views there are four sets: nobody, either, both. Of more, three single views and one team
    are offered, whether the team is right or one of the three, so that the kind of options reveals nothing.
    Two teams are never offered together: "UAV2 and UAV3" and "UAV2 and UAV4" are too similar.
    """
    if len(others) == FEWEST_OTHERS:
        teams = itertools.chain.from_iterable(itertools.combinations(others, size) for size in range(3))
        return [team for team in teams if team != right]
    singles = [(name,) for name in others if (name,) != right]
    if len(right) > 1:
        return draw.sample(singles, 3)
    return [*draw.sample(singles, 2), _draw_team(others, draw=draw)]


def team_text(team: Team) -> str:
    """Return a set of views as an option: ``UAV1, UAV3 and UAV4``."""
    if not team:
        return NOBODY
    return " and ".join(filter(None, (", ".join(team[:-1]), team[-1])))


def _draw_team(others: Sequence[str], *, draw: SeededRandom) -> Team:
    # Labels name two partners far more often than three or more.
    size = 2 if draw.below(4) else draw.between(3, len(others))
    return tuple(sorted(draw.sample(others, size)))


class AircopWho(LabelRule):
    """Drafts the items of AirCopBench 4.3."""

    id = "aircop.who"
    version = 1
    docs = RuleDocs(
        task="who (4.3)",
        right="the other views of the event label",
        wrong="three views in the scene: none, either, both. More views: single views and one "
        "team, independent of the correct answer",
        no_item="'when' is no (not asked then); fewer than two other views (the only other view "
        "would be right every time); partner missing, itself, or not in the scene",
    )
    reads = frozenset({"when", "who"})
    kept_back_by = frozenset(
        {
            "when_missing",
            "partner_missing",
            "partner_is_self",
            "partner_unknown",
            "view_unknown",
            "given_without_need",
            "count_and_partner_swapped",
            "annotated_twice",
        }
    )

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_partners`` does."""
        return choose_partners(view)
