"""Gate: the media files are there and unchanged."""

from __future__ import annotations

from annotator.release.gates.gate import GateInput, ItemGate, Numbers


class MediaFilesGate(ItemGate):
    """Every media file that an item shows was found with the content that the project knows."""

    id = "media"
    title = "Media are present and unchanged"
    counted = "Items with a missing, damaged or changed media file: {n} of {total}"
    advice = "Add the media folder or locate the files in the Library, then verify the project."

    def failing_items(self, given: GateInput) -> Numbers:
        """Return the items that show a media file that is not as it was added."""
        shown = given.reader.gates.shown_media(given.members)
        healths = given.reader.media.healths({medium for _, medium in shown})
        return given.among_members(n for n, medium in shown if healths.get(medium) != "found")
