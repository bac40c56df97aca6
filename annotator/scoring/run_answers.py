"""The answers of a run as predictions, so that they are scored without a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.domain.answers.box_scale import IS_SCALED
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.run_condition import run_title
from annotator.domain.work import JobPrediction
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.quality.predictions import asked_items
from annotator.queries.reader import Reader
from annotator.scoring.forms import FORMS
from annotator.scoring.prediction_form import Prediction, PredictionForm
from annotator.scoring.prediction_rows import InputProblem
from annotator.scoring.released_items import ReleasedItems

SCORED_KINDS = ("evaluation", "consensus", "blind")
"""Kinds of runs that ask about items."""
STEP = 1_000


class RunAnswers:
    """The answers of one run, read like a file of predictions.

    Of an item that was asked several times (rotations, samples), the answer that came most often counts; of
    several such answers the one that came first. Where none was found, the text of a reply is given, but not
    if its box is in a unit of the model, or its letters are in another order than the item's.

    Attributes:
        path: The project file with the id of the run, which no other run has.
        form: The form that they have.
        reason: Where they come from, in words.
    """

    def __init__(self, reader: Reader, run: Run, *, released: ReleasedItems | None = None) -> None:
        """Choose a run.

        Args:
            reader: The project.
            run: The run.
            released: The items that are scored, None if they are not known yet: items are then named by
                their public ids, where these are unique.

        Raises:
            UserError: The run asks no items.
        """
        if run.kind not in SCORED_KINDS:
            raise UserError(
                f"The run has the type {run.kind} and gives no answers to items.",
                hint=f"Choose a run of the type {', '.join(SCORED_KINDS)}.",
            )
        self._reader, self._run, self._released = reader, run, released
        self.path = reader.path / run.id
        self.form: PredictionForm = FORMS["vantage-run"]
        self.reason = f"answers of the run {run_title(run)}"

    def read(self, *, progress: Progress) -> Iterator[Prediction | InputProblem]:
        """Yield one prediction for each item and model, in the order of the requests.

        Raises:
            Cancelled: The user stopped it.
        """
        asked: dict[tuple[str, str], list[JobPrediction]] = {}
        progress.begin(f"Reading {run_title(self._run)}")
        for number, job in enumerate(self._reader.runs.jobs(self._run.id), start=1):
            if number % STEP == 0:
                progress.step(STEP)
            if job.prediction is not None:
                asked.setdefault((job.target, job.model), []).append(job)
        names = self._names([target for target, _ in asked])
        for line, ((target, model), jobs) in enumerate(asked.items(), start=1):
            yield self._prediction(jobs, item=names.get(target, target), model=model, line=line)
        progress.end()

    def _prediction(self, jobs: list[JobPrediction], *, item: str, model: str, line: int) -> Prediction:
        found = [job.prediction for job in jobs if job.prediction is not None]
        given = [one.answer for one in found if one.kind == "answer"]
        # ``most_common`` keeps the order of arrival among equals.
        answer = Counter(given).most_common(1)[0][0] if given else ""
        text = answer or next(filter(None, map(_unread_text, jobs)), "")
        errors = [one.message for one in found if one.kind == "error"]
        # One reply among several requests is an answer: the item has failed only if all of them have.
        error = errors[0] if len(errors) == len(found) else ""
        return Prediction(item=item, text=text, model=model, error=error, line=line, file=self._run.id)

    def _names(self, targets: list[str]) -> dict[str, str]:
        """Return the public ids of items whose ids in the project the release does not contain."""
        released = self._released
        if released is not None:
            targets = [one for one in targets if not released.indices_of(one, dataset="")]
        names = {
            item.id: item.name for item in asked_items(self._reader, self._run, list(dict.fromkeys(targets)))
        }
        counts = Counter(names.values())
        # Without a release to tell them apart, two items of one public id would get each other's
        # answers.
        return {target: name for target, name in names.items() if released or counts[name] == 1}


def _unread_text(job: JobPrediction) -> str:
    """Return the reply to a job in which no answer was found, "" if it says nothing outside of its request.

    The rules of scores take a box for pixels of the image, and a letter for that of the item itself.
    """
    order = str(job.spec.get("order", ""))
    is_of_request = job.spec.get(IS_SCALED) or order != "".join(sorted(order))
    return "" if job.prediction is None or is_of_request else job.prediction.text


def write_run_answers(answers: RunAnswers, path: Path, *, progress: Progress) -> int:
    """Write the answers of a run as a file of predictions (JSON lines), and return their number.

    Raises:
        EnvironmentFailure: The file cannot be written.
        Cancelled: The user stopped it; a file from before is kept.
    """
    # A name of its own: another process may write the same file.
    beside = path.with_name(f"{path.name}.{new_id()}")
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A file that a full disk cuts short would be scored, with the rest as missing predictions.
        with beside.open("wb") as file:
            for entry in answers.read(progress=progress):
                if isinstance(entry, Prediction):
                    file.write(msgspec.json.encode(_row(entry)) + b"\n")
                    count += 1
        beside.replace(path)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return count


def _row(entry: Prediction) -> dict[str, str]:
    row = {"item": entry.item, "prediction": entry.text, "model": entry.model}
    return row | ({"error": entry.error} if entry.error else {})
