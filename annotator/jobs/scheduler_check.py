"""Tests the connection to a Dask scheduler, to report failures that Dask itself does not explain."""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.cluster_file import ENCRYPTED, ClusterAddress

CHECK_TIMEOUT_S = 10.0
WORD_S = 3.0
"""Seconds to wait for the greeting of a scheduler: without TLS it greets first, with TLS it waits for the
handshake. If a busy one does not greet in time, Dask tries longer."""


def check_scheduler(address: ClusterAddress) -> None:
    """Connect to a scheduler as Dask will, and disconnect.

    Raises:
        UserError: The certificates are not accepted, or only one side uses encryption.
        EnvironmentFailure: There is no scheduler at the address.
    """
    host, port = _host(address.address)
    context = _context(address) if address.is_secret else None
    try:
        with socket.create_connection((host, port), timeout=CHECK_TIMEOUT_S) as bare:
            if context is None:
                _require_bytes(bare, address)
            else:
                _require_welcome(bare, address, context=context)
    except OSError as error:
        raise EnvironmentFailure(
            f"The Dask scheduler at {address.address} does not answer: {error}.",
            hint="Start the scheduler, or check its address.",
        ) from error


def _host(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or parts.scheme not in {"tcp", "tls"}:
        raise UserError(
            f"{address!r} is not the address of a Dask scheduler.",
            hint="Use tcp://HOST:8786 or tls://HOST:8786.",
        )
    return host, port


def _context(address: ClusterAddress) -> ssl.SSLContext:
    # As Dask does: who was signed by the authority is believed, whatever its name.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    try:
        context.load_verify_locations(address.ca_file)
    except OSError as error:
        raise UserError(f"{address.ca_file} is not the certificate of an authority: {error}.") from error
    try:
        context.load_cert_chain(address.cert_file, address.key_file, password=_no_password)
    except OSError as error:
        raise UserError(
            f"{address.cert_file} and {address.key_file} are not a certificate and its key: {error}.",
            hint="Both must be PEM files, the key without a password.",
        ) from error
    return context


def _no_password() -> str:
    # Without a password callback OpenSSL prompts on the terminal and blocks.
    return ""


def _require_bytes(bare: socket.socket, address: ClusterAddress) -> None:
    bare.settimeout(WORD_S)
    try:
        if bare.recv(1):
            return
    except TimeoutError:
        # It waits for us to speak first, as TLS does, or is busy: which of the two is seen next.
        pass
    if _speaks_tls(address):
        where = address.address.partition("://")[2]
        raise UserError(
            f"The scheduler at {address.address} requires TLS.",
            hint=f"Set {ENCRYPTED}{where}, ca_file, cert_file and key_file in cluster.json.",
        )


def _speaks_tls(address: ClusterAddress) -> bool:
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname = False
    anyone.verify_mode = ssl.CERT_NONE
    with socket.create_connection(_host(address.address), timeout=WORD_S) as bare:
        try:
            anyone.wrap_socket(bare).close()
        except ssl.SSLError as error:
            # An alert is an answer in TLS as well.
            return "ALERT" in (error.reason or "")
        except OSError:
            return False
    return True


def _require_welcome(bare: socket.socket, address: ClusterAddress, *, context: ssl.SSLContext) -> None:
    try:
        with context.wrap_socket(bare) as secret:
            # With TLS 1.3 we learn what was made of our certificate only from the first words.
            if secret.recv(1):
                return
    except ssl.SSLCertVerificationError as error:
        raise UserError(
            f"The certificate of the scheduler at {address.address} is not trusted: {error.verify_message}.",
            hint=f"Check that {address.ca_file} belongs to the authority that signed it.",
        ) from error
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):
            raise _refused(address, reason=(error.reason or "").lower().replace("_", " ")) from error
        raise UserError(
            f"The scheduler at {address.address} does not use TLS ({error.reason or error}).",
            hint="Start it with --tls-ca-file, --tls-cert and --tls-key.",
        ) from error
    except ConnectionError as error:
        raise _refused(address, reason=str(error)) from error
    raise _refused(address, reason="it closed the connection")


def _refused(address: ClusterAddress, *, reason: str) -> UserError:
    return UserError(
        f"The scheduler at {address.address} rejects the client certificate: {reason}.",
        hint=f"Sign {address.cert_file} with the authority that the scheduler trusts.",
    )
