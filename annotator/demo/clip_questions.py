"""Questions about the clips in UrbanVideo-Bench's sixteen tasks, each answer computed from the flight."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotator.demo.actions import amount_text, doing_text, motion_text
from annotator.demo.bearings import apart_m, bearing_deg, distance_m, is_in_picture, over_ground_m
from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.captures import Captures, Clip
from annotator.demo.flights import Leg, Motion, moved
from annotator.demo.landmarks import Landmark
from annotator.demo.places import clear_third, thirds
from annotator.demo.quiz import Question, ask, choose_others
from annotator.domain import task_set_files
from annotator.draft.seeded_random import SeededRandom
from annotator.quality.checks.directions import find_directions

TASK_SET = "urbanvideo"
_CHANGED, _SAME = 0.12, 0.03
_CLEARLY_NEARER = 1.3
_SIDES = ("ahead of me", "ahead of me, to the right", "to my right", "behind me, to the right", "behind me",
          "behind me, to the left", "to my left", "ahead of me, to the left")  # fmt: skip
_SIDE_DEG = 14.0
_TURN_DEG, _STRAIGHT_DEG = 25.0, 9.0
_MIRRORED: dict[Motion, Motion] = {
    "turn_left": "turn_right",
    "turn_right": "turn_left",
    "move_left": "move_right",
    "move_right": "move_left",
    "tilt_up": "tilt_down",
    "tilt_down": "tilt_up",
    "forward": "backward",
    "rise": "descend",
    "descend": "rise",
    "orbit_left": "orbit_right",
    "orbit_right": "orbit_left",
}


def clip_questions(captures: Captures, *, seed: int) -> Iterator[Question]:
    """Yield the questions about all clips, task by task in the order of the paper.

    Args:
        captures: What was filmed.
        seed: Seed of all draws.
    """
    askers = [_Asker(clip, captures, seed=seed) for clip in captures.clips]
    for task in task_set_files.builtin(TASK_SET).tasks:
        for asker in askers:
            yield from asker.questions(task.id)


class _Asker:
    """Asks about one clip."""

    def __init__(self, clip: Clip, captures: Captures, *, seed: int) -> None:
        self._clip, self._flight, self._captures = clip, clip.flight, captures
        self._draw = SeededRandom(seed, clip.name)
        # A drone's video shows no compass: places named after compass points are not used.
        self._landmarks = {
            m.name: m for m in captures.landmarks if not find_directions(_bare(m.name).lower())
        }
        self._first, self._last = self._landmarks_at(0.0), self._landmarks_at(self._flight.seconds)
        self._seen = list(
            dict.fromkeys(n for frame in clip.frames for n in frame.landmarks if n in self._landmarks)
        )
        self._begin, self._end = (self._flight.camera_at(t) for t in (0.0, self._flight.seconds))
        self._rest = [name for name in self._landmarks if name not in self._seen]

    def questions(self, task: str) -> Iterator[Question]:
        """Yield the questions of a task, none where the clip gives no clear answer."""
        ways: dict[str, Callable[[], Iterator[Question]]] = {
            "trajectory_captioning": self._caption,
            "sequence_recall": self._sequence,
            "object_recall": self._object,
            "scene_recall": self._scene,
            "start_end_position": self._start_end,
            "proximity": self._proximity,
            "duration": self._duration,
            "landmark_position": self._position,
            "goal_detection": self._detection,
            "cognitive_map": self._map,
            "causal": self._causal,
            "counterfactual": self._counterfactual,
            "association": self._association,
            "progress_evaluation": self._progress,
            "high_level_planning": self._planning,
            "action_generation": self._action,
        }
        yield from ways[task]()

    def _caption(self) -> Iterator[Question]:
        others = [_caption_of(clip) for clip in self._captures.clips if clip.name != self._clip.name]
        yield from self._question("trajectory_captioning", _caption_of(self._clip), others)

    def _sequence(self) -> Iterator[Question]:
        for leg, following in itertools.pairwise(self._flight.legs[:2]):
            right = f"I {motion_text(following.do)}."
            # Not the movement that is asked about either: 'I turn left' after turning left is as true.
            wrong = [f"I {motion_text(do)}." for do in _MIRRORED if do not in (leg.do, following.do)]
            yield from self._question("sequence_recall", right, wrong, movement=doing_text(leg.do))

    def _object(self) -> Iterator[Question]:
        for name in self._draw.shuffled(self._seen):
            near, next_one = self._nearest(self._landmarks[name], [n for n in self._landmarks if n != name])
            if near in self._seen and next_one:
                wrong = [n for n in self._landmarks if n not in (name, near)]
                yield from self._question(
                    "object_recall", _sentence(near), map(_sentence, wrong), relation="closest to",
                    landmark=_bare(name),
                )  # fmt: skip
                return

    def _scene(self) -> Iterator[Question]:
        for number, leg in enumerate(self._flight.legs):
            inside = self._seen_in(number)
            outside = [name for name in self._landmarks if name not in inside]
            if len(inside) > 1 and len(outside) > 7:
                right = _both(*self._draw.sample(sorted(inside), 2))
                pairs = zip(*[iter(self._draw.sample(outside, 8))] * 2, strict=True)
                wrong = [_both(*pair) for pair in pairs]
                yield from self._question("scene_recall", right, wrong, moment=f"while {doing_text(leg.do)}")
                return

    def _start_end(self) -> Iterator[Question]:
        names = list(self._landmarks)
        (start, clear_start), (end, clear_end) = (
            self._nearest_to(c, names) for c in (self._begin, self._end)
        )
        if start == end or not (clear_start and clear_end):
            return
        others = self._draw.sample([n for n in names if n not in (start, end)], 4)
        # The right pair turned round, and each half of it once more: an option must not be told by the one
        # name that all others have.
        pairs = [(end, start), (start, others[0]), (others[1], end), (others[2], others[3])]
        wrong = [_start_end_text(*pair) for pair in pairs]
        yield from self._question("start_end_position", _start_end_text(start, end), wrong)

    def _proximity(self) -> Iterator[Question]:
        texts = _titles("distance_change")
        for number, leg in enumerate(self._flight.legs):
            begin, end = (self._flight.camera_at(t) for t in self._flight.spans_s()[number])
            for name in self._draw.shuffled(sorted(self._seen_in(number))):
                mark = self._landmarks[name]
                change = distance_m(end, mark) / max(1e-6, distance_m(begin, mark)) - 1
                # Between the two limits annotators would disagree (constant or nearer), so there is no
                # question.
                if abs(change) > _CHANGED or abs(change) < _SAME:
                    kind = "constant" if abs(change) < _SAME else "increases" if change > 0 else "decreases"
                    right = texts[kind]
                    yield from self._question(
                        "proximity", right, [t for t in texts.values() if t != right], landmark=_bare(name),
                        movement=doing_text(leg.do),
                    )  # fmt: skip
                    break

    def _duration(self) -> Iterator[Question]:
        texts = _titles("duration_comparison")
        for one, two in itertools.combinations(self._flight.legs, 2):
            kind = (
                "same" if one.seconds == two.seconds else "longer" if one.seconds > two.seconds else "shorter"
            )
            yield from self._question(
                "duration", texts[kind], [t for t in texts.values() if t != texts[kind]],
                movement=doing_text(one.do), other_movement=doing_text(two.do),
            )  # fmt: skip
            return

    def _position(self) -> Iterator[Question]:
        names = self._draw.shuffled(self._seen)
        for name, goal in itertools.pairwise(names):
            side = self._side(self._landmarks[name])
            if side:
                right, wrong = _side_text(side), [_side_text(s) for s in _SIDES if s != side]
                yield from self._question(
                    "landmark_position", right, wrong, goal_or_route=f"fly to {goal}", landmark=_bare(name)
                )
                return

    def _detection(self) -> Iterator[Question]:
        absent = "No, I cannot see it."
        where = {
            n: clear_third(at, size=PICTURE_SIZE_PX) for n, at in self._clip.frames[-1].landmarks.items()
        }
        every = [f"Yes, {third}." for third in thirds()]
        clear = [name for name in sorted(where) if where[name]]
        if clear:
            name = self._draw.choose(clear)
            right = f"Yes, {where[name]}."
            wrong = [absent, *self._draw.sample([t for t in every if t != right], 3)]
            yield from self._question("goal_detection", right, wrong, goal=name)
        hidden = sorted(self._first - self._last)
        if hidden:
            yield from self._question("goal_detection", absent, every, goal=self._draw.choose(hidden))

    def _map(self) -> Iterator[Question]:
        order = self._order_of_appearance()
        if len(order) < 3:
            return
        right = _in_order(order[:3])
        # The same three in another order, and others in place of one.
        wrong = [_in_order(p) for p in itertools.permutations(order[:3]) if list(p) != order[:3]]
        wrong += [_in_order((order[1], other, order[0])) for other in self._rest]
        goal = self._goal()
        if goal:
            yield from self._question("cognitive_map", right, wrong, goal=goal)

    def _causal(self) -> Iterator[Question]:
        for number, leg in enumerate(self._flight.legs):
            before, after = (self._landmarks_at(t) for t in self._flight.spans_s()[number])
            new = sorted(after - before)
            wrong = [name for name in self._landmarks if name not in after]
            if new:
                name = self._draw.choose(new)
                yield from self._question(
                    "causal", _sentence(f"because of {name}"), [_sentence(f"because of {n}") for n in wrong],
                    movement=amount_text(leg),
                )  # fmt: skip
                return

    def _counterfactual(self) -> Iterator[Question]:
        goal = self._goal()
        turning = [n for n, leg in enumerate(self._flight.legs) if leg.do.startswith("turn")]
        if not goal or not turning:
            return
        leg = self._flight.legs[turning[0]]
        other = _MIRRORED[leg.do]
        # By geometry alone, which is what 'in front of the camera' says; what hides it is not asked.
        is_seen = is_in_picture(self._end_with(turning[0], other), self._landmarks[goal])
        yes = f"Yes, {goal} is still in front of the camera in the end."
        no = f"No, {goal} is out of the camera's view in the end."
        wrong = [no if is_seen else yes, f"No, it then ends straight above {goal}."]
        yield from self._question(
            "counterfactual", yes if is_seen else no, wrong, action=motion_text(leg.do),
            other_action=motion_text(other),
        )  # fmt: skip

    def _association(self) -> Iterator[Question]:
        goals = [name for name in self._seen if name not in self._first]
        for goal in self._draw.shuffled(goals):
            near, is_clear = self._nearest(self._landmarks[goal], sorted(self._first))
            if near and is_clear:
                wrong = [name for name in self._landmarks if name not in self._first and name != goal]
                yield from self._question("association", _sentence(near), map(_sentence, wrong), goal=goal)
                return

    def _progress(self) -> Iterator[Question]:
        legs = self._flight.legs
        route = ", then ".join(amount_text(leg) for leg in legs)
        right = _step(legs[-1])
        own = [_step(leg) for leg in legs[:-1]]
        others = [_step(leg) for clip in self._captures.clips for leg in clip.flight.legs]
        wrong = list(dict.fromkeys([*own, *self._draw.shuffled(others)]))
        yield from self._question(
            "progress_evaluation", right, [w for w in wrong if w != right][:4], route=route
        )

    def _planning(self) -> Iterator[Question]:
        for goal in self._draw.shuffled(self._rest):
            here_m = distance_m(self._end, self._landmarks[goal])
            near, is_clear = self._nearest(self._landmarks[goal], sorted(self._last))
            if near and is_clear and apart_m(self._landmarks[near], self._landmarks[goal]) < 0.7 * here_m:
                wrong = [
                    n for n in self._landmarks if n not in (near, goal) and self._is_farther(n, near, goal)
                ]
                yield from self._question(
                    "high_level_planning", _sentence(near), map(_sentence, wrong), goal=goal
                )
                return

    def _action(self) -> Iterator[Question]:
        texts = {v.id: v.published for v in task_set_files.builtin(TASK_SET).value_lists["action"]}
        # Those in view twice: what the agent sees is the likelier goal.
        names = self._draw.shuffled([*sorted(self._last), *self._seen])
        for name in names:
            angle = (bearing_deg(self._end, self._landmarks[name]) + 180) % 360 - 180
            # Nearly straight behind both turns are right.
            if abs(angle) < _STRAIGHT_DEG or _TURN_DEG < abs(angle) < 150:
                kind = "forward" if abs(angle) < _STRAIGHT_DEG else "turn_right" if angle > 0 else "turn_left"
                wrong = [t for t in texts.values() if t != texts[kind]]
                yield from self._question(
                    "action_generation", texts[kind], wrong, goal_or_route=f"fly to {name}"
                )
                return

    def _question(self, task: str, right: str, wrong: Iterable[str], **slots: str) -> Iterator[Question]:
        """Yield the question, nothing where there are too few wrong options."""
        count = task_set_files.builtin(TASK_SET).task(task).option_count
        need = (count.max if count else 5) - 1
        options = choose_others(TASK_SET, task, right=right, others=wrong, count=need, draw=self._draw)
        if options:
            yield Question(
                task_set=TASK_SET,
                task=task,
                text=ask(TASK_SET, task, **slots),
                media=(self._clip.name,),
                right=right,
                wrong=options,
                scene=self._flight.scene,
                view=self._flight.view,
            )

    def _landmarks_at(self, time_s: float) -> set[str]:
        number = min(len(self._clip.frames) - 1, round(time_s * self._flight.fps))
        return self._clip.frames[number].landmarks.keys() & self._landmarks.keys()

    def _seen_in(self, leg: int) -> set[str]:
        begin, end = self._flight.spans_s()[leg]
        frames = [frame for frame in self._clip.frames if begin <= frame.time_s < end]
        return {name for frame in frames for name in frame.landmarks} & self._landmarks.keys()

    def _order_of_appearance(self) -> list[str]:
        """Return the landmarks in the order in which they come into view; two at once are left out."""
        first: dict[str, float] = {}
        for frame in self._clip.frames:
            for name in frame.landmarks.keys() & self._landmarks.keys():
                first.setdefault(name, frame.time_s)
        return [
            name for name in first if list(first.values()).count(first[name]) == 1 or name == self._seen[0]
        ]

    def _goal(self) -> str:
        """Return the nearest landmark that the last frame shows, "" for none."""
        return min(
            sorted(self._last), key=lambda name: distance_m(self._end, self._landmarks[name]), default=""
        )

    def _nearest(self, mark: Landmark, names: Sequence[str]) -> tuple[str, bool]:
        """Return the landmark nearest to another, and whether that is beyond doubt."""
        ranked = sorted(names, key=lambda name: apart_m(mark, self._landmarks[name]))
        return _first_of(ranked, [apart_m(mark, self._landmarks[name]) for name in ranked])

    def _nearest_to(self, camera: Camera, names: Sequence[str]) -> tuple[str, bool]:
        """Return the landmark nearest to where a camera is over ground, and whether that is beyond doubt."""
        ranked = sorted(names, key=lambda name: over_ground_m(camera, self._landmarks[name]))
        return _first_of(ranked, [over_ground_m(camera, self._landmarks[name]) for name in ranked])

    def _is_farther(self, name: str, than: str, goal: str) -> bool:
        target = self._landmarks[goal]
        return apart_m(self._landmarks[name], target) > _CLEARLY_NEARER * apart_m(
            self._landmarks[than], target
        )

    def _side(self, mark: Landmark) -> str:
        """Return on which side a landmark lies in the end, "" where that is not clear."""
        bearing = bearing_deg(self._end, mark)
        is_clear = abs(bearing - 45 * round(bearing / 45)) < _SIDE_DEG
        return _SIDES[round(bearing / 45) % 8] if is_clear else ""

    def _end_with(self, number: int, do: Motion) -> Camera:
        camera = self._begin
        for n, leg in enumerate(self._flight.legs):
            done = Leg(do=do, seconds=leg.seconds, amount=leg.amount) if n == number else leg
            camera = moved(camera, done, share=1.0)
        return camera


def _caption_of(clip: Clip) -> str:
    steps = [amount_text(leg) for leg in clip.flight.legs]
    seen = sorted(clip.frames[-1].landmarks)
    end = f", in the end before {' and '.join(seen[:2])}" if seen else ""
    return f"I {', '.join(steps[:-1])} and {steps[-1]}{end}."


def _step(leg: Leg) -> str:
    text = amount_text(leg)
    return f"{text[0].upper()}{text[1:]}."


def _first_of(ranked: Sequence[str], reach_m: Sequence[float]) -> tuple[str, bool]:
    if not ranked:
        return "", False
    return ranked[0], len(ranked) > 1 and reach_m[1] > _CLEARLY_NEARER * reach_m[0]


def _titles(value_list: str) -> dict[str, str]:
    return {v.id: f"{v.title.en}." for v in task_set_files.builtin(TASK_SET).value_lists[value_list]}


def _bare(name: str) -> str:
    return name.removeprefix("the ")


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}."


def _side_text(side: str) -> str:
    return f"It is {side}."


def _both(one: str, two: str) -> str:
    return f"{_sentence(one).removesuffix('.')} and {two}."


def _in_order(names: Sequence[str]) -> str:
    return f"{_sentence(names[0]).removesuffix('.')}, {names[1]}, {names[2]}."


def _start_end_text(start: str, end: str) -> str:
    return f"From {start} to {end}."
