"""Calls in child processes that begin at once, for tests that make many of them.

Each child imports what it needs, half a second of work. Here all are forked from one process that has
imported it: function, arguments, messages and end stay the same. Tests of the calls themselves
(`tests/unit/scoring/test_score_process.py` and others) start the children as the product does.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import pytest

from annotator import process_call


class _ForkedCalls:
    """Stands for ``multiprocessing`` where a call asks it for a context."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")

    def get_context(self, _method: str) -> _ForkedCalls:
        return self

    def Pipe(self, *, duplex: bool) -> tuple[Connection, Connection]:
        return self._context.Pipe(duplex=duplex)

    def Process(
        self, *, target: Callable[..., None], args: tuple[object, ...], name: str, daemon: bool
    ) -> BaseProcess:
        # The process that is forked began in the home of an earlier test.
        told = (dict(os.environ), target, args)
        return self._context.Process(target=_call_with, args=told, name=name, daemon=daemon)


def _call_with(environment: dict[str, str], target: Callable[..., None], args: tuple[object, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*args)


@contextmanager
def calls_forked(modules: Sequence[str]) -> Iterator[None]:
    """Fork the children of calls inside the block from a process that has imported some modules."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    multiprocessing.set_forkserver_preload([__name__, *modules])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_call, "multiprocessing", _ForkedCalls())
        yield
    forkserver._forkserver._stop()
