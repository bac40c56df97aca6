"""Generated sets of items whose answer keys are independent of the text, but for planted shortcuts.

The options of an item are drawn from one distribution and the answer key is drawn among them; a shortcut then
changes the text around the key. The same change around a random option, in a few sound items, makes decoys: a
feature that points at them is no shortcut there. Every removal of an item without a shortcut is false.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from annotator.domain.item import LETTERS, Item, Option
from annotator.quality.predictions import ItemPredictions

MARK = "planted"
DECOYS = 0.02
"""Share of sound items in which a random option has the looks of a shortcut."""
OPTIONS = 4
LONG_SENTENCES = 0.3
"""Share of the questions about actions whose options are all long."""

_THINGS = (
    "bus", "van", "truck", "taxi", "tram", "crane", "statue", "fountain", "kiosk", "tent", "boat",
    "shed", "ambulance", "excavator", "umbrella", "awning", "archway", "elevator", "office",
    "obelisk", "bicycle", "scooter", "trailer", "hedge", "bench", "lamp", "gate", "pier", "barrier",
    "tower",
)  # fmt: skip
_COLOURS = (
    "red", "blue", "white", "black", "green", "yellow", "grey", "orange", "brown", "silver",
)  # fmt: skip
_PLACES = (
    "near the bridge", "beside the car park", "at the corner of the square", "behind the school",
    "along the river bank", "in front of the station", "next to the playground", "on the roof terrace",
    "under the viaduct", "by the loading dock", "between the two towers", "opposite the market hall",
)  # fmt: skip
_ACTIONS = (
    "turns left at the crossing", "stops beside the kerb", "overtakes a cyclist", "waits for a pedestrian",
    "reverses into the yard", "leaves the roundabout", "joins the queue", "parks under a tree",
    "crosses the tram line", "slows down before the bend", "enters the tunnel", "passes the fountain",
)  # fmt: skip
_DETAILS = (
    "and remains visible for the whole sequence from both drones",
    "because the lane ahead is closed by a row of cones and a parked van",
    "while a group of people walks along the opposite side of the street",
    "as far as can be seen behind the trees at the edge of the image",
    "which is confirmed by the shadow that falls onto the wall of the building",
    "although part of the scene is covered by the rotor of the second drone",
)  # fmt: skip
_ABSURD_SUBJECTS = (
    "whale", "pyramid", "unicorn", "volcano", "piano", "comet", "dinosaur", "submarine", "penguin",
    "violin",
)  # fmt: skip
_ABSURD_ACTIONS = (
    "dissolves into music", "recites a poem backwards", "melts the moon", "swallows the weather",
    "juggles planets", "knits a waterfall", "argues with gravity", "paints silence",
)  # fmt: skip
_ABSOLUTES = ("always", "never", "only", "completely", "must", "all")
_HEDGES = ("usually", "mostly", "probably", "often", "partly")
_FACTS = (
    ("What do firefighters use to put out a fire?", "a water hose", ("a brush", "a horn", "a kite")),
    ("Which vehicle carries patients to a hospital?", "an ambulance", ("a tram", "a tractor", "a barge")),
    ("Where do ships load containers?", "at a harbour", ("at a stadium", "in a park", "on a motorway")),
    ("What covers a mountain in winter?", "snow", ("sand", "tiles", "paint")),
    ("What do solar panels need?", "sunlight", ("gravel", "shade", "fog")),
)  # fmt: skip
_EXCEPTIONS = (
    ("Which of these is not a vehicle?", "a fountain", ("a bus", "a van", "a tram")),
    ("Which of these cannot move?", "a statue", ("a boat", "a taxi", "a scooter")),
    ("Which of these is not a building?", "a hedge", ("a school", "an office", "a tower")),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question whose answer key is not drawn yet.

    Attributes:
        question: The stem.
        options: Texts of the options.
    """

    question: str
    options: tuple[str, ...]


Maker = Callable[[Draft, int, random.Random], Draft]


@dataclass(frozen=True, kw_only=True)
class SetSource:
    """What generates the questions of a set.

    Attributes:
        name: Of the source.
        draft: Makes a sound question, whose options the key is drawn from.
        shortcuts: How each kind of shortcut changes a draft around one of its options.
    """

    name: str
    draft: Callable[[random.Random], Draft]
    shortcuts: dict[str, Maker]


