"""Local checkpoints on a CUDA machine: precision, figures, and a process that is killed while it works."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatRequest
from tests.unit.models.tiny_checkpoints import make_sighted_model, make_text_model, need_engine

REPO = Path(__file__).resolve().parents[3]
QUESTIONS = 24
# Answers questions one after the other and says each answer at once; those that were answered are left out.
ASKER = """
import json, sys
from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatRequest
from models.local_checkpoint import open_model
model = open_model(ModelProfile(name="tiny", adapter="transformers", path=sys.argv[1], options={"batch": 1}))
print("loaded", model.engine.device, flush=True)
for number in json.loads(sys.argv[2]):
    text = model.ask(ChatRequest(text=f"Question {number}", max_tokens=200), timeout_s=60).text
    print(json.dumps([number, text]), flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def cuda():
    need_engine()
    import torch

    if not torch.cuda.is_available():
        pytest.skip("this machine has no CUDA")
    return torch


def ask_all(folder: Path, numbers: list[int], *, kill_after: int = 0) -> dict[int, str]:
    """Run a process that answers; kill it where asked after so many answers."""
    command = [sys.executable, "-W", "ignore", "-c", ASKER, str(folder), json.dumps(numbers)]
    found: dict[int, str] = {}
    with subprocess.Popen(command, cwd=REPO, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["loaded", "cuda"]
        for line in process.stdout:
            number, text = json.loads(line)
            found[number] = text
            if kill_after and len(found) == kill_after:
                process.kill()
                break
    assert kill_after or process.returncode == 0
    return found


@pytest.mark.slow
def test_process_when_killed_at_work_then_another_goes_on_and_all_answers_are_the_same(tmp_path) -> None:
    folder = make_text_model(tmp_path)
    whole = ask_all(folder, list(range(QUESTIONS)))
    first = ask_all(folder, list(range(QUESTIONS)), kill_after=5)
    rest = ask_all(folder, [number for number in range(QUESTIONS) if number not in first])
    assert len(first) < QUESTIONS
    assert first | rest == whole


@pytest.mark.slow
def test_sighted_model_when_on_cuda_then_runs_in_bf16_and_tells_speed_and_memory(tmp_path, capsys) -> None:
    from models.local_checkpoint import open_model

    folder = make_sighted_model(tmp_path)
    model = open_model(
        ModelProfile(name="tiny", adapter="transformers", path=str(folder), options={"batch": 32})
    )
    assert model.identity.parameters["device"] == "cuda"
    assert model.identity.parameters["precision"] == "bf16"
    requests = [ChatRequest(text=f"Question {n}", max_tokens=64) for n in range(64)]
    model.engine.write(requests[:32], time_s=60)
    began = time.perf_counter()
    found = model.engine.write(requests, time_s=60)
    took_s = time.perf_counter() - began
    memory = model.engine.memory_bytes
    model.close()
    assert len(found) == 64
    assert memory > 0
    with capsys.disabled():
        print(f"\n{sum(each.tokens for each in found) / took_s:.0f} tokens/s, {memory / 2**20:.1f} MiB")


@pytest.mark.slow
def test_batch_when_memory_of_the_gpu_is_bounded_then_comes_down_until_it_fits(tmp_path, cuda) -> None:
    from models.local_checkpoint import open_model

    folder = make_text_model(tmp_path)
    model = open_model(
        ModelProfile(name="tiny", adapter="transformers", path=str(folder), options={"batch": 512})
    )
    requests = [ChatRequest(text="x" * 900, max_tokens=2) for _ in range(512)]
    cuda.cuda.empty_cache()
    share = (cuda.cuda.memory_allocated() + 2**27) / cuda.cuda.mem_get_info()[1]
    cuda.cuda.set_per_process_memory_fraction(share)
    try:
        found = model.engine.write(requests, time_s=300)
    finally:
        cuda.cuda.set_per_process_memory_fraction(1.0)
    assert len(found) == 512
    assert model.engine.rows < 512
    model.close()
