"""The program with a kind of work that only repeats what a plan says; for tests that end it by force.

``python tests/unit/jobs/work_process.py worker PROJECT ...`` is ``main.py worker PROJECT ...``. With
``--supervised`` instead of ``worker`` the process starts a worker through a supervisor and waits.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from annotator.jobs import claim_watch, cluster_watch, dispatcher, supervisor, worker_pool
from annotator.jobs.dispatcher import Dispatcher
from annotator.jobs.supervisor import Supervisor
from annotator.store.work import queue
from main import main
from tests.unit.jobs.working import kind_of

# A dead worker's jobs are taken up by the next within a second, and not within a minute. Where nobody dies, a
# machine that stands still for a moment must not make a worker look dead.
LEASE_S = float(os.environ.get("VANTAGE_TEST_LEASE_S", "0.7"))


def work(arguments: list[str], *, file: str = __file__) -> int:
    """Run the program; workers that it starts are of the same file."""
    Dispatcher.__init__.__kwdefaults__["kinds"] = kind_of
    supervisor.program = lambda: (sys.executable, file)
    worker_pool.CHECK_EVERY_S = 0.1
    worker_pool.WorkerPool.__init__.__kwdefaults__["first_pause_s"] = 0.01
    dispatcher.BEAT_S, dispatcher.EXPIRE_S = LEASE_S / 4, LEASE_S / 4
    cluster_watch.SILENT_S = float(os.environ.get("VANTAGE_TEST_SILENT_S", cluster_watch.SILENT_S))
    claim_watch.GRACE_S, claim_watch.STALL_S = LEASE_S, 2 * LEASE_S
    queue.WorkQueue.claim.__kwdefaults__["lease_s"] = LEASE_S
    queue.WorkQueue.heartbeat.__kwdefaults__["lease_s"] = LEASE_S
    return main(arguments)


def supervise(project: Path) -> None:
    """Watch over a worker until this process is ended."""
    command = (sys.executable, __file__, "worker", str(project), "--with-parent", "--json")
    watching = Supervisor(project, command=command, first_pause_s=0.01)
    watching.start()
    while watching.state().condition != "running":
        threading.Event().wait(0.01)
    print(watching.state().pid, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    if sys.argv[1] == "--supervised":
        supervise(Path(sys.argv[2]))
    raise SystemExit(work(sys.argv[1:]))
