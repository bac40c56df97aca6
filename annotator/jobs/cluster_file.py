"""Where a Dask cluster is: its address, and the certificates of a connection that is to be secret."""

from __future__ import annotations

from pathlib import Path

import msgspec

from annotator.errors import UserError

FILE = "cluster.json"
FROM_SETTINGS = "settings"


class ClusterPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Dask scheduler and how it is spoken to.

    Attributes:
        address: For instance ``tcp://10.0.0.7:8786``, or ``tls://...`` with certificates.
        ca_file: Certificate of who signed the others, "" without TLS.
        cert_file: Certificate of this side.
        key_file: Its key; the file stays where it is, only its path is here.
    """

    address: str
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    @property
    def is_secret(self) -> bool:
        """Whether the connection is encrypted, and both sides show who they are."""
        return self.address.startswith("tls://")


def read_cluster(address: str, *, settings: Path) -> ClusterPlace:
    """Return the place of a cluster.

    Certificates come from ``cluster.json`` in the folder of settings, which is read where it is there.

    Args:
        address: Of the scheduler; ``settings`` for the one in the file.
        settings: Folder of the person's settings.

    Raises:
        UserError: There is no such file, or it cannot be understood, or certificates are missing.
    """
    file = settings / FILE
    kept = _read(file) if file.is_file() else None
    if address == FROM_SETTINGS:
        if kept is None:
            raise UserError(f"There is no {file}.", hint='Write into it: {"address": "tcp://HOST:8786"}')
        place = kept
    elif kept is not None:
        place = msgspec.structs.replace(kept, address=address)
    else:
        place = ClusterPlace(address=address)
    if place.is_secret and not (place.ca_file and place.cert_file and place.key_file):
        raise UserError(
            f"{place.address} needs certificates.", hint=f"Name ca_file, cert_file and key_file in {file}."
        )
    return place


def _read(file: Path) -> ClusterPlace:
    try:
        return msgspec.json.decode(file.read_bytes(), type=ClusterPlace)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{file} cannot be understood: {error}.", hint="Mend it, or move it away.") from error
