"""One module per entity, each with a ``PROJECTION``; found by looking, so that adding one is enough."""

from __future__ import annotations

import importlib
import pkgutil

import msgspec

from annotator.store.projection import Projection


def _find() -> dict[str, Projection]:
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").PROJECTION for name in names]
    # Flags look up the scene of what they are about, so their rows are written last.
    return {p.entity: p for p in sorted(found, key=lambda p: (p.entity == "flag", p.entity))}


PROJECTIONS: dict[str, Projection] = _find()

# msgspec 0.22 works a type out when it is first used, and two threads that do so at once can end the process.
# Here, where one thread imports, every kind of record is worked out before any thread reads one.
for _projection in PROJECTIONS.values():
    msgspec.json.Decoder(_projection.record)
