# SPDX-License-Identifier: MIT
"""`NetSpec`, the base of all specs of nets: a config whose name is made of its fields and can be
read again. `HeadedSpec` adds the fields that all nets with a convolutional body share. No torch.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Literal, Self

from tengen.game.rule import MAX_SIZE, MIN_SIZE
from tengen.util.config import Config, setting
from tengen.util.errors import BadConfig

Heads = Literal["simple", "alphazero", "polygames"]
ValueOutput = Literal["value", "scalar", "win"]
BOARD_PLANES = 2  # own stones, the opponent's: the input of every net that plays
_SIZE = 15  # the default board size of heads that are for one size
_MAX_BOARD_PLANES = 4  # more input planes than a net can derive from a board


class BadSpec(BadConfig):
    """An unknown net, or a wrong key or value of a spec."""


@dataclass(frozen=True, slots=True)
class NetSpec(Config):
    """A net: all that determines its shapes.

    Its name is the kind, the fields of `SHAPE`, and each other field that is not at its default:
    `star` or `no-star` for an option, the value of a choice, name and value of a number.
    """

    ERROR: ClassVar[type[BadConfig]] = BadSpec
    KIND: ClassVar[str]
    SHAPE: ClassVar[str]  # the fields that every name has: "{blocks}b{filters}f"

    @property
    def kind(self) -> str:
        return self.KIND

    @property
    def name(self) -> str:
        """As `spec_of` reads it: resnet-4b64f, mixnet-s-no-star, mobilenet-17b64f-se."""
        values = Config.to_dict(self)
        parts = [f"{self.KIND}-{self.SHAPE.format(**values)}"]
        parts += [
            _token(entry, values[entry.name])
            for entry in self._options()
            if values[entry.name] != entry.default
        ]
        return "-".join(parts)

    @property
    def architecture(self) -> str:
        """Everything that determines the shapes, as text."""
        values = Config.to_dict(self).items()
        shown = (f"{k}={int(v) if isinstance(v, bool) else v}" for k, v in values)
        return " ".join([self.KIND, *shown])

    @property
    def input_planes(self) -> int:
        """Channels of the input [B, …, H, W]; not 2 for nets that serve for counting only."""
        return BOARD_PLANES

    @property
    def board_size(self) -> int | None:
        """The only board size that the net supports; None: all."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """All fields and `kind`, as `spec_from_dict` reads them."""
        return {"kind": self.KIND, **Config.to_dict(self)}

    def check_playable(self, size: int | None = None) -> None:
        """Raise BadSpec unless the net evaluates boards, of this size if it is given."""
        if self.input_planes != BOARD_PLANES:
            problem = f"{self.name} takes {self.input_planes} planes, which boards do not have"
            raise BadSpec(f"{problem}: use {BOARD_PLANES} to {_MAX_BOARD_PLANES}", "planes")
        if size is not None and self.board_size not in (None, size):
            problem = f"{self.name} is for boards of size {self.board_size}, not {size}"
            raise BadSpec(f"{problem}: set the size of the net", "size")

    @classmethod
    def from_name(cls, name: str) -> Self | None:
        """The spec with this name; None if the name does not start with kind and shape. Raises
        BadSpec for unknown options and values out of range.
        """
        hints = typing.get_type_hints(cls)
        shape = re.sub(r"\{(\w+)\}", lambda m: _value_pattern(m[1], hints[m[1]]), cls.SHAPE)
        start = re.match(rf"{cls.KIND}-{shape}(?=-|$)", name)
        if start is None:
            return None
        values: dict[str, Any] = {
            key: int(text) if hints[key] is int else text for key, text in start.groupdict().items()
        }
        known: dict[str, tuple[str, Any]] = {}
        for entry in cls._options():
            known.update(_tokens(entry, hints[entry.name]))
        option, place = re.compile(f"-({'|'.join(known)})(?=-|$)"), start.end()
        while place < len(name):
            part = option.match(name, place)
            if part is None:
                raise cls._unknown_option(start[0], name[place + 1 :])
            key, value = next(known[token] for token in known if re.fullmatch(token, part[1]))
            values[key] = int(part[1].removeprefix(key)) if value is None else value
            place = part.end()
        return cls.from_dict(values)

    @classmethod
    def _unknown_option(cls, net: str, rest: str) -> BadSpec:
        option = rest.removeprefix("no-").partition("-no-")[0].replace("-", "_")
        known = ", ".join(entry.name for entry in cls._options())
        return BadSpec(f"{net} has no option {option:.60}; it has {known}")

    @classmethod
    def _options(cls) -> list[Field[Any]]:
        """The fields outside the shape, in the order of names."""
        return [entry for entry in fields(cls) if f"{{{entry.name}}}" not in cls.SHAPE]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadedSpec(NetSpec):
    """A net with a body of convolutions and one of the pairs of heads of `nets.heads`."""

    heads: Heads = "simple"  # policy and value head, see docs/nets.md
    output: ValueOutput = "value"  # three-way logits, or one: "scalar", before tanh; "win", a logit
    # 2: own, opponent; 3: and where black is to move; 4: and ones; others for counting only
    planes: int = setting(BOARD_PLANES, min=1, max=1000)
    size: int = setting(_SIZE, min=MIN_SIZE, max=MAX_SIZE)  # of boards, for the heads alphazero

    def validate(self) -> None:
        if self.heads != "alphazero" and self.size != _SIZE:
            problem = f"the heads {self.heads} are for all board sizes"
            raise BadSpec(f"{problem}: leave it out, or use the heads alphazero", "size")

    @property
    def input_planes(self) -> int:
        derived = BOARD_PLANES <= self.planes <= _MAX_BOARD_PLANES
        return BOARD_PLANES if derived else self.planes

    @property
    def board_size(self) -> int | None:
        return self.size if self.heads == "alphazero" else None


def _token(entry: Field[Any], value: Any) -> str:
    """A value in a name."""
    name = entry.name.replace("_", "-")
    if isinstance(value, bool):
        return name if value else f"no-{name}"
    return value if isinstance(value, str) else f"{name}{value}"


def _tokens(entry: Field[Any], hint: Any) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Patterns of the parts of a name that set a field, each with (field, value); None: the number
    in the name.
    """
    if hint is int:
        yield rf"{entry.name}\d{{1,9}}", (entry.name, None)
    for value in (True, False) if hint is bool else typing.get_args(hint):
        yield re.escape(_token(entry, value)), (entry.name, value)


def _value_pattern(name: str, hint: Any) -> str:
    choices = "|".join(typing.get_args(hint)) or r"\d{1,9}"
    return f"(?P<{name}>{choices})"
