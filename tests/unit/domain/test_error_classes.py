from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.error_classes import ErrorClassCatalogue, builtin_sets, load
from annotator.errors import UserError

OWN = """
id = "city"
title = { en = "City" }
task_sets = ["aircop"]
[[classes]]
id = "traffic"
title = { en = "Traffic" }
"""


def project_with(path: Path, text: str, *, name: str = "city") -> Path:
    folder = path / "p.errorclasses"
    folder.mkdir()
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return path / "p.vantage"


def test_builtin_sets_when_read_then_have_the_classes_of_the_published_analyses() -> None:
    ids = {one.id: [kind.id for kind in one.classes] for one in builtin_sets()}
    assert ids["aircop"] == ["perception_hallucination", "spatial_reasoning", "multi_image"]
    assert ids["urbanvideo"] == ["urban_elements", "motion", "egocentric"]
    texts = [
        kind.title.zh and kind.meaning.en and kind.meaning.zh
        for one in builtin_sets()
        for kind in one.classes
    ]
    assert all(texts)


@pytest.mark.parametrize(
    ("task", "found"),
    [("aircop/object_counting", "aircop"), ("urbanvideo/recall", "urbanvideo"), ("own/what", "general")],
)
def test_set_for_a_task_when_asked_then_is_that_of_its_benchmark(task: str, found: str) -> None:
    assert ErrorClassCatalogue().for_task(task).id == found


def test_catalogue_when_a_team_has_its_own_set_then_it_comes_first(tmp_path: Path) -> None:
    catalogue = ErrorClassCatalogue.of(project_with(tmp_path, OWN))
    assert catalogue.faults == ()
    assert catalogue.for_task("aircop/object_counting").id == "city"
    kind = catalogue.find("traffic")
    assert kind is not None
    assert kind.title.en == "Traffic"
    assert catalogue.find("motion") is not None


WRONG = {
    "no TOML": ("id = ", "is not valid TOML"),
    "an unknown field": (OWN.replace("task_sets", "tasks"), "not a set of error classes.*tasks"),
    "another id": (OWN.replace('id = "city"', 'id = "town"'), "differs from the file name"),
    "a class without an id": (OWN.replace('"traffic"', '"Traffic jam"'), "lower-case letters"),
    "a class twice": (f'{OWN}[[classes]]\nid = "traffic"\ntitle = {{ en = "T" }}\n', "occurs twice"),
    "no class": (OWN[: OWN.index("[[")] + "classes = []\n", "1 to 9 classes, not 0"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_own_set_when_it_is_wrong_then_is_a_fault_and_the_others_are_used(
    tmp_path: Path, text: str, message: str
) -> None:
    project = project_with(tmp_path, text)
    (fault,) = ErrorClassCatalogue.of(project).faults
    with pytest.raises(UserError, match=message):
        load(tmp_path / "p.errorclasses" / "city.toml")
    assert fault.file == "p.errorclasses/city.toml"
    assert ErrorClassCatalogue.of(project).sets == builtin_sets()


def test_own_set_when_it_has_the_name_of_a_built_in_one_then_is_a_fault(tmp_path: Path) -> None:
    project = project_with(tmp_path, OWN.replace('id = "city"', 'id = "aircop"', 1), name="aircop")
    (fault,) = ErrorClassCatalogue.of(project).faults
    assert "built-in" in fault.message
