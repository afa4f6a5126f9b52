"""What is erased from a case is nowhere in its file, all else is as it was, and the log still proves itself."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace

import apsw
import pytest

from core.domain import LogEntry, Probabilities
from core.errors import BadInput, CannotWrite, CaseReadOnly, DiskFull, ErasureUnfinished, NoSuchItem
from core.passphrase import Passphrase
from core.progress import silent
from core.store import CaseFile, ImportedRow, copies_with, decision_log, merge
from core.store.backups import Backups
from core.store.case_key import make_key
from core.store.decision_log import TABLES
from core.store.record_chain import digest_of
from core.store.schema import lasting
from core.store.typed_text import TypedText, file_of
from core.text import digest
from tests.core.store.canary import NAME, PASSWORD, SENTENCE, WORDS, add_secret, every_value, inside, traces
from tests.core.store.material import TEXTS, add, add_failure, clock, decisions, embed, fill, tamper, wal_of


@pytest.fixture
def full_case(path):
    """A case with a document that left its traces everywhere, D4."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as new_case:
        assert traces(new_case) == "D4"
        yield new_case


def sound(case):
    assert case.verify(silent()).problems == ()


def test_before_it_is_erased_the_search_finds_it(full_case, path):
    original = full_case.documents.original("D4")
    vectors = [
        bytes(row[0])
        for row in full_case.db.rows("SELECT data FROM vector JOIN chunk ON chunk.id = chunk WHERE document = 'D4'")
    ]
    assert len(vectors) == 3
    sound(full_case)
    full_case.close()
    places = inside(path, blobs=[original, *vectors])
    assert len(places) > 100
    assert len([place for place in places if "bytes" in place]) == 4


def test_nothing_of_it_is_left_in_the_file(full_case, path):
    original = full_case.documents.original("D4")
    sketch = b"sketch of " + original
    join = "JOIN chunk ON chunk.id = chunk WHERE document = 'D4'"
    vectors = [bytes(row[0]) for row in full_case.db.rows(f"SELECT data FROM vector {join}")]
    report = full_case.erasures.erase(["D4"])
    assert report.erasure.documents == ("D4",)
    assert report.erasure.sha256 == {"D4": hashlib.sha256(original).hexdigest()}
    assert report.entries > 10
    # Also while it is open: neither the file nor what lies beside it.
    for file in path.parent.iterdir():
        assert inside(file, blobs=[original, sketch, *vectors]) == []
    sound(full_case)
    full_case.close()
    assert inside(path, blobs=[original, sketch, *vectors]) == []
    values = every_value(path)
    assert not [word for word in (*WORDS, PASSWORD) if word[:8] in values.lower()]
    assert digest_of([PASSWORD]) not in values
    with CaseFile.open(path, now=clock()) as reopened_case:
        sound(reopened_case)


def test_all_else_is_as_it_was(full_case):
    original_tables = decisions(full_case)
    texts = full_case.db.rows("SELECT * FROM page WHERE document <> 'D4'")
    full_case.erasures.erase(["D4"])
    remaining_tables = decisions(full_case)
    assert full_case.db.rows("SELECT * FROM page ORDER BY id") == texts
    assert [row for row in original_tables["document"] if row[0] != "D4"] == remaining_tables["document"]
    for table in ("rating", "suggestion", "likelihood", "hypothesis", "evidence", "consideration", "setting", "about"):
        assert len(original_tables[table]) == len(remaining_tables[table])
    quoting = {row.id: row for row in full_case.evidence.all()}
    assert {row.id for row in quoting.values() if row.kind == "withdrawn"} == {"E3", "E4"}
    assert quoting["E1"].quote == TEXTS[0][:33]
    assert (quoting["E4"].document, quoting["E4"].quote, quoting["E4"].page_id) == (None, None, None)
    assert quoting["E4"].text == "Withdrawn: the document it quoted was erased."
    assert [item.rating for item in full_case.ratings.assessments() if item.evidence == "E4"] == ["II", "C"]
    assert [document.id for document in full_case.documents.all()] == ["D1", "D2", "D3"]
    assert full_case.words.matching("pump")
    assert full_case.words.matching(WORDS[0]) == []
    assert [entity.name for entity in full_case.entities.all()] == ["dosing pump"]
    assert full_case.entities.all()[0].aliases == ()
    assert [result.subject for result in full_case.results.all("answer")] == ["And the pump?"]
    assert full_case.results.all("conflict") == []


