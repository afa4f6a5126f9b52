"""Old Word documents: built here byte by byte, with pieces, formats, notes, tables and fields."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.readers.test_package_parts import native
from tests.core.engines.readers.test_pictures import picture

END, FREE = 0xFFFFFFFE, 0xFFFFFFFF


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file of one folder level: 'ObjectPool/_1/x' is put below its storages. All streams are large."""
    paths = sorted(streams)
    folders = sorted({path.rsplit("/", n)[0] for path in paths for n in range(1, path.count("/") + 1)})
    entries = ["", *folders, *paths]
    sectors: list[bytes] = []
    table: list[int] = []

    def chain(data: bytes) -> int:
        start = len(sectors)
        blocks = [data[place : place + 512].ljust(512, b"\0") for place in range(0, len(data), 512)]
        sectors.extend(blocks)
        table.extend([*range(start + 1, start + len(blocks)), END])
        return start

    places = {path: chain(streams[path].ljust(4096, b"\0")) for path in paths}
    sizes = {path: max(4096, len(streams[path])) for path in paths}
    children = {
        folder: [e for e in entries[1:] if e.rpartition("/")[0] == folder and e != folder] for folder in ["", *folders]
    }
    numbers = {entry: number for number, entry in enumerate(entries)}
    following = {}
    for inside in children.values():
        following |= dict(pairwise(inside))
    directory = b""
    for entry in entries:
        name = (entry.rpartition("/")[2] or "Root Entry").encode("utf-16-le")
        kind = 5 if not entry else 1 if entry in folders else 2
        first = numbers[children[entry][0]] if children.get(entry) else FREE
        right = numbers[following[entry]] if entry in following else FREE
        start, size = (places[entry], sizes[entry]) if kind == 2 else (END if kind == 5 else 0, 0)
        head = name.ljust(64, b"\0") + struct.pack("<HBBIII", len(name) + 2, kind, 1, FREE, right, first)
        directory += head + bytes(36) + struct.pack("<IQ", start, size)
    directory_start = chain(directory.ljust(-(-len(directory) // 512) * 512, b"\0"))
    tables = -(-(len(table) + 1) // 128) or 1
    tables = -(-(len(table) + tables) // 128)
    table += [0xFFFFFFFD] * tables
    table += [FREE] * (128 * tables - len(table))
    first_table = len(sectors)
    sectors.append(struct.pack(f"<{len(table)}I", *table))
    numbers_of_tables = [*range(first_table, first_table + tables)]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, tables, directory_start, 0, 4096, END, 0, END, 0)
    head += struct.pack("<109I", *numbers_of_tables, *[FREE] * (109 - tables))
    return head + b"".join(sectors)


def sprm(code: int, value: int) -> bytes:
    size = (1, 1, 2, 4, 2, 2, 0, 3)[code >> 13]
    return struct.pack("<H", code) + value.to_bytes(size, "little")


STRIKE, HIDDEN, DELETED = sprm(0x0837, 1), sprm(0x083C, 1), sprm(0x0800, 1)
RAISED, LOWERED = sprm(0x2A48, 1), sprm(0x2A48, 2)
STYLE = b"\0\0is"  # before the number of a style, which is no change
CELL, ROW = sprm(0x2416, 1), sprm(0x2416, 1) + sprm(0x2417, 1)


def fkp(runs: list[tuple[int, int, bytes]], *, is_paragraph: bool) -> bytes:
    """A page of formats."""
    page, offset = bytearray(512), 508
    offsets = [run[0] for run in runs] + [runs[-1][1]]
    struct.pack_into(f"<{len(offsets)}I", page, 0, *offsets)
    for number, (_, _, changes) in enumerate(runs):
        style = next((changes[4:6] for code in [STYLE] if changes.startswith(code)), b"\0\0")
        changes = style + changes.removeprefix(STYLE + style) if is_paragraph else changes
        if not changes:
            continue
        changes += b"\0" * (is_paragraph and 1 - len(changes) % 2)
        data = bytes([(len(changes) + 1) // 2 if is_paragraph else len(changes)]) + changes
        offset = (offset - len(data)) // 2 * 2
        page[offset : offset + len(data)] = data
        page[4 * len(offsets) + number * (13 if is_paragraph else 1)] = offset // 2
    page[511] = len(runs)
    return bytes(page)


def word(
    text: list[tuple[str, bytes]],
    *,
    columns: int = 0,
    parts: dict[int, list[str]] | None = None,
    streams: dict[str, bytes] | None = None,
    tables: dict[int, bytes] | None = None,
    flags: int = 0,
    compress: bool = False,
    paragraphs: list[bytes] | None = None,
) -> bytes:
    """A Word 97 document. ``columns`` are those of its table, which begins with #; ``parts`` has texts beside the main.

    They are named by number: 1 foot notes, 2 margins, 4 comments, 6 text boxes; ``tables`` by that of their place.
    ``paragraphs`` are the changes of the format of each.
    """
    counts, plcs, runs = [sum(len(t) for t, _ in text)] + [0] * 7, {}, list(text)
    for number, texts in sorted((parts or {}).items()):
        starts = [0]
        for content in texts:
            runs.append((content, b""))
            starts.append(starts[-1] + len(content))
        counts[number] = starts[-1]
        plcs[{1: 3, 2: 11, 4: 5, 5: 47, 6: 56}[number]] = struct.pack(f"<{len(starts) + 1}i", *starts, starts[-1] + 1)
    whole = "".join(t for t, _ in runs)
    width = 1 if compress else 2
    raw = whole.encode("cp1252") if compress else whole.encode("utf-16-le")
    looks, begin = [], 2048
    for t, changes in runs:
        looks.append((begin, begin + width * len(t), changes))
        begin += width * len(t)
    marks, start, cells = [], 0, 0
    for position, char in enumerate(whole):
        if char not in "\r\x07\x0c":
            continue
        is_row_end = char == "\x07" and cells == columns
        in_cell = (columns and "\x07" in whole[start:] and "\x07" in whole[: position + 1]) or whole[start] == "#"
        form = ROW if is_row_end else CELL if in_cell else b""
        form += paragraphs[len(marks)] if paragraphs else b""
        marks.append((2048 + width * start, 2048 + width * (position + 1), form))
        cells = 0 if is_row_end else cells + (char == "\x07")
        start = position + 1
    main = bytearray(2048) + raw
    main += bytes(-len(main) % 512)
    pages = {}
    for number, formats, is_paragraph in ((12, looks, False), (13, marks, True)):
        if formats:
            pages[number] = struct.pack("<III", formats[0][0], formats[-1][1], len(main) // 512)
            main += fkp(formats, is_paragraph=is_paragraph)
    total = len(whole)
    offset = 2048 * 2 | 0x40000000 if compress else 2048
    clx = struct.pack("<II", 0, total) + struct.pack("<HIH", 0, offset, 0)
    table, places = b"", {}
    for number, data in {**pages, **plcs, **(tables or {}), 33: b"\2" + struct.pack("<I", len(clx)) + clx}.items():
        places[number] = (len(table), len(data))
        table += data
    struct.pack_into("<HH", main, 0, 0xA5EC, 193)
    struct.pack_into("<H", main, 10, 0x200 | flags)
    struct.pack_into("<8i", main, 0x4C, *counts)
    for number, place in places.items():
        struct.pack_into("<II", main, 0x9A + 8 * number, *place)
    return compound({"WordDocument": bytes(main), "1Table": table, **(streams or {})})


def read(data: bytes) -> tuple[PageText, list]:
    _, *items = FileReader().read(data, "a.doc")
    (page,) = (item for item in items if isinstance(item, PageText))
    return page, items


@pytest.mark.parametrize("compress", [False, True])
def test_words_are_read_with_what_is_struck_hidden_deleted_and_raised(compress: bool) -> None:
    text = [
        ("The tenant may ", b""), ("not ", STRIKE), ("sublet", b""), (" gone", DELETED), (" unseen", HIDDEN),
        (". 10", b""), ("6", RAISED), (" CO", b""), ("2", LOWERED), ("\rCafé.\r", b""),
    ]  # fmt: skip
    page, _ = read(word(text, compress=compress))
    assert page.text == "The tenant may not sublet unseen. 10⁶ CO₂\n\nCafé.\n\nDeleted: gone"
    assert [page.text[s:e] for s, e in page.struck_spans] == ["not "]
    assert [page.text[s:e] for s, e in page.hidden_spans] == [" unseen", "Deleted: gone"]


def test_tables_keep_their_rows_and_empty_cells() -> None:
    cells = "before\r#Name\x07\x07Age\x07\x07Ann\x07x\ry\x0731\x07\x07after\r"
    page, _ = read(word([(cells, b"")], columns=3))
    assert page.text == "before\n\n#Name · Age\nAnn · x y · Age: 31\n\nafter"
    assert len(page.tables) == 1


def test_notes_margins_comments_and_boxes_are_read() -> None:
    parts = {
        1: ["\x02 See the log.\r", "\x02 And the book.\r"],
        2: ["", "", "", "", "", "", "Even head\r", "Head\r", "", "Foot\r", "", "\r"],
        4: ["\x05Who says so?\r"],
        6: ["Boxed words\r"],
    }
    page, _ = read(word([("Body.\r", b"")], parts=parts))
    assert page.text.split("\n\n") == [
        "Even head", "Head", "Body.", "Boxed words", "Footnote: See the log.", "Footnote: And the book.",
        "Comment: Who says so?", "Foot",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('see \x13HYPERLINK "http://a.b"\x14the link\x15.\r', "see the link."),
        ("\x13IF \x13PAGE\x147\x15 = 1\x14shown\x15\r", "shown"),
        ("\x13SYMBOL 163 \\f Symbol\x15 5\r", "≤ 5"),
        ("a\x0bb\x1ec\x1fd\r", "a\nb-c\xadd"),
        ("open \x13REF x\x14end\r", "open end"),
    ],
)
def test_fields_show_their_results(text: str, expected: str) -> None:
    assert read(word([(text, b"")]))[0].text == expected


def form(kind: int, result: int, *entries: str, name: str = "", help_text: str = "") -> bytes:
    """The data of a form field: 0 a text, 1 a box, 2 a list."""

    def string(text: str) -> bytes:
        return struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0"

    head = struct.pack("<IH", 0, 68) + bytes(62)
    body = struct.pack("<IHHH", 0xFFFFFFFF, kind | result << 2, 0, 0) + string(name)
    body += string("") if kind == 0 else struct.pack("<H", 0)
    body += string("") + string(help_text) + string("") * 3
    body += struct.pack("<HHH", 0xFFFF, len(entries), 0)
    return head + body + b"".join(struct.pack("<H", len(e)) + e.encode("utf-16-le") for e in entries)


def test_form_fields_show_their_state() -> None:
    box, choice = form(1, 1), form(2, 1, "North", "South")
    text = [
        ("Consent \x13 FORMCHECKBOX ", b""), ("\x01", sprm(0x6A03, 0) + sprm(0x0855, 1)), ("\x14\x15, region ", b""),
        ("\x13 FORMDROPDOWN ", b""), ("\x01", sprm(0x6A03, len(box)) + sprm(0x0855, 1)), ("\x14\x15.\r", b""),
    ]  # fmt: skip
    assert read(word(text, streams={"Data": box + choice}))[0].text == "Consent ☒, region South."


def lines(data: bytes) -> dict[str, int]:
    return {item.what: item.count for item in read(data)[1] if isinstance(item, LeftOut)}


def test_codes_of_fields_and_hints_of_forms_are_counted() -> None:
    text = 'see \x13HYPERLINK "https://a.example/x"\x14the link\x15, \x13IF 1 = 2 "yes" "no"\x14no\x15.\r'
    assert lines(word([(text, b"")])) == {"link address": 1, "code of a field (IF)": 1}
    data = form(0, 0, name="Plaintiff", help_text="Who sues")
    parts = [("By \x13 FORMTEXT ", b""), ("\x01", sprm(0x6A03, 0) + sprm(0x0855, 1)), ("\x14Ada\x15.\r", b"")]
    made = word(parts, streams={"Data": data})
    assert read(made)[0].text == "By Ada."
    assert lines(made) == {"name of a form field": 1, "help text of a form field": 1}


def test_who_made_tracked_changes_is_counted() -> None:
    names = ["Unknown", "Ada", "Bo"]
    table = struct.pack("<HHH", 0xFFFF, len(names), 0)
    table += b"".join(struct.pack("<H", len(name)) + name.encode("utf-16-le") for name in names)
    assert lines(word([("text ", b""), ("gone", DELETED), (".\r", b"")], tables={51: table})) == {
        "author of a change": 2
    }


def summary(**people: str) -> bytes:
    """A set of properties ([MS-OLEPS]) with the author and who saved the file last."""
    numbers = {"author": 4, "editor": 8}
    values = {numbers[who]: name.encode() + b"\0" for who, name in people.items()}
    values = {number: value + bytes(-len(value) % 4) for number, value in values.items()}
    table, body, offset = b"", b"", 8 + 8 * len(values)
    for number, value in values.items():
        table += struct.pack("<II", number, offset + len(body))
        body += struct.pack("<II", 30, len(value)) + value
    section = struct.pack("<II", 8 + len(table) + len(body), len(values)) + table + body
    identity = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
    return struct.pack("<HHI16xI", 0xFFFE, 0, 0, 1) + identity + struct.pack("<I", 48) + section


@pytest.mark.parametrize(("editor", "count"), [("Bo", 1), ("Ada", 0)])
def test_who_saved_a_file_last_is_named_unless_it_is_the_author(editor: str, count: int) -> None:
    data = word([("text.\r", b"")], streams={"\x05SummaryInformation": summary(author="Ada", editor=editor)})
    assert lines(data).get("property of the file (last editor)", 0) == count


def test_pictures_and_objects_are_handed_out_or_counted() -> None:
    def blip(data: bytes) -> bytes:
        return struct.pack("<HHI", 0x6E0 << 4, 0xF01E, 17 + len(data)) + bytes(17) + data

    large, small = picture("PNG", 300, 200), picture("PNG", 10, 10)
    streams = {
        "Data": blip(large) + blip(small) + blip(large),
        "ObjectPool/_1/\x01Ole10Native": native("plan.txt", b"Meet at noon."),
        "ObjectPool/_2/\x01CompObj": bytes(28) + struct.pack("<I", 9) + b"Equation\0",
        "Macros/PROJECT": b"x",
    }
    _, items = read(word([("Body.\r", b"")], streams=streams))
    assert {item.name: item.data for item in items if isinstance(item, Attachment)} == {
        "picture.png": large,
        "plan.txt": b"Meet at noon.",
    }
    assert {item.what for item in items if isinstance(item, LeftOut)} == {
        "small picture", "embedded object (Equation)", "macro project",
    }  # fmt: skip


def test_a_protected_document_asks_for_its_password() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        read(word([("Body.\r", b"")], flags=0x100))
    assert "password" in caught.value.sentence


def test_a_damaged_document_is_read_or_refused() -> None:
    whole = word([("The pump stopped at two.\r", b""), ("not", STRIKE)], parts={1: ["\x02 note\r"]})
    for offset in range(512, 512 + 0x300, 3):
        data = bytearray(whole)
        data[offset] ^= 0xFF
        try:
            list(FileReader().read(bytes(data), "a.doc"))
        except UnreadableDocument:
            pass
    for end in range(600, len(whole), 700):
        try:
            list(FileReader().read(whole[:end], "a.doc"))
        except UnreadableDocument:
            pass


def test_word_6_is_read_as_plain_text() -> None:
    main = bytearray(768)
    text = ("Договор был подписан в Москве пятого мая двадцать четвертого года. " * 3 + "\r").encode("cp1251")
    struct.pack_into("<HH", main, 0, 0xA5DC, 104)
    struct.pack_into("<II", main, 0x18, 768, 768 + len(text))
    struct.pack_into("<i", main, 0x34, len(text))
    page, items = read(compound({"WordDocument": bytes(main) + text}))
    assert page.text.startswith("Договор был подписан")
    assert any(isinstance(item, LeftOut) and "Word 6" in item.where for item in items)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([b"", STRIKE, HIDDEN, RAISED]), min_size=1, max_size=5),
    st.sets(st.sampled_from([1, 2, 4, 5, 6])),
    st.booleans(),
)
def test_every_word_of_every_part_is_on_a_page(looks: list[bytes], numbers: set[int], compress: bool) -> None:
    texts = {1: "\x02 qn1z\r", 4: "\x05qn4z\r", 5: "\x02 qn5z\r", 6: "qn6z\r"}
    parts = {number: [texts[number]] for number in numbers if number in texts}
    if 2 in numbers:
        parts[2] = ["", "", "", "", "", "", "qn2z\r", "", "", "", "", ""]
    body = [(f"qw{letter}z ", look) for letter, look in zip("abcde", looks, strict=False)]
    _, *items = FileReader().read(word([*body, ("end.\r", b"")], parts=parts, compress=compress), "a.doc")
    text = " ".join(item.text for item in items if isinstance(item, PageText))
    expected = {*(f"qw{letter}z" for letter in "abcde"[: len(looks)]), *(f"qn{number}z" for number in numbers)}
    assert {part for part in expected if part not in text} == set()


def level(kind: int, text: str, *, start: int = 1, flags: int = 0, restart: int = 0) -> bytes:
    """A level of a list; the signs below a tab stand for the numbers of levels."""
    raw = text.encode("utf-16-le")
    head = (
        struct.pack("<iBB", start, kind, flags) + bytes(9) + b"\0" + bytes(8) + struct.pack("<BBBB", 2, 3, restart, 0)
    )
    return head + b"abc" + b"de" + struct.pack("<H", len(text)) + raw


def lists(*levels: list[bytes]) -> bytes:
    heads = b"".join(
        struct.pack("<ii", 70 + n, 0) + bytes(18) + bytes([len(own) == 1, 0]) for n, own in enumerate(levels)
    )
    return struct.pack("<H", len(levels)) + heads + b"".join(b"".join(own) for own in levels)


def uses(*parts: tuple[int, list[bytes]]) -> bytes:
    """The uses of lists: the number of the list, and what the use changes."""
    heads = b"".join(struct.pack("<i8xBBBx", 70 + number, len(changes), 0, 0) for number, changes in parts)
    rest = b"".join(b"\xff\xff\xff\xff" + b"".join(changes) for _, changes in parts)
    return struct.pack("<I", len(parts)) + heads + rest


def in_list(number: int, level_number: int = 0) -> bytes:
    return sprm(0x460B, number) + sprm(0x260A, level_number)


def style_sheet(*styles: tuple[int, bytes]) -> bytes:
    """Styles of paragraphs: each the number of that which it is based on, and its changes."""
    sheet = struct.pack("<HHH", 18, len(styles), 10) + bytes(14)
    for base, changes in styles:
        form = struct.pack("<H", 0) + changes
        style = struct.pack("<HHHHH", 0, 1 | base << 4, 2, 0, 0) + struct.pack("<H2sH", 1, b"s\0", 0)
        style += struct.pack("<H", len(form)) + form
        sheet += struct.pack("<H", len(style)) + style
    return sheet


CLAUSES = [level(0, "§ \0."), level(4, "(\1)"), level(2, "\0.\2", flags=4), *[level(0, "\3")] * 6]
BODY = "Notice\rRent\rin cash\rby bank\rwhole\rPets\rdot\rown\rplain\r"


def numbered(paragraphs: list[bytes], text: str = BODY, **tables: bytes) -> str:
    places = {73: "lists", 74: "uses", 1: "styles"}
    parts = {place: tables[name] for place, name in places.items() if name in tables}
    page, _ = read(word([(text, b"")], paragraphs=paragraphs, tables=parts))
    return page.text


def test_numbers_that_word_writes_before_paragraphs_are_text() -> None:
    places = [
        in_list(1),
        in_list(1),
        in_list(1, 1),
        in_list(1, 1),
        in_list(1, 2),
        in_list(1),
        in_list(2),
        in_list(3),
        b"",
    ]
    text = numbered(
        places, lists=lists(CLAUSES, [level(23, "\u2022")], [level(1, "\0")]),
        uses=uses((0, []), (1, []), (2, [struct.pack("<iI", 5, 0x10)])),
    )  # fmt: skip
    assert text.split("\n\n") == [
        "§ 1. Notice", "§ 2. Rent", "(a) in cash", "(b) by bank", "2.1 whole", "§ 3. Pets", "dot", "V own", "plain",
    ]  # fmt: skip


def test_a_style_puts_its_paragraphs_into_a_list_and_a_paragraph_takes_itself_out() -> None:
    sheet = style_sheet((0xFFF, b""), (0xFFF, in_list(1)), (1, sprm(0x260A, 1)))
    styles = [STYLE + struct.pack("<H", number) for number in (1, 2, 2, 1)]
    text = numbered(
        [*styles, styles[0] + sprm(0x460B, 0)],
        "a\rb\rc\rd\re\r",
        lists=lists(CLAUSES),
        uses=uses((0, [])),
        styles=sheet,
    )
    assert text.split("\n\n") == ["§ 1. a", "(a) b", "(b) c", "§ 2. d", "e"]


def test_numbers_stand_in_cells_and_before_fields() -> None:
    text = "\x13 PAGE \x147\x15 is\r#one\x07two\x07\x07"
    data = word(
        [(text, b"")], columns=2, paragraphs=[in_list(1)] * 4, tables={73: lists([level(0, "\0)")]), 74: uses((0, []))}
    )
    assert read(data)[0].text == "1) 7 is\n\n2) #one · 3) two"


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=90), st.binary(max_size=60), st.binary(max_size=60))
def test_damaged_lists_lose_no_word_and_are_counted(lists_data: bytes, uses_data: bytes, styles_data: bytes) -> None:
    data = word([("a\rb\r", b"")], paragraphs=[in_list(1), b""], tables={73: lists_data, 74: uses_data, 1: styles_data})
    page, items = read(data)
    assert page.text.endswith("b")
    assert "a" in page.text
    assert page.text != "a\n\nb" or any(isinstance(item, LeftOut) and "number" in item.what for item in items)
