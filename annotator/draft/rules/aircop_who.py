"""AirCopBench 4.3: which other views could help one view."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence

from annotator.domain.event_label import EventLabel
from annotator.domain.task_set import TaskSet
from annotator.draft.rule import LabelledView, LabelRule, RuleDocs
from annotator.draft.rule_result import ChoiceQuestion, SkippedItem
from annotator.draft.rules.aircop_labels import NO_HELP_THOUGH_UNUSABLE, is_no_help_though_unusable

NOBODY = ("None of them", "No other view", "None of these")
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
    nobody = view.wording.choose(NOBODY)
    wrong = rival_teams(right, others=others, view=view)
    return ChoiceQuestion(
        right=team_text(right, nobody=nobody),
        wrong=tuple(team_text(team, nobody=nobody) for team in wrong),
        slots={"view": view.name},
        answer=team_text(right, nobody=NOBODY[0]),
        wording=NOBODY.index(nobody) + 1,
    )


def _skip_reason(label: EventLabel, others: Sequence[str]) -> str:
    """Return the first reason why a label gives no question, "" where it gives one."""
    # In this order: only the first reason is reported, and the later ones may follow from it.
    reasons = {
        "when is missing": label.when is None,
        "the name of the view is unknown": not label.view,
        "partners are missing": label.when is True and label.who is None,
        "partners are given although the view needs none": label.when is False and bool(label.who),
        NO_HELP_THOUGH_UNUSABLE: is_no_help_though_unusable(label),
        "a partner is not another view of the scene": not set(label.who or ()) <= set(others),
        "fewer than two other views to choose from": len(others) < FEWEST_OTHERS,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def rival_teams(right: Team, *, others: Sequence[str], view: LabelledView) -> list[Team]:
    """Return the three sets of views offered besides the right one.

    Always nobody, two single views and one team, whichever is right, so that the kind of options reveals
    nothing. Two teams are never offered together: "UAV2 and UAV3" and "UAV2 and UAV4" are too similar.
    """
    singles: list[Team] = [(name,) for name in others if (name,) != right]
    # The answer key is itself one of the two single views where it is one view.
    missing = 1 if len(right) == 1 else 2
    rivals: list[Team] = view.sample_occurring(singles, missing, key=lambda team: (view.label.view, team))
    # Otherwise the answer key is the team.
    if len(right) < FEWEST_OTHERS:
        rivals.append(_draw_team(others, view=view))
    return rivals if not right else [(), *rivals]


def team_text(team: Team, *, nobody: str) -> str:
    """Return a set of views as an option: ``UAV1, UAV3 and UAV4``."""
    if not team:
        return nobody
    return " and ".join(filter(None, (", ".join(team[:-1]), team[-1])))


def _draw_team(others: Sequence[str], *, view: LabelledView) -> Team:
    """Draw a team that labels of this view name, or any where they name none."""
    # A file can name any number of views, and their pairs grow with its square.
    pairs = list(itertools.islice(itertools.combinations(others, FEWEST_OTHERS), 100))
    named = [team for team in _named_teams(view) if set(team) <= set(others)]
    return view.draw.choose(named or pairs)


def _named_teams(view: LabelledView) -> list[Team]:
    counted = (key for key in view.counts if isinstance(key, tuple) and key[0] == view.label.view)
    return sorted(team for _, team in counted if len(team) >= FEWEST_OTHERS)


class AircopWho(LabelRule):
    """Drafts the items of AirCopBench 4.3."""

    id = "aircop.who"
    version = 4
    docs = RuleDocs(
        task="who (4.3)",
        right="all other views that the event label names; none where the view needs no other one",
        wrong="none, single views and one team are offered, whichever is right; those first that labels of "
        "the same view name",
        no_item="fewer than two other views (the only other view would be right every time); partner "
        "missing, itself, not in the scene, or given though 'when' is no; 'no' for an image that is not "
        "usable",
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

    def counted(self, label: EventLabel, _task_set: TaskSet, /) -> Iterator[Hashable]:
        """Yield the view with its partners."""
        yield label.view, tuple(sorted(set(label.who or ())))

    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Make the options as ``choose_partners`` does."""
        return choose_partners(view)
