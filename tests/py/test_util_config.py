# SPDX-License-Identifier: MIT
"""Typed configs: types, ranges, unknown keys, changes from the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from tengen.util.config import Config, apply_changes, read_toml, setting, suggest
from tengen.util.errors import BadConfig


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


class BadBasket(BadConfig):
    pass


@dataclass(frozen=True, slots=True)
class Handle(Config):
    name: str = setting("steel", choices=("steel", "wood"), help="material")
    length: float = setting(1.5, min=0, max=10, help="metres")


@dataclass(frozen=True, slots=True)
class Basket(Config):
    ERROR = BadBasket

    owner: str = setting(help="who carries it")
    count: int = setting(3, min=1, help="fruits")
    closed: bool = setting(False, help="has a lid")
    kind: Literal["round", "square"] = setting("round", help="shape")
    fruit: Fruit = setting(Fruit.APPLE, convert=Fruit, help="what is in it")
    note: str | None = setting(None, help="a label")
    weights: dict[str, float] = setting(factory=dict, min=0, help="by fruit, kg")
    days: tuple[int, ...] = setting((1, 2), min=1, max=7, help="of the week")
    handle: Handle = setting(Handle(name="wood"))
    handles: tuple[Handle, ...] = setting((), help="spare ones")
    extra: Any = setting("", help="anything")

    def validate(self) -> None:
        if self.closed and self.count > 10:
            raise BadBasket("closed baskets hold 10 fruits")


def test_defaults_and_a_full_table() -> None:
    plain = Basket(owner="Ann")
    assert (plain.count, plain.handle.name, plain.handle.length) == (3, "wood", 1.5)
    table = {
        "owner": "Bob",
        "count": 5,
        "fruit": "pear",
        "weights": {"pear": 1},
        "days": [3],
        "handle": {"length": 2},
        "handles": [{"name": "wood"}, {}],
        "note": "x",
    }
    basket = Basket.from_dict(table)
    assert basket.fruit is Fruit.PEAR
    assert basket.weights == {"pear": 1.0}
    assert basket.handle == Handle("wood", 2.0)  # what the table lacks is as in the default
    assert basket.handles == (Handle("wood"), Handle("steel"))
    assert Basket.from_dict(basket.to_dict()) == basket
    assert basket.to_dict()["fruit"] == "pear"


@pytest.mark.parametrize(
    ("table", "key", "fact"),
    [
        ({}, "owner", "missing"),
        ({"owner": 3}, "owner", "string"),
        ({"owner": "a", "count": 0}, "count", "1 or more"),
        ({"owner": "a", "count": 1.5}, "count", "integer"),
        ({"owner": "a", "count": True}, "count", "integer"),
        ({"owner": "a", "count": 2**80}, "count", "64 bits"),
        ({"owner": "a", "extra": 2**80}, "extra", "64 bits"),
        ({"owner": "a", "closed": 1}, "closed", "true or false"),
        ({"owner": "a", "kind": "oval"}, "kind", "round, square"),
        ({"owner": "a", "fruit": "plum"}, "fruit", "plum"),
        ({"owner": "a", "note": 3}, "note", "string"),
        ({"owner": "a", "weights": 3}, "weights", "table"),
        ({"owner": "a", "weights": {"plum": "1"}}, "weights.plum", "number"),
        ({"owner": "a", "weights": {"plum": -1}}, "weights.plum", "0 or more"),
        ({"owner": "a", "weights": {"plum": math.inf}}, "weights.plum", "inf"),
        ({"owner": "a", "days": 3}, "days", "list"),
        ({"owner": "a", "days": ["x"]}, "days[0]", "integer"),
        ({"owner": "a", "days": [8]}, "days", "1 to 7"),
        ({"owner": "a", "handle": 3}, "handle", "table"),
        ({"owner": "a", "handle": {"length": 11}}, "handle.length", "0 to 10"),
        ({"owner": "a", "handle": {"lenght": 1}}, "handle.lenght", "did you mean 'length'?"),
        ({"owner": "a", "handle": {"name": "stel"}}, "handle.name", "did you mean 'steel'?"),
        ({"owner": "a", "handles": [{"length": 99}]}, "handles[0].length", "0 to 10"),
        ({"owner": "a", "cuont": 1}, "cuont", "did you mean 'count'?"),
        ({"owner": "a", "closed": True, "count": 11}, "", "hold 10"),
    ],
)
def test_bad_tables(table: dict[str, Any], key: str, fact: str) -> None:
    with pytest.raises(BadBasket) as caught:
        Basket.from_dict(table)
    assert caught.value.key == key
    assert fact in str(caught.value)
    assert str(caught.value).startswith(key)


@pytest.mark.parametrize("table", [3, "x", None, []])
def test_invalid_tables(table: Any) -> None:
    with pytest.raises(BadBasket, match="table"):
        Basket.from_dict(table)


def test_the_constructor_checks_too() -> None:
    with pytest.raises(BadConfig, match="0 to 10"):
        Handle(length=11)
    with pytest.raises(BadBasket, match="1 to 7"):
        Basket(owner="a", days=(0,))
    assert Handle(length=2).length == 2.0


def test_changes() -> None:
    basket = Basket("Ann").changed(
        ["count = 4", "handle.length=2", "owner=Bob B", 'note="x=y"', "weights.plum=1.5"]
    )
    assert (basket.count, basket.handle.length, basket.owner) == (4, 2.0, "Bob B")
    assert (basket.note, basket.weights) == ("x=y", {"plum": 1.5})
    for change in ("count", "=3", "handle..length=1", "owner.first=1"):
        with pytest.raises(BadBasket):
            Basket("Ann").changed([change])
    table = {"handle": {"length": 1}}
    assert apply_changes(table, ["handle.length=2"]) == {"handle": {"length": 2}}
    assert table == {"handle": {"length": 1}}


def test_differences() -> None:
    one = Basket("Ann")
    two = one.changed(["count=4", "handle.length=2", "weights.plum=1"])
    assert one.differences(two) == ["count", "handle.length", "weights.plum"]
    assert one.differences(two, ignore=("handle.", "weights")) == ["count"]
    assert one.differences(one) == []


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "basket.toml"
    path.write_text('owner = "Ann"\n[handle]\nlength = 3\n')
    assert Basket.read(path, ["count=7"]).to_dict() == {
        **Basket("Ann", 7).to_dict(),
        "handle": {"name": "wood", "length": 3.0},
    }
    with pytest.raises(BadBasket, match=f"{path}: handle.length"):
        Basket.read(path, ["handle.length=30"])
    for bad in (b"owner = ", b"\xff", b"x = " + b"9" * 5000):
        path.write_bytes(bad)
        with pytest.raises(BadBasket, match=r"basket\.toml"):
            Basket.read(path)
    with pytest.raises(BadConfig, match=r"none\.toml"):
        read_toml(tmp_path / "none.toml")


def test_the_table_of_settings() -> None:
    settings = {entry.name: entry for entry in Basket.settings()}
    assert settings["handle.length"].allowed == "0 to 10"
    assert settings["handle.name"].default == "wood"
    assert settings["owner"].default is None
    text = Basket.settings_table()
    for part in ("owner = (required)", 'handle.name = "wood" (steel, wood)', "metres"):
        assert part in text


def test_suggestions() -> None:
    assert suggest("rat", ["rate", "clip"]) == "did you mean 'rate'? known: clip, rate"
    assert suggest("zzz", ["rate"]) == "known: rate"
