from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts import layers
from tests.contracts.style import Figures, measure

REPO = Path(__file__).resolve().parents[2]

# Where good Qt applications of others stand is no limit for us; these are the house's own aims.
LIMITS = {"module_lines": 600, "class_lines": 315, "class_methods": 30, "branches": 15}
DOCSTRING_SHARE = 0.95
BANNED_MODULE_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}

SAMPLE = '''
def shown(a: int, *, b) -> int:
    """Say."""
    return [x for x in range(a) if x or b] if a else b


class Thing:
    def bare(self, c: int): ...

    @staticmethod
    def loose(d) -> None:
        def inner():
            while d and d:
                app.processEvents()


def _hidden(): ...
'''


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure(layers.product_files(REPO), root=REPO)


@pytest.mark.parametrize(("figure", "limit"), LIMITS.items(), ids=LIMITS)
def test_style_when_the_product_is_measured_then_stays_within(
    figures: Figures, figure: str, limit: int
) -> None:
    measured = getattr(figures, figure)
    assert measured
    assert [f"{where}: {value}" for value, where in measured if value > limit] == []


def test_style_when_the_product_is_measured_then_public_names_have_docstrings(figures: Figures) -> None:
    missing = [where for has_one, where in figures.public if not has_one]
    assert len(missing) <= (1 - DOCSTRING_SHARE) * len(figures.public), missing


def test_style_when_the_product_is_measured_then_everything_is_annotated(figures: Figures) -> None:
    assert figures.annotations
    assert [where for has_one, where in figures.annotations if not has_one] == []


def test_style_when_the_product_is_read_then_no_nested_event_loop_is_run(figures: Figures) -> None:
    assert figures.banned == []


def test_module_names_when_listed_then_are_nouns_that_say_what() -> None:
    stems = {path.stem for path in layers.product_files(REPO)}
    parents = {part for path in layers.product_files(REPO) for part in path.relative_to(REPO).parent.parts}
    assert not BANNED_MODULE_NAMES & (stems | parents)


def test_measure_when_given_a_sample_then_counts_by_hand_agree(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE, encoding="utf-8")
    found = measure([path], root=tmp_path)
    by_name = {where.split()[1]: value for value, where in found.branches}
    # shown: the way in, the conditional, the comprehension's for and if, the 'or'
    assert by_name == {"shown": 5, "bare": 1, "loose": 1, "inner": 3, "_hidden": 1}
    assert found.module_lines == [(SAMPLE.count("\n"), "sample.py")]
    assert found.class_lines == [(8, "sample.py:7 Thing")]
    assert found.class_methods == [(2, "sample.py:7 Thing")]
    assert sorted(where.split()[1] for has_one, where in found.public if not has_one) == [
        "Thing",
        "bare",
        "loose",
    ]
    bare = sorted(where.split()[1] for has_one, where in found.annotations if not has_one)
    assert bare == ["_hidden", "bare", "inner", "loose", "shown"]
    assert found.banned == ["sample.py:14 processEvents"]
