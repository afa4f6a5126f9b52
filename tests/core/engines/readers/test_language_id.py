"""The language of a text: of prose at any length, of none where there are no sentences."""

from __future__ import annotations

from collections import Counter

import pytest

from core.engines.readers import language_id
from tests.eval import identification, wordless

ENGLISH = (
    "The committee met on Tuesday to discuss the report, and agreed that more evidence was needed before a decision. "
)
GERMAN = "Der Ausschuss trat am Dienstag zusammen, um den Bericht zu beraten, und hielt weitere Beweise für nötig. "
RUSSIAN = "Комитет собрался во вторник, чтобы обсудить доклад, и решил, что нужны новые доказательства. "
MAIL_HEAD = (
    "From: M. Husseini <m.husseini@works.example>\nTo: Direction <d@works.example>\n"
    "Date: Wed, 13 Mar 2024 08:05:00 +0100\nSubject: P3\n\n"
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (ENGLISH * 4, "en"),
        (GERMAN * 4, "de"),
        (RUSSIAN * 4, "ru"),
        (GERMAN, "de"),
        (RUSSIAN, "ru"),
        (ENGLISH.upper() * 4, "en"),
        (GERMAN.upper(), "de"),
        (GERMAN * 1_000, "de"),
        (
            "维护报告\n该泵最后一次维护是在2021年5月3日。\n此后轴承没有再次润滑。技术员吕强写道，轴承直径为48毫米。",
            "zh",
        ),
        ("ポンプは三月十二日の夜に止まった。軸受はそれ以来、一度も注油されていなかった。", "ja"),
        ("田中太郎 佐藤花子 鈴木一郎 高橋次郎 渡辺三郎 伊藤四郎 山本五郎 中村六郎", ""),
        (MAIL_HEAD + "في 12 مارس 2024 توقفت المضخة رقم 3 في محطة النهر. لم يكن قفل باب غرفة المضخات مكسورا.", "ar"),
        (MAIL_HEAD + "2024年3月12日左右，河口泵站的三号泵停机。损失为310万元。泵房的门锁没有损坏。", "zh"),
        ("Too short.", ""),
        ("", ""),
        ("12.5 44.1 98 AA 3 0x33 17 22 " * 80, ""),
        ("Smith Jones Brown Miller Garcia Rossi Dubois Schmidt " * 20, ""),
        ("Krzysztof Wiśniewski, Małgorzata Wójcik, Stanisław Dąbrowski, " * 10, ""),
        ("KRZYSZTOF WIŚNIEWSKI, MAŁGORZATA WÓJCIK, STANISŁAW DĄBROWSKI, " * 10, ""),
        ("Jan van der Berg, Piet ter Horst, Kees van den Broek, Anneke de Vries, " * 10, ""),
        ("ATCGATTAGCATTAGC" * 60, ""),
        (GERMAN * 4 + ENGLISH * 4, ""),
        (RUSSIAN * 20 + ENGLISH * 20, ""),
        (GERMAN * 20 + "Smith Jones Brown Miller Garcia Rossi " * 3, "de"),
    ],
)
def test_the_language_of_a_text(text, code):
    assert language_id.of(text) == code


def test_no_text_of_ours_is_taken_for_another_language_and_few_are_left_without_one():
    right, total = Counter(), Counter()
    for language, length, text in identification.texts():
        answer = language_id.of(text)
        assert answer in ("", language), text
        right[length] += answer == language
        total[length] += 1
    shares = {length: right[length] / count for length, count in total.items()}
    assert shares["sentence"] > 0.85
    assert shares["paragraph"] == shares["page"] == 1


def test_lists_logs_tables_and_names_have_no_language_or_are_english():
    assert {language_id.of(text) for text in identification.lists().values()} <= {"", "en"}


@pytest.mark.parametrize("kinds", [wordless.TUNING, wordless.CHECKING])
def test_lists_made_at_random_have_no_language_or_are_english(kinds):
    answers = {(kind, language_id.of(text), is_english) for kind, is_english, text in wordless.texts(kinds, 12)}
    assert {(kind, code) for kind, code, is_english in answers if code and not (code == "en" and is_english)} == set()


def test_latin_prose_is_latin_and_short_lines_of_prose_keep_their_language():
    latin = "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam Celtae."
    assert language_id.of(latin) == "la"
    assert language_id.of(GERMAN.replace(" ", "\n").replace("\nden\nBericht\nzu\n", " den Bericht zu ")) == "de"
