"""A matrix in JSON, in and out."""

from __future__ import annotations

import json

import pytest

from core import matrix
from core.domain import RULES
from core.errors import BadInput, BadRating
from core.matrix import Row, build, from_json, to_json
from tests.core.matrix.test_rules import TOKYO


def _tokyo_json() -> dict[str, object]:
    return {
        "id": "tokyo",
        "hypotheses": [{"id": f"H{n}", "text": f"text {n}"} for n in range(1, 5)],
        "evidence": [{"id": row.id, "text": row.id.lower(), "ratings": dict(row.ratings)} for row in TOKYO],
    }


def test_the_json_of_the_command_line():
    result = from_json(_tokyo_json())
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["hypotheses"][0]["text"] == "text 1"
    assert result["hypotheses"][1]["rank"] == dict.fromkeys(RULES, 1) | {"bayes": 2}
    assert set(result["hypotheses"][0]["scores"]) == set(RULES)
    assert result["leaders"]["weighted_inconsistency"] == ["H1", "H2"]
    assert result["evidence"][3]["flags"] == ["all_C", "uniform"]
    assert result["evidence"][3]["ratings"] == dict.fromkeys(("H1", "H2", "H3", "H4"), "C")
    smallest = result["linchpins"][0]
    assert (smallest["change"], smallest["size"]) == ("one_step", 1.0)
    assert {"evidence", "hypothesis", "leaders", "sentence", "from", "to"} <= set(smallest)
    assert result["warnings"]


def test_several_matrices_at_once():
    assert [m["id"] for m in from_json([_tokyo_json(), _tokyo_json()])["matrices"]] == ["tokyo", "tokyo"]
    assert len(from_json({"about": {}, "matrices": [_tokyo_json()]})["matrices"]) == 1


def test_weights_from_json():
    data = {
        "hypotheses": [{"id": "H1"}, {"id": "H2"}],
        "evidence": [
            {"id": "E1", "ratings": {"H1": "I"}, "w": 0.25, "credibility": "H"},
            {"id": "E2", "ratings": {"H1": "I"}, "credibility": "H", "relevance": "M"},
            {"id": "E3", "ratings": {"H1": "I"}, "credibility_num": 0.5, "relevance_num": 0.5},
            {"id": "E4", "ratings": {"H1": "I", "H2": None}},
            {"id": "E5", "ratings": {"H1": "I", "H2": ""}, "credibility": "L"},
        ],
    }
    result = from_json(data)
    assert [row["weight"] for row in result["evidence"]] == [0.25, 1.414213562373, 0.25, 1.0, 0.707106781187]
    assert result["unrated"] == 5


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        {},
        {"hypotheses": [], "evidence": {}},
        {"hypotheses": ["H1"], "evidence": []},
        {"hypotheses": [{"text": "no id"}], "evidence": []},
        {"hypotheses": [{"id": "H1"}, {"id": "H1"}], "evidence": []},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "ratings": {"H9": "C"}}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "ratings": ["C"]}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1"}, {"id": "E1"}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "credibility": ["H"]}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "w": "1"}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "w": -1}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "w": True}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "reliability": "G"}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "reliability": "AB"}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "information": True}]},
        {"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "information": 7}]},
        {"hypotheses": [{"id": "H1", "prior": "1"}], "evidence": []},
        {"hypotheses": [{"id": "H1", "prior": 0}], "evidence": []},
        {"hypotheses": [{"id": "H1", "prior": 1}, {"id": "H2"}], "evidence": []},
    ],
)
def test_malformed_matrices_are_refused_with_a_sentence(data):
    with pytest.raises(BadInput) as raised:
        from_json(data)
    assert raised.value.sentence.endswith(".")


@pytest.mark.parametrize("value", ["X", "cc", 3, ["C"], {"C": 1}])
def test_an_unknown_rating_is_refused(value):
    with pytest.raises(BadRating):
        from_json({"hypotheses": [{"id": "H1"}], "evidence": [{"id": "E1", "ratings": {"H1": value}}]})


def test_upstreams_grades_and_priors_from_json():
    data = {
        "hypotheses": [{"id": "H1", "prior": 1}, {"id": "H2", "prior": 3.0}],
        "evidence": [
            {"id": "E1", "ratings": {"H1": "I", "H2": "N"}, "upstream": "wire", "reliability": "A", "information": 1},
            {"id": "E2", "ratings": {"H1": "I", "H2": "N"}, "upstream": "wire", "reliability": "F", "source": None},
            {"id": "E3", "ratings": {"H1": "N", "H2": "NA"}, "information": "5", "credibility": "H", "w": None},
        ],
    }
    result = from_json(data)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert [row["weight"] for row in result["evidence"]] == [1.414, 1.0, 1.414213562373]
    assert [row["share"] for row in result["evidence"]] == [0.5, 0.5, 1.0]
    assert result["evidence"][1]["cluster"] == "E1"
    assert result["clusters"] == [["E1", "E2"]]
    assert result["priors"] == {"H1": 0.25, "H2": 0.75}
    assert result["linchpin_counts"]["one_step"] == sum(pin["change"] == "one_step" for pin in result["linchpins"])
    assert {"rows", "label"} <= set(result["linchpins"][0])
    assert (result["gaps"], result["overlaps"], result["one_source"]) == ([], [], {})
    assert result["unattacked"] == ["H2"]
    assert matrix.read_matrix(data).rows[0].reliability == "A"


def test_to_json_without_texts_of_evidence():
    result = to_json(build(("H1",), [Row("E1", {"H1": "C"})]), {"H1": "one"})
    assert "text" not in result["evidence"][0]
