from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from tests.contracts.steadiness import faults_of
from tests.patience import PATIENCE_S

TESTS = Path(__file__).resolve().parents[1]
# What holds the patience, and the tools that measure and are no tests themselves.
MEASURING = {"patience.py", "contracts/steadiness.py", "gui_handlers.py"}
UNSTEADY = {
    "thread.join(30)": "waits 30",
    "thread.join(timeout=5)": "waits 5",
    "future.result(1)": "waits 1",
    "changed.wait_for(lambda: True, 30)": "waits 30",
    "subprocess.run(['x'], timeout=60)": "waits 60",
    "qtbot.waitUntil(is_settled, timeout=20_000)": "waits 20000",
    "qtbot.waitSignal(done, timeout=100)": "waits 100",
    "random.Random()": "another seed",
    "np.random.default_rng()": "another seed",
    "random.choice([1, 2])": "no seed",
    "np.random.normal(2)": "no seed",
    "time.sleep(0.1)": "guesses",
    "assert time.monotonic() - began < 2": "measures",
    "time.perf_counter()": "measures",
    "time.process_time()": "measures",
}
STEADY = [
    "thread.join(PATIENCE_S)",
    "event.wait(0.01)",
    "supervisor.wait(0)",
    "' '.join(words)",
    "qtbot.waitUntil(is_settled)",
    "random.Random(3)",
    "np.random.default_rng(seed)",
    "draws.choice([1, 2])",
    "time.time()",
    "time.sleep(0)",
    "assert time.monotonic() - began >= 2",
]
DRAWN = """
import sys
from tests import conftest
for module in sys.argv[1:]:
    __import__(module)
from hypothesis import given, strategies as st
drawn = []
@given(st.text(), st.integers(), st.floats())
def draw(text, number, share): drawn.append((text, number, share))
draw()
print(ascii(drawn))
"""


def test_tests_when_read_then_none_can_fail_by_chance() -> None:
    files = {path.relative_to(TESTS).as_posix(): path for path in sorted(TESTS.rglob("*.py"))}
    read = [name for name in files if name not in MEASURING and not name.startswith("bench/")]
    assert len(read) > 300
    assert [fault for name in read for fault in faults_of(files[name], name=name)] == []


@pytest.mark.parametrize(("line", "message"), UNSTEADY.items(), ids=UNSTEADY)
def test_faults_when_a_line_is_not_steady_then_are_found(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "test_x.py"
    file.write_text(f"def test_x(): {line}\n")
    (fault,) = faults_of(file, name="test_x.py")
    assert message in fault
    assert fault.startswith("test_x.py:1 ")


def test_faults_when_a_limit_has_a_name_then_its_number_counts(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text("WAIT_S = 60\nLONG_S = 120\ndef test_x(): (done.wait(WAIT_S), done.wait(LONG_S))\n")
    (fault,) = faults_of(file, name="test_x.py")
    assert fault.startswith("test_x.py:3 waits 60")


@pytest.mark.parametrize("line", STEADY)
def test_faults_when_a_line_is_steady_then_are_none(tmp_path: Path, line: str) -> None:
    file = tmp_path / "test_x.py"
    file.write_text(f"def test_x(): {line}\n")
    assert faults_of(file, name="test_x.py") == []


def test_faults_when_a_test_is_marked_slow_then_it_may_measure_time(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text("@pytest.mark.slow\ndef test_x(): time.perf_counter()\n")
    assert faults_of(file, name="test_x.py") == []


def test_hypothesis_when_nothing_else_is_said_then_it_neither_draws_at_random_nor_remembers() -> None:
    assert hypothesis.settings.default is not None
    assert hypothesis.settings.default.derandomize
    assert hypothesis.settings.default.database is None


def test_hypothesis_when_other_modules_are_loaded_then_it_draws_the_same_examples() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", DRAWN, *modules],
            cwd=TESTS.parent,
            env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE_S,
        ).stdout
        for modules in ((), ("annotator.session", "annotator.domain.item"))
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("), (") > 20