def test_words_of_people_stay_but_for_the_stretches_they_copied(full_case):
    full_case.erasures.erase(["D4"])
    assert full_case.hypotheses.get("H3").text == "Somebody else wrote [erased]"
    assert full_case.settings.title() == "The case of [erased]"
    row = next(row for row in full_case.evidence.all() if row.id == "E2")
    assert row.note == "Compare [erased], which says “[erased]”, and the badge."
    assert [item.note for item in full_case.ratings.assessments() if item.evidence == "E4"] == ["It says [erased].", ""]
    assert full_case.plans.searches()[-1].query == "[erased]"


@pytest.mark.parametrize("passphrase", ["", "four words of mine"])
def test_text_that_was_typed_and_not_saved_loses_its_words_too(path, passphrase):
    key = make_key(Passphrase(passphrase)) if passphrase else None
    with CaseFile.create(path, title="Pump", who="ann", now=clock(), key=key) as case:
        traces(case)
        texts = TypedText(path, key)
        texts.keep("Note on E1", f"It says {SENTENCE}, as Ben does.")
        texts.keep("Question", "Who saw Ben?")
        case.erasures.erase(["D4"])
    remainder = [leftover.text for leftover in TypedText(path, key).leftovers()]
    assert remainder == ["It says [erased], as Ben does.", "Who saw Ben?"]
    assert key or SENTENCE.encode() not in file_of(path).read_bytes()


def test_nothing_is_erased_while_its_words_stay_in_text_that_was_not_saved(full_case, path):
    TypedText(path, None).keep("Note on E1", f"It says {SENTENCE}.")
    blocker = apsw.Connection(str(file_of(path)))
    blocker.execute("BEGIN IMMEDIATE").fetchall()
    with pytest.raises(CannotWrite):
        full_case.erasures.erase(["D4"])
    blocker.close()
    assert full_case.documents.get("D4").id == "D4"
    sound(full_case)


def test_what_also_stands_in_another_document_is_left_in_peoples_words(full_case):
    add(full_case, "copy.txt", [f"They say {SENTENCE} and more."])
    full_case.erasures.erase(["D4"])
    assert full_case.hypotheses.get("H3").text == f"Somebody else wrote {SENTENCE}"
    sound(full_case)


def test_a_name_that_stands_elsewhere_stays(full_case):
    add(full_case, "other.txt", [f"There was {WORDS[10].title()} too."])
    full_case.erasures.erase(["D4"])
    assert [(entity.name, entity.aliases) for entity in full_case.entities.all()] == [
        (WORDS[10], ()),
        ("dosing pump", ()),
    ]
    sound(full_case)


def test_what_would_go_is_told_before(full_case):
    erasure = full_case.erasures.look(["D4"])
    assert erasure.documents == ("D4",)
    assert erasure.dependents.evidence == ("E3", "E4")
    assert (erasure.dependents.cells, erasure.dependents.proposals) == (2, 2)
    assert erasure.results == ("A1", "X1")
    assert erasure.names == (WORDS[10],)
    assert erasure.holders == ()
    sound(full_case)
    with pytest.raises(NoSuchItem):
        full_case.erasures.look(["D9"])


def test_what_stays_and_may_hold_the_same_is_told(case):
    add(case, "mail.eml", ["A mail with an attachment in it. It is long."])
    add(case, "attachment.txt", ["What was attached to the mail. It is short."])
    add(case, "newer.txt", ["What was attached to the mail, newer. It is short."])
    case.db.execute("UPDATE document SET parent = 'D1' WHERE id = 'D2'")
    case.descriptions.supersede("D2", "D3")
    assert case.erasures.look(["D2"]).holders == ("D1", "D3")
    assert case.erasures.look(["D1"]).dependents.children == ("D2",)


