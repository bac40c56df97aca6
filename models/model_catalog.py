"""The models that this installation can open and test, for processes that get profiles as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import Model
from annotator.progress import Progress
from models.adapters import open_model


class InstalledModels:
    """The models that this installation can open; an ``annotator.model_api.ModelCatalog``."""

    def open(self, profile: Mapping[str, Any], *, progress: Progress) -> Model:
        """Load a model by its profile as plain values.

        Raises:
            UserError: It is not installed, the file is missing, or the key is not set; the message says what
                to do.
            EnvironmentFailure: The driver failed, or a file cannot be read.
            Cancelled: The model is no longer needed.
        """
        return open_model(_profile(profile), progress=progress)

    def trial(self, profile: Mapping[str, Any]) -> str:
        """Test a model with short requests, and return its features, one per line.

        Raises:
            UserError: It cannot be opened, or rejects the requests; the message says what to do.
            EnvironmentFailure: The driver, the disk or the server has failed, or the server cannot be
                reached.
        """
        from models.connection_test import check_profile

        return check_profile(_profile(profile))


def _profile(values: Mapping[str, Any]) -> ModelProfile:
    try:
        return msgspec.convert(values, ModelProfile)
    except msgspec.ValidationError as error:
        raise UserError(f"Invalid model profile: {error}.") from error
