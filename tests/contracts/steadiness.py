"""What makes a test fail by chance, found in its syntax tree: short limits, measured times, random seeds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.patience import PATIENCE_MS, PATIENCE_S

SHORTEST_LIMIT_S = 1.0
"""Shorter waits are pauses between two looks, or limits that are meant to strike."""
WAITING_CALLS = {"acquire", "exception", "join", "result", "wait", "wait_for"}
LIMIT_NAMES = {"timeout", "within_s"}
QT_CALLS = {"waitActive", "waitCallback", "waitExposed", "waitSignal", "waitSignals", "waitUntil"}
SEEDLESS = {"Random", "RandomState", "SeedSequence", "default_rng"}
GLOBAL_DRAWS = {
    "choice", "choices", "gauss", "getrandbits", "normal", "permutation", "rand", "randbytes", "randint",
    "randn", "random", "randrange", "sample", "shuffle", "uniform",
}  # fmt: skip
CLOCKS = {"perf_counter", "perf_counter_ns", "process_time", "thread_time"}


def faults_of(path: Path, *, name: str) -> list[str]:
    """List what is not steady in a file of tests, each with its line; tests marked slow may measure time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = _constants(tree)
    slow = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_slow(node)]
    slow_nodes = {id(inner) for node in slow for inner in ast.walk(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _is_deadline(node):
            found.append(f"{name}:{node.lineno} measures the machine: tests.patience has the limit for all")
        if isinstance(node, ast.Call):
            faults = [*_limits(node, constants), *_seeds(node)]
            faults += [] if id(node) in slow_nodes else _clocks(node)
            found += [f"{name}:{node.lineno} {fault}" for fault in faults]
    return found


def _is_slow(function: ast.FunctionDef) -> bool:
    return any("mark.slow" in ast.unparse(mark) for mark in function.decorator_list)


def _is_deadline(compared: ast.Compare) -> bool:
    is_measured = "time.monotonic()" in ast.unparse(compared.left)
    limit = _number(compared.comparators[0])
    return is_measured and isinstance(compared.ops[0], ast.Lt | ast.LtE) and limit is not None


def _parts(call: ast.Call) -> tuple[str, str]:
    """Return what is called, and of what: ``("wait", "event")``."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr, ast.unparse(call.func.value)
    return getattr(call.func, "id", ""), ""


def _number(node: ast.expr) -> float | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return float(node.value) if is_number else None  # type: ignore[attr-defined]


def _constants(tree: ast.Module) -> dict[str, float]:
    """Return the numbers that have names in a module."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            number = _number(node.value)
            if number is not None:
                found[node.targets[0].id] = number
    return found


def _limits(call: ast.Call, constants: dict[str, float]) -> Iterator[str]:
    name, owner = _parts(call)
    if "qtbot" in owner and name == "wait":
        return
    limits = [word.value for word in call.keywords if word.arg in LIMIT_NAMES]
    if name in WAITING_CALLS and not call.keywords:
        limits += call.args[-1:]
    shortest, patience = SHORTEST_LIMIT_S, PATIENCE_S
    if name in QT_CALLS:
        shortest, patience = 0.0, PATIENCE_MS
    for limit in limits:
        number = constants.get(limit.id) if isinstance(limit, ast.Name) else _number(limit)
        if number is not None and shortest <= number < patience:
            yield f"waits {number:g}: tests.patience has the limit for all"


def _seeds(call: ast.Call) -> Iterator[str]:
    name, owner = _parts(call)
    if name in SEEDLESS and not call.args and not call.keywords:
        yield f"{name}() has another seed at each run"
    if name in GLOBAL_DRAWS and owner in {"random", "np.random", "numpy.random"}:
        yield f"{owner}.{name}() has no seed of its own"


def _clocks(call: ast.Call) -> Iterator[str]:
    name, owner = _parts(call)
    if name in CLOCKS and owner == "time":
        yield f"time.{name}() measures the machine: take tests.hangs.soon, or the bench"
    if name == "sleep" and owner == "time" and not (call.args and _number(call.args[0]) == 0):
        yield "time.sleep() guesses how long something takes: wait for it with tests.patience.wait_until"
