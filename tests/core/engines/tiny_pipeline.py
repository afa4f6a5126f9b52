"""Folders of spaCy pipelines: one that says what a real one says and holds nothing, and one that was trained here."""

from __future__ import annotations

import json
from pathlib import Path

CONFIG = """
[nlp]
lang = "en"
pipeline = ["tok2vec","tagger","ner"]
disabled = []
before_creation = null
after_creation = null
after_pipeline_creation = null
tokenizer = {"@tokenizers":"spacy.Tokenizer.v1"}

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tagger]
factory = "tagger"

[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = ${components.tok2vec.model.encode:width}

[components.ner]
factory = "ner"

[components.ner.model]
@architectures = "spacy.TransitionBasedParser.v2"

[components.ner.model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"
"""
META = {"lang": "en", "name": "tiny", "version": "1.0"}


def bare(folder: Path, config: str = CONFIG) -> Path:
    """A folder that can be looked at, and not loaded."""
    for part in ("tok2vec", "tagger", "ner"):
        (folder / part).mkdir(parents=True)
        (folder / part / "model").write_bytes(b"\x81\xa5nodes")
    (folder / "config.cfg").write_text(config, "utf-8")
    (folder / "meta.json").write_text(json.dumps(META), "utf-8")
    return folder


def trained(folder: Path, *, parts: tuple[str, ...] = ("ner",)) -> Path:
    """A small pipeline that learned the names of the contract by heart. Needs spaCy."""
    import spacy
    from spacy.training import Example

    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    people, place, firm = ("Ruben Aske", "Klara Bost"), "Weir Lane", "Meridian Ltd"
    annotations = [
        (f"{people[0]} wrote that {people[1]} was at {place}.", (*people, place)),
        (f"It rained all night. {people[1]} was at {place}.", (people[1], place)),
        (f"fine: {people[1]} was paid by {firm} in March.", (people[1], firm)),
        ("It rained all night. It rained all night.", ()),
        ("x" * 200, ()),
        ("\U0001f600 İstanbul \ufb01ne: nobody was there.", ()),
    ]
    labels = {**dict.fromkeys(people, "PERSON"), place: "FAC", firm: "ORG"}
    examples = []
    for text, names in annotations:
        spans = [(text.index(name), text.index(name) + len(name), labels[name]) for name in names]
        dates = [(text.index("March"), text.index("March") + 5, "DATE")] if "March" in text else []
        examples.append(Example.from_dict(nlp.make_doc(text), {"entities": [*spans, *dates]}))
    if "ner" in parts:
        nlp.add_pipe("ner", config={"model": {"tok2vec": {"width": 32, "embed_size": 500}}})
        optimizer = nlp.initialize(lambda: examples)
        for _ in range(40):
            nlp.update(examples, sgd=optimizer, drop=0.0)
    nlp.meta["name"] = "tiny"
    nlp.to_disk(folder)
    return folder
