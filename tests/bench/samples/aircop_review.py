"""A workbook in the shape of AirCopBench's review sheet."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

from annotator.importers.aircop_review import FIELDS
from tests.bench.samples import words

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# Source: ECMA-376, the least that a workbook needs.
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}">'
    '<sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def write(path: Path, *, records: int, seed: int) -> None:
    """Write a sheet of questions; a reviewer found every tenth wrong."""
    rng = random.Random(seed)
    rows = [list(FIELDS), *(_row(number, rng) for number in range(records))]
    sheet = "".join(f'<row r="{line}">{_cells(row, line)}</row>' for line, row in enumerate(rows, start=1))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, _HEAD + text)
        page = f'<worksheet xmlns="{_MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
        archive.writestr("xl/worksheets/sheet1.xml", _HEAD + page)


def _row(number: int, rng: random.Random) -> list[str]:
    name = f"{number // 1000:02d}-{number:08d}"
    pictures = "\n".join(f"UAV{view}: Real_2_UAVs/Samples/UAV{view}/{name}-UAV{view}.jpg" for view in (1, 2))
    options = zip("ABCD", words.options(rng, count=4), strict=True)
    review = ["是", "答案错误"] if number % 10 == 0 else ["", ""]
    asked = [words.question(rng), pictures, "\n".join(f"{letter}: {text}" for letter, text in options)]
    return [f"MDMT_OC_UAV1_{number}", "2.2 Object Counting (UAV1)", *asked, rng.choice("ABCD"), *review]


def _cells(texts: list[str], line: int) -> str:
    return "".join(
        f'<c r="{column}{line}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
        for column, text in zip("ABCDEFGH", texts, strict=True)
        if text
    )
