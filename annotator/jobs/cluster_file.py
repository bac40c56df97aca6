"""Where a Dask cluster is: its address, and the certificates of a connection that is to be secret."""

from __future__ import annotations

from pathlib import Path

import msgspec

from annotator.errors import UserError

FILE = "cluster.json"
FROM_SETTINGS = "settings"
ENCRYPTED = "tls://"
CERTIFICATES = ("ca_file", "cert_file", "key_file")


class ClusterAddress(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Dask scheduler and how it is spoken to.

    Attributes:
        address: For instance ``tcp://10.0.0.7:8786``, or ``tls://...`` with certificates.
        ca_file: Certificate of who signed the others, "" without TLS.
        cert_file: Certificate of this side.
        key_file: Its key; the file stays where it is, only its path is here.
        in_window: Whether the worker of a window calls models there too.
    """

    address: str
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    in_window: bool = False

    @property
    def is_secret(self) -> bool:
        """Whether the connection is encrypted, and both sides show who they are."""
        return self.address.startswith(ENCRYPTED)

    def files(self) -> dict[str, str]:
        """Return the paths of the certificates that are named."""
        return {name: path for name in CERTIFICATES if (path := getattr(self, name))}


def read_cluster(address: str, *, settings: Path) -> ClusterAddress:
    """Return address and certificates of a cluster.

    Certificates are listed in ``cluster.json`` of the settings folder, if it exists; their paths are relative
    to that folder.

    Args:
        address: Of the scheduler; ``settings`` for the one in the file.
        settings: Folder of the person's settings.

    Raises:
        UserError: The file is needed and missing, or invalid; a certificate is missing; or there are
            certificates and the address is not encrypted.
    """
    file = settings / FILE
    kept = _read(file) if file.is_file() else None
    if address == FROM_SETTINGS:
        if kept is None:
            raise UserError(f"There is no {file}.", hint='Create it with: {"address": "tcp://HOST:8786"}')
        cluster_address = kept
    elif kept is not None:
        cluster_address = msgspec.structs.replace(kept, address=address)
    else:
        cluster_address = ClusterAddress(address=address)
    _require_sound(cluster_address, file=file)
    return cluster_address


def plain_text_warning(address: ClusterAddress) -> UserError | None:
    """Return a warning about a cluster without encryption, None for one with it."""
    if address.is_secret:
        return None
    return UserError(
        f"The connection to the cluster at {address.address} is not encrypted.",
        hint="Everyone in this network can read the requests and replies, and run programs on the cluster. "
        "Use tls:// with certificates, or an isolated network.",
    )


def window_warning(settings: Path) -> UserError | None:
    """Return the warning about the cluster that the worker of a window uses, None for none."""
    file = settings / FILE
    try:
        address = _read(file) if file.is_file() else None
    except UserError:
        # The worker reports it.
        return None
    return plain_text_warning(address) if address is not None and address.in_window else None


def is_for_window(settings: Path) -> bool:
    """Return whether the worker of a window uses a cluster according to the settings.

    True also for an invalid file, so that the worker reports the error.
    """
    file = settings / FILE
    try:
        return file.is_file() and _read(file).in_window
    except UserError:
        return True


def _require_no_certificates(address: ClusterAddress, *, file: Path) -> None:
    # With certificates an unencrypted address is a mistake: anyone could read along or run code there.
    if named := address.files():
        bare = address.address.rpartition("://")[2]
        raise UserError(
            f"{address.address} is not encrypted, but {file} sets certificates.",
            hint=f"Set {ENCRYPTED}{bare}, or remove {', '.join(named)} from the file.",
        )


def _require_sound(address: ClusterAddress, *, file: Path) -> None:
    named = address.files()
    if not address.is_secret:
        _require_no_certificates(address, file=file)
        return
    missing = [name for name in CERTIFICATES if name not in named]
    if missing:
        raise UserError(
            f"{address.address} needs certificates: {', '.join(missing)}.",
            hint=f"Set ca_file, cert_file and key_file in {file}.",
        )
    for name, path in named.items():
        if not Path(path).is_file():
            raise UserError(f"There is no file {path}.", hint=f"Correct {name} in {file}.")


def _read(file: Path) -> ClusterAddress:
    try:
        address = msgspec.json.decode(file.read_bytes(), type=ClusterAddress)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{file} is not valid: {error}.", hint="Correct the file, or move it away."
        ) from error
    paths = {name: str(file.parent / Path(path).expanduser()) for name, path in address.files().items()}
    return msgspec.structs.replace(address, **paths)
