"""Which process runs which test file, also after one of them has died.

`tests/conftest.py` takes the hook in; `tests/contracts/test_scheduling.py` lets processes die.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

LONG_FILES = (
    "tests/e2e/test_lifetimes.py",
    "tests/e2e/test_longer_job.py",
    "tests/unit/jobs/test_crash.py",
    "tests/contracts/test_scheduling.py",
    "tests/unit/cli/test_worker_commands.py",
    "tests/unit/cli/test_process.py",
    "tests/unit/demo/test_project.py",
    "tests/gui/scores/test_workspace.py",
    "tests/gui/scores/test_texts.py",
    "tests/gui/stage/test_playback_clock.py",
    "tests/gui/stage/test_preview.py",
    "tests/unit/jobs/test_worker_pool.py",
    "tests/unit/writing/test_random_commands.py",
    "tests/unit/demo/test_air_questions.py",
    "tests/gui/test_soak.py",
)
"""Files of few tests that take long. pytest-xdist begins with the files of most tests: at the end of a run,
one process would work through these while the others have nothing left."""


class FileScheduling(LoadFileScheduling):
    """Run each file in one process, and go on after the death of a process.

    pytest-xdist 3.8 runs the test that ended its process once more, in each new process, and waits for ever
    where a new process gets a single test: it begins one when it knows the next. This class can go when that
    is mended.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Forget a process; what it had not begun goes back to the others.

        Returns:
            The test that it was running, None where it had finished all.
        """
        units = self.assigned_work.pop(node)
        crashed = next((test for unit in units.values() for test, done in unit.items() if not done), None)
        if crashed is None:
            return None
        units[self._split_scope(crashed)][crashed] = True
        self.workqueue.update({scope: unit for scope, unit in units.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def schedule(self) -> None:
        """Give work to all processes, to a new one enough that it begins."""
        super().schedule()
        for node in self.registered_collections.keys() & self.assigned_work.keys():
            # A process begins a test when it knows the next one, or that there is none.
            while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
                self._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        for scope in reversed(LONG_FILES):
            if scope in self.workqueue:
                self.workqueue.move_to_end(scope, last=False)
        scope, unit = next(iter(self.workqueue.items()))
        try:
            super()._assign_work_unit(node)
        except OSError:
            # The process is dead and its end has not been read yet: the work stays for the others.
            del self.assigned_work[node][scope]
            self.workqueue[scope] = unit
            self.workqueue.move_to_end(scope, last=False)
            node.shutdown()

    def _reschedule(self, node: WorkerController) -> None:
        # Two that died at once are replaced one after the other; the second has not found its tests yet.
        if node in self.registered_collections:
            super()._reschedule(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    """Take the place of pytest-xdist's own scheduling by file."""
    return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None
