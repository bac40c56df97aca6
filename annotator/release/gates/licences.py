"""Gate: the licence of every source is stated."""

from __future__ import annotations

from annotator.domain.medium import Medium
from annotator.domain.query import MediumQuery
from annotator.domain.source import Source
from annotator.release.gates.gate import Gate, GateFinding, GateInput


class LicencesGate(Gate):
    """Every source of the items and of the media that they show states its licence."""

    id = "licences"
    title = "Licences are stated"
    unit = "sources"
    counted = "Sources without a stated licence: {n} of {total}"
    advice = "Set the licence of the media in the Library, or state it at the import."

    def examine(self, given: GateInput) -> GateFinding:
        """Return the sources without a licence; media that no file named are one source per dataset."""
        stated = {source.id: bool(source.licence) for source in given.reader.records(Source)}
        used = {
            source: stated.get(source, False) for source in given.reader.gates.sources_of_items(given.members)
        }
        ids = sorted({medium for _, medium in given.reader.gates.shown_media(given.members)})
        for medium in given.reader.records(Medium, ids=ids):
            source = medium.source or medium.dataset
            is_stated = bool(medium.licence) or stated.get(source, False)
            used[source] = used.get(source, True) and is_stated
        failing = sum(not is_stated for is_stated in used.values())
        query = MediumQuery(licences=("",)) if failing else None
        return GateFinding(failing=failing, total=len(used), is_applicable=bool(used), query=query)
