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
    assert session.workbench.evidence.raters() == ("Ines Okoro",)


def test_whoever_gives_a_name_is_the_person_who_rated_without_one(bar, session):
    said = []
    session.told.connect(lambda text, undo: said.append((text, undo)))
    session.sign_as("Ines Okoro")
    assert said == [("Signed “Ines Okoro” as well: 1 rating that you gave before.", True)]
    assert session.workbench.evidence.raters() == ("Ines Okoro",)
    assert session.workbench.matrix.group().opinions[0].by == "Ines Okoro"
    session.undo()
    assert session.workbench.evidence.raters() == ("Analyst",)


def test_where_somebody_else_rated_too_they_stay_two(bar, session):
    session.sign_as("Bo")
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    session.undo()
    session.undo()
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    session.sign_as("Analyst")
    session.sign_as("Ines Okoro")
    assert session.workbench.evidence.raters() == ("Analyst", "Bo")


def test_it_is_asked_once(bar, session):
    bar.decline_button.click()
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    assert bar.isHidden()
    assert settings.load().analyst == ""
