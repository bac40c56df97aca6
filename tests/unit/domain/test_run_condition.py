"""How a run stands, in one word, and what it is called."""

from __future__ import annotations

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.domain.run import LimitScope, Run, RunState
from annotator.domain.run_condition import (
    LIMIT_REASONS,
    condition_of,
    duration_s,
    limit_code,
    models_without_price,
    run_title,
    with_reason,
)
from annotator.domain.work import RunProgress

PROGRESS = RunProgress(
    total=10, done=4, cached=0, failed=0, waiting=6, in_flight=0, cancelled=0, retried=0, spent_micro=0,
    reserved_micro=0, limit_micro=None, per_second=0.0, left_s=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "text", "done", "failed", "has_worker", "condition"),
    [
        ("running", "", 4, 0, True, "running"),
        ("running", "", 4, 0, False, "waiting"),
        ("paused", "", 4, 0, True, "paused"),
        ("stopped", limit_code("day"), 4, 0, True, "limited"),
        ("stopped", "Today's cost limit is too low for the next call.", 4, 0, True, "limited"),
        ("stopped", "The key is not accepted.", 4, 0, True, "stopped"),
        ("done", "", 0, 10, False, "failed"),
        ("done", "", 4, 6, False, "partly_failed"),
        ("done", "", 10, 0, True, "done"),
        ("cancelled", "", 4, 1, False, "cancelled"),
    ],
)
def test_condition_when_a_run_stands_so_then_is_that_word(
    state: RunState, text: str, done: int, failed: int, has_worker: bool, condition: str
) -> None:
    run = with_reason(Run(id="1", kind="blind", state=state), text)
    progress = msgspec.structs.replace(PROGRESS, done=done, failed=failed)
    assert condition_of(run, progress, has_worker=has_worker) == condition


@pytest.mark.parametrize("scope", ["run", "day", "project"])
def test_reason_when_a_limit_stopped_the_run_then_a_code_is_stored_and_its_text_shown(
    scope: LimitScope,
) -> None:
    code = limit_code(scope)
    assert code == f"limit:{scope}"
    shown = with_reason(Run(id="1", kind="blind", state="stopped"), code)
    assert (shown.message, shown.limit_scope) == (LIMIT_REASONS[scope], scope)


def test_title_when_nobody_named_a_run_then_is_its_kind_and_number() -> None:
    assert run_title(Run(id="1", kind="blind", number=3)) == "Blind filter 3"
    assert run_title(Run(id="1", kind="detect", title="detect: Finder", number=2)) == "Detection 2"
    assert run_title(Run(id="1", kind="blind", title="Second try", number=2)) == "Second try"


def test_duration_when_a_run_goes_on_then_counts_until_now() -> None:
    run = Run(id="1", kind="blind", created_at="2026-01-01T00:00:00+00:00")
    began = 1_767_225_600.0
    assert duration_s(run, now=began + 90) == 90
    ended = msgspec.structs.replace(run, ended_at="2026-01-01T00:00:30+00:00")
    assert duration_s(ended, now=began + 90) == 30
    assert duration_s(Run(id="1", kind="blind"), now=began) == 0


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        (ModelProfile(name="x", adapter="openai"), ("x",)),
        (ModelProfile(name="x", adapter="openai", price_in=0.0), ()),
        (ModelProfile(name="x", adapter="openai", price_out=2.0), ()),
        (ModelProfile(name="x", adapter="transformers"), ()),
    ],
)
def test_price_when_an_endpoint_has_none_then_is_unknown(
    profile: ModelProfile, names: tuple[str, ...]
) -> None:
    run = Run(id="1", kind="blind", profiles={"x": msgspec.to_builtins(profile)})
    assert models_without_price(run) == names


def test_condition_when_a_run_is_not_confirmed_then_says_so_while_it_could_go_on() -> None:
    run = Run(id="1", kind="blind")
    assert condition_of(run, PROGRESS, has_worker=True, is_confirmed=False) == "unconfirmed"
    paused = msgspec.structs.replace(run, state="paused")
    assert condition_of(paused, PROGRESS, has_worker=True, is_confirmed=False) == "paused"
