"""How well a question finds the paragraph that answers it in another language: recall@1 and @10.

    python -m tests.eval.languages [FOLDER] [--queries fit|held] [--model FOLDER] [--keep FOLDER] [--levels]

FOLDER holds XQuAD, whose paragraphs and questions are the same in four languages. Each language is a case of its own,
and of one case two thirds of the paragraphs are English, the others German, Russian and Arabic. Of 200 questions every
second one served to choose (fit); figures are stated on the others (held). ``--levels`` tells how often the paragraph
is right among the hits in another language of each confidence, and the best level of a question whose paragraph is left
out: of a question on each paragraph of the articles that chose the levels (fit), or of the others, over the mixed case.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core import paths, settings
from core.runtime import launch
from core.search.ranking import LEVELS
from core.workbench import Workbench
from core.workers.engines import EmbedderClient
from tests.eval.retrieval import Keeping, build, load

LANGUAGES = ("en", "de", "ru", "ar")
QUESTIONS = 200


def shares(names_of: Mapping[str, list[str]], answers: Mapping[str, str]) -> tuple[float, float]:
    ranks = [names.index(answers[query]) if answers[query] in names else 99 for query, names in names_of.items()]
    return sum(rank < 1 for rank in ranks) / len(ranks), sum(rank < 10 for rank in ranks) / len(ranks)


def levels(bench: Workbench, texts: Mapping[str, str], answers: Mapping[str, str]) -> str:
    """Word how many hits in another language have each confidence, and how many of them are right."""
    document_of = {Path(document.name).stem: document.id for document in bench.documents.all()}
    total, right, absent = Counter[str](), Counter[str](), Counter[str]()
    for query, text in texts.items():
        (result,) = bench.search.search_many([text], k=10)
        for passage in (p for p in result.passages if p.foreign):
            total[passage.confidence] += 1
            right[passage.confidence] += Path(passage.name).stem == answers[query]
        (result,) = bench.search.search_many([text], k=10, exclude=[document_of[answers[query]]])
        absent[min((p.confidence for p in result.passages if p.foreign), key=LEVELS.index, default="low")] += 1
    return "  ".join(f"{level} {right[level]}/{total[level]} absent {absent[level]}" for level in LEVELS[:3])


def ask(bench: Workbench, texts: Mapping[str, str], mode: str) -> dict[str, list[str]]:
    results = bench.search.search_many(list(texts.values()), k=10, per_document=1, mode=mode)  # type: ignore[arg-type]
    return {q: [Path(p.name).stem for p in result.passages] for q, result in zip(texts, results, strict=True)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/retrieval"))
    parser.add_argument("--queries", choices=("fit", "held"), default="held")
    parser.add_argument("--model", type=Path, default=paths.model(paths.MULTILINGUAL))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--levels", action="store_true")
    options = parser.parse_args()
    sets = {language: load(options.folder, f"xquad_{language}")[:3] for language in LANGUAGES}
    queries = sorted(sets["en"][1])
    random.seed(1)
    chosen = random.sample(queries, QUESTIONS)[0 if options.queries == "fit" else 1 :: 2]
    if options.levels:
        articles = sorted({row["title"] for row in sets["en"][0].values()})[options.queries == "held" :: 2]
        first = {next(iter(sets["en"][2][query])): query for query in reversed(queries)}
        chosen = [query for name, query in first.items() if sets["en"][0][name]["title"] in articles]
    answers = {query: next(iter(sets["en"][2][query])) for query in chosen}
    engines = launch.build_engines(settings.load())
    embedder = EmbedderClient(options.model)
    used = replace(engines, embedder=Keeping(embedder, options.keep) if options.keep else embedder, former=None)
    mixed = {
        name: sets[LANGUAGES[1 + index // 3 % 3] if index % 3 == 0 else "en"][0][name]
        for index, name in enumerate(sets["en"][0])
    }
    try:
        for corpus in ("mixed",) if options.levels else (*LANGUAGES, "mixed"):
            with (
                tempfile.TemporaryDirectory() as place,
                Workbench.create(Path(place) / "eval.disconfirm", used) as bench,
            ):
                build(bench, mixed if corpus == "mixed" else sets[corpus][0], Path(place) / "inbox")
                for language in LANGUAGES:
                    texts = {query: sets[language][1][query] for query in chosen}
                    if options.levels:
                        print(f"<- {language}: {levels(bench, texts, answers)}", flush=True)
                        continue
                    figures = []
                    for mode in ("lexical", "vector", "hybrid"):
                        first, ten = shares(ask(bench, texts, mode), answers)
                        figures.append(f"{mode} {first:.3f}/{ten:.3f}")
                    print(f"{corpus} <- {language}: {'  '.join(figures)}", flush=True)
    finally:
        embedder.close()
        launch.close(engines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