def generated_set(
    *,
    items: int,
    planted: float,
    seed: int,
    kinds: tuple[str, ...] = (),
    tasks: int = 3,
    source: SetSource | None = None,
) -> list[ItemPredictions]:
    """Return items, some with shortcuts; no model was asked about them.

    Args:
        items: Their number.
        planted: Share of them with a shortcut, equally many of each kind.
        seed: The same seed, the same items.
        kinds: Of shortcuts, empty for all.
        tasks: Number of tasks.
        source: What makes the questions, None for ``STREETS``.
    """
    draw = random.Random(seed)
    made_by = source or STREETS
    chosen = kinds or tuple(made_by.shortcuts)
    count = round(items * planted)
    labels = [chosen[index % len(chosen)] for index in range(count)] + [""] * (items - count)
    draw.shuffle(labels)
    return [
        _entry(_item(label, index, draw, kinds=chosen, tasks=tasks, source=made_by))
        for index, label in enumerate(labels)
    ]


def planted_in(item: Item) -> str:
    """Return which shortcut was planted in an item, "" for none."""
    return str(item.extras.get(MARK, ""))


def _entry(item: Item) -> ItemPredictions:
    return ItemPredictions(item=item, chance=1.0 / len(item.options), predictions=())


def _item(
    label: str, index: int, draw: random.Random, *, kinds: tuple[str, ...], tasks: int, source: SetSource
) -> Item:
    draft = source.draft(draw)
    key = draw.randrange(len(draft.options))
    if label:
        draft = source.shortcuts[label](draft, key, draw)
    elif draw.random() < DECOYS:
        draft = source.shortcuts[draw.choice(kinds)](draft, draw.randrange(len(draft.options)), draw)
    return Item(
        id=f"generated-{index:05}",
        name=f"generated_{index:05}",
        task_set="generated",
        task=f"task_{index % tasks}",
        question=draft.question,
        options=tuple(
            Option(letter=letter, text=text) for letter, text in zip(LETTERS, draft.options, strict=False)
        ),
        answer_key=LETTERS[key],
        extras={MARK: label} if label else {},
    )


def _thing(draw: random.Random) -> str:
    return f"{draw.choice(_COLOURS)} {draw.choice(_THINGS)}"


def _phrase(draw: random.Random) -> str:
    return f"the {_thing(draw)} {draw.choice(_PLACES)}"


def _sentence(draw: random.Random) -> str:
    text = f"The {_thing(draw)} {draw.choice(_ACTIONS)}"
    # Words of degree occur by chance, as they do where people write.
    if draw.random() < 0.1:
        text = text.replace("The ", f"The {draw.choice((*_ABSOLUTES, *_HEDGES))} ", 1)
    return text


def _draft(draw: random.Random) -> Draft:
    form = draw.randrange(4)
    if form == 0:
        return Draft(question=f"What is {draw.choice(_PLACES)}?", options=several(_phrase, draw))
    if form == 1:
        options = several(_sentence, draw)
        if draw.random() < LONG_SENTENCES:
            options = tuple(f"{text}, {draw.choice(_DETAILS)}" for text in options)
        return Draft(question=f"What does the vehicle do {draw.choice(_PLACES)}?", options=options)
    if form == 2:
        base = draw.randrange(2, 40)
        numbers = draw.sample(range(base, base + 30), OPTIONS)
        return Draft(
            question=f"How many {draw.choice(_THINGS)} objects are {draw.choice(_PLACES)}?",
            options=tuple(map(str, numbers)),
        )
    return Draft(
        question=f"Which object does the second drone see {draw.choice(_PLACES)}?",
        options=several(_thing, draw),
    )


def several(make: Callable[[random.Random], str], draw: random.Random) -> tuple[str, ...]:
    """Return the texts of different options."""
    found: dict[str, None] = {}
    while len(found) < OPTIONS:
        found[make(draw)] = None
    return tuple(found)


def _words_only(draft: Draft, draw: random.Random) -> Draft:
    """Return a draft with options in words: most shortcuts need words."""
    while draft.options[0].isdigit():
        draft = _draft(draw)
    return draft


def same(text: str) -> str:
    """Return a text as it is."""
    return text


def changed(
    draft: Draft, key: int, *, right: Callable[[str], str] = same, wrong: Callable[[str], str] = same
) -> Draft:
    """Return a draft with other texts of one option and of the others."""
    options = tuple(right(text) if index == key else wrong(text) for index, text in enumerate(draft.options))
    return replace(draft, options=options)


