"""The tables of the comparison of releases: words for states and settings, and full values in tool tips."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from annotator.release_difference.recorded_releases import ListedRelease
from widgets.release.difference_table import COLUMNS, DifferenceModel
from widgets.release.difference_values import VALUE_TITLES, value_text
from widgets.release.release_list import ReleaseModel
from widgets.translation import set_language

TIP = Qt.ItemDataRole.ToolTipRole


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("state", "in_refinement", "In refinement"),
        ("state", "", ""),
        ("answer_key", "in_refinement", "in_refinement"),
        ("answer_format", "option_letter", "Option letter"),
        ("task", "of_a_team/object_counting", "Object counting"),
        ("issue_classes", "question\noptions", "Invalid or ambiguous\nOptions or answer"),
        ("selection", '{"states":["accepted","in_refinement"]}', "State: Accepted, In refinement"),
        ("selection", '{"scene":"x","states":["flagged"]}', "Scene: x; State: Flagged"),
        ("selection", "{}", "All items"),
        ("shares", '{"test":0.25,"train":0.75}', "test 0.25, train 0.75"),
        ("include_flagged", "false", "no"),
        ("pictures", "annotated", "Annotated"),
        ("waived", "unknown_gate", "unknown_gate"),
    ],
)
def test_value_when_it_is_of_a_closed_list_or_a_setting_then_is_said_in_words(
    field: str, value: str, shown: str
) -> None:
    assert value_text(field, value) == shown


def test_words_when_the_window_speaks_chinese_then_no_english_is_left() -> None:
    set_language("zh")
    assert value_text("selection", '{"states":["accepted","in_refinement"]}') == "状态：已接受、精修中"
    assert "in_refinement" not in value_text("state", "in_refinement")
    assert value_text("export_format", "native").startswith("Vantage 记录")
    assert set(VALUE_TITLES) >= {"state", "selection", "pictures"}


def test_difference_when_a_state_has_changed_then_its_cells_and_tips_have_words() -> None:
    model = DifferenceModel()
    long = "Real2_OC_UAV1_" * 8
    model.show_rows([("changed", "", long, "state", "in_refinement", "accepted", "")])
    cells = [model.index(0, column) for column in range(len(COLUMNS))]
    assert [str(cell.data()) for cell in cells[3:]] == ["State", "In refinement", "Accepted"]
    assert str(cells[4].data(TIP)) == "In refinement"
    assert long in str(cells[1].data(TIP))


def test_release_when_its_number_is_cut_then_the_tip_has_all_of_it(tmp_path: Path) -> None:
    release = ListedRelease(
        sha256="ab" * 32, made_at="", export_format="native", items=3, folder=tmp_path / ("deep" * 20)
    )
    model = ReleaseModel()
    model.show_releases([release])
    assert model.index(0, 1).data() == "Vantage records: all fields, with ids"
    number, folder = model.index(0, 3), model.index(0, 4)
    assert (number.data(), number.data(TIP)) == ("ab" * 6, "ab" * 32)
    assert str(release.folder) in folder.data(TIP)
