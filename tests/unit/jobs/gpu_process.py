"""The program with a model of a folder that says which GPU its process was given; for tests of crews.

The folder of the profile holds ``wanted``: nothing is answered before so many processes have opened it.
Each leaves a file ``PID`` there with its GPU, and a line in ``asked`` for each question.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatReply, ChatRequest, ModelIdentity
from annotator.progress import Progress
from models import model_catalog
from tests.unit.jobs.work_process import work

TAKES_S = 0.02


class Device:
    """A chat model that answers with the GPU that its process was given."""

    def __init__(self, profile: ModelProfile, *, progress: Progress) -> None:
        progress.raise_if_cancelled()
        self.identity = ModelIdentity(name=profile.name, kind="chat")
        self._folder = Path(profile.path)
        self._device = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
        self._is_company = False
        (self._folder / f"{os.getpid()}").write_text(self._device)

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        with (self._folder / "asked").open("a") as asked:
            asked.write(f"{os.getpid()} {request.text.strip()}\n")
        while not self._is_company:
            self._is_company = self._has_company()
        threading.Event().wait(TAKES_S)
        return ChatReply(text=self._device, raw=self._device.encode())

    def close(self) -> None:
        """Hold nothing."""

    def _has_company(self) -> bool:
        threading.Event().wait(0.01)
        there = [one for one in self._folder.iterdir() if one.name.isdigit()]
        return len(there) >= int((self._folder / "wanted").read_text())


if __name__ == "__main__":
    model_catalog.open_model = Device
    raise SystemExit(work(sys.argv[1:], file=__file__))
