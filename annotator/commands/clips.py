"""The command that cuts clips out of videos and adds them to the project."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import PreparedCommand
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import VIDEO_TYPES, ClipRange, Footage, Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.edits.clip_content import FrameSpan, clip_records
from annotator.errors import UserError
from annotator.media.file_names import file_name
from annotator.media.media_roots import MediaRoots
from annotator.media.model_images import open_medium_video
from annotator.media.probe import MediaProbe, probe_media
from annotator.media.staged_files import StagedFiles
from annotator.media.video.clip_plan import COPIED_ENDINGS, ending_of
from annotator.media.video.export import SavedClip, save_clip
from annotator.progress import Progress
from annotator.queries.reader import Reader

FOLDER = "clips"
"""Folder of the clips below the project's media folder."""
GOAL, ROUTE = "destination", "movement_instructions"
"""Fields of a scene's metadata, as UrbanVideo-Bench names them."""
TextKind = Literal["goal", "route"]
FIELDS: dict[TextKind, str] = {"goal": GOAL, "route": ROUTE}
LONGEST_NAME = 80
"""Characters; file systems allow 255 bytes, and Chinese characters take three each."""


class ClipRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A clip that is to be cut.

    Attributes:
        medium: Id of the video.
        scene: Id of the scene that shows it, "" for none.
        first: Number of the first frame.
        last: Number of the last frame, included.
        name: Name of the clip and of its scene, without suffix.
        text_kind: What the text is: the goal of the flight, or its route.
        text: The text, "" for none.
        footage: ``real`` or ``simulated``, "" if unknown.
        is_widened: Whether it may begin earlier and end later, so that it need not be re-encoded.
    """

    medium: str
    first: int
    last: int
    name: str
    scene: str = ""
    text_kind: TextKind = "goal"
    text: str = ""
    footage: Footage = ""
    is_widened: bool = False


class MadeClip(msgspec.Struct, frozen=True, kw_only=True):
    """A clip that was added.

    Attributes:
        name: Its name.
        video: Name of the video.
        path: Its file, relative to the media folder.
        first: Number of its first frame in the video.
        last: Number of its last frame there.
        duration_s: Its length in seconds.
        is_copied: Whether it was cut without re-encoding.
        why: Reason for re-encoding, "" if copied.
    """

    name: str
    video: str
    path: str
    first: int
    last: int
    duration_s: float
    is_copied: bool
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class _WrittenClip:
    """A clip on the disk under a temporary name."""

    request: ClipRequest
    file: Path
    saved: SavedClip
    facts: MediaProbe
    span: FrameSpan


@dataclass(kw_only=True)
class MakeClips(PreparedCommand):
    """Cut clips out of videos, and add each as a medium with a scene of its own.

    The regions, paths and flight of the clip's frames are copied to it. Undo removes the clips from the
    project and keeps their files; a later clip of the same name gets a file of another name.

    Attributes:
        clips: The clips.
        roots: The media folders of the project on this machine.
        made: The result, set by ``plan``.
    """

    clips: tuple[ClipRequest, ...]
    roots: MediaRoots
    made: tuple[MadeClip, ...] = field(default=(), init=False, compare=False)
    _written: list[_WrittenClip] = field(default_factory=list, init=False, repr=False, compare=False)
    _files: StagedFiles = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Nothing is written before ``prepare`` has checked where the folder leads.
        self._files = StagedFiles(self.roots.own / FOLDER)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("make_clips", count=len(self.clips))

    @property
    def details(self) -> dict[str, Any]:
        """The clips."""
        return {"clips": msgspec.to_builtins(self.clips)}

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Write the clips under temporary names.

        Raises:
            UserError: A name is invalid or taken, a video is missing or damaged or has no such frames, or the
                folder is a link that leads out of the project.
            EnvironmentFailure: The disk failed; nothing is left of the clips.
            Cancelled: The user cancelled; nothing is left of the clips.
        """
        self.discard()
        self._files = StagedFiles(self.roots.folder_to_write(FOLDER))
        self.check(reader)
        for request in self.clips:
            self._written.append(self._write(request, reader, progress=progress))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield media, scenes and annotations of the clips, and give the files their names at last.

        Raises:
            UserError: A video was removed meanwhile, or a name was taken.
            EnvironmentFailure: The disk failed.
        """
        progress.raise_if_cancelled()
        self.check(reader)
        made: list[MadeClip] = []
        for written in self._written:
            # An undone clip keeps its file.
            file = self._files.name(written.file, stem=written.request.name)
            video = reader.require(Medium, written.request.medium)
            clip = _medium(written, video=video, file=file)
            scene = reader.require(Scene, written.request.scene) if written.request.scene else None
            yield from _records(reader, written, video=video, scene=scene, clip=clip)
            made.append(_report(written, video=video, clip=clip))
        # Last: if anything above fails, no file has got its final name.
        self._files.publish()
        self.made = tuple(made)

    def discard(self) -> None:
        """Delete the files that have not got their final names."""
        self._written.clear()
        self._files.discard()

    def check(self, reader: Reader) -> None:
        """Check the names of the clips.

        Raises:
            UserError: A name is invalid or taken.
        """
        seen: set[tuple[str, str]] = set()
        for request in self.clips:
            video = reader.require(Medium, request.medium)
            if problem := name_problem(request.name, reader, dataset=video.dataset):
                raise UserError(problem, hint="Enter another name.")
            if (video.dataset, request.name) in seen:
                raise UserError(f"Two clips are named {request.name}.", hint="Enter another name.")
            seen.add((video.dataset, request.name))

    def _write(self, request: ClipRequest, reader: Reader, *, progress: Progress) -> _WrittenClip:
        medium = reader.require(Medium, request.medium)
        if medium.media_type not in VIDEO_TYPES:
            raise UserError(f"{medium.name} is not a video.", hint="Choose a video.")
        video = open_medium_video(
            medium, self.roots.require_file(medium.path or medium.name, name=medium.name)
        )
        file = self._files.new(ending_of(video))
        try:
            saved = save_clip(
                video,
                request.first,
                last=request.last,
                path=file,
                progress=progress,
                is_widened=request.is_widened,
            )
            facts = probe_media(file, kind="video", progress=progress)
        finally:
            video.close()
        span = FrameSpan.of_times(
            video.times_s.tolist(), duration_s=video.duration_s, first=saved.first, last=saved.last
        )
        return _WrittenClip(request=request, file=file, saved=saved, facts=facts, span=span)


def name_problem(name: str, reader: Reader, *, dataset: str) -> str:
    """Return why a clip cannot have a name, "" if it can.

    Args:
        name: The name, without suffix.
        reader: The project.
        dataset: Dataset of its video, in which names of scenes and media are unique.
    """
    if not name.strip():
        return "The clip needs a name."
    if len(name) > LONGEST_NAME:
        return f"The name has more than {LONGEST_NAME} characters."
    if file_name(name) != name:
        return f"The name {name} contains characters that file names cannot have."
    scenes = reader.find(Scene, name=name)
    media = (medium for ending in COPIED_ENDINGS for medium in reader.find(Medium, name=f"{name}{ending}"))
    if dataset in {*(scene.dataset for scene in scenes), *(medium.dataset for medium in media)}:
        return f"The name {name} is already in use."
    return ""


def propose_name(video: Medium, reader: Reader) -> str:
    """Return a name for the next clip of a video: ``RealWorld_13_1``."""
    stem = file_name(Path(video.name).stem)[: LONGEST_NAME - len("_9999")]
    names = (f"{stem}_{number}" for number in itertools.count(1))
    return next(name for name in names if not name_problem(name, reader, dataset=video.dataset))


def _medium(written: _WrittenClip, *, video: Medium, file: Path) -> Medium:
    saved, span = written.saved, written.span
    # The container counts the hidden frames of a clip, too.
    facts = {
        **written.facts.medium_values(),
        "frames": saved.frames,
        "duration_s": round(span.end_s - span.begin_s, 6),
    }
    return Medium(
        id=new_id(),
        name=f"{written.request.name}{file.suffix}",
        dataset=video.dataset,
        media_type="video",
        path=f"{FOLDER}/{file.name}",
        licence=video.licence,
        footage=written.request.footage,
        derived_from=video.id,
        clip=ClipRange(first=saved.first, last=saved.last, is_copied=saved.is_copied),
        **facts,
    )


def _records(
    reader: Reader, written: _WrittenClip, *, video: Medium, scene: Scene | None, clip: Medium
) -> Iterator[Edit]:
    view = next((one.name for one in scene.views if one.medium == video.id), "") if scene else ""
    text = written.request.text.strip()
    clip_scene = Scene(
        id=new_id(),
        name=written.request.name,
        dataset=video.dataset,
        views=(SceneView(name=view, medium=clip.id),),
        metadata={FIELDS[written.request.text_kind]: text} if text else {},
    )
    yield Edit(entity="medium", entity_id=clip.id, field=CREATED, value=clip)
    yield Edit(entity="scene", entity_id=clip_scene.id, field=CREATED, value=clip_scene)
    yield from clip_records(reader, video, scene=scene, span=written.span, clip=clip, clip_scene=clip_scene)


def _report(written: _WrittenClip, *, video: Medium, clip: Medium) -> MadeClip:
    saved = written.saved
    return MadeClip(
        name=written.request.name,
        video=video.name,
        path=clip.path,
        first=saved.first,
        last=saved.last,
        duration_s=clip.duration_s,
        is_copied=saved.is_copied,
        why=saved.why,
    )
