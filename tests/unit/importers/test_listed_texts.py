from __future__ import annotations

import pytest

from annotator.importers.listed_texts import ViewPath, paths_in, strings_in


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("", []), ("  ", []), (" a b ", ["a b"]),
        ("['a', \"b\"]", ["a", "b"]), ("[]", []), ("['it\\'s', '']", ["it's"]),
        ("[a, b]", ["[a, b]"]), ("['a'", ["['a'"]), ("['a' 'b',]", ["a", "b"]),
    ],
)  # fmt: skip
def test_cell_when_a_list_in_brackets_then_its_strings_else_itself(cell: str, texts: list[str]) -> None:
    assert strings_in(cell) == texts


@pytest.mark.parametrize(
    ("cell", "paths"),
    [
        ("UAV1: a.jpg", [ViewPath("a.jpg", "UAV1")]),
        ("uav-2=b.jpg\nGround：c.jpg", [ViewPath("b.jpg", "UAV2"), ViewPath("c.jpg", "ground")]),
        ("C:\\x.jpg", [ViewPath("C:\\x.jpg")]),
        ("a,b", [ViewPath("a,b")]),
        ("a.jpg，b.jpg", [ViewPath("a.jpg"), ViewPath("b.jpg")]),
        ("a.jpg;;", [ViewPath("a.jpg")]),
    ],
)
def test_paths_when_with_views_or_marks_then_apart(cell: str, paths: list[ViewPath]) -> None:
    assert paths_in(cell) == paths


def test_cell_when_an_endless_list_then_answered_at_once() -> None:
    cell = "[" + "'a', " * 50_000 + "x"
    assert strings_in(cell) == [cell]