def test_texts_of_people_that_lose_words_are_named_before(full_case, path):
    TypedText(path, None).keep("Note on E1", f"It says {SENTENCE}.")
    assumption = full_case.considerations.add("assumption", f"We assume that {SENTENCE}")
    texts = {text.place: text.words for text in full_case.erasures.look(["D4"]).cut_texts}
    assert texts["text of H3"] == (SENTENCE,)
    assert texts["text typed and not saved"] == (SENTENCE,)
    assert texts[f"text of assumption {assumption.id}"] == (SENTENCE,)  # which has no id on show
    assert {"title of the case", "note of E2", "note on E4 against H1"} <= texts.keys()
    assert not {"text of H1", "note of E3", "text of E3"} & texts.keys()  # E3 quoted it, and is withdrawn whole
    sound(full_case)


def test_undo_says_that_it_ends_at_an_erasure_as_long_as_nothing_was_decided_after_it(full_case):
    assert not full_case.undo.stopped_by_erasure()
    full_case.erasures.erase(["D4"])
    assert full_case.undo.stopped_by_erasure()
    full_case.hypotheses.add("Another one.")
    assert not full_case.undo.stopped_by_erasure()
    full_case.undo.undo()
    assert full_case.undo.stopped_by_erasure()


def test_undo_does_not_reach_back_past_it_and_goes_on_after_it(full_case):
    full_case.erasures.erase(["D4"])
    assert full_case.undo.undo() is None
    assert full_case.undo.redo() is None
    full_case.ratings.rate("E1", "H1", "I")
    full_case.undo.undo()
    assert full_case.undo.undo() is None
    sound(full_case)


def test_a_file_that_was_erased_can_be_added_again(full_case, path):
    full_case.erasures.erase(["D4"])
    assert add_secret(full_case) == "D5"
    sound(full_case)
    full_case.erasures.erase(["D5"])
    full_case.close()
    assert inside(path) == []
    with CaseFile.open(path) as reopened_case:
        sound(reopened_case)


def test_a_removed_a_failed_and_an_empty_document_are_erased_alike(full_case, path):
    add_failure(full_case, f"{WORDS[101]}.bin", f"\xff{WORDS[102]}".encode("latin-1"))
    full_case.removal.remove(["D4"], with_evidence=True)
    full_case.erasures.erase(["D4", "D5"])
    sound(full_case)
    assert full_case.documents.removed() == []
    full_case.close()
    assert inside(path) == []


def test_what_was_found_in_it_goes_with_it_also_where_that_was_removed_before(case, path):
    add(case, "plain.txt", ["What was attached, and is a document of its own. It stays."])
    mail = add(case, "samphire.eml", ["A mail with attachments in it. It is long."])
    part = add(case, "samphire.eml/perihelion.txt", ["An orbicular thing was attached to it. It is short."])
    case.db.execute("UPDATE document SET parent = ? WHERE id = ?", (mail, part))
    case.imports.put(
        [
            ImportedRow(0, "", "samphire.eml", "", "added", mail),
            ImportedRow(0, "", "samphire.eml/perihelion.txt", "samphire.eml", "added", part),
            ImportedRow(0, "", "samphire.eml/tessellate.zip", "samphire.eml", "duplicate", "D1", "D1"),
            ImportedRow(0, "", "samphire.eml/graphology.txt", "samphire.eml", "failed", None, reason="vulcanite"),
            ImportedRow(0, "", "other.eml/quilt.txt", "other.eml", "duplicate", "D1", "D1"),
        ]
    )
    case.removal.remove([part])
    assert case.erasures.look([mail]).dependents.children == (part,)
    case.erasures.erase([mail])
    assert [document.id for document in case.documents.all()] == ["D1"]
    assert [row.name for row in case.imports.imported()] == ["[erased]"] * 4 + ["other.eml/quilt.txt"]
    case.close()
    secrets = ("samphire", "perihelion", "orbicular", "tessellate", "graphology", "vulcanite")
    assert inside(path, secrets) == []
    with CaseFile.open(path) as reopened_case:
        assert reopened_case.documents.removed() == []
        assert reopened_case.verify(silent()).ok


