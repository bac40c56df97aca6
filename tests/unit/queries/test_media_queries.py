"""Lists of media, and the state of the work, against a naive reading of the same records."""

from __future__ import annotations

from collections import Counter

from annotator.domain.flag import Flag
from annotator.domain.media_health import health_of
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.unit.store.making import (
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    problems,
    removed,
    write,
)

SEEN = "a" * 64


def fill(session: Session) -> list[Medium]:
    media = [
        a_medium(name="north 01.jpg", dataset="north", sha256=SEEN, size_bytes=100, licence="CC BY 4.0"),
        a_medium(name="north 02.jpg", dataset="north", sha256=SEEN, size_bytes=250),
        a_medium(name="clip.mp4", dataset="south", media_type="video"),
        a_medium(name="停车场.jpg", dataset="", sha256=SEEN, size_bytes=7, source="s1"),
    ]
    flag = a_flag(media[1].id, entity="medium", kind="medium_missing")
    write(session, *(created("medium", medium) for medium in media), created("flag", flag))
    write(session, created("scene", a_scene(media[0].id, media[1].id, name="gate")))
    return media


def test_media_when_listed_then_tell_health_scene_and_source(session: Session) -> None:
    media = fill(session)
    rows = session.reader.media.page(MediumQuery())
    assert [row.id for row in rows] == [medium.id for medium in media]
    assert [row.health for row in rows] == ["found", "missing", "unseen", "found"]
    assert [row.scene for row in rows] == ["gate", "gate", "", ""]
    assert [row.source for row in rows] == ["", "", "", "s1"]
    assert session.reader.media.page(MediumQuery(), after=rows[1].n, limit=1) == rows[2:3]


def test_videos_when_listed_with_their_scene_or_alone_then_tell_their_length(session: Session) -> None:
    video = a_medium(name="clip.mp4", media_type="video", duration_s=14.5, frames=362)
    still = a_medium(name="a.jpg")
    write(session, created("medium", video), created("medium", still))
    write(session, created("scene", a_scene(video.id, still.id, name="gate")))
    (scene,) = session.reader.scenes.page(SceneQuery())
    rows = session.reader.media.page(MediumQuery())
    for shown in (scene.shown, [row.shown[0] for row in rows]):
        assert [(one.duration_s, one.frames) for one in shown] == [(14.5, 362), (0.0, 0)]


def test_media_when_filtered_then_pages_counts_and_numbers_agree(session: Session) -> None:
    fill(session)
    queries = {
        MediumQuery(datasets=("north",)): 2,
        MediumQuery(datasets=("",)): 1,
        MediumQuery(media_types=("video",)): 1,
        MediumQuery(healths=("missing", "unseen")): 2,
        MediumQuery(licences=("",)): 3,
        MediumQuery(text="north"): 2,
        MediumQuery(text="停车"): 1,
        MediumQuery(text="停", healths=("missing",)): 0,
        MediumQuery(text="north", healths=("missing",)): 1,
    }
    for query, count in queries.items():
        assert session.reader.media.count(query) == count
        assert len(session.reader.media.numbers(query)) == count
        assert len(session.reader.media.page(query)) == count


def test_facets_of_media_when_filtered_then_each_counts_under_the_others(session: Session) -> None:
    fill(session)
    facets = session.reader.media.facets(MediumQuery(datasets=("north",)))
    assert {count.value: count.count for count in facets["dataset"]} == {"": 1, "north": 2, "south": 1}
    assert {count.value: count.count for count in facets["health"]} == {"found": 1, "missing": 1}
    assert {count.value: count.count for count in facets["licence"]} == {"": 1, "CC BY 4.0": 1}


def test_media_totals_when_files_change_then_are_the_sums_of_the_records(session: Session) -> None:
    media = fill(session)
    write(session, *changed("medium", media[1].id, size_bytes=1000, licence="MIT"))
    write(session, removed("medium", media[0].id))
    write(session, *changed("medium", media[2].id, sha256=SEEN, size_bytes=5))
    sums: Counter[tuple[str, str]] = Counter()
    for total in session.reader.media.totals():
        sums[total.dataset, total.media_type] += total.size_bytes
    known = list(session.reader.records(Medium))
    naive: Counter[tuple[str, str]] = Counter()
    for medium in known:
        naive[medium.dataset, medium.media_type] += medium.size_bytes
    assert sums == naive
    assert sum(total.media for total in session.reader.media.totals()) == len(known) == 3
    assert problems(session.path) == []


def test_health_when_the_flag_is_decided_then_is_that_of_the_file_again(session: Session) -> None:
    fill(session)
    flag = next(session.reader.find(Flag, kind="medium_missing"))
    assert session.reader.scenes.count(SceneQuery(healths=("missing",))) == 1
    write(session, *changed("flag", flag.id, state="resolved"))
    assert session.reader.media.count(MediumQuery(healths=("missing",))) == 0
    assert session.reader.scenes.count(SceneQuery(healths=("found",))) == 1


def test_health_of_several_flags_then_is_the_worst() -> None:
    assert health_of(sha256=SEEN, flags=["medium_missing", "doubt", "medium_damaged"]) == "damaged"
    assert health_of(sha256="", flags=["doubt"]) == "unseen"


def test_progress_when_asked_then_equals_the_facets(session: Session) -> None:
    media = fill(session)
    scene = next(session.reader.records(Scene))
    items = [
        an_item(scene=scene.id, task="object_counting", state=state)
        for state in ("drafted", "accepted", "rejected")
    ]
    other = an_item(task="quality", state="filtered")
    label = a_label(scene=scene.id, medium=media[0].id)
    write(session, *(created("item", item) for item in (*items, other)), created("event_label", label))
    reader = session.reader
    tasks = {task.task: task.states for task in reader.progress.tasks()}
    assert tasks == {
        "object_counting": {"drafted": 1, "accepted": 1, "rejected": 1},
        "quality": {"filtered": 1},
    }
    for task, states in tasks.items():
        for state, count in states.items():
            assert reader.items.count(ItemQuery(tasks=(task,), states=(state,))) == count
    (dataset,) = reader.progress.datasets()
    assert (
        dataset.stages == {"in_work": reader.scenes.count(SceneQuery(stages=("in_work",)))} == {"in_work": 1}
    )
    assert (dataset.views, dataset.labelled, dataset.items, dataset.settled) == (2, 1, 3, 2)
    assert reader.progress.scene_states(scene.id) == {"drafted": 1, "accepted": 1, "rejected": 1}
    write(session, *changed("item", items[0].id, state="accepted"))
    assert reader.scenes.count(SceneQuery(stages=("done",))) == 1
    session.undo().result()
    assert reader.scenes.count(SceneQuery(stages=("in_work",))) == 1
    assert problems(session.path) == []
