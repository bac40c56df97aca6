"""A stage of two views with regions, and the answer widget of an item beside it."""

from __future__ import annotations

from tests.gui.stage.conftest import hands

__all__ = ["hands"]
