"""Passages of invented words with random vectors, and what is right to find among them."""

from __future__ import annotations

import hashlib

import numpy

from core.domain import PageText, Span
from core.ports import Outline

MODEL = "model of 24"
SYLLABLES = ["pa", "ro", "ti", "mek", "sul", "vo", "den", "kir", "lau", "bo"]


def units(rng, count, dimensions=24):
    values = rng.standard_normal((count, dimensions))
    values /= numpy.linalg.norm(values, axis=1, keepdims=True)
    return [row.astype("<f4").tobytes() for row in values]


def brute(rows, query, k):
    """(chunk, cosine) by products in float64."""
    vector = numpy.frombuffer(query, "<f4").astype(float)
    hits = []
    for chunk, data in rows.items():
        row = numpy.frombuffer(data, "<f4").astype(float)
        hits.append((chunk, float(row @ vector / numpy.linalg.norm(row) / numpy.linalg.norm(vector))))
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]


def words_of(rng, count):
    """Words as in prose: a few very common ones, many rare ones."""
    return ["".join(SYLLABLES[int(d)] for d in str(int(min(9999, rng.paretovariate(0.6) * 10)))) for _ in range(count)]


def begun(case, name):
    data = name.encode()
    return case.documents.begin(
        name=name, kind="text", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
    )


def with_chunks(case, name, texts):
    document = begun(case, name)
    page, spans, offset = [], [], 0
    for text in texts:
        page.append(text)
        spans.append(Span(offset, offset + len(text)))
        offset += len(text) + 1
    ids = case.documents.put_pages(document, [(PageText(1, "\n".join(page)), spans)])
    case.documents.finish(document, Outline("text", 1))
    return document, ids
