"""Pages saved from the web keep their address and date; e-books and many-page pictures are pages."""

from __future__ import annotations

import base64
import gzip
import io

import pytest
from PIL import Image

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import contents, epub, mhtml, packed, relations, warc

READER = FileReader()
PAGE = "<html><head><title>The pump</title></head><body><h1>Stopped</h1><p>It stopped at 02:14. Ä</p></body></html>"


def read(data, name):
    outline, *rest = READER.read(data, name)
    pages = [item for item in rest if isinstance(item, PageText)]
    return outline, pages, [item for item in rest if isinstance(item, Attachment)]


def test_a_saved_page_keeps_address_date_and_title():
    outline, (page,), inside = read(mhtml(PAGE, frame="<p>In a frame</p>"), "a.mhtml")
    assert (outline.kind, outline.title, outline.address) == ("mhtml", "The pump", "https://example.org/pump")
    assert outline.date == "2024-03-05T08:00:00+00:00"
    assert page.text == "Stopped\n\nIt stopped at 02:14. Ä\n\nIn a frame"
    assert inside == []


def test_the_date_that_the_page_states_comes_before_that_of_saving():
    stated = PAGE.replace("<title>", '<meta name="date" content="2023-01-02"><title>')
    assert read(mhtml(stated), "a.mht")[0].date == "2023-01-02"


def test_an_address_on_this_computer_is_none():
    assert read(mhtml(PAGE, address="file:///C:/saved/a.html"), "a.mht")[0].address == ""


def test_a_saved_page_without_text_is_refused():
    with pytest.raises(UnreadableDocument, match="no page") as caught:
        read(mhtml("<img src=x>"), "a.mht")
    assert caught.value.hint


@pytest.mark.parametrize("zipped", [False, True])
def test_a_web_archive_lists_its_pages_and_hands_each_out_with_address_and_date(zipped):
    data = warc(
        ("https://example.org/pump", "text/html; charset=utf-8", PAGE.encode()),
        ("https://example.org/logo.png", "image/png", b"\x89PNG"),
        ("https://example.org/report", "application/pdf", b"%PDF-1.4 x"),
        ("https://example.org/notes.txt", "text/plain", b"The valve."),
        zipped=zipped,
    )
    outline, (page,), inside = read(data, "crawl.warc.gz")
    assert (outline.kind, outline.pages) == ("warc", 1)
    assert page.text == (
        "Web archive with 3 pages\n\n2024-03-05T08:00:00Z https://example.org/pump\n"
        "2024-03-05T08:00:00Z https://example.org/report\n2024-03-05T08:00:00Z https://example.org/notes.txt"
    )
    assert [item.name for item in inside] == [
        "example.org/pump.warc",
        "example.org/report.pdf",
        "example.org/notes.txt.warc",
    ]
    assert inside[1].data == b"%PDF-1.4 x"
    first, (text,), none = read(inside[0].data, inside[0].name)
    assert (first.kind, first.title, first.address, first.date) == (
        "warc", "The pump", "https://example.org/pump", "2024-03-05T08:00:00Z",
    )  # fmt: skip
    assert text.text == "Stopped\n\nIt stopped at 02:14. Ä"
    assert none == []
    assert read(inside[2].data, inside[2].name)[1][0].text == "The valve."


def test_the_same_archive_gives_the_same_files():
    data = warc(("https://a.b/1", "text/html", b"<p>x"), ("https://a.b/2", "text/html", b"<p>y"))
    assert read(data, "a.warc") == read(data, "a.warc")


def answer(head: str, body: bytes) -> bytes:
    http = f"HTTP/1.1 {head}\r\n\r\n".encode() + body
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.b/c\r\nWARC-Date: 2024-03-05T08:00:00Z\r\n"
        b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(http) + http + b"\r\n\r\n"
    )


def test_packed_and_chunked_answers_are_unpacked():
    body = gzip.compress(PAGE.encode())
    chunked = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    head = "200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip"
    for data in (answer(head, body), answer(head + "\r\nTransfer-Encoding: chunked", chunked)):
        assert read(data, "a.warc")[1][0].text == "Stopped\n\nIt stopped at 02:14. Ä"


def ledger(data, name):
    return {(item.what, item.count) for item in READER.read(data, name) if isinstance(item, LeftOut)}


