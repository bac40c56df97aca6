"""Files of weights that would run code when they are unpickled: each adapter refuses them in words."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.profile import Adapter, ModelProfile
from annotator.errors import VantageError
from annotator.media.depth_file import read_depth
from models.adapters import open_model


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._folder),)


def pickled(trap: Trap) -> bytes:
    return pickle.dumps({"model": trap})


def text_pickle(trap: Trap) -> bytes:
    return pickle.dumps(trap, protocol=0)


def torch_archive(trap: Trap) -> bytes:
    """Return a file as torch writes it: the pickle in an archive."""
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps({"model": trap}, protocol=2))
            archive.writestr("archive/version", "3\n")
        return file.getvalue()


def numpy_objects(trap: Trap) -> bytes:
    with io.BytesIO() as file:
        np.save(file, np.array([trap], object), allow_pickle=True)
        return file.getvalue()


def numpy_archive(trap: Trap) -> bytes:
    with io.BytesIO() as file:
        np.savez(file, weights=np.array([trap], object))
        return file.getvalue()


PAYLOADS = (pickled, text_pickle, torch_archive, numpy_objects, numpy_archive)
FILES: tuple[tuple[Adapter, str], ...] = (
    ("onnx", "weights.onnx"), ("depth-onnx", "weights.onnx"), ("sam-onnx", "weights.encoder.onnx"),
    ("ultralytics", "weights.pt"),
)  # fmt: skip
FOLDERS: tuple[tuple[Adapter, str], ...] = (
    ("transformers", "pytorch_model.bin"), ("transformers", "model.safetensors"), ("smollm", "model.bin"),
)  # fmt: skip
Payload = Callable[[Trap], bytes]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.__name__)
def test_payload_when_it_is_unpickled_then_springs(tmp_path: Path, payload: Payload) -> None:
    sprung = tmp_path / "sprung"
    content = payload(Trap(sprung))
    if payload is torch_archive:
        content = zipfile.ZipFile(io.BytesIO(content)).read("archive/data.pkl")
    if payload in (numpy_objects, numpy_archive):
        loaded = np.load(io.BytesIO(content), allow_pickle=True)
        assert payload is numpy_objects or loaded["weights"].shape
    else:
        pickle.loads(content)
    assert sprung.is_dir()


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.__name__)
@pytest.mark.parametrize(("adapter", "name"), [*FILES, *FOLDERS])
def test_weights_when_they_would_run_code_then_are_refused_in_words_and_nothing_runs(
    tmp_path: Path, adapter: Adapter, name: str, payload: Payload
) -> None:
    sprung, file = tmp_path / "sprung", tmp_path / "model" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(payload(Trap(sprung)))
    is_folder = (adapter, name) in FOLDERS
    if is_folder:
        for other in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            (file.parent / other).write_text("{}")
    # A segmenter is two files.
    (file.parent / "weights.decoder.onnx").write_bytes(file.read_bytes())
    path = file.parent if is_folder else file

    with pytest.raises(VantageError) as refused:
        open_model(ModelProfile(name="m", adapter=adapter, path=str(path)))

    assert str(refused.value)
    assert not sprung.exists()


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.__name__)
def test_depth_file_when_it_would_run_code_then_is_refused_in_words_and_nothing_runs(
    tmp_path: Path, payload: Payload
) -> None:
    sprung, file = tmp_path / "sprung", tmp_path / "depth.npy"
    file.write_bytes(payload(Trap(sprung)))
    with pytest.raises(VantageError):
        read_depth(file)
    assert not sprung.exists()
