"""What the exit status of a command means."""

DONE = 0
FOUND_PROBLEMS = 1
"""The command did its work, and what it looked at has faults or gaps."""
WRONG_USE = 2
"""The arguments or the project do not permit it: the user can correct it."""
ENVIRONMENT_FAILURE = 3
"""The machine does not permit it: a full disk, a missing program, a server without answer."""
CANCELLED = 130
"""Interrupted by Ctrl+C, as shells count it: 128 and the number of the signal."""
