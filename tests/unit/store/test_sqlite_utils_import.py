"""A schema is created without pandas, which is left to whoever wants it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from annotator.store.connection import connect_in_memory
from annotator.store.schema import create_schema

create_schema(connect_in_memory())
print(*("sqlite_utils" in sys.modules, "pandas" in sys.modules))
import pandas
print(len(pandas.Series([1, 2])))
"""


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_schema_when_created_then_pandas_is_not_loaded_and_can_be_later() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split("\n") == ["True False", "2", ""]
