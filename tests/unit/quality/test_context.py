from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.queries.reader import Reader
from annotator.session import Session


def test_task_when_set_or_task_is_not_known_then_there_is_none(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    found = context.task(make_item(task="object_counting"))
    assert found is not None
    assert found.number == "2.2"
    for fields in ({"task": "odd"}, {"task": ""}, {"task_set": "ours"}):
        assert context.task(make_item(**fields)) is None


def test_setting_when_the_set_has_a_number_then_it_stands_before_the_default(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    def longest(task_set: str) -> float:
        item = make_item(task_set=task_set)
        return context.setting(item, "question_length", "max", default=7)

    assert (longest("aircop"), longest("urbanvideo"), longest("ours")) == (200, 7, 7)


def test_medium_when_asked_again_then_the_project_is_not() -> None:
    asked: list[str] = []
    context = CheckContext(find_medium=asked.append, find_regions=lambda _: frozenset())  # type: ignore[arg-type]
    context.medium("m")
    context.medium("m")
    assert asked == ["m"]


class Fill(Command):
    """Put a picture with two regions into a project."""

    summary = CommandSummary.of_text("Fill")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        yield Edit(entity="medium", entity_id="m", field=CREATED, value=Medium(id="m", name="a.jpg"))
        box = Box(x1=0, y1=0, x2=9, y2=9)
        for number in (0, 4):
            region = Region(id=f"r{number}", medium="m", number=number, box=box)
            yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)


def test_of_when_a_project_has_media_and_regions_then_they_are_found(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(Fill()).result()
        context = CheckContext.of(session.reader)
        found = context.medium("m")
        assert found is not None
        assert found.name == "a.jpg"
        assert context.medium("other") is None
        assert (context.regions("m"), context.regions("other")) == ({0, 4}, frozenset())
