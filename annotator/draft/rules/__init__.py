"""The registry of drafting rules. A new rule is a module with a ``RULE``, named here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.draft.rule import Rule
from annotator.draft.rules import aircop_counting, aircop_quality, aircop_usability, aircop_when, aircop_who

_MODULES = (aircop_quality, aircop_usability, aircop_counting, aircop_when, aircop_who)
RULES: Mapping[str, Rule] = MappingProxyType({module.RULE.id: module.RULE for module in _MODULES})
"""Every rule by its id, as ``drafted_by`` in a task set calls it."""
