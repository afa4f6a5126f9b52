from __future__ import annotations

import random

import pytest

from core.domain import LeftOut
from core.engines.readers import charsets
from core.engines.readers.dispatch import FileReader
from core.engines.readers.plain_text import decode


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("latin-1", "cp1252"),
        ("US-ASCII", "cp1252"),
        (" iso-8859-1\n", "cp1252"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("shift_jis", "cp932"),
        ("euc-kr", "cp949"),
        ("ks_c_5601", "cp949"),
        ("big5", "big5hkscs"),
        ("iso-8859-9", "cp1254"),
        ("tis-620", "cp874"),
        ("koi8-r", "koi8-r"),
        ("cp850", "cp850"),
        ("macintosh", "mac-roman"),
        ("iso-2022-kr", "iso2022_kr"),
        ("unknown-8bit", ""),
        ("base64", ""),
        ("rot13", ""),
        ("", ""),
    ],
)
def test_labels_are_taken_as_browsers_take_them(label, codec):
    assert charsets.codec(label) == codec


@pytest.mark.parametrize(
    ("text", "charset", "label"),
    [
        ("he said “nobody asked” and left… at €500 – he didn’t", "cp1252", "iso-8859-1"),
        ("he said “nobody asked”", "cp1252", "ascii"),
        ("朱镕基 泵房", "gbk", "gb2312"),
        ("① 髙橋さんの会議", "cp932", "shift_jis"),
        ("똠방각하", "cp949", "ks_c_5601-1987"),
        ("İstanbul’da görüştük", "cp1254", "iso-8859-9"),
        ("“กรุงเทพ”", "cp874", "tis-620"),
        ("服务", "gbk", "gb2312"),
        ("Grüße", "utf-7", "utf-7"),
    ],
)
def test_a_stated_encoding_is_read_with_all_that_its_table_has(text, charset, label):
    assert decode(text.encode(charset), encoding=label) == text


def test_japanese_mail_with_the_characters_of_vendors():
    assert decode(b"\x1b$B\x2d\x21\x32\x71\x35\x44\x1b(B ok", encoding="iso-2022-jp") == "①会議 ok"
    assert decode("日本語\n会議".encode("iso-2022-jp"), encoding="iso-2022-jp") == "日本語\n会議"


def test_text_that_is_nearly_utf8_stays_so_and_marks_the_odd_bytes():
    german = "Die Prüfung in Zürich wurde für Müller verschoben. Ärger größer. "
    data = german.encode() + b"Log \xd2 entry"
    for label in ("", "iso-8859-1", "utf-8"):
        assert decode(data, encoding=label) == german + "Log \ufffd entry"
    halves = "\ud83d\ude00".encode("utf-8", "surrogatepass")  # of a character beyond the first 65,536
    assert decode("Größe für Müller ".encode() + halves) == "Größe für Müller 😀"
    assert decode("Grüße 世".encode()[:-1]) == "Grüße \ufffd"
    assert decode("Grüße größer für".encode("cp1252")) == "Grüße größer für"


WIDE = {
    "russian": "Договор был подписан в Москве пятого мая. Насос остановился ночью.",
    "greek": "Η αντλία σταμάτησε στις δύο.",
    "arabic": "توقفت المضخة في الساعة الثانية صباحا",
    "japanese": "東京の会議は中止になりました。予備員は門を閉めなかった。",
    "korean": "펌프가 두 시에 멈췄다.\n아무도 몰랐다.",
    "english": "The pump stopped at two.",
}


@pytest.mark.parametrize("language", WIDE)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_without_a_mark_in_any_script(language, encoding):
    assert decode(WIDE[language].encode(encoding)) == WIDE[language]


def test_utf8_with_control_characters_is_no_wide_encoding():
    for text in ("\U0001f600\u05d0\u202e\u0001" * 50, "Größe\x01 und Maß\x0c\x02 " * 3):
        data = text.encode()
        assert charsets.wide(data) == ""
        assert decode(data) == text


def test_bytes_of_no_text_are_no_wide_encoding():
    dice = random.Random(7)
    for size in (60, 400, 4_000):
        assert charsets.wide(bytes(dice.randrange(256) for _ in range(size))) == ""
    assert charsets.wide(b"Bush hid the facts") == ""


SHORT = [
    ("東京の会議は中止", "cp932"),
    ("東京の会議は中止になりました。", "euc_jp"),
    ("Strážný nezamkl bránu ve dvě hodiny ráno, ačkoliv měl příkaz.", "iso8859-2"),
    ("Strážný nezamkl bránu ve dvě hodiny ráno, ačkoliv měl příkaz.", "cp1250"),
    ("Насос остановился в два часа", "koi8-r"),
    ("Насос остановился в два часа", "cp1251"),
    ("Насос остановился в два часа", "cp866"),
    ("Strażnik nie zamknął bramy, choć miał rozkaz", "iso8859-2"),
    ("Görevli kapıyı kapatmadı, oysa emir almıştı", "cp1254"),
    ("Ο φύλακας δεν κλείδωσε την πύλη", "cp1253"),
    ("השומר לא נעל את השער", "cp1255"),
    ("警卫没有锁门", "gb18030"),
    ("會議取消了，警衛沒有鎖門", "big5"),
    ("경비원은 문을 잠그지 않았다", "cp949"),
    ("ยามไม่ได้ล็อคประตู", "cp874"),
    ("“quoted” – dash", "cp1252"),
    ("Le café était fermé à deux heures", "cp1252"),
    ("café", "cp1252"),
    ("Le gardien n’a pas fermé la grille ; coût : 500 €", "cp1252"),
    ("Le coût est de 500 € pour l'œuvre.", "iso8859-15"),
    ("Die Prüfung kostet 12 €.", "iso8859-15"),
    ("3½ tons and ½ of it", "cp1252"),
    ("über 5¾ Zoll", "cp1252"),
    ("東京の会議は中止", "iso2022_jp"),
    ("泵房的门没有锁。\nCall 117.", "hz"),
]


@pytest.mark.parametrize(("text", "charset"), SHORT)
def test_short_texts_are_told_by_their_letters(text, charset):
    assert decode(text.encode(charset)) == text


def test_braces_of_a_program_are_no_table_of_characters():
    text = "Set ~{x}, ~{user~} and ~{~} before the ~{next} run ~}."
    assert decode(text.encode()) == text


def test_doubt_and_odd_bytes_are_said():
    outline, _ = FileReader().read("Ende é".encode("cp1252"), "a.txt")
    assert [(attribution.field, attribution.certainty) for attribution in outline.attributions] == [("encoding", "L")]
    outline, page, left_out = FileReader().read("Grüße für Müller ".encode() + b"\xd2", "a.txt")
    assert (outline.attributions, page.text[-1]) == ((), "\ufffd")
    assert left_out == LeftOut("unreadable byte", 1, "marked � in the text")


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp437", "Prüfung señor naïve"),
        ("cp850", "élève Ålørdag ÜBERSICHT façade"),
        ("cp852", "příloha Škoda žádost Łódź"),
        ("cp866", "Отчёт ДОГОВОР счет-фактура письмо"),
        ("cp932", "報告書 会議メモ 東京 新しいフォルダー"),
        ("gb18030", "合同 新建文本文档 会议记录"),
        ("cp949", "보고서 회의록 사진 계약서"),
    ],
)
def test_names_in_archives_are_read_in_the_likeliest_encoding(encoding, names):
    assert [charsets.file_name(f"{name}.txt".encode(encoding)) for name in names.split()] == [
        f"{name}.txt" for name in names.split()
    ]
