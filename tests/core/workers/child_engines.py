"""A child with engines that obey or misbehave on demand, run through the ``command`` argument."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from core import ports
from core.domain import PageText, Word, Words
from core.engines.names.spacy_names import SpacyNames
from core.errors import ModelMissing, Problem, UnreadableDocument
from core.ports import FoundName, OcrPage, Outline, Picture
from core.workers import server
from tests.fakes import FakeOcr, HashEmbedder, ListedNames, PlainReader, ScriptedJudge


class OddReader:
    """Reads like PlainReader unless the name of the file is an order to do something else."""

    fingerprint = f"odd reader {os.getpid()}"
    plain = PlainReader()

    def read(self, data, name, *, password=""):
        order, _, argument = name.partition(" ")
        if order == "die":
            yield Outline("text", 3)
            yield PageText(1, "first")
            os.kill(os.getpid(), getattr(signal, argument))
        elif order == "exit":
            os._exit(int(argument))
        elif order == "hang":
            yield Outline("text", 2)
            yield PageText(1, "first")
            if argument == "deaf":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        elif order == "spin":
            while True:
                pass
        elif order == "sleep":
            time.sleep(float(argument))
            yield from self.plain.read(data, name)
        elif order == "when":
            began = time.monotonic()
            time.sleep(float(argument))
            yield Outline("text", 1)
            yield PageText(1, f"{began} {time.monotonic()}")
        elif order == "flood":
            yield Outline("text", 1)
            for _ in range(200):
                os.write(2, b"\x1b[31mnoise \x07" * 4_000)
            print("to standard output")
            os.write(1, b"straight to descriptor 1\n")
            yield PageText(1, "still here")
        elif order == "raise":
            raise ValueError("secret words of the document")
        elif order == "refuse":
            raise UnreadableDocument(reason=f"{name} is odd \x1b[31m.", remedy="Leave it.")
        elif order == "allocate":
            memory = bytearray(8 << 30)
            yield Outline("text", len(memory))
        elif order == "write":
            Path(argument).write_bytes(b"x" * (64 << 20))
        elif order == "many":
            yield Outline("text", int(argument))
            for number in range(1, int(argument) + 1):
                yield PageText(number, "x" * 20_000)
                print("made", number, file=sys.stderr)
        elif order == "page":
            yield Outline("text", 1)
            yield eval(argument, {"PageText": PageText, "Words": Words})
        elif order == "garbage":
            for _ in range(1_000):
                for handle in range(3, 12):
                    with contextlib.suppress(OSError):
                        os.write(handle, os.urandom(65_536))
            time.sleep(600)
        elif order == "close":
            yield Outline("text", 2)
            os.closerange(0, 100)
            time.sleep(600)
        elif order == "environment":
            yield Outline("text", 1)
            yield PageText(1, "\n".join(f"{key}={value}" for key, value in os.environ.items()) + f"\n{sys.path}")
        else:
            yield from self.plain.read(data, name)

    def render(self, data, name, page, *, scale, password=""):
        if name == "lying picture":
            return Picture(self.plain.render(data, name, page, scale=scale).png, 1, 1, scale)
        return self.plain.render(data, name, page, scale=scale)

    def read_matrix(self, data, name, *, choose=""):
        order, _, argument = name.partition(" ")
        if order == "exit":
            os._exit(int(argument))
        if order == "matrix":
            return eval(argument, {**vars(ports), "Problem": Problem})
        return self.plain.read_matrix(data, name, choose=choose)


class OddJudge(ScriptedJudge):
    def judge(self, passage, hypotheses):
        if passage == "too few":
            return []
        return super().judge(passage, hypotheses)


class FaultyJudge(ScriptedJudge):
    """Ends its process by a fault: at its start, or over a passage; with plain settings it may go on."""

    def __init__(self, options):
        super().__init__()
        self.plain = bool(options.get("plain"))
        name = Path(options["model"]).stem
        self.fingerprint = f"faulty judge{' plain' if self.plain else ''}"
        if name == "gives up":
            os.abort()
        if name == "start never" or (name == "start" and not self.plain):
            os.kill(os.getpid(), signal.SIGILL)

    def judge(self, passage, hypotheses):
        if passage == "fault" or (passage == "fault unless plain" and not self.plain):
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().judge(passage, hypotheses)


class OddOcr(FakeOcr):
    """Reads the lines of the contract unless the language is an order to answer something odd."""

    def read(self, png, *, width, height, languages=("eng",)):
        order, *rest = languages
        if order == "hang":
            time.sleep(600)
        if order in ("sleep", "when"):
            began = time.monotonic()
            time.sleep(float(rest[0]))
            answer = super().read(png, width=width, height=height)
            return replace(answer, engine=f"{began} {time.monotonic()}") if order == "when" else answer
        if order == "page":
            return eval(rest[0], {"Page": OcrPage, "Words": Words, "W": Word})
        return super().read(png, width=width, height=height, languages=languages)


class OddNames(ListedNames):
    """Finds names unless the text is an order to answer something odd."""

    def find(self, texts):
        order, _, argument = texts[0].partition(" ")
        if order == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if order == "answer":
            return eval(argument, {"Name": FoundName})
        return super().find(texts)


def names(options):
    if not options["folder"].endswith("without spaCy"):
        return OddNames()
    sys.modules["spacy"] = None  # as where it is not installed
    return SpacyNames(Path(options["folder"]))


def embedder(options):
    if options["folder"].endswith("missing"):
        raise ModelMissing(role="search", path=options["folder"], effect="search by meaning is off")
    if options["folder"].endswith("broken"):
        raise KeyError("weights")
    if options["folder"].endswith("slow"):
        file = Path(options["folder"], "weights")
        while not file.read_bytes():
            time.sleep(0.02)
    return HashEmbedder()


if __name__ == "__main__":
    if sys.argv[1] == "--with-a-friend":  # before the child is confined: later it could start nothing
        command = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
        subprocess.Popen([*command, sys.argv.pop(2)])
        del sys.argv[1]
    makers = {
        "reader": lambda _: OddReader(),
        "embedder": embedder,
        "judge": lambda options: FaultyJudge(options) if "faulty" in options["model"] else OddJudge(),
        "names": names,
        "ocr": lambda _: OddOcr(always="The pump stopped at 02:14.\nNobody had touched it before."),
    }
    sys.exit(server.main(sys.argv[1:], engines=makers))
