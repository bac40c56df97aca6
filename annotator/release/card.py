"""The card of a release: ``README.md`` beside the files, computed from its manifest and the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from annotator import __version__
from annotator.domain.actor import Actor
from annotator.domain.project import Project
from annotator.domain.query import ItemQuery
from annotator.domain.record import ValueObject, to_json
from annotator.domain.release_gate import GateResult
from annotator.domain.source import Source
from annotator.queries.reader import Reader
from annotator.release.document import Document, DocumentTable, Section, present, table_of_counts
from annotator.release.exporter import CardPart, Exporter
from annotator.release.gates import GATES, REQUIRABLE
from annotator.release.manifest import Manifest, ReleasedImages, canary_of
from annotator.release.markdown import markdown_of
from annotator.release.release_filter import NEVER_RELEASED
from annotator.release.released_splits import ReleasedSplits, ReleasedSubset

NOT_STATED = "not stated"
SENSITIVE = "Not assessed. Aerial images can show people, homes and number plates."
COUNTED = (
    ("task", "Task"),
    ("variant", "Variant of another item"),
    ("dataset", "Data set"),
    ("state", "State"),
    ("entity", "Record"),
)
"""Counted properties of the records with their titles."""
GATE_STATES = {
    "holds": "holds",
    "fails": "fails",
    "waived": "waived",
    "not_applicable": "does not apply",
}


class GateLine(ValueObject, frozen=True, kw_only=True):
    """One required gate.

    Attributes:
        result: Its result in the manifest.
        person: Name of the person who waived it, "" if it is not waived.
    """

    result: GateResult
    person: str = ""

    @property
    def title(self) -> str:
        """Its displayed name; that of another version is its id."""
        gate = GATES.get(self.result.gate)
        return gate.title if gate is not None else self.result.gate


class LicenceLine(ValueObject, frozen=True, kw_only=True):
    """The media of one source under one licence.

    Attributes:
        source: Name of the file or data set that they come from.
        licence: The licence, "" if it is not stated.
        media: Number of media files; 0 for a source of items alone.
    """

    source: str
    licence: str
    media: int


class PolicyLine(ValueObject, frozen=True, kw_only=True):
    """The settings of one run of models about the items.

    Attributes:
        kind: ``blind`` or ``consensus``.
        number: Its number among the runs of its kind.
        models: Names of the models.
        policy: Rule that decides, "" for a run without one.
    """

    kind: str
    number: int
    models: tuple[str, ...]
    policy: str


class CardFigures(ValueObject, frozen=True, kw_only=True):
    """Everything that the card says.

    Attributes:
        export_format: Id of the export format.
        title: Title of the export format.
        limits: What the format can represent.
        holds_items: Whether it contains items, to which gates apply.
        sha256: Number of the release.
        records: Number of records in it.
        counts: Records per value of each counted property, as in the manifest.
        selection: The filter that chose the items.
        include_flagged: Whether records with open errors were included.
        withheld: Number of withheld records.
        reasons: Withheld records by reason.
        gates: The gates that the project requires.
        licences: Licences of the media and of the files of the items.
        policies: Runs of models about the items.
        splits: The splits, None if it is not divided.
        subset: The subset, None if none was drawn.
        images: The images beside the records, None for none.
    """

    export_format: str
    title: str
    limits: str
    holds_items: bool
    sha256: str
    records: int
    counts: dict[str, dict[str, int]]
    selection: ItemQuery
    include_flagged: bool
    withheld: int
    reasons: dict[str, int]
    gates: tuple[GateLine, ...] = ()
    licences: tuple[LicenceLine, ...] = ()
    policies: tuple[PolicyLine, ...] = ()
    splits: ReleasedSplits | None = None
    subset: ReleasedSubset | None = None
    images: ReleasedImages | None = None

    @property
    def canary(self) -> str:
        """The canary string: a model that can repeat it was trained on this release."""
        return canary_of(self.sha256)


def _gate_lines(reader: Reader, gates: Iterable[GateResult]) -> tuple[GateLine, ...]:
    """Return the gates of a release with the persons who waived them."""
    project: Project = reader.project
    persons = {waiver.gate: waiver.person for waiver in project.gate_waivers}
    names = {actor.id: actor.name for actor in reader.records(Actor)}

    def person(result: GateResult) -> str:
        found = persons.get(result.gate, "") if result.state == "waived" else ""
        return names.get(found, found)

    return tuple(GateLine(result=result, person=person(result)) for result in gates)


def _licence_lines(
    reader: Reader, *, media: Iterable[str] | None, sources: Iterable[str] | None
) -> tuple[LicenceLine, ...]:
    """Return the licences of media and of sources of items.

    Args:
        reader: The project.
        media: Ids of the media, None for all.
        sources: Ids of the sources, None for all.
    """
    known = {source.id: source for source in reader.records(Source)}
    counted: Counter[tuple[str, str]] = Counter()
    for identity in known if sources is None else sources:
        if (source := known.get(identity)) is not None:
            # Named with 0 media: a source of questions alone has a licence as well.
            counted[source.name, source.licence] += 0
    # Counted by the store: a release of a million items has 75,000 media.
    for identity, dataset, licence, n in reader.gates.media_licences(media):
        origin = known.get(identity)
        name = origin.name if origin is not None else dataset
        counted[name, licence or (origin.licence if origin is not None else "")] += n
    return tuple(
        LicenceLine(source=name, licence=licence, media=n) for (name, licence), n in sorted(counted.items())
    )


def _policy_lines(reader: Reader) -> tuple[PolicyLine, ...]:
    """Return the runs of models about items, the oldest first."""
    return tuple(
        PolicyLine(
            kind=run.kind,
            number=run.number,
            models=run.models,
            policy=str(run.settings.get("policy", "")),
        )
        for run in reversed(reader.runs.all())
        if run.kind in {"blind", "consensus"}
    )


def card_figures(
    reader: Reader,
    manifest: Manifest,
    *,
    exporter: Exporter,
    media: Iterable[str] | None,
    sources: Iterable[str] | None,
) -> CardFigures:
    """Return everything that the card of a release says.

    Args:
        reader: The project; it must show the state that was released.
        manifest: The manifest of the release; a card that it lists is not read.
        exporter: The exporter that wrote it.
        media: Ids of the media of the records, None for all.
        sources: Ids of the sources of the items, None for all.
    """
    figures = _figures(manifest, exporter=exporter, gates=_gate_lines(reader, manifest.gates or ()))
    return msgspec.structs.replace(
        figures,
        licences=_licence_lines(reader, media=media, sources=sources),
        policies=_policy_lines(reader),
    )


def _figures(manifest: Manifest, *, exporter: Exporter, gates: tuple[GateLine, ...]) -> CardFigures:
    return CardFigures(
        export_format=exporter.id,
        title=exporter.title,
        limits=exporter.limits,
        holds_items=exporter.holds_items,
        sha256=manifest.sha256,
        records=manifest.records,
        counts=manifest.counts,
        selection=manifest.selection,
        include_flagged=manifest.include_flagged,
        withheld=manifest.withheld.records,
        reasons=manifest.withheld.reasons,
        gates=gates,
        splits=manifest.splits or None,
        subset=manifest.subset or None,
        images=manifest.pictures or None,
    )


def folder_figures(manifest: Manifest, *, exporter: Exporter) -> CardFigures:
    """Return what a release folder knows without its project: neither licences, nor persons, nor models."""
    return _figures(
        manifest, exporter=exporter, gates=tuple(GateLine(result=one) for one in manifest.gates or ())
    )


def card_file(figures: CardFigures, *, part: CardPart) -> bytes:
    """Return the text of the card."""
    return f"{part.front_matter}{markdown_of(_document(figures, part))}".encode()


def _document(figures: CardFigures, part: CardPart) -> Document:
    sections = (
        Section(title="Content", tables=(*_content_tables(figures), *part.tables)),
        _withheld_section(figures),
        gate_section(figures.gates),
        Section(title="Models", tables=present(policy_table(figures.policies))),
        Section(title="Licences", tables=present(licence_table(figures.licences))),
        Section(title="Limits", texts=limit_texts(figures)),
    )
    return Document(
        title="Benchmark release",
        lead=(*part.lead, *lead_texts(figures)),
        sections=tuple(section for section in sections if not section.is_empty),
    )


def lead_texts(figures: CardFigures) -> tuple[str, ...]:
    """Return what a release is, in sentences."""
    return (
        f"{figures.records:,} records in the format {figures.export_format} ({figures.title}).",
        f"Release number (SHA-256): {figures.sha256}",
        f"Made with Vantage {__version__}.",
        "manifest.json has the digests of all files; 'vantage verify FOLDER' compares them.",
        f"Canary: {figures.canary}",
    )


def _content_tables(figures: CardFigures) -> Iterator[DocumentTable]:
    for name, title in COUNTED:
        counts = {value or NOT_STATED: n for value, n in figures.counts.get(name, {}).items()}
        yield from present(table_of_counts("", counts, head=(title, "records")))
    if figures.splits is not None:
        yield from present(split_table(figures.splits))
    if figures.subset is not None:
        yield from present(subset_table(figures.subset))


def split_table(splits: ReleasedSplits) -> DocumentTable | None:
    """Return the splits with their numbers and the seed."""
    return table_of_counts(
        "Splits",
        dict(splits.items),
        head=("Split", "items"),
        note=f"Seed {splits.seed}; {splits.groups:,} groups of items that share a scene or a media file are "
        f"not divided. {splits.file} lists the items.{_hidden_text(splits)}",
    )


def _hidden_text(splits: ReleasedSplits) -> str:
    if splits.hidden is msgspec.UNSET:
        return ""
    names = ", ".join(splits.hidden.splits)
    text = f" Answer keys that are not in this release: {splits.hidden.items:,} (split {names})."
    if splits.hidden.predictable is msgspec.UNSET:
        return text
    return (
        f"{text} Letters among them that can be computed from the public ids: {splits.hidden.predictable:,}."
    )


def subset_table(subset: ReleasedSubset) -> DocumentTable | None:
    """Return the subset with its numbers and the seed."""
    return table_of_counts(
        "Subset",
        dict(subset.tasks),
        head=("Task", "items"),
        note=f"{subset.share:.0%} of each task, seed {subset.seed}. {subset.file} lists the items.",
    )


def _withheld_section(figures: CardFigures) -> Section:
    if not figures.withheld:
        return Section(title="Withheld", texts=("No record was withheld.",))
    texts = (f"Withheld records: {figures.withheld:,}. withheld.jsonl lists them with their reasons.",)
    return Section(title="Withheld", texts=texts, tables=present(withheld_table(figures.reasons)))


def withheld_table(reasons: dict[str, int]) -> DocumentTable:
    """Return the numbers of withheld records; a record may have several reasons."""
    rows = tuple((reason_text(kind), kind, f"{n:,}") for kind, n in reasons.items())
    note = "A record may have several reasons."
    return DocumentTable(
        title="",
        head=("Reason", "id", "records"),
        rows=rows,
        numeric=frozenset({2}),
        note=note,
        worded=frozenset({0}),
    )


def reason_text(kind: str) -> str:
    """Return what a reason to withhold a record means."""
    origin, _, what = kind.partition(":")
    if origin == "state":
        return "A person or the blind filter removed the item" if what in NEVER_RELEASED else what
    texts = {
        "flag": "An error flag on the item is open",
        "fork": "Workstations changed the record independently",
        "check": "A check finds an error",
        "format": "The export format cannot represent the record",
    }
    return texts.get(origin, kind)


def _gate_row(line: GateLine) -> tuple[str, ...]:
    result = line.result
    total = f"{result.total:,}" if result.total else ""
    texts = (result.unit, result.reason, line.person)
    return (line.title, GATE_STATES[result.state], f"{result.failing:,}", total, *texts)


def gate_section(gates: tuple[GateLine, ...]) -> Section:
    """Return the gates that the project requires, and which were waived, why and by whom."""
    if not gates:
        return Section(title="Gates", texts=("The project requires no gate for this release.",))
    rows = tuple(map(_gate_row, gates))
    head = ("Gate", "result", "fail", "of", "unit", "reason of the waiver", "waived by")
    worded = frozenset({0, 1, 4})
    table = DocumentTable(title="", head=head, rows=rows, numeric=frozenset({2, 3}), worded=worded)
    return Section(title="Gates", tables=(table,))


def policy_table(policies: tuple[PolicyLine, ...]) -> DocumentTable:
    """Return the runs of models about the items."""
    names = {"blind": "Blind filter", "consensus": "Consensus with images"}
    rows = tuple(
        (names.get(line.kind, line.kind), f"{line.number}", ", ".join(line.models), line.policy)
        for line in policies
    )
    head = ("Run", "number", "models", "policy")
    return DocumentTable(title="", head=head, rows=rows, numeric=frozenset({1}))


def licence_table(licences: tuple[LicenceLine, ...]) -> DocumentTable:
    """Return the licences per source."""
    rows = tuple(
        (line.source or NOT_STATED, line.licence or NOT_STATED, f"{line.media:,}") for line in licences
    )
    head = ("Source", "licence", "media files")
    return DocumentTable(title="", head=head, rows=rows, numeric=frozenset({2}))


def limit_texts(figures: CardFigures) -> tuple[str, ...]:
    """Return what a user of the release must know, computed from its figures."""
    return tuple(_limits(figures))


def _limits(figures: CardFigures) -> Iterator[str]:
    yield f"Export format: {figures.limits}"
    states = figures.counts.get("state", {})
    unaccepted = sum(states.values()) - states.get("accepted", 0)
    if unaccepted:
        yield f"{unaccepted:,} of {sum(states.values()):,} items are not accepted."
    if figures.include_flagged:
        yield "Items with open errors are included."
    yield from _gate_limits(figures)
    unstated = sum(line.media for line in figures.licences if not line.licence)
    if unstated:
        yield f"No licence is stated for {unstated:,} media files."
    if figures.images is not None and figures.images.missing:
        yield f"Images of {len(figures.images.missing):,} media are missing, in part or in whole."
    if figures.selection != ItemQuery():
        yield f"Only a selection of the items was released: {to_json(figures.selection)}"
    yield f"Personal and sensitive information: {SENSITIVE}"


def _gate_limits(figures: CardFigures) -> Iterator[str]:
    for line in figures.gates:
        if line.result.state == "waived":
            yield f"Waived gate: {line.title}, {line.result.failing:,} {line.result.unit}."
    required = {line.result.gate for line in figures.gates}
    unclaimed = [GATES[gate].title for gate in REQUIRABLE if gate not in required]
    if unclaimed and figures.holds_items:
        yield f"The release makes no claim about gates that are not required: {', '.join(unclaimed)}."
