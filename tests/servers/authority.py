"""An authority that signs certificates for both sides of a connection, made by the test that needs it."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, kw_only=True)
class Papers:
    """Files of one side: the authority that it believes, its own certificate, and its key."""

    ca_file: str
    cert_file: str
    key_file: str

    def options(self) -> tuple[str, ...]:
        """Return them as options of the programs of Dask."""
        files = (self.ca_file, self.cert_file, self.key_file)
        pairs = zip(("--tls-ca-file", "--tls-cert", "--tls-key"), files, strict=True)
        return tuple(part for pair in pairs for part in pair)


class Authority:
    """Signs certificates for 127.0.0.1.

    Args:
        folder: Its files go there.
        name: Of the authority.
    """

    def __init__(self, folder: Path, *, name: str = "test authority") -> None:
        pytest.importorskip("cryptography", reason="certificates are made with cryptography")
        from cryptography.hazmat.primitives.asymmetric import ec

        self._folder, self._name = folder, name
        folder.mkdir(parents=True, exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._file = folder / "ca.pem"
        self._file.write_bytes(self._signed(name, self._key.public_key(), is_authority=True))

    @property
    def ca_file(self) -> str:
        """Its own certificate, which both sides believe."""
        return str(self._file)

    def papers(self, name: str) -> Papers:
        """Make what one side needs."""
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        cert_file, key_file = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        cert_file.write_bytes(self._signed(name, key.public_key(), is_authority=False))
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return Papers(ca_file=self.ca_file, cert_file=str(cert_file), key_file=str(key_file))

    def _signed(self, name: str, public_key: object, *, is_authority: bool) -> bytes:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.x509.oid import NameOID

        def called(text: str) -> x509.Name:
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

        today = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(called(name))
            .issuer_name(called(self._name))
            .public_key(public_key)  # type: ignore[arg-type]
            .serial_number(x509.random_serial_number())
            .not_valid_before(today - dt.timedelta(days=1))
            .not_valid_after(today + dt.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
                critical=False,
            )
        )
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
