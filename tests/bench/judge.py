"""Speed of the judge: hypotheses against passages, with the merged weights and with base model and adapter apart.

    python -m tests.bench.judge [--passages N] [--hypotheses N] [--size CHARACTERS] [--only merged|apart|law|verb|kinds]
                                [--plot FILE.svg]

Makes invented passages (default 30 of 600 characters) and hypotheses (default 5) with a fixed seed, asks about all
pairs in a child process as the program does, and prints tokens, seconds, tokens a second, time a pair and the child's
peak memory. A passage is read once for all its hypotheses, so its tokens count once. Run it on a quiet machine: two
threads that wait for each other lose much of their time to any third.

``law`` compares with the cost law: P passages of p tokens with H hypotheses of h tokens take P * (p + H * h) / R, where
R tokens are read a second. It prints how far each H is from it, one prompt a pair, a JSON answer under a grammar, and
what one hypothesis more costs; ``--plot`` draws both. Its times are those of the processor, the least of several runs,
so that it means something on a busy machine as well.

``verb`` times what a person waits for: proposals for the documents of the sample case, with their searches, the grid,
the sentences that are judged to choose quotes, and all that is kept; then the same again, and with one hypothesis more.

``kinds`` tells tokens read a second by quantisation (made from the merged weights, for their speed alone) and by build.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core import paths
from tests.bench import plot
from tests.bench.ingest import text
from tests.bench.machine import describe, peak_mb

_INSIDE = "--inside"  # this process is the child that measures


def pairs(passages: int, hypotheses: int, size: int) -> tuple[list[str], list[str]]:
    rng = random.Random(7)
    return (
        [text(rng, size).strip().replace("\n", " ") for _ in range(passages)],
        [text(rng, 60).strip() for _ in range(hypotheses)],
    )


def measure(model: Path, adapter: Path | None, passages: list[str], hypotheses: list[str]) -> dict[str, float]:
    """Figures of this process; it should be a fresh one, since its peak memory is one of them."""
    from core.engines.llm.llama import _AFTER_HYPOTHESIS, _BEFORE_HYPOTHESIS, _BEFORE_PASSAGE, LlamaJudge, threads

    began = time.perf_counter()
    judge = LlamaJudge(model, adapter)
    loading = time.perf_counter() - began
    tokens = 0
    for passage in passages:
        tokens += len(judge._tokens(_BEFORE_PASSAGE + passage + _BEFORE_HYPOTHESIS))
        tokens += sum(len(judge._tokens(" " + hypothesis + _AFTER_HYPOTHESIS)) for hypothesis in hypotheses)
    judge.judge(passages[0], hypotheses)  # the first call sets up what later ones find
    took = []
    for passage in passages:
        began = time.perf_counter()
        judge.judge(passage, hypotheses)
        took.append(time.perf_counter() - began)
    took.sort()
    return {
        "loading": loading,
        "tokens": tokens,
        "seconds": sum(took),
        "median": took[len(took) // 2],
        "worst": took[-1],
        "threads": threads(),
        "peak": peak_mb(),
    }


HYPOTHESES = (1, 2, 4, 8, 16)
RUNS = 4

# What a chat model would be asked for, and what its answer is held to.
ASKED_FOR_JSON = (
    "Does the passage support or contradict the hypothesis, or is it neutral? Answer in JSON.\n"
    "Passage: {passage}\nHypothesis: {hypothesis}\nAnswer: "
)
GRAMMAR = r"""
root ::= "{\"verdict\": \"" label "\", \"confidence\": 0." [0-9] [0-9] ", \"reason\": \"" reason "\"}"
label ::= "supports" | "contradicts" | "neutral"
reason ::= [a-zA-Z ,.]{60,100}
"""


def least(passages: list[str], *ways: Callable[[str], object], runs: int = RUNS) -> list[float]:
    """Processor seconds of this process that each way takes for all passages: of each passage the least of ``runs``.
    The ways take turns, so that a slower minute of the machine falls on all of them."""
    found = [0.0] * len(ways)
    for passage in passages:
        best = [math.inf] * len(ways)
        for _ in range(runs):
            for at, way in enumerate(ways):
                began = time.process_time()
                way(passage)
                best[at] = min(best[at], time.process_time() - began)
        found = [one + other for one, other in zip(found, best, strict=True)]
    return found


def law(model: Path, passages: list[str], hypotheses: list[str], picture: Path | None = None) -> None:
    import llama_cpp

    from core.engines.llm.llama import _AFTER_HYPOTHESIS, _BEFORE_HYPOTHESIS, _BEFORE_PASSAGE, LlamaJudge

    judge = LlamaJudge(model)
    judge.judge(passages[0], hypotheses[:1])

    def read(texts: list[str]) -> int:
        return sum(len(judge._tokens(text)) for text in texts)

    p = read([_BEFORE_PASSAGE + passage + _BEFORE_HYPOTHESIS for passage in passages])

    def h(count: int) -> int:
        return len(passages) * read([" " + text + _AFTER_HYPOTHESIS for text in hypotheses[:count]])

    tokens = {count: p + h(count) for count in HYPOTHESES}

    def together(count: int) -> Callable[[str], object]:
        return lambda passage: judge.judge(passage, hypotheses[:count])

    def apart(count: int) -> Callable[[str], object]:
        return lambda passage: [judge.judge(passage, [one])[0] for one in hypotheses[:count]]

    seconds = dict(zip(HYPOTHESES, least(passages, *map(together, HYPOTHESES)), strict=True))
    # R by least squares through the origin, of relative errors: every H weighs the same.
    shares = {count: tokens[count] / seconds[count] for count in HYPOTHESES}
    rate = sum(share**2 for share in shares.values()) / sum(shares.values())
    print(f"law: {len(passages)} passages of {p / len(passages):.0f} tokens, R = {rate:.0f} tokens a processor second")
    for count in HYPOTHESES:
        said = tokens[count] / rate
        print(
            f"  H = {count:2}: {tokens[count]:6,} tokens, measured {seconds[count]:.2f} s, law {said:.2f} s "
            f"({100 * (seconds[count] / said - 1):+.0f}%)"
        )
    ratios = []
    for count in (*HYPOTHESES[1:], 5):
        shared, one_by_one = least(passages, together(count), apart(count))
        if count == 5:
            seconds[5], tokens[5] = shared, p + h(5)
        by_law = (count * p + h(count)) / (p + h(count))
        same = together(count)(passages[0]) == apart(count)(passages[0])
        ratios.append((by_law, one_by_one / shared))
        print(
            f"  one prompt a pair, H = {count:2}: {one_by_one / shared:.2f}x, law {by_law:.2f}x, "
            f"{one_by_one / shared / by_law:.2f} of it; same numbers: {'yes' if same else 'NO'}"
        )
    if picture:
        title = f"{len(passages)} passages, 1 to {max(HYPOTHESES)} hypotheses each"
        measured = {"measured": [(tokens[count], seconds[count]) for count in HYPOTHESES]}
        shares = {"measured": sorted(ratios)}
        pairs_apart = "One prompt a pair: how many times as long"
        plot.draw(
            picture,
            [
                plot.Panel(title, "tokens read", "s of processor", measured, ("measured",)),
                plot.Panel(pairs_apart, "by the law", "measured", shares, diagonal=True),
            ],
        )
    more, whole = least(passages, lambda passage: judge.judge(passage, hypotheses[5:6]), together(6))
    bound = (tokens[1] - h(1) + h(6) - h(5)) / (p + h(6))
    print(f"  a 6th hypothesis: {more / whole:.2f} of the full run, law {bound:.2f}, bound {bound + 0.15:.2f}")
    judge.close()

    chat = llama_cpp.Llama(
        str(model), n_ctx=2_048, n_threads=threads_of(), n_threads_batch=threads_of(), verbose=False, seed=7
    )
    grammar = llama_cpp.LlamaGrammar.from_string(GRAMMAR, verbose=False)
    few = passages[:2]

    def generate(passage: str) -> None:
        for hypothesis in hypotheses[:5]:
            prompt = ASKED_FOR_JSON.format(passage=passage, hypothesis=hypothesis)
            text = chat(prompt, max_tokens=120, grammar=grammar, temperature=0.0)["choices"][0]["text"]
            # A model that was not made for JSON may fill a string up to the limit; what it took is what counts.
            assert text.lstrip().startswith("{"), text

    taken = least(few, generate, runs=1)[0] / len(few)
    print(f"  JSON under a grammar, H = 5: {taken / (seconds[5] / len(passages)):.1f}x our time")


KINDS = ("F16", "Q8_0", "Q4_K_M", "Q4_1", "Q4_0")


def kinds(model: Path) -> None:
    import llama_cpp

    from core import cpu
    from core.engines.llm.llama import _silence

    _silence(llama_cpp)

    with tempfile.TemporaryDirectory() as folder:
        print(f"{'tokens a second':18}" + "".join(f"{library.name:>14}" for library in cpu.folders()))
        for kind in KINDS:
            file = Path(folder) / f"{kind}.gguf"
            settings = llama_cpp.llama_model_quantize_default_params()
            settings.ftype = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{kind}")
            settings.allow_requantize = True
            assert llama_cpp.llama_model_quantize(bytes(model), bytes(file), settings) == 0
            print(f"{kind:18}", end="")
            for library in cpu.folders():
                command = [sys.executable, "-m", "tests.bench.judge", _INSIDE, "--only", "kinds", "--model", str(file)]
                environment = {**os.environ, "LLAMA_CPP_LIB_PATH": str(library)}
                done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
                print(f"{float(done.stdout):14.0f}", end="", flush=True)
            print()
            file.unlink()


def speed(model: Path) -> float:
    from core.engines.llm.llama import LlamaText

    return LlamaText(model).speed()


ONE_MORE = "The control system was updated during the night and the update failed."
RIVALS = 5  # with one that the sample case does not have


def verb(passages: int) -> None:
    from core import sample_case
    from core.runtime import launch
    from core.settings import Settings
    from core.workbench import Workbench

    told = json.loads((sample_case.FOLDER / "case.json").read_text("utf-8"))
    texts = [row["text"] for row in told["hypotheses"]][: RIVALS - 1]
    texts.append("The pump was stopped by a failure of power.")
    engines = launch.build_engines(Settings())
    try:
        with tempfile.TemporaryDirectory() as folder:
            bench = Workbench.create(Path(folder) / "case.disconfirm", engines, title="T")
            bench.documents.add([sample_case.FOLDER / "documents"])
            for text in texts:
                bench.hypotheses.add(text)
            bench.search.passages_for("pump")  # the search model and its vectors are there
            for name in ("cold", "the same again", "one hypothesis more"):
                before, began = len(bench.verdicts.proposals()), time.perf_counter()
                report = bench.review.propose(passages=passages)
                took = time.perf_counter() - began
                print(
                    f"propose, {name}: {report.passages_judged} pairs, "
                    f"{len(bench.verdicts.proposals()) - before} proposals, "
                    f"{report.searches} searches in {took:.1f} s"
                )
                if name == "the same again":
                    bench.hypotheses.add(ONE_MORE)
            bench.close()
    finally:
        launch.close(engines)


def threads_of() -> int:
    from core.engines.llm.llama import threads

    return threads()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=30)
    parser.add_argument("--hypotheses", type=int, default=5)
    parser.add_argument("--size", type=int, default=600, help="characters a passage")
    parser.add_argument("--only", choices=("merged", "apart", "law", "verb", "kinds"))
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--plot", type=Path, help="with --only law: an SVG file of it")
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    ways = {
        "merged": (paths.models() / paths.MERGED_JUDGE, None),
        "apart": (paths.models() / paths.JUDGE, paths.RESOURCES / "models" / paths.ADAPTER),
    }
    if options.inside and options.only == "kinds":
        print(speed(options.model))
        return
    if options.inside:
        made = pairs(options.passages, options.hypotheses, options.size)
        print(json.dumps(measure(*ways[options.only], *made)))
        return
    print(describe())
    if hasattr(os, "getloadavg"):
        print(f"load before: {os.getloadavg()[0]:.1f}")
    merged, _ = ways["merged"]
    if options.only == "law":
        law(merged, *pairs(min(options.passages, 3), max(HYPOTHESES), options.size), options.plot)
        return
    if options.only == "verb":
        verb(options.passages)
        return
    if options.only == "kinds":
        kinds(merged)
        return
    asked = options.passages * options.hypotheses
    for way in [options.only] if options.only else ways:
        arguments = [sys.executable, "-m", "tests.bench.judge", _INSIDE, "--only", way]
        for name in ("passages", "hypotheses", "size"):
            arguments += [f"--{name}", str(getattr(options, name))]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        rate, each = found["tokens"] / found["seconds"], 1000 * found["seconds"] / asked
        print(
            f"{way}: {options.passages} passages x {options.hypotheses} hypotheses, {found['tokens']:.0f} tokens in "
            f"{found['seconds']:.1f} s with {found['threads']:.0f} threads: {rate:.0f} tokens/s, {each:.0f} ms a pair\n"
            f"  a passage with all hypotheses: median {1000 * found['median']:.0f} ms, worst "
            f"{1000 * found['worst']:.0f} ms; loading {found['loading']:.1f} s; peak {found['peak']:.0f} MB"
        )


if __name__ == "__main__":
    main()
