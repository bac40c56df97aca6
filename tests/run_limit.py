"""A run of the tests ends, whatever happens: after a limit, with the names of the tests that did not finish.

A single test that hangs is ended by the fault handler (`faulthandler_timeout`), and a process that dies is
replaced (`tests/scheduling.py`). The limit is for any other standstill, for instance in pytest itself.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator

import pytest

LIMIT_S = float(os.environ.get("VANTAGE_TEST_LIMIT_S", "3600"))
"""Three times the slowest run that was seen on two busy cores. 0: no limit."""


class RunLimit:
    """Ends the processes of a run and reports what was running."""

    def __init__(self) -> None:
        self._unfinished: dict[str, None] = {}
        self._nodes: list[object] = []
        # pytest redirects the error stream while a test runs; now it is the terminal's.
        self._stderr = os.dup(sys.stderr.fileno())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Run the tests with a timer beside them."""
        timer = threading.Timer(LIMIT_S, self._end)
        timer.daemon = True
        timer.start()
        try:
            return (yield)
        finally:
            timer.cancel()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test began."""
        self._unfinished[nodeid] = None

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test ended."""
        self._unfinished.pop(nodeid, None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: object) -> None:
        """Note a process of pytest-xdist."""
        self._nodes.append(node)

    def _end(self) -> None:
        lines = ("", f"The run was ended after {LIMIT_S:g} s. Not finished:", *self._unfinished, "")
        os.write(self._stderr, "\n".join(lines).encode())
        for node in self._nodes:
            node.gateway._io.kill()  # type: ignore[attr-defined] # execnet kills only a process that it waited for
        os._exit(1)


def pytest_configure(config: pytest.Config) -> None:
    """Limit the run, but not that of the slow tests, and not each process of pytest-xdist by itself."""
    if LIMIT_S and config.option.markexpr == "not slow" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunLimit(), "vantage-run-limit")
