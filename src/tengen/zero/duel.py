# SPDX-License-Identifier: MIT
"""Matches between nets on the accelerator with the search of self-play: all games at once, the same
number of playouts for both, each opening twice with colours swapped. Relies on self-play and on the
gate's kinds of matches; the gate, the ladder and the command line rely on it.

Between the quick matches of `match`, which look one ply deep, and the arena, which plays the engine
itself: hundreds of games at 64 playouts take seconds on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tengen.arena.elo import pair_counts
from tengen.arena.make_openings import Opening
from tengen.game.rule import Rule
from tengen.nets.weights import NetWeights, read_weights
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.gate import Match, MatchMaker, Verdict, hold_match
from tengen.zero.match import openings_for_pairs
from tengen.zero.results import keep_results, result_row
from tengen.zero.selfplay import PlayedGame, SelfPlay, SelfPlaySettings
from tengen.zero.versus import BothColours

__all__ = ["gate_match", "hold_duel", "is_net", "play_duel", "play_net"]


def gate_match(config: ZeroConfig, device: torch.device) -> Match:
    """Matches as a run's config wants them: the default `MatchMaker`."""
    made = hold_duel(config.gate.playouts) if config.gate.playouts else hold_match
    return made(config, device)


def hold_duel(playouts: int) -> MatchMaker:
    """Matches with so many playouts a move, as `gate.hold_match` makes those without a search."""

    def make(config: ZeroConfig, device: torch.device) -> Match:
        def play(
            first: Sequence[NetWeights],
            second: Sequence[NetWeights],
            games: int,
            seed: int,
            stop: Callable[[], bool],
        ) -> Verdict | None:
            openings = _distinct(Rule.parse(config.rule), config.size, -(-games // 2), seed)
            nets = (_one(first), _one(second))
            settings = _settings(config, playouts, len(openings), seed)
            return play_duel(settings, nets, openings, device, stop)

        return play

    return make


def play_duel(
    settings: SelfPlaySettings,
    nets: tuple[nn.Module, nn.Module],
    openings: Sequence[Opening],
    device: torch.device,
    stop: Callable[[], bool] = lambda: False,
) -> Verdict | None:
    """Each opening twice; how it went for the first net. None if it was stopped.

    Both orders of colours are played in turns: the games of one are advanced while the net answers
    those of the other. Each keeps its own order of batches, so results do not depend on the clock.
    """
    given = [[move.to_index(settings.size) for move in opening] for opening in openings]
    with (
        SelfPlay(settings, str(device), by_mover=True) as as_black,
        SelfPlay(settings, str(device), by_mover=True) as as_white,
    ):
        as_black.use(*nets)
        as_white.use(*nets[::-1])
        under_way = [as_black, as_white]
        for playing in under_way:
            playing.lay_out(given)
        while under_way:
            if stop():
                return None
            under_way = [playing for playing in under_way if playing.go_on()]
        sides = zip(as_black.laid_out_games(), as_white.laid_out_games(), strict=True)
        return Verdict(pair_counts([(_points(one, 1), _points(other, 2)) for one, other in sides]))


def is_net(against: str) -> bool:
    """Whether this names nets, not a player of the arena."""
    return against.endswith(".pt") or ZeroFolder.has_run(Path(against))


def play_net(
    folder: ZeroFolder,
    chosen: Sequence[Generation],
    against: Path,
    playouts: int,
    device: torch.device,
    *,
    games: int,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda words: None,
) -> list[dict[str, Any]]:
    """Let generations play a net at equal playouts: a file of weights, or the newest generation of
    a zero run. The rows name it as it was given, are kept in the run's folder,
    and all of them are returned. Raises BadWeights, BadTraining, BadZero.
    """
    config, rows = folder.config, []
    other, name, about = _read(against)
    told = about.get("rule"), about.get("size")
    if told[0] is not None and told != (config.rule, config.size):
        words = f"{name} is of {told[0]} on {told[1]} lines"
        progress(f"{words}, the run of {config.rule} on {config.size}: it plays that all the same")
    openings = _distinct(Rule.parse(config.rule), config.size, -(-games // 2), config.seed)
    settings = _settings(config, playouts, len(openings), config.seed)
    for generation in chosen:
        if stop():
            break
        nets = (_one(generation.nets(config.players)), other)
        verdict = play_duel(settings, nets, openings, device, stop)
        if verdict is None:
            break
        rows.append(result_row(generation, name, f"{playouts} playouts", verdict))
        words = f"generation {generation.number} against {name}"
        progress(f"{words}: {verdict.share:.1%} of {verdict.games} games")
    return keep_results(folder, rows)


def _read(path: Path) -> tuple[nn.Module, str, Mapping[str, Any]]:
    """A net, its name, and what is known of it."""
    if path.is_dir():
        run = ZeroFolder.read(path)
        if not (every := run.generations()):
            raise BadZero(f"{path} has no generation yet")
        nets = every[-1].nets(run.config.players)
        return _one(nets), f"{path}, generation {every[-1].number}", every[-1].about
    weights = read_weights(path)
    return _one([weights]), str(path), weights.about


def _points(game: PlayedGame, colour: int) -> float:
    return 0.5 if game.winner == 0 else float(game.winner == colour)


def _settings(config: ZeroConfig, playouts: int, games: int, seed: int) -> SelfPlaySettings:
    """Both search every move in full, and play the best one that they find."""
    threads = int(config.selfplay.get("threads", 0))
    return SelfPlaySettings(
        rule=config.rule,
        size=config.size,
        games=games,
        groups=1,  # few, large batches: while they are answered the other order is advanced
        threads=threads,
        seed=seed,
        playouts=playouts,
        full_share=1.0,
        temperature=0.0,
        late_temperature=0.0,
        won_share=0.0,
        faced_share=0.0,
        reuse=False,
        # Batches shrink as games end: recording each length costs more than it saves, and nobody
        # else of the process may use the device meanwhile.
        graphs=False,
    )


def _distinct(rule: Rule, size: int, pairs: int, seed: int) -> list[Opening]:
    """Openings, each once: fewer than asked for where there are no more."""
    found = openings_for_pairs(rule, size, pairs, seed)
    return list(dict.fromkeys(found))


def _one(nets: Sequence[NetWeights]) -> nn.Module:
    """A player's nets as one. Both are asked about every leaf: batches are so small that half of
    one takes as long, and to divide it by colours the device would have to be waited for.
    """
    made = [net.make() for net in nets]
    return made[0] if len(made) == 1 else BothColours(*made)
