# SPDX-License-Identifier: MIT
"""Matches and round robins of nets, each two at equal playouts from the same openings. Results are
stored as those of the arena (docs/formats/arena.md), so its standings, ratings and reports apply:

    players = find_players(("runs/a", "runs/b", "runs/c"), config)
    folder = play_net_tournament(players, config, device, Path("results/nets"))
    standings(folder.definition, folder.games).ratings.elo

A kill loses the pairings in progress: their games are stored when all of a pairing are finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from tengen.arena import Definition, MatchFolder, Player, TimeControl
from tengen.arena.definition import opponents, total_games
from tengen.arena.game import MatchGame
from tengen.arena.make_openings import Opening
from tengen.arena.openings import bundled_openings
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule
from tengen.util.files import locked
from tengen.zero.errors import BadZero
from tengen.zero.gate.fixed_opponents import ArenaProgress
from tengen.zero.gate.net_match import BothGames, NetMatchConfig, choose_openings, play_pairings
from tengen.zero.gate.net_players import NetPlayer, find_player
from tengen.zero.play.selfplay import PlayedGame

# In progress at once on a GPU. On the CPU it is one pairing: larger batches gain little there, and
# results depend on the composition of a batch in the last digits.
_GAMES = 8192
_MAX_NAME = 60  # letters of a player's name in the arena
_CHECKSUM = "weights"  # option of a player: the checksum of its nets


def play_net_tournament(
    players: Sequence[NetPlayer],
    config: NetMatchConfig,
    device: torch.device,
    path: Path,
    *,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    progress: ArenaProgress | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> MatchFolder:
    """Play every two of the players that have not met in the folder, until `stop`. On the CPU
    results depend on the players and the config alone. `resume`: the folder may have this run
    already. Raises BadZero, BadRun, FolderLocked, TrainingFailed, OSError.
    """
    if len(players) < 2:
        raise BadZero("a match needs two nets or more")
    openings = choose_openings(config)
    definition = _definition(players, config, len(openings))
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        folder = _open_folder(path, definition, openings, resume)
        if (wanted := -(-config.games // 2)) > (number := len(openings)):
            few = f"there are {number} openings for {config.game}"
            report(f"{few}: {2 * number} of {2 * wanted} games")
        total = total_games(definition)
        shown = progress(definition, total, folder.games) if progress else nullcontext()
        with folder.open_event_log(), shown as view:
            for _ in _play(folder, players, config, device, stop):
                if view is not None:
                    view.update(folder.games)
    return folder


def _play(
    folder: MatchFolder,
    players: Sequence[NetPlayer],
    config: NetMatchConfig,
    device: torch.device,
    stop: Callable[[], bool],
) -> Iterator[None]:
    """Plays and stores the missing games; yields after each pairing. Only the nets of the pairings
    in progress are in memory.
    """
    size, meetings = config.size, opponents(folder.definition)
    openings = [tuple(Move.parse(name, size) for name in names) for names in folder.openings]
    known = {game.number for game in folder.games}
    missing = [
        (pairing, numbers)
        for place, pairing in enumerate(meetings)
        if not known.issuperset(numbers := _numbers(place, len(meetings), len(openings)))
    ]
    loaded: dict[int, nn.Module] = {}
    at_once = max(1, _GAMES // (2 * len(openings))) if device.type == "cuda" and openings else 1
    for first in range(0, len(missing), at_once):
        if stop():
            return
        some = missing[first : first + at_once]
        wanted = sorted({player for pairing, _ in some for player in pairing})
        for player in loaded.keys() - wanted:
            del loaded[player]
        loaded = {one: loaded[one] if one in loaded else players[one].load() for one in wanted}
        places = [(wanted.index(a), wanted.index(b)) for (a, b), _ in some]
        for place, both in play_pairings(
            config, openings, [*loaded.values()], places, device, stop=stop
        ):
            pairing, numbers = some[place]
            for game in _match_games(both, numbers, pairing, size):
                if (
                    game.number not in known
                ):  # known: a kill interrupted the storing of this pairing
                    folder.add(game)
            yield


def _numbers(place: int, meetings: int, openings: int) -> list[int]:
    """The numbers of the games of a pairing in the schedule of the arena."""
    pairs = range(place, place + meetings * openings, meetings)
    return [number for pair in pairs for number in (2 * pair, 2 * pair + 1)]


def _match_games(
    games: BothGames, numbers: Sequence[int], players: tuple[int, int], size: int
) -> Iterator[MatchGame]:
    """The games of a pairing, by number."""
    played = [game for pair in zip(*games, strict=True) for game in pair]
    for n, (number, game) in enumerate(zip(numbers, played, strict=True)):
        black, white = players if n % 2 == 0 else players[::-1]
        yield MatchGame(
            number=number,
            pair=number // 2,
            black=black,
            white=white,
            opening=n // 2,
            opening_moves=game.opening,
            moves=tuple(Move.from_index(point, size).name for point in game.moves),
            winner=Colour(game.winner) if game.winner else None,
            reason=_reason(game, size),
        )


def _reason(game: PlayedGame, size: int) -> str:
    if game.ending == "draw":
        return "full_board" if len(game.moves) == size * size else "no_legal_move"
    return "five" if game.ending == "five" else "proven_win"


# --- the folder ---


def _definition(players: Sequence[NetPlayer], config: NetMatchConfig, openings: int) -> Definition:
    """Raises BadArena."""
    options = {"playouts": config.playouts, **config.search}
    bundled = bundled_openings(Rule.parse(config.rule), config.size)
    return Definition(
        players=tuple(
            Player(
                player.name[-_MAX_NAME:],
                net=player.source,
                options={**options, _CHECKSUM: player.checksum},
            )
            for player in players
        ),
        kind="match" if len(players) == 2 else "round-robin",
        rule=Rule.parse(config.rule),
        size=config.size,
        pairs=openings,
        limit=TimeControl(nodes=max(1, config.playouts)),
        openings="balanced" if bundled else "random",
        seed=config.seed,
        adjudicate="always" if config.playouts else "never",
        event="" if len(players) == 2 else f"round robin of {len(players)} nets",
    )


def stored_players(definition: Definition) -> tuple[NetMatchConfig, list[NetPlayer]]:
    """The config and the players of a stored run. Raises BadZero, and as `find_player`."""
    options = dict(definition.players[0].options)
    if not all(player.net for player in definition.players) or "playouts" not in options:
        raise BadZero("this is not a run of `tengen net match`")
    options.pop(_CHECKSUM, None)
    config = NetMatchConfig(
        rule=str(definition.rule),
        size=definition.size,
        games=2 * definition.pairs,
        playouts=options.pop("playouts"),
        seed=definition.seed,
        search=options,
    )
    found = [find_player(player.net, config) for player in definition.players]
    names = [player.name for player in definition.players]
    return config, [replace(p, name=name) for p, name in zip(found, names, strict=True)]


def _open_folder(
    path: Path, definition: Definition, openings: Sequence[Opening], resume: bool
) -> MatchFolder:
    """A new run, or the same one again. Raises BadRun, BadZero."""
    if not resume or not MatchFolder.has_run(path):
        names = [tuple(move.name for move in opening) for opening in openings]
        return MatchFolder.create(path, definition, names)
    folder = MatchFolder.read(path)
    for old, new in zip(folder.definition.players, definition.players, strict=False):
        if old.net == new.net and old.options.get(_CHECKSUM) != new.options[_CHECKSUM]:
            raise BadZero(f"{new.net} has changed since the run of {path} started")
    if others := folder.definition.differences(definition):
        differing = ", ".join(others)
        raise BadZero(f"the run of {path} has other values of {differing}: use another folder")
    return folder
