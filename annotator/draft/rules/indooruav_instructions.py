"""IndoorUAV: instructions that people wrote for a flight, as answer keys of both tasks of writing them."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.flight_labels import label_at
from annotator.domain.item import Item, Provenance
from annotator.domain.medium import Medium
from annotator.domain.trajectory import Trajectory
from annotator.draft.item_names import item_name
from annotator.draft.llm.flight_motion import key_frames_of, moves_between
from annotator.draft.rule import DraftRule, RuleDocs
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules.indooruav_flights import flight_ordinal, video_of
from annotator.draft.scene_facts import SceneFacts


class WrittenInstructionRule(DraftRule):
    """A rule that asks for the instruction of each flight for which a person wrote one."""

    loads = frozenset({"media", "trajectories"})

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield a result for each flight of a scene."""
        for flight in facts.trajectories:
            # A model's flight is an answer, not the truth.
            if flight.metadata.get("made_by") == "model":
                continue
            medium = video_of(flight, facts)
            # The tasks and the fields of a flight have the same names.
            written = getattr(flight, self.docs.task).strip()
            if not written:
                yield SkippedItem("nobody has written this instruction for the flight")
            elif medium is None:
                yield SkippedItem("the flight has no video")
            else:
                yield DraftedItem(
                    item=self._item(written, flight, medium, facts=facts, order=order), answer=written
                )

    def _item(
        self, written: str, flight: Trajectory, medium: Medium, *, facts: SceneFacts, order: RuleSettings
    ) -> Item:
        task, frames = order.task, key_frames_of(flight)
        captions = [label_at(flight, frame).caption for frame in frames]
        facts_of = {
            "actions": "; ".join(filter(None, moves_between(flight, frames))),
            "captions": "; ".join(" ".join(caption.split()) for caption in captions if caption),
        }
        known = {name for name, text in facts_of.items() if text}
        # The first template of those whose slots are all known.
        template = next(template for template in task.templates if known.issuperset(template.slots))
        return Item(
            name=item_name(
                facts.scene,
                task=task,
                view="_".join(filter(None, (flight.view, flight_ordinal(flight, facts)))),
            ),
            task_set=order.task_set.id,
            task=task.id,
            question=template.fill(facts_of),
            answer_format=task.answer_format[0],
            answer_key=written,
            scene=facts.scene.id,
            view=flight.view,
            media=(medium.id,),
            extras={"trajectory": flight.name},
            provenance=Provenance(
                made_by="rule",
                maker=f"{self.id}@{self.version}",
                labels=(flight.id,),
                seed=order.seed,
                is_keyed=True,
                wording=template.id,
            ),
        )


class WrittenDetailedInstruction(WrittenInstructionRule):
    """Drafts the long instruction: the way, step by step."""

    id = "indooruav.instruction_detailed"
    version = 1
    docs = RuleDocs(
        task="instruction_detailed",
        right="the long instruction that a person wrote for the flight; the question has the motions between "
        "key frames and the captions that people wrote",
        wrong="none: the answer is a text",
        no_item="nobody has written the instruction, or the flight has no video; a model drafts it then",
    )


class WrittenGoalInstruction(WrittenInstructionRule):
    """Drafts the short instruction: where the flight ends."""

    id = "indooruav.instruction_goal"
    version = 1
    docs = RuleDocs(
        task="instruction_goal",
        right="the short instruction that a person wrote for the flight",
        wrong="none: the answer is a text",
        no_item="as for instruction_detailed",
    )
