"""A trial decoding of Parquet in a process of its own, since its decoder ends the process on some damage.

The decoder hands batches over a C interface, across which its panics cannot be caught (arro3-io 0.9, parquet
59: a wrong bit width or a NUL in a name is enough). It does the same on the same bytes, so what came through
the trial can be decoded here. The trial can go once arro3 returns such damage as an error.
"""

from __future__ import annotations

import subprocess
import sys

from annotator.errors import HostError, UserError

LONGEST_S = 120
MEMORY_BYTES = 8 * 1024**3
"""Address space of the trial, where the system can limit it."""

_TRIAL = """
import io, sys
try:
    import resource
    # Clusters often have a lower limit already, which nobody may raise.
    most, (_, hard) = int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
from arro3.io import read_parquet
for batch in read_parquet(io.BytesIO(sys.stdin.buffer.read()), batch_size=int(sys.argv[1])):
    for column in batch.columns:
        len(column)
"""


def try_decoding(data: bytes, *, batch_rows: int, name: str) -> None:
    """Decode a file on trial.

    Args:
        data: The whole file.
        batch_rows: Rows that are decoded at once, as they will be here.
        name: Name of the file, for the words.

    Raises:
        UserError: It cannot be decoded.
        HostError: No process could be started.
    """
    # A packaged program has no interpreter to start; there the look over the pages is the only guard.
    if getattr(sys, "frozen", False):
        return
    command = [sys.executable, "-I", "-c", _TRIAL, str(batch_rows), str(MEMORY_BYTES)]
    try:
        # The command is ours: the file comes in as input only.
        done = subprocess.run(  # noqa: S603
            command, input=data, capture_output=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{name} takes more than {LONGEST_S} s to decode.", hint="Split it.") from error
    except OSError as error:
        raise HostError(f"{name} cannot be decoded: {error.strerror}.") from error
    if done.returncode != 0:
        raise UserError(f"{name} is damaged: it cannot be decoded.", hint="Get the file again.")
