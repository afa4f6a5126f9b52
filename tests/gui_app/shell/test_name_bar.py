"""The question under which name a person rates: after the first rating, and once."""

from __future__ import annotations

import pytest

from core import settings
from gui_app.session import CaseSession
from gui_app.shell.name_bar import NameBar


@pytest.fixture
def bar(filled, session: CaseSession, qtbot) -> NameBar:
    session.sign_as(settings.load().who)
    bar = NameBar(session)
    qtbot.addWidget(bar)
    evidence = session.do(lambda bench: bench.evidence.add("The guard saw a van.", source="the guard"))
    assert evidence is not None
    assert bar.isHidden()
    session.do(lambda bench: bench.evidence.rate("E1", "H1", "I"))
    return bar


def test_the_name_is_asked_for_after_the_first_rating(bar, session, qtbot):
    assert "Analyst" in bar.text.text()
    assert not bar.use_button.isEnabled()
    qtbot.keyClicks(bar.field, "Ines Okoro")
    bar.use_button.click()
    assert (bar.isHidden(), settings.load().analyst, session.who) == (True, "Ines Okoro", "Ines Okoro")
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    assert set(session.workbench.evidence.raters()) == {"Analyst", "Ines Okoro"}


def test_it_is_asked_once(bar, session):
    bar.decline_button.click()
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    assert bar.isHidden()
    assert settings.load().analyst == ""
