"""What a person must still do before the annotation of a scene is finished. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotator.domain.event_form import find_form_problems
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.record import ValueObject
from annotator.domain.region import Region
from annotator.domain.scene import Scene


class SceneProblem(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is missing or contradicts itself, with the place where it is corrected.

    Attributes:
        kind: Id of the reason.
        message: What is wrong, as text.
        view: Name of the view, "" for the scene as a whole.
        field: Field of the event-level form, "" for another place.
        regions: Ids of the regions that it is about.
    """

    kind: str
    message: str
    view: str = ""
    field: str = ""
    regions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SceneFacts:
    """What the checks of a scene depend on.

    Attributes:
        scene: The scene.
        labels: Its event labels.
        links: Its links.
        regions: The regions of its links by id; removed ones are missing.
        flags: Flags on its labels and links, by the id of the label or link.
        has_form: Whether the project asks for an event label of each view.
    """

    scene: Scene
    labels: tuple[EventLabel, ...] = ()
    links: tuple[Link, ...] = ()
    regions: Mapping[str, Region] = field(default_factory=dict)
    flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    has_form: bool = False

    def regions_of(self, link: Link) -> list[Region]:
        """Return the regions of a link that still exist."""
        return [self.regions[region] for region in link.regions if region in self.regions]


def find_scene_problems(facts: SceneFacts) -> list[SceneProblem]:
    """Return what must be corrected before a scene is finished: views in their order, then links."""
    problems = [problem for view in facts.scene.views for problem in _view_problems(view.name, facts)]
    return [*problems, *(problem for link in facts.links for problem in _link_problems(link, facts))]


def _view_problems(view: str, facts: SceneFacts) -> Iterator[SceneProblem]:
    labels = [label for label in facts.labels if label.view == view]
    if not labels and facts.has_form:
        yield SceneProblem(kind="label_missing", message="The event label is missing.", view=view)
    names = [other.name for other in facts.scene.views]
    for label in labels:
        accepted = _kinds(facts.flags.get(label.id, ()), state="dismissed")
        for field_name, found in find_form_problems(label, views=names).items():
            for problem in found:
                # A reviewer has decided that the label is right as it is.
                if problem.kind not in accepted:
                    yield SceneProblem(
                        kind=problem.kind, message=problem.message, view=view, field=field_name
                    )


def _link_problems(link: Link, facts: SceneFacts) -> Iterator[SceneProblem]:
    views = {view.medium: view.name for view in facts.scene.views}
    regions = [region for region in facts.regions_of(link) if region.medium in views]
    shown, view = tuple(region.id for region in regions), views[regions[0].medium] if regions else ""
    if len(shown) < len(link.regions):
        message = "A region of the link was removed, or is in another scene."
        yield SceneProblem(kind="link_incomplete", message=message, view=view, regions=shown)
    for flag in facts.flags.get(link.id, ()):
        if flag.state == "open" and flag.severity != "note":
            yield SceneProblem(kind=flag.kind, message=flag.message, view=view, regions=shown)


def _kinds(flags: Iterable[Flag], *, state: str) -> set[str]:
    return {flag.kind for flag in flags if flag.state == state}
