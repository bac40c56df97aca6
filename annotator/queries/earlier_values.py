"""Earlier values of records, which the log keeps and no table has."""

from __future__ import annotations

from annotator.errors import EnvironmentFailure
from annotator.store.disk_errors import DAMAGE_HINT


def readable_value(entity: str, value: str) -> str:
    """Return a value of the log, as JSON.

    Args:
        entity: Type of its record.
        value: As the log gives it.

    Raises:
        EnvironmentFailure: It is packed and damaged, or larger than any value that Vantage packs.
    """
    if not value:
        words = f"An earlier value of the {entity} cannot be read: the project file is damaged."
        raise EnvironmentFailure(words, hint=DAMAGE_HINT)
    return value
