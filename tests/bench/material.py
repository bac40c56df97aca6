"""What the bench works on: projects of many items, made once by the product's own code and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

import annotator
from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, ItemState, Option, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.domain.source import Source
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.vocabulary import ANSWERS, CHINESE_STEM, COLOURS, PLACES, STEMS, STREETS, THINGS

BATCH = 5000
SEED = 20_260_501
VIEWS = ("UAV1", "UAV2", "UAV3")
ITEMS_PER_SCENE = 40
CHINESE_EVERY = 50
_SHAPING = (
    "domain/item.py", "domain/flag.py", "domain/scene.py",
    "domain/medium.py", "domain/event.py", "domain/wording.py", "store/schema.py", "store/log.py",
    "store/projection.py", "store/projections/*.py",
)  # fmt: skip
"""Source files that decide what is in a project's file; any change in them makes it again."""

_TASKS = (
    ("aircop", "object_counting", "option_letter", 5),
    ("aircop", "quality_assessment", "option_letter", 4),
    ("aircop", "usability_assessment", "option_letter", 4),
    ("aircop", "when_to_collaborate", "option_letter", 3),
    ("aircop", "who_to_collaborate", "option_letter", 2),
    ("spatialuav", "region_recognition", "region_set", 3),
    ("spatialuav", "direction_recognition", "clock", 2),
    ("spatialuav", "a2a_shared_association", "pair_list", 1),
    ("urbanvideo", "landmark_position", "option_letter", 3),
    ("urbanvideo", "progress_evaluation", "option_letter", 2),
    ("urbanvideo", "action_generation", "option_letter", 1),
)
"""Task set, task, answer format and share of the items."""
_STATES: tuple[tuple[ItemState, int], ...] = (
    ("drafted", 50), ("filtered", 10), ("in_refinement", 12), ("refined", 14), ("accepted", 11),
    ("rejected", 3),
)  # fmt: skip
_FLAG_KINDS = (
    "count_not_integer",
    "option_similarity",
    "partner_missing",
    "missing_media",
    "question_length",
)
_FLAGGED_PER_1000 = 30


