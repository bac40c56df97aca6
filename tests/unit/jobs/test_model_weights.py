"""What local models are known by: their content, wherever it lies, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.profile import ModelProfile
from annotator.jobs import model_weights
from annotator.jobs.model_weights import deciding
from annotator.jobs.request_key import digest
from annotator.progress import Progress
from models.weights_folder import folder_digest


def checkpoint(folder: Path, *, weights: bytes = b"weights") -> ModelProfile:
    """Write a checkpoint and return its profile."""
    folder.mkdir(parents=True)
    for name, content in (("config.json", b"{}"), ("a.safetensors", weights), ("README.md", b"of mine")):
        (folder / name).write_bytes(content)
    return ModelProfile(name="m", adapter="transformers", path=str(folder))


def detector(file: Path, *, weights: bytes = b"weights") -> ModelProfile:
    """Write a file of weights and return its profile."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(weights)
    return ModelProfile(name="m", adapter="onnx", path=str(file))


def key(profile: ModelProfile, settings: Path | None = None) -> str:
    return digest(deciding(profile, settings=settings, progress=Progress()))


def test_deciding_when_the_same_weights_lie_elsewhere_then_is_the_same(tmp_path: Path) -> None:
    assert key(checkpoint(tmp_path / "a")) == key(checkpoint(tmp_path / "b"))
    assert key(detector(tmp_path / "a.onnx")) == key(detector(tmp_path / "c" / "other.onnx"))


def test_deciding_when_weights_at_one_place_are_replaced_then_is_another(tmp_path: Path) -> None:
    folder, file = checkpoint(tmp_path / "a"), detector(tmp_path / "a.onnx")
    before = key(folder, tmp_path), key(file, tmp_path)
    (tmp_path / "a" / "a.safetensors").write_bytes(b"other weights")
    Path(file.path).write_bytes(b"other weights")
    after = key(folder, tmp_path), key(file, tmp_path)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_deciding_when_a_file_that_decides_nothing_is_changed_then_is_the_same(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "a")
    before = key(folder)
    (tmp_path / "a" / "README.md").write_text("of yours")
    assert key(folder) == before


def test_deciding_when_the_folder_is_opened_then_the_digest_is_that_of_its_predictions(
    tmp_path: Path,
) -> None:
    found = deciding(checkpoint(tmp_path / "a"), settings=None, progress=Progress())
    assert found["weights"] == folder_digest(tmp_path / "a")
    assert "path" not in found


def test_deciding_when_asked_again_then_no_file_is_read_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = model_weights._read

    def noted(file: Path, *, progress: Progress) -> str:
        read.append(file.name)
        return whole(file, progress=progress)

    monkeypatch.setattr(model_weights, "_read", noted)
    file = detector(tmp_path / "a.onnx")
    first = key(file, tmp_path / "settings")
    assert key(file, tmp_path / "settings") == first
    assert read == ["a.onnx"]
    Path(file.path).write_bytes(b"larger weights")
    assert key(file, tmp_path / "settings") != first
    assert read == ["a.onnx", "a.onnx"]


def test_deciding_when_weights_are_large_then_tells_its_progress(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    progress = Progress(lambda update: told.append((str(update.what), update.done, update.total)))
    file = detector(tmp_path / "large.onnx", weights=bytes(9 * 2**20))
    deciding(file, settings=None, progress=progress)
    assert told[0] == ("Reading the weights large.onnx", 0, 3)


@pytest.mark.parametrize("adapter", ["openai", "transformers", "onnx"])
def test_deciding_when_the_files_are_on_another_machine_then_is_the_path(adapter: str) -> None:
    profile = ModelProfile(name="m", adapter=adapter, path="/of/the/cluster")  # type: ignore[arg-type]
    assert deciding(profile, settings=None, progress=Progress()) == profile.decides
