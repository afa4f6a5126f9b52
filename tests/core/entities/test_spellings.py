"""Other spellings of names: forms and scripts are suggested, other names are not."""

from __future__ import annotations

import pytest

from core.domain import Entity
from core.entities.spellings import spellings


def texts(name, text):
    return [(spelling.text, spelling.kind) for spelling in spellings([Entity("N1", name)], [("D1", text)])]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Müßig", "Müßigs Auto stand da. Müßig kam. Müßiggang ist etwas anderes.", [("Müßigs", "form")]),
        ("Соколов", "Машина Соколова; письмо Соколову. Сокол улетел.", [("Соколова", "form"), ("Соколову", "form")]),
        ("Sokolov", "Видели, что Соколов ушёл. Соколовский остался.", [("Соколов", "script")]),
        ("Иван Соколов", "about Ivan Sokolov and Ivan Petrov", [("Ivan Sokolov", "script")]),
        ("Mohammed", "وصل محمد في الصباح", [("محمد", "script")]),
        ("محمد", "met Mohammed and Muhammad, then Ahmad", [("Mohammed", "script"), ("Muhammad", "script")]),
        ("Чайковский", "Tchaikovsky wrote it", [("Tchaikovsky", "script")]),
        ("Reyes", "Reyes left. The reyes stayed.", []),
        ("Ann", "Он и она", []),
    ],
)
def test_forms_and_scripts_of_a_name_are_suggested(name, text, expected):
    assert texts(name, text) == expected


def test_a_confirmed_alias_is_suggested_no_more():
    entity = Entity("N1", "Sokolov", aliases=("Соколов",))
    assert spellings([entity], [("D1", "Соколов пришёл. Соколову звонили.")])[0].text == "Соколову"


@pytest.mark.parametrize("status", ["confirmed", "rejected"])
def test_a_spelling_that_is_a_name_of_its_own_or_was_rejected_is_not_suggested(status):
    entities = [Entity("N1", "Соколов"), Entity("N2", "Соколова", status=status)]
    rows = [(row.entity, row.text) for row in spellings(entities, [("D1", "Соколов, Соколову и Соколова")])]
    assert ("N1", "Соколову") in rows
    assert "Соколова" not in {text for _, text in rows}
