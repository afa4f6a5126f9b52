"""One fold for index and query: what a person types finds what stands there in another spelling or form."""

from __future__ import annotations

import apsw
import pytest

from core.language import fold
from core.store import schema

PASSAGES = {
    "de": "Die Straße wurde nicht gesperrt. Müßig hat die War-\ntungsarbeiten im Werk, die Größe der Pumpen notiert.",
    "ru": "Двери сейфа были закрыты; ещё до этого за́мок открыл Соколов.",
    "ar": "وصلت المُدَرِّسَة إلى المدرسة في ١٢ مارس ٢٠٢٤.",
    "zh": "王伟说门锁完好无\n损。",
    "th": "ประตูถูกล็อก",
    "fr": "Les portes étaient fermées par l'ingénieur dans la soirée.",
    "hi": "हिन्दी में लिखा है",
}


@pytest.fixture(scope="module")
def index():
    db = apsw.Connection(":memory:")
    schema.create_words(db)
    for number, text in enumerate(PASSAGES.values(), start=1):
        db.execute(schema.ADD_WORDS, (number, *fold.columns(text)))
    return db


def languages(db, expression):
    rows = db.execute(f"SELECT rowid FROM {schema.WORD_TABLE} WHERE {schema.WORD_TABLE} MATCH ?", (expression,))
    return {list(PASSAGES)[row[0] - 1] for row in rows}


@pytest.mark.parametrize(
    ("word", "language"),
    [
        *(("Straße", "de"), ("strasse", "de"), ("STRASSE", "de"), ("Muessig", "de"), ("Musig", ""), ("Größe", "de")),
        *(("Wartungsarbeiten", "de"), ("tungsarbeiten", "de"), ("Pumpe", "de")),
        *(("дверь", "ru"), ("сейф", "ru"), ("еще", "ru"), ("замок", "ru"), ("сейфы", "ru")),
        *(("المدرسة", "ar"), ("مدرسة", "ar"), ("12", "ar"), ("٢٠٢٤", "ar"), ("2024", "ar")),
        *(("门锁", "zh"), ("王伟", "zh"), ("无损", "zh"), ("锁", "zh"), ("损", "zh"), ("锁门", "")),
        *(("ล็อก", "th"), ("porte", "fr"), ("fermee", "fr"), ("हिन्दी", "hi"), ("हिन", "")),
    ],
)
def test_a_word_is_found_in_its_forms(index, word, language):
    forms = [fold.phrase((word,)), *(f'"{form}"' for form in fold.forms_of_query(word))]
    assert languages(index, " OR ".join(forms)) == ({language} if language else set())


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("die Wartungsarbeiten im Werk", "de"),
        ("die War tungsarbeiten im Werk", "de"),
        ("门锁完好", "zh"),
        ("门锁损", ""),
        ("完好无损", "zh"),
        ("ถูกล็อก", "th"),
        ("المدرسه في 12 مارس", "ar"),
        ("двери сейф", ""),
    ],
)
def test_a_phrase_is_found_as_it_stands(index, words, language):
    assert languages(index, fold.phrase(fold.WORD.findall(words))) == ({language} if language else set())


def test_letters_that_differ_in_meaning_stay_apart():
    assert fold.fold("й") != fold.fold("и")
    assert fold.fold("10⁶") == "10 ⁶ "
    assert fold.fold("CO₂ é Ø ﬁ Ａ") == "co2 e o fi a"


def test_a_row_is_found_as_it_stands_and_as_it_is_read():
    db = apsw.Connection(":memory:")
    schema.create_words(db)
    columns = fold.columns("07:58\twhite van\tin", "07:58 · vehicle: white van · Größe: in")
    assert columns[0] == fold.columns("07:58\twhite van\tin")[0]
    db.execute(schema.ADD_WORDS, (1, *columns))
    for phrase in ("07:58 white van in", "vehicle: white van", "groesse"):
        expression = fold.phrase(fold.WORD.findall(phrase))
        assert db.execute(f"SELECT rowid FROM {schema.WORD_TABLE} WHERE {schema.WORD_TABLE} MATCH ?", (expression,)).get
