from __future__ import annotations

import os
import shutil
import sys
import tempfile
import tomllib
from collections import namedtuple
from pathlib import Path

import pytest

from annotator.doctor import media_libraries, probes, system
from annotator.doctor.media_libraries import check_media_libraries
from annotator.doctor.probes import gpus, run_probe
from annotator.errors import EnvironmentFailure
from annotator.store import connection

REPO = Path(__file__).resolve().parents[3]
Usage = namedtuple("Usage", "total used free")


def test_python_when_in_range_then_is_fine_and_the_range_is_that_of_the_project() -> None:
    assert system.check_python().status == "ok"
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest, newest = system.PYTHON_OLDEST, system.PYTHON_NEWEST
    assert project["requires-python"] == f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"


def test_python_when_too_old_then_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    result = system.check_python()
    assert result.status == "error"
    assert result.fix == "Install a 64-bit Python 3.11 to 3.14, then run: ./vantage setup"


def test_sqlite_when_too_old_then_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.check_sqlite().status == "ok"
    monkeypatch.setattr(connection.sqlite3, "sqlite_version_info", (3, 40, 0))
    assert (system.check_sqlite().status, system.check_sqlite().fix) == ("error", "./vantage setup")


@pytest.mark.parametrize(
    ("free", "status"), [(10_000_000_000, "ok"), (1_000_000_000, "warning"), (5_000_000, "error")]
)
def test_disk_when_little_is_free_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, status: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 0, free))
    result = system.check_disk(tmp_path / "not" / "there", name="data")
    assert (result.name, result.status) == ("Disk of data", status)
    assert (str(tmp_path) in result.fix) == (status != "ok")


def test_folders_when_one_is_behind_a_file_then_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "file" / "data"))
    results = {result.name: result for result in system.check_folders()}
    assert results["Folder of data"].status == "error"
    assert "Folder of cache" not in results


def test_folder_of_temporary_files_when_full_or_not_there_then_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(10**9, 10**9, 1000))
    full = {result.name: result for result in system.check_folders()}["Disk of temporary files"]
    assert (full.status, full.fix) == ("error", f"Free up space on the disk of {tmp_path}.")

    def find_none() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(tempfile, "gettempdir", find_none)
    none = {result.name: result for result in system.check_folders()}["Disk of temporary files"]
    assert (none.status, none.fix) == ("error", "Set TMPDIR to a folder that you can write to.")


def test_keyring_when_the_system_has_none_then_names_the_other_way() -> None:
    # The tests run with the null back end.
    result = system.check_keyring()
    assert result.status == "warning"
    assert "env:NAME" in result.fix


def test_log_when_it_holds_native_crashes_then_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_LOG", str(tmp_path / "log"))
    assert system.check_log().status == "ok"
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "vantage.log.1").write_text("Fatal Python error: Aborted\n", encoding="utf-8")
    result = system.check_log()
    assert result.status == "warning"
    assert "1 crashes" in result.detail


def test_log_when_the_folder_is_a_file_then_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_text("", encoding="utf-8")
    monkeypatch.setenv("VANTAGE_LOG", str(tmp_path / "log"))
    assert (system.check_log().status, "VANTAGE_LOG" in system.check_log().fix) == ("warning", True)


def test_media_libraries_when_whole_then_both_do_their_work() -> None:
    assert [(result.name, result.status) for result in check_media_libraries()] == [
        ("OpenCV", "ok"),
        ("PyAV", "ok"),
    ]


def test_media_libraries_when_a_decoder_is_missing_then_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media_libraries, "DECODERS", ("h264", "no-such-format"))
    opencv, pyav = check_media_libraries()
    assert (opencv.status, pyav.status, pyav.fix) == ("ok", "error", "./vantage setup")
    assert pyav.detail == "does not work: no decoder for no-such-format"


def test_gpus_when_there_is_no_driver_then_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpus() == []


@pytest.mark.skipif(os.name == "nt", reason="the driver is played by a shell script")
def test_gpu_when_no_library_uses_it_then_names_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho 'Card 9000, 24576 MiB, 600.1'\n", encoding="utf-8")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = {"onnxruntime": "1", "providers": ["CPUExecutionProvider"], "torch_gpus": []}
    monkeypatch.setattr(probes, "run_probe", lambda _name: found)
    runtime, gpu = probes.check_models()
    assert (runtime.status, runtime.detail) == ("ok", "1; runs on CPU")
    assert (gpu.status, gpu.detail) == ("warning", "Card 9000, 24576 MiB, 600.1; not used")
    assert gpu.fix == "./vantage setup gpu"
    found["providers"] = ["CUDAExecutionProvider"]
    assert list(probes.check_models())[1].status == "ok"


def test_probe_when_its_process_fails_then_the_message_holds_the_end_of_its_output() -> None:
    with pytest.raises(EnvironmentFailure, match="no-such-probe"):
        run_probe("no-such-probe")


def test_probe_when_the_platform_of_qt_is_missing_then_qt_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    (qt,) = probes.check_display()
    assert (qt.status, qt.fix) == ("error", "./vantage setup")
    assert "no-such-platform" in qt.detail
