"""A new case of what can be read of a damaged one: sound, and everything that is not in it is listed."""

from __future__ import annotations

import hashlib

import apsw
import pytest

from core.documents import chunking
from core.domain import PageText
from core.errors import CannotWrite, CaseCorrupt, CaseExists, CaseInUse, CaseNotFound, PassphraseNeeded
from core.passphrase import Passphrase
from core.progress import silent
from core.store import CaseFile, decision_log
from core.store.case_key import make_key
from core.store.record_chain import record_hash
from core.store.recovery import recover
from tests.core.store.damage import DAMAGES, damaged, make, pages_of, places, recover_from
from tests.core.store.material import TEXTS, add, clock, decisions, fill, tamper, wal_of


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a.disconfirm"
    make(path, 8)
    with CaseFile.open(path) as case:
        tables = decisions(case)
        pages = case.db.rows("SELECT id, document, number, text FROM page ORDER BY id")
    return path.read_bytes(), pages_of(path), tables, pages


def losses_of(recovery, kind):
    return [(loss.where, loss.what) for loss in recovery.losses if loss.kind == kind]


def test_of_a_sound_case_nothing_is_lost(whole, tmp_path):
    data, _, tables, pages = whole
    recovery = recover_from(data, tmp_path)
    assert recovery.losses == recovery.check == ()
    assert all(part == of for part, of in recovery.counts.values())
    assert (tmp_path / "damaged.disconfirm").read_bytes() == data
    with CaseFile.open(recovery.case, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert [words.rpartition(". ")[2] for words in case.history.recoveries()] == ["Nothing was lost."]
        assert decisions(case) == tables
        assert case.db.rows("SELECT id, document, number, text FROM page ORDER BY id") == pages
        assert case.log.entries()[-1].verb == decision_log.RECOVER
        assert case.words.matching("pump")
        assert case.vectors.count("hash embedder of 16") >= 0
        case.ratings.rate("E1", "H1", "I")
        assert case.undo.undo().verb == "rate"
        assert case.undo.undo() is None
        assert case.verify(silent()).ok


PLACES = ("first page", "document", "original", "page", "chunk", "log", "record", "evidence", "rating", "sqlite_schema")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("table", PLACES)
def test_the_new_case_is_sound_wherever_the_old_one_was_damaged(whole, tmp_path, table, damage):
    data, pages, tables, _ = whole
    recovery = recover_from(damaged(data, pages.get(table, [1]), damage), tmp_path)
    assert recovery.check == ()
    for kind, (part, of) in recovery.counts.items():
        assert part <= of
        if part < of and kind not in ("proposal", "document"):
            assert losses_of(recovery, kind) or losses_of(recovery, "page")
    if table not in ("page", "chunk", "first page", "sqlite_schema"):
        # One place holds decisions twice, in its table and in the log: either alone is enough.
        with CaseFile.open(recovery.case) as case:
            now = decisions(case)
        for name in ("hypothesis", "evidence", "rating", "consideration", "likelihood", "entity", "setting"):
            assert now[name] == tables[name], name
    if table == "page" and damage != "flip":
        assert recovery.counts["page"][0] == 0
        assert recovery.counts["evidence"][0] == recovery.counts["evidence"][1]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_place_and_every_kind_of_damage(whole, tmp_path, record_property):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(whole[0])
    count = 0
    for place, damage, data in places(path):
        count += 1
        try:
            recovery = recover_from(data, tmp_path)
        except CaseCorrupt:
            assert damage.startswith("cut")
            continue
        assert recovery.check == (), (place, damage)
    assert count > 50
    record_property("n", count)


def test_a_record_that_was_lost_is_told_though_it_is_not_counted(whole, tmp_path):
    path = tmp_path / "altered.disconfirm"
    path.write_bytes(whole[0])
    db = apsw.Connection(str(path))
    db.execute("UPDATE imported SET reason = 'another'")
    db.close()
    recovery = recover_from(path.read_bytes(), tmp_path)
    assert [loss.kind for loss in recovery.losses] == ["imported"]
    with CaseFile.open(recovery.case) as case:
        (words,) = case.history.recoveries()
    assert "Lost: things that are not counted." in words


def test_a_text_that_was_lost_leaves_an_empty_page_and_the_quote_its_words(whole, tmp_path):
    data, pages, tables, _ = whole
    recovery = recover_from(damaged(data, pages["page"], "zero"), tmp_path)
    assert ("D4, page 1", "Its text is lost.") in losses_of(recovery, "page")
    with CaseFile.open(recovery.case) as case:
        (words,) = case.history.recoveries()
        assert words in case.verify(silent()).notes
        lost_counts = [recovery.counts[kind][1] - recovery.counts[kind][0] for kind in ("page", "quote")]
        assert lost_counts == [recovery.counts["page"][1], recovery.counts["quote"][1]]
        assert f"Lost: {lost_counts[0]} of {lost_counts[0]} page texts, " in words
        assert f"{lost_counts[1]} of {lost_counts[1]} quotes" in words
        assert len(losses_of(recovery, "quote")) == lost_counts[1] > 1
        names = {loss.where: loss.name for loss in recovery.losses}
        assert names["D4, page 1"] == case.documents.get("D4").name
        assert names["E1"] == "The dosing pump stopped at 02:14."
        row = next(row for row in case.evidence.all() if row.id == "E1")
        assert (row.document, row.page_id, row.quote) == (None, None, None)
        assert "The page that it quoted was lost" in row.note
        quote = "The dosing pump stopped at 02:14."
        assert row.text == quote
        assert case.documents.get("D1").pages == 2
        assert case.pages.page("D1", 1).text == ""
        assert case.documents.original("D1")
        assert len(case.ratings.assessments()) == len(tables["rating"])


def test_lost_texts_are_read_again_from_their_originals_where_the_log_knows_their_hash(whole, tmp_path):
    data, pages, _, texts = whole
    source, target = tmp_path / "a.disconfirm", tmp_path / "b.disconfirm"
    source.write_bytes(damaged(data, pages["page"], "garble"))

    def read_again(original, name, password):
        if name == "file 2.txt":
            raise CaseCorrupt(path=name, reason="no reader for it", backups="-")
        wrong = name == "file 1.txt"
        for number, text in enumerate(original.decode().split("\f"), start=1):
            yield PageText(number, f"{text}!" if wrong and number == 2 else text)

    recovery = recover(source, target, read_again=read_again, split=chunking.split)
    assert recovery.check == ()
    with CaseFile.open(target) as case:
        now = {row[1:3]: row[3] for row in case.db.rows("SELECT id, document, number, text FROM page ORDER BY id")}
    original_texts = {row[1:3]: row[3] for row in texts}
    assert now["D1", 1] == original_texts["D1", 1]
    assert now["D1", 2] == ""  # not what the log knows
    assert now["D2", 1] == ""
    assert now["D5", 1] == original_texts["D5", 1]
    assert ("D5, page 1", "Read again from its original.") in losses_of(recovery, "page")
    assert any("no reader for it" in sentence for _, sentence in losses_of(recovery, "page"))


def test_pages_that_are_lost_with_the_log_are_read_again_or_said_to_be_lost(whole, tmp_path):
    data, pages, _, texts = whole
    source = tmp_path / "a.disconfirm"
    for numbers in (pages["log"], pages["page"]):
        data = damaged(data, numbers, "zero")
    source.write_bytes(data)

    def read_again(original, name, password):
        if name == "minutes 0.txt":
            raise CaseCorrupt(path=name, reason="no reader for it", backups="-")
        for number, text in enumerate(original.decode().split("\f"), start=1):
            if (name, number) != ("minutes 1.txt", 2):
                yield PageText(number, text)

    recovery = recover(source, tmp_path / "b.disconfirm", read_again=read_again, split=chunking.split)
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        now = {row[:2]: row[2] for row in case.db.rows("SELECT document, number, text FROM page")}
        original_texts = {row[1:3]: row[3] for row in texts}
        unread = {document.name: document.id for document in case.documents.failed()}
        assert list(unread) == ["minutes 0.txt"]
        short = next(document for document in case.documents.all() if document.name == "minutes 1.txt")
        missing = {(unread["minutes 0.txt"], 1), (unread["minutes 0.txt"], 2), (short.id, 2)}
        expected_texts = {
            place: text for place, text in original_texts.items() if place not in missing and place[0] != "D4"
        }
        assert expected_texts.items() <= now.items()  # the original of D4 says something else
        assert not missing & now.keys()
        assert case.pages.chunk_ids("D1")
    assert recovery.counts["page"] == (len(now), len(original_texts))
    assert (short.id, "1 page of it cannot be read any more.") in losses_of(recovery, "page")
    sentence = "Only its file could be read; press Try again to read its text."
    assert losses_of(recovery, "document") == [(unread["minutes 0.txt"], sentence)]
    # Without a reader none of them looks read.
    recovery = recover(source, tmp_path / "c.disconfirm", split=chunking.split)
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        assert [document.id for document in case.documents.all() if not document.pages] == []
        assert len(losses_of(recovery, "document")) == len(case.documents.failed())
    assert recovery.counts["page"] == (0, len(original_texts))


def test_rows_that_only_their_ratings_name_are_counted_as_lost(whole, tmp_path):
    data, pages, _, _ = whole
    for numbers in (pages["log"], pages["evidence"]):
        data = damaged(data, numbers, "zero")
    recovery = recover_from(data, tmp_path)
    assert recovery.check == ()
    names = {key for key, _ in losses_of(recovery, "evidence")}
    assert names
    assert recovery.counts["evidence"] == (0, len(names))


def test_a_lost_original_is_replaced_by_its_text_and_said_to_be(whole, tmp_path):
    data, pages, _, _ = whole
    recovery = recover_from(damaged(data, pages["original"], "zero"), tmp_path)
    assert recovery.counts["original"] == (0, 8)
    assert recovery.counts["page"][0] == recovery.counts["page"][1]
    with CaseFile.open(recovery.case) as case:
        document = case.documents.get("D1")
        original = case.documents.original("D1")
        assert document.name == "file 1.txt (recovered text)"
        assert original.decode().split("\f")[0] == TEXTS[0]
        assert document.sha256 == hashlib.sha256(original).hexdigest()
        row = next(row for row in case.evidence.all() if row.id == "E1")
        assert row.quote == "The dosing pump stopped at 02:14."


def test_a_document_that_is_lost_with_its_log_is_still_counted_as_one_that_there_was(whole, tmp_path):
    data, pages, _, _ = whole
    for numbers in (pages["log"], pages["original"], pages["page"][:-1]):
        data = damaged(data, numbers, "zero")
    recovery = recover_from(data, tmp_path)
    lost_documents = losses_of(recovery, "document")
    assert lost_documents
    assert recovery.counts["document"] == (8 - len(lost_documents), 8)


def test_a_log_that_is_cut_ends_there_and_the_tables_go_on(whole, tmp_path):
    data, _, tables, _ = whole
    path = tmp_path / "a.disconfirm"
    path.write_bytes(data)
    tamper(path, "UPDATE log SET after = '{}' WHERE seq = 12")
    recovery = recover(path, tmp_path / "b.disconfirm", split=chunking.split)
    assert recovery.log_entries[0] == 11
    assert recovery.check == ()
    (place, sentence), *_ = losses_of(recovery, "log")
    assert place == "entry 12"
    assert "the log is cut before it" in sentence
    with CaseFile.open(recovery.case) as case:
        assert {name: rows for name, rows in decisions(case).items() if name != "document"} == {
            name: rows for name, rows in tables.items() if name != "document"
        }
        entry = case.log.entries()[-1]
        assert entry.verb == decision_log.RECOVER
        assert "rating" in decision_log.rows_of(entry)[1]


def test_a_decision_that_was_altered_is_as_the_log_says(whole, tmp_path):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(whole[0])
    tamper(path, "UPDATE rating SET rating = 'CC' WHERE rating = 'II'")
    recovery = recover(path, tmp_path / "b.disconfirm")
    with CaseFile.open(recovery.case) as case:
        assert decisions(case)["rating"] == whole[2]["rating"]


def test_what_a_killed_program_left_in_its_log_is_read_too(path, tmp_path):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        file, wal = path.read_bytes(), wal_of(path).read_bytes()
        tables = decisions(case)
    source = tmp_path / "cut.disconfirm"
    source.write_bytes(file)
    wal_of(source).write_bytes(wal)
    recovery = recover(source, tmp_path / "b.disconfirm")
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        assert decisions(case) == tables
    wal_of(source).write_bytes(wal[: len(wal) * 2 // 3])
    recovery = recover(source, tmp_path / "c.disconfirm")
    assert recovery.check == ()
    assert 0 < recovery.log_entries[0] <= recovery.log_entries[1]


def test_what_was_erased_stays_erased_and_its_log_proves_itself(whole, tmp_path):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(whole[0])
    with CaseFile.open(path) as case:
        case.erasures.erase(["D4"])
    recovery = recover_from(path.read_bytes(), tmp_path)
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        assert "D4" not in [document.id for document in case.documents.all()]
        assert {row.kind for row in case.evidence.all()} == {"observation", "withdrawn"}


def test_a_password_that_was_forgotten_leaves_the_new_records_as_they_are(tmp_path, path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        for number, text in enumerate(TEXTS, start=1):
            case.imports.put_password(add(case, f"file {number}.txt", [text]), "sesame")
        assert case.erasures.forget_passwords(["D1", "D2"]) == ["D1", "D2"]
        assert case.verify(silent()).ok
    recovery = recover(path, tmp_path / "new.disconfirm", split=chunking.split)
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        assert case.imports.without_password() == {"D1", "D2"}
        case.erasures.forget_passwords(["D3"])
        assert case.verify(silent()).ok


def test_of_a_case_of_a_newer_version_it_is_said_that_more_may_be_lost(whole, tmp_path):
    data = bytearray(whole[0])
    assert not [loss for loss in recover_from(bytes(data), tmp_path).losses if loss.kind == "case"]
    data[60:64] = (999).to_bytes(4, "big")
    (tmp_path / "newer").mkdir()
    losses = recover_from(bytes(data), tmp_path / "newer").losses
    assert ["format 999" in loss.what for loss in losses if loss.kind == "case"] == [True]


def test_what_cannot_be_recovered_says_so_and_leaves_nothing(tmp_path, path):
    noise = tmp_path / "noise.disconfirm"
    noise.write_bytes(b"x" * 100_000)
    target = tmp_path / "new.disconfirm"
    with pytest.raises(CaseCorrupt, match="nothing of a case"):
        recover(noise, target)
    assert not target.exists()
    with pytest.raises(CaseNotFound):
        recover(tmp_path / "none.disconfirm", target)
    with CaseFile.create(path) as case:
        add(case, "a.txt", ["One page. That is all."])
        with pytest.raises(CaseInUse):
            recover(path, target)
    with pytest.raises(CaseExists):
        recover(path, noise)
    with pytest.raises(CannotWrite):
        recover(path, tmp_path / "nowhere" / "new.disconfirm")
    assert noise.read_bytes() == b"x" * 100_000


def test_an_entry_of_recovery_changes_no_text(whole, tmp_path):
    """Only taking a text away may be said by it: a forged one cannot put other words on a page."""
    recovery = recover_from(whole[0], tmp_path)
    with CaseFile.open(recovery.case) as case:
        page = case.pages.page("D1", 1)
        text = page.text.replace("pump", "bump")
        digest = hashlib.sha256(text.encode()).hexdigest()
        with case.db.transaction() as db:
            db.execute("UPDATE page SET text = ?, sha256 = ? WHERE id = ?", (text, digest, page.id))
            case.anchors.pending_pages.add(page.id)
            case.log.append(decision_log.RECOVER, {}, {})
        faults = [problem.what for problem in case.verify(silent()).problems]
    assert any("changes the text of page 1 of D1" in fault for fault in faults)


KEY = make_key(Passphrase("correct horse battery staple"))


def test_an_encrypted_case_is_recovered_with_its_key_and_stays_encrypted(tmp_path, path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock(), key=KEY) as case:
        fill(case)
        tables = decisions(case)
    data = path.read_bytes()
    with pytest.raises(PassphraseNeeded):
        recover(path, tmp_path / "new.disconfirm")
    recovery = recover(path, tmp_path / "new.disconfirm", key=KEY, split=chunking.split)
    assert recovery.losses == recovery.check == ()
    assert b"dosing pump" not in recovery.case.read_bytes()
    with CaseFile.open(recovery.case, key=KEY) as case:
        assert decisions(case) == tables
    # A page that is altered in one bit is none at all: its tag says so.
    for page in range(2, len(data) // 4096, 6):
        path.write_bytes(damaged(data, [page], "flip"))
        target = tmp_path / f"{page}.disconfirm"
        recovery = recover(path, target, key=KEY, split=chunking.split)
        assert recovery.check == ()
        with CaseFile.open(target, key=KEY) as case:
            assert decisions(case)["rating"] == tables["rating"]


@pytest.mark.parametrize("digests", ["[" * 100_000 + "]" * 100_000, "5", "{", "[1]", '"x"'])
def test_digests_that_no_program_wrote_prove_nothing_and_stop_nothing(whole, tmp_path, digests):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(whole[0])
    hash_ = record_hash(1, "imported", digests, "0" * 64)
    sql = "UPDATE record SET kind = 'imported', digests = ?, previous = ?, hash = ? WHERE seq = 1"
    db = apsw.Connection(str(path))
    db.execute(sql, (digests, "0" * 64, hash_))
    db.close()
    recovery = recover_from(path.read_bytes(), tmp_path)
    assert recovery.check == ()
    assert recovery.counts["evidence"][0] == recovery.counts["evidence"][1]


def test_a_count_of_entries_that_no_case_has_costs_nothing(whole, tmp_path):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(whole[0])
    tamper(path, "UPDATE counter SET last = 9223372036854775807")
    recovery = recover(path, tmp_path / "b.disconfirm", split=chunking.split)
    assert recovery.check == ()
    assert [sentence for place, sentence in losses_of(recovery, "log") if place.startswith("entries ")] == [
        "They could not be read."
    ]
    with CaseFile.open(recovery.case) as case:
        assert len(case.evidence.all()) == recovery.counts["evidence"][1]
        add(case, "more.txt", ["One page more. That is all."])
        assert case.verify(silent()).ok
