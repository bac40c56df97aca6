"""Guard of the GUI thread: measures how long slots and event handlers of the window compute.

By the CPU time of the thread, not by the clock, and the least of several rounds: on a busy machine the clock
tells more of the machine than of the code.
"""

from __future__ import annotations

import inspect
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from types import FunctionType
from typing import Any

HANDLER = re.compile(r"_on_\w+|[a-z]+[A-Z]?[A-Za-z]*Event|eventFilter|show_workspace|show_list")
"""Names of slots, of Qt's event handlers, and of what shows a workspace or a list."""


class HandlerTimes:
    """Notes how long each handler computed at its longest, handlers inside of others left out."""

    def __init__(self) -> None:
        self.longest_ms: dict[str, float] = {}
        self.is_on = self._is_inside = False

    def measure(self, name: str, call: Callable[[], Any]) -> Any:
        """Call a handler and note its time, where it is the outermost one."""
        if not self.is_on or self._is_inside or threading.current_thread() is not threading.main_thread():
            return call()
        self._is_inside = True
        began = time.thread_time()
        try:
            return call()
        finally:
            self._is_inside = False
            took_ms = (time.thread_time() - began) * 1000
            self.longest_ms[name] = max(took_ms, self.longest_ms.get(name, 0.0))


def _handlers() -> Iterator[tuple[type, str, FunctionType]]:
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith("widgets."):
            continue
        for owner in vars(module).values():
            if isinstance(owner, type) and owner.__module__ == module_name:
                for name, function in list(vars(owner).items()):
                    if isinstance(function, FunctionType) and HANDLER.fullmatch(name):
                        yield owner, name, function


@cache
def _recorder() -> HandlerTimes:
    """Measure from now on the handlers of all modules of the window that are loaded.

    For good: Qt keeps the methods that it has found, and calls them when they are replaced again.
    """
    times = HandlerTimes()

    def timing(full_name: str, function: FunctionType) -> Callable[..., Any]:
        code = function.__code__
        # Qt gives a slot as many arguments as it takes, and this one seems to take any number.
        most = None if code.co_flags & inspect.CO_VARARGS else code.co_argcount

        @wraps(function)
        def timed_call(*arguments: Any, **named: Any) -> Any:
            return times.measure(full_name, lambda: function(*arguments[:most], **named))

        return timed_call

    for owner, name, function in _handlers():
        full_name = f"{owner.__module__}.{owner.__qualname__}.{name}"
        setattr(owner, name, timing(full_name, function))
    return times


@contextmanager
def timed() -> Iterator[HandlerTimes]:
    """Measure the handlers of the window inside the block.

    Slots that are connected before the first call in a process are not measured: open a window before, so
    that its modules are loaded, and the measured one inside.
    """
    times = _recorder()
    times.longest_ms = {}
    times.is_on = True
    try:
        yield times
    finally:
        times.is_on = False


def least_of_rounds(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the least that each handler took, milliseconds; one that a round did without is left out."""
    names = set.intersection(*(set(times) for times in rounds))
    return {name: min(times[name] for times in rounds) for name in names}
