"""The registry of drafting rules."""

from __future__ import annotations

from annotator.domain.registry import by_id
from annotator.draft.rule import DraftRule
from annotator.draft.rules.aircop_counting import AircopCounting
from annotator.draft.rules.aircop_quality import AircopQuality
from annotator.draft.rules.aircop_usability import AircopUsability
from annotator.draft.rules.aircop_when import AircopWhen
from annotator.draft.rules.aircop_who import AircopWho
from annotator.draft.rules.indooruav_flights import IndoorUavVla, IndoorUavVln
from annotator.draft.rules.indooruav_instructions import WrittenDetailedInstruction, WrittenGoalInstruction
from annotator.draft.rules.spatialuav_anomaly_detection import SpatialAnomalyDetection
from annotator.draft.rules.spatialuav_camera_transformation import SpatialCameraTransformation
from annotator.draft.rules.spatialuav_collaboration_recognition import (
    SpatialAerialCollaboration,
    SpatialGroundCollaboration,
)
from annotator.draft.rules.spatialuav_direction_recognition import SpatialDirectionRecognition
from annotator.draft.rules.spatialuav_distance_comparison import SpatialDistanceComparison
from annotator.draft.rules.spatialuav_global_motion import SpatialGlobalMotion
from annotator.draft.rules.spatialuav_object_matching import SpatialObjectMatching
from annotator.draft.rules.spatialuav_occlusion_removal import SpatialOcclusionRemoval
from annotator.draft.rules.spatialuav_path_planning import SpatialPathPlanning
from annotator.draft.rules.spatialuav_region_recognition import SpatialRegionRecognition
from annotator.draft.rules.spatialuav_shared_association import (
    SpatialAerialAssociation,
    SpatialGroundAssociation,
)
from annotator.draft.rules.spatialuav_view_translation import SpatialViewTranslation
from annotator.draft.rules.topview_localization import (
    TopViewObjectLocalization,
    TopViewSceneLocalization,
)
from annotator.draft.rules.topview_object_recognition import TopViewObjectRecognition
from annotator.draft.rules.topview_paths import TopViewActionCounting, TopViewHeading, TopViewPathPlaces
from annotator.draft.rules.topview_relations import TopViewRelations
from annotator.draft.rules.topview_scene_counting import TopViewSceneCounting
from annotator.draft.rules.topview_scene_recognition import TopViewSceneRecognition
from annotator.draft.rules.urbanvideo_motion import UrbanVideoDuration, UrbanVideoSequence

RULE_CLASSES: tuple[type[DraftRule], ...] = (
    AircopQuality,
    AircopUsability,
    AircopCounting,
    AircopWhen,
    AircopWho,
    TopViewObjectRecognition,
    TopViewSceneRecognition,
    TopViewObjectLocalization,
    TopViewSceneLocalization,
    TopViewSceneCounting,
    TopViewRelations,
    TopViewActionCounting,
    TopViewHeading,
    TopViewPathPlaces,
    SpatialRegionRecognition,
    SpatialAnomalyDetection,
    SpatialDirectionRecognition,
    SpatialDistanceComparison,
    SpatialAerialCollaboration,
    SpatialGroundCollaboration,
    SpatialAerialAssociation,
    SpatialGroundAssociation,
    SpatialObjectMatching,
    SpatialCameraTransformation,
    SpatialOcclusionRemoval,
    SpatialViewTranslation,
    SpatialPathPlanning,
    SpatialGlobalMotion,
    IndoorUavVla,
    IndoorUavVln,
    WrittenDetailedInstruction,
    WrittenGoalInstruction,
    UrbanVideoSequence,
    UrbanVideoDuration,
)
RULES = by_id(RULE_CLASSES)
"""Every rule by its id, as ``drafted_by`` in a task set calls it."""
