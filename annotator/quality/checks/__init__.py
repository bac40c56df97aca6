"""The registry of checks, in the order in which findings are listed.

A new check is an entry of one of these modules, or of a new module named here, and its id in
``domain/task_set_rules.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.quality.check import Check
from annotator.quality.checks import balance, choices, directions, names, references, structure, wording

_MODULES = (structure, choices, wording, directions, references, balance, names)
CHECKS: Mapping[str, Check] = MappingProxyType({c.id: c for module in _MODULES for c in module.CHECKS})
"""Every check by its id."""
