"""Does scripted work in the window: ``python -m tests.bench.probes.hands``.

Prints JSON: keys, typed characters, clicks, drags and thoughts of each script, by the name of its figure.
"""

from __future__ import annotations

import msgspec

from tests.bench.hands.run import SCRIPTS, run_script
from tests.bench.probes.stand import application, tell


def main() -> None:
    """Work and print."""
    # Held until the end: without an application there is no window.
    held = application()
    tell({script.figure: msgspec.to_builtins(run_script(script)) for script in SCRIPTS})
    held.quit()


if __name__ == "__main__":
    main()
