"""Tables of results: the layouts of the papers, what is marked, and the text forms."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item, ItemVariant
from annotator.domain.medium import Footage
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.domain.task_set_files import builtin
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, compare_predictions
from annotator.scoring.measures import RANK
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.result_table import (
    ReferenceRows,
    ResultTable,
    TableCell,
    TableRow,
    result_tables,
    with_ranks,
)
from annotator.scoring.score_tables import ScoreTotal, random_chances
from annotator.scoring.table_layouts import Division, TableColumn, table_layouts
from annotator.scoring.table_text import table_text
from tests.unit.release.samples import options, urbanvideo_item
from tests.unit.scoring.released import made_release, write_lines
from tests.unit.scoring.test_navigation import flown
from tests.unit.scoring.test_navigation import item as flight_item

URBAN = [task.id for task in builtin("urbanvideo").tasks]
Answers = Mapping[str, Sequence[str | None]]


def released_as(items: Sequence[Item], *, footage: Sequence[Footage] = ()) -> ReleasedItems:
    sources = footage or [""] * len(items)
    return ReleasedItems(
        [
            ReleasedItem(item=item, dataset="", footage=source, context=AnswerContext(options=item.options))
            for item, source in zip(items, sources, strict=True)
        ]
    )


def compared_on(released: ReleasedItems, answers: Answers, folder: Path) -> Comparison:
    """Compare models, each with one answer per item, None for none."""
    paths = []
    for number, (model, texts) in enumerate(answers.items()):
        rows = [
            {"item": one.item.name, "prediction": text, "model": model}
            for one, text in zip(released.items, texts, strict=True)
            if text is not None
        ]
        paths.append(write_lines(folder / f"{number}.jsonl", rows))
    return compare_predictions(released, [PredictionFile(path) for path in paths], progress=Progress())


def urban_table(path: Path, answers: Answers, tasks: Sequence[str], **more: Any) -> ResultTable:
    items = [urbanvideo_item(name=str(n), task=task, answer_key="A") for n, task in enumerate(tasks)]
    released = released_as(items)
    (table,) = result_tables(compared_on(released, answers, path), released, **more)
    return table


def values(table: ResultTable, row: int) -> list[float | None]:
    return [cell.value for cell in table.rows[row].cells]


def ranks(table: ResultTable, column: int) -> list[int]:
    return [row.cells[column].rank for row in table.rows]


def titles(table: ResultTable) -> list[tuple[str, str]]:
    return [(column.heading, column.title) for column in table.layout.columns]


def test_layout_when_it_is_urbanvideos_then_rank_and_average_precede_the_tasks_by_ability(
    tmp_path: Path,
) -> None:
    table = urban_table(tmp_path, {"m": ["A"] * len(URBAN)}, URBAN)
    known = builtin("urbanvideo")
    headings = {group.id: group.title.en for group in known.groups}
    assert titles(table) == [
        ("", "Rank"),
        ("", "Avg."),
        *((headings[task.group], task.title.en) for task in known.tasks),
    ]
    assert list(headings.values()) == ["Recall", "Perception", "Reasoning", "Navigation"]


def test_layout_when_it_is_aircops_then_real_and_simulated_follow_the_tasks(tmp_path: Path) -> None:
    items = [
        urbanvideo_item(name=str(n), task_set="aircop", task="object_counting", answer_key="A")
        for n in range(4)
    ]
    released = released_as(items, footage=("real", "real", "simulated", "simulated"))
    comparison = compared_on(released, {"m": ["A", "A", "A", "B"]}, tmp_path)
    (table,) = result_tables(comparison, released)
    assert [title for _, title in titles(table)] == ["Object Counting", "Real", "Simulated", "Overall"]
    assert values(table, 0) == [75.0, 100.0, 50.0, 75.0]


def test_layout_when_it_is_topviewrss_then_each_group_has_both_matches_for_both_maps(tmp_path: Path) -> None:
    items = [
        urbanvideo_item(
            name=str(n),
            task_set="topviewrs",
            task="object_recognition",
            answer_format="span_set",
            options=options("bed, chair", "bed", "sofa", "table"),
            answer_key='["bed, chair"]',
            view=view,
        )
        for n, view in enumerate(("realistic", "semantic"))
    ]
    released = released_as(items)
    (table,) = result_tables(compared_on(released, {"m": ["A", "B"]}, tmp_path), released)
    assert [title for _, title in titles(table)] == [
        "Realistic EM", "Realistic PM", "Semantic EM", "Semantic PM", "Overall EM", "Overall PM",
    ]  # fmt: skip
    assert {heading for heading, _ in titles(table)} == {"Top-view recognition", ""}
    assert values(table, 0) == [100.0, 100.0, 0.0, 50.0, 50.0, 75.0]


def test_layout_when_it_is_indooruavs_then_the_least_error_is_the_best(tmp_path: Path) -> None:
    truth = flown(1, 12)
    near, far = ([[x + off, y, z, yaw] for x, y, z, yaw in truth] for off in (0.5, 9.0))
    released = released_as([flight_item("e", "vln", json.dumps(truth))])
    answers = {"far": [json.dumps(far)], "near": [json.dumps(near)]}
    (table,) = result_tables(compared_on(released, answers, tmp_path), released)
    assert [title for _, title in titles(table)] == ["NE (m)", "SR", "OSR", "nDTW"]
    assert values(table, 1)[:2] == [pytest.approx(0.5), 100.0]
    assert ranks(table, 0) == [2, 1]
    assert "NE (m): mean distance of the ends in metres, lower is better." in table.notes


def test_layout_when_episodes_have_difficulties_then_vla_has_columns_for_each(tmp_path: Path) -> None:
    truth = [[float(n), 0.0, 1.0, 0.0] for n in range(5)]
    stopped = [truth[0], *truth, truth[-1]]
    flight = Scene(
        id=new_id(),
        name="/hm3d_1/a/traj_1",
        metadata={f"vla_ins_{n}": {"difficulty": level} for n, level in enumerate(("easy", "hard"))},
    )
    items = [
        msgspec.structs.replace(
            flight_item(f"{flight.name}/vla_ins_{n}.json", "vla", json.dumps(truth)), scene=flight.id
        )
        for n in range(3)
    ]
    folder = made_release(tmp_path, flight, *items)
    rows = [
        {"episode_key": item.name, "trajectory": rows}
        for item, rows in zip(items, (stopped, truth, stopped), strict=True)
    ]
    released = ReleasedItems.read(folder, progress=Progress())
    assert [one.difficulty for one in released.items] == ["easy", "hard", ""]
    files = [PredictionFile(write_lines(tmp_path / "m.jsonl", rows))]
    (table,) = result_tables(compare_predictions(released, files, progress=Progress()), released)
    assert [title for _, title in titles(table)] == [
        "Easy SR", "Easy nDTW", "Hard SR", "Hard nDTW", "All SR", "All nDTW",
    ]  # fmt: skip
    assert values(table, 0)[::2] == [100.0, 0.0, pytest.approx(200 / 3)]


def test_layout_when_views_and_tasks_are_no_known_ones_then_all_items_are_in_a_column(tmp_path: Path) -> None:
    for task_set, task in (("topviewrs", "object_recognition"), ("indooruav", "own"), ("mine", "own")):
        items = [urbanvideo_item(name="1", task_set=task_set, task=task, answer_key="A")]
        released = released_as(items)
        comparison = compared_on(released, {"m": ["A"], "other": ["B"]}, tmp_path / task_set)
        (table,) = result_tables(comparison, released)
        assert values(table, 0)[-1] == 100.0
        assert table_text([table], "latex")


def test_columns_when_they_are_variants_then_own_items_come_first(tmp_path: Path) -> None:
    own = urbanvideo_item(name="1", answer_key="A")
    version = urbanvideo_item(
        name="2", answer_key="A", variant=ItemVariant(kind="choice", source=own.id, source_digest="")
    )
    released = released_as([version, own])
    comparison = compared_on(released, {"m": ["A", "B"]}, tmp_path)
    (table,) = result_tables(comparison, released, division="variants")
    assert [title for _, title in titles(table)] == ["Overall", "Own items", "Multiple choice"]
    assert values(table, 0) == [50.0, 0.0, 100.0]


@pytest.mark.parametrize(
    ("division", "view", "titles"),
    [
        ("variants", "map", ["Overall", "Own items"]),
        ("sources", "real", ["Overall", "Simulated", "Unknown"]),
    ],
)
def test_columns_when_a_view_is_named_as_another_column_then_its_items_are_not_in_that(
    division: Division, view: str, titles: list[str]
) -> None:
    items = [urbanvideo_item(name=name, view=view) for name in "12"]
    released = released_as(items, footage=("simulated", "")).items
    (layout,) = table_layouts(released, division=division)
    assert [column.title for column in layout.columns] == titles


def test_best_when_values_are_printed_alike_then_they_share_the_mark_and_the_next_is_second(
    tmp_path: Path,
) -> None:
    right = ["A"] * 20
    answers = {
        "low": ["B"] * 20,
        "one": right,
        "two": right,
        "middle": ["B", *right[1:]],
    }
    table = urban_table(tmp_path, answers, ["proximity"] * 20)
    assert ranks(table, 1) == [0, 1, 1, 2]
    assert [row.cells[0].value for row in table.rows] == [4, 1, 1, 3]
    alone = urban_table(tmp_path / "alone", {"one": right}, ["proximity"] * 20)
    assert ranks(alone, 1) == [0]


def test_rank_when_scores_are_printed_alike_then_is_the_same() -> None:
    rows = [
        TableRow(name=name, kind="model", cells=(TableCell(), TableCell(value=value)))
        for name, value in (("one", 83.31), ("two", 83.29), ("three", 80.0))
    ]
    columns = [TableColumn(title="Rank", measure=RANK), TableColumn(title="Avg.", measure="score")]
    ranked = with_ranks(rows, columns)
    assert [row.cells[0].value for row in ranked] == [1, 1, 3]
    assert [row.cells[1].rank for row in ranked] == [1, 1, 2]


def test_items_when_only_common_ones_are_shown_then_all_models_have_the_same(tmp_path: Path) -> None:
    answers = {"one": ["A", "A", "B", None], "two": [None, "A", "A", "A"]}
    own = urban_table(tmp_path / "own", answers, ["proximity"] * 4)
    common = urban_table(tmp_path / "common", answers, ["proximity"] * 4, only_common=True)
    assert [row.cells[1].items for row in own.rows] == [3, 3]
    assert [row.cells[1].items for row in common.rows] == [2, 2]
    assert [row.cells[1].value for row in common.rows] == [50.0, 100.0]
    assert "All models are scored over the same 2 of 4 items." in common.notes
    assert "Scored by the strict rules." in common.notes


def test_references_when_people_lack_a_task_then_its_cell_and_the_sums_over_it_are_empty(
    tmp_path: Path,
) -> None:
    items = [
        urbanvideo_item(name=str(n), task=task, answer_key="A")
        for n, task in enumerate(("proximity", "proximity", "causal"))
    ]
    released = released_as(items)
    comparison = compared_on(released, {"m": ["A", "A", "A"]}, tmp_path)
    human = {"urbanvideo/proximity": ScoreTotal(total=1, score_pct=90.0, exact_pct=80.0)}
    references = ReferenceRows(chances=random_chances(released, range(3), progress=Progress()), human=human)
    (table,) = result_tables(comparison, released, references)
    assert [(row.name, row.kind) for row in table.rows[1:]] == [("Random", "random"), ("Human", "human")]
    assert values(table, 1) == [None, *[pytest.approx(100 / 7)] * 3]
    assert values(table, 2) == [None, None, 90.0, None]
    (exact,) = result_tables(comparison, released, references, measure="exact")
    assert values(exact, 2) == [None, None, 80.0, None]


def test_random_when_only_some_items_have_a_random_answer_then_a_note_says_over_which_it_is(
    tmp_path: Path,
) -> None:
    items = [
        urbanvideo_item(name=str(n), task=task, answer_key="A")
        for n, task in enumerate(("proximity", "proximity", "causal"))
    ]
    released = released_as(items)
    comparison = compared_on(released, {"m": ["A", "A", "A"]}, tmp_path)
    chances = random_chances(released, range(2), progress=Progress())
    (table,) = result_tables(comparison, released, ReferenceRows(chances=chances))
    assert values(table, 1)[1] is None
    note = table.random_notes[0]
    assert "14.3 over the 2 of 3 items whose answer format has a random answer" in note
    assert note in table.notes
    assert note in table_text([table], "markdown").replace("\\", "")
    full = ReferenceRows(chances=random_chances(released, range(3), progress=Progress()))
    (whole,) = result_tables(comparison, released, full)
    assert whole.random_notes == ()


@pytest.mark.parametrize(
    ("division", "expected"),
    [
        ("groups", ["Overall", "Perception", "Reasoning"]),
        ("formats", ["Overall", "option_letter"]),
        ("sources", ["Overall", "Unknown"]),
        ("tasks", ["Overall", "Proximity", "Causal"]),
    ],
)
def test_columns_when_they_are_no_tasks_then_are_what_was_chosen(
    tmp_path: Path, division: str, expected: list[str]
) -> None:
    table = urban_table(tmp_path, {"m": ["A", "B"]}, ["proximity", "causal"], division=division)
    assert [title for _, title in titles(table)] == expected


HOSTILE = {"=1+1|x": ["A", "A"], "100%_&[b]*": ["A", "B"], "\\end{x}\n<b>": ["B", "B"], "模型": ["B", "A"]}


def test_csv_when_names_are_hostile_then_no_cell_is_a_formula_and_all_are_read_back(tmp_path: Path) -> None:
    table = urban_table(tmp_path, HOSTILE, ["proximity", "causal"])
    text = table_text([table], "csv", with_intervals=True)
    head, *rows = csv.reader(io.StringIO(text))
    assert head[:6] == ["Task set", "Model", "Rank", "Rank low", "Rank high", "Avg."]
    assert [row[1] for row in rows] == ["'=1+1|x", "100%_&[b]*", "\\end{x} <b>", "模型"]
    assert all(len(row) == len(head) for row in rows)
    assert [float(row[5]) for row in rows] == [100.0, 50.0, 0.0, 50.0]


def test_latex_when_names_are_hostile_then_they_are_escaped_and_columns_agree(tmp_path: Path) -> None:
    table = urban_table(tmp_path, HOSTILE, ["proximity", "causal"])
    lines = table_text([table], "latex").splitlines()
    assert r"=1+1\textbar{}x & " in lines[lines.index(r"\midrule") + 1]
    assert any(line.startswith(r"100\%\_\&{[}b{]}{*} & ") for line in lines)
    assert any(line.startswith(r"\textbackslash{}end\{x\} \textless{}b\textgreater{} & ") for line in lines)
    columns = len(table.layout.columns) + 1
    assert r"\begin{tabular}{l" + "r" * (columns - 1) + "}" in lines
    rows = [line for line in lines if line.endswith(r"\\")]
    spans = [sum(map(int, re.findall(r"\\multicolumn\{(\d+)\}", line))) for line in rows]
    merged = [len(re.findall(r"\\multicolumn", line)) for line in rows]
    cells = [len(re.findall(r"(?<!\\)&", line)) + 1 for line in rows]
    assert {n - m + s for n, m, s in zip(cells, merged, spans, strict=True)} == {columns}
    assert r"\textbf{100.0}" in "".join(lines)
    assert r"\underline{50.0}" in "".join(lines)


def test_markdown_when_names_are_hostile_then_rows_keep_their_cells(tmp_path: Path) -> None:
    table = urban_table(tmp_path, HOSTILE, ["proximity", "causal"])
    rows = [line for line in table_text([table], "markdown").splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {len(table.layout.columns) + 2}
    assert r"=1+1\|x" in rows[2]
    assert "**100.0**" in rows[2]
    assert "<u>50.0</u>" in rows[3]
    assert r"\\end\{x\} \<b\>" in rows[4]


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_rows_when_they_are_tasks_then_have_the_values_of_the_other_way_round(
    tmp_path: Path, form: Any
) -> None:
    table = urban_table(tmp_path, {"one": ["A", "B"], "two": ["B", "B"]}, ["proximity", "causal"])
    number = re.compile(r"\d+\.\d+")
    across, down = (number.findall(table_text([table], form, rows=rows)) for rows in ("models", "tasks"))
    assert len(across) == 2 * (len(table.layout.columns) - 1)
    assert sorted(down) == sorted(across)
    text = table_text([table], form, rows="tasks")
    assert [name for name in ("Task", "one", "two", "Proximity", "Causal") if name not in text] == []


def test_intervals_when_they_are_wanted_then_stand_behind_the_values(tmp_path: Path) -> None:
    table = urban_table(tmp_path, {"m": ["A", "B"] * 10}, ["proximity"] * 20)
    cell = table.rows[0].cells[1]
    text = table_text([table], "markdown", with_intervals=True)
    assert f"50.0 [{cell.low:.1f}, {cell.high:.1f}]" in text
    assert "[" not in table_text([table], "markdown")
