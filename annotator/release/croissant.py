"""Croissant metadata of a data set of JSON lines, with the properties of responsible AI.

Source: MLCommons, "Croissant Format Specification" 1.0 and "Croissant RAI Specification" 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CONFORMS_TO = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
_NAMES = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet",
    "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
    "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
    "transform",
)  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _NAMES},
}


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file of JSON lines.

    Attributes:
        config: Name of its records.
        path: Path in the data set, with "/".
        bytes: Size of the file.
        sha256: Hex digest of its content.
    """

    config: str
    path: str
    bytes: int
    sha256: str


def croissant_of(
    files: Sequence[DataFile],
    *,
    name: str,
    description: str,
    licences: Sequence[str],
    fields: Mapping[str, str],
    lists: Sequence[str],
    rai: Mapping[str, str],
) -> dict[str, Any]:
    """Return the metadata as JSON-LD.

    Args:
        files: The files.
        name: Name of the data set.
        description: What it contains.
        licences: Licences of its media.
        fields: Meaning of each field of a record.
        lists: Fields that hold several values.
        rai: Properties of the RAI vocabulary without its prefix.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": name,
        "description": description,
        "license": list(licences),
        "isLiveDataset": False,
        **{f"rai:{key}": text for key, text in rai.items()},
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(file, fields=fields, lists=lists) for file in files],
    }


def _file_object(file: DataFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": "application/jsonlines",
        "sha256": file.sha256,
    }


def _record_set(file: DataFile, *, fields: Mapping[str, str], lists: Sequence[str]) -> dict[str, Any]:
    described = [
        {
            "@type": "cr:Field",
            "@id": f"{file.config}/{name}",
            "name": name,
            "description": meaning,
            "dataType": "sc:Text",
            **({"repeated": True} if name in lists else {}),
            "source": {"fileObject": {"@id": file.path}, "extract": {"column": name}},
        }
        for name, meaning in fields.items()
    ]
    return {"@type": "cr:RecordSet", "@id": file.config, "name": file.config, "field": described}
