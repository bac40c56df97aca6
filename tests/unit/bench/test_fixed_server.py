"""The bench's chat server as a process: it answers while it is asked, and is gone then."""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request

import pytest

from annotator.errors import EnvironmentFailure
from tests.bench.fixed_server import answering
from tests.patience import PATIENCE_S


def test_answering_when_asked_then_gives_the_fixed_answer_until_the_end() -> None:
    with answering() as address:
        asked = urllib.request.Request(f"{address}/chat/completions", data=b"{}")
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as reply:
            assert json.load(reply)["choices"][0]["message"]["content"] == "A"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(asked, timeout=PATIENCE_S)


def test_answering_when_it_does_not_begin_then_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    program = shutil.which("true")
    if program is None:
        pytest.skip("this system has no program that does nothing")
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(EnvironmentFailure, match="says nothing"), answering():
        pytest.fail("it has no address")
