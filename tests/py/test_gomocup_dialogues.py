# SPDX-License-Identifier: MIT
"""The dialogues of tests/dialogues, run with a session, and some of them through pipes."""

from __future__ import annotations

import pytest

from gomocup_dialogues import Actor, Dialogue, all_dialogues

DIALOGUES = all_dialogues()


def test_there_are_many_dialogues() -> None:
    assert len(DIALOGUES) >= 200
    names = [f"{d.file} {d.title}" for d in DIALOGUES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=str)
def test_dialogue(dialogue: Dialogue) -> None:
    Actor().act(dialogue)


@pytest.mark.parametrize(
    "lines",
    [
        [(">", "START 15")],
        [(">", "START 15"), ("<", "ERROR no")],
        [(">", "START 15"), ("<", "OK"), ("<", "OK")],
        [(">", "START 15"), ("<", "OK"), (">", "TURN 7,7"), ("<", "7,7")],
        [(">", "START 15"), ("<", "{move}")],
        [(">", "START 15"), ("<", "OK"), ("?", "board renju 0 black")],
        [(">", "START 15"), ("<", "OK"), (">", "BEGIN"), ("<", "{move}"), ("?", "limit time=5")],
        [(">", "END"), ("?", "quit no")],
    ],
)
def test_a_dialogue_can_fail(lines: list[tuple[str, str]]) -> None:
    with pytest.raises(AssertionError):
        Actor().act(Dialogue("here", 1, "made up", False, tuple(lines)))
