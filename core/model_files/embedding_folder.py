"""What a folder with a search model says of itself: read and checked before anything heavy is loaded.

A folder is one that sentence-transformers saved: ``modules.json`` names the parts, each with a ``config.json``, and the
weights lie in safetensors files. Nothing in it is run, and no pickle is ever opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from core import files
from core.errors import ModelMissing, ModelUnreadable
from core.model_files import gguf

EFFECT = "search by meaning is off and search by words goes on"
GGUF, WEIGHTS = "gguf", "model.gguf"  # family and file of a folder that holds one quantised encoder and nothing else
NO_RANKING = "passages stay in the order in which the two searches put them"

# What the models of a family want before a query and before a passage, where their folder does not say it (their model
# cards at intfloat, BAAI, nomic-ai, thenlper, Alibaba-NLP, Snowflake and sentence-transformers). '' is known, too.
_FAMILIES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("multilingual-e5", "e5-small", "e5-base", "e5-large"), "query: ", "passage: "),
    (("bge-small-en", "bge-base-en", "bge-large-en"), "Represent this sentence for searching relevant passages: ", ""),
    (("bge-m3",), "", ""),
    (("nomic-embed-text", "modernbert-embed"), "search_query: ", "search_document: "),
    (("snowflake-arctic-embed-l-v2", "snowflake-arctic-embed-m-v2"), "query: ", ""),
    (("snowflake-arctic-embed",), "Represent this sentence for searching relevant passages: ", ""),
    (("mxbai-embed",), "Represent this sentence for searching relevant passages: ", ""),
    (("gte-tiny", "gte-small", "gte-base", "gte-large", "gte-multilingual", "gte-modernbert"), "", ""),
    (("all-minilm", "all-mpnet", "multi-qa-", "msmarco-", "paraphrase-", "static-retrieval"), "", ""),
)
# Models of these families have instructions of their own, or another language's, which only their folder can tell.
_UNKNOWN = ("instruct", "bge-small-zh", "bge-base-zh", "bge-large-zh")
_QUERY_NAMES, _PASSAGE_NAMES = ("query", "search_query"), ("document", "passage", "search_document")

# Files by which a folder could run code of its own or load a pickle.
_REFUSED = (".py", ".bin", ".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".joblib", ".msgpack", ".h5")
_MAX_JSON_BYTES = 50_000_000  # bytes; the header of the weights of a large model has some 100,000
_MAX_FILES = 2_000
_SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}

Pooling = Literal["mean", "cls", "other"]


@dataclass(frozen=True, slots=True)
class Tensor:
    """The place of an array in a file: bytes ``start`` to ``end``."""

    file: Path
    kind: str  # 'F32', 'F16', ...
    shape: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a search model.

    ``prefixes`` says where ``before_query`` and ``before_passage`` come from: its own settings, what is known of its
    family, or nowhere: then nothing is put before either. ``pooling`` is how pieces become one vector; ``other`` for
    anything but a plain mean or the first piece. ``most_pieces`` is None if the folder does not limit them.
    """

    path: Path
    name: str
    family: str  # model_type: 'bert', 'xlm-roberta', ...
    dimensions: int | None
    most_pieces: int | None
    pooling: Pooling
    before_query: str
    before_passage: str
    prefixes: Literal["folder", "family", "unknown"]
    config: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    is_lower_case: bool  # whether texts are made lower-case before anything else
    plain: bool  # nothing but an encoder, a pooling and perhaps normalisation

    @property
    def note(self) -> str:
        """Return what a person should know of it; '' when nothing."""
        if self.prefixes != "unknown":
            return ""
        return (
            f"Nothing is known of what the model {self.name} expects before a query or a passage, so nothing is "
            "put there. If its description asks for a prefix, write it as “prompts” in its "
            "config_sentence_transformers.json."
        )

    @property
    def weights(self) -> int:
        """Bytes of all arrays."""
        return sum(tensor.end - tensor.start for tensor in self.tensors.values())


def look_at(folder: Path) -> ModelFolder:
    """Read what the folder says of itself; only small files are read.

    Raises ModelMissing where there is none, ModelUnreadable with the reason for one that no search model can be loaded
    from.
    """
    if not files.is_folder(folder):
        raise ModelMissing(role="search", path=folder, effect=EFFECT)
    try:
        return _read_folder(folder)
    except OSError as error:
        raise _unreadable(folder, f"it cannot be read: {error.strerror or type(error).__name__}") from error


