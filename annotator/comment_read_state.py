"""Which comments of a project a person has read on this machine.

Kept in the person's own data folder, not as events: the markers of every person would be in the log and in
all bundles for ever. On another machine, or after the file is deleted, the person begins anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from annotator.domain.rows import UnreadComment
from annotator.queries.reader import Reader
from annotator.user_profile import data_folder


class CommentReadState:
    """Ids of the comments that a person has read: a text file to which ids are added, one per line.

    All calls come from one thread. If the file cannot be read or written, the markers are those of this
    process.
    """

    def __init__(self, *, project: str, person: str) -> None:
        """Set up; the file is read at first use.

        Args:
            project: Id of the project's own record, which all its copies share.
            person: Id of the person.
        """
        self.person = person
        self.file = data_folder() / "read-comments" / project / f"{person}.txt"
        self._ids: set[str] | None = None

    def mark_read(self, ids: Iterable[str]) -> None:
        """Mark comments as read."""
        known = self._known()
        new = [one for one in dict.fromkeys(ids) if one not in known]
        self._ids = known | set(new)
        self._append(new)

    def unread(self, reader: Reader) -> list[UnreadComment]:
        """Return the comments of others that the person has not read, oldest first.

        Where the person meets the project for the first time, the comments that are there count as read
        unless they mention the person: nobody has to go through years of them.
        """
        if self._ids is None and not self.file.exists():
            earlier = reader.comments.unread(self.person, read=())
            self.mark_read(one.id for one in earlier if not one.mentions_person)
        return reader.comments.unread(self.person, read=self._known())

    def _known(self) -> set[str]:
        if self._ids is None:
            self._ids = set()
            with suppress(OSError):
                self._ids = set(self.file.read_text(encoding="utf-8", errors="replace").split())
        return self._ids

    def _append(self, ids: list[str]) -> None:
        with suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Added to, so that a marker costs a line, however many there are.
            with self.file.open("a", encoding="utf-8") as file:
                file.write("".join(f"{one}\n" for one in ids))
