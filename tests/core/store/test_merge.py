"""Two files of one case become one: nothing lost, conflicts named, one undo takes it back."""

from __future__ import annotations

import hashlib
import shutil

import pytest

from core.domain import LeftOut, PageText, Reading, Searched, Span, Table, Word, Words
from core.errors import BadInput, CaseCorrupt, CaseNotFound, CaseNotProven
from core.evidence.quotes import span
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile, merge
from core.store.decision_log import TABLES, ChangeSet
from tests.core.store.material import EMBEDDER, TEXTS, add, clock, embed, pages_to_ocr, proposal, tamper


def decision_rows(case):
    return {name: {shape.key_of(row): row for row in case.records.rows(name)} for name, shape in TABLES.items()}


def add_quote(case, document, start, end):
    page = case.pages.page(document, 1)
    return case.evidence.add(text=page.text[start:end], source=document, quote=span(page, start, end)).id


@pytest.fixture
def ancestor(tmp_path):
    """One document, two hypotheses, one row, rated once by Ann; written and closed."""
    path = tmp_path / "case.disconfirm"
    with CaseFile.create(path, title="Pump", who="Ann", now=clock()) as case:
        add(case, "log.txt", [TEXTS[0]])
        embed(case)
        case.hypotheses.add("The operator did it")
        case.hypotheses.add("The vendor did it")
        add_quote(case, "D1", 0, 33)
        case.ratings.rate("E1", "H1", "I")
    return path


@pytest.fixture
def copies(ancestor, tmp_path):
    copy = tmp_path / "ben.disconfirm"
    shutil.copyfile(ancestor, copy)
    return ancestor, copy


def work(path, who, start, *steps):
    with CaseFile.open(path, who=who, now=clock(start)) as case:
        return [step(case) for step in steps]


LATER = "2026-03-02T08:00:00+00:00"
LATEST = "2026-03-03T08:00:00+00:00"


def test_rows_that_were_joined_there_keep_their_words_here(copies):
    own_path, ben_path = copies

    def join_rows(case):
        page = case.pages.page("D1", 1)
        add_quote(case, "D1", 34, len(page.text))
        case.evidence.join(["E1", "E2"], span(page, 0, len(page.text)))

    work(ben_path, "Ben", LATER, join_rows)
    work(own_path, "Ann", LATEST, lambda case: case.ratings.rate("E1", "H2", "N"))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        report = merge(case, ben_path, silent())
        (row,) = case.evidence.all()
        assert row.text == row.quote == TEXTS[0][:33]
        assert [text for text in report.conflicts if text.startswith("E1 quotes ") and TEXTS[0] in text]
        assert len(case.ratings.assessments()) == 2
        assert case.verify(silent()).ok


def test_what_the_other_added_comes_over_under_numbers_of_this_case(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: c.evidence.add(text="Seen by Ann", source="walk"))
    work(
        ben_path,
        "Ben",
        LATER,
        lambda c: add(c, "memo.txt", [TEXTS[1]]),
        lambda c: embed(c),
        lambda c: c.hypotheses.add("Nobody did it"),
        lambda c: add_quote(c, "D2", 0, 37),
        lambda c: c.ratings.rate_many([("E2", "H3", "CC"), ("E1", "H1", "II"), ("E1", "H2", "C")]),
        lambda c: c.ratings.annotate("E1", "H2", note="fits", confidence="high"),
        lambda c: c.proposals.put([proposal(c, "H3", c.pages.chunk_ids("D2")[1])]),
        lambda c: c.hypotheses.state_likelihood("H2", 0.6),
        lambda c: c.considerations.add("assumption", "The clock of the log is right", hypothesis="H1"),
    )
    content = ben_path.read_bytes()
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert (result.documents, result.hypotheses, result.evidence, result.ratings) == (1, 1, 1, 3)
        assert (result.proposals, result.considerations, result.conflicts, result.problems) == (1, 1, (), ())
        assert [h.text for h in case.hypotheses.all()] == ["The operator did it", "The vendor did it", "Nobody did it"]
        rows = {item.id: item for item in case.evidence.all()}
        assert rows["E2"].text == "Seen by Ann"
        new = rows["E3"]
        assert case.pages.page(new.document, 1).text[new.start : new.end] == new.quote
        ratings = {
            (a.evidence, a.hypothesis, a.by): (a.rating, a.note, a.confidence) for a in case.ratings.assessments()
        }
        assert ratings == {
            ("E1", "H1", "Ann"): ("I", "", ""),
            ("E1", "H1", "Ben"): ("II", "", ""),
            ("E1", "H2", "Ben"): ("C", "fits", "high"),
            ("E3", "H3", "Ben"): ("CC", "", ""),
        }
        assert [(p.hypothesis, p.status) for p in case.proposals.all()] == [("H3", "pending")]
        assert case.vectors.count_without(EMBEDDER.fingerprint) == 0
        assert [(x.by, x.value) for x in case.hypotheses.likelihoods()] == [("Ben", 0.6)]
        assert case.verify(silent()).problems == ()
    assert ben_path.read_bytes() == content


