"""Words for the formats that files are read as."""

from __future__ import annotations

from widgets.translation import mark, tr

FORMATS = {
    "aircop-labels": mark("AirCopBench labels (Label Studio JSON)"),
    "aircop-questions": mark("AirCopBench questions (JSON)"),
    "aircop-responses": mark("AirCopBench answers of a model, which are no questions (JSON)"),
    "aircop-review": mark("AirCopBench review sheet (Excel, CSV)"),
    "airsim": mark("AirSim poses (text)"),
    "coco": mark("COCO boxes and polygons (JSON)"),
    "cvat": mark("CVAT boxes and tracks (XML)"),
    "indooruav": mark("IndoorUAV lists, instructions and postures (JSON)"),
    "indooruav-folder": mark("IndoorUAV dataset (folder)"),
    "label-studio": mark("Label Studio regions (JSON)"),
    "mm-uavbench": mark("MM-UAVBench questions (JSON)"),
    "native": mark("Vantage records (JSON lines)"),
    "nuscenes": mark("nuScenes tables (folder)"),
    "nuscenes-boxes": mark("nuScenes-like boxes (JSON)"),
    "spatialuav": mark("SpatialUAV items (JSON lines)"),
    "spatialuav-tasks": mark("SpatialUAV's older files per task (JSON)"),
    "table": mark("Own table of questions (CSV, Excel, Parquet, JSON)"),
    "topviewrs": mark("TopViewRS questions (JSON)"),
    "urbanvideo": mark("UrbanVideo-Bench questions (CSV, Parquet, Excel)"),
    "urbanvideo-videos": mark("UrbanVideo-Bench list of videos (JSON)"),
    "vlmevalkit": mark("VLMEvalKit table (TSV)"),
    "yolo": mark("YOLO dataset (folder)"),
}
"""Ids of the readers with their English words."""


def format_word(format_id: str) -> str:
    """Return a format's words."""
    return tr(FORMATS.get(format_id, format_id))
