"""Which process runs which test file, also after one of them has died.

`tests/conftest.py` takes the hook in; `tests/contracts/test_scheduling.py` lets processes die.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


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

    def _reschedule(self, node: WorkerController) -> None:
        # Two that died at once are replaced one after the other; the second has not found its tests yet.
        if node in self.registered_collections:
            super()._reschedule(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    """Take the place of pytest-xdist's own scheduling by file."""
    return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None
