"""The digest of a page file: what tells whether it still is the file that somebody looked at."""

import hashlib


def digest_of(content: str | bytes) -> str:
    """SHA-256 of a file's bytes in hex; of a text, of its bytes in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
