# SPDX-License-Identifier: MIT
"""What self-play is told: `SelfPlaySettings`, the table `[selfplay]` of a config. Every key has its
sentence here. Relies on the tables of training; `selfplay` relies on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen import _core
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.train.errors import BadTraining
from tengen.train.tables import choice, in_range, key

__all__ = ["SelfPlaySettings"]

_ROOTS = ("gumbel", "puct")
_MOST_PLAYOUTS = 10_000
_MOST_GAMES = 1_000_000
# Fields that the native core does not know.
_OURS = ("rule", "root", "result_share", "compile", "graphs")


@dataclass(frozen=True, slots=True)
class SelfPlaySettings:
    """How games are played and what becomes a row. docs/selfplay.md tells more."""

    rule: str = key("freestyle", "rule of the games: freestyle, standard, renju, caro or caro6")
    size: int = key(15, "lines of the board, 5 to 22")
    games: int = key(6144, "games at once, all groups together")
    groups: int = key(3, "parts of the games; one is advanced while the others' leaves are judged")
    threads: int = key(0, "threads that advance games; 0: one for each core")
    seed: int = key(1, "of all random choices; the same seed and nets give the same games")
    playouts: int = key(64, "playouts of a full search, whose position becomes a row")
    small_playouts: int = key(16, "playouts of the other searches, which only find a move")
    full_share: float = key(0.5, "share of the moves that have a full search")
    root: str = key("gumbel", "`gumbel`: sequential halving; `puct`: PUCT with Dirichlet's noise")
    considered: int = key(16, "moves that a Gumbel root gives playouts to")
    gumbel_visits: float = key(50.0, "visits that values count for before there are any")
    gumbel_scale: float = key(1.0, "logits that a won game is worth for each of those visits")
    c: float = key(1.0, "factor of PUCT")
    fpu: float = key(0.1, "what PUCT takes off the value of moves that were not tried")
    noise_total: float = key(10.0, "sum of the parameters of Dirichlet's distribution")
    noise_share: float = key(0.25, "share of that noise in the prior of a PUCT root")
    temperature: float = key(1.0, "of early moves: scale of Gumbel noise, or of PUCT's visits")
    late_temperature: float = key(0.25, "the same of the moves after those")
    early_moves: int = key(14, "stones on the board at which moves are late")
    move_limit: int = key(0, "moves after which a game is drawn, the opening's counted; 0: none")
    leaf_vcf: int = key(32, "plays of VCF at a leaf, before the net is asked")
    root_vcf: int = key(1000, "plays of VCF before a move is searched for")
    cut_off: bool = key(True, "end a game when a solver or a search has proved who wins")
    won_share: float = key(0.3, "share of the positions won by the solver that become rows")
    faced_share: float = key(0.05, "share of the positions with a forced reply that become rows")
    opening_least: int = key(2, "fewest stones of an opening")
    opening_most: int = key(7, "most stones of an opening")
    opening_tries: int = key(4, "openings drawn, of which the net's most balanced one is played")
    opening_noise: float = key(0.15, "most that is added at random to how unbalanced one looks")
    policy_moves: int = key(16, "moves of a row's policy, the likeliest ones")
    symmetries: bool = key(True, "show each leaf to the net under a random symmetry")
    reuse: bool = key(True, "keep what the net said from one move of a game to the next")
    result_share: float = key(0.65, "share of the game's result in a row's value; the root's: rest")
    compile: bool = key(False, "run nets through torch.compile on a GPU: a minute slower to start")
    graphs: bool = key(
        True, "record the work of a batch as a CUDA graph, so that starting it is quick"
    )

    def __post_init__(self) -> None:
        choice("rule", self.rule, [rule.value for rule in Rule])
        choice("root", self.root, _ROOTS)
        for name, (low, high) in _RANGES.items():
            in_range(name, getattr(self, name), low, high)
        if self.games < self.groups:
            raise BadTraining(f"{self.games} games make no {self.groups} groups: use more games")
        if self.opening_most < self.opening_least:
            words = f"opening_most is {self.opening_most}, but opening_least {self.opening_least}"
            raise BadTraining(f"{words}: use {self.opening_least} or more")
        if self.opening_most > self.size * self.size // 2:
            half = self.size * self.size // 2
            raise BadTraining(f"opening_most is {self.opening_most}: use {half} or fewer here")
        if 0 < self.move_limit <= self.opening_most:
            words = f"move_limit is {self.move_limit}, within openings of {self.opening_most}"
            raise BadTraining(f"{words}: use 0 (none) or more than that")

    def native(self, by_mover: bool = False) -> _core.SelfPlaySettings:
        """As the native core takes them."""
        told = _core.SelfPlaySettings()
        for name in self.__dataclass_fields__:
            if name not in _OURS:
                setattr(told, name, getattr(self, name))
        told.rule = list(Rule).index(Rule(self.rule))
        told.gumbel = self.root == "gumbel"
        told.by_colour, told.by_mover = not by_mover, by_mover
        return told


_SHARE = (0.0, 1.0)
_RANGES: dict[str, tuple[float, float]] = {
    "size": (MIN_SIZE, MAX_SIZE),
    "games": (1, _MOST_GAMES),
    "groups": (1, 64),
    "threads": (0, 256),
    "seed": (0, 2**63),
    "playouts": (1, _MOST_PLAYOUTS),
    "small_playouts": (1, _MOST_PLAYOUTS),
    "full_share": (0.001, 1.0),
    "considered": (1, MAX_SIZE * MAX_SIZE),
    "gumbel_visits": (0.0, 1e6),
    "gumbel_scale": (0.0, 1e3),
    "c": (0.0, 100.0),
    "fpu": (0.0, 2.0),
    "noise_total": (0.01, 1e4),
    "noise_share": _SHARE,
    "temperature": (0.0, 100.0),
    "late_temperature": (0.0, 100.0),
    "early_moves": (0, MAX_SIZE * MAX_SIZE),
    "move_limit": (0, MAX_SIZE * MAX_SIZE),
    "leaf_vcf": (0, 1_000_000),
    "root_vcf": (0, 1_000_000),
    "won_share": _SHARE,
    "faced_share": _SHARE,
    "opening_least": (0, MAX_SIZE * MAX_SIZE),
    "opening_most": (0, MAX_SIZE * MAX_SIZE),
    "opening_tries": (1, 1000),
    "opening_noise": (0.0, 2.0),
    "policy_moves": (1, 64),
    "result_share": _SHARE,
}
