"""AirCopBench's model-drafted questions, answered from the geometry of what each view shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from annotator.demo.captures import Captures, Picture
from annotator.demo.degradations import DEGRADATIONS, DegradationName
from annotator.demo.judgement import PLAIN, Judgement, judge
from annotator.demo.places import clear_third, thirds
from annotator.demo.quiz import Question, ask, choose_others
from annotator.demo.truth import VisibleObject
from annotator.domain import task_set_files
from annotator.draft.seeded_random import SeededRandom

TASK_SET = "aircop"
_LEAST_PX = 250
_CLEARLY_MORE = 1.2
_NO_VIEW = ("All of them alike", "None of them")
_CLEARLY_STEEPER_DEG = 5.0
_CAUSES: dict[DegradationName, str] = {
    "noise": "Strong noise covers the whole picture.",
    "loss": "Parts of the picture were lost on the radio link.",
    "motion_blur": "The camera moved while the shutter was open.",
    "defocus": "The lens is out of focus.",
    "cloud_shadow": "The shadow of a cloud lies over much of the scene.",
    "darkness": "There is far too little light.",
    "overexposure": "Far too much light fell on the sensor.",
    "sun_flare": "The sun shines into the lens.",
    "fog": "Fog stands between the camera and the ground.",
}


def air_questions(captures: Captures, *, seed: int) -> Iterator[Question]:
    """Yield the questions about all scenes that two or more drones see.

    Args:
        captures: What was taken.
        seed: Seed of all draws.
    """
    for moment in captures.moments():
        views = [p for p in captures.of_moment(moment.name) if p.shot.view != "ground"]
        if len(views) > 1:
            asked = _Asker(views, captures, seed=seed).questions()
            yield from (question for question in asked if question.wrong)


class _Asker:
    """Asks about one scene."""

    def __init__(self, views: Sequence[Picture], captures: Captures, *, seed: int) -> None:
        self._views = views
        self._scene = views[0].moment.name
        self._landmarks = [mark.name for mark in captures.landmarks]
        self._categories = sorted(_categories(captures))
        self._draw = SeededRandom(seed, TASK_SET, self._scene)
        self._judged = {p.name: judge(p, partners=[o for o in views if o.name != p.name]) for p in views}

    def questions(self) -> Iterator[Question]:
        """Yield the scene's questions: some about all views, the others about one view each."""
        yield from self._comparison()
        yield from self._posture()
        for number, picture in enumerate(self._views):
            # One view of each scene for these tasks, and not the first each time: by the length of the name
            # it differs from scene to scene and not from run to run.
            if number == len(self._scene) % len(self._views):
                yield from self._description(picture)
                yield from self._recognition(picture)
                yield from self._grounding(picture)
                yield from self._matching(picture)
                yield from self._what(picture)
            yield from self._why(picture)
            yield from self._cause(picture)

    def _description(self, picture: Picture) -> Iterator[Question]:
        shown = sorted(picture.landmarks)
        absent = [name for name in self._landmarks if name not in picture.landmarks]
        if shown:
            right, others = _capital(self._draw.choose(shown)), [_capital(name) for name in absent]
            aspect = "the place that it shows"
            yield self._question("scene_description", right, others, picture, aspect=aspect)

    def _comparison(self) -> Iterator[Question]:
        counts = sorted(
            ((len(self._judged[p.name].vehicles), p.shot.view) for p in self._views), reverse=True
        )
        # Human counts of cars differ by one or two.
        if counts[0][0] > _CLEARLY_MORE * counts[1][0]:
            names = [p.shot.view for p in self._views if p.shot.view != counts[0][1]]
            aspect = "the number of vehicles: which one shows the most"
            yield self._question(
                "scene_comparison", counts[0][1], [*names, *_NO_VIEW], views=self._all, aspect=aspect
            )

    def _posture(self) -> Iterator[Question]:
        ranked = sorted(self._views, key=lambda p: p.shot.camera.tilt_deg)
        if ranked[1].shot.camera.tilt_deg - ranked[0].shot.camera.tilt_deg > _CLEARLY_STEEPER_DEG:
            names = [p.shot.view for p in ranked[1:]]
            aspect = "the ground from straight above"
            yield self._question(
                "observing_posture", ranked[0].shot.view, [*names, *_NO_VIEW], views=self._all, aspect=aspect
            )

    def _recognition(self, picture: Picture) -> Iterator[Question]:
        plain = sorted({s.mover.category for s in _plain(picture)})
        # Hidden objects too: one that is hardly visible is no wrong answer, and no right one either.
        present = {s.mover.category for s in picture.visible_objects}
        absent = [name for name in self._categories if name not in present]
        if plain:
            right, others = _article(self._draw.choose(plain)), [_article(name) for name in absent]
            yield self._question("object_recognition", right, others, picture)

    def _grounding(self, picture: Picture) -> Iterator[Question]:
        for visible_object, location in self._single(picture):
            yield self._question(
                "object_grounding", location, thirds(), picture, object=f"the {visible_object.mover.category}"
            )
            return

    def _matching(self, picture: Picture) -> Iterator[Question]:
        """Yield which thing of another view is the one of this view; there, each is told by its place."""
        for other in (p for p in self._views if p.name != picture.name and not p.shot.faults):
            for question in self._matches(picture, other):
                if question.wrong:
                    yield question
                    return

    def _matches(self, picture: Picture, other: Picture) -> Iterator[Question]:
        there = {s.mover.number: _told(s, other) for s in _placed(_plain(other), other)}
        counts = Counter(there.values())
        for visible_object, location in self._single(picture):
            right = there.get(visible_object.mover.number, "")
            others = sorted({t for n, t in there.items() if n != visible_object.mover.number})
            what = f"the {visible_object.mover.category} in the {location}"
            if right and counts[right] == 1:
                yield self._question("object_matching", right, others, picture, object=what)

    def _cause(self, picture: Picture) -> Iterator[Question]:
        judged = self._judged[picture.name]
        if judged.quality not in ("fair", "poor", "very_poor") or not picture.shot.faults:
            return
        worst = max(picture.shot.faults, key=lambda fault: fault.strength)
        # By the label and not the name: two faults of one label would be two right answers.
        labels = {DEGRADATIONS[fault.name].label for fault in picture.shot.faults}
        wrong = [text for name, text in _CAUSES.items() if DEGRADATIONS[name].label not in labels]
        yield self._question("causal_assessment", _CAUSES[worst.name], wrong, picture)

    def _what(self, picture: Picture) -> Iterator[Question]:
        judged = self._judged[picture.name]
        helped = [h.visible_object for h in judged.helped if h.visible_object.shown < PLAIN]
        told = _placed(helped, picture)
        # Not in spoilt images: there the other view helps with everything.
        if told and not picture.shot.faults:
            right = _told(self._draw.choose(told), picture)
            hidden = {_told(s, picture) for s in picture.visible_objects if s.shown < PLAIN}
            wrong = sorted({_told(s, picture) for s in _placed(_plain(picture), picture)} - hidden)
            yield self._question("what_to_collaborate", right, wrong, picture, aspect="the traffic")

    def _why(self, picture: Picture) -> Iterator[Question]:
        judged = self._judged[picture.name]
        if not judged.helped:
            return
        values = task_set_files.builtin(TASK_SET).value_lists["why"]
        unsupported = [v.title.en for v in values if not _supports(judged, v.id)]
        right = next(v.title.en for v in values if v.id == judged.why[0])
        yield self._question("why_to_collaborate", right, unsupported, picture)

    def _single(self, picture: Picture) -> list[tuple[VisibleObject, str]]:
        """Return the well seen things that are the only one of their category, each with its place."""
        counts = Counter(s.mover.category for s in picture.visible_objects)
        single = [(s, _position_text(s, picture)) for s in _plain(picture) if counts[s.mover.category] == 1]
        return self._draw.shuffled(
            [(visible_object, location) for visible_object, location in single if location]
        )

    @property
    def _all(self) -> str:
        names = [p.shot.view for p in self._views]
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def _question(
        self, task: str, right: str, others: Sequence[str], picture: Picture | None = None, **slots: str
    ) -> Question:
        """Return a question; without wrong options where too few of the others are fit for one."""
        view = picture.shot.view if picture else ""
        if view:
            slots["view"] = view
        return Question(
            task_set=TASK_SET,
            task=task,
            text=ask(TASK_SET, task, **slots),
            media=tuple(p.name for p in self._views),
            right=right,
            wrong=choose_others(TASK_SET, task, right=right, others=others, count=3, draw=self._draw),
            scene=self._scene,
            view=view,
        )