def check_reranker(folder: Path) -> None:
    """Refuse what is no late-interaction model (a vector for each token), or could run code.

    Raises ModelMissing, ModelUnreadable.
    """
    if not files.is_file(folder / "modules.json"):
        raise ModelMissing(role="ranking", path=folder, effect=NO_RANKING)

    def unreadable(reason: str) -> ModelUnreadable:
        return ModelUnreadable(path=folder, reason=reason, effect=NO_RANKING)

    if not files.is_file(folder / "model.safetensors"):
        raise unreadable("it has no model.safetensors")
    for path in folder.rglob("*"):
        if path.suffix in _REFUSED:
            raise unreadable(f"it contains {path.name}, which can run code")
    if (folder / "modules.json").stat().st_size > _MAX_JSON_BYTES:
        raise unreadable("its modules.json is far too large")
    try:
        types = [str(module["type"]) for module in json.loads((folder / "modules.json").read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable("its modules.json is broken") from error
    for kind in types:
        if not kind.startswith("sentence_transformers."):
            raise unreadable(f"it needs code of its own ({kind})")
    if not any(".multi_vector_encoder." in kind for kind in types):
        raise unreadable("it gives one vector per text, not one per token")


def _unreadable(folder: Path, reason: str) -> ModelUnreadable:
    return ModelUnreadable(path=folder, reason=reason, effect=EFFECT)


def _read_folder(folder: Path) -> ModelFolder:
    if (folder / WEIGHTS).is_file() and not (folder / "modules.json").is_file():
        return _quantised(folder)
    _check_files(folder)
    parts = list(_parts(folder))
    if not parts or parts[0][0] != "Transformer":
        if parts and parts[0][0] == "StaticEmbedding":
            return _static(folder, parts)
        raise _unreadable(folder, "its first part is not a transformer")
    home = parts[0][1]
    config = _json(folder, home / "config.json")
    pooling_folder = next((place for kind, place in parts if kind == "Pooling"), None)
    pooling = _pooling(folder, _json(folder, pooling_folder / "config.json")) if pooling_folder else "other"
    _check_task(folder, config, pooling_folder is not None, pooling)
    tensors = _tensors(folder, home)
    if not any((home / name).is_file() for name in ("tokenizer.json", "vocab.txt", "vocab.json")) and not any(
        home.glob("*.model")
    ):
        raise _unreadable(folder, "it has no tokenizer.json, so it cannot split texts into tokens")
    transformer_settings = _transformer_settings(folder, home)
    query, passage, origin = _prefixes(folder, config)
    kinds = [kind for kind, _ in parts]
    settings = _pooling_settings(folder, pooling_folder)
    return ModelFolder(
        path=folder,
        name=folder.name,
        family=str(config.get("model_type", "")),
        dimensions=_whole(config.get("hidden_size")) if "Dense" not in kinds else None,
        most_pieces=_most_pieces(folder, home, transformer_settings, config),
        pooling=pooling,
        before_query=query,
        before_passage=passage,
        prefixes=origin,
        config=config,
        tensors=tensors,
        is_lower_case=bool(transformer_settings.get("do_lower_case")),
        plain=kinds in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
        and settings.get("include_prompt", True) is True
        and home == folder,
    )


def _static(folder: Path, parts: list[tuple[str, Path]]) -> ModelFolder:
    """Read a table of vectors for pieces, without a transformer."""
    query, passage, origin = _prefixes(folder, {})
    tensors = _tensors(folder, parts[0][1])
    return ModelFolder(
        folder, folder.name, "static", None, None, "mean", query, passage, origin, {}, tensors, False, False
    )


def is_there(folder: Path) -> bool:
    """Return whether a folder holds what may be a search model, without reading it."""
    return any(files.is_file(folder / name) for name in ("modules.json", WEIGHTS))


def _quantised(folder: Path) -> ModelFolder:
    """Read the head of an encoder in a GGUF file, with a vocabulary of unigrams (packaging/multilingual.py)."""
    try:
        head = gguf.check(folder / WEIGHTS)
    except ModelUnreadable as error:
        raise _unreadable(folder, str(error.details["reason"])) from error
    if head.architecture != "bert" or head.values.get("tokenizer.ggml.model") != "t5":
        raise _unreadable(folder, "it contains GGUF files, which are for judging; a search model has a modules.json")
    sizes = {
        "num_hidden_layers": "block_count",
        "num_attention_heads": "attention.head_count",
        "intermediate_size": "feed_forward_length",
        "layer_norm_eps": "attention.layer_norm_epsilon",
        "hidden_size": "embedding_length",
        "max_position_embeddings": "context_length",
    }
    config = {name: head.values.get(f"bert.{key}") for name, key in sizes.items()}
    dimensions, places = _whole(config["hidden_size"]), _whole(config["max_position_embeddings"])
    if dimensions is None or places is None:
        raise _unreadable(folder, "its head lacks the sizes of the model")
    query, passage, origin = _prefixes(folder, {})
    tensors = {
        tensor.name: Tensor(
            head.path, str(tensor.type), tuple(reversed(tensor.shape)), tensor.offset, tensor.offset + tensor.size
        )
        for tensor in head.tensors
    }
    return ModelFolder(
        *(folder, folder.name, GGUF, dimensions, places, "mean", query, passage, origin, config, tensors),
        is_lower_case=False,
        plain=True,
    )


def _check_files(folder: Path) -> None:
    for count, path in enumerate(files_in(folder)):
        if count > _MAX_FILES:
            raise _unreadable(folder, f"it contains more than {_MAX_FILES:,} files, so it is more than a model")
        if path.suffix.lower() in _REFUSED:
            raise _unreadable(
                folder,
                f"it contains {path.relative_to(folder)}, which can run code when it is loaded; the weights in "
                "model.safetensors are enough, so move that file elsewhere",
            )
    if not (folder / "modules.json").is_file():
        raise _unreadable(folder, _what_it_is(folder))


def files_in(folder: Path) -> Iterator[Path]:
    """List the files in and below a folder, in order of name; without folders that begin with a full stop."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(names))


def _what_it_is(folder: Path) -> str:
    """Return why a folder without modules.json is no search model, in the words that help most."""
    if any(folder.glob("*.gguf")):
        return "it contains GGUF files, which are for judging; a search model has a modules.json"
    if not (folder / "config.json").is_file():
        return "it has neither modules.json nor config.json, so it contains no search model"
    architectures = _architectures(_json(folder, folder / "config.json"))
    if any("CausalLM" in name or "ConditionalGeneration" in name for name in architectures):
        return f"it contains a model that writes text ({architectures[0]}), not one that makes vectors"
    return "it has no modules.json, so nothing says how its tokens become one vector"


def _architectures(config: Mapping[str, Any]) -> list[str]:
    return [str(name) for name in _list(config.get("architectures"))]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _parts(folder: Path) -> Iterator[tuple[str, Path]]:
    """(kind, place) of the parts a text goes through, in order."""
    modules = _json(folder, folder / "modules.json", list)
    for module in modules:
        kind = module.get("type") if isinstance(module, dict) else None
        place = module.get("path", "") if isinstance(module, dict) else None
        if not isinstance(kind, str) or not isinstance(place, str):
            raise _unreadable(folder, "its modules.json is broken")
        if not kind.startswith("sentence_transformers."):
            raise _unreadable(folder, f"it needs code of its own ({kind[:80]})")
        inside = PurePosixPath(place.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in place:
            raise _unreadable(folder, f"its modules.json points outside its folder ({place[:80]})")
        yield kind.rpartition(".")[2], folder.joinpath(*inside.parts)


def _check_task(folder: Path, config: Mapping[str, Any], has_pooling: bool, pooling: Pooling) -> None:
    architectures = _architectures(config)
    writes = next((name for name in architectures if "CausalLM" in name or "ConditionalGeneration" in name), "")
    # Some search models are made from ones that write: they take the vector of the last piece, never a mean.
    if writes and (not has_pooling or pooling != "other"):
        raise _unreadable(folder, f"it contains a model that writes text ({writes}), not one that makes vectors")
    judges = next((name for name in architectures if name.endswith("Classification")), "")
    if judges:
        raise _unreadable(
            folder, f"it contains a model that sorts texts into classes ({judges}), not one that makes vectors"
        )
    if not isinstance(config.get("model_type"), str):
        raise _unreadable(folder, "its config.json does not say what kind of model it is")


def _pooling(folder: Path, settings: Mapping[str, Any]) -> Pooling:
    modes: list[str] = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value is True]
    mode_setting: object = settings.get("pooling_mode", ())
    modes += [
        f"pooling_mode_{mode}" for mode in ([mode_setting] if isinstance(mode_setting, str) else _list(mode_setting))
    ]
    if not modes:
        raise _unreadable(folder, "it does not say how its tokens become one vector")
    if modes in (["pooling_mode_mean_tokens"], ["pooling_mode_mean"]):
        return "mean"
    if modes in (["pooling_mode_cls_token"], ["pooling_mode_cls"]):
        return "cls"
    return "other"


def _pooling_settings(folder: Path, place: Path | None) -> Mapping[str, Any]:
    return _json(folder, place / "config.json") if place else {}


def _json(folder: Path, path: Path, kind: type = dict) -> Any:
    inside = path.relative_to(folder)
    if not path.is_file():
        raise _unreadable(folder, f"it has no {inside}")
    if path.stat().st_size > _MAX_JSON_BYTES:
        raise _unreadable(folder, f"its {inside} is far too large")
    try:
        value = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _unreadable(folder, f"its {inside} is broken") from error
    if not isinstance(value, kind):
        raise _unreadable(folder, f"its {inside} is broken")
    return value


def _whole(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _transformer_settings(folder: Path, home: Path) -> Mapping[str, Any]:
    """Read the settings of the transformer part; saved under several names over the years."""
    configs = sorted(home.glob("sentence_*_config.json"))
    return _json(folder, configs[0]) if configs else {}


def _most_pieces(folder: Path, home: Path, settings: Mapping[str, Any], config: Mapping[str, Any]) -> int | None:
    """Return the window in pieces: what the folder was saved with, never more than the model has places for."""
    tokenizer = _json(folder, home / "tokenizer_config.json") if (home / "tokenizer_config.json").is_file() else {}
    places = _whole(config.get("max_position_embeddings"))
    if places and config.get("model_type") in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        places -= 2  # these count places from 2
    limits = [_whole(settings.get("max_seq_length")), _whole(tokenizer.get("model_max_length")), places]
    return min((limit for limit in limits if limit and limit < 1_000_000), default=None)


def _tensors(folder: Path, home: Path) -> dict[str, Tensor]:
    """Every array by name, after it was checked that the files hold them whole."""
    index = home / "model.safetensors.index.json"
    if index.is_file():
        weight_map = _json(folder, index).get("weight_map")
        if not isinstance(weight_map, dict) or not weight_map:
            raise _unreadable(folder, "its model.safetensors.index.json is broken")
        names = sorted({str(name) for name in weight_map.values()})
        if any(PurePosixPath(name).name != name or "\\" in name for name in names):
            raise _unreadable(folder, "its model.safetensors.index.json points outside its folder")
    else:
        names = ["model.safetensors"]
    tensors: dict[str, Tensor] = {}
    for name in names:
        tensors |= _arrays(folder, home / name)
    if not tensors:
        raise _unreadable(folder, "its weights are empty")
    return tensors


def _arrays(folder: Path, path: Path) -> dict[str, Tensor]:
    """Read the header of a safetensors file: its length in 8 bytes, JSON, then the arrays without gaps."""
    name = path.relative_to(folder)
    if not path.is_file():
        raise _unreadable(folder, f"its weights are missing: there is no {name}")
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or not 2 <= length <= min(size - 8, _MAX_JSON_BYTES):
            pointer = start.startswith(b"version ")
            raise _unreadable(
                folder,
                f"{name} only points to weights that were never fetched (Git LFS)" if pointer else f"{name} is broken",
            )
        try:
            header = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise _unreadable(folder, f"{name} is broken") from error
    tensors: dict[str, Tensor] = {}
    end = 0
    try:
        for key, entry in header.items():
            if key == "__metadata__":
                continue
            shape, (first, last) = tuple(entry["shape"]), entry["data_offsets"]
            count = _SIZES[entry["dtype"]]
            for side in shape:
                count *= side
            if not 0 <= first <= last or last - first != count:
                raise ValueError(key)
            tensors[key] = Tensor(path, entry["dtype"], shape, 8 + length + first, 8 + length + last)
            end = max(end, last)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(folder, f"{name} is broken") from error
    if size < 8 + length + end:
        missing = 8 + length + end - size
        raise _unreadable(folder, f"{name} was cut off: {missing:,} of {8 + length + end:,} bytes are missing")
    return tensors


def _prefixes(folder: Path, config: Mapping[str, Any]) -> tuple[str, str, Literal["folder", "family", "unknown"]]:
    """Return what goes before a query and before a passage: as the folder says, else as its family is known to want."""
    settings = folder / "config_sentence_transformers.json"
    prompts = _json(folder, settings).get("prompts") if settings.is_file() else None
    if isinstance(prompts, dict):
        query, passage = _first_prompt(prompts, _QUERY_NAMES), _first_prompt(prompts, _PASSAGE_NAMES)
        if query or passage:
            return query, passage, "folder"
    for model_name in (folder.name.lower(), str(config.get("_name_or_path", "")).lower()):
        if any(name in model_name for name in _UNKNOWN):
            return "", "", "unknown"
        for names, before_query, before_passage in _FAMILIES:
            if any(name in model_name for name in names):
                return before_query, before_passage, "family"
    return "", "", "unknown"


def _first_prompt(prompts: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the first of the prompts that says something."""
    for name in names:
        prompt = prompts.get(name)
        if isinstance(prompt, str) and prompt:
            return prompt
    return ""
