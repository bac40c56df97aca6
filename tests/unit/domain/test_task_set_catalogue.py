"""Task sets beside a project: found, refused with place and field, and read again when they change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import resources
from annotator.domain import task_set_files
from annotator.domain.own_files import MOST_FILES
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.errors import UserError

REPO = Path(__file__).resolve().parents[3]
ROOFTOPS = (
    (REPO / "docs" / "tasksets.md").read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "city.vantage"


def put(project: Path, name: str, text: str) -> Path:
    folder = project.with_suffix(".tasksets")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_catalogue_when_nothing_lies_beside_the_project_then_those_of_the_product(project: Path) -> None:
    catalogue = TaskSetCatalogue.of(project)
    assert catalogue.ids == task_set_files.builtin_ids()
    assert catalogue.get("aircop") is task_set_files.builtin("aircop")
    assert (catalogue.own, catalogue.faults) == ({}, ())


def test_catalogue_when_a_task_set_lies_beside_the_project_then_it_is_found(project: Path) -> None:
    put(project, "rooftops.toml", ROOFTOPS)
    catalogue = TaskSetCatalogue.of(project)
    assert catalogue.get("rooftops").task("Solar Roofs").id == "solar_roofs"
    assert catalogue.ids == tuple(sorted((*task_set_files.builtin_ids(), "rooftops")))
    assert catalogue.find("nothing") is None
    with pytest.raises(UserError, match="Unknown task set 'rooftop'") as caught:
        catalogue.get("rooftop")
    assert "rooftops" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        (
            "rooftops.toml",
            ROOFTOPS.replace('group = "roofs"', 'group = "roof"', 1),
            21,
            "rooftops.toml, task roof_material, field group: 'roof' is unknown",
        ),
        ("rooftops.toml", ROOFTOPS.replace("title", "titel", 1), 0, "rooftops.toml, top level: "),
        (
            "rooftops.toml",
            ROOFTOPS.replace('version = "1"', "version = 1"),
            3,
            "rooftops.toml, field version: expected text, got a whole number.",
        ),
        (
            "rooftops.toml",
            ROOFTOPS.replace('metrics = [{ id = "region_recall" }]', 'metrics = [{ id = "luck" }]'),
            35,
            "rooftops.toml, task solar_roofs, field metrics: 'luck' is unknown",
        ),
        ("rooftops.toml", "id = ", 1, "rooftops.toml is not valid TOML: Invalid value (at "),
        ("roofs.toml", ROOFTOPS, 1, "roofs.toml, field id: 'rooftops' differs from the file name."),
        (
            "aircop.toml",
            resources.path("tasksets/aircop.toml").read_text(encoding="utf-8"),
            3,
            "aircop.toml, field id: 'aircop' is the id of a built-in task set.",
        ),
    ],
)
def test_catalogue_when_a_file_is_wrong_then_it_is_told_and_the_others_are_used(
    project: Path, name: str, text: str, line: int, message: str
) -> None:
    put(project, "good.toml", ROOFTOPS.replace('id = "rooftops"', 'id = "good"'))
    put(project, name, text)
    catalogue = TaskSetCatalogue.of(project)
    assert list(catalogue.own) == ["good"]
    [fault] = catalogue.faults
    assert (fault.file, fault.line) == (f"city.tasksets/{name}", line)
    assert fault.message.startswith(message)
    if name != "aircop.toml":
        with pytest.raises(UserError, match="cannot be used: "):
            catalogue.get(Path(name).stem)


def test_catalogue_when_a_file_changes_then_it_is_read_again(project: Path) -> None:
    path = put(project, "rooftops.toml", ROOFTOPS)
    before = TaskSetCatalogue.of(project).get("rooftops")
    assert TaskSetCatalogue.of(project).get("rooftops") is before
    path.write_text(ROOFTOPS.replace('version = "1"', 'version = "2"'), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert TaskSetCatalogue.of(project).get("rooftops").version == "2"


def test_catalogue_when_there_are_too_many_files_then_the_rest_is_told(project: Path) -> None:
    for number in range(MOST_FILES + 1):
        put(project, f"set_{number:03d}.toml", "id = ")
    faults = TaskSetCatalogue.of(project).faults
    assert len(faults) == MOST_FILES + 1
    assert faults[-1].file == "city.tasksets"
