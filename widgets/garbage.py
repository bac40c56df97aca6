"""Python's search for garbage, kept away from what is there for good.

A full search walks every object: 17 to 25 ms for the modules of the window alone, which people see as a frame
that comes late. What is loaded when the window stands is set aside, and later searches walk the rest.
"""

from __future__ import annotations

import gc


def set_aside() -> None:
    """Set aside what is loaded by now; called once, by the program whose window it is.

    Widgets that live by then are set aside as well; those that are left in a cycle stay: a few, once.
    """
    gc.collect()
    gc.freeze()


def set_aside_more() -> None:
    """Set aside what was loaded since; nothing in a program that sets nothing aside, a test for instance."""
    if gc.get_freeze_count():
        set_aside()
