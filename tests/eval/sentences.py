"""Does the line that is shown of a passage hold what was asked for?

    python -m tests.eval.sentences [FOLDER]

FOLDER holds ``retrieval/xquad`` (questions in four languages, each with its answer in a paragraph) and
``stance/scifact`` (claims, each with the sentences of an abstract that decide it). Of each passage a line of 200
characters is shown: from its first word, or from the sentence that ranks best (core.search.sentence_ranking) among all
sentences of the passages found, for which its neighbours in the collection stand here. Reported is the share of lines
that hold the whole answer, or more than half of a deciding sentence. What a word is was chosen on every second
question (fit); the figures are of the others (held).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from core.search.sentence_ranking import best_of_each

SHOWN = 200
NEIGHBOURS = 4  # passages before and behind it that are ranked together with it
LANGUAGES = ("en", "de", "ru", "ar")
Spans = list[tuple[int, int]]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def questions(folder: Path, language: str) -> Iterator[tuple[str, str, Spans]]:
    """Each question with its passage and the places of the answers in it."""
    texts = {row["_id"]: str(row["text"]) for row in rows(folder / f"{language}_corpus.jsonl")}
    for row in rows(folder / f"{language}_questions.jsonl"):
        answers = [(answer["answer_start"], answer["answer_start"] + len(answer["text"])) for answer in row["answers"]]  # type: ignore[union-attr]
        yield str(row["text"]), texts[row["para"]], answers


def claims(path: Path) -> Iterator[tuple[str, str, Spans]]:
    """Each claim with an abstract and the places of the sentences that decide it."""
    for row in rows(path):
        text = str(row["evidence"])
        deciding = [part for several in row["rationales"] for part in several]  # type: ignore[attr-defined]
        places = [(text.index(part), text.index(part) + len(part)) for part in deciding if part in text]
        if places:
            yield str(row["claim"]), text, places


def shares(rows: list[tuple[str, str, Spans]], *, whole: bool) -> tuple[int, float, float]:
    """How many there are, and the shares of lines with the answer: from the first word, from the best sentence."""
    texts = list(dict.fromkeys(text for _, text, _ in rows))
    place = {text: index for index, text in enumerate(texts)}
    held_out = rows[1::2]
    first = best = 0
    for query, text, spans in held_out:
        index = place[text]
        around = texts[max(0, index - NEIGHBOURS) : index + NEIGHBOURS + 1]
        start = best_of_each(query, around)[around.index(text)].start
        first += _holds(0, spans, whole=whole)
        best += _holds(start, spans, whole=whole)
    return len(held_out), first / len(held_out), best / len(held_out)


def _holds(start: int, spans: Spans, *, whole: bool) -> bool:
    end = start + SHOWN
    if whole:
        return any(start <= first and last <= end for first, last in spans)
    return any(min(end, last) - max(start, first) > min(last - first, SHOWN) / 2 for first, last in spans)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data"))
    folder = parser.parse_args().folder
    sets = {f"XQuAD {lang}": list(questions(folder / "retrieval" / "xquad", lang)) for lang in LANGUAGES}
    sets["SciFact"] = list(claims(folder / "stance" / "scifact" / "abstract_train.jsonl"))
    for name, rows in sets.items():
        count, first, best = shares(rows, whole=name != "SciFact")
        print(f"{name}: {count} lines; from the first word {first:.3f}, from the best sentence {best:.3f}")


if __name__ == "__main__":
    main()
