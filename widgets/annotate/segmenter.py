"""The segmenter of the person, in a process of its own that the window talks to without waiting."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess

import annotator
from annotator.domain.profile import SEGMENTER, ModelProfile
from annotator.errors import VantageError
from annotator.segment_prompt import SegmentPrompt, SegmentReply, SegmentRequest
from annotator.session import Session
from widgets.message_text import message_text
from widgets.translation import tr

_log = logging.getLogger(__name__)
Done = Callable[[SegmentReply], None]
END_WAIT_MS = 5000
"""Maximum wait for the exit of a killed process, in milliseconds."""
MOST_LOGGED_BYTES = 200


class SegmenterClient(QObject):
    """Asks the first segmenter of the person's models; the last request wins.

    The process starts with the first request and stays, with the embedding of the current image.
    """

    def __init__(self, parent: QObject, *, session: Session) -> None:
        super().__init__(parent)
        self._session = session
        self._process: QProcess | None = None
        self._waiting: SegmentRequest | None = None
        self._asked = self._sent = 0
        self._done: Done | None = None
        self._opened: ModelProfile | None = None

    @property
    def process(self) -> QProcess | None:
        """The running process, or None."""
        return self._process

    @property
    def is_busy(self) -> bool:
        """Whether a request has no answer yet."""
        return self._done is not None and bool(self._sent or self._waiting is not None)

    def ask(self, file: str, frame: int | None, prompt: SegmentPrompt, *, done: Done) -> None:
        """Ask for the outline at a prompt.

        Args:
            file: Image, video or frame folder.
            frame: Frame of a video, None for a still.
            prompt: What the person points at.
            done: Receives progress, and then the outline or the reason why there is none.
        """
        self._asked += 1
        self._done = done
        request = SegmentRequest(number=self._asked, file=file, frame=frame, prompt=prompt)
        profile = self._profile()
        if profile is None:
            return
        if profile != self._opened:
            # The person has changed the model since.
            self._end()
        if self._process is None:
            self._start(profile)
        # One at a time: a request that is replaced while it waits is never computed.
        if self._sent:
            self._waiting = request
        else:
            self._send(request)

    def forget(self) -> None:
        """Drop the answer to the last request."""
        self._done, self._waiting = None, None

    def close(self) -> None:
        """End the process."""
        self.forget()
        self._end()

    def _end(self) -> None:
        process = self._leave()
        if process is not None:
            process.kill()
            # Qt warns of a process object that is deleted before its process has ended.
            process.waitForFinished(END_WAIT_MS)

    def _profile(self) -> ModelProfile | None:
        """Return the person's first segmenter; say why there is none."""
        try:
            profiles = self._session.runs.profiles().values()
        except VantageError as error:
            self._fail(message_text(error.message), hint=message_text(error.hint))
            return None
        found = next((profile for profile in profiles if profile.adapter == SEGMENTER), None)
        if found is None:
            self._fail(
                tr("There is no segmenter."),
                hint=tr("Add the two ONNX files of one under Models, as “Segmenter (two ONNX files)”."),
            )
        return found

    def _start(self, profile: ModelProfile) -> None:
        self._opened = profile
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._on_process_ready_read_standard_output)
        process.finished.connect(self._on_process_finished)
        process.errorOccurred.connect(self._on_process_error_occurred)
        program, *arguments = command_of_segmenter(profile.name)
        process.start(program, arguments)
        self._take(SegmentReply(number=self._asked, phase="opening"))

    def _send(self, request: SegmentRequest) -> None:
        if self._process is not None:
            self._sent = request.number
            self._process.write(msgspec.json.encode(request) + b"\n")

    def _take(self, reply: SegmentReply) -> None:
        if self._done is not None and reply.number == self._asked:
            self._done(reply)

    def _fail(self, message: str, *, hint: str) -> None:
        self._sent, self._waiting = 0, None
        self._take(SegmentReply(number=self._asked, error=message, hint=hint))

    def _leave(self) -> QProcess | None:
        process, self._process, self._sent = self._process, None, 0
        if process is not None:
            # Disconnected first: kill() would report the ended process as a failure.
            process.readyReadStandardOutput.disconnect(self._on_process_ready_read_standard_output)
            process.finished.disconnect(self._on_process_finished)
            process.errorOccurred.disconnect(self._on_process_error_occurred)
            process.deleteLater()
        return process

    def _on_process_ready_read_standard_output(self) -> None:
        while self._process is not None and self._process.canReadLine():
            reply = _decoded(bytes(self._process.readLine().data()))
            if reply is None:
                continue
            if not reply.phase:
                waiting, self._waiting, self._sent = self._waiting, None, 0
                if waiting is not None:
                    self._send(waiting)
            self._take(reply)

    def _on_process_finished(self, status: int, _exit_status: QProcess.ExitStatus) -> None:
        process = self._leave()
        output = (
            bytes(process.readAllStandardError().data()).decode(errors="replace").strip() if process else ""
        )
        last = output.splitlines()[-1] if output else ""
        self._fail(
            last or tr("The segmenter ended (exit status {status}).", status=status),
            hint=tr("The project is unchanged. Click again to start it again."),
        )

    def _on_process_error_occurred(self, error: QProcess.ProcessError) -> None:
        # A crash is reported when the process has finished.
        if error == QProcess.ProcessError.FailedToStart:
            self._leave()
            self._fail(tr("The segmenter cannot be started."), hint="")


def _decoded(line: bytes) -> SegmentReply | None:
    """Return the reply in a line, None where it has none: a library of the model may print as well."""
    try:
        return msgspec.json.decode(line, type=SegmentReply)
    except msgspec.MsgspecError:
        _log.warning("A line of the segmenter is no reply: %r", line[:MOST_LOGGED_BYTES])
        return None


def command_of_segmenter(name: str) -> tuple[str, ...]:
    """Return the command line that answers prompts; a frozen build calls its own executable."""
    main = str(Path(annotator.__file__).parent.parent / "main.py")
    program = (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, main)
    # A name can begin with a dash, which would make it an option.
    return (*program, "models", "segment", "--", name)
