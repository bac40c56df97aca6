from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import cv2
import numpy as np

from annotator.commands.imports import ImportFiles
from annotator.domain.medium import Medium
from annotator.importing.embedded_images import write_embedded_images
from annotator.progress import Progress
from annotator.session import Session


def table(path: Path, pictures: list[bytes]) -> Path:
    head = "index\tcategory\timage\tquestion\tA\tB\tanswer\n"
    rows = [
        f"{n}\tProximity\t{base64.b64encode(data).decode()}\tHow far is it?\tnear\tfar\tA\n"
        for n, data in enumerate(pictures)
    ]
    path.write_text(head + "".join(rows), encoding="utf-8")
    return path


def picture(value: int) -> bytes:
    return cv2.imencode(".png", np.full((4, 6, 3), value, np.uint8))[1].tobytes()


def test_pictures_when_written_then_each_medium_of_the_table_has_its_file(tmp_path: Path) -> None:
    pictures = [picture(10), picture(90), picture(10)]
    with Session.create(tmp_path / "p.vantage") as session:
        command = ImportFiles(paths=(table(tmp_path / "set.tsv", pictures),))
        session.execute(command).result()
        assert command.report.added == 3
        assert write_embedded_images(command, roots=session.roots, progress=Progress()) == 2
        media = list(session.reader.records(Medium))
        found = {
            hashlib.sha256((session.media_root / medium.path).read_bytes()).hexdigest() for medium in media
        }
        assert found == {hashlib.sha256(data).hexdigest() for data in pictures}
        assert write_embedded_images(command, roots=session.roots, progress=Progress()) == 0


def test_pictures_when_the_files_hold_none_then_no_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "video_list.json"
    path.write_text('[{"video_name": "a.mp4", "destination": "the church"}]')
    with Session.create(tmp_path / "p.vantage") as session:
        command = ImportFiles(paths=(path,))
        session.execute(command).result()
        assert write_embedded_images(command, roots=session.roots, progress=Progress()) == 0
        assert not session.media_root.exists()
