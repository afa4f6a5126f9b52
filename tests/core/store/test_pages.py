"""Pages and passages: what is kept comes back exactly."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain import PageText, Span
from core.ports import Outline
from core.store import CaseFile
from tests.core.store.material import add

ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=300)


@pytest.fixture(scope="module")
def shared_case(tmp_path_factory):
    with CaseFile.create(tmp_path_factory.mktemp("any") / "a.disconfirm") as new_case:
        yield new_case


def test_pages_of_all_documents_come_in_order_of_import(case):
    for number in range(12):
        add(case, f"{number}.txt", [f"Text {number}."])
    assert [page.document for page in case.pages.of(None)] == [f"D{n}" for n in range(1, 13)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ANY_TEXT, data=st.data())
def test_any_text_and_any_span_come_back(shared_case, text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    original = f"{shared_case.counts()['documents']}".encode()
    document = shared_case.documents.begin(
        name=text, kind="text", sha256=hashlib.sha256(original).hexdigest(), data=original, reader=text
    )
    (chunk,) = shared_case.documents.put_pages(document, [(PageText(1, text, label=text), [Span(start, end)])])
    shared_case.documents.finish(document, Outline("text", 1, title=text, author=text))
    page = shared_case.pages.page(document, 1)
    assert (page.text, page.label, page.fingerprint) == (text, text, text)
    assert shared_case.pages.chunks([chunk])[chunk].text == text[start:end]
    assert shared_case.documents.get(document).title == text
    hypothesis = shared_case.hypotheses.add(text, note=text)
    assert shared_case.hypotheses.get(hypothesis.id) == hypothesis
    assert hypothesis.text == text
