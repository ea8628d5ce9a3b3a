# SPDX-License-Identifier: MIT
"""What a run begins with: random weights, those of another net, or a net that has learned from data
sets first. Relies on training; the loop relies on it.

Data sets that do not ship, such as games of people, mark the run for ever: its nets carry
`ships = false`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tengen.data import BadData, Manifest
from tengen.game.rule import Rule
from tengen.nets.weights import NetWeights, read_weights
from tengen.train.config import DataConfig, TrainConfig
from tengen.train.config import RunConfig as TrainRun
from tengen.train.loop import train
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.folder import ZeroFolder
from tengen.zero.learner import check_weights
from tengen.zero.log import tell

__all__ = ["check_start", "first_weights", "held_for"]


def check_start(config: ZeroConfig) -> bool:
    """That what the run begins with is there and fits it; whether its nets may ship. Raises
    BadZero, BadData, BadWeights.
    """
    if config.start.net:
        found = [read_weights(path) for path in _files(config).values()]
        for weights in found:
            check_weights(config, weights)
        every = [weights.about for weights in found]
        told = every[0].get("rule"), every[0].get("size")
        if told[0] is not None and told != (config.rule, config.size):
            words = f"start.net is of {told[0]} on {told[1]} lines"
            tell(f"{words}, the run of {config.rule} on {config.size}: it has to learn that anew")
        return all(weights.redistributable for weights in found)
    ships = True
    for one in config.start.sets:
        ships = held_for(config, one.path, "start.sets").redistributable and ships
    return ships


def held_for(config: ZeroConfig, path: str, key: str) -> Manifest:
    """What a data set holds, if it is of the run's rule and size; `key` names it. Raises BadZero,
    BadData.
    """
    held = Manifest.load(Path(path))
    if (held.rule, held.size) != (Rule.parse(config.rule), config.size):
        words = f"{key}: {path} is of {held.rule} on {held.size} lines"
        raise BadZero(f"{words}, the run of {config.rule} on {config.size}")
    return held


def first_weights(
    config: ZeroConfig, folder: Path, device: str, stop: Callable[[], bool]
) -> dict[str, NetWeights] | None:
    """The weights to begin with, by player; empty: random ones; None: `stop` held before they were
    ready. Learning from data sets is a training of its own in `start/`, which goes on where it was.
    """
    if config.start.net:
        return {name: read_weights(path) for name, path in _files(config).items()}
    if not config.start.sets:
        return {}
    learn = config.learn
    recipe = TrainConfig(
        net=config.net,
        data=DataConfig(sets=config.start.sets),
        batch=learn.batch,
        steps=config.start.steps,
        seed=config.seed,
        precision=learn.precision,
        ema=learn.ema,
        optimiser=learn.optimiser,
        losses=learn.losses,
        run=TrainRun(tensorboard=False, validate_every=max(1, config.start.steps)),
    )
    try:
        done = train(recipe, folder / "start", device=device, resume=True, stop=stop)
    except BadData as error:
        raise BadZero(f"start.sets: {error}") from None
    if not done.is_done:
        return None
    return dict.fromkeys(config.players, read_weights(folder / "start" / "net.pt"))


def _files(config: ZeroConfig) -> dict[str, Path]:
    """The files of `start.net`, by player: one file for all, those of a training, or of the newest
    generation of a zero run.
    """
    path = Path(config.start.net)
    if ZeroFolder.has_run(path) and (path / "generations").is_dir():
        if not (every := ZeroFolder.read(path).generations()):
            raise BadZero(f"start.net: the run of {path} has no generation yet")
        path = every[-1].path
    if not path.is_dir():
        return dict.fromkeys(config.players, path)
    own = {name: path / f"{name}.pt" for name in config.players}
    shared = path / "net.pt"
    return {name: file if file.exists() else shared for name, file in own.items()}
