"""The form of a Hugging Face data set: JSON lines per task set, a card, Croissant metadata, lmms-eval tasks.

Source: Hugging Face, "Dataset Cards" and "Manual configuration"; lmms-eval, "Task Guide".
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from annotator.domain.item import Item
from annotator.release.card import SENSITIVE
from annotator.release.croissant import DataFile, croissant_of
from annotator.release.document import DocumentTable, present, table_of_counts
from annotator.release.exporter import CardPart, ItemExporter
from annotator.release.json_sheet import file_stem
from annotator.release.question_records import FIELDS, prompt_of, record_of, record_refusal
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFile, ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

CROISSANT, TASKS = "croissant.json", "lmms_eval"
PROMPT = "prompt"
DESCRIBED = {**FIELDS, PROMPT: "What a model is asked: question, options and the form of the answer"}
LISTS = ("options", "images", "videos", "views")
LICENCES = frozenset({"mit", "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "apache-2.0"})
"""Licences that Hugging Face knows by the name that sources state, in lower case."""
# The names of ``size_categories`` in the card of the hub.
SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
)
USE = "Evaluation of multimodal models with questions about images and videos of unmanned aerial vehicles."
UTILITIES = '''\
"""Functions of the lmms-eval tasks of this data set. MEDIA_ROOT is the folder of the images and videos."""

import os
from pathlib import Path

from PIL import Image


def doc_to_visual(doc):
    root = Path(os.environ.get("MEDIA_ROOT", "."))
    images = [Image.open(root / path).convert("RGB") for path in doc["images"]]
    return images + [str(root / path) for path in doc["videos"]]
'''


class HuggingFaceExporter(ItemExporter):
    """Questions as a data set that Hugging Face's libraries and lmms-eval load."""

    id = "huggingface"
    title = "Hugging Face data set with lmms-eval tasks"
    files = (
        "data/SET.jsonl per task set, croissant.json with RAI metadata, lmms_eval/SET.yaml and utils.py; "
        "README.md has what Hugging Face reads of a card"
    )
    limits = "Contains items with an answer key in a known format, media of one kind, and options from A on."
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> CardPart | None:
        """Write the records, and from what they have the metadata and the format's part of the card."""
        tables: dict[str, _Lines] = {}
        figures = _Figures()
        for item in members:
            config = file_stem(item.task_set)
            if config not in tables:
                tables[config] = _Lines(folder.file(f"data/{config}.jsonl"))
            row = {**record_of(item, lookup=members.lookup), PROMPT: prompt_of(item)}
            tables[config].add(row)
            figures.add(item, lookup=members.lookup)
        if not tables:
            return None
        files = [tables[config].described(config) for config in sorted(tables)]
        folder.file(CROISSANT).write(_pretty(metadata_of(figures, files=files)))
        for config in tables:
            folder.file(f"{TASKS}/{config}.yaml").write(task_text(config).encode())
        folder.file(f"{TASKS}/utils.py").write(UTILITIES.encode())
        return card_of(figures, configs=sorted(tables))

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        return record_refusal(record, lookup=lookup)


class _Lines:
    """A file of JSON lines, hashed for the metadata while it is written."""

    def __init__(self, file: ReleaseFile) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def add(self, row: Mapping[str, Any]) -> None:
        line = msgspec.json.encode(row) + b"\n"
        self._hash.update(line)
        self._file.write(line, records=1)

    def described(self, config: str) -> DataFile:
        path = f"data/{config}.jsonl"
        return DataFile(config=config, path=path, bytes=self._file.bytes, sha256=self._hash.hexdigest())


class _Figures:
    """What the card says in numbers, counted from the members."""

    def __init__(self) -> None:
        self.items = 0
        self.formats: Counter[str] = Counter()
        self.origins: Counter[str] = Counter()
        self._media: dict[str, str] = {}

    def add(self, item: Item, *, lookup: RecordLookup) -> None:
        self.items += 1
        self.formats[item.answer_format] += 1
        self.origins[item.provenance.made_by] += 1
        self._media |= {medium.id: medium.licence for medium in lookup.media_of(item) or ()}

    @property
    def media(self) -> int:
        return len(self._media)

    @property
    def licences(self) -> Counter[str]:
        return Counter(self._media.values())

    @property
    def licence_id(self) -> str:
        """Id of the one licence of all media, otherwise ``other`` or ``unknown``."""
        stated = {name.strip().casefold() for name in self.licences}
        if stated <= {""}:
            return "unknown"
        return next(iter(stated)) if len(stated) == 1 and stated <= LICENCES else "other"


def card_of(figures: _Figures, *, configs: Sequence[str]) -> CardPart:
    """Return the format's part of the card: YAML for the hub, figures of the items, and the fields."""
    size = next((name for most, name in SIZES if figures.items < most), "100M<n<1B")
    lines = [
        "---",
        f"license: {figures.licence_id}",
        "task_categories:\n- visual-question-answering",
        f"size_categories:\n- {size}",
        "configs:",
    ]
    for config in configs:
        # A string of JSON is one of YAML as well, whatever characters it has.
        lines.append(f"- config_name: {json.dumps(config)}")
        lines.append(f"  data_files:\n  - split: test\n    path: {json.dumps(f'data/{config}.jsonl')}")
    lines += ["dataset_info:", *map(_schema, configs)]
    formats, origins = (dict(sorted(found.items())) for found in (figures.formats, figures.origins))
    fields = DocumentTable(title="", head=("Field", "meaning"), rows=tuple(DESCRIBED.items()))
    return CardPart(
        front_matter="\n".join([*lines, "---", "", ""]),
        lead=(f"{figures.items:,} items about {figures.media:,} media files. {USE}",),
        tables=present(
            table_of_counts("", formats, head=("Answer format", "items")),
            table_of_counts("", origins, head=("Origin of the item", "items")),
            fields,
        ),
    )


def _schema(config: str) -> str:
    """Return the types of a configuration; readers cannot infer that of a list that is always empty."""
    types = (
        f"  - name: {name}\n    {'sequence' if name in LISTS else 'dtype'}: string" for name in DESCRIBED
    )
    return "\n".join((f"- config_name: {json.dumps(config)}\n  features:", *types))


def metadata_of(figures: _Figures, *, files: list[DataFile]) -> dict[str, Any]:
    """Return the Croissant metadata, with what the release itself knows of responsible AI."""
    origins = ", ".join(f"{name} {n:,}" for name, n in sorted(figures.origins.items()))
    return croissant_of(
        files,
        name="-".join(file.config for file in files),
        description=f"{figures.items:,} questions about {figures.media:,} images and videos of UAVs",
        licences=[name or "not stated" for name in sorted(figures.licences)],
        fields=DESCRIBED,
        lists=LISTS,
        rai={
            "dataAnnotationPlatform": "Vantage",
            "dataAnnotationProtocol": f"Number of items by origin: {origins}",
            "dataUseCases": USE,
            "personalSensitiveInformation": SENSITIVE,
        },
    )


def task_text(config: str) -> str:
    """Return the lmms-eval task of a configuration."""
    path = json.dumps(f"../data/{config}.jsonl")
    return f"""\
task: {json.dumps(f"vantage_{config}")}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {path}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: {PROMPT}
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 256
  temperature: 0
  do_sample: false
metric_list:
- metric: exact_match
  aggregation: mean
  higher_is_better: true
  ignore_case: true
  ignore_punctuation: true
metadata:
  version: 1
"""


def _pretty(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