def test_merging_again_changes_nothing(copies):
    own_path, ben_path = copies
    work(ben_path, "Ben", LATER, lambda c: c.ratings.rate("E1", "H2", "C"), lambda c: c.hypotheses.add("Nobody did it"))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        merge(case, ben_path, silent())
        state, entries = decision_rows(case), len(case.log.entries())
        rerun = merge(case, ben_path, silent())
        assert (rerun.hypotheses, rerun.evidence, rerun.ratings, rerun.conflicts) == (0, 0, 0, ())
        assert decision_rows(case) == state
        assert len(case.log.entries()) == entries


def test_one_undo_takes_a_merge_back(copies):
    own_path, ben_path = copies
    work(ben_path, "Ben", LATER, lambda c: c.ratings.rate("E1", "H2", "C"), lambda c: c.hypotheses.add("Nobody did it"))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        state = decision_rows(case)
        merge(case, ben_path, silent())
        assert decision_rows(case) != state
        assert case.undo.undo().verb == "merge"
        assert decision_rows(case) == state
        case.undo.redo()
        assert len(case.hypotheses.all()) == 3
        assert case.verify(silent()).ok


def test_what_only_one_side_changed_is_no_conflict(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: c.evidence.describe(["E1"], {"reliability": "B"}))
    work(
        ben_path,
        "Ann",
        LATER,
        lambda c: c.ratings.rate("E1", "H1", "N"),
        lambda c: c.evidence.describe(["E1"], {"information": "3"}),
        lambda c: c.hypotheses.edit("H1", text="The operator stopped it", note=""),
    )
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert result.conflicts == ()
        (row,) = case.evidence.all()
        assert (row.reliability, row.information) == ("B", "3")
        assert case.hypotheses.all()[0].text == "The operator stopped it"
        assert [a.rating for a in case.ratings.assessments()] == ["N"]


def test_what_both_changed_is_listed_and_written_down(copies):
    own_path, ben_path = copies
    work(
        own_path,
        "Ann",
        LATER,
        lambda c: c.ratings.rate("E1", "H1", "C"),
        lambda c: c.evidence.describe(["E1"], {"reliability": "B"}),
        lambda c: c.hypotheses.edit("H2", text="The vendor opened it", note=""),
    )
    work(
        ben_path,
        "Ann",
        LATEST,
        lambda c: c.ratings.rate("E1", "H1", "II"),
        lambda c: c.evidence.describe(["E1"], {"reliability": "D"}),
        lambda c: c.hypotheses.edit("H2", text="The vendor closed it", note=""),
    )
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert len(result.conflicts) == 3
        conflicts = " ".join(result.conflicts)
        for part in ("“B”", "“D”", "opened it", "closed it", "E1 against H1 C", "II"):
            assert part in conflicts
        assert [a.rating for a in case.ratings.assessments()] == ["II"]  # the later one counts
        assert case.evidence.all()[0].reliability == "B"
        assert [c.kind for c in case.considerations.all()] == ["conflict"] * 3
        assert case.verify(silent()).ok


def test_a_row_removed_here_and_kept_there_comes_back_and_is_told(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: c.evidence.remove("E1"))
    work(ben_path, "Ben", LATER, lambda c: c.ratings.rate("E1", "H2", "C"))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert [item.id for item in case.evidence.all()] == ["E2"]
        assert {(a.hypothesis, a.by) for a in case.ratings.assessments()} == {("H1", "Ann"), ("H2", "Ben")}
        assert len(result.conflicts) == 1
        assert "E1 was removed here" in result.conflicts[0]


