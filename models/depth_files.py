"""Depth maps stored as files: the adapter ``depth-files``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.depth_maps import DepthMapFiles
from annotator.model_api import CallFailed, ModelIdentity

if TYPE_CHECKING:
    from annotator.model_api import Depth


def open_model(profile: ModelProfile) -> DepthFiles:
    """Return the depth maps of a profile.

    Raises:
        UserError: There is no such folder, or an option is wrong.
    """
    if profile.path and not Path(profile.path).is_dir():
        raise UserError(
            f"There is no folder {profile.path} of depth maps.", hint="Correct the path in the model profile."
        )
    return DepthFiles(DepthMapFiles.of(profile.options, folder=profile.path), profile=profile)


class DepthFiles:
    """Depth maps beside images; an ``annotator.model_api.DepthMaps``.

    Args:
        locations: Their locations.
        profile: Name of the profile.
    """

    def __init__(self, locations: DepthMapFiles, *, profile: ModelProfile) -> None:
        self._map_files = locations
        self.identity = ModelIdentity(
            name=profile.model or profile.name,
            kind="depth",
            revision=profile.revision,
            parameters=msgspec.to_builtins(locations),
        )

    def depth_beside(self, file: Path, *, frame: int | None) -> Depth:
        """Return the map of an image or frame: float32 (height, width), NaN for unknown depth.

        Raises:
            CallFailed: The map is missing, damaged or unreadable.
        """
        try:
            return self._map_files.read(self._map_files.find(file, frame=frame))
        except (UserError, EnvironmentFailure) as error:
            # One unreadable map must not stop the run for all other images.
            raise CallFailed(str(error), kind="material", is_retryable=False, was_sent=False) from error

    def close(self) -> None:
        """Do nothing: maps are not kept open."""
