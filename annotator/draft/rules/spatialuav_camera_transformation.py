"""SpatialUAV, Camera Transformation: heading offset and translation between two drones' cameras."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.answers.angle_distance import CameraMove
from annotator.draft.camera_position import camera_move
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_pairs


class SpatialCameraTransformation(SceneRule):
    """Drafts two items for each two aerial images: the angle, and the angle with the distance."""

    id = "spatialuav.camera_transformation"
    version = 1
    docs = RuleDocs(
        task="Camera Transformation",
        right="the clockwise angle between the headings, 0 to 360 degrees; the distance of the two cameras "
        "in metres",
        wrong="none: the answer is an angle, or an angle and a distance",
        no_item="position or heading of a camera unknown; cameras at the same place (angle with distance)",
    )
    loads = frozenset({"media", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each two aerial images."""
        is_pair = False
        for one, two in aerial_pairs(facts):
            is_pair = True
            if one.camera is None or two.camera is None:
                yield SkippedItem("position or heading of a camera are unknown")
            elif (move := camera_move(one.camera, two.camera)) is None:
                yield SkippedItem("the positions of the cameras have different axes")
            else:
                evidence = (one.camera.trajectory, two.camera.trajectory)
                yield from _questions(one, two, move=move, evidence=evidence)
        if not is_pair:
            yield SkippedItem("the scene has fewer than two aerial images")


def _questions(
    one: StillView, two: StillView, *, move: CameraMove, evidence: tuple[str, ...]
) -> Iterator[SceneQuestion | SkippedItem]:
    media = (one.medium.id, two.medium.id)
    yield SceneQuestion(
        subject=f"{one.name} {two.name} heading",
        template="heading",
        answer_key=answers.get("angle").render(move.angle_deg),
        media=media,
        evidence=evidence,
    )
    # Relative errors of a distance of 0 are undefined. Source: SpatialUAV, Codabench metrics.
    if not move.distance_m:
        yield SkippedItem("the cameras are at the same place")
        return
    yield SceneQuestion(
        subject=f"{one.name} {two.name} heading and shift",
        template="heading_and_shift",
        answer_key=answers.get("angle_distance").render(move),
        media=media,
        evidence=evidence,
    )