def test_two_cases_of_their_own_meet_by_content(tmp_path):
    paths = [tmp_path / "one.disconfirm", tmp_path / "two.disconfirm"]
    for path, who in zip(paths, ("Ann", "Ben"), strict=True):
        with CaseFile.create(path, title="Pump", who=who, now=clock()) as case:
            if who == "Ben":  # other numbers for the same things
                add(case, "other.txt", ["Nothing to see. Nothing at all."])
                case.hypotheses.add("Nobody did it")
            document = add(case, "log.txt", [TEXTS[0]])
            identity = case.hypotheses.add("the  Operator did it" if who == "Ben" else "The operator did it").id
            case.ratings.rate(add_quote(case, document, 0, 33), identity, "C" if who == "Ann" else "I")
    with CaseFile.open(paths[0], who="Ann", now=clock(LATEST)) as case:
        result = merge(case, paths[1], silent())
        assert (result.documents, result.hypotheses, result.evidence, result.ratings) == (1, 1, 0, 1)
        assert {(a.evidence, a.hypothesis, a.by, a.rating) for a in case.ratings.assessments()} == {
            ("E1", "H1", "Ann", "C"),
            ("E1", "H1", "Ben", "I"),
        }
        assert len(case.documents.all()) == 2
        assert case.verify(silent()).ok


def test_marks_tables_and_the_ledger_come_over(tmp_path):
    paths = [tmp_path / "one.disconfirm", tmp_path / "two.disconfirm"]
    ledger = (LeftOut("chart", 2, "word/charts"),)
    page = PageText(2, "abc def", struck_spans=((0, 3),), tables=(Table(("a",), (((4, 7),),)),))
    for path in paths:
        with CaseFile.create(path) as case:
            if path == paths[1]:
                document = add(case, "log.txt", [TEXTS[0]], finish=False)
                case.documents.put_pages(document, [(page, [])])
                outline = Outline("text", 2, file_date="2026-11-28")
                case.documents.finish(document, outline, left_out=ledger)
    with CaseFile.open(paths[0]) as case:
        merge(case, paths[1], silent())
        (document,) = case.documents.all()
        copy = case.pages.page(document.id, 2)
        assert (document.left_out, document.file_date) == (ledger, "2026-11-28")
        assert (copy.struck_spans, copy.tables) == (page.struck_spans, page.tables)
        assert case.verify(silent()).ok


def read_as(path, text, quote=""):
    """A case of one file, whose page reads so, with a row that quotes it."""
    data = b"%PDF the same file"
    with CaseFile.create(path) as case:
        sha256 = hashlib.sha256(data).hexdigest()
        document = case.documents.begin(name="memo.pdf", kind="pdf", sha256=sha256, data=data, reader="reader")
        case.documents.put_pages(document, [(PageText(1, text), [Span(0, len(text))])])
        case.documents.finish(document, Outline("pdf", 1))
        if quote:
            add_quote(case, document, text.index(quote), text.index(quote) + len(quote))
    return path


@pytest.mark.parametrize(
    ("merged_text", "own_text"),
    [
        ("The guard was likely asleep.", "It said: The guard was unlikely asleep."),
        ("The guard was__likely asleep.", "The guard was unlikely asleep."),  # at the same place
        ("He took likely asleep.", "He paid likely asleep-walkers and likely asleepers."),
    ],
)
def test_a_quote_of_a_page_that_is_read_otherwise_here_cuts_no_word(tmp_path, merged_text, own_text):
    merged_path = read_as(tmp_path / "other.disconfirm", merged_text, "likely asleep")
    with CaseFile.open(read_as(tmp_path / "ours.disconfirm", own_text)) as case:
        merged = merge(case, merged_path, silent())
        (row,) = case.evidence.all()
        assert (row.quote, row.page_id) == (None, None)
        assert [problem.what for problem in merged.problems] == ["Its quote is not on its page as this case reads it."]


def test_a_quote_of_a_page_that_is_read_otherwise_here_is_found_where_it_stands(tmp_path):
    merged_path = read_as(tmp_path / "other.disconfirm", "The guard was asleep.", "was asleep")
    with CaseFile.open(read_as(tmp_path / "ours.disconfirm", "Page 1. The guard was asleep.")) as case:
        assert merge(case, merged_path, silent()).problems == ()
        (row,) = case.evidence.all()
        assert (row.quote, row.start) == ("was asleep", 18)
        assert case.verify(silent()).ok


