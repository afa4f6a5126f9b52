"""Reading the pages that are pictures: one page at a time, nothing twice, nothing lost."""

from __future__ import annotations

from dataclasses import replace

import pymupdf
import pytest

from core import paths, settings
from core import report as reports
from core.domain import LAYER, Document, PageText
from core.engines.ocr import two_engines as ocr_engines
from core.engines.ocr.rapidocr_engine import RapidOcr
from core.engines.ocr.tesseract_engine import TesseractOcr
from core.engines.readers.dispatch import FileReader
from core.errors import BadInput, ModelMissing, NoSuchItem
from core.evidence.service import ScanCheck
from core.ocr import service
from core.ocr.service import language_codes
from core.progress import Cancelled, Progress
from core.runtime import launch
from core.workbench import Workbench
from tests.fakes import FakeOcr, HashEmbedder

SCANNED = "The badge reader was off.\nNobody signed for the valve."


@pytest.fixture
def open_bench(tmp_path, engines):
    (tmp_path / "scan.txt").write_text("A first page with words.\f   \f \f", "utf-8")

    def build(ocr):
        bench = Workbench.create(tmp_path / "case.disconfirm", replace(engines, ocr=ocr), who="Ann")
        bench.documents.add([tmp_path / "scan.txt"])
        return bench

    return build


def test_what_is_read_is_found_at_once_and_quoted_exactly(open_bench):
    ocr = FakeOcr(SCANNED, "", "Third page, valve~value open.")
    with open_bench(ocr) as bench:
        assert bench.documents.get("D1").pages_without_text == 3
        report = bench.ocr.read()
        assert (report.pages, report.problems) == (3, ())
        assert report.words == 10 + 4
        document = bench.documents.get("D1")
        assert (document.pages_without_text, document.status) == (1, "ready")
        page = bench.documents.page("D1", 2)
        assert (page.text, page.source) == (SCANNED, "ocr")
        assert bench.search.passages_for("who signed for the valve").passages[0].page == 2
        start = SCANNED.index("Nobody")
        row = bench.evidence.add_quote("D1", 2, start, len(SCANNED)).id
        assert next(item for item in bench.evidence.all() if item.id == row).quote == "Nobody signed for the valve."
        assert "unchecked" in bench.matrix.compute().rows[0].flags
        assert bench.evidence.scan_check(bench.evidence.all()[0]).by == ()
        page_id, first = page.id, SCANNED.split().index("Nobody")
        bench.ocr.decide([(page_id, first + index, "accepted", "") for index in range(4)])
        assert "unchecked" in bench.matrix.compute().rows[0].flags  # one word is left
        bench.ocr.decide([(page_id, first + 4, "accepted", "")])
        assert "unchecked" not in bench.matrix.compute().rows[0].flags
        (item,) = bench.evidence.all()
        assert bench.evidence.scan_check(item).by == ("Ann",)
        (reading,) = bench.store.pages.readings(bench.documents.page("D1", 4).id)
        assert "value" in reading.others
        assert len(reading.confidences) == len(reading.words) == 4
        assert bench.case.verify().ok


def test_a_quote_compared_as_a_whole_is_checked_and_undone_at_once(open_bench):
    with open_bench(FakeOcr(always=SCANNED)) as bench:
        bench.ocr.read()
        row = bench.evidence.add_quote("D1", 2, 0, SCANNED.index("\n")).id
        bench.ocr.decide([(bench.documents.page("D1", 2).id, 1, "accepted", "")])
        bench.evidence.confirm_scan(row)
        assert bench.evidence.scan_check(bench.evidence.all()[0]).by == ("Ann",)
        bench.case.undo()
        assert bench.evidence.scan_check(bench.evidence.all()[0]).by == ()
        with pytest.raises(BadInput):
            bench.evidence.confirm_scan(bench.evidence.add_quote("D1", 1, 0, 7).id)


