"""Opens the model of a profile; the packages of an adapter are imported only when it is used."""

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
        "sam-onnx": "models.segmenter",
    }
)
"""Module of each adapter; it has ``open_model(profile)``."""
SLOW: frozenset[Adapter] = frozenset({"transformers", "vllm"})
"""Adapters whose models take minutes to open: ``open_model(profile, progress=...)`` can be cancelled. The
others load in seconds, in one package call that cannot be interrupted.
"""
INSTALLS: Mapping[Adapter, str] = MappingProxyType(
    {
        "smollm": "./vantage setup local-llm",
        "transformers": "./vantage setup gpu",
        "vllm": "pip install vllm",
        "ultralytics": "./vantage setup detector",
    }
)
"""How to install the packages of adapters that are not part of the core."""
CORE_INSTALL = "./vantage setup"


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


def open_model(profile: ModelProfile, *, progress: Progress | None = None) -> Model:
    """Load the model of a profile.

    Args:
        profile: The profile.
        progress: Raises ``Cancelled`` while slow models load; None if not cancellable.

    Raises:
        UserError: It is not installed, the file is missing, or the key is not set; the message says what to
            do.
        EnvironmentFailure: The driver failed, or a file cannot be read.
        Cancelled: The model is no longer needed.
    """
    arguments = {"progress": progress} if profile.adapter in SLOW else {}
    try:
        module = importlib.import_module(MODULES[profile.adapter])
        model: Model = module.open_model(profile, **arguments)
    except ImportError as error:
        # A missing module of Vantage itself is a bug; installing a package does not correct it.
        if (error.name or "").partition(".")[0] in {"annotator", "models", "resources"}:
            raise
        raise UserError(
            f"{profile.name!r} needs a package that is not installed ({error.name or error}).",
            hint=f"Install it with: {INSTALLS.get(profile.adapter, CORE_INSTALL)}",
        ) from error
    return model