def _categories(captures: Captures) -> set[str]:
    """Return what things are called, with every colour that any vehicle has for every kind of vehicle."""
    movers = [s.mover for p in captures.pictures for s in p.visible_objects]
    painted = [m for m in movers if m.category == f"{m.colour_name} {m.kind}"]
    colours, kinds = {m.colour_name for m in painted}, {m.kind for m in painted}
    return {m.category for m in movers} | {f"{colour} {kind}" for colour in colours for kind in kinds}


def _supports(judged: Judgement, reason: str) -> bool:
    """Return whether a view gives any cause for a reason; such a reason is no wrong option."""
    return reason in judged.why or reason in judged.degradations


def _plain(picture: Picture) -> list[VisibleObject]:
    return [s for s in picture.visible_objects if s.shown > PLAIN and s.pixels >= _LEAST_PX]


def _placed(visible_objects: Iterable[VisibleObject], picture: Picture) -> list[VisibleObject]:
    """Return the things whose place in an image can be told in words."""
    return [s for s in visible_objects if _position_text(s, picture)]


def _position_text(visible_object: VisibleObject, picture: Picture) -> str:
    middle = (visible_object.x1 + visible_object.x2) / 2, (visible_object.y1 + visible_object.y2) / 2
    return clear_third(middle, size=picture.shot.size_px)


def _told(visible_object: VisibleObject, picture: Picture) -> str:
    position = _position_text(visible_object, picture)
    return f"the {visible_object.mover.category} in the {position} of {picture.shot.view}"


def _capital(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def _article(category: str) -> str:
    return f"{'An' if category[0] in 'aeiou' else 'A'} {category}"
