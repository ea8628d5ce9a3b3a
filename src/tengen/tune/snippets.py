# SPDX-License-Identifier: MIT
"""The values of a run in the languages that take them: TOML for a match of the arena that tests
them, C++ for the source of the search. Pure; relies on the state of a run.
"""

from __future__ import annotations

import json

from tengen.tune.state import State

__all__ = ["cpp_lines", "match_toml", "tunables_toml"]


def tunables_toml(state: State) -> str:
    """The table of a player."""
    entries = zip(state.plan.spsa.parameters, state.walk.values, strict=True)
    lines = (f"{parameter.name} = {value}" for parameter, value in entries)
    return "\n".join(["[players.tunables]", *lines]) + "\n"


def match_toml(state: State) -> str:
    """A match of the tuned player against the one that is built in, with an SPRT."""
    definition = state.plan.definition
    player = definition.players[0].to_dict()
    preset = f"preset = {json.dumps(player['preset'])}"
    options = ", ".join(f"{key} = {json.dumps(v)}" for key, v in player["options"].items())
    limit = ", ".join(f"{key} = {value}" for key, value in definition.limit.to_dict().items())
    return "\n".join(
        [
            f"rule = {json.dumps(str(definition.rule))}",
            f"size = {definition.size}",
            "pairs = 4000",
            f"limit = {{ {limit} }}",
            "sprt = { elo0 = 0, elo1 = 5 }",
            "",
            "[[players]]",
            'name = "tuned"',
            preset,
            f"options = {{ {options} }}",
            tunables_toml(state),
            "[[players]]",
            'name = "built-in"',
            preset,
            f"options = {{ {options} }}",
            "",
        ]
    )


def cpp_lines(state: State) -> str:
    """The declarations of the tuned numbers, each to be pasted over its old one."""
    entries = zip(state.plan.spsa.parameters, state.walk.values, strict=True)
    return "".join(
        f"TUNABLE({p.name}, {value}, {p.low}, {p.high}, {_step(p.step)},"
        f" {json.dumps(p.meaning, ensure_ascii=False)});\n"
        for p, value in entries
    )


def _step(step: float) -> int:
    return max(1, round(step))