def test_what_a_server_says_of_a_page_that_is_gone_is_read_and_a_packing_that_is_not_known_is_named():
    gone = answer("404 Not Found\r\nContent-Type: text/html", b"<p>Removed on 3 March.")
    assert read(gone, "a.warc")[1][0].text == "Removed on 3 March."
    odd = answer("200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd", b"\x01\x02")
    _, (page,), inside = read(odd + gone, "a.warc")
    assert "(404 Not Found)" in page.text
    assert "(zstd)" in inside[0].reason
    assert inside[0].remedy
    assert inside[1].name == "a.b/c (404 Not Found).warc"
    assert read(inside[1].data, inside[1].name)[1][0].text == "Removed on 3 March."


def test_an_answer_that_is_cut_is_counted_and_one_of_a_file_has_no_headers_of_a_server():
    short = answer("200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip", gzip.compress(PAGE.encode() * 9)[:70])
    head = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: file:///c/a.html\r\nContent-Type: text/html\r\n"
    of_a_file = f"{head}Content-Length: {len(PAGE.encode())}\r\n\r\n{PAGE}\r\n\r\n".encode()
    assert ("page or file whose end is missing", 1) in ledger(short + answer("200 OK", PAGE.encode()), "a.warc")
    page = read(of_a_file + short, "a.warc")[2][0]
    assert "HTTP" not in read(page.data, page.name)[1][0].text


def test_answers_are_taken_for_what_they_are():
    untyped = answer("200 OK", b"<html><p>At dawn.")
    data = answer("200 OK\r\nContent-Type: application/json; charset=utf-8", b'{"text": "It was sabotaged."}')
    lies = answer("200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br", b"<p>At noon.")
    binary = answer("200 OK\r\nContent-Type: application/wasm", b"\0asm")
    moved = answer("301 Moved\r\nContent-Type: text/html", b"<p>Moved.")
    request = answer("200 OK", b"x").replace(b"WARC-Type: response", b"WARC-Type: request")
    info = answer("200 OK", b"x").replace(b"WARC-Type: response", b"WARC-Type: warcinfo")
    whole = untyped + data + lies + binary + moved + request + info
    _, _, inside = read(whole, "a.warc")
    texts = [read(item.data, item.name)[1][0].text for item in inside]
    assert texts == ["At dawn.", '{"text": "It was sabotaged."}', "At noon."]
    assert ledger(whole, "a.warc") == {
        ("record of type application/wasm", 1), ("redirection", 1), ("request record", 1), ("warcinfo record", 1),
    }  # fmt: skip


def saved(*parts: tuple[str, str, bytes]) -> bytes:
    """A saved page of parts: header lines, media type, content."""
    lines = [b'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="B"\r\n']
    for head, kind, content in parts:
        lines.append(f"--B\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n{head}\r\n".encode())
        lines.append(base64.encodebytes(content))
    return b"\r\n".join([*lines, b"--B--\r\n"])


def test_the_parts_of_a_saved_page_are_all_accounted_for():
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(file, "PNG")
    page = (
        b"<link rel=stylesheet href='cid:look@x'><p>Before.</p><iframe src='cid:frame@x'></iframe>"
        b"<p class=x>Secret.</p><iframe src='/other'></iframe><img src='big.png'><img src='none.png'>"
        b"<template shadowmode=open>Root.</template>"
    )
    data = saved(
        ("Content-Location: https://a.b/p/", "text/html", page),
        ("Content-ID: <look@x>", "text/css", b".x{display:none}"),
        ("Content-ID: <frame@x>", "text/html", b"<p>In a frame.</p><!-- a word -->"),
        ("Content-Location: https://a.b/other", "text/html", b"<p>In another.</p><iframe src='/p/'></iframe>"),
        ("Content-Location: https://a.b/p/big.png", "image/png", file.getvalue()),
        ("Content-Location: https://a.b/small.gif", "image/gif", b"GIF89a\x01\0\x01\0"),
        ("Content-Location: https://a.b/a.js", "text/javascript", b"run()"),
        ("Content-Location: https://a.b/a.woff", "font/woff", b"wOFF"),
        ("Content-Location: https://a.b/a.bin", "application/x-odd", b"odd"),
    )
    _, (result,), inside = read(data, "a.mhtml")
    assert result.text == "Before.\n\nIn a frame.\n\nSecret.\n\nIn another.\n\nRoot."
    assert [result.text[start:end] for start, end in result.hidden_spans] == ["Secret."]
    assert [(item.name, item.data) for item in inside] == [("big.png", file.getvalue())]
    assert ledger(data, "a.mhtml") == {
        ("comment in the source", 1), ("embedded page", 1), ("picture that is not in the file", 1),
        ("small picture", 1), ("script", 1), ("part of type application/x-odd", 1),
    }  # fmt: skip


