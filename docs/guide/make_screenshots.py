"""Take the pictures of the guide anew, from the demo project: ``python docs/guide/make_screenshots.py``.

The window is drawn without a screen and always at the same size: a changed picture means a changed window.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCREENS = ROOT / "docs" / "guide" / "images"
SIZE = (1360, 850)
WIDTH_PX, COLOURS, MOST_BYTES = 960, (160, 96, 64, 40, 24), 150_000
"""Width in the guide; colours of the palette, as many as fit into the most bytes of a picture."""

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(ROOT))

from PIL import Image, ImageColor  # noqa: E402
from PySide6.QtCore import QtMsgType, qInstallMessageHandler  # noqa: E402 - the platform is chosen before Qt comes
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from annotator.commands.assignments import AssignRecords  # noqa: E402
from annotator.commands.comments import WriteComment  # noqa: E402
from annotator.commands.item_edits import SetOptionText, SetQuestion  # noqa: E402
from annotator.commands.item_states import ChangeState  # noqa: E402
from annotator.commands.releases import CreateRelease  # noqa: E402
from annotator.commands.responses import AddResponses, GivenAnswer  # noqa: E402
from annotator.commands.tags import ChangeTags  # noqa: E402
from annotator.demo.plan import Size  # noqa: E402
from annotator.demo.project import make_demo  # noqa: E402
from annotator.domain.actor import Actor  # noqa: E402
from annotator.domain.comment import CommentPin  # noqa: E402
from annotator.domain.item import Item  # noqa: E402
from annotator.domain.query import ItemQuery  # noqa: E402
from annotator.domain.record import new_id  # noqa: E402
from annotator.domain.scene import Scene  # noqa: E402
from annotator.media.render import COLOURS as REGION_COLOURS  # noqa: E402
from annotator.progress import Progress  # noqa: E402
from annotator.queries.reader import Reader  # noqa: E402
from annotator.session import Session  # noqa: E402
from tests.bench.probes.pictures import show as show_on_stage  # noqa: E402
from widgets.annotate.slot import AnnotateSlot  # noqa: E402
from widgets.library.workspace import LibraryWorkspace  # noqa: E402
from widgets.refine.slot import RefineSlot  # noqa: E402
from widgets.review.slot import ReviewSlot  # noqa: E402
from widgets.scores.slot import ScoresSlot  # noqa: E402
from widgets.scores.workspace import ScoresWorkspace  # noqa: E402
from widgets.screenshot import save_screenshot, wait_until_settled  # noqa: E402
from widgets.second_look.slot import SecondLookSlot  # noqa: E402
from widgets.settings import Settings  # noqa: E402
from widgets.theme import load  # noqa: E402
from widgets.window import MainWindow, build  # noqa: E402

PEOPLE, RIGHT = ("Anna", "Ben", "Chen"), 0.8
"""Who answers in the picture of agreement, and which share of the items as the key says."""
SECOND_LOOK = {f"Demo_{task}_{number:05}" for task in ("OG", "OM") for number in range(2, 7)}
"""Items of the demo project that the picture of the second look shows."""
SCORED = (("model-72b", 0.8), ("model-32b", 0.6), ("model-7b", 0.4))
"""Models in the pictures of scores, each with the share of its answers that are right."""
UNREADABLE = 0.03
"""Share of replies that no rule can read."""
TOKENS = ("accent", "good", "warn", "bad")
Step = Callable[[MainWindow, LibraryWorkspace], object]


def show_scenes(_window: MainWindow, library: LibraryWorkspace) -> None:
    """Show the scenes, with the first one in the inspector."""
    library.show_list("scene")


def show_flags(window: MainWindow, library: LibraryWorkspace) -> None:
    """Show the scenes with a flag, and the flags of the first."""
    library.show_list("scene")
    library.filters.search_for("")
    library.listing().show_flagged("*")
    wait_until_settled(window)
    library.inspector.ask_about_flag("resolved")


def show_grid(_window: MainWindow, library: LibraryWorkspace) -> None:
    """Show the scenes as a grid of thumbnails."""
    library.show_list("scene")
    if not library.listing().is_grid:
        library.lists.toggle_grid()


def show_scene(window: MainWindow, library: LibraryWorkspace) -> None:
    """Open the page of the first scene."""
    library.show_list("scene")
    wait_until_settled(window)
    library.inspect()


def show_wizard(window: MainWindow, library: LibraryWorkspace) -> None:
    """Offer to import the files of the demo itself."""
    session = window.controller.session
    if session is not None:
        library.batch.offer_import((session.path.parent,))


def show_agreement(window: MainWindow, library: LibraryWorkspace) -> None:
    """Let three people answer every item, most of them as the key says, and show how far they agree."""
    session = window.controller.session
    if session is None:
        raise RuntimeError("no project is open")
    drawn = random.Random(1)
    people = tuple(Actor(id=letter * 32, name=name) for letter, name in zip("abc", PEOPLE, strict=True))
    items = [item for item in session.reader.find(Item) if item.options]
    sample = tuple((item.id, people[2].id) for item in items[::2])
    session.execute(AssignRecords(entity="item", role="reference", pairs=sample, people=people)).result()
    answers = [
        GivenAnswer(item=item.id, person=person.id, answer=_answer(item, drawn))
        for item in items
        for person in people
    ]
    session.execute(AddResponses(answers=tuple(answers))).result()
    library.pages.open_agreement()


def _answer(item: Item, drawn: random.Random) -> str:
    return item.answer_key if drawn.random() < RIGHT else drawn.choice(item.options).letter


def show_palette(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Type a few letters of a command."""
    window.show_palette()
    field = QApplication.focusWidget()
    if field is not None:
        field.setProperty("text", "imp")


