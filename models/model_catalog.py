"""Opens the model of a profile; what an adapter needs is imported only when one of its models is opened."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import UserError
from annotator.model_api import Model
from annotator.progress import Progress

MODULES: Mapping[Adapter, str] = MappingProxyType(
    {
        "openai": "models.chat",
        "smollm": "models.smollm",
        "probe": "models.text_probe",
        "transformers": "models.local_checkpoint",
        "vllm": "models.vllm_server",
        "onnx": "models.onnx_detector",
        "ultralytics": "models.ultralytics_detector",
        "depth-onnx": "models.depth_onnx",
        "depth-files": "models.depth_files",
    }
)
"""Module of each adapter; it has ``open_model(profile)``."""
SLOW: frozenset[Adapter] = frozenset({"transformers", "vllm"})
"""Adapters whose models take minutes to open: ``open_model(profile, progress=...)`` asks whether to go on.
The others are there in seconds, in one call of a package that nothing can break off."""
INSTALLS: Mapping[Adapter, str] = MappingProxyType(
    {
        "smollm": "./vantage setup local-llm",
        "transformers": "./vantage setup gpu",
        "vllm": "pip install vllm",
        "ultralytics": "./vantage setup detector",
    }
)
"""What brings the packages of an adapter that are no part of the core."""
CORE_INSTALL = "./vantage setup"


class InstalledModels:
    """The models that this installation can open; an ``annotator.model_api.ModelCatalog``."""

    def open(self, profile: Mapping[str, Any], *, progress: Progress) -> Model:
        """Load a model by its profile as plain values.

        Raises:
            UserError: It is not installed, the file is missing, or the key is not set; says what to do.
            EnvironmentFailure: The driver or the disk refused.
            Cancelled: It is wanted no more.
        """
        return open_model(_profile(profile), progress=progress)

    def trial(self, profile: Mapping[str, Any]) -> str:
        """Ask a model something tiny, and return what it can do, one line each.

        Raises:
            UserError: It cannot be opened, or refuses to answer; says what to do.
            EnvironmentFailure: The driver, the disk or the server is in trouble, or nobody answers there.
        """
        from models.connection_test import check_profile

        return check_profile(_profile(profile))


def _profile(values: Mapping[str, Any]) -> ModelProfile:
    try:
        return msgspec.convert(values, ModelProfile)
    except msgspec.ValidationError as error:
        raise UserError(f"Invalid model profile: {error}.") from error


def open_model(profile: ModelProfile, *, progress: Progress | None = None) -> Model:
    """Load the model of a profile.

    Args:
        profile: The profile.
        progress: Asked whether to go on where that takes minutes; None for in any case.

    Raises:
        UserError: It is not installed, the file is missing, or the key is not set; says what to do.
        EnvironmentFailure: The driver or the disk refused.
        Cancelled: It is wanted no more.
    """
    arguments = {"progress": progress} if profile.adapter in SLOW else {}
    try:
        module = importlib.import_module(MODULES[profile.adapter])
        model: Model = module.open_model(profile, **arguments)
    except ImportError as error:
        # A module of the house that is missing is a bug, and no package mends it.
        if (error.name or "").partition(".")[0] in {"annotator", "models", "resources"}:
            raise
        raise UserError(
            f"{profile.name!r} needs a package that is not installed ({error.name or error}).",
            hint=f"Install it with: {INSTALLS.get(profile.adapter, CORE_INSTALL)}",
        ) from error
    return model
