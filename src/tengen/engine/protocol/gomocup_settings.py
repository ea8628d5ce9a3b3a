# SPDX-License-Identifier: MIT
"""The settings of INFO: one table of keys, and the limits and options of searches that follow.

Unknown keys and invalid values change nothing: INFO has no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tengen.engine.levels import level_of_strength
from tengen.engine.limit import Limit
from tengen.engine.options import OPTIONS
from tengen.engine.protocol.syntax import parse_number
from tengen.game.rule import Rule

# What managers send as the time left where the match has no limit, in ms.
UNLIMITED = 2**31 - 1
# They send "no limit" as a large depth (99, 225) and number of nodes, too. No search that has less
# than a day for its move gets so far in anything but dead drawn positions, so that such a limit
# says nothing but which search is meant. (Alpha-beta itself ends at MAX_PLY, 512.)
_NO_DEPTH, _NO_NODES = 64, 10**9
_DAY = 86_400.0  # s
# Of the time for a move this much is kept back, in ms, for pipes and process switches: a share of
# it, within bounds.
_MARGIN_SHARE = 50
_MIN_MARGIN, _MAX_MARGIN = 20, 150
# Milliseconds per move for "as fast as possible" (timeout_turn 0).
_AT_ONCE = 10
# Bytes that the process takes beside the engine's tables (twice what was measured), the share of
# the rest that they may have, and how much of it is of use to them, in MiB.
_PROCESS = 64 << 20
_TABLES_SHARE = 0.75
_USEFUL_TABLES = 512
# MiB that a thread can fill in a game, per ms of a move; less than _MIN_TABLES is never useful.
# Memory that is not filled would only cost the time to get it from the system.
_FILLED_PER_MS = 0.7
_MIN_TABLES = 16
# MiB of the rest that are kept for the tables, however large the net is.
_MIN_BESIDE_NET = 16
# The number of renju in other engines' dialect of INFO rule.
_OTHER_RENJU = 2
# Max threads per core: more of them only cost the time to set them up.
_THREADS_PER_CORE = 4


@dataclass(frozen=True, slots=True)
class GomocupSettings:
    """The values of all keys, times in ms."""

    timeout_turn: int = 5000  # for a move; 0: as fast as possible
    timeout_match: int | None = None  # for the whole match; 0: no limit; None: not sent
    time_left: int | None = None  # of the match; None: not sent yet
    time_increment: int = 0  # that the match gains with each move
    max_memory: int = 0  # bytes for the whole process; 0: no limit
    hash_size: int = 0  # KiB for the tables; 0: not sent
    thread_num: int = 1  # 0: as many as there are cores
    max_depth: int = 0  # 0: no limit
    max_node: int = 0  # 0: no limit
    rule: Rule = Rule.FREESTYLE
    game_type: int = 0  # 0 against a person, 1 another engine, 2 and 3 a tournament
    pondering: int = 0  # whether to think while the opponent does
    show_detail: int = 1  # 0 no lines about the search, 1 some, 2 and more many
    strength: int = 100  # 0 to 100; 100: as well as it can
    evaluate: str = ""  # the point under the manager's cursor; no use is made of it
    folder: str = ""  # where files could be kept; none are

    def with_info(self, text: str) -> GomocupSettings:
        """The settings after `INFO text`."""
        name, *rest = text.split(maxsplit=1) or [""]
        read = KEYS.get(name.lower())
        value: Any = read(rest[0].strip() if rest else "") if read else None
        return self if value is None else replace(self, **{name.lower(): value})

    def without_time_left(self) -> GomocupSettings:
        """The settings at the start of a new game."""
        return replace(self, time_left=None)

    def limit(self, spent: int = 0) -> Limit:
        """The limit of the next search, after `spent` ms since the last `time_left`."""
        clock = self._clock(spent)
        turn = min(self.timeout_turn, UNLIMITED)
        time = (turn - _margin(turn) if turn else _AT_ONCE) / 1000
        is_timed = min(time, time if clock is None else clock) < _DAY
        return Limit(
            time=time,
            clock=clock,
            increment=0 if clock is None else min(self.time_increment, UNLIMITED) / 1000,
            depth=_real(self.max_depth, _NO_DEPTH if is_timed else None),
            nodes=_real(self.max_node, _NO_NODES if is_timed else None),
        )

    def _clock(self, spent: int) -> float | None:
        """Seconds left of the match; None if it has no limit. Less than none left is none."""
        left = self.timeout_match if self.time_left is None else self.time_left
        if self.timeout_match == 0 or left is None or left >= UNLIMITED:
            return None
        left = max(0, left - spent)
        return max(0, left - _margin(left)) / 1000

    @property
    def net_memory(self) -> int:
        """The option `net_memory`: MiB that a net may take, at least 1; 0: any number."""
        if not self.max_memory:
            return 0
        return _within("net_memory", max(1, (self._room >> 20) - _MIN_BESIDE_NET))

    @property
    def _room(self) -> int:
        """Bytes for tables and nets together, if there is a limit."""
        return max(0, self.max_memory - _PROCESS)

    def options(self, cores: int, memory: int, net: int = 0, machine: int = 0) -> dict[str, int]:
        """The options of the engine; `memory` is the default size of its tables, in
        MiB, `net` the bytes that its net takes, `machine` the MiB of the machine (0: unknown).
        """
        threads = _within("threads", min(self.thread_num or cores, _THREADS_PER_CORE * cores))
        wanted = self.hash_size >> 10 if self.hash_size else memory
        if machine:
            wanted = min(wanted, int(machine * _TABLES_SHARE))
        if self.max_memory:
            wanted = wanted if self.hash_size else max(wanted, _USEFUL_TABLES)
            wanted = min(wanted, int(max(0, self._room - net) * _TABLES_SHARE) >> 20)
        if not self.hash_size:
            filled = max(self.timeout_turn, _AT_ONCE) * threads * _FILLED_PER_MS
            wanted = min(wanted, max(_MIN_TABLES, int(filled)))
        level = level_of_strength(self.strength)
        return {"threads": threads, "memory": _within("memory", wanted), "level": level}


def _real(limit: int, none: int | None) -> int | None:
    """A limit of depth or nodes; 0, and from `none` on, it is no limit."""
    return limit if limit and (none is None or limit < none) else None


def _margin(time: int) -> int:
    """What is kept back of a time, in ms; always less than all of it, if it is more than 1."""
    wanted = min(_MAX_MARGIN, _MIN_MARGIN + time // _MARGIN_SHARE)
    return min(wanted, time // 2)


def _within(name: str, value: int) -> int:
    option = OPTIONS[name]
    return max(option.low, min(option.high, value))


def _at_least_0(text: str) -> int | None:
    """A whole number; None if it is negative or none."""
    number = parse_number(text)
    return number if number is not None and number >= 0 else None


def _not_below_0(text: str) -> int | None:
    """A whole number; negative ones are 0: the time is up, or (-1 of some managers) no limit."""
    number = parse_number(text)
    return None if number is None else max(0, number)


def _share(text: str) -> int | None:
    """A whole number from 0 to 100."""
    number = parse_number(text)
    return number if number is not None and 0 <= number <= 100 else None


def _switch(text: str) -> int | None:
    return {"0": 0, "false": 0, "1": 1, "true": 1}.get(text.lower())


def _rule(text: str) -> Rule | None:
    """The rule of a sum of 1 (exactly five), 2 (continuous game), 4 (renju) and 8 (caro).

    The manager handles continuous games: each part is played as any other game. Renju
    is renju with or without the 1. But a 2 alone is renju, as other engines and their managers have
    it: a forbidden move would lose the game, and a freestyle game loses little by avoiding them.
    """
    number = parse_number(text)
    if number is None:
        return None
    rules = {0: Rule.FREESTYLE, 1: Rule.STANDARD, 4: Rule.RENJU, 5: Rule.RENJU}
    rules |= {8: Rule.CARO6, 9: Rule.CARO}
    if number == _OTHER_RENJU:
        return Rule.RENJU
    return rules.get(number & ~2) if number >= 0 else None


# Keys of INFO, each with the function that reads its value (None: invalid).
KEYS: Mapping[str, Callable[[str], int | str | Rule | None]] = {
    "timeout_turn": _at_least_0,
    "timeout_match": _at_least_0,
    "time_left": _not_below_0,
    "time_increment": _not_below_0,
    "max_memory": _at_least_0,
    "hash_size": _at_least_0,
    "thread_num": _at_least_0,
    "max_depth": _not_below_0,
    "max_node": _not_below_0,
    "rule": _rule,
    "game_type": _at_least_0,
    "pondering": _switch,
    "show_detail": _at_least_0,
    "strength": _share,
    "evaluate": str,
    "folder": str,
}