def test_nothing_is_taken_into_a_case_with_an_altered_page(copies):
    own_path, ben_path = copies
    work(ben_path, "Ben", LATER, lambda c: add_quote(c, "D1", 34, 64))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        altered_text = "The operator did not touch the pump, which stopped at 02:15."
        with case.db.transaction() as db:
            db.execute(
                "UPDATE page SET text = ?, sha256 = ?",
                (altered_text, hashlib.sha256(altered_text.encode()).hexdigest()),
            )
            case.anchors.pending_pages.add(1)
        initial_rows = decision_rows(case)
        with pytest.raises(CaseCorrupt, match="altered"):
            merge(case, ben_path, silent())
        assert decision_rows(case) == initial_rows


def test_a_scan_comes_over_with_what_was_read_in_it(copies):
    own_path, ben_path = copies
    read = Reading("engine 1", "Badge off", Words(), (), ())

    def scan(case):
        document = add(case, "scan.txt", [""])
        case.db.execute("UPDATE page SET source = 'none', width = 595, height = 842 WHERE document = ?", (document,))
        (page,) = pages_to_ocr(case, document)
        case.readings.put(page.id, PageText(1, "Badge off", source="ocr", confidence=0.5), [Span(0, 9)], [read])

    work(ben_path, "Ben", LATER, scan)
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        assert merge(case, ben_path, silent()).documents == 1
        page = case.pages.page("D2", 1)
        assert (page.text, page.source, page.confidence) == ("Badge off", "ocr", 0.5)
        assert case.pages.readings(page.id) == [read]
        assert case.words.matching("badge")
        assert case.verify(silent()).ok


def test_words_checked_there_are_checked_here(copies):
    own_path, ben_path = copies
    words = Words.of([Word(0, 5, 0, 0, 1, 1), Word(6, 9, 0, 0, 1, 1)])
    read = Reading("engine 1", "Badge ofl", words, (0.9, 0.2), ((), ()), ("", "off"))

    def scan(case):
        document = add(case, "scan.txt", [""])
        case.db.execute("UPDATE page SET source = 'none', width = 595, height = 842 WHERE document = ?", (document,))
        (page,) = pages_to_ocr(case, document)
        text = PageText(1, read.text, words, source="ocr", confidence=0.5)
        case.readings.put(page.id, text, [Span(0, 9)], [read])

    def correct(case):
        case.corrections.decide([(case.pages.page("D2", 1).id, 1, "corrected", "off")])

    work(own_path, "Ann", LATER, scan)
    work(ben_path, "Ben", LATER, scan, correct)
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        assert merge(case, ben_path, silent()).conflicts == ()
        assert case.pages.page("D2", 1).text == "Badge off"
        assert [(d.word, d.text, d.by) for d in case.corrections.decisions()] == [(1, "off", "Ben")]
        assert case.words.matching("off")
        assert case.verify(silent()).ok
        case.undo.undo()
        assert case.pages.page("D2", 1).text == "Badge ofl"


def test_a_text_left_as_it_is_there_is_left_here_under_its_number_of_this_case(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: add(c, "walk.txt", ["Ann went there."]))
    work(ben_path, "Ben", LATER, lambda c: add(c, "scan.txt", ["Words."]), lambda c: c.readings.leave_text([("D2", 1)]))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        assert merge(case, ben_path, silent()).conflicts == ()
        assert case.readings.left_pages() == {("D3", 1)}
        case.undo.undo()
        assert case.readings.left_pages() == frozenset()


def test_what_is_no_other_case_is_refused(copies, tmp_path):
    own_path, ben_path = copies
    with CaseFile.open(own_path, who="Ann") as case:
        with pytest.raises(CaseNotFound):
            merge(case, tmp_path / "none.disconfirm", silent())
        with pytest.raises(BadInput, match="open"):
            merge(case, own_path, silent())
        with CaseFile.open(ben_path, who="Ben") as open_case:
            open_case.ratings.rate("E1", "H2", "C")
            with pytest.raises(BadInput, match="not closed"):
                merge(case, ben_path, silent())
        state = decision_rows(case)
        assert merge(case, ben_path, silent()).ratings == 1
        case.undo.undo()
        assert decision_rows(case) == state


