"""What the bench does in processes of its own to time model work.

``python -m tests.bench.jobs_probe plain PROJECT RUN`` works a run off with a model that sleeps and with
questions that cost nothing, and prints CPU milliseconds a job. With ``items`` instead, questions are made
from the run's items and answers are read against them. ``... bare ADDRESS COUNT`` asks so often on as many
threads and does nothing else, and prints calls per second.
"""

from __future__ import annotations

import http.client
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from annotator.domain.run import Run, RunKind
from annotator.domain.work import Claim, JobPlan
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.dispatcher import Dispatcher
from annotator.jobs.job_type import ChatJobType, JobType, ParsedReply, WorkerContext
from annotator.jobs.job_types import job_type_of
from annotator.model_api import ChatReply, ChatRequest, ModelIdentity
from annotator.progress import Progress
from annotator.user_profile import config_folder
from tests.bench.fixed_answer import BODY, DELAY_S, IN_FLIGHT

QUESTION = b'{"model":"fixed","messages":[{"role":"user","content":"%s"}]}' % (b"x" * 300)


class SleepingModel:
    """A chat model that takes as long as the server does and costs no CPU time."""

    identity = ModelIdentity(name="sleeping", kind="chat")

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Return the server's answer after its time."""
        time.sleep(DELAY_S)
        return ChatReply(text="A", raw=BODY, prompt_tokens=100, completion_tokens=1)

    def close(self) -> None:
        """Hold nothing."""


class PlainKind(ChatJobType):
    """Asks and takes what costs nothing, so that the queue and the dispatcher are left."""

    id = ("blind",)

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Plan nothing: the run is there."""
        yield from ()

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        """Return a question as long as an item's."""
        return ChatRequest(text=f"{claim.target} {'x' * 300}", max_tokens=5)

    def read(self, claim: Claim, reply: ChatReply, worker_context: WorkerContext) -> ParsedReply:
        """Take the reply as it is."""
        return ParsedReply(kind="answer", answer=reply.text)


def dispatch(project: Path, run: str, *, kinds: Callable[[RunKind], JobType]) -> float:
    """Work a run off and return CPU milliseconds a job, of all threads of this process."""
    ended = 0

    def count(jobs: int) -> None:
        nonlocal ended
        ended += jobs

    model = SleepingModel()
    with Dispatcher(
        project,
        open_model=lambda _profile, _progress: model,
        confirmed=ConfirmedRuns(config_folder()),
        run=run,
        recorded=count,
        kinds=kinds,
    ) as dispatcher:
        began = time.process_time()
        dispatcher.work(until_done=True)
        took_s = time.process_time() - began
    return took_s * 1000 / max(1, ended)


def ask_barely(address: str, count: int) -> float:
    """Return calls per second of threads that only ask."""
    wanted: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(count):
        wanted.put(number)
    threads = [threading.Thread(target=_ask_all, args=(address, wanted)) for _ in range(IN_FLIGHT)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count / (time.perf_counter() - began)


def _ask_all(address: str, wanted: queue.SimpleQueue[int]) -> None:
    location = urlsplit(address)
    connection = http.client.HTTPConnection(location.netloc)
    while not wanted.empty():
        try:
            wanted.get_nowait()
        except queue.Empty:
            break
        connection.request("POST", f"{location.path}/chat/completions", body=QUESTION)
        connection.getresponse().read()
    connection.close()


def main(arguments: list[str]) -> None:
    """Do what the arguments say and print the figure."""
    what, first, second = arguments
    if what == "bare":
        value = ask_barely(first, int(second))
    else:
        plain = PlainKind()
        value = dispatch(Path(first), second, kinds=(lambda _kind: plain) if what == "plain" else job_type_of)
    sys.stdout.write(f"{value}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