def test_a_quote_whose_words_changed_is_not_compared_before_it_takes_the_new_ones(open_bench):
    with open_bench(FakeOcr(always=SCANNED)) as bench:
        bench.ocr.read()
        row = bench.evidence.add_quote("D1", 2, 0, SCANNED.index("\n")).id
        bench.evidence.confirm_scan(row)
        assert bench.evidence.scan_check(bench.evidence.all()[0]).by == ("Ann",)
        bench.ocr.decide([(bench.documents.page("D1", 2).id, 1, "corrected", "otherwise")])
        (changed_row,) = bench.evidence.all()
        assert not bench.evidence.quote_is_current(changed_row)
        assert bench.evidence.scan_check(changed_row).by == ()  # what was looked at is not what the row says
        with pytest.raises(BadInput) as error:
            bench.evidence.confirm_scan(row)
        assert "are no longer on its page" in error.value.sentence
        bench.evidence.update_quote(row)
        (changed_row,) = bench.evidence.all()
        assert bench.evidence.quote_is_current(changed_row)
        assert bench.evidence.scan_check(changed_row).by == ("Ann",)


def test_a_second_run_reads_nothing_again(open_bench):
    ocr = FakeOcr(always=SCANNED)
    with open_bench(ocr) as bench:
        assert bench.ocr.read().pages == 3
        assert bench.ocr.read().pages == 0
        assert len(ocr.asked) == 3


def test_cancelling_keeps_what_was_read_and_the_next_run_goes_on(open_bench):
    ocr = FakeOcr(always=SCANNED)
    with open_bench(ocr) as bench:

        def stop(count, _total, _what):
            if count == 1:
                progress.cancel()

        progress = Progress(stop)
        with pytest.raises(Cancelled):
            bench.ocr.read(progress=progress)
        left = bench.documents.get("D1").pages_without_text
        assert 0 < left < 3
        assert bench.ocr.read().pages == left
        assert bench.case.verify().ok


def test_a_page_that_cannot_be_read_is_a_problem_and_the_others_go_on(open_bench, monkeypatch):
    from core.errors import UnreadableDocument

    ocr = FakeOcr(always=SCANNED)
    whole = ocr.read

    def sometimes(png, **options):
        if len(ocr.asked) == 1 and not failed:
            failed.append(True)
            raise UnreadableDocument(reason="It took too long.", remedy="Scan it again.")
        return whole(png, **options)

    failed: list[bool] = []
    monkeypatch.setattr(ocr, "read", sometimes)
    with open_bench(ocr) as bench:
        report = bench.ocr.read()
        assert report.pages == 2
        assert [(p.where, p.what) for p in report.problems] == [("scan.txt, page 3", "It took too long.")]
        assert bench.ocr.read().pages == 1  # it is tried again


def test_without_an_engine_one_is_told(open_bench):
    with open_bench(None) as bench, pytest.raises(ModelMissing):
        bench.ocr.read()
    with pytest.raises(NoSuchItem), Workbench.open(bench.path, replace(bench.engines, ocr=FakeOcr())) as reopened_bench:
        reopened_bench.ocr.read(["D9"])


def test_a_drawn_page_is_read_by_the_real_engines_in_their_processes(tmp_path):
    from PIL import Image, ImageDraw, ImageFont

    if not any(launch.ocr_parts()):
        pytest.skip("no OCR engine is installed")
    font = ImageFont.truetype(str(next((paths.RESOURCES / "fonts").glob("SourceSerif*.ttf"))), 64)
    picture = Image.new("L", (2000, 700), 255)
    ImageDraw.Draw(picture).text((120, 150), "The valve was opened at 02:36.\nNobody signed for it.", 0, font=font)
    picture.save(tmp_path / "scan.png", dpi=(300, 300))
    engines = launch.build_engines(settings.load())
    try:
        with Workbench.create(tmp_path / "case.disconfirm", replace(engines, embedder=None), who="Ann") as bench:
            bench.documents.add([tmp_path / "scan.png"])
            assert bench.documents.get("D1").status == "needs_ocr"
            report = bench.ocr.read()
            assert report.problems == ()
            text = " ".join(bench.documents.page("D1", 1).text.split())
            assert text == "The valve was opened at 02:36. Nobody signed for it."
            assert bench.search.passages_for("valve opened", mode="lexical").passages[0].document == "D1"
            (word,) = [w for w in bench.documents.words(bench.documents.page("D1", 1).id) if w.start == 0]
            page = bench.documents.page("D1", 1)
            assert 100 / 2000 < word.x0 / page.width < 140 / 2000
            assert bench.case.verify().problems == ()
    finally:
        launch.close(engines)


