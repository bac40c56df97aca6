"""Which GPUs a process may use, and which models are spread over them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotator.jobs.gpus import runs_on_each_gpu, visible_gpus
from tests.unit.jobs.nvidia import install
from tests.unit.jobs.working import profile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in of the driver's program is a script")
THREE = ("GPU-a1", "GPU-b2", "GPU-c3")


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (None, THREE),
        ("", ()),
        ("-1", ()),
        ("NoDevFiles", ()),
        ("1", ("1",)),
        ("2, 0", ("2", "0")),
        ("0,7,1", ("0",)),
        ("0,-1,1", ("0",)),
        ("0,0", ("0",)),
        ("GPU-b2,GPU-c", ("GPU-b2", "GPU-c")),
        ("GPU-a1,GPU-elsewhere,GPU-b2", ("GPU-a1",)),
    ],
)
def test_visible_gpus_when_the_environment_names_some_then_as_cuda_reads_it(
    tmp_path: Path, told: str | None, expected: tuple[str, ...]
) -> None:
    environment = install(tmp_path, *THREE)
    if told is not None:
        environment["CUDA_VISIBLE_DEVICES"] = told
    assert visible_gpus(environment) == expected


def test_visible_gpus_when_a_gpu_is_divided_then_its_instances_take_its_place(tmp_path: Path) -> None:
    environment = install(tmp_path, "GPU-a1", "MIG-x", "MIG-y", "GPU-b2", "GPU-c3", "MIG-z")
    assert visible_gpus(environment) == ("MIG-x", "MIG-y", "GPU-b2", "MIG-z")
    environment["CUDA_VISIBLE_DEVICES"] = "MIG-y,GPU-b2"
    assert visible_gpus(environment) == ("MIG-y", "GPU-b2")


def test_visible_gpus_when_no_driver_can_be_asked_then_what_is_named_is_believed(tmp_path: Path) -> None:
    nobody = {"PATH": str(tmp_path)}
    broken = install(tmp_path / "broken", "GPU-a1", status=9)
    for environment in (nobody, broken):
        assert visible_gpus(environment) == ()
        assert visible_gpus({**environment, "CUDA_VISIBLE_DEVICES": "1,0"}) == ("1", "0")


@pytest.mark.parametrize(
    ("adapter", "options", "expected"),
    [
        ("transformers", {}, True),
        ("transformers", {"device": "cuda"}, True),
        ("transformers", {"device": "cuda:1"}, False),
        ("transformers", {"device": "cpu"}, False),
        ("ultralytics", {}, True),
        ("ultralytics", {"device": "cpu"}, False),
        ("onnx", {}, False),
        ("onnx", {"device": "cuda"}, True),
        ("depth-onnx", {"device": "cuda"}, True),
        ("vllm", {}, False),
        ("openai", {}, False),
        ("smollm", {}, False),
    ],
)
def test_spreads_when_a_model_is_bound_to_no_gpu_then_any_will_do(
    adapter: str, options: dict[str, str], expected: bool
) -> None:
    assert runs_on_each_gpu(profile(adapter=adapter, options=options)) is expected
