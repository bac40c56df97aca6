"""Edits an item until a file exists: ``python -m tests.bench.probes.edits PROJECT ITEM READY DONE``.

Makes the file READY when it begins, and ends when there is DONE. Prints the seconds that each edit took,
from the call to 'saved'.
"""

from __future__ import annotations

import sys
from pathlib import Path

from annotator.domain.actor import Actor
from annotator.session import Session
from tests.bench.import_load import timed_edits


def main() -> None:
    """Edit until somebody makes the file."""
    project, item, ready, done = sys.argv[1:]
    with Session.open(Path(project), actor=Actor(id="b" * 32, name="Ben")) as session:
        Path(ready).touch()
        for seconds in timed_edits(session, item, is_over=Path(done).exists):
            print(seconds)


if __name__ == "__main__":
    main()
