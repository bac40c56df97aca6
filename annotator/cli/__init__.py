"""The commands of the command line. Their names are here so that a process starts without importing them."""

from __future__ import annotations

from pathlib import Path

VERBS = {
    "new": "project_commands",
    "demo": "project_commands",
    "import": "pipeline_commands",
    "draft": "pipeline_commands",
    "items": "item_commands",
    "check": "pipeline_commands",
    "stats": "project_commands",
    "media": "media_commands",
    "frames": "image_commands",
    "clip": "image_commands",
    "clips": "clip_commands",
    "derive": "derive_command",
    "maps": "maps_command",
    "flights": "flight_commands",
    "release": "pipeline_commands",
    "release-diff": "release_difference_command",
    "gates": "gate_commands",
    "verify": "project_commands",
    "rebuild": "project_commands",
    "backup": "project_commands",
    "models": "model_commands",
    "detect": "vision_commands",
    "depth": "vision_commands",
    "blind": "eval_commands",
    "consensus": "eval_commands",
    "evaluate": "evaluation_commands",
    "necessity": "necessity_command",
    "responses": "agreement_commands",
    "assign": "assignment_commands",
    "agreement": "agreement_commands",
    "reference": "reference_commands",
    "comments": "comment_commands",
    "review": "review_commands",
    "bundle": "bundle_commands",
    "merge": "bundle_commands",
    "forks": "forks_command",
    "sync": "bundle_commands",
    "runs": "run_commands",
    "score": "score_command",
    "settled-texts": "decision_commands",
    "error-labels": "decision_commands",
    "report": "report_command",
    "worker": "worker_commands",
    "doctor": "doctor_command",
    "people": "people_commands",
    "progress": "progress_commands",
    "key": "key_commands",
    "key-errors": "key_error_command",
    "variants": "variant_commands",
}
"""Module of this package that holds each command: only that of the command which is run is imported."""


def is_misspelt_verb(argument: str) -> bool:
    """Return whether an argument can only be meant as a verb: no option, and no path of a file."""
    path = Path(argument)
    is_name = not argument.startswith("-") and path.name == argument and not path.suffix
    return is_name and argument not in VERBS and not path.exists()
