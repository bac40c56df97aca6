"""Reads a release with the reader of another tool; run by the Python that has that tool.

    python reading.py READER OUT.json ARGUMENT…

writes what the reader says as JSON. It imports nothing of Vantage: only the tool may understand the files.
"""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# Nobody is asked over the network, and a tool that was tested with other versions reads all the same.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "DISABLE_VERSION_CHECK": "1"}


def versions(*names: str) -> dict[str, str]:
    """Return the installed ones of some packages."""
    installed = {}
    for name in names:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


def croissant(file: str) -> dict[str, Any]:
    """Validate Croissant metadata, and yield all records."""
    import mlcroissant

    dataset = mlcroissant.Dataset(file)
    issues = dataset.metadata.ctx.issues
    sets = [one.uuid for one in dataset.metadata.record_sets]
    records = {name: [_plain(row) for row in dataset.records(record_set=name)] for name in sets}
    return {"errors": list(issues.errors), "warnings": list(issues.warnings), "records": records}


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    def text(value: Any) -> Any:
        return [text(one) for one in value] if isinstance(value, list) else value.decode()

    return {name.partition("/")[2]: text(value) for name, value in row.items()}


def coco(file: str) -> dict[str, Any]:
    """Read the tables, and make the mask of each annotation."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth = COCO(file)
    rows = truth.loadAnns(truth.getAnnIds())
    found = [{key: row[key] for key in ("image_id", "category_id", "bbox")} | {"score": 0.5} for row in rows]
    scores = COCOeval(truth, truth.loadRes(found), "bbox")
    scores.evaluate()
    scores.accumulate()
    scores.summarize()
    return {
        "images": [image["file_name"] for image in truth.loadImgs(truth.getImgIds())],
        "categories": [category["name"] for category in truth.loadCats(truth.getCatIds())],
        "boxes": [row["bbox"] for row in rows],
        "masks_px": [int(truth.annToMask(row).sum()) for row in rows],
        "mean_precision": float(scores.stats[0]),
    }


def datumaro(folder: str, form: str) -> list[Any]:
    """Read regions as Datumaro, and so CVAT, does."""
    import datumaro

    dataset = datumaro.Dataset.import_from(folder, form)
    names = [label.name for label in dataset.categories()[datumaro.AnnotationType.label]]
    return [
        [item.id, one.type.name, names[one.label], list(one.get_bbox()), one.attributes.get("occluded")]
        for item in dataset
        for one in item.annotations
    ]


def datasets(folder: str, *configs: str) -> dict[str, Any]:
    """Load configurations of a data set by its card."""
    import datasets

    loaded = {config: datasets.load_dataset(folder, config, split="test") for config in configs}
    return {
        config: {"types": {key: str(one) for key, one in rows.features.items()}, "rows": list(rows)}
        for config, rows in loaded.items()
    }


def table(file: str) -> list[dict[str, Any]]:
    """Read a table with pandas, as the scripts of UrbanVideo-Bench and VLMEvalKit do."""
    import pandas as pd

    if file.endswith(".parquet"):
        frame = pd.read_parquet(file, engine="pyarrow")
    else:
        frame = pd.read_csv(file, sep="\t" if file.endswith(".tsv") else ",")
    return json.loads(frame.to_json(orient="records"))


def vlmevalkit(file: str) -> list[dict[str, Any]]:
    """Read a table as VLMEvalKit does: lists of paths as Python prints them, options until the first gap."""
    rows = table(file)
    for row in rows:
        path = row["image_path"] if "image_path" in row else row["video_path"]
        row["paths"] = ast.literal_eval(path) if path.startswith("[") else [path]
        row["options"] = {letter: row[letter] for letter in "ABCDEFGHI" if row.get(letter) is not None}
    return rows


def lmms_eval(folder: str) -> dict[str, Any]:
    """Load the tasks, ask their questions, and score the answer key."""
    from lmms_eval.tasks import TaskManager, get_task_dict

    manager = TaskManager(include_path=folder, include_defaults=False)
    told: dict[str, Any] = {}
    for name in manager.all_tasks:
        task = get_task_dict([name], manager)[name]
        told[name] = [
            {
                "text": task.doc_to_text(row),
                "target": task.doc_to_target(row),
                "visuals": [one if isinstance(one, str) else one.size for one in task.doc_to_visual(row)],
                "score": float(task.process_results(row, [row["answer"]])["exact_match"]),
            }
            for row in task.test_docs()
        ]
    return told


def llamafactory(folder: str, media: str, *names: str) -> dict[str, Any]:
    """Load training sets by ``dataset_info.json`` and convert them as for a training."""
    from llamafactory.data.loader import _load_single_dataset
    from llamafactory.data.parser import get_dataset_list

    data = SimpleNamespace(
        dataset_dir=folder, media_dir=media, preprocessing_num_workers=None, streaming=False,
        max_samples=None, overwrite_cache=True,
    )  # fmt: skip
    model = SimpleNamespace(cache_dir=None, hf_hub_token=None)
    training = SimpleNamespace(local_process_index=0, dataloader_num_workers=0)
    listed = get_dataset_list(list(names), folder)
    return {
        name: list(_load_single_dataset(attributes, model, data, training))
        for name, attributes in zip(names, listed, strict=True)
    }


READERS: dict[str, Callable[..., Any]] = {
    reader.__name__: reader
    for reader in (versions, croissant, coco, datumaro, datasets, table, vlmevalkit, lmms_eval, llamafactory)
}

if __name__ == "__main__":
    _, reader, out, *arguments = sys.argv
    Path(out).write_text(json.dumps(READERS[reader](*arguments)), encoding="utf-8")