def test_names_plans_and_words_on_passages_come_over_once(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: c.entities.add("Ruben Aske", aliases=["R. Aske"]))
    work(
        ben_path,
        "Ben",
        LATER,
        lambda c: c.entities.add("R. Aske", aliases=["the operator"]),
        lambda c: c.entities.add("Klara Bost"),
        lambda c: c.plans.add("H2", "against", "the vendor was abroad"),
        lambda c: c.plans.judge_relevance("H2", c.pages.chunk_ids("D1")[0], True),
        lambda c: c.plans.note_searches([Searched("", "H2", "against", "the vendor was abroad", 4, 2)]),
    )
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        for _ in range(2):
            merge(case, ben_path, silent())
            assert [(e.name, e.aliases) for e in case.entities.all()] == [
                ("Ruben Aske", ("R. Aske", "the operator")),
                ("Klara Bost", ()),
            ]
            assert [(q.hypothesis, q.text) for q in case.plans.queries()] == [("H2", "the vendor was abroad")]
            assert [(r.hypothesis, r.chunk, r.by) for r in case.plans.relevances()] == [
                ("H2", case.pages.chunk_ids("D1")[0], "Ben")
            ]
            assert [s.passages for s in case.plans.searches("H2")] == [4]
        assert not case.verify(silent()).problems


# --- what the other file's own log does not bear out ----------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rating SET rating = 'CC'",
        "UPDATE rating SET rating = 'ZZ'",
        "UPDATE evidence SET text = 'He confessed.'",
        "DELETE FROM rating",
        "UPDATE log SET after = replace(after, '\"I\"', '\"CC\"') WHERE verb = 'rate'",
        "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
        "UPDATE document SET sha256 = replace(sha256, '0', '1')",
        "UPDATE page SET text = replace(text, '02:14', '04:12')",
    ],
)
def test_nothing_is_taken_from_a_file_that_its_own_log_does_not_bear_out(copies, statement):
    own_path, ben_path = copies
    work(ben_path, "Ben", LATER, lambda c: c.evidence.add(text="Seen by Ben", source="walk"))
    tamper(ben_path, statement)
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        initial_rows, entries = decision_rows(case), len(case.log.entries())
        with pytest.raises(CaseNotProven) as error:
            merge(case, ben_path, silent())
        assert "nothing was taken" in error.value.sentence
        assert (decision_rows(case), len(case.log.entries())) == (initial_rows, entries)


def forge(path, who, start, table, **values):
    """Change every row of a table as whoever wrote a whole log for it could."""
    with CaseFile.open(path, who=who, now=clock(start)) as case, case.db.transaction():
        change = ChangeSet()
        for row in case.records.rows(table):
            case.records.put(change, table, {**row, **values})
        case.log.append_change("rate", change)


@pytest.mark.parametrize(
    ("table", "values"),
    [("rating", {"rating": "ZZ"}), ("evidence", {"credibility": "ZZ"}), ("hypothesis", {"kind": "ZZ"})],
)
def test_a_value_that_no_version_writes_never_comes_over(copies, table, values):
    own_path, ben_path = copies
    forge(ben_path, "Ben", LATER, table, **values)
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        initial_rows = decision_rows(case)
        with pytest.raises(CaseNotProven, match="its own check"):
            merge(case, ben_path, silent())
        assert decision_rows(case) == initial_rows
    with CaseFile.open(ben_path, who="Ben") as case:
        column = next(iter(values))
        assert f"'{column}' has an impossible value" in " ".join(p.what for p in case.verify(silent()).problems)


def test_another_rating_of_the_same_moment_is_a_conflict_and_does_not_count(copies):
    own_path, ben_path = copies
    forge(ben_path, "Ben", LATER, "rating", rating="CC")
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert [a.rating for a in case.ratings.assessments()] == ["I"]
        assert result.ratings == 0
        assert any("CC" in text and "the one here counts" in text for text in result.conflicts)


def test_an_older_copy_does_not_bring_back_an_older_rating(copies):
    own_path, ben_path = copies
    work(own_path, "Ann", LATER, lambda c: c.ratings.rate("E1", "H1", "CC"))
    with CaseFile.open(own_path, who="Ann", now=clock(LATEST)) as case:
        result = merge(case, ben_path, silent())
        assert [a.rating for a in case.ratings.assessments()] == ["CC"]
        assert (result.ratings, result.conflicts) == (0, ())
