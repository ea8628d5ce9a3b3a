# SPDX-License-Identifier: MIT
"""Rules, colours and their names."""

from __future__ import annotations

from enum import IntEnum, StrEnum

from tengen.game.errors import BadNotation

MIN_SIZE = 5
MAX_SIZE = 22
SIZES = range(MIN_SIZE, MAX_SIZE + 1)  # lines of a board


class Colour(IntEnum):
    """A side. The numbers are those of stones in position arrays, where 0 is an empty point."""

    BLACK = 1
    WHITE = 2

    @property
    def other(self) -> Colour:
        return Colour(3 - self)

    @classmethod
    def parse(cls, value: Colour | int | str) -> Colour:
        """Accept a Colour, 1 or 2, or "black", "white", "b", "w" in any case."""
        names = {"black": cls.BLACK, "b": cls.BLACK, "white": cls.WHITE, "w": cls.WHITE}
        try:
            return names[value.strip().lower()] if isinstance(value, str) else cls(value)
        except (KeyError, ValueError):
            raise BadNotation(f"no colour {value!r}: use 'black' or 'white'") from None

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Forbidden(StrEnum):
    """Why black may not play a point in renju."""

    OVERLINE = "overline"
    DOUBLE_FOUR = "double_four"
    DOUBLE_THREE = "double_three"


class Rule(StrEnum):
    """The rules of docs/rules.md. The order is that of the native core."""

    FREESTYLE = "freestyle"
    STANDARD = "standard"
    RENJU = "renju"
    CARO = "caro"
    CARO6 = "caro6"

    @property
    def gomocup(self) -> int:
        """The number of the rule in the Gomocup protocol (`INFO rule N`)."""
        return _GOMOCUP[self]

    @classmethod
    def from_gomocup(cls, number: int) -> Rule:
        for rule, value in _GOMOCUP.items():
            if value == number:
                return rule
        known = ", ".join(f"{v} {r}" for r, v in _GOMOCUP.items())
        raise BadNotation(f"no rule has the Gomocup number {number}: known are {known}")

    @classmethod
    def parse(cls, value: Rule | str) -> Rule:
        """Accept a Rule or its name in any case."""
        try:
            return cls(value.strip().lower())
        except (ValueError, AttributeError):
            known = ", ".join(cls)
            raise BadNotation(f"no rule {value!r}: known are {known}") from None


_GOMOCUP = {
    Rule.FREESTYLE: 0,
    Rule.STANDARD: 1,
    Rule.RENJU: 4,
    Rule.CARO: 9,
    Rule.CARO6: 8,
}
