"""A scene: media that show the same place at the same time, one per view."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import Column, Record, Table, ValueObject, to_json

SceneState = Literal["open", "finished"]
"""Whether a person has finished the annotation of a scene."""


DERIVED_FROM = "derived_from"
"""Field of the metadata of a scene with degraded images: name of the scene that it was made from."""


class SceneView(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One camera's medium in a scene.

    Attributes:
        name: ``UAV1``, ``UAV2``, ``ground``; "" if unknown.
        medium: Id of the medium.
        offset_s: Start of the video on the scene's clock in seconds; 0 for stills.
        to_ground: Nine numbers, row by row, of the homography from image pixels to a plane that all views of
            the scene with one share; empty where none is known. Metres east and north where poses of cameras
            are known, else pixels of the view whose own homography is the identity. Scaled so that the third
            homogeneous coordinate is positive where the view sees the plane, below its horizon.
    """

    name: str
    medium: str
    offset_s: float = 0.0
    to_ground: tuple[float, ...] = ()


class Scene(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Media that show one place at one time, one per view.

    Attributes:
        name: Name, unique within the dataset, for instance ``scene_004 frame_005``.
        dataset: Name of the dataset.
        views: The views in order of their names.
        tags: Tags given by people.
        state: ``finished`` once a person has finished its annotation, else ``open``.
        metadata: Further values of the source: ``destination``, ``movement_instructions``, ``weather``
            (JSON).
    """

    name: str
    dataset: str = ""
    views: tuple[SceneView, ...] = ()
    tags: tuple[str, ...] = ()
    state: SceneState = "open"
    metadata: dict[str, Any] = {}

    table = Table(
        entity="scene",
        columns=(
            Column(name="name", value=lambda r: r.name),
            Column(name="dataset", value=lambda r: r.dataset),
            Column(name="views", type=int, value=lambda r: len(r.views)),
            Column(name="tags", value=lambda r: to_json(sorted(set(r.tags)))),
            Column(name="state", value=lambda r: r.state),
        ),
        indexes=(("name", "dataset"), ("dataset", "removed")),
        substrings=lambda r: r.name,
    )

    def medium_of(self, view: str) -> str | None:
        """Return the id of a view's medium, or None where the scene has no such view."""
        return next((v.medium for v in self.views if v.name == view), None)

    @property
    def is_derived(self) -> bool:
        """Whether it shows degraded images of another scene."""
        return DERIVED_FROM in self.metadata

    @property
    def original_name(self) -> str:
        """Its name; if it is derived, the name of the scene that it was made from."""
        return str(self.metadata.get(DERIVED_FROM, self.name))
