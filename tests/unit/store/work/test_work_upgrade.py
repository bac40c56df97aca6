"""Model work of a project of version 8: kept with all its values, under the names of today."""

from __future__ import annotations

import gzip
import hashlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotator.domain.earlier_finding import is_superseded
from annotator.domain.item import Item
from annotator.domain.run import Prediction
from annotator.domain.work import WORKER_ENDED, CallFailure, JobOutcome, JobQuery
from annotator.session import Session
from annotator.store.connection import Connection, connect
from annotator.store.work.queue import WorkQueue
from annotator.store.work.tables import INDEXES, TABLES
from tests.unit.store.making import ANNA, BEN, problems

STORED = Path(__file__).parents[1] / "projects" / "model-work-8.vantage.gz"
CONSENSUS, STOPPED = "01" * 16, "02" * 16
ITEM, OTHER, GUESSED = (f"{number:032x}" for number in (1, 2, 3))
NOW = 1_800_000_100.0
EXCEPT_NAMES = "n, kind, target, json_remove(record, '$.key', '$.words', '$.request_key', '$.message')"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.vantage"
    path.write_bytes(gzip.decompress(STORED.read_bytes()))
    return path


def request_key(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def rows(path: Path, select: str) -> list[tuple[object, ...]]:
    with closing(connect(path, read_only=True)) as connection:
        return connection.execute(select).fetchall()


def columns(connection: Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_open_when_model_work_has_former_names_then_every_value_is_kept(old: Path) -> None:
    before = rows(old, f"SELECT {EXCEPT_NAMES} FROM verdict ORDER BY n")
    jobs = rows(old, "SELECT n, key, state, after FROM job ORDER BY n")
    Session.open(old, actor=ANNA).close()
    assert rows(old, f"SELECT {EXCEPT_NAMES} FROM prediction ORDER BY n") == before
    assert rows(old, "SELECT n, request_key, state, after FROM job ORDER BY n") == jobs
    assert problems(old) == []


def test_open_when_model_work_has_former_names_then_tables_and_indexes_are_those_of_a_new_project(
    old: Path, tmp_path: Path
) -> None:
    Session.open(old, actor=ANNA).close()
    new = tmp_path / "new.vantage"
    Session.create(new).close()
    with closing(connect(old, read_only=True)) as upgraded, closing(connect(new, read_only=True)) as fresh:
        assert {name: columns(upgraded, name) for name in TABLES} == {
            name: columns(fresh, name) for name in TABLES
        }
        statements = {sql for (sql,) in upgraded.execute("SELECT sql FROM sqlite_schema WHERE type='index'")}
    assert {*INDEXES} <= {sql.replace('"', "") for sql in statements if sql}


def test_open_when_predictions_have_former_names_then_they_are_read_to_the_letter(old: Path) -> None:
    with Session.open(old, actor=ANNA) as session:
        reader = session.reader
        first = reader.runs.prediction_of(request_key(f"one{ITEM}"))
        assert first == Prediction(
            request_key=request_key(f"one{ITEM}").hex(),
            kind="answer",
            target=ITEM,
            model={"name": "one", "revision": "1.0"},
            # A member of the parameters is none of the prediction's own fields.
            spec={"shown": "519c3c293a4ec9c3", "order": "ABCD", "key": "kept"},
            answer="B",
            text="It is “B”: 车 1.50",
            scores=(0.25, 0.5, 1e-07, 0.1),
            run=CONSENSUS,
            made_at="2026-11-25T00:00:00+00:00",
        )
        kinds = [(one.kind, one.message) for one in reader.runs.predictions(CONSENSUS, target=OTHER)]
        assert kinds == [
            ("answer", ""),
            ("answer", ""),
            ("empty", "The reply is empty."),
            ("error", "HTTP 500: the server failed."),
        ]
        run = reader.runs.get(STOPPED)
        assert run is not None
        assert (run.state, run.message) == ("stopped", "The API key was rejected.")
        assert [worker.status for worker in reader.runs.workers()] == [WORKER_ENDED]
        (attempt,) = reader.runs.attempts_of(request_key(f"four{ITEM}"))
        assert (attempt.state, attempt.message, attempt.status) == (
            "failed",
            "HTTP 500: the server failed.",
            500,
        )
        assert reader.runs.request_of(attempt.fence) == b"?four0"
        assert len(reader.runs.job_numbers(JobQuery(run=CONSENSUS, kinds=("error",)))) == 2


def test_queue_when_model_work_had_former_names_then_answers_are_reused_and_work_goes_on(old: Path) -> None:
    Session.open(old, actor=ANNA).close()
    with closing(WorkQueue.open(old)) as queue:
        queue.runs.resume(STOPPED)
        assert queue.runs.retry_failed(CONSENSUS) == 2
        claims = queue.claim("w2", run=CONSENSUS, model="four", count=9, now=NOW)
        assert [claim.target for claim in claims] == [ITEM, OTHER]
        queue.mark_sent(claims, [b"?"] * 2)
        failed = CallFailure(kind="server", message="Again.")
        outcomes = [
            JobOutcome(
                claim=claims[0],
                prediction=Prediction(
                    request_key=claims[0].request_key.hex(),
                    kind="answer",
                    target=ITEM,
                    answer="B",
                    run=CONSENSUS,
                ),
            ),
            JobOutcome(claim=claims[1], failure=msgspec.structs.replace(failed, retry_at=NOW + 9)),
        ]
        assert queue.record(outcomes, now=NOW) == [True, True]
    with Session.open(old, actor=ANNA) as session:
        assert session.reader.runs.is_answered(request_key(f"four{ITEM}"))
        assert not session.reader.runs.is_answered(request_key(f"four{OTHER}"))


def test_open_when_evidence_has_the_former_name_then_later_runs_compare_its_answer_key(old: Path) -> None:
    with Session.open(old, actor=BEN) as session:
        item = session.reader.get(Item, GUESSED)
        assert item is not None
        (flag,) = session.reader.flags_of(GUESSED)
        assert "key" not in flag.evidence
        assert not is_superseded(flag, item, run="another", models=())
        corrected = msgspec.structs.replace(item, answer_key="B")
        assert is_superseded(flag, corrected, run="another", models=())


def test_undo_when_evidence_was_edited_under_its_former_name_then_the_value_before_has_todays(
    old: Path,
) -> None:
    with Session.open(old, actor=BEN) as session:
        (newest,) = session.reader.flags_of(GUESSED)
        assert newest.evidence["run"] == "bb" * 16
        session.undo().result()
        session.undo().result()
        (first,) = session.reader.flags_of(GUESSED)
        assert (first.evidence["run"], first.evidence["answer_key"]) == ("aa" * 16, "A")
    assert problems(old) == []
