"""What a person scores in a project: kept in the settings of this computer, since paths are local."""

from __future__ import annotations

import msgspec

from annotator.domain.answers import Mode
from annotator.scoring.judged_scores import JudgeOptions
from annotator.scoring.score_report import ScoreOrder, ScoreReport, SourceFile
from widgets.settings import Settings


class ChosenFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file or folder of predictions.

    Attributes:
        path: Where it is.
        name: Name of the model, "" for the one in the file.
        form_id: Id of the form, "" to find it from the fields.
        sha256: Digest of the content that was scored last, "" if it was not scored yet.
    """

    path: str
    name: str = ""
    form_id: str = ""
    sha256: str = ""


class ScoreChoice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A release and files of predictions, and by which rules they are scored.

    Attributes:
        release: Release folder or published file of questions, "" for none.
        release_sha256: Number of the release that was scored last, "" for none.
        files: The predictions.
        mode: Whose rules apply.
        scores_missing: Whether an item without a prediction scores 0.
        keys: Folder of the hidden answer keys of the release, "" for the one beside it.
        reader: Model that reads replies that no rule can read, "" for none.
        judge: Model that grades free texts, "" for none.
    """

    release: str = ""
    release_sha256: str = ""
    files: tuple[ChosenFile, ...] = ()
    mode: Mode = Mode.STRICT
    scores_missing: bool = False
    keys: str = ""
    reader: str = ""
    judge: str = ""

    @property
    def options(self) -> JudgeOptions:
        """What models have replied before; nothing is sent."""
        return JudgeOptions(reader=self.reader, judge=self.judge, is_offline=True)

    @property
    def is_complete(self) -> bool:
        """Whether there is something to score."""
        return bool(self.release and self.files)

    def order(self, *, project: str) -> ScoreOrder:
        """Return what the process scores.

        Args:
            project: Path of the project with the human reference.
        """
        return ScoreOrder(
            release=self.release,
            sources=tuple(
                SourceFile(path=file.path, name=file.name, form_id=file.form_id) for file in self.files
            ),
            mode=self.mode,
            scores_missing=self.scores_missing,
            project=project,
            keys=self.keys,
        )

    def with_file(self, file: ChosenFile, *, release: str = "") -> ScoreChoice:
        """Return the choice with another file, in place of one at the same path.

        Args:
            file: The file.
            release: Release to score against if none is chosen yet.
        """
        known = {one.path for one in self.files}
        files = tuple(file if one.path == file.path else one for one in self.files)
        return msgspec.structs.replace(
            self,
            release=self.release or release,
            files=files if file.path in known else (*files, file),
        )

    def with_digests(self, report: ScoreReport) -> ScoreChoice:
        """Return the choice with the digests of what was scored; files that were not read keep theirs."""
        digests = {model.source: model.sha256 for model in report.models}
        files = (
            msgspec.structs.replace(file, sha256=digests.get(at, file.sha256))
            for at, file in enumerate(self.files)
        )
        return msgspec.structs.replace(self, release_sha256=report.release_sha256, files=tuple(files))


def read_choice(settings: Settings, *, project: str, person: str) -> ScoreChoice:
    """Return what a person scored last in a project, nothing chosen if that cannot be read.

    Args:
        settings: The settings.
        project: Id of the project.
        person: Id of the person.
    """
    try:
        return msgspec.json.decode(settings.text(_name(project, person)), type=ScoreChoice)
    # Settings that were edited can have a lone surrogate, which has no UTF-8.
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return ScoreChoice()


def keep_choice(settings: Settings, choice: ScoreChoice, *, project: str, person: str) -> None:
    """Store what a person scores in a project."""
    settings.keep(_name(project, person), msgspec.json.encode(choice).decode())


def _name(project: str, person: str) -> str:
    return f"scores/{project}/{person}"