def _length(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    detail = draw.choice(_DETAILS)
    short = changed(draft, key, wrong=lambda text: text.split(", ")[0])
    return changed(short, key, right=lambda text: f"{text}, {detail}")


def _overlap(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    text = draft.options[key].split(", ")[0].lower().removeprefix("the ")
    return replace(draft, question=f"{draft.question.rstrip('?')}, where there is the {text}?")


def _absurd(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    return changed(
        draft,
        key,
        wrong=lambda _: f"the {draw.choice(_ABSURD_SUBJECTS)} {draw.choice(_ABSURD_ACTIONS)}",
    )


def _style(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    return changed(
        draft,
        key,
        right=lambda text: f"{text[:1].upper()}{text[1:]}.",
        wrong=lambda text: text[:1].lower() + text[1:],
    )


def _article(draft: Draft, key: int, draw: random.Random) -> Draft:
    vowels = [word for word in _THINGS if word[0] in "aeiou"]
    others = [word for word in _THINGS if word[0] not in "aeiou"]
    article, right, wrong = draw.choice((("an", vowels, others), ("a", others, vowels)))
    options = draw.sample(wrong, OPTIONS)
    options[key] = draw.choice(right)
    return Draft(
        question=f"{draw.choice(_PLACES).capitalize()} the drone sees {article}", options=tuple(options)
    )


def _agreement(draft: Draft, key: int, draw: random.Random) -> Draft:
    things = draw.sample([word for word in _THINGS if not word.endswith(("s", "h", "y"))], OPTIONS)
    options = tuple(f"{word}s" if index == key else word for index, word in enumerate(things))
    return Draft(question=f"The objects {draw.choice(_PLACES)} are", options=options)


def _convergence(draft: Draft, key: int, draw: random.Random) -> Draft:
    colour, thing, location = draw.choice(_COLOURS), draw.choice(_THINGS), draw.choice(_PLACES)

    def other(words: list[str] | tuple[str, ...], word: str) -> str:
        return draw.choice([each for each in words if each != word])

    variants = [
        f"the {other(_COLOURS, colour)} {thing} {location}",
        f"the {colour} {other(_THINGS, thing)} {location}",
        f"the {colour} {thing} {other(_PLACES, location)}",
    ]
    draw.shuffle(variants)
    variants.insert(key, f"the {colour} {thing} {location}")
    return Draft(
        question=f"What is seen {draw.choice(('first', 'last', 'from above'))}?", options=tuple(variants)
    )


def _numbers(draft: Draft, key: int, draw: random.Random) -> Draft:
    right = f"{draw.randrange(11, 90)}.{draw.randrange(1, 10)} m"
    options = [f"{number} m" for number in draw.sample(range(10, 100, 10), OPTIONS)]
    options[key] = right
    return Draft(question=f"How far away is the {draw.choice(_THINGS)}?", options=tuple(options))


def _absolutes(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    return changed(
        draft,
        key,
        right=lambda text: f"{draw.choice(_HEDGES)} {text}",
        wrong=lambda text: f"{draw.choice(_ABSOLUTES)} {text}",
    )


def _pool(draft: Draft, key: int, draw: random.Random) -> Draft:
    # Distractors come from a short list; the key is a thing of the item itself.
    options = draw.sample([f"a {word} depot" for word in _THINGS[:12]], OPTIONS)
    options[key] = f"a {draw.choice(_THINGS[12:])} {draw.choice(('depot', 'yard', 'stand', 'store'))}"
    return Draft(question=f"What is the building {draw.choice(_PLACES)}?", options=tuple(options))


def _habit(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = draw.sample(["not visible", "outside the image", "behind a tree", "in the shade"], OPTIONS)
    index = options.index("not visible")
    options[index], options[key] = options[key], options[index]
    return Draft(question=f"Where is the {_thing(draw)}?", options=tuple(options))


def _totality(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _words_only(draft, draw)
    return changed(draft, key, right=lambda _: "all of the above")


def _knowledge(draft: Draft, key: int, draw: random.Random) -> Draft:
    return _of_list(_FACTS, key, draw)


def _negation(draft: Draft, key: int, draw: random.Random) -> Draft:
    return _of_list(_EXCEPTIONS, key, draw)


def _of_list(listed: tuple[tuple[str, str, tuple[str, ...]], ...], key: int, draw: random.Random) -> Draft:
    question, right, wrong = draw.choice(listed)
    options = draw.sample(wrong, len(wrong))
    options.insert(key, right)
    return Draft(question=f"{question} ({draw.choice(_PLACES)})", options=tuple(options))


SHORTCUTS: dict[str, Maker] = {
    "length": _length,
    "overlap": _overlap,
    "absurd": _absurd,
    "style": _style,
    "article": _article,
    "agreement": _agreement,
    "convergence": _convergence,
    "numbers": _numbers,
    "absolutes": _absolutes,
    "pool": _pool,
    "habit": _habit,
    "totality": _totality,
    "knowledge": _knowledge,
    "negation": _negation,
}
"""How each kind of shortcut changes a draft around one of its options."""
STREETS = SetSource(name="streets", draft=_draft, shortcuts=SHORTCUTS)
TOLD_APART = ("knowledge", "negation")
"""Kinds that need knowledge of the world, which the text of a set does not have."""
