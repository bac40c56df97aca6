"""Reading of small files for the tests of readers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.importers import registry
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from tests.unit.importers.reading import Outcome, Read, outcome


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Give a function that writes a content to a file and reads it with the reader found, or one named."""

    def read_content(
        content: str | bytes | object, *, name: str = "file.json", format_id: str = "", **context: Any
    ) -> Outcome:
        if not isinstance(content, str | bytes):
            content = json.dumps(content, ensure_ascii=False, indent=1)
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        file = InputFile.open(path)
        reader = registry.get(format_id) if format_id else registry.detect(file)
        return outcome(reader.id, reader.read(file, context=ImportContext(**context)))

    return read_content


@pytest.fixture
def label_record() -> Callable[..., dict[str, Any]]:
    """Give a function that makes an annotation record without contradictions; None takes a field out."""

    def make(**fields: Any) -> dict[str, Any]:
        record = {
            "img1": "23-00000001-UAV1.jpg",
            "id": 1,
            "Quality": "Good (4/5) - Mostly clear, minor noise or distortion.",
            "Usibility": "1 (Available)",
            "Object_type": "Vehicles",
            "Collaboration_when": "0 (No)",
            "Object_count": "7",
            "Collaboration_who": "None",
            "annotation_id": 1,
            "annotator": 1,
            "created_at": "2025-06-24T06:17:08.956105Z",
            "updated_at": "2025-06-24T06:17:08.956105Z",
            "lead_time": 12.5,
        }
        return {name: value for name, value in {**record, **fields}.items() if value is not None}

    return make
