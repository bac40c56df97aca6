"""Removes secrets and folder names from text that is written to the log."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

MASK = "***"
API_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"c?sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{12,}"
    r"|(?:hf|gsk|r8|fw|ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}"
    r"|(?:github_pat_|glpat-|nvapi-|xai-|pplx-)[A-Za-z0-9_-]{20,}"
    r"|AIza[A-Za-z0-9_-]{30,}"
    r"|AKIA[A-Z0-9]{16}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r"|Bearer\s+\S{12,}"
    r")"
)
"""API keys with a prefix that identifies their issuer."""
LOGIN = re.compile(r"(?<=://)[^\s/@]+@")
"""User name and password of a URL."""
QUOTED_PATH = re.compile(r"""(?<=['"])(?:[A-Za-z]:[\\/]|[\\/~])[^'"\n]*(?=['"])""")
PLAIN_PATH = re.compile(r"""(?<![\w:/\\])(?:[A-Za-z]:|~)?[\\/][^\s'"]+""")
"""An absolute path outside of quotes; it ends at a blank. The path of a URL is not matched."""


def redact(text: str) -> str:
    """Return text with API keys and logins masked, and absolute paths reduced to the file name."""
    text = LOGIN.sub(f"{MASK}@", API_KEY.sub(MASK, text))
    for pattern in (QUOTED_PATH, PLAIN_PATH):
        text = pattern.sub(lambda match: file_name(match.group()), text)
    return text


def file_name(path: str) -> str:
    """Return the last component of a path of any operating system."""
    return PurePosixPath(path.replace("\\", "/")).name
