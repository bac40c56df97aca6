from __future__ import annotations

from pathlib import Path

from annotator.domain.event import CREATED
from annotator.importers.imported_record import ImportedScene
from annotator.importers.media_resolver import MediaResolver
from annotator.session import Session


def test_facts_when_their_scene_is_about_to_be_made_then_it_is_made_with_them(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        resolver = MediaResolver(session.reader)
        scene = resolver.scene(ImportedScene(name="clip"), dataset="d")
        assert resolver.add_facts(scene, facts={"goal": "roof"}) == (True, [])
        (made,) = resolver.take_edits()
        assert (made.entity_id, made.field, made.value.metadata) == (scene, CREATED, {"goal": "roof"})
        is_new, differing = resolver.add_facts(scene, facts={"goal": "door", "wind": 3})
        assert (is_new, [flag.kind for flag in differing]) == (True, ["fact_differs"])
        (changed,) = resolver.take_edits()
        assert (changed.entity_id, changed.field) == (scene, "metadata")
        assert changed.value == {"goal": "roof", "wind": 3}