def test_an_answer_that_unpacks_without_end_is_not_unpacked():
    bomb = gzip.compress(b" " * 60_000_000)
    _, _, (inside,) = read(answer("200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip", bomb), "a.warc")
    assert "larger" in inside.reason


@pytest.mark.parametrize("data", [b"WARC/1.0\r\n", b"WARC/9.9\r\nx: y\r\n\r\n", warc(("a", "text/html", b"<p>x"))[:60]])
def test_a_damaged_archive_is_refused(data):
    with pytest.raises(UnreadableDocument) as caught:
        read(data, "a.warc")
    assert caught.value.hint


def beside(head: str, kind: str, content: bytes, page: bytes = b"<p>x</p>") -> bytes:
    return saved(("Content-Location: https://a.b/p", "text/html", page), (head, kind, content))


def record(
    kind: str, content: bytes, address: str = "https://a.b/c", form: str = "text/plain", more: str = ""
) -> bytes:
    return (
        (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {address}\r\nWARC-Date: 2024-03-05T08:00:00Z\r\n{more}"
            f"Content-Type: {form}\r\nContent-Length: {len(content)}\r\n\r\n"
        ).encode()
        + content
        + b"\r\n\r\n"
    )


def crawl(data: bytes) -> bytes:
    return answer("200 OK\r\nContent-Type: text/html", b"<p>First.</p>") + data


LARGE = io.BytesIO()
Image.new("RGB", (300, 200), "white").save(LARGE, "PNG")
OUTSIDE = "text outside the parts"
DOT = b"GIF89a\x01\0\x01\0"


def at(address: str, kind: str, content: bytes, page: bytes = b"<p>x") -> bytes:
    return beside(f"Content-Location: https://a.b/{address}", kind, content, page)


def sent(kind: str, content: bytes) -> bytes:
    return crawl(answer(f"200 OK\r\nContent-Type: {kind}", content))