def test_one_that_is_being_read_is_not_erased(case):
    add(case, "half.txt", ["Half of it. And no more."], finish=False)
    with pytest.raises(BadInput, match="being read"):
        case.erasures.erase(["D1"])


def test_a_case_that_can_only_be_viewed_is_left(path, monkeypatch):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
    content = path.read_bytes()
    monkeypatch.setattr("core.store.connection._writable", lambda _path: False)
    with CaseFile.open(path) as case, pytest.raises(CaseReadOnly):
        case.erasures.erase(["D1"])
    assert path.read_bytes() == content


def test_the_log_names_what_was_blanked_and_a_changed_blank_is_noticed(full_case, path):
    full_case.erasures.erase(["D4"])
    entry = next(entry for entry in full_case.log.entries() if entry.verb == decision_log.ERASE)
    erasure = json.loads(entry.after)["erasure"]
    assert list(erasure["documents"]) == ["D4"]
    seq = max(map(int, erasure["entries"]))
    record = max(map(int, erasure["records"]))
    full_case.close()
    tamper(
        path,
        'UPDATE log SET after = replace(after, \'"rating":"II"\', \'"rating":"CC"\')',
        f"UPDATE log SET who = 'bob' WHERE seq = {seq}",
    )
    with CaseFile.open(path) as case:
        faults = [problem.what for problem in case.verify(silent()).problems]
    assert f"Entry {seq} was changed after it was written." in faults
    tamper(path, f"UPDATE record SET digests = '{{}}' WHERE seq = {record}")
    with CaseFile.open(path) as case:
        faults = [problem.what for problem in case.verify(silent()).problems]
    assert any(f"Record {record} was changed" in fault for fault in faults)


def _entry(seq, verb, after, previous=decision_log.FIRST):
    bare = LogEntry(seq, "2026", "ann", verb, "{}", json.dumps(after), "1", None, previous, "")
    return replace(bare, hash=decision_log.digest(bare))


def test_an_erasure_vouches_for_nothing_after_it_and_only_where_it_takes_documents_out():
    named = {"1": "a" * 64, "2": "b" * 64, "3": "c" * 64}
    facts = {"documents": {"D1": {"sha256": "0"}}, "entries": named, "records": {"7": "d"}}
    entry = _entry(2, decision_log.ERASE, {"document": {"D1": None}, "erasure": facts})
    assert decision_log.redactions([entry]) == decision_log.Redactions({1: "a" * 64}, {7: "d"})
    assert decision_log.redactions([replace(entry, seq=3)]) == decision_log.Redactions()
    for verb, after in (
        (decision_log.ERASE, {"erasure": facts}),
        (decision_log.ERASE, {"document": {"D1": {"id": "D1"}}, "erasure": facts}),
        (decision_log.ERASE, {"document": {"D1": None}, "erasure": {**facts, "documents": {}}}),
        (decision_log.FORGET, {"document": {"D1": None}, "erasure": facts}),
    ):
        assert decision_log.redactions([_entry(2, verb, after)]).entries == {}
    for verb in (decision_log.RECOVER, "rate"):
        assert decision_log.redactions([_entry(2, verb, {"erasure": facts})]) == decision_log.Redactions()


def _forge(path, verb, facts):
    """Alter a rating in the log and its table, and append an entry that vouches for the altered one."""
    with CaseFile.open(path) as case:
        entries = case.log.entries()
        rate = next(entry for entry in entries if entry.verb == "rate" and '"rating":"C"' in entry.after)
        altered = replace(rate, after=rate.after.replace('"rating":"C"', '"rating":"II"'))
        vouching = {"entries": {str(rate.seq): decision_log.digest(altered)}, "records": {}}
        case.log.append(verb, {}, {**facts, "erasure": {**facts.get("erasure", {}), **vouching}})
        case.db.execute("UPDATE log SET after = ? WHERE seq = ?", (altered.after, rate.seq))
        case.db.execute("UPDATE rating SET rating = 'II' WHERE rating = 'C'")
    return rate.seq


