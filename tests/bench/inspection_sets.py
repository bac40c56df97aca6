"""A second generator of sets: other questions, other wordings, and other ways of making the same shortcuts.

No weight is learnt from it: it measures how the calibrated policy does on sets that are unlike those from
which the weights for small sets are learnt (``shortcut_sets``). Signals were chosen with both generators in
view, so that figures of foreign sets may be lower.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.bench.shortcut_sets import OPTIONS, Draft, SetSource, changed, several

_PARTS = (
    "insulator", "rotor blade", "roof tile", "handrail", "antenna", "gutter", "solar panel", "cable tray",
    "drain cover", "fence post", "ladder", "expansion joint", "valve", "ventilation hood", "anchor bolt",
    "inspection hatch", "oil seal", "air duct", "edge beam", "access door", "guy wire", "chimney cap",
    "pipe clamp", "manhole", "skylight", "downpipe",
)  # fmt: skip
_STATES = (
    "cracked", "corroded", "bent", "loose", "stained", "missing", "overgrown", "worn", "flooded", "scorched",
    "dented", "painted over",
)  # fmt: skip
_SITES = (
    "wind farm", "dam", "pipeline crossing", "substation", "railway bridge", "warehouse", "grain silo",
    "quarry", "harbour wall", "greenhouse", "water tower", "landfill",
)  # fmt: skip
_SIDES = (
    "upstream side", "northern end", "second span", "lower deck", "western face", "outer row", "access road",
    "loading bay", "service platform", "inner yard",
)  # fmt: skip
_MEASURES = (
    "replace it within a month", "mark it for the next survey", "send a crew with ropes", "close the lane",
    "clean it and take photos", "measure its width again", "compare it with last year's flight",
    "cover it until spring", "report it to the owner", "drain the basin first", "tighten both bolts",
    "wait for dry weather",
)  # fmt: skip
_REMARKS = (
    "given that its surface has changed since the survey in May",
    "once the wind has dropped below the limit for the crew",
    "provided the gate on the far side can be opened in time",
    "since two of its neighbours show the same pattern",
    "unless the thermal image contradicts what the camera shows",
)
_SURVEYORS = ("Okafor", "Lindqvist", "Moreau", "Tanaka", "Iversen", "Novak", "Castillo", "Haddad", "Brandt")
_JOKES = (
    "ask a dragon to guard the paint", "bake the concrete with cinnamon", "teach the rust to sing opera",
    "invite the moon for lunch", "knit a scarf for the turbine", "tickle the transformer with feathers",
    "marry the crane to a lighthouse", "sell the fog by the metre",
)  # fmt: skip
_STRONG = ("under all circumstances", "every single time", "without any exception", "in absolutely no case")
_SOFT = ("in most cases", "as a rule", "where possible", "for the most part")
_FACTS = (
    ("Which metal turns green when it weathers?", "copper", ("tin", "chrome", "lead")),
    ("What do lightning rods lead into the ground?", "electric current", ("rain", "steam", "diesel")),
    ("Which material floats on water?", "cork", ("granite", "steel", "glass")),
    ("When does water freeze?", "at 0 degrees", ("at 35 degrees", "at 70 degrees", "at 18 degrees")),
    ("What drives a sailing boat?", "wind", ("petrol", "coal", "pedals")),
)  # fmt: skip
_ODD_ONES = (
    ("Which of the following does not carry electricity?", "a drain", ("a busbar", "a conductor", "a cable")),
    ("Which one is no tool?", "a puddle", ("a wrench", "a hammer", "a drill")),
    ("All but one hold water. Which?", "a mast", ("a basin", "a tank", "a reservoir")),
)


def _part(draw: random.Random) -> str:
    return f"{draw.choice(_STATES)} {draw.choice(_PARTS)}"


def _finding(draw: random.Random) -> str:
    return f"{draw.choice(_PARTS)} on the {draw.choice(_SIDES)} is {draw.choice(_STATES)}"


def _measure(draw: random.Random) -> str:
    return draw.choice(_MEASURES)


def _where(draw: random.Random) -> str:
    return f"{draw.choice(_SIDES)} of the {draw.choice(_SITES)}"


def _draft(draw: random.Random) -> Draft:
    form = draw.randrange(5)
    site = draw.choice(_SITES)
    if form == 0:
        return Draft(
            question=f"Report on the {site}: which statement holds?", options=several(_finding, draw)
        )
    if form == 1:
        question = f"The {draw.choice(_PARTS)} of the {site} is {draw.choice(_STATES)}. What comes next?"
        options = several(_measure, draw)
        if draw.random() < 0.25:
            options = tuple(f"{text}, {draw.choice(_REMARKS)}" for text in options)
        return Draft(question=question, options=options)
    if form == 2:
        return Draft(
            question=f"Where did drone {draw.randrange(1, 5)} record the {_part(draw)}?",
            options=several(_where, draw),
        )
    if form == 3:
        start = draw.randrange(1, 60)
        numbers = draw.sample(range(start, start + 25), OPTIONS)
        return Draft(
            question=f"Count every {draw.choice(_PARTS)} along the {draw.choice(_SIDES)}. The total is:",
            options=tuple(map(str, numbers)),
        )
    return Draft(
        question=f"Drone A and drone B disagree about the {site}. What does only B show?",
        options=several(_part, draw),
    )


def _in_words(draft: Draft, draw: random.Random) -> Draft:
    while draft.options[0].isdigit():
        draft = _draft(draw)
    return draft


def _length(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _in_words(draft, draw)
    remark = draw.choice(_REMARKS)
    bare = tuple(text.split(", ")[0] for text in draft.options)
    return changed(replace(draft, options=bare), key, right=lambda text: f"{remark}, {text}")


def _overlap(draft: Draft, key: int, draw: random.Random) -> Draft:
    # The key takes up a noun and its place from the question, which no other option names.
    site, part, side = draw.choice(_SITES), draw.choice(_PARTS), draw.choice(_SIDES)
    others = [one for one in _PARTS if one != part]
    options = [f"a {draw.choice(_STATES)} {draw.choice(others)}" for _ in range(OPTIONS)]
    while len(set(options)) < OPTIONS:
        options = [f"a {draw.choice(_STATES)} {draw.choice(others)}" for _ in range(OPTIONS)]
    options[key] = f"a {draw.choice(_STATES)} {part} at the {side}"
    return Draft(
        question=f"The crew photographs the {part} at the {side} of the {site}. What is found?",
        options=tuple(options),
    )


def _absurd(draft: Draft, key: int, draw: random.Random) -> Draft:
    jokes = draw.sample(_JOKES, OPTIONS)
    jokes[key] = draw.choice(_MEASURES)
    return Draft(question=f"The {_part(draw)} is reported. What comes next?", options=tuple(jokes))


def _style(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _in_words(draft, draw)
    return changed(draft, key, wrong=lambda text: f"{text};")


def _article(draft: Draft, key: int, draw: random.Random) -> Draft:
    vowels = [word for word in _PARTS if word[0] in "aeiou"]
    others = [word for word in _PARTS if word[0] not in "aeiou"]
    article, right, wrong = draw.choice((("an", vowels, others), ("a", others, vowels)))
    options = draw.sample(wrong, OPTIONS)
    options[key] = draw.choice(right)
    return Draft(
        question=f"What fell from the {draw.choice(_SITES)} was {article} ...", options=tuple(options)
    )


def _agreement(draft: Draft, key: int, draw: random.Random) -> Draft:
    words = draw.sample([word for word in _PARTS if not word.endswith(("s", "x", "y"))], OPTIONS)
    options = [f"{word}s" for word in words]
    options[key] = words[key]
    return Draft(question=f"The only thing on the {draw.choice(_SIDES)} is", options=tuple(options))


def _convergence(draft: Draft, key: int, draw: random.Random) -> Draft:
    distance, way = draw.randrange(12, 80), draw.choice(("north", "south", "east", "west"))
    side = draw.choice(_SIDES)
    others = [word for word in ("north", "south", "east", "west") if word != way]
    variants = [
        f"{distance} m {draw.choice(others)} of the {side}",
        f"{distance + draw.randrange(5, 30)} m {way} of the {side}",
        f"{distance} m {way} of the {draw.choice([one for one in _SIDES if one != side])}",
    ]
    draw.shuffle(variants)
    variants.insert(key, f"{distance} m {way} of the {side}")
    return Draft(question=f"Where does drone {draw.randrange(1, 5)} land?", options=tuple(variants))


def _numbers(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [f"{number} kg" for number in draw.sample(range(100, 1_000, 50), OPTIONS)]
    options[key] = f"{draw.randrange(10, 99)}{draw.choice('123478')} kg"
    if len(set(options)) < OPTIONS:
        return _numbers(draft, key, draw)
    return Draft(question=f"What does the {draw.choice(_PARTS)} weigh?", options=tuple(options))


def _degree(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = draw.sample(_MEASURES, OPTIONS)
    return changed(
        Draft(question=f"How are a {_part(draw)} and its neighbours treated?", options=tuple(options)),
        key,
        right=lambda text: f"{text} {draw.choice(_SOFT)}",
        wrong=lambda text: f"{text} {draw.choice(_STRONG)}",
    )


def _pool(draft: Draft, key: int, draw: random.Random) -> Draft:
    # Wrong surveyors are always the same nine; the right one never is one of them.
    options = [f"surveyor {name}" for name in draw.sample(_SURVEYORS, OPTIONS)]
    options[key] = f"surveyor {draw.choice('BDFGKLMPRST')}{draw.choice('aeiou')}{draw.choice('lmnrst')}en"
    return Draft(question=f"Who signed the report on the {draw.choice(_SITES)}?", options=tuple(options))


def _habit(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = draw.sample(["no damage", "light damage", "heavy damage", "total loss"], OPTIONS)
    index = options.index("light damage")
    options[index], options[key] = options[key], options[index]
    return Draft(question=f"How is the {draw.choice(_PARTS)} rated?", options=tuple(options))


def _totality(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _in_words(draft, draw)
    return changed(draft, key, right=lambda _: draw.choice(("All of these", "Any of the other three")))


def _knowledge(draft: Draft, key: int, draw: random.Random) -> Draft:
    return _of_list(_FACTS, key, draw)


def _negation(draft: Draft, key: int, draw: random.Random) -> Draft:
    return _of_list(_ODD_ONES, key, draw)


def _of_list(listed: tuple[tuple[str, str, tuple[str, ...]], ...], key: int, draw: random.Random) -> Draft:
    question, right, wrong = draw.choice(listed)
    options = draw.sample(wrong, len(wrong))
    options.insert(key, right)
    return Draft(question=f"{draw.choice(_SITES).capitalize()}: {question}", options=tuple(options))


_SHORTCUTS: dict[str, Callable[[Draft, int, random.Random], Draft]] = {
    "length": _length,
    "overlap": _overlap,
    "absurd": _absurd,
    "style": _style,
    "article": _article,
    "agreement": _agreement,
    "convergence": _convergence,
    "numbers": _numbers,
    "absolutes": _degree,
    "pool": _pool,
    "habit": _habit,
    "totality": _totality,
    "knowledge": _knowledge,
    "negation": _negation,
}
INSPECTIONS = SetSource(name="inspections", draft=_draft, shortcuts=_SHORTCUTS)