def show_report(window: MainWindow, library: LibraryWorkspace) -> None:
    """Run the checks and show what they came to."""
    library.batch.run_checks()
    wait_until_settled(window)


def show_stage(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Open a scene of three cameras in Annotate, and select a car that two of them see."""
    window.show_workspace("annotate")
    show_on_stage(window, scene="crossroads-1")
    workspace = window.slots.find(AnnotateSlot).workspace
    if workspace is not None and workspace.stage.shown is not None:
        workspace.stage.select(workspace.stage.shown.marks.links[1].regions[:1])
        wait_until_settled(window)


def show_videos(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Open a scene of two videos in Annotate."""
    window.show_workspace("annotate")
    show_on_stage(window, scene="flight-market")


def show_event_form(window: MainWindow, library: LibraryWorkspace) -> None:
    """Fill in the event label of a view, at its perception issues, with a region selected."""
    show_stage(window, library)
    _press(window, "stage.event_form")
    _type(window, "I")


def show_hidden_place(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Mark where a van of one view is hidden in another; the common ground proposes the place."""
    _show_annotate(window, "crossroads-1")
    _select(window, view=1, region=0)
    _press(window, "stage.hidden_place")


def show_link(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Link by keyboard: a region of the first view is taken, one of the second view proposed."""
    _show_annotate(window, "crossroads-1")
    _select(window, view=0, region=0)
    _press(window, "stage.link")
    _press(window, "stage.next")


def show_map(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Open a top-view map with its rooms and objects, and select an object."""
    _show_annotate(window, "flat-1")
    _press(window, "stage.large")
    _select(window, view=0, region=12)


def show_flight(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Open a video with a flight: its plot, its segments, and the form of its key frames."""
    _show_annotate(window, "flight-homes")
    _press(window, "stage.flight_form")


def show_clip(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Mark a range of a video and ask for a clip of it."""
    _show_annotate(window, "flight-homes")
    for action in ("video.mark_in", "video.far_next", "video.far_next", "video.mark_out", "video.make_clip"):
        _press(window, action)


def show_new_item(window: MainWindow, library: LibraryWorkspace) -> None:
    """Open the form for an item that no rule can draft."""
    show_stage(window, library)
    _press(window, "stage.new_item")


def _show_annotate(window: MainWindow, scene: str) -> None:
    window.show_workspace("annotate")
    show_on_stage(window, scene=scene)


def _select(window: MainWindow, *, view: int, region: int) -> None:
    workspace = window.slots.find(AnnotateSlot).workspace
    if workspace is not None:
        canvas = workspace.stage.canvases[view]
        workspace.stage.viewports.bring(canvas)
        workspace.stage.select([canvas.marks.marks.regions[region].id])
        workspace.stage.focus_view()
        wait_until_settled(window)


def _press(window: MainWindow, action: str) -> None:
    window.registry.run(action)
    wait_until_settled(window)


def _type(window: MainWindow, keys: str) -> None:
    focus = QApplication.focusWidget()
    if focus is not None:
        QTest.keyClicks(focus, keys)
    wait_until_settled(window)


def show_pairs(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Open an item whose answer is a list of pairs of regions."""
    window.show_workspace("refine")


def show_refinement(window: MainWindow, library: LibraryWorkspace) -> None:
    """Open an item in Refine whose question and option were changed."""
    listing = library.listings["item"]
    names = [row.name for row in listing.kind.rows(_reader(window), listing.model.numbers)]
    listing.table.choose_row(names.index("Demo_why2col_00002"))
    wait_until_settled(window)
    window.show_workspace("refine")
    wait_until_settled(window)
    workspace = window.slots.find(RefineSlot).workspace
    if workspace is not None and workspace.form.item is not None:
        item = workspace.form.item
        question = f"{item.question} Is the bus north of it?"
        workspace.edits.execute(SetQuestion(item=item.id, text=question))
        workspace.edits.execute(
            SetOptionText(item=item.id, letter="B", text="Noise covers half of the picture.")
        )
        wait_until_settled(window)


def show_review(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Let two people answer an item against its key, and ask the reviewer for the reason."""
    session, reader = window.controller.session, _reader(window)
    item = next(reader.find(Item, name="Demo_why2col_00002"))
    answer = next(option.letter for option in item.options if option.letter != item.answer_key)
    people = [Actor(id=new_id(), name=name) for name in ("Ben", "Chen", "Dana")]
    told = ((answer, 41.0, "The noise hides the vehicles."), (answer, 18.0, ""), (item.answer_key, 25.0, ""))
    answers = tuple(
        GivenAnswer(item=item.id, person=person.id, answer=text, duration_s=seconds, reason=reason)
        for person, (text, seconds, reason) in zip(people, told, strict=True)
    )
    if session is not None:
        session.execute(AddResponses(answers=answers, people=tuple(people))).result()
    window.show_workspace("review")
    wait_until_settled(window)
    workspace = window.slots.find(ReviewSlot).workspace
    if workspace is not None:
        case = reader.reviews.case(Item, item.id)
        workspace.queue.go_to(case.n if case is not None else 0)
        wait_until_settled(window)


def show_second_look(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Answer a refined item otherwise than its key, so that the key is shown beside the answer."""
    session = window.controller.session
    items = _reader(window).records(Item)
    chosen = [one for one in items if one.name in SECOND_LOOK]
    if session is None:
        raise RuntimeError("no project is open")
    session.use_actor(Actor(id=new_id(), name="Ben"))
    session.execute(ChangeState(items=tuple(one.id for one in chosen), state="refined")).result()
    session.use_actor(Actor(id=new_id(), name="Ada"))
    window.show_workspace("second_look")
    wait_until_settled(window)
    workspace = window.slots.find(SecondLookSlot).workspace
    if workspace is not None and workspace.form.view is not None:
        workspace.form.choose("B")
        workspace.form.toggle_class("options")
        workspace.answering.hand_in()
        wait_until_settled(window)


def show_comments(window: MainWindow, _library: LibraryWorkspace) -> None:
    """A scene with a question that is pinned to an image, and its answer, beside the stage."""
    session = window.controller.session
    if session is None or window.project is None:
        raise RuntimeError("no project is open")
    ada, ben = session.actor, Actor(id=new_id(), name="Ben")
    # The project knows the name of a person from the own first change on.
    scene = next(one for one in session.reader.records(Scene) if len(one.views) > 1)
    session.execute(ChangeTags(scenes=(scene.id,), added=("day",))).result()
    medium = scene.views[0].medium
    pin = CommentPin(medium=medium, x=507.0, y=238.0)
    session.use_actor(ben)
    question = "@Ada Is this car on the crossing or behind it?"
    command = WriteComment(
        entity="scene", target=scene.id, text=question, person=ben.id, pin=pin, is_question=True
    )
    session.execute(command).result()
    session.use_actor(ada)
    asked = session.reader.comments.of(Scene, scene.id)[-1].comment
    answer = WriteComment(
        entity="scene", target=scene.id, text="Behind it: see UAV2.", person=ada.id, parent=asked.id
    )
    session.execute(answer).result()
    _show_annotate(window, scene.name)
    window.project.comments.toggle()
    wait_until_settled(window)
    panel = window.project.comments.panel
    panel.cards[0].buttons["pin"].click()
    panel.form.take_keyboard()
    wait_until_settled(window)


def show_gates(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Show what must hold before the accepted items are released."""
    window.show_workspace("release")
    wait_until_settled(window)


def show_scores(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Score three models on a release of the demo, by task."""
    _score(window)


def show_unreadable(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Show the replies that no rule can read, with the question of the first."""
    _score(window)
    _press(window, "scores.texts")


def show_errors(window: MainWindow, _library: LibraryWorkspace) -> None:
    """Show an item that a model answered wrongly, with its images."""
    _score(window)
    _scores(window).page.tables.table.choose("model-32b", "")
    _press(window, "scores.errors")


def _score(window: MainWindow) -> None:
    """Release the demo, and score models that answer as the key says, wrongly, or in other words."""
    session = window.controller.session
    if session is None:
        raise RuntimeError("no project is open")
    place = session.path.parent
    out = place / "demo-release"
    if not out.is_dir():
        selection = ItemQuery()
        session.execute(
            CreateRelease(out=out, export_format="native", selection=selection, include_flagged=True)
        ).result()
    items = [one for one in session.reader.records(Item) if one.state != "rejected" and one.answer_key]
    keys: dict[str, list[str]] = defaultdict(list)
    for item in items:
        keys[item.task].append(item.answer_key)
    # Names without a folder: the pictures are the same wherever they are taken.
    with chdir(place):
        drawn = random.Random(0)
        for model, right in SCORED:
            replies = [(item.name, _reply(item.answer_key, keys[item.task], drawn, right)) for item in items]
            lines = [json.dumps({"item": name, "prediction": reply}) + "\n" for name, reply in replies]
            Path(f"{model}.jsonl").write_text("".join(lines), encoding="utf-8")
        window.show_workspace("scores")
        wait_until_settled(window)
        _scores(window).setup.take([out.name, *(f"{model}.jsonl" for model, _ in SCORED)])
        wait_until_settled(window)


def _scores(window: MainWindow) -> ScoresWorkspace:
    pages = window.slots.find(ScoresSlot).workspace
    if pages is None:
        raise RuntimeError("no scores are open")
    return pages.scores


def _reply(answer_key: str, others: Sequence[str], drawn: random.Random, right: float) -> str:
    chance = drawn.random()
    if chance < right:
        return answer_key
    return "I would say the one on the left" if chance > 1 - UNREADABLE else drawn.choice(others)


def _reader(window: MainWindow) -> Reader:
    session = window.controller.session
    if session is None:
        raise RuntimeError("no project is open")
    return session.reader


def show_merge(window: MainWindow, library: LibraryWorkspace) -> None:
    """Merge a bundle of somebody who changed other questions, and one that was changed here as well."""
    session, project = window.controller.session, window.project
    if session is None or project is None:
        return
    names = {item.name: item for item in session.reader.records(Item)}
    items = [names[name] for name in sorted(names)[:6]]
    with tempfile.TemporaryDirectory() as folder:
        everything, answer = Path(folder) / "harbour all.bundle", Path(folder) / "harbour Bea.bundle"
        session.export_bundle(everything)
        bea = Actor(id=new_id(), name="Bea")
        with Session.create_from_bundle(Path(folder) / "copy.vantage", everything, actor=bea) as other:
            for item in items:
                other.execute(SetQuestion(item=item.id, text=f"{item.question} (as Bea sees it)")).result()
            other.export_bundle(answer)
        session.execute(SetQuestion(item=items[0].id, text=f"{items[0].question} (as Ada sees it)")).result()
        library.show_list("item")
        project.bundles.merge([answer])
        wait_until_settled(window)


def show_nothing(_window: MainWindow, _library: LibraryWorkspace) -> None:
    """Leave the window as it opens."""


PICTURES: dict[str, tuple[str, str, Step]] = {
    "library-dark": ("dark", "en", show_nothing),
    "library-scenes": ("light", "en", show_scenes),
    "library-grid": ("dark", "en", show_grid),
    "scene-page": ("dark", "en", show_scene),
    "import-wizard": ("light", "en", show_wizard),
    "library-flags": ("dark", "en", show_flags),
    "check-report": ("dark", "en", show_report),
    "command-palette": ("dark", "en", show_palette),
    "library-agreement": ("light", "en", show_agreement),
    "library-chinese": ("dark", "zh", show_scenes),
    "refine-pairs": ("dark", "en", show_pairs),
    "refine-changes": ("light", "en", show_refinement),
    "review-case": ("dark", "en", show_review),
    "second-look": ("dark", "en", show_second_look),
    "comments": ("dark", "en", show_comments),
    "exchange-report": ("light", "en", show_merge),
    "release-gates": ("light", "en", show_gates),
    "scores-table": ("light", "en", show_scores),
    "scores-replies": ("dark", "en", show_unreadable),
    "scores-errors": ("dark", "en", show_errors),
    "annotate-stage": ("light", "en", show_stage),
    "annotate-videos": ("dark", "en", show_videos),
    "annotate-event-form": ("light", "en", show_event_form),
    "annotate-hidden-place": ("light", "en", show_hidden_place),
    "annotate-link": ("dark", "en", show_link),
    "annotate-map": ("light", "en", show_map),
    "annotate-flight": ("light", "en", show_flight),
    "annotate-clip": ("light", "en", show_clip),
    "annotate-new-item": ("light", "en", show_new_item),
}
"""File name of each picture, with theme, language and what is done before it is taken."""
WITH_VIDEOS = frozenset(name for name in PICTURES if name.startswith("annotate-"))
"""Pictures of the standard demo project, which takes two minutes to make; the others are of the small one."""


def take(name: str, *, project: Path, settings: Settings) -> None:
    """Open the window on a project, do what a picture wants, and save it.

    Args:
        name: A key of ``PICTURES``.
        project: The demo project.
        settings: Kept for this picture alone.
    """
    look, spoken, step = PICTURES[name]
    settings.keep("theme", look)
    settings.keep("language", spoken)
    window = build(Session.open(project, actor=Actor(id=new_id(), name="Ada")), settings=settings)
    window.show()
    window.resize(*SIZE)
    wait_until_settled(window)
    if window.library is not None:
        step(window, window.library)
    path = SCREENS / f"{name}.png"
    save_screenshot(window, path, size=SIZE)
    window.close()
    shrink(path, theme=look)


def shrink(path: Path, *, theme: str) -> None:
    """Write a picture anew: smaller, with a palette of its own, so that the guide stays quick to load.

    Args:
        path: The picture.
        theme: Theme of the window in it.
    """
    # Colours of regions, and of what is chosen, flagged, wrong or right, cover too few pixels to be found.
    inks = [*REGION_COLOURS, *(load(theme).color(token).name() for token in TOKENS)]
    with Image.open(path) as taken:
        size = (WIDTH_PX, round(WIDTH_PX * SIZE[1] / SIZE[0]))
        small = taken.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    for count in COLOURS:
        found = small.quantize(count, kmeans=1, dither=Image.Dither.NONE).getpalette() or []
        palette = Image.new("P", (1, 1))
        palette.putpalette([*found[: 3 * count], *(part for ink in inks for part in ImageColor.getrgb(ink))])
        written = io.BytesIO()
        small.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
        if len(written.getvalue()) <= MOST_BYTES:
            break
    path.write_bytes(written.getvalue())


def main() -> int:
    """Take all pictures, or those named on the command line."""
    qInstallMessageHandler(_say)
    QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PICTURES:
            size: Size = "standard" if name in WITH_VIDEOS else "small"
            project = make_demo(
                Path(folder) / ("demo" if size == "small" else size), progress=Progress(), size=size
            )
            take(name, project=project, settings=Settings(Path(folder) / f"{name}.ini"))
            print(SCREENS / f"{name}.png")  # noqa: T201 - what the script made
    return 0


def _say(kind: QtMsgType, _context: object, text: str) -> None:
    if "propagateSizeHints" not in text:
        print(f"{kind.name}: {text}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    raise SystemExit(main())
