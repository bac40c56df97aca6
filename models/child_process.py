"""A child process that never outlives this process, with a bounded log."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence

from annotator.errors import EnvironmentFailure

LOG_LINES = 200
LOG_WIDTH = 500
"""Bounds the memory: a server may log each request for days, and only the last lines are shown."""
GRACE_S = 10
"""Seconds between the request to end and killing."""
# The shell holds a pipe to this process: when it closes, also by a crash of this process, the whole process
# group is asked to end, and then killed. When the program ends, its own children are ended as well.
_SCRIPT = f"""
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( trap '' TERM; cat <&3 >/dev/null; kill -TERM 0; sleep {GRACE_S}; kill -KILL 0 ) &
exec 3<&-
trap : TERM
wait $child; code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
echo "It ended with status $code."
kill -KILL 0
"""


class ChildProcess:
    """A running program.

    Args:
        command: Program and arguments; no secrets, since other users can read them.
        environment: Environment variables of the program.

    Raises:
        EnvironmentFailure: It cannot be started.
    """

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program that the user's profile names
                # The word after the script is its $0; "$@" is the command.
                ["/bin/sh", "-c", _SCRIPT, "child", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                # A process group of its own, which the script ends with ``kill 0``.
                start_new_session=True,
            )
        except OSError as error:
            raise EnvironmentFailure(f"{command[0]} cannot be started: {error}.") from error
        self._lines: collections.deque[str] = collections.deque(maxlen=LOG_LINES)
        self._reader = threading.Thread(target=self._read, name="vantage-child-log", daemon=True)
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the program still runs."""
        return self._process.poll() is None

    def last_output(self, lines: int) -> str:
        """Return the last lines that the program printed."""
        return "\n".join(list(self._lines)[-lines:])

    def close(self) -> None:
        """End the program and all its children; returns after they have ended."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            # The script kills after ``GRACE_S``; only a shell that hangs is killed from here.
            self._process.wait(GRACE_S + 2)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read(self) -> None:
        # Read to the end in any case: the program would block on a full pipe.
        for line in self._process.stdout or ():
            self._lines.append(line.decode("utf-8", "replace").rstrip()[:LOG_WIDTH])
