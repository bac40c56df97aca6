"""The adapters of model profiles; the packages of an adapter are imported only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import UserError
from annotator.model_api import Model
from annotator.progress import Progress

Opener = Callable[[ModelProfile, Progress | None], Model]
"""Loads the model of a profile; one that takes minutes asks the progress whether to go on. The others load
in seconds, in one package call that cannot be interrupted.
"""


def _open_chat(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.chat import open_model

    return open_model(profile)


def _open_embedded(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.smollm import open_model

    return open_model(profile)


def _open_text_probe(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.text_probe import open_model

    return open_model(profile)


def _open_checkpoint(profile: ModelProfile, progress: Progress | None) -> Model:
    from models.local_checkpoint import open_model

    return open_model(profile, progress=progress)


def _open_vllm_server(profile: ModelProfile, progress: Progress | None) -> Model:
    from models.vllm_server import open_model

    return open_model(profile, progress=progress)


def _open_onnx_detector(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.onnx_detector import open_model

    return open_model(profile)


def _open_ultralytics_detector(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.ultralytics_detector import open_model

    return open_model(profile)


def _open_depth_model(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.depth_onnx import open_model

    return open_model(profile)


def _open_depth_files(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.depth_files import open_model

    return open_model(profile)


def _open_segmenter(profile: ModelProfile, _progress: Progress | None) -> Model:
    from models.segmenter import open_model

    return open_model(profile)


# Functions with an import statement each, not module names: a frozen build must find the modules.
OPENERS: Mapping[Adapter, Opener] = MappingProxyType(
    {
        "openai": _open_chat,
        "smollm": _open_embedded,
        "probe": _open_text_probe,
        "transformers": _open_checkpoint,
        "vllm": _open_vllm_server,
        "onnx": _open_onnx_detector,
        "ultralytics": _open_ultralytics_detector,
        "depth-onnx": _open_depth_model,
        "depth-files": _open_depth_files,
        "sam-onnx": _open_segmenter,
    }
)
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
    try:
        return OPENERS[profile.adapter](profile, progress)
    except ImportError as error:
        # A missing module of Vantage itself is a bug; installing a package does not correct it.
        if (error.name or "").partition(".")[0] in {"annotator", "models", "resources"}:
            raise
        raise UserError(
            f"{profile.name!r} needs a package that is not installed ({error.name or error}).",
            hint=f"Install it with: {INSTALLS.get(profile.adapter, CORE_INSTALL)}",
        ) from error