@pytest.mark.parametrize(
    ("verb", "facts"),
    [
        (decision_log.FORGET, {"erasure": {"passwords": ["D1"]}}),
        (decision_log.ERASE, {"erasure": {"documents": {}}}),
        (decision_log.ERASE, {"erasure": {"documents": {"D9": {"sha256": "0" * 64}}}}),
        (decision_log.RECOVER, {"erasure": {"documents": {}}}),
        (decision_log.RECOVER, {"recovery": {"case": {"of": 3}}, "erasure": {"documents": {}}}),
    ],
)
def test_an_entry_that_only_claims_an_erasure_does_not_hide_a_changed_rating(full_case, path, verb, facts):
    full_case.close()
    seq = _forge(path, verb, facts)
    with CaseFile.open(path) as case:
        faults = [problem.what for problem in case.verify(silent()).problems]
    assert f"Entry {seq} was changed after it was written." in faults


def test_who_checks_a_case_is_told_of_what_an_entry_of_recovery_vouches_for(full_case, path):
    full_case.close()
    origin = {"recovery": {"case": {"file": "old.disconfirm", "entries": 3, "of": 5}}, "erasure": {"documents": {}}}
    _forge(path, decision_log.RECOVER, origin)
    with CaseFile.open(path) as case:
        notes = case.verify(silent()).notes
    assert any("from a damaged file, old.disconfirm. Lost: 2 of 5 log entries." in note for note in notes)
    assert any("1 earlier entry of the log had words blanked" in note for note in notes)


def test_what_the_entry_of_an_erasure_holds_of_another_document_goes_with_that(full_case, path):
    """The second erasure blanks words in the entry of the first, which goes on vouching for what it blanked."""
    words = "zebra quilt harbour lantern mosaic pepper"
    older_document = add(full_case, "older.txt", [f"{words}. And more of it is here."])
    full_case.descriptions.describe([older_document], {"title": "Quilts of Zanzibar"})
    full_case.descriptions.supersede(older_document, "D4")
    full_case.evidence.describe(["E3"], {"note": f"As {words} says"})
    full_case.erasures.erase(["D4"])
    sound(full_case)
    full_case.erasures.erase([older_document])
    sound(full_case)
    left = "".join(entry.before + entry.after for entry in full_case.log.entries())
    assert "zebra" not in left
    assert "Zanzibar" not in left
    full_case.close()
    with CaseFile.open(path) as reopened_case:
        sound(reopened_case)
        reopened_case.erasures.erase(["D1"])
        sound(reopened_case)


def test_moments_before_it_show_what_is_left_of_them(full_case):
    seq = full_case.history.position()
    full_case.erasures.erase(["D4"])
    former_state = full_case.history.state_at(seq)
    assert [document.name for document in former_state.documents][-1] == "[erased]"
    assert {row.text for row in former_state.evidence if row.id in ("E3", "E4")} == {"[erased]"}
    assert len(former_state.assessments) == len(full_case.history.state().assessments)


def test_passwords_are_forgotten_and_the_rest_stays(full_case, path):
    assert full_case.erasures.forget_passwords(["D4", "D1"]) == ["D4"]
    assert full_case.erasures.forget_passwords(["D4"]) == []
    assert full_case.imports.password("D4") == ""
    assert full_case.imports.without_password() == {"D4"}
    with pytest.raises(NoSuchItem):
        full_case.erasures.forget_passwords(["D9"])
    assert [entry.verb for entry in full_case.log.entries()][-2:] == [decision_log.FORGET, decision_log.REWRITE]
    sound(full_case)
    full_case.close()
    assert inside(path, [PASSWORD]) == []
    assert digest_of([PASSWORD]) not in every_value(path)
    with CaseFile.open(path) as reopened_case:
        sound(reopened_case)
        assert reopened_case.documents.original("D4")