SAVED = {  # kinds of places in a saved page, and the line of the ledger that stands for one
    "page": (lambda w: saved(("", "text/html", b"<p>" + w + b"</p>")), ""),
    "page as plain text": (lambda w: at("t", "text/plain", w), ""),
    "frame": (lambda w: at("f", "text/html", b"<p>" + w, b"<p>x<iframe src=/f>"), ""),
    "frame that no page names": (lambda w: beside("", "text/html", b"<p>" + w), ""),
    "frame in a frame": (lambda w: saved(
        ("Content-Location: https://a.b/p", "text/html", b"<p>x<iframe src=/f>"),
        ("Content-Location: https://a.b/f", "text/html", b"<p>y<iframe src=/g>"),
        ("Content-Location: https://a.b/g", "text/html", b"<p>" + w),
    ), ""),
    "shadow root": (lambda w: saved(("", "text/html", b"<p>x<template shadowmode=open>" + w + b"</template>")), ""),
    "comment": (lambda w: saved(("", "text/html", b"<p>x<!-- " + w + b" -->")), "comment in the source"),
    "picture": (lambda w: at("i.png", "image/png", LARGE.getvalue() + w), ""),
    "small picture": (lambda w: beside("", "image/gif", DOT + w), "small picture"),
    "drawing": (lambda w: beside("", "image/svg+xml", b"<svg>" + w), "picture of type image/svg+xml"),
    "document": (lambda w: beside("", "application/pdf", b"%PDF-1.4 " + w), ""),
    "script": (lambda w: beside("", "text/javascript", w), "script"),
    "data": (lambda w: beside("", "application/json", b'{"a":"' + w + b'"}'), "part of type application/json"),
    "film": (lambda w: beside("", "video/mp4", w), "part of type video/mp4"),
    "before the parts": (lambda w: saved(("", "text/html", b"x")).replace(b"--B", w + b"\r\n--B", 1), OUTSIDE),
    "behind the parts": (lambda w: saved(("", "text/html", b"<p>x")) + w, OUTSIDE),
}  # fmt: skip
CRAWLED = {
    "page": (lambda w: sent("text/html", b"<p>" + w), ""),
    "page without a type": (lambda w: crawl(answer("200 OK", b"<html><p>" + w)), ""),
    "page that is gone": (lambda w: crawl(answer("404 Not Found\r\nContent-Type: text/html", b"<p>" + w)), ""),
    "reason of a server": (lambda w: crawl(answer(f"404 {w.decode()}\r\nContent-Type: text/html", b"<p>x")), ""),
    "data": (lambda w: sent("application/json", b'{"a":"' + w + b'"}'), ""),
    "text": (lambda w: sent("text/plain", w), ""),
    "page of a file": (lambda w: crawl(record("resource", b"<p>" + w, form="text/html")), ""),
    "converted page": (lambda w: crawl(record("conversion", w)), ""),
    "rest of a page": (lambda w: crawl(record("continuation", w)), "continuation record"),
    "page seen before": (lambda w: crawl(record("revisit", w)), "revisit record"),
    "question": (lambda w: crawl(record("request", b"GET /" + w)), "request record"),
    "notes of the crawler": (lambda w: crawl(record("warcinfo", w)), "warcinfo record"),
    "notes on a page": (lambda w: crawl(record("metadata", w)), "metadata record"),
    "record of an unknown kind": (lambda w: crawl(record("x-own", w)), "x-own record"),
    "note under an address of its own": (
        lambda w: crawl(record("resource", w, "urn:notes:1")), "note of the program that saved the pages",
    ),
    "redirection": (
        lambda w: crawl(answer(f"302 Found\r\nLocation: /{w.decode()}\r\nContent-Type: text/html", b"")), "redirection",
    ),
    "comment": (lambda w: answer("200 OK", b"<html><p>x<!-- " + w + b" -->"), "comment in the source"),
    "script": (lambda w: sent("text/javascript", w), "record of type text/javascript"),
    "style sheet": (lambda w: sent("text/css", b".a{content:'" + w + b"'}"), "record of type text/css"),
    "document": (lambda w: sent("application/pdf", b"%PDF-1.4 " + w), ""),
    "picture": (lambda w: sent("image/png", LARGE.getvalue() + w), ""),
    "small picture": (lambda w: sent("image/gif", DOT + w), "small picture"),
    "drawing": (lambda w: sent("image/svg+xml", b"<svg>" + w), "picture of type image/svg+xml"),
    "film": (lambda w: sent("video/mp4", w), "record of type video/mp4"),
    "bytes": (lambda w: sent("application/octet-stream", b"\0\1" + w), "record of type unknown"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("make", "line", "name"),
    [(*place, "a.mhtml") for place in SAVED.values()] + [(*place, "a.warc") for place in CRAWLED.values()],
    ids=[f"saved page: {place}" for place in SAVED] + [f"archive: {place}" for place in CRAWLED],
)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(make, line, name):
    text, left_out = contents(
        make(b"quartzword"), name, depth=2 * (line == "comment in the source" and name == "a.warc")
    )
    assert line in left_out if line else "quartzword" in text


# --- formats that have pages -----------------------------------------------------------------------------------------


def test_an_e_book_has_pages_with_words_and_pictures():
    data = epub("<h1>One</h1><p>The pump stopped at 02:14.</p>", "<h1>Two</h1><p>The valve was shut.</p>")
    outline, pages, _ = read(data, "a.epub")
    assert (outline.kind, outline.title, outline.author) == ("epub", "The pump book", "Ann Berg")
    assert outline.pages == len(pages) == 2
    assert "The pump stopped at 02:14." in pages[0].text
    page = pages[1]
    assert [page.text[w.start : w.end] for w in page.words] == page.text.split()
    assert all(0 <= w.x0 < w.x1 <= page.width and 0 <= w.y0 < w.y1 <= page.height for w in page.words)
    picture = READER.render(data, "a.epub", 2, scale=1.0)
    assert (picture.width, picture.height) == (round(page.width), round(page.height))
    assert read(data, "a.epub") == (outline, pages, [])


def test_an_e_book_made_to_harm_is_refused():
    bomb = packed({"mimetype": "application/epub+zip", "zeros": b"\0" * 20_000_000})
    with pytest.raises(UnreadableDocument, match="unpacks"):
        read(bomb, "a.epub")


def xps(*texts: str) -> bytes:
    import pymupdf

    font = pymupdf.Font("helv").buffer
    pages = {
        f"Documents/1/Pages/{n}.fpage": '<FixedPage xmlns="http://schemas.microsoft.com/xps/2005/06" Width="816" '
        'Height="1056">'
        f'<Glyphs Fill="#FF000000" FontUri="/Resources/a.ttf" FontRenderingEmSize="24" OriginX="96" OriginY="96" '
        f'UnicodeString="{text}"/></FixedPage>'
        for n, text in enumerate(texts, start=1)
    }
    listed = "".join(f'<PageContent Source="Pages/{n}.fpage"/>' for n in range(1, len(texts) + 1))
    return packed(
        {
            "_rels/.rels": relations(("r", "x", "/FixedDocumentSequence.fdseq")).replace(
                "http://schemas.openxmlformats.org/officeDocument/2006/relationships/x",
                "http://schemas.microsoft.com/xps/2005/06/fixedrepresentation",
            ),
            "FixedDocumentSequence.fdseq": '<FixedDocumentSequence xmlns="http://schemas.microsoft.com/xps/2005/06">'
            '<DocumentReference Source="/Documents/1/FixedDocument.fdoc"/></FixedDocumentSequence>',
            "Documents/1/FixedDocument.fdoc": f'<FixedDocument xmlns="http://schemas.microsoft.com/xps/2005/06">{listed}'
            "</FixedDocument>",
            "Resources/a.ttf": font,
            **pages,
        }
    )


@pytest.mark.parametrize("name", ["a.xps", "a.oxps", "a.zip"])
def test_an_xps_file_has_pages_with_words_and_pictures(name):
    data = xps("The pump stopped", "The valve")
    outline, pages, inside = read(data, name)
    assert (outline.kind, [page.text for page in pages], inside) == ("xps", ["The pump stopped", "The valve"], [])
    assert (pages[0].width, pages[0].height) == (612, 792)
    first = next(iter(pages[0].words))
    assert first.x0 == pytest.approx(72, abs=2)
    assert READER.render(data, name, 2, scale=0.5).width == 306


def test_every_page_of_a_picture_is_a_page():
    file = io.BytesIO()
    sheets = [Image.new("L", (100, 50 * n), 255) for n in (1, 2, 3)]
    sheets[0].save(file, "TIFF", save_all=True, append_images=sheets[1:])
    outline, pages, _ = read(file.getvalue(), "scan.tif")
    assert (outline.kind, outline.pages) == ("image", 3)
    assert [page.source for page in pages] == ["none"] * 3
    assert pages[2].height == pytest.approx(3 * pages[0].height)
    assert (
        READER.render(file.getvalue(), "scan.tif", 3, scale=1.0).height
        > 2 * READER.render(file.getvalue(), "scan.tif", 1, scale=1.0).height
    )


def test_what_the_program_that_saved_the_pages_notes_of_its_work_is_no_page():
    """As wget writes it: its arguments and its log are records of their own."""
    page = warc(("https://example.org/pump", "text/html", b"<p>The pump stopped.</p>"))
    notes = b"".join(
        f"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {address}\r\nWARC-Date: 2024-03-05T08:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n"
        "FINISHED.\r\n\r\n".encode()
        for number, address in enumerate(("metadata://gnu.org/software/wget/warc/wget.log", "urn:pageinfo:x"))
    )
    outline, *pages = FileReader().read(page + notes, "saved.warc")
    assert [item.text for item in pages if isinstance(item, PageText)] == ["The pump stopped."]
    assert LeftOut("note of the program that saved the pages", 2, "records of the archive") in pages
    assert outline.address == "https://example.org/pump"


def test_a_page_of_a_web_archive_is_seen_with_the_style_sheets_of_the_archive():
    page = b"<link rel=stylesheet href='/look.css?a=1&amp;b=2'><p>Closed.</p><p class=x>Open.</p>"
    look = ("https://example.org/look.css?a=1&b=2", "text/css", b"@import 'hide.css';")
    hide = ("https://example.org/hide.css", "text/css", b".x{display:none}")
    target = ("https://example.org/gate", "text/html", page)
    for records in ((target, look, hide), (look, target, ("https://example.org/b", "text/html", b"<p>Two"), hide)):
        _, pages, inside = read(warc(*records), "crawl.warc")
        if inside:
            _, pages, _ = read(inside[0].data, inside[0].name)
        (gate,) = pages
        assert [gate.text[start:end] for start, end in gate.hidden_spans] == ["Open."]


def test_a_page_of_frames_names_them_and_each_is_a_page():
    frames = b"<frameset><frame src=menu.html><frame src=log.html></frameset>"
    data = warc(
        ("https://example.org/", "text/html", frames), ("https://example.org/log.html", "text/html", b"<p>It broke.")
    )
    _, _, inside = read(data, "crawl.warc")
    assert [read(frame.data, frame.name)[1][0].text for frame in inside] == [
        "[frame: menu.html]\n[frame: log.html]", "It broke."
    ]  # fmt: skip