# --- read again, languages, text that is none -----------------------------------------------------------------------


class Counting(HashEmbedder):
    """Counts the texts it was given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


class OtherOcr(FakeOcr):
    fingerprint = "fake ocr 2"


def test_corrections_survive_another_engine_and_what_changed_is_embedded_anew(open_bench):
    pages = [SCANNED, SCANNED.replace("reader", "rcader~reader"), "The third page."]
    with open_bench(FakeOcr(*pages)) as bench:
        embedder = Counting()
        bench.engines = replace(bench.engines, embedder=embedder)
        bench.ocr.read()
        page = bench.documents.page("D1", 3)
        row = bench.evidence.add_quote("D1", 3, 0, SCANNED.index("\n")).id
        second_row = bench.evidence.add_quote("D1", 3, SCANNED.index("Nobody"), len(page.text)).id
        embedder.texts.clear()
        effect = bench.ocr.decide([(page.id, 2, "corrected", "reader")])
        assert effect.stale == (row,)
        bench.index.finish()
        assert len(embedder.texts) == 1
        assert "reader" in embedder.texts[0]
        embedder.texts.clear()
        # Another engine reads the corrected word wrong in another way, and a word of the other quote otherwise.
        new_pages = [SCANNED, SCANNED.replace("reader", "roader").replace("valve", "value"), "The third page."]
        bench.engines = replace(bench.engines, ocr=OtherOcr(*new_pages))
        report = bench.ocr.read(again=True)
        assert (report.pages, report.problems, report.stale) == (3, (), (row, second_row))
        assert bench.documents.page("D1", 3).text == SCANNED.replace("valve", "value")
        assert [(d.word, d.text, d.by) for d in bench.store.corrections.decisions()] == [(2, "reader", "Ann")]
        assert len(embedder.texts) == 1  # of three pages, the passage whose words are others now
        rows = {item.id: item.quote for item in bench.evidence.all()}
        assert rows[second_row] == "Nobody signed for the valve."  # until a person takes the new words
        assert len(bench.store.pages.readings(page.id)) == 2
        bench.evidence.update_quote(row)
        bench.evidence.update_quote(second_row)
        assert bench.case.verify().ok
        assert bench.ocr.read(again=True).pages == 0  # this engine has read them


def test_the_case_or_the_caller_says_the_language(open_bench):
    ocr = FakeOcr(always=SCANNED)
    with open_bench(ocr) as bench:
        bench.case.change_settings(ocr_languages=["deu", "eng"])
        assert bench.case.settings().ocr_languages == ("deu", "eng")
        bench.ocr.read(["D1"])
        assert set(ocr.asked) == {("deu", "eng")}
        with pytest.raises(BadInput):
            bench.case.change_settings(ocr_languages=["German"])
        with pytest.raises(BadInput):
            bench.ocr.read(languages=["xxx"], again=True)
        bench.case.undo()
        assert bench.case.settings().ocr_languages == ()


def test_a_page_that_is_hardly_read_says_so(open_bench):
    with open_bench(FakeOcr(always="Tpepb~Дверь B3N0MaHa~взломана")) as bench:
        report = bench.ocr.read(["D1"])
        doubts = [problem.what for problem in report.problems if "confidence of 0.45" in problem.what]
        assert len(doubts) == report.pages == 3


def test_a_document_in_a_language_without_data_is_not_read_as_english(open_bench):
    ocr = FakeOcr(always=SCANNED)
    with open_bench(ocr) as bench:
        bench.store.db.execute("UPDATE document SET language = 'uk' WHERE id = 'D1'")
        report = bench.ocr.read(["D1"])
        assert (report.pages, ocr.asked) == (0, [])
        assert all("ukr.traineddata" in problem.hint for problem in report.problems)
        assert report.problems


def test_a_language_without_data_is_told_where_no_page_is_to_be_read(open_bench):
    with open_bench(FakeOcr(always=SCANNED)) as bench:
        bench.ocr.read()
        with pytest.raises(BadInput, match="xxx"):
            bench.ocr.read(languages=["xxx"])
        with pytest.raises(BadInput, match="xxx"):
            bench.ocr.read(["D1"], languages=["eng", "xxx"])
        assert bench.ocr.read(languages=["eng"]).pages == 0


@pytest.mark.parametrize("make", [TesseractOcr, RapidOcr])
def test_every_engine_tells_of_an_unknown_language_by_a_blank_picture(make):
    engine = make()
    assert engine.read(service._BLANK, width=1.0, height=1.0, languages=("eng",)).text == ""
    with pytest.raises(BadInput, match="xxx"):
        engine.read(service._BLANK, width=1.0, height=1.0, languages=("xxx",))


def test_languages_are_written_with_two_letters_or_three():
    assert language_codes("de+en") == language_codes("deu+eng") == ("deu", "eng")
    assert language_codes("chi_sim") == ("chi_sim",)


def test_without_a_word_on_it_a_document_is_read_in_its_own_language(tmp_path, monkeypatch):
    for name in ("eng", "deu", "osd"):
        (tmp_path / f"{name}.traineddata").write_bytes(b"")
    monkeypatch.setattr(paths, "tessdata", lambda: [tmp_path])
    document = Document("D1", "a", "", "", 0, 1, 0, "ready", "")
    assert service.languages() == ("deu", "eng")
    assert service.language_of(replace(document, language="de")) == ("deu",)
    assert service.language_of(replace(document, language="fr")) == ("eng",)  # not installed
    assert service.language_of(document) == ("eng",)


def test_text_that_is_none_is_read_in_its_picture_unless_a_quote_rests_on_it(tmp_path, engines):
    poor = "Tbe v;lvo w~s 0p3n =t O2:~6 an|l n0b|dy h|d sjqn~d fqr xt, qwzx jqvk b~cause vvhqx"
    (tmp_path / "layer.txt").write_text(f"{poor}\f{poor} too", "utf-8")
    ocr = FakeOcr(always=SCANNED)
    with Workbench.create(tmp_path / "case.disconfirm", replace(engines, ocr=ocr), who="Ann") as bench:
        whole = bench.engines.reader.read

        def over_a_picture(data, name, **options):
            for item in whole(data, name, **options):
                yield replace(item, width=595.0, height=842.0, picture=1.0) if isinstance(item, PageText) else item

        bench.engines.reader.read = over_a_picture
        bench.documents.add([tmp_path / "layer.txt"])
        assert bench.ocr.unread_pages() == {"D1": (0, 2)}
        row = bench.evidence.add_quote("D1", 1, 0, 9).id
        report = bench.ocr.read()
        assert report.pages == 1
        (problem,) = report.problems
        assert problem.where == "layer.txt, page 1"
        assert row in problem.what
        assert [bench.documents.page("D1", number).text for number in (1, 2)] == [poor, SCANNED]
        assert bench.search.passages_for("who signed for the valve").passages[0].page == 2
        assert bench.ocr.unread_pages() == {"D1": (0, 1)}
        assert bench.case.verify().ok


def test_pages_read_side_by_side_are_those_read_one_by_one(tmp_path):
    from PIL import Image, ImageDraw, ImageFont

    if not any(launch.ocr_parts()):
        pytest.skip("no OCR engine is installed")
    font = ImageFont.truetype(str(next((paths.RESOURCES / "fonts").glob("SourceSerif*.ttf"))), 64)
    lines = [f"Page {number}: nobody signed for it." for number in ("one", "two", "three")]
    for number, line in enumerate(lines):
        picture = Image.new("L", (1600, 400), 255)
        ImageDraw.Draw(picture).text((120, 150), line, 0, font=font)
        picture.save(tmp_path / f"scan {number}.png", dpi=(300, 300))
    results = []
    for many in (1, 2):
        engines = launch.build_engines(settings.load())
        engines = replace(engines, embedder=None, ocrs=engines.ocrs[:many])
        try:
            with Workbench.create(tmp_path / f"{many}.disconfirm", engines, who="Ann") as bench:
                bench.documents.add(sorted(tmp_path.glob("*.png")))
                assert bench.ocr.read().problems == ()
                results.append([bench.documents.page(document.id, 1).text for document in bench.documents.all()])
        finally:
            launch.close(engines)
    assert results == [lines, lines]


def test_reports_say_who_compared_a_quote_with_the_image(open_bench):
    with open_bench(FakeOcr(always=SCANNED)) as bench:
        bench.ocr.read()
        row = bench.evidence.add_quote("D1", 2, 0, SCANNED.index("\n")).id
        for ending, beginning in (
            ("before", "read from an image with confidence 0.96 and not yet checked against it"),
            ("after", "checked against the image by Ann on "),
        ):
            if ending == "after":
                bench.evidence.confirm_scan(row)
            data = bench.reports.data()
            assert data.checks[row].startswith(beginning)
            for render in (reports.render_html, reports.render_markdown, reports.render_json):
                assert beginning in render(data).decode()


# --- a text layer that is not what stands in the picture -------------------------------------------------------------

TRUE = [
    "The valve was opened at 02:36 by a",
    "man whom nobody at the gate could name,",
    "and it was not closed that night.",
]
FALSE = [
    "Two trucks with plates from Graz left",
    "before dawn with some tonnes of lime",
    "which they had loaded in March",
]


def scanned(folder, *layers):
    """A file of pictures of TRUE, each with a layer of invisible words that says what is given."""
    document = pymupdf.open()
    for lines in layers:
        pdf = pymupdf.open()
        plain = pdf.new_page(width=420, height=200)
        page = document.new_page(width=420, height=200)
        for row, (ink, text) in enumerate(zip(TRUE, lines, strict=True)):
            plain.insert_text((36, 60 + 24 * row), ink, fontsize=14)
            page.insert_text((36, 60 + 24 * row), text, fontsize=14, render_mode=3)
        page.insert_image(page.rect, pixmap=plain.get_pixmap(dpi=200))
    document.save(folder / "scan.pdf")
    return folder / "scan.pdf"


def test_a_layer_of_another_page_waits_to_be_read_in_its_picture(tmp_path, engines):
    ocr = FakeOcr(always="\n".join(TRUE))
    engines = replace(engines, reader=FileReader(), ocr=ocr)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        report = bench.documents.add([scanned(tmp_path, TRUE, FALSE, TRUE, TRUE, FALSE)])
        assert [item.status for item in report.documents] == ["added"]
        assert bench.ocr.unread_pages() == {"D1": (0, 2)}
        assert [page.number for page in bench.store.readings.pages_to_read("D1")] == [2, 5]
        assert len(ocr.asked) == 5  # some pages, then, because one of them was wrong, all
        assert bench.ocr.read().pages == 2
        assert "Graz" not in bench.documents.page("D1", 2).text
        assert bench.documents.page("D1", 2).source == "ocr"
        assert bench.ocr.unread_pages() == {}
        assert any("Graz" in reading.text for reading in bench.store.pages.readings(bench.documents.page("D1", 2).id))
        assert bench.case.verify().ok


def test_right_layers_stay_and_few_of_them_are_looked_at(tmp_path, engines):
    ocr = FakeOcr(always="\n".join(TRUE))
    engines = replace(engines, reader=FileReader(), ocr=ocr)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, *[TRUE] * 6)])
        assert bench.ocr.unread_pages() == {}
        assert len(ocr.asked) == 3
    with Workbench.create(tmp_path / "none.disconfirm", replace(engines, ocr=None), who="Ann") as bench:
        bench.documents.add([tmp_path / "scan.pdf"])
        assert bench.ocr.unread_pages() == {}


def test_a_layer_is_marked_wherever_its_words_are_shown_until_it_is_compared(tmp_path, engines):
    engines = replace(engines, reader=FileReader(), ocr=None)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, FALSE)])
        page = bench.documents.page("D1", 1)
        assert (page.source, page.confidence, page.hidden_spans) == ("layer", None, ())
        (passage,) = bench.search.passages_for("trucks with plates from Graz").passages
        assert passage.source == "layer"
        bench.hypotheses.add("The trucks came from Graz")
        (proposal,) = bench.review.judge_passage(passage.chunk).proposals
        assert proposal.source == "layer"
        assert [proposal.source for proposal in bench.verdicts.proposals()] == ["layer"]
        bench.review.accept([proposal.id])
        (row,) = bench.evidence.all()
        assert bench.evidence.cite([row])[row.id].source == "layer"
        assert bench.evidence.scan_check(row) == ScanCheck((), "", None, layer=True)
        with pytest.raises(BadInput):
            bench.evidence.confirm_scan(row.id)
        assert "unchecked" in bench.matrix.compute().rows[0].flags
        data = bench.reports.data()
        assert data.checks == {row.id: LAYER}
        for render in (reports.render_html, reports.render_markdown, reports.render_json):
            assert LAYER in render(data).decode()
        bench.ocr.leave_text([("D1", 1)])  # a person has compared the page
        check = bench.evidence.scan_check(row)
        assert check is not None
        assert check.by == ("Ann",)
        assert "unchecked" not in bench.matrix.compute().rows[0].flags
        assert bench.case.verify().ok


def test_a_layer_of_nothing_in_its_picture_is_hidden(tmp_path, engines):
    ocr = FakeOcr(always="\n".join(TRUE))
    engines = replace(engines, reader=FileReader(), ocr=ocr)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, TRUE, FALSE)])
        right, wrong = bench.documents.pages("D1")
        assert right.source == "embedded"  # each of its words was read in the picture
        assert (wrong.hidden_spans, wrong.hidden_why) == (((0, len(wrong.text)),), ("invisible",))
        assert bench.documents.get("D1").chunks == len(bench.store.pages.chunk_ids("D1"))
        passages = bench.search.passages_for("trucks with plates from Graz").passages
        assert [passage.page for passage in passages] == [1]
        assert bench.ocr.unread_pages() == {"D1": (0, 1)}
        assert bench.case.verify().ok
    with Workbench.open(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        assert bench.case.verify().ok
        assert bench.ocr.read().pages == 1
        assert bench.documents.page("D1", 2).hidden_spans == ()
        assert bench.case.verify().ok


def test_a_layer_with_half_of_its_words_in_the_picture_is_doubted_and_not_hidden(tmp_path, engines):
    engines = replace(engines, reader=FileReader(), ocr=FakeOcr(always="\n".join(TRUE)))
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, [*TRUE[:2], FALSE[2]])])
        page = bench.documents.page("D1", 1)
        assert (page.source, page.hidden_spans) == ("layer", ())
        assert page.confidence is not None


def test_the_picture_is_read_as_wide_as_the_page(tmp_path, engines):
    """A layer that says less than its picture must not cut the words there in two."""
    widths = []

    class Ocr(FakeOcr):
        def read(self, png, *, width, height, languages=("eng",)):
            widths.append(round(width))
            return super().read(png, width=width, height=height, languages=languages)

    engines = replace(engines, reader=FileReader(), ocr=Ocr(always="\n".join(TRUE)))
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, FALSE)])
    assert widths == [420]


@pytest.mark.slow
def test_the_real_engines_hide_a_layer_of_other_words(tmp_path, engines):
    document = pymupdf.open()
    page, plain = (pdf.new_page(width=420, height=200) for pdf in (document, pymupdf.open()))
    plain.insert_text((36, 60), "PICTURE SAYS GUILTY", fontsize=20)
    page.insert_text((36, 60), "The text layer says innocent relay.", fontsize=14, render_mode=3)
    page.insert_image(page.rect, pixmap=plain.get_pixmap(dpi=200))
    document.save(tmp_path / "scan.pdf")
    engines = replace(engines, reader=FileReader(), ocr=ocr_engines.build())
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([tmp_path / "scan.pdf"])
        assert bench.documents.page("D1", 1).hidden_why == ("invisible",)
        assert bench.search.passages_for("innocent relay").passages == ()


@pytest.mark.slow
def test_the_real_engines_tell_a_changed_number_in_a_layer(tmp_path, engines):
    changed_lines = [TRUE[0].replace("02:36", "02:56"), *TRUE[1:]]
    engines = replace(engines, reader=FileReader(), ocr=ocr_engines.build())
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([scanned(tmp_path, TRUE, changed_lines, FALSE)])
        assert [page.number for page in bench.store.readings.pages_to_read("D1")] == [2, 3]


def stamped(folder, *texts):
    """A page for each text, which stands in its picture; a stamp on all; '' is a page of text of the file alone."""
    document = pymupdf.open()
    for number, text in enumerate(texts):
        page = document.new_page(width=420, height=600)
        if not text:
            page.insert_textbox((36, 60, 380, 500), "The guard of the yard wrote that nobody had come. " * 12)
            continue
        plain = pymupdf.open().new_page(width=420, height=600)
        plain.insert_text((36, 200), text, fontsize=14)
        page.insert_image(page.rect, pixmap=plain.get_pixmap(dpi=100))
        page.insert_text((300, 590), f"ABC-{number:06}")
    document.save(folder / "stamped.pdf")
    return folder / "stamped.pdf"


def test_a_scan_with_a_stamp_waits_and_keeps_its_stamp(tmp_path, engines):
    ocr = FakeOcr(always=SCANNED)
    engines = replace(engines, reader=FileReader(), ocr=ocr)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([stamped(tmp_path, SCANNED, "", SCANNED)])
        document = bench.documents.get("D1")
        assert (document.status, document.pages_without_text) == ("ready", 2)
        assert bench.ocr.unread_pages() == {"D1": (2, 0)}
        report = bench.ocr.read()
        assert (report.pages, report.problems) == (2, ())
        page = bench.documents.page("D1", 3)
        assert (page.text, page.source) == (f"{SCANNED}\nABC-000002", "ocr")
        assert bench.documents.page("D1", 2).source == "embedded"
        assert bench.documents.get("D1").pages_without_text == 0
        assert bench.ocr.unread_pages() == {}
        assert bench.search.passages_for("who signed for the valve").passages[0].page in (1, 3)
        assert bench.case.verify().ok
        ocr.fingerprint = "fake ocr 2"
        assert bench.ocr.read(again=True).pages == 2
        assert bench.documents.page("D1", 3).text == f"{SCANNED}\nABC-000002"
        assert bench.case.verify().ok


def test_a_document_of_scans_with_stamps_needs_reading(tmp_path, engines):
    engines = replace(engines, reader=FileReader(), ocr=None)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([stamped(tmp_path, SCANNED)])
        assert bench.documents.get("D1").status == "needs_ocr"


def test_a_document_that_is_named_is_read_whatever_it_has(tmp_path, engines):
    ocr = FakeOcr(always=SCANNED)
    engines = replace(engines, reader=FileReader(), ocr=ocr)
    (tmp_path / "a.txt").write_text("No picture of this.", "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([stamped(tmp_path, ""), tmp_path / "a.txt"])
        text = bench.documents.page("D1", 1).text
        assert bench.ocr.read().pages == 0
        report = bench.ocr.read(["D1", "D2"])
        assert report.pages == 1
        assert [problem.where for problem in report.problems] == ["a.txt"]
        page = bench.documents.page("D1", 1)
        assert page.source == "ocr"
        assert SCANNED.split()[-1] in page.text
        assert " ".join(text.split()) in " ".join(page.text.split())
        assert bench.case.verify().ok


def test_a_picture_that_shows_nothing_new_leaves_the_text_of_the_file(tmp_path, engines):
    engines = replace(engines, reader=FileReader(), ocr=FakeOcr())
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([stamped(tmp_path, "")])
        report = bench.ocr.read(["D1"])
        assert report.pages == 0
        assert "1 page was left as before" in report.problems[0].what
        assert bench.documents.page("D1", 1).source == "embedded"