def test_no_backup_is_made_of_what_is_about_to_be_erased(full_case):
    calls = []
    full_case.db.before_writing = lambda: calls.append(1)
    full_case.erasures.erase(["D4"])
    full_case.ratings.rate("E1", "H1", "I")
    assert calls == []


_CHILD = """
import os, sys
from pathlib import Path
from core.store import CaseFile
case = CaseFile.open(Path(sys.argv[1]))
limit, count = int(sys.argv[2]), 0
def trace(*_):
    global count
    count += 1
    if count == limit:
        os.kill(os.getpid(), 9)
    return True
case.db.connection.trace_v2(0x01, lambda *_: trace())
case.erasures.{verb}(["D1"])
print(count)
os._exit(0)
"""


def _killed_at(path, verb, limit):
    command = [sys.executable, "-c", _CHILD.format(verb=verb), str(path), str(limit)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _small(path):
    with CaseFile.create(path, who="ann", now=clock()) as case:
        case.hypotheses.add("The vendor did it")
        secret = add_secret(case)
        add(case, "b.txt", [TEXTS[1]])
        embed(case)
        page = case.pages.page(secret, 1)
        from core.evidence.quotes import span

        case.evidence.add(text="x", source=NAME, quote=span(page, 0, 20))
        case.ratings.rate("E1", "H1", "II")


def _states(path):
    with CaseFile.open(path, now=clock()) as case:
        assert case.verify(silent()).problems == ()
        return [document.id for document in case.documents.all()], case.imports.with_password()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["erase", "forget_passwords"])
def test_killed_at_any_statement_it_is_done_or_not_begun(tmp_path, verb):
    """A few of the places here; the slow one has them all."""
    _kill_at_places(tmp_path, verb, 5)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("verb", ["erase", "forget_passwords"])
def test_killed_at_every_statement_it_is_done_or_not_begun(tmp_path, verb, record_property):
    record_property("n", _kill_at_places(tmp_path, verb, 10_000))


