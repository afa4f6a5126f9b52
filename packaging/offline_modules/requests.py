"""Stands in for the HTTP client of this name, which one library imports and never calls here: it reaches no network."""

from __future__ import annotations

from typing import NoReturn


class RequestException(OSError):
    """The error of a request."""


class Response:
    """The type of an answer that never comes."""


def get(url: str, **_options: object) -> NoReturn:
    """Refuse. Raises RequestException."""
    raise RequestException(f"The packaged program holds no HTTP client; {url} was not asked for.")
