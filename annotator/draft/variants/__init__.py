"""Rules that make variants of items, one module for each kind, and their registry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.domain.item import VariantKind
from annotator.draft.variants.choice import ChoiceRule
from annotator.draft.variants.map_pair import MapPairRule
from annotator.draft.variants.resolution import ResolutionRule
from annotator.draft.variants.variant_rule import VariantRule

RULE_CLASSES: tuple[type[VariantRule], ...] = (ChoiceRule, ResolutionRule, MapPairRule)
VARIANT_RULES: Mapping[VariantKind, type[VariantRule]] = MappingProxyType(
    {rule.kind: rule for rule in RULE_CLASSES}
)
"""Every rule by the kind of variants that it makes."""