def _kill_at_places(tmp_path, verb, place_count):
    """Kill it at places spread evenly; return at how many."""
    path = tmp_path / "a.disconfirm"
    _small(path)
    data = path.read_bytes()
    child = _killed_at(path, verb, 0)
    assert child.returncode == 0, child.stderr
    total = int(child.stdout)
    end_state = _states(path)
    outcomes = set()
    limits = sorted({*range(1, total + 1, max(1, total // place_count)), total - 2, total - 1, total})
    for limit in limits:
        path.write_bytes(data)
        wal_of(path).unlink(missing_ok=True)
        assert _killed_at(path, verb, limit).returncode == -9
        state = _states(path)
        if state == end_state:
            assert inside(path, [PASSWORD] if verb != "erase" else (*WORDS, PASSWORD)) == []
        else:
            assert state == (["D1", "D2"], ["D1"])
        outcomes.add(state == end_state)
    assert outcomes == {True, False}
    return len(limits)


def test_tables_of_people_are_those_of_the_log(full_case):
    full_case.erasures.erase(["D4"])
    replay = decision_log.replay(full_case.log.entries())
    for table in TABLES:
        assert replay[table].keys() == {TABLES[table].key_of(row) for row in full_case.records.stored_rows(table)}


def test_a_merge_brings_nothing_back_that_was_erased_here(full_case, path):
    copy = path.with_name("copy.disconfirm")
    full_case.back_up(copy)
    with CaseFile.open(copy, who="bob", now=clock("2026-04-01T08:00:00+00:00")) as copied_case:
        copied_case.ratings.rate("E3", "H2", "I")
        copied_case.hypotheses.add("Something else happened")
    full_case.erasures.erase(["D4"])
    merge_result = merge(full_case, copy, silent())
    assert [problem.where for problem in merge_result.problems if "erased" in problem.what] == [f"D4 {NAME}"]
    assert merge_result.documents == 0
    assert [row.kind for row in full_case.evidence.all()] == ["observation", "observation", "withdrawn", "withdrawn"]
    assert "Something else happened" in [hypothesis.text for hypothesis in full_case.hypotheses.all()]
    sound(full_case)
    full_case.close()
    assert inside(path) == []


def test_a_merge_of_a_copy_in_which_it_was_erased_takes_nothing_away(full_case, path):
    copy = path.with_name("copy.disconfirm")
    full_case.back_up(copy)
    with CaseFile.open(copy, who="bob", now=clock("2026-04-01T08:00:00+00:00")) as copied_case:
        copied_case.erasures.erase(["D4"])
    merge_result = merge(full_case, copy, silent())
    assert "The document of E3 was erased in the other copy and is kept here." in merge_result.conflicts
    assert [document.id for document in full_case.documents.all()] == ["D1", "D2", "D3", "D4"]
    assert {row.kind for row in full_case.evidence.all()} == {"observation"}
    sound(full_case)


def test_an_encrypted_case_forgets_likewise_and_stays_encrypted(path):
    key = make_key(Passphrase("correct horse battery staple"))
    with CaseFile.create(path, who="ann", now=clock(), key=key) as case:
        traces(case)
        file = hashlib.sha256(case.documents.original("D4")).hexdigest()
        backup = Backups(case).make()
        case.erasures.erase(["D4"])
        sound(case)
        assert [copy.path for copy in copies_with(case, [file])] == [backup.path]
    with CaseFile.open(path, key=key) as case:
        sound(case)
        values = repr([case.db.rows(f'SELECT * FROM "{table}"') for table in lasting(case.db.connection)])
    assert not [word for word in (*WORDS, PASSWORD) if word[:8] in values.lower()]
    assert inside(path) == []


def test_a_full_disk_after_an_erasure_does_not_call_it_undone(full_case, path, monkeypatch):
    def full(_erasures):
        raise DiskFull(path=path)

    with monkeypatch.context() as patch:
        patch.setattr(type(full_case.erasures), "finish", full)
        with pytest.raises(ErasureUnfinished) as error:
            full_case.erasures.erase(["D4"])
        assert "not saved" not in error.value.sentence
    assert "D4" not in {document.id for document in full_case.documents.all()}
    assert full_case.erasures.unfinished()
    full_case.close()
    with CaseFile.open(path) as reopened_case:
        assert not reopened_case.erasures.unfinished()
        sound(reopened_case)


def test_no_digest_of_its_words_is_left_to_try_guesses_on(full_case):
    probabilities = Probabilities(0.2, 0.7, 0.1)
    chunk = full_case.pages.chunk_ids("D1")[0]
    passage = digest(full_case.pages.chunks([chunk])[chunk].text)
    hypothesis = digest(full_case.hypotheses.all()[0].text)
    sentence, pump_digest = digest(SENTENCE), digest("The pump stopped.")
    pairs = [(passage, hypothesis), (sentence, hypothesis), (pump_digest, sentence)]
    full_case.verdicts.put("judge 1", [(*pair, probabilities) for pair in pairs])
    its_chunks = set(full_case.pages.chunk_ids("D4"))

    def recorded():
        return [(kind, json.loads(text)) for kind, text in full_case.db.rows("SELECT kind, digests FROM record")]

    assert any(sentence in key for _kind, by_key in recorded() for key in by_key)
    full_case.erasures.erase(["D4"])
    assert not any(sentence in key or pump_digest in key for _kind, by_key in recorded() for key in by_key)
    vectors = [by_key for kind, by_key in recorded() if kind == "vector"]
    ends = {key: digest for by_key in vectors for key, digest in by_key.items() if int(key.split()[1]) in its_chunks}
    assert len(ends) == 3
    assert set(ends.values()) == {None}
    assert all(by_key.get("D4") is None for kind, by_key in recorded() if kind == "sketch")
    assert full_case.verdicts.get("judge 1", pairs) == {pairs[0]: probabilities}
    sound(full_case)
