"""Every way to change a case, each as one call on a case that has what it takes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.conflicts.results import Conflict, ConflictSource, Position
from core.evidence import quotes
from core.ports import Engines, Outline
from core.store import decision_log, entry_rules
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.fakes import ContraryJudge, FakeOcr, HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

LOG = (
    "The night log shows that the dosing pump stopped at 02:14.\nThe operator did not touch the dosing pump.\n\n"
    "The vendor account opened the valve remotely that night.\n"
)
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."
SCANNED = "The badge reader was off.\nNobody signed for the valve."
QUIET = "It was a quiet night at the works. Then the vendor account opened the valve remotely. Nothing else moved."

Verb = Callable[[Workbench, Path], object]


def engines() -> Engines:
    """Small whole engines, a second reader and OCR among them."""
    return Engines(
        reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter(),
        ocr=FakeOcr(always=SCANNED), second_reader=ContraryJudge(),
    )  # fmt: skip


def build(folder: Path) -> Path:
    """Make a case with something for every verb, and the files that some of them take."""
    path = folder / "case.disconfirm"
    for name, text in (("log.txt", LOG), ("memo.txt", MEMO), ("quiet.txt", QUIET), ("scan.txt", "First.\f   ")):
        (folder / name).write_text(text, "utf-8")
    (folder / "more.txt").write_text("A third text: the valve stood open at dawn. The guard saw it.", "utf-8")
    (folder / "matrix.txt").write_text("evidence,One,Two\nThe lock was open,C,I\n", "utf-8")
    with Workbench.create(path, engines(), title="Pump", who="ann", now=clock()) as bench:
        bench.documents.add([folder / name for name in ("log.txt", "memo.txt", "quiet.txt", "scan.txt")])
        (folder / "noise.bin").write_bytes(b"\xff\xfe\xfd")
        bench.documents.add([folder / "noise.bin"])
        bench.hypotheses.add("The operator stopped the dosing pump.")
        bench.hypotheses.add("The vendor account opened the valve remotely.")
        bench.hypotheses.add("Nobody did anything.", kind="null")
        bench.review.propose(rows=True)
        _quote(bench, "D1", "the dosing pump stopped at 02:14.")
        _quote(bench, "D2", "The vendor account opened the valve remotely.")
        card = next(row for row in bench.passages.cards(status="pending") if row.passage.document == "D2")
        bench.passages.accept([proposal.id for proposal in card.proposals.values()])
        bench.evidence.add("The alarm was off.", "interview")
        bench.evidence.rate("E1", "H1", "C")
        bench.evidence.rate("E2", "H2", "CC")
        bench.hypotheses.add_consideration("assumption", "Nobody else had a key.")
        bench.hypotheses.add_consideration("indicator", "It opens again", hypothesis="H1", query="valve")
        bench.entities.add("Northern Yard", kind="organisation")
        bench.plans.add("H1", "statement", "operator pump")
        bench.ocr.read()
        bench.answers.ask("Who opened the valve?", keep=True)
        bench.store.results.keep("conflict", [("pump", _conflict(bench))])
        bench.documents.remove([bench.documents.all()[2].id], with_evidence=True)
        bench.evidence.rate("E1", "H2", "N")
        bench.case.undo()
    (folder / "other").mkdir()
    with Workbench.create(
        folder / "other" / "other.disconfirm", engines(), title="Other", who="bob", now=clock()
    ) as second:
        second.documents.add([folder / "more.txt"])
        second.hypotheses.add("Somebody else.")
        second.evidence.add("Seen elsewhere.", "ann")
        second.evidence.rate("E1", "H1", "C")
    return path


def _quote(bench: Workbench, document: str, words: str) -> str:
    start = bench.documents.page(document, 1).text.index(words)
    return bench.evidence.add_quote(document, 1, start, start + len(words)).id


def _conflict(bench: Workbench) -> Conflict:
    pages = [bench.documents.page(document, 1) for document in ("D1", "D2")]
    sources = [ConflictSource(quotes.span(page, 0, 9), "a.txt") for page in pages]
    return Conflict("quantity", "pump", tuple(Position(row.quote.text, (row,)) for row in sources), "rule", 1.0)


def _pending(bench: Workbench) -> str:
    return next(proposal.id for proposal in bench.verdicts.proposals() if proposal.status == "pending")


def _scan(bench: Workbench) -> int:
    return bench.ocr.scanned_pages()[0].id


def _judged_by_another(bench: Workbench, _folder: Path) -> object:
    judge = ContraryJudge()
    judge.fingerprint = "another judge 1"  # type: ignore[misc]
    bench.engines = replace(bench.engines, judge=judge)
    return bench.review.judge_again()


def _read_anew(bench: Workbench, _folder: Path) -> object:
    bench.ocr.decide([(_scan(bench), 1, "accepted", "")])
    ocr = FakeOcr(always=SCANNED.replace("signed", "sigmed"))
    ocr.fingerprint = "another ocr 1"
    bench.engines = replace(bench.engines, ocr=ocr)
    return bench.ocr.read(again=True)


def _refreshed(bench: Workbench, _folder: Path) -> object:
    page = bench.store.pages.by_id(_scan(bench))
    row = bench.evidence.add_quote(page.document, page.number, 0, page.text.index("\n")).id
    bench.ocr.decide([(page.id, 1, "corrected", "batch")])
    return bench.evidence.update_quote(row)


def _joined(bench: Workbench, _folder: Path) -> object:
    text = bench.documents.page("D1", 1).text
    first = bench.evidence.add_quote("D1", 1, 0, text.index("\n")).id
    second = bench.evidence.add_quote("D1", 1, text.index("\n") + 1, len(text)).id
    return bench.passages.join([first, second])


def _split(bench: Workbench, _folder: Path) -> object:
    cards = [card for card in bench.passages.cards(status="pending") if card.passage.document == "D1"]
    acceptance = bench.passages.accept([proposal.id for proposal in cards[0].proposals.values()], confirm=True)
    return bench.passages.split(acceptance.evidence)


def _recognised(bench: Workbench, _folder: Path) -> object:
    """Have the language of a document looked for that has none, as one of an older program."""
    bench.store.descriptions.restate({"D1": Outline("text", 1)})
    return bench.documents.recognise_languages()


VERBS: dict[str, Verb] = {
    "rename": lambda bench, _: bench.case.rename("Another title"),
    "settings": lambda bench, _: bench.case.change_settings(blind=True),
    "merge": lambda bench, folder: bench.case.merge(folder / "other" / "other.disconfirm"),
    "undo": lambda bench, _: bench.case.undo(),
    "redo": lambda bench, _: bench.case.redo(),
    "rebuild": lambda bench, _: bench.case.rebuild_index(),
    "add documents": lambda bench, folder: bench.documents.add([folder / "more.txt", folder / "noise.bin"]),
    "remove document": lambda bench, _: bench.documents.remove(["D1"], with_evidence=True),
    "erase document": lambda bench, _: bench.documents.erase(["D1"]),
    "restore document": lambda bench, _: bench.documents.restore([bench.documents.removed()[0].id]),
    "set aside": lambda bench, _: bench.documents.set_included(["D1"], False),
    "describe": lambda bench, _: bench.documents.describe(["D1", "D2"], tags=["night"], origin="the works"),
    "read descriptions": lambda bench, _: bench.documents.read_descriptions(),
    "recognise languages": _recognised,
    "supersede": lambda bench, _: bench.documents.supersede("D1", "D2"),
    "add hypothesis": lambda bench, _: bench.hypotheses.add("A fourth."),
    "edit hypothesis": lambda bench, _: bench.hypotheses.edit("H1", text="The operator did it.", note="so"),
    "kind of hypothesis": lambda bench, _: bench.hypotheses.set_kind("H2", "deception"),
    "priors": lambda bench, _: bench.hypotheses.set_priors({"H1": 0.5, "H2": 0.25, "H3": 0.25}),
    "likelihood": lambda bench, _: bench.evidence.state_likelihood("H1", 0.25),
    "remove hypothesis": lambda bench, _: bench.hypotheses.remove("H1"),
    "consider": lambda bench, _: bench.hypotheses.add_consideration("assumption", "The clock was right."),
    "edit consideration": lambda bench, _: bench.hypotheses.edit_consideration("C1", text="Somebody had one."),
    "look": lambda bench, folder: (bench.documents.add([folder / "more.txt"]), bench.hypotheses.mark_seen("C2")),
    "remove consideration": lambda bench, _: bench.hypotheses.remove_consideration("C1"),
    "propose": lambda bench, _: (bench.hypotheses.add("The guard saw the valve open."), bench.review.propose()),
    "accept": lambda bench, _: bench.review.accept([_pending(bench)]),
    "reject": lambda bench, _: bench.review.reject([_pending(bench)]),
    "read again": lambda bench, _: bench.review.read_again([proposal.id for proposal in bench.verdicts.proposals()]),
    "judge again": _judged_by_another,
    "suggest": lambda bench, _: (bench.hypotheses.add("The valve."), bench.passages.suggest_ratings("H4")),
    "join": _joined,
    "split": _split,
    "add evidence": lambda bench, _: bench.evidence.add("Seen.", "ann", "H", "L"),
    "add quote": lambda bench, _: _quote(bench, "D1", "The operator did not touch the dosing pump."),
    "absence": lambda bench, _: bench.evidence.add_absence("H1", "A broken lock", ["lock"]),
    "rate": lambda bench, _: bench.evidence.rate("E1", "H2", "II"),
    "rate many": lambda bench, _: bench.evidence.rate_many([("E1", "H2", "II"), ("E2", "H1", "N"), ("E1", "H1", None)]),
    "sign ratings": lambda bench, _: (bench.case.sign_as("bo"), bench.evidence.sign_ratings("ann")),
    "annotate": lambda bench, _: bench.evidence.annotate("E1", "H1", note="why", confidence="low"),
    "describe evidence": lambda bench, _: bench.evidence.describe(["E1"], source="the log", date="2026-02"),
    "grade": lambda bench, _: bench.evidence.grade("E1", credibility="H", relevance="L"),
    "remove evidence": lambda bench, _: bench.evidence.remove("E1", "E2"),
    "import matrix": lambda bench, folder: bench.matrix.import_file(folder / "matrix.txt"),
    "plan": lambda bench, _: bench.plans.make(),
    "plan one": lambda bench, _: bench.plans.add("H2", "statement", "vendor valve"),
    "unplan": lambda bench, _: bench.plans.remove(bench.plans.get()[0].id),
    "relevance": lambda bench, _: bench.plans.judge_relevance("H1", 1, True),
    "add name": lambda bench, _: bench.entities.add("Aske", aliases=["A. Aske"]),
    "edit name": lambda bench, _: bench.entities.edit("N1", note="seen"),
    "remove name": lambda bench, _: bench.entities.remove("N1"),
    "check words": lambda bench, _: bench.ocr.decide([(_scan(bench), 1, "corrected", "batch")]),
    "refresh quote": _refreshed,
    "read scan anew": _read_anew,
    "leave text": lambda bench, _: bench.ocr.leave_text([("D1", 1)]),
    "keep results": lambda bench, _: bench.answers.ask("When did the pump stop?", keep=True),
    "remove results": lambda bench, _: bench.store.results.remove("answer", "A1"),
    "resolve": lambda bench, _: bench.store.results.resolve("conflict", "X1", "held", note="the log"),
    "export": lambda bench, folder: bench.reports.write(folder / "report.json"),
    "backup": lambda bench, _: bench.backups.make(),
}  # fmt: skip

# Entries of the log that no call of a person writes: at the start of a case, at its closing, or for one of an older
# format or program, a recovered one or one without its last changes.
OWN_ENTRIES = {"create case", decision_log.RECOVER} | {
    verb for verb in entry_rules.WRITES if not entry_rules.WRITES[verb] and verb != "export"
}  # fmt: skip


def copied(template: Path, folder: Path) -> Path:
    """Copy the case and what lies beside it into a folder of its own."""
    shutil.copytree(template.parent, folder)
    return folder / template.name
