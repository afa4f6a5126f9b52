"""Bodies of answers: chunks, packings, and what is not whole."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import http_body

PAGE = b"<p>The valve was open at 02:14, said 417 men of the yard, and nobody closed it before the rain came.</p>"
PACKINGS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def in_chunks(data: bytes, size: int = 37) -> bytes:
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("coding", PACKINGS)
@pytest.mark.parametrize("chunked", [False, True])
def test_what_is_packed_is_unpacked(coding, chunked):
    raw = PACKINGS[coding](PAGE)
    body = http_body.read(in_chunks(raw) if chunked else raw, coding.upper(), is_chunked=chunked)
    assert body == http_body.Body(PAGE)


@pytest.mark.parametrize("coding", PACKINGS)
def test_what_is_cut_off_says_so(coding):
    data = bytes(range(32, 127)) * 3 + PAGE
    raw = PACKINGS[coding](data)
    body = http_body.read(raw[: len(raw) * 3 // 4], coding, is_chunked=False)
    assert body.is_cut or body.why
    assert data.startswith(body.content)


@pytest.mark.parametrize(
    ("raw", "codings", "chunked"),
    [
        (gzip.compress(brotli.compress(PAGE)), "br, gzip", False),
        (zlib.compress(PAGE)[2:-4], "deflate", False),  # without the frame that the standard asks for
        (gzip.compress(PAGE[:40]) + gzip.compress(PAGE[40:]), "gzip", False),
        (gzip.compress(PAGE), "", False),  # packed, and nothing says so
        (PAGE, "br", False),  # said to be packed, and is not
        (PAGE, "gzip", True),
        (PAGE, "identity", False),
    ],
)
def test_bodies_are_taken_for_what_they_are(raw, codings, chunked):
    assert http_body.read(raw, codings, is_chunked=chunked) == http_body.Body(PAGE)


@pytest.mark.parametrize("coding", PACKINGS)
def test_an_unknown_packing_is_named_and_a_bomb_is_not_unpacked(coding, monkeypatch):
    assert "(compress)" in http_body.read(b"\x1f\x9d\x90\0", "compress", is_chunked=False).why
    monkeypatch.setattr(http_body, "MOST", 1_000)
    assert "larger" in http_body.read(PACKINGS[coding](bytes(9_000)), coding, is_chunked=False).why


@given(st.binary(max_size=300), st.sampled_from(["", "gzip", "deflate", "br", "zstd", "br,gzip"]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_bytes_break_it(raw, codings, chunked):
    http_body.read(raw, codings, is_chunked=chunked)
