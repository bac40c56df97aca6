from __future__ import annotations

from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.input_file import InputFile


def opened(tmp_path: Path, text: str) -> InputFile:
    (tmp_path / "file").write_text(text)
    return InputFile.open(tmp_path / "file")


def test_readers_when_listed_then_those_of_the_folder_sorted_by_id() -> None:
    ids = list(registry.IMPORTERS)
    assert ids == sorted(ids)
    assert {"aircop-labels", "aircop-questions", "spatialuav", "urbanvideo", "native"} <= set(ids)
    assert all(registry.get(name).id == name and registry.get(name).title for name in ids)


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        ('[{"img1": "a", "Quality": NaN', "aircop-labels"),
        ('[{"img1": "a.jpg", "annotation_id": 3}]', "aircop-labels"),
        ('{"results": [{"question_type": "x"}]}', "aircop-questions"),
        ('{"id": "x", "conversations": [], "GT": "A"}', "spatialuav"),
        ('\n [{"GT": "A", "conversations": []}]', "spatialuav"),
        (",Question_id,video_id,question_category,question,answer\n", "urbanvideo"),
        ("video_name;movements;question_category;question;extracted_answer", "urbanvideo"),
        ('{"entity":"event_label","record":{"id":"x","original":{"img1":"a","Quality":"Good"}}}', "native"),
    ],
)
def test_format_when_content_shows_it_then_found(tmp_path: Path, text: str, format_id: str) -> None:
    assert registry.detect(opened(tmp_path, text)).id == format_id


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("hello", "aircop-review"),
        ('{"img1": "a"}', "aircop-labels"),
        ('{"image_id": 1, "bbox": [], "categories": 7}', "coco"),
        ('[{"from_name": "a", "to_name": "b", "value": {}}]', "label-studio"),
        ('<?xml version="1.0"?><labels><image name="a"><box xtl="1"/></image></labels>', "cvat"),
        ("question,answer\n1,2\n", "urbanvideo"),
        ("index\tquestion\timage_path\n1\t2\t3\n", "vlmevalkit"),
        ("\0\1\2", "aircop-review"),
    ],
)
def test_format_when_content_shows_none_then_the_three_most_similar_and_an_own_table_are_named(
    tmp_path: Path, text: str, first: str
) -> None:
    with pytest.raises(registry.UnknownFormatError, match="has no supported format") as caught:
        registry.detect(opened(tmp_path, text))
    similar = caught.value.similar
    assert similar[0].id == first
    assert len(similar) <= 3
    assert all(reader.title in caught.value.hint for reader in similar)
    assert registry.IMPORTERS["table"].title in caught.value.hint
    assert registry.IMPORTERS["airsim"].title not in caught.value.hint


@pytest.mark.parametrize("text", ["", " \n", "\ufeff\r\n", "\0\0\0"])
def test_format_when_the_file_is_empty_then_it_is_told_as_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match="is empty"):
        registry.detect(opened(tmp_path, text))


@pytest.mark.parametrize("text", ["[]", "{}", " [] "])
def test_format_when_there_is_no_record_then_it_is_told_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match="contains no records"):
        registry.detect(opened(tmp_path, text))


def test_format_when_content_shows_two_then_the_user_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="several formats: aircop-labels, aircop-questions"):
        registry.detect(opened(tmp_path, '[{"img1": 1, "Quality": 2, "question_type": 3}]'))


def test_format_when_id_is_unknown_then_refused_with_what_is_known() -> None:
    with pytest.raises(UserError, match="Unknown format 'nothing'") as caught:
        registry.get("nothing")
    assert "urbanvideo" in caught.value.hint