@dataclass(frozen=True, kw_only=True)
class GenerateItems(Command):
    """Fill a project with made-up items, their scenes, media and flags.

    Attributes:
        count: Number of items.
    """

    count: int

    @property
    def summary(self) -> CommandSummary:
        """Words for the undo menu."""
        return CommandSummary.of_text(f"Generate {self.count:,} items")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield everything in batches; memory does not grow with the count."""
        progress.begin(self.summary, total=self.count)
        rng = np.random.default_rng(SEED)
        sources = [
            Source(id=new_id(), name=f"made_up_{n}.json", format="made-up", sha256=f"{n:064x}")
            for n in range(3)
        ]
        yield from (_created("source", source) for source in sources)
        for start in range(0, self.count, BATCH):
            size = min(BATCH, self.count - start)
            yield from _batch(start, size, sources=[source.id for source in sources], rng=rng)
            progress.step(size)


def _batch(start: int, size: int, *, sources: list[str], rng: np.random.Generator) -> Iterator[Edit]:
    scenes = [
        _scene(number) for number in range(start // ITEMS_PER_SCENE, -(-(start + size) // ITEMS_PER_SCENE))
    ]
    for scene, media in scenes:
        yield from (_created("medium", medium) for medium in media)
        yield _created("scene", scene)
    chances = _Chances.draw(size, rng=rng)
    flagged = []
    for k in range(size):
        scene, media = scenes[(start + k) // ITEMS_PER_SCENE - start // ITEMS_PER_SCENE]
        item = _item(start + k, chances.of(k), scene=scene, media=media, sources=sources)
        yield _created("item", item)
        if chances.flagged[k]:
            flagged.append(item)
    for item in flagged:
        kind = _FLAG_KINDS[len(item.question) % len(_FLAG_KINDS)]
        yield _created(
            "flag",
            Flag(id=new_id(), entity="item", target=item.id, kind=kind, message="Made up for the bench."),
        )


@dataclass(frozen=True)
class _Chances:
    """What chance decided about the items of a batch: a column of ``picks`` for each choice."""

    picks: list[list[int]]
    flagged: list[bool]

    @classmethod
    def draw(cls, size: int, *, rng: np.random.Generator) -> _Chances:
        # The tail of Zipf's law is longer than the list of names.
        streets = np.minimum(rng.zipf(1.3, size) - 1, len(STREETS) - 1)
        columns = [
            rng.choice(len(_TASKS), size, p=_shares([share for *_, share in _TASKS])),
            rng.choice(len(_STATES), size, p=_shares([share for _, share in _STATES])),
            streets,
            *(rng.integers(0, 1 << 20, size) for _ in range(5)),
        ]
        flagged = rng.integers(0, 1000, size) < _FLAGGED_PER_1000
        return cls(np.stack(columns, axis=1).tolist(), flagged.tolist())

    def of(self, k: int) -> list[int]:
        return self.picks[k]


def _item(number: int, picks: list[int], *, scene: Scene, media: list[Medium], sources: list[str]) -> Item:
    task_pick, state_pick, street, *free = picks
    task_set, task, answer_format, _ = _TASKS[task_pick]
    words = {
        "street": STREETS[street],
        "colour": COLOURS[free[0] % len(COLOURS)],
        "thing": THINGS[free[1] % len(THINGS)],
        "place": PLACES[free[2] % len(PLACES)],
    }
    question = (CHINESE_STEM if free[3] % CHINESE_EVERY == 0 else STEMS[free[3] % len(STEMS)]).format_map(
        words
    )
    options = _options(words, free[4]) if answer_format == "option_letter" else ()
    view = free[4] % len(VIEWS)
    # Drafted items have no original; imported ones carry theirs, which makes them longer.
    is_imported = task_set != "aircop"
    name = f"{task}_{number:07d}"
    return Item(
        id=new_id(),
        name=name,
        task_set=task_set,
        task=task,
        state=_STATES[state_pick][0],
        question=question,
        options=options,
        answer_format=answer_format,
        answer_key=_key(answer_format, free[0]),
        scene=scene.id,
        view=VIEWS[view],
        media=(media[view].id,),
        provenance=Provenance(
            made_by="import" if is_imported else "rule",
            maker=task_set,
            source=sources[number % len(sources)] if is_imported else "",
            locator=f"line {number}" if is_imported else "",
        ),
        original=_original(name, question) if is_imported else msgspec.Raw(b"null"),
    )


def _options(words: dict[str, str], pick: int) -> tuple[Option, ...]:
    count = len(ANSWERS)
    return tuple(
        Option(letter=letter, text=ANSWERS[(pick + step) % count].format_map(words))
        for step, letter in enumerate("ABCD")
    )


def _key(answer_format: str, pick: int) -> str:
    if answer_format == "option_letter":
        return "ABCD"[pick % 4]
    if answer_format == "clock":
        return f"{pick % 12 + 1} o'clock"
    return f"Region {pick % 9}, {pick % 9 + 2}" if answer_format == "region_set" else f"{pick % 9}-{pick % 7}"


def _original(name: str, question: str) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({"id": name, "question": question}))


def _scene(number: int) -> tuple[Scene, list[Medium]]:
    name = f"scene_{number // 100:04d} frame_{number % 100:03d}"
    media = [
        Medium(id=new_id(), name=f"{name.replace(' ', '-')}-{view}.jpg", dataset="Made_Up") for view in VIEWS
    ]
    views = tuple(SceneView(name=view, medium=medium.id) for view, medium in zip(VIEWS, media, strict=True))
    return Scene(id=new_id(), name=name, dataset="Made_Up", views=views), media


def _created(entity: str, record: Record) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=CREATED, value=record)


def _shares(weights: list[int]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def project_of(count: int, *, folder: Path, progress: Progress) -> Path:
    """Return a project of so many items, made now where the kept one is not what would be made today.

    Args:
        count: Number of items.
        folder: Where such projects are kept.
        progress: Told while it is made; can cancel it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"items-{count}-{_recipe()}.vantage"
    if path.exists():
        return path
    for old in folder.glob(f"items-{count}-*"):
        old.unlink()
    # Another name while it is made: one that was not finished must not be taken for one that was.
    passing = folder / f"items-{count}-part.vantage"
    with Session.create(passing, title=f"{count:,} items") as session:
        if count:
            session.execute(GenerateItems(count=count), progress=progress).result()
    return passing.rename(path)


def _recipe() -> str:
    root = Path(annotator.__file__).parent
    here = Path(__file__).parent
    files = [here / "material.py", here / "vocabulary.py"]
    files += [path for pattern in _SHAPING for path in sorted(root.glob(pattern))]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
