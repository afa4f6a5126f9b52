"""The language of a sentence."""

from __future__ import annotations

import pytest

from core.language.identification import (
    code_of,
    has_running_text,
    is_known,
    is_plainly_english,
    language_of,
    name_of,
    possible_languages,
    without_mail_header,
)


@pytest.mark.parametrize(
    ("text", "document", "language"),
    [
        ("The pump stopped.", "", "en"),
        ("Die Pumpe ist nicht angehalten.", "", "de"),
        ("La pompe est dans les caves.", "", "fr"),
        ("Los guardias del turno son tres.", "", "es"),
        ("Vakten låste ikke porten, og ble sittende.", "", "no"),
        ("Vagten låste ikke porten og blev siddende af frygt.", "", "da"),
        ("Vakten låste inte porten och det är allt.", "", "sv"),
        ("Насос остановлен.", "", "ru"),
        ("Насос зупинено.", "uk", "uk"),
        ("توقفت المضخة", "", "ar"),
        ("门锁完好无损。", "", "zh"),
        ("鍵は無事でした。", "", "ja"),
        ("Pumpe 4: defekt", "de", "de"),  # nothing tells but the document
        ("Pumpe 4: defekt", "", "en"),
        ("The pump of the works had stopped.", "de", "en"),  # quoted in a German report
        ("Der Satz “the pump” ist von ihm.", "de", "de"),
        ("1931?", "fi", "fi"),
        ("", "", "en"),
        ("Pump stopped", "ru", "en"),
        ("The register was in the hands of Müller & Søn.", "", "en"),
    ],
)
def test_script_small_words_and_document_tell(text, document, language):
    assert language_of(text, document) == language


def test_a_language_has_an_english_name():
    assert (name_of("de"), name_of("xx")) == ("German", "xx")


def test_a_language_is_known_by_its_code_and_by_its_name():
    assert (code_of("de"), code_of("German"), code_of("x")) == ("de", "de", "")


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Who opened the valve?", {"en"}),
        ("Wer hat das Ventil geöffnet, und warum nicht am Tag?", {"de"}),
        ("Meridian Ltd", set()),  # a name stands in a text of any language
        ("1931?", set()),
        ("", set()),
        ("Кто открыл клапан?", {"ru", "be", "bg", "kk", "ky", "mk", "mn", "sr", "uk"}),
        ("谁打开了阀门", {"zh", "ja"}),
        ("バルブ", {"ja"}),
    ],
)
def test_the_languages_that_a_query_may_be_of(text, languages):
    assert possible_languages(text) == languages


def test_the_header_of_a_mail_tells_nothing_of_its_language():
    header = "From: 王伟 <w@works.example>\nDate: Wed, 13 Mar 2024 08:05:00 +0100\nSubject: P3\n"
    assert without_mail_header(f"{header}\n泵房的门锁没有损坏。") == "泵房的门锁没有损坏。"
    assert without_mail_header(header) == ""
    assert without_mail_header("Date of the report: today\nFrom there on") == "Date of the report: today\nFrom there on"


def test_a_language_that_the_words_show_is_known():
    assert is_known("Vakten låste ikke porten, og ble sittende.", "")
    assert is_known("The gate was not locked.", "")
    assert not is_known("LPT-4 · Holm", "")


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("The guard of the north gate had not seen the men who were at the quay.", True),
        ("The guard of the gate had not said 'no lo vimos en el muelle' at the quay, by the way.", False),
        ("Der Wächter had at of the Tor.", False),
        ("The gate of the quay, the gate.", False),  # two different ones could be a name
        ("Il a lu The Dogs of War, and at the end of the day.", False),
        ("Pumps, valves, gates: 12 of 30, 14 of 31, 15 of 32, 16 of 33, 17 of 34.", False),
        ("", False),
    ],
)
def test_a_text_is_plainly_english_by_several_small_words_and_none_of_another_language(text, is_plain):
    assert is_plainly_english(text) is is_plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The guard of the north gate had not seen the men at the quay.", True),
        ("Gizona goizeko bederatzietan iritsi zen eta atea itxita zegoen gau osoan zehar.", True),
        ("Мы видели, как этот человек ушёл со склада поздно ночью.", True),
        ("06:03 Tor 4 zu, Fenn\n06:10 Tor 5 zu, Aske", False),
        (
            "day · time: 14:06 · door: store · badge: B-114 · holder: none · result: opened · note: late · by: guard",
            False,
        ),
        ("T1 -18.2 -18.1 -12.4", False),
        ("", False),
    ],
)
def test_tables_and_logs_have_no_running_text(text, expected):
    assert has_running_text(text) is expected
