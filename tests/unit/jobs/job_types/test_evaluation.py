"""Items put to models: plans and their keys, words and pictures of questions, what is read of a reply."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.eval_settings import (
    CustomPrompt,
    EvalSettings,
    EvaluationInput,
    EvaluationSettings,
    ExclusionReason,
    PromptVariant,
    prompt_variants,
)
from annotator.domain.input_variants import FrameCount, FrameOrder, ImageSize, OneFrame, View
from annotator.domain.item import Item
from annotator.domain.medium import MediaType, Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.prompt_tokens import LABEL_TOKENS, TOKENS_AROUND, image_tokens
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.work import Estimate, JobOutcome, Prediction, RunOrder
from annotator.errors import UserError
from annotator.jobs.job_types.evaluation import KIND
from annotator.jobs.job_types.evaluation_prompt import builtin_prompt, read_prompt
from annotator.jobs.profile_file import write_profiles
from annotator.model_api import ChatReply, ChatRequest
from annotator.progress import Progress
from annotator.scoring.prediction_form import Prediction as ScoredPrediction
from annotator.scoring.run_answers import RunAnswers
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from tests.bench.numbered_videos import Recipe, make_video
from tests.hangs import soon
from tests.unit.jobs.job_types.asking import (
    CHAT,
    PROBE,
    a_run,
    choice,
    claim_of,
    open_question,
    picture_file,
    planned,
    worker_context,
)
from tests.unit.store.making import changed, created, write

BLIND = EvalSettings()
SIGHTED = EvalSettings(visual_input="sighted")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        yield opened


def put(session: Session, *items: Item) -> None:
    write(session, *(created("item", item) for item in items))


def asked(
    session: Session, settings: EvalSettings, profile: ModelProfile = CHAT, *, index: int = 0
) -> ChatRequest:
    """Enter a run and return the request of one of its jobs."""
    run = a_run(settings, profile)
    jobs = planned(session, settings, profile)
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    queue.close()
    return KIND.request(claim_of(jobs[index], run=run.id), worker_context(session, profile))


def test_plan_when_rotations_are_asked_then_each_option_comes_first_once(session: Session) -> None:
    put(session, choice(), choice("yes", "no"))
    jobs = planned(session, EvalSettings(rotations=0), CHAT)
    assert [job.spec["order"] for job in jobs] == ["ABCD", "BCDA", "CDAB", "DABC", "AB", "BA"]
    assert len({job.request_key for job in jobs}) == 6


def test_plan_when_shuffles_are_asked_then_are_seeded_and_none_comes_twice(session: Session) -> None:
    put(session, choice())
    first = [job.spec["order"] for job in planned(session, EvalSettings(samples=5, seed=1), CHAT)]
    again = [job.spec["order"] for job in planned(session, EvalSettings(samples=5, seed=1), CHAT)]
    other = [job.spec["order"] for job in planned(session, EvalSettings(samples=5, seed=2), CHAT)]
    assert first == again != other
    assert first[0] == "ABCD"
    assert len(set(first)) == 5


def test_variants_when_there_are_more_shuffles_than_orders_then_a_steady_model_is_asked_each_once() -> None:
    item = choice("yes", "no")
    settings = EvalSettings(samples=5)
    assert sorted(one.order for one in prompt_variants(item, settings, is_steady=True)) == ["AB", "BA"]
    assert len(prompt_variants(item, settings, is_steady=False)) == 5


def test_variants_when_options_have_no_texts_then_the_item_is_put_in_one_way() -> None:
    item = choice("", "", "", "")
    assert prompt_variants(item, EvalSettings(rotations=0, samples=3), is_steady=True) == [
        PromptVariant(order="ABCD")
    ]


def test_plan_when_samples_would_be_one_answer_then_is_refused_in_words(session: Session) -> None:
    put(session, open_question("clock", "3 o'clock"))
    with pytest.raises(UserError, match="3 samples of 'chat' would be the same answer"):
        planned(session, EvalSettings(samples=3), CHAT)
    put(session, choice())
    assert len(planned(session, EvalSettings(samples=3), CHAT)) == 1 + 3


@pytest.mark.parametrize(
    "changes", [{"temperature": 0.7}, {"options": {"has_temperature": False}}], ids=["warm", "reasoning"]
)
def test_plan_when_a_model_draws_its_answers_then_each_sample_is_asked(session: Session, changes) -> None:
    put(session, open_question("clock", "3 o'clock"))
    drawing = msgspec.structs.replace(CHAT, **changes)
    jobs = planned(session, EvalSettings(samples=3), drawing)
    assert len({job.request_key for job in jobs}) == 3


@pytest.mark.parametrize(
    ("changes", "phrase", "reply"),
    [
        ({}, "image pixels", "[20, 15, 40, 30]"),
        ({"visuals": VisualSettings(longest_px=40)}, "which is 40 x 30 pixels", "[10, 7.5, 20, 15]"),
        ({"boxes": "fractions"}, "0 to 1", "[0.25, 0.25, 0.5, 0.5]"),
        ({"model": "Qwen/Qwen3-VL-8B"}, "thousandths", "[250, 250, 500, 500]"),
        ({"model": "gemini-2.5-pro"}, "[y1, x1, y2, x2]", "[250, 250, 500, 500]"),
        ({"model": "qwen2.5-vl-7b"}, "which is 84 x 56 pixels", "[21, 14, 42, 28]"),
    ],
)
def test_box_when_a_model_answers_in_another_scale_then_is_asked_in_it_and_scaled_back(
    session: Session, changes, phrase: str, reply: str
) -> None:
    picture_file(session.media_root, "a.png")
    medium = Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)
    write(session, created("medium", medium))
    put(session, open_question("bbox", "[20, 15, 40, 30]", media=("m1",)))
    model = msgspec.structs.replace(CHAT, **changes)
    (job,) = planned(session, SIGHTED, model)
    assert phrase in asked(session, SIGHTED, model).text
    (run,) = session.reader.runs.all()
    claim = claim_of(job, run=run.id)
    parsed = KIND.read(claim, ChatReply(text=reply), worker_context(session, model))
    assert (parsed.kind, parsed.answer) == ("answer", "[20, 15, 40, 30]")


@pytest.mark.parametrize(
    ("changes", "box", "unit"),
    [
        ({}, "20, 15, 40, 30", ""),
        ({"boxes": "thousandths"}, "250, 250, 500, 500", "0 to 1000, in the order [x1, y1, x2, y2]"),
        ({"boxes": "thousandths-yx"}, "250, 250, 500, 500", "0 to 1000, in the order [y1, x1, y2, x2]"),
        (
            {"visuals": VisualSettings(longest_px=40)},
            "10, 8, 20, 15",
            "which is 40 x 30 pixels, in the order",
        ),
    ],
)
def test_question_when_it_names_boxes_then_they_are_told_in_the_unit_of_the_model(
    session: Session, changes, box: str, unit: str
) -> None:
    picture_file(session.media_root, "a.png")
    write(session, created("medium", Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)))
    texts = ("(20, 15, 40, 30)", "(0, 0, 9, 9)", "regions 1 to 4", "none")
    item = choice(*texts, media=("m1",))
    put(session, msgspec.structs.replace(item, question="Which of [20, 15, 40, 30] and [1, 2, 3] is a box?"))
    model = msgspec.structs.replace(CHAT, **changes)
    request = asked(session, SIGHTED, model)
    question, options = request.text.split("\n\n")[:2]
    assert question.startswith(f"Which of [{box}] and [1, 2, 3] is a box?")
    assert (unit in question, "\nBoxes in this question" in question) == (True, bool(unit))
    assert options.startswith(f"A. ({box})\nB. (0, 0, ")
    assert f"({box})" in request.options
    (run,) = session.reader.runs.all()
    (job, *_) = planned(session, SIGHTED, model)
    parsed = KIND.read(claim_of(job, run=run.id), ChatReply(text=f"({box})"), worker_context(session, model))
    assert (parsed.kind, parsed.answer) == ("answer", "A")


def test_question_when_images_have_several_sizes_then_its_boxes_stay_and_the_sizes_are_told(
    session: Session,
) -> None:
    for name, (width_px, height_px) in {"m1": (80, 60), "m2": (160, 60)}.items():
        picture_file(session.media_root, f"{name}.png")
        medium = Medium(id=name, name=name, path=f"{name}.png", width_px=width_px, height_px=height_px)
        write(session, created("medium", medium))
    item = open_question("bbox", "[20, 15, 40, 30]", media=("m1", "m2"))
    put(session, msgspec.structs.replace(item, question="Which object is the one at [20, 15, 40, 30]?"))
    text = asked(session, SIGHTED, msgspec.structs.replace(CHAT, boxes="thousandths")).text
    assert text.startswith(
        "Which object is the one at [20, 15, 40, 30]?\nBoxes in this question are given in pixels of the "
        "originals: image 1 is 80 x 60 pixels, image 2 is 160 x 60 pixels\n"
    )


def put_boxes(session: Session, question: str, *options: str, width_px: int = 1920) -> Item:
    """Put a question about the boxes of one image."""
    picture_file(session.media_root, "a.png")
    medium = Medium(id="m1", name="a.png", path="a.png", width_px=width_px, height_px=width_px * 9 // 16)
    write(session, created("medium", medium))
    item = choice(*options, media=("m1",)) if options else open_question("clock", "3 o'clock", media=("m1",))
    item = msgspec.structs.replace(item, question=question)
    put(session, item)
    return item


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Is the car in the box [0.1, 0.2, 0.5, 0.6]?", ()),
        ("Is the car in the box [932, 249, 823, 189]?", ()),
        ("Is the car in the box [100, 200, 2400, 700]?", ()),
        ("Which box is it?", ("[100, 200, 300, 400]", "[1700, 900, 2500, 1400]")),
        ("The boxes are normalized to 0-1000. Is [100, 200, 300, 400] a car?", ()),
        ("Is [100, 200, 300, 400] (bounding box, x, y, width, height) a car?", ()),
        ("Boxes are [ymin, xmin, ymax, xmax]. Is [100, 200, 300, 400] a car?", ()),
        ("The coordinates (latitude and longitude) are [34, 108, 35, 109]. Is it a field?", ()),
        ("Which regions are higher than 50 pixels?", ("[1, 2, 4, 7]", "[1, 3, 15, 20]")),
    ],
)
def test_question_when_its_numbers_may_be_no_boxes_in_pixels_then_they_stay_and_no_unit_is_told(
    session: Session, question: str, options: tuple[str, ...]
) -> None:
    put_boxes(session, question, *options)
    text = asked(session, SIGHTED, msgspec.structs.replace(CHAT, boxes="thousandths-yx")).text
    lines = [f"{letter}. {option}" for letter, option in zip("AB", options, strict=False)]
    assert text.startswith("\n\n".join([question, *(["\n".join(lines)] if lines else [])]) + "\n\n")
    assert "Boxes in this question" not in text


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which regions lie in the box [100, 200, 300, 400]?", ("[1, 2, 4, 7]", "[1, 3, 15, 20]")),
        ("Which box is that of the car?", ("[100, 200, 300, 400]", "[900, 600, 500, 300]")),
        ("Which box is that of the car?", ("[700, 600, 721, 622]", "[701, 600, 722, 622]")),
        ("Is the car in the box [700, 600, 701, 601]?", ()),
    ],
    ids=["listed-regions", "reversed-corners", "options-alike", "empty-box"],
)
def test_question_when_not_all_its_boxes_can_be_told_in_another_unit_then_all_stay_and_the_size_is_told(
    session: Session, question: str, options: tuple[str, ...]
) -> None:
    put_boxes(session, question, *options)
    text = asked(session, SIGHTED, msgspec.structs.replace(CHAT, boxes="thousandths")).text
    assert text.startswith(
        f"{question}\nBoxes in this question are given in pixels of the originals: "
        "image 1 is 1920 x 1080 pixels\n"
    )
    assert all(f". {option}\n" in text for option in options)


def test_question_when_an_earlier_version_planned_its_job_then_it_is_the_one_of_the_jobs_key(
    session: Session,
) -> None:
    put_boxes(session, "Which box is it?", "[192, 108, 384, 216]", "[960, 540, 1920, 1080]")
    model = msgspec.structs.replace(CHAT, boxes="thousandths")
    assert "A. [100, 100, 200, 200]" in asked(session, SIGHTED, model).text
    (run,) = session.reader.runs.all()
    (job, *_) = planned(session, SIGHTED, model)
    earlier = msgspec.structs.replace(
        job, spec={key: job.spec[key] for key in ("order", "rotation", "sample", "shown", "prompt")}
    )
    claim = claim_of(earlier, run=run.id)
    text = KIND.request(claim, worker_context(session, model)).text
    assert text.startswith("Which box is it?\n\nA. [192, 108, 384, 216]\n")
    parsed = KIND.read(claim, ChatReply(text="[960, 540, 1920, 1080]"), worker_context(session, model))
    assert (parsed.kind, parsed.answer) == ("answer", "B")


@pytest.mark.parametrize(
    ("item", "changes", "reply", "scored"),
    [
        (open_question("bbox", "[20, 15, 40, 30]"), {"boxes": "thousandths"}, "[1200, 20, 1300, 40]", ""),
        (
            open_question("bbox", "[20, 15, 40, 30]"),
            {},
            "It is not [20, 15, 40, 30].",
            "It is not [20, 15, 40, 30].",
        ),
        (choice(), {}, "A or B.", "A or B."),
    ],
    ids=["box-of-another-unit", "box-in-pixels", "letter"],
)
def test_scores_when_no_answer_was_found_in_a_reply_then_its_box_is_not_taken_for_pixels(
    session: Session, item: Item, changes, reply: str, scored: str
) -> None:
    picture_file(session.media_root, "a.png")
    write(session, created("medium", Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)))
    put(session, msgspec.structs.replace(item, media=("m1",)))
    assert scored_text(session, reply, msgspec.structs.replace(CHAT, **changes), index=0) == scored


def test_scores_when_no_answer_was_found_in_a_reply_of_another_order_then_its_letters_are_not_read(
    session: Session,
) -> None:
    put(session, choice())
    settings = EvalSettings(rotations=0)
    assert scored_text(session, "A or B.", CHAT, settings=settings, index=1) == ""


def scored_text(
    session: Session, reply: str, profile: ModelProfile, *, settings: EvalSettings = SIGHTED, index: int
) -> str:
    """Return what of a reply to one job of a run is scored."""
    run, context = a_run(settings, profile), worker_context(session, profile)
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, planned(session, settings, profile)[index : index + 1], progress=Progress())
    (claim,) = queue.claim("w", run=run.id, model=profile.name, count=1, now=1.0)
    parsed = KIND.read(claim, ChatReply(text=reply), context)
    assert parsed.kind == "unparsed"
    prediction = Prediction(
        request_key=claim.request_key.hex(), kind="unparsed", target=claim.target, text=reply, run=run.id
    )
    queue.mark_sent([claim], [b""])
    queue.record([JobOutcome(claim=claim, prediction=prediction)], now=1.0)
    queue.close()
    (given,) = RunAnswers(session.reader, run).read(progress=Progress())
    return given.text if isinstance(given, ScoredPrediction) else str(given)


def test_box_when_one_view_alone_is_sent_then_the_size_of_that_view_is_told(session: Session) -> None:
    for name, size in {"m1": (80, 60), "m2": (160, 60)}.items():
        picture_file(session.media_root, f"{name}.png")
        medium = Medium(id=name, name=name, path=f"{name}.png", width_px=size[0], height_px=size[1])
        write(session, created("medium", medium))
    put(session, open_question("bbox", "[20, 15, 40, 30]", media=("m1", "m2")))
    settings = EvaluationSettings(
        visual_input="sighted", given=EvaluationInput(variants=(View(view=1), ImageSize(longest_px=40)))
    )
    run = msgspec.structs.replace(a_run(settings, CHAT), kind="evaluation")
    context = worker_context(session, CHAT)
    (job,) = KIND.plan(run, context, progress=Progress())
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, [job], progress=Progress())
    queue.close()
    claim = msgspec.structs.replace(claim_of(job, run=run.id), kind="evaluation")
    assert "pixels of the image, which is 40 x 30 pixels" in KIND.request(claim, context).text
    parsed = KIND.read(claim, ChatReply(text="[10, 15, 20, 30]"), context)
    assert (parsed.kind, parsed.answer) == ("answer", "[40, 30, 80, 60]")


@pytest.mark.parametrize("order", ["x1, y1, x2, y2", "xmin, ymin, xmax, ymax", "left, top, right, bottom"])
def test_question_when_it_names_the_usual_order_of_corners_then_its_boxes_are_told_in_the_unit_of_the_model(
    session: Session, order: str
) -> None:
    put_boxes(session, f"Boxes are [{order}]. Is [192, 108, 384, 216] a car, 0 to 10 m from 2020 on?")
    text = asked(session, SIGHTED, msgspec.structs.replace(CHAT, boxes="thousandths")).text
    assert text.startswith(
        f"Boxes are [{order}]. Is [100, 100, 200, 200] a car, 0 to 10 m from 2020 on?\nBoxes in this question"
    )


def test_plan_when_boxes_are_told_in_another_unit_then_the_question_is_another_job(session: Session) -> None:
    write(session, created("medium", Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)))
    picture_file(session.media_root, "a.png")
    item = choice("yes", "no", media=("m1",))
    put(session, msgspec.structs.replace(item, question="Is it in the box [20, 15, 40, 30]?"))
    keys = {
        planned(session, SIGHTED, msgspec.structs.replace(CHAT, boxes=unit))[0].request_key
        for unit in ("pixels", "thousandths", "fractions")
    }
    assert len(keys) == 3


@pytest.mark.parametrize(
    ("changes", "ending"),
    [
        ({}, "Look.\n\nBox as JSON."),
        (
            {"boxes": "thousandths-yx"},
            (
                "Look.\n\nBox as JSON. Give coordinates in thousandths of the width and height of the image, "
                "0 to 1000, in the order [y1, x1, y2, x2]"
            ),
        ),
    ],
)
def test_box_when_the_prompt_is_ones_own_then_its_words_stay_and_the_unit_is_added(
    session: Session, changes, ending: str
) -> None:
    write(session, created("medium", Medium(id="m1", name="a.png", path="a.png", width_px=80, height_px=60)))
    picture_file(session.media_root, "a.png")
    put(session, open_question("bbox", "[20, 15, 40, 30]", media=("m1",)))
    phrase = {"blind": "", "sighted": "Look."}
    own = CustomPrompt(id="own", version="1", system=phrase, lead=phrase, answers={"bbox": "Box as JSON."})
    settings = EvalSettings(visual_input="sighted", prompt=own)
    model = msgspec.structs.replace(CHAT, **changes)
    assert asked(session, settings, model).text.endswith(ending)


def test_request_when_options_are_pictures_then_their_files_names_are_not_told(session: Session) -> None:
    names = ("school-1-UAV2.jpg", "bridge-1-UAV2.jpg", "river-1-UAV2.jpg", "works-1-UAV2.jpg")
    put(session, choice(*names, task_set="spatialuav", task="a2a_collaboration_recognition"))
    assert len(planned(session, EvalSettings(rotations=0), CHAT)) == 1
    request = asked(session, BLIND)
    assert "UAV2" not in request.text
    assert "A.\nB.\nC.\nD." in request.text
    assert request.options == ()
    with pytest.raises(UserError, match="no options as text"):
        planned(session, BLIND, PROBE)
    with pytest.raises(UserError, match="only items with options"):
        planned(session, BLIND, CHAT, PROBE)


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Which of these cannot be seen?"},
        {"answer_format": "span_set", "answer_key": '["a red car"]'},
        {"options": choice("a red bus", "two white vans", "nobody at all", "the long bridge").options},
    ],
)
def test_plan_when_the_item_is_another_then_its_key_is(session: Session, change: dict[str, object]) -> None:
    item = choice()
    put(session, item)
    (before,) = planned(session, BLIND, CHAT)
    write(session, *changed("item", item.id, **change))
    (after,) = planned(session, BLIND, CHAT)
    assert before.request_key != after.request_key


def test_plan_when_only_key_state_or_name_change_then_the_key_of_the_job_stays(session: Session) -> None:
    item = choice()
    put(session, item)
    (before,) = planned(session, BLIND, CHAT)
    write(session, *changed("item", item.id, answer_key="B", state="refined", name="other"))
    (after,) = planned(session, BLIND, CHAT)
    assert before.request_key == after.request_key


@pytest.mark.parametrize(
    "profile",
    [
        msgspec.structs.replace(CHAT, model="other"),
        msgspec.structs.replace(CHAT, revision="2"),
        msgspec.structs.replace(CHAT, base_url="http://127.0.0.1:2/v1"),
        msgspec.structs.replace(CHAT, max_tokens=5),
        msgspec.structs.replace(CHAT, temperature=0.5),
    ],
)
def test_plan_when_the_model_is_another_then_its_key_is(session: Session, profile: ModelProfile) -> None:
    put(session, choice())
    assert planned(session, BLIND, CHAT)[0].request_key != planned(session, BLIND, profile)[0].request_key


def test_plan_when_prompt_or_images_differ_then_so_does_the_key(session: Session) -> None:
    put(session, choice())
    own = msgspec.structs.replace(builtin_prompt(), version="2")
    keys = {
        planned(session, settings, CHAT)[0].request_key
        for settings in (
            BLIND,
            SIGHTED,
            EvalSettings(prompt=own),
            EvalSettings(visual_input="sighted", rendering="detected"),
        )
    }
    assert len(keys) == 4


def test_plan_when_two_samples_are_asked_of_a_model_that_varies_then_keys_differ(session: Session) -> None:
    put(session, open_question("clock", "2 o'clock"))
    warm = msgspec.structs.replace(CHAT, temperature=0.7)
    jobs = planned(session, EvalSettings(samples=3), warm)
    assert len({job.request_key for job in jobs}) == 3
    with pytest.raises(UserError, match="the same answer"):
        planned(session, EvalSettings(samples=3), CHAT)


def test_plan_when_sighted_then_media_marks_and_visuals_decide_the_key(session: Session) -> None:
    medium = Medium(id="m" * 32, name="a.png", sha256="ab" * 32)
    region = Region(id="e" * 32, medium=medium.id, number=1, box=Box(x1=1, y1=1, x2=9, y2=9))
    item = open_question("region_set", "Region 1", task="region_recognition", media=(medium.id,))
    write(session, created("medium", medium), created("item", item))
    keys = [planned(session, SIGHTED, CHAT)[0].request_key]
    write(session, created("region", region))
    keys.append(planned(session, SIGHTED, CHAT)[0].request_key)
    write(session, *changed("region", region.id, box=Box(x1=2, y1=1, x2=9, y2=9)))
    keys.append(planned(session, SIGHTED, CHAT)[0].request_key)
    write(session, *changed("medium", medium.id, sha256="cd" * 32))
    keys.append(planned(session, SIGHTED, CHAT)[0].request_key)
    small = msgspec.structs.replace(CHAT, visuals=VisualSettings(longest_px=64))
    keys.append(planned(session, SIGHTED, small)[0].request_key)
    assert len(set(keys)) == 5
    # What a region is called is hidden from models, so it decides nothing.
    write(session, *changed("region", region.id, category="car"))
    assert planned(session, SIGHTED, small)[0].request_key == keys[-1]


def test_plan_when_items_cannot_be_judged_then_leaves_them_out(session: Session) -> None:
    good = choice()
    put(
        session,
        good,
        choice(answer_key="Z"),
        choice(state="rejected"),
        choice(state="filtered"),
        open_question("free_text", "The drone rises."),
        open_question("trajectory", "0 0 0 0"),
    )
    assert [job.target for job in planned(session, BLIND, CHAT)] == [good.id]


def estimated(session: Session, settings: EvalSettings, *profiles: ModelProfile) -> Estimate:
    write_profiles(config_folder(), profiles)
    names = tuple(profile.name for profile in profiles)
    return session.runs.estimate(RunOrder(kind="blind", models=names, settings=settings.to_json())).result()


def test_estimate_when_items_cannot_be_asked_then_says_why_and_all_that_were_chosen_are_counted(
    session: Session,
) -> None:
    put(
        session,
        choice(),
        choice(answer_key="Z"),
        choice(answer_key=" "),
        choice(answer_key=""),
        open_question("free_text", "The drone rises."),
        choice(state="rejected"),
    )
    told = estimated(session, BLIND, CHAT)
    assert told.left_out == {
        str(ExclusionReason.NO_KEY): 2,
        str(ExclusionReason.BAD_KEY): 1,
        str(ExclusionReason.WORDS): 1,
    }
    assert (told.targets, told.targets + sum(told.left_out.values())) == (1, 5)
    run, planned_now = session.runs.start(
        RunOrder(kind="blind", models=(CHAT.name,), settings=BLIND.to_json())
    ).result()
    assert (planned_now.jobs, planned_now.left_out) == (1, told.left_out)
    assert session.reader.runs.progress(run.id).total == 1


def test_estimate_when_only_a_probe_is_asked_then_its_one_job_counts_each_item(session: Session) -> None:
    put(session, *(choice(name=f"Q_{n}") for n in range(3)), open_question("clock", "2 o'clock"))
    alone = estimated(session, BLIND, PROBE)
    assert (alone.jobs, alone.targets, alone.left_out) == (1, 3, {str(ExclusionReason.NO_OPTIONS): 1})
    # A chat model of the same run asks what the probe cannot.
    both = estimated(session, BLIND, CHAT, PROBE)
    assert (both.jobs, both.targets, both.left_out) == (5, 4, {})


def test_estimate_when_items_are_listed_then_those_that_are_gone_are_told(session: Session) -> None:
    item = choice(state="rejected")
    put(session, item)
    listed = EvalSettings(items=(item.id, "f" * 32, item.id, "e" * 32))
    told = estimated(session, listed, CHAT)
    assert (told.jobs, told.left_out) == (1, {str(ExclusionReason.GONE): 2})


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        (choice(state="rejected"), "The selection has no items"),
        (choice(answer_key=""), "1 skipped: no answer key."),
    ],
)
def test_plan_when_nothing_is_left_then_says_why(session: Session, item: Item, hint: str) -> None:
    put(session, item)
    with pytest.raises(UserError, match="no item to ask") as refused:
        planned(session, BLIND, CHAT)
    assert refused.value.hint.startswith(hint)


def test_plan_when_the_model_cannot_see_then_refuses_sighted_questions(session: Session) -> None:
    put(session, choice())
    with pytest.raises(UserError, match="does not answer questions with images"):
        planned(session, SIGHTED, ModelProfile(name="small", adapter="smollm"))


def test_plan_when_the_model_costs_then_reserves_more_than_the_question_can_take(session: Session) -> None:
    put(session, choice())
    dear = msgspec.structs.replace(CHAT, price_in=10.0, price_out=30.0, max_tokens=100)
    (job,) = planned(session, BLIND, dear)
    request = asked(session, BLIND, dear)
    letters = len(request.text) + len(request.system)
    assert job.worst_micro >= letters * 10 + 100 * 30
    assert job.worst_micro <= (letters + 2 * TOKENS_AROUND) * 10 + 100 * 30
    assert planned(session, BLIND, CHAT)[0].worst_micro == 0


@pytest.mark.parametrize("variant", [FrameOrder(order="reversed"), OneFrame(site="first")])
def test_plan_when_a_model_gets_one_frame_then_frames_and_their_order_cannot_be_taken_away(
    session: Session, variant: FrameOrder | OneFrame
) -> None:
    one = msgspec.structs.replace(CHAT, visuals=VisualSettings(frames=1))
    for profile, variants in ((one, (variant,)), (CHAT, (FrameCount(frames=1), variant))):
        settings = EvaluationSettings(visual_input="sighted", given=EvaluationInput(variants=variants))
        run = msgspec.structs.replace(a_run(settings, profile), kind="evaluation")
        with pytest.raises(UserError, match="gets one frame of a video"):
            list(KIND.plan(run, worker_context(session, profile), progress=Progress()))


@pytest.mark.parametrize("kind", ["video", "frames"])
def test_plan_when_an_item_has_a_video_or_a_folder_of_frames_then_each_frame_is_priced(
    session: Session, kind: MediaType
) -> None:
    still, video = (
        Medium(id=letter * 32, name=letter, media_type=told, width_px=1280, height_px=720)
        for letter, told in (("a", "image"), ("b", kind))
    )
    write(session, created("medium", still), created("medium", video))
    put(session, choice(media=(still.id,)), choice(media=(video.id,)))
    dear = msgspec.structs.replace(CHAT, price_in=10.0, visuals=VisualSettings(frames=20))
    one, many = (job.worst_micro for job in planned(session, SIGHTED, dear))
    assert many - one == 19 * (image_tokens(dear.model, 1280, 720) + LABEL_TOKENS) * 10


def test_request_when_an_unseen_video_is_longer_than_told_then_shows_no_more_than_was_priced(
    session: Session,
) -> None:
    session.media_root.mkdir(parents=True, exist_ok=True)
    made = make_video(session.media_root, name="f", recipe=Recipe(frames=50, size_px=(96, 64), gop=6))
    name = Path(made.path).name
    # Whoever entered it said half a second, and nobody has looked into it since.
    video = Medium(
        id="f" * 32, name=name, path=name, media_type="video", duration_s=0.5, width_px=96, height_px=64
    )
    write(session, created("medium", video))
    put(session, choice(media=(video.id,)))
    few = msgspec.structs.replace(CHAT, visuals=VisualSettings(frames=4, fps=7.0))
    assert len(asked(session, SIGHTED, few).pictures) == 4


def test_plan_when_ten_thousand_jobs_are_wanted_then_it_ends_soon(session: Session) -> None:
    put(session, *(choice(question=f"Which of these can be seen in picture {n}?") for n in range(500)))
    with soon():
        jobs = planned(
            session,
            EvalSettings(rotations=0),
            *(msgspec.structs.replace(CHAT, name=f"m{n}", model=f"m{n}") for n in range(5)),
        )
    assert len(jobs) == 10_000


def test_request_when_blind_then_has_question_options_in_order_and_the_form_of_the_answer(
    session: Session,
) -> None:
    put(session, choice())
    request = asked(session, EvalSettings(rotations=0), index=1)
    assert request.text.startswith("Which of these can be seen?\n\nA. two white vans\nB. nobody at all\n")
    assert "D. a red car" in request.text
    assert "letter of one option (A, B, C, D)" in request.text
    assert request.options == ("two white vans", "nobody at all", "the long bridge", "a red car")
    assert request.pictures == ()
    assert "not shown the pictures" in request.system


@pytest.mark.parametrize(
    ("answer_format", "key", "shape"),
    [
        ("region_set", "Region 3, 4", "Region 3, 4"),
        ("region_label", "Region 3", "Region 3"),
        ("clock", "2 o'clock", "2 o'clock"),
        ("direction_label", "Direction 3", "Direction 3"),
        ("pair_list", "3-15, 4-5", "3-15, 4-5"),
        ("bbox", "[1, 2, 3, 4]", "[x1, y1, x2, y2]"),
        ("angle", "88.0 degrees", "88.0 degrees"),
        ("angle_distance", "88.0 degrees, 12.0 meters", "88.0 degrees, 12.0 meters"),
        ("free_text", "The drone rises.", "paragraph"),
        ("instruction_text", "Go up.", "sub-instruction"),
    ],
)
def test_request_when_the_format_has_no_options_then_tells_its_form(
    session: Session, answer_format: str, key: str, shape: str
) -> None:
    put(session, open_question(answer_format, key))
    request = asked(session, EvalSettings(formats=(answer_format,)))
    assert shape in request.text
    assert request.options == ()


def test_request_when_the_item_was_changed_then_is_refused(session: Session) -> None:
    item = choice()
    put(session, item)
    (job,) = planned(session, BLIND, CHAT)
    run = a_run(BLIND, CHAT)
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, [job], progress=Progress())
    queue.close()
    write(session, *changed("item", item.id, question="Another question?"))
    with pytest.raises(UserError, match="changed since"):
        KIND.request(claim_of(job, run=run.id), worker_context(session, CHAT))


def test_request_when_sighted_then_shows_pictures_with_labels_and_marks(session: Session) -> None:
    media = []
    for view, colour in (("one", (200, 30, 30)), ("two", (30, 30, 200))):
        path = picture_file(session.media_root, f"{view}.png", colour=colour)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        media.append(Medium(id=view * 8, name=f"{view}.png", path=f"{view}.png", sha256=sha256))
    region = Region(id="e" * 32, medium=media[1].id, number=1, box=Box(x1=10, y1=10, x2=50, y2=50))
    item = open_question(
        "pair_list", "1-1", task="a2a_shared_association", media=tuple(medium.id for medium in media)
    )
    write(session, *(created("medium", medium) for medium in media), created("region", region))
    write(session, created("item", item))
    png = msgspec.structs.replace(CHAT, visuals=VisualSettings(coding="png", longest_px=40))
    request = asked(session, SIGHTED, png)
    assert [picture.label for picture in request.pictures] == ["Image 1", "Image 2"]
    first, second = (_pixels(picture.data) for picture in request.pictures)
    assert first.shape == second.shape == (30, 40, 3)
    assert len(set(map(tuple, first.reshape(-1, 3).tolist()))) == 1
    assert len(set(map(tuple, second.reshape(-1, 3).tolist()))) > 1
    clean = asked(session, EvalSettings(visual_input="sighted", rendering="clean"), png)
    assert len(set(map(tuple, _pixels(clean.pictures[1].data).reshape(-1, 3).tolist()))) == 1


def test_label_when_a_view_has_a_name_then_says_place_and_name_and_decides_the_key(session: Session) -> None:
    media = []
    for name in ("one", "two"):
        picture_file(session.media_root, f"{name}.png")
        media.append(Medium(id=name * 8, name=f"{name}.png", path=f"{name}.png"))
    views = tuple(
        SceneView(medium=medium.id, name=name) for medium, name in zip(media, ("UAV1", ""), strict=True)
    )
    scene = Scene(id="s" * 32, name="s1", views=views)
    item = choice(media=tuple(medium.id for medium in media), scene=scene.id)
    write(session, *(created("medium", medium) for medium in media), created("scene", scene))
    put(session, item)
    request = asked(session, SIGHTED)
    assert [picture.label for picture in request.pictures] == ["Image 1 (UAV1)", "Image 2"]
    before = planned(session, SIGHTED, CHAT)[0].request_key
    renamed = (msgspec.structs.replace(views[0], name="UAV7"), views[1])
    write(session, *changed("scene", scene.id, views=renamed))
    assert planned(session, SIGHTED, CHAT)[0].request_key != before


def test_request_when_regions_have_category_source_and_score_then_no_word_or_pixel_tells_them(
    session: Session,
) -> None:
    path = picture_file(session.media_root, "one.png")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    medium = Medium(id="o" * 32, name="one.png", path="one.png", sha256=sha256)
    plain = Region(id="e" * 32, medium=medium.id, number=1, box=Box(x1=10, y1=10, x2=50, y2=50))
    item = open_question("region_label", "Region 1", task="region_recognition", media=(medium.id,))
    write(session, created("medium", medium), created("region", plain), created("item", item))
    before = asked(session, SIGHTED, CHAT)
    hidden = {"category": "zebra van", "made_by": "zebra-detector", "score": 0.37, "track": "zebra 7"}
    write(session, *changed("region", plain.id, **hidden))
    after = asked(session, SIGHTED, CHAT)
    assert after == before
    assert "zebra" not in repr(after)


def test_request_when_a_picture_is_not_here_then_says_which(session: Session) -> None:
    session.media_root.mkdir()
    medium = Medium(id="m" * 32, name="gone.png", path="gone.png", sha256="ab" * 32)
    write(session, created("medium", medium), created("item", choice(media=(medium.id,))))
    with pytest.raises(UserError, match=r"gone\.png is missing"):
        asked(session, SIGHTED)


@pytest.mark.parametrize(
    ("order", "text", "answer"),
    [("ABCD", "B", "B"), ("CDAB", "B", "D"), ("CDAB", "The answer is (C).", "A"), ("BCDA", "a red car", "A")],
)
def test_read_when_options_were_turned_then_is_in_the_items_own_letters(
    session: Session, order: str, text: str, answer: str
) -> None:
    put(session, choice())
    jobs = {job.spec["order"]: job for job in planned(session, EvalSettings(rotations=0), CHAT)}
    read = KIND.read(claim_of(jobs[order]), ChatReply(text=text), worker_context(session, CHAT))
    assert (read.kind, read.answer) == ("answer", answer)


def test_read_when_the_model_ranks_then_scores_come_in_the_items_order(session: Session) -> None:
    put(session, choice())
    jobs = {job.spec["order"]: job for job in planned(session, EvalSettings(rotations=0), CHAT)}
    reply = ChatReply(text="", option_scores=(-3.0, -0.5, -2.0, -1.0))
    read = KIND.read(claim_of(jobs["CDAB"]), reply, worker_context(session, CHAT))
    assert (read.kind, read.answer) == ("answer", "D")
    assert read.scores == (-2.0, -1.0, -3.0, -0.5)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ChatReply(text="  "), "empty"),
        (ChatReply(text="I cannot see the picture."), "unparsed"),
        (ChatReply(text="A or B"), "unparsed"),
        (ChatReply(text="", option_scores=(-1.0, -1.0, -2.0, -2.0)), "unparsed"),
        (ChatReply(text="", option_scores=(-1.0, -2.0)), "unparsed"),
        (ChatReply(text="", option_scores=(float("nan"), -1.0, -2.0, -3.0)), "unparsed"),
    ],
)
def test_read_when_there_is_no_single_answer_then_is_of_its_own_kind(
    session: Session, reply: ChatReply, kind: str
) -> None:
    put(session, choice())
    (job,) = planned(session, BLIND, CHAT)
    read = KIND.read(claim_of(job), reply, worker_context(session, CHAT))
    assert read.kind == kind
    assert read.answer == ""
    assert read.message


def test_read_when_several_spans_are_named_by_turned_letters_then_gives_their_texts(session: Session) -> None:
    put(session, choice(answer_format="span_set", answer_key='["a red car"]'))
    jobs = {job.spec["order"]: job for job in planned(session, EvalSettings(rotations=0), CHAT)}
    read = KIND.read(claim_of(jobs["CDAB"]), ChatReply(text="A, C"), worker_context(session, CHAT))
    assert read.answer == '["a red car", "nobody at all"]'


def test_read_prompt_when_it_is_a_file_of_ones_own_then_its_words_are_asked(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'id = "own"\nversion = "3"\n[system]\nblind = "Sys."\nsighted = ""\n'
        '[lead]\nblind = "Guess."\nsighted = ""\n[answers]\noption_letter = "One of {letters}."\n',
        encoding="utf-8",
    )
    own = read_prompt(file)
    assert isinstance(own, CustomPrompt)
    put(session, choice("yes", "no"))
    request = asked(session, EvalSettings(prompt=own))
    assert request.text.endswith("A. yes\nB. no\n\nGuess.\n\nOne of A, B.")
    assert request.system == "Sys."
    assert planned(session, EvalSettings(prompt=own), CHAT)[0].spec["prompt"] == "own 3"


@pytest.mark.parametrize(
    "content", ["id = 3", "nonsense", 'id = "x"\nversion = "1"\n[system]\n[lead]\n[answers]\n']
)
def test_read_prompt_when_it_is_none_then_says_so(tmp_path: Path, content: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UserError):
        read_prompt(file)


def test_read_prompt_when_there_is_no_file_then_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no prompt"):
        read_prompt(tmp_path / "none.toml")


def test_request_when_a_picture_was_changed_on_disk_then_is_not_asked_about(session: Session) -> None:
    path = picture_file(session.media_root, "a.png")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    medium = Medium(id="1" * 32, name="a.png", path="a.png", sha256=sha256)
    write(session, created("medium", medium))
    put(session, choice(media=(medium.id,)))
    assert asked(session, SIGHTED).pictures
    picture_file(session.media_root, "a.png", colour=(1, 2, 3))
    with pytest.raises(UserError, match=r"the file of a\.png has changed since the file was added"):
        asked(session, SIGHTED)
    # Without its pictures it can be asked about as before.
    assert not asked(session, BLIND).pictures


@pytest.mark.parametrize(("stated", "is_refused"), [((8, 6), True), ((80, 60), False), ((60, 80), False)])
def test_request_when_the_project_states_a_smaller_image_than_there_is_then_no_limit_is_passed(
    session: Session, stated: tuple[int, int], is_refused: bool
) -> None:
    picture_file(session.media_root, "a.png")
    width, height = stated
    medium = Medium(id="1" * 32, name="a.png", path="a.png", width_px=width, height_px=height)
    write(session, created("medium", medium))
    put(session, choice(media=(medium.id,)))
    # Billed by patches of 28 pixels, without a least number of them.
    free = msgspec.structs.replace(CHAT, model="claude-opus-4-8")
    paid = msgspec.structs.replace(free, price_in=1.0, price_out=1.0)
    assert asked(session, SIGHTED, free).pictures
    if not is_refused:
        assert asked(session, SIGHTED, paid).pictures
        return
    with pytest.raises(UserError, match=r"a\.png has 80 x 60 pixels, more than the project states"):
        asked(session, SIGHTED, paid)


def _pixels(data: bytes):  # type: ignore[no-untyped-def]
    import numpy as np
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
