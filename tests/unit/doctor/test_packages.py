from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from annotator.doctor import packages
from annotator.doctor.packages import EXTRAS, Requirements, check_extras, check_packages

REPO = Path(__file__).resolve().parents[3]
PYPROJECT = """
[project]
dependencies = ["numpy>=2", "PySide6-Essentials>=6", "no-such-package>=1 # a reason"]
[project.optional-dependencies]
detector = ["torch==2.13.0", "no-such-detector"]
gpu = ["numpy>=2"]
local-llm = ["msgspec"]
cluster = ["dask[distributed]==2026.8.0"]
"""


@pytest.fixture
def requirements(tmp_path: Path) -> Requirements:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    pins = f"numpy==0.0.1\npyside6_essentials=={metadata.version('PySide6-Essentials')} # a reason\n"
    (tmp_path / "constraints.txt").write_text(pins, encoding="utf-8")
    read = Requirements.read(tmp_path)
    assert read is not None
    return read


def test_requirements_when_read_then_names_and_pins_are_those_of_the_files(
    requirements: Requirements,
) -> None:
    assert requirements.core == ["numpy", "PySide6-Essentials", "no-such-package"]
    assert requirements.extras["cluster"] == ["dask"]
    assert requirements.pins["dask"] == "2026.8.0"
    assert requirements.pins["numpy"] == "0.0.1"
    assert requirements.pins["torch"] == "2.13.0"


def test_requirements_when_the_files_are_missing_then_are_none(tmp_path: Path) -> None:
    assert Requirements.read(tmp_path) is None


def test_packages_when_one_is_missing_and_one_differs_then_each_is_named(requirements: Requirements) -> None:
    results = {result.name: result for result in check_packages(requirements)}
    numpy = results["Package numpy"]
    installed = metadata.version("numpy")
    assert numpy.status == "warning"
    assert numpy.detail == f"numpy {installed} is installed, 0.0.1 is pinned"
    missing = results["Package no-such-package"]
    assert (missing.status, missing.fix) == ("error", "./vantage setup")
    assert results["Packages"].detail == "1 of 3 packages have the pinned version and can be loaded"


def test_packages_when_one_is_damaged_then_is_an_error_although_its_version_is_right(
    requirements: Requirements, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy", "PySide6"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('libEGL.so.1 is not there')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    results = {result.name: result for result in check_packages(requirements)}
    damaged = results["Package PySide6-Essentials"]
    assert damaged.detail == "PySide6-Essentials cannot be loaded: libEGL.so.1 is not there"
    assert (damaged.status, damaged.fix) == ("error", "./vantage setup")
    assert results["Package numpy"].status == "error"
    assert results["Packages"].status == "error"


def test_packages_when_one_ends_the_process_then_is_said(
    requirements: Requirements, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("import os\nos._exit(7)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (result,) = check_packages(requirements)
    assert (result.status, result.fix) == ("error", "./vantage setup")
    assert "status 7" in result.detail


def test_extras_when_missing_then_are_no_error_and_name_the_command(requirements: Requirements) -> None:
    results = {result.name.removeprefix("Optional part "): result for result in check_extras(requirements)}
    assert list(results) == list(EXTRAS)
    assert results["detector"].status == "info"
    assert "no-such-detector" in results["detector"].detail
    assert results["detector"].fix == "./vantage setup detector"
    assert results["gpu"].status == "warning"
    assert results["local-llm"].status == "ok"


def test_packages_when_the_project_itself_is_checked_then_every_package_has_its_pin() -> None:
    requirements = Requirements.read()
    assert requirements is not None
    assert set(EXTRAS) | {"test"} == set(
        tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
    )
    assert len(requirements.core) > 10
    assert [name for name in requirements.core if packages._normalised(name) not in requirements.pins] == []
    assert [(result.name, result.status) for result in check_packages(requirements)] == [("Packages", "ok")]
