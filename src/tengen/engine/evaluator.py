# SPDX-License-Identifier: MIT
"""The evaluator of an engine: selects one by options, rule and board size, loads its nets in the
background, and installs it in the native core. Also selects the kind of search.

Selecting reads only the headers of files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tengen import _core
from tengen.engine import native_net, tables
from tengen.engine.errors import BadNet, BadTables
from tengen.engine.info import Evaluation
from tengen.engine.limit import Limit
from tengen.engine.net_file import NetHeader, read_header
from tengen.engine.net_layout import Architecture
from tengen.engine.nets import (
    BUNDLED,
    CODEBOOK_BYTES,
    NET_SUFFIX,
    bundled_nets,
    is_onnx,
    list_nets,
    net_path,
)
from tengen.engine.options import AUTO, SEARCHES, Value
from tengen.game.rule import Colour, Rule

if TYPE_CHECKING:
    from tengen.engine.onnx_net import OnnxLoader

ALPHABETA, MCTS = SEARCHES
CLASSICAL = "classical"  # value of the option `net`: play without a net
_RULES = list(Rule)
# Size letter by the widths of the features, the net that maps a line to them, policy and value.
_SIZES = {(32, 64, 16, 32): "s", (64, 128, 32, 64): "m", (128, 256, 64, 128): "l"}
# Monte-Carlo tree search is at least as strong as alpha-beta with a native (Mixnet) net, one
# thread, and at most this many seconds per move (docs/journal/nets.md).
_MCTS_SECONDS = 1.0
# Fraction of a move's time that a search waits for its net, if that is read from the cache, and if
# it is baked (its codebooks are computed, docs/cache.md), which takes seconds. The wait checks for
# a stop every _POLL seconds.
_READ_FRACTION, _BAKE_FRACTION = 2 / 3, 1 / 3
_POLL = 0.01

EvaluatorKind: TypeAlias = Literal["classical", "mixnet", "onnx", "point_score", "none"]

# Evaluations of the presets that ignore the option `net`, and of `policy` without a net.
_PRESET_EVALUATORS: dict[str, tuple[EvaluatorKind, Evaluation]] = {
    "classical": ("classical", Evaluation("classical")),
    "classical-paper": ("point_score", Evaluation("point scores", "fixed-depth baseline")),
    "policy": ("classical", Evaluation("classical", "policy without search")),
    "random": ("none", Evaluation("none", "random moves")),
}


@dataclass(frozen=True, slots=True)
class EvaluatorChoice:
    """The evaluator for one rule and board size, and the files to load for it."""

    evaluation: Evaluation
    kind: EvaluatorKind
    rule: Rule
    size: int
    paths: tuple[Path, ...] = ()  # the nets for black and for white to move
    is_default: bool = False  # a bundled net: the user named none

    @property
    def name(self) -> str:
        """The name of the net or nets."""
        return " and ".join(dict.fromkeys(path.stem for path in self.paths))

    def classical(self, reason: str) -> EvaluatorChoice:
        """The classical evaluation for the same rule and size."""
        return EvaluatorChoice(Evaluation("classical", reason), "classical", self.rule, self.size)


def choose_evaluator(
    options: Mapping[str, Value], rule: Rule, size: int, folder: Path = BUNDLED
) -> EvaluatorChoice:
    """The evaluator of an engine with these options. Raises BadNet if a net that the user named
    does not support the rule and size; such a default net is not chosen.
    """
    preset, net = str(options["preset"]), str(options["net"])
    if preset != "alphabeta" and not (preset == "policy" and net):
        kind, evaluation = _PRESET_EVALUATORS[preset]
        return EvaluatorChoice(evaluation, kind, rule, size)
    if net == CLASSICAL:
        evaluation = Evaluation("classical", "as requested")
        return EvaluatorChoice(evaluation, "classical", rule, size)
    if net:
        path = net_path(net, folder)
        paths = bundled_nets(rule, size, path) if path.is_dir() else (path, path)
        if paths is None:
            raise BadNet(f"its registry has no net for {rule} on {size}x{size}", str(path))
    else:
        paths = bundled_nets(rule, size, folder)
        if paths is None:
            evaluation = Evaluation("classical", f"no bundled net for {rule} {size}x{size}")
            return EvaluatorChoice(evaluation, "classical", rule, size)
    if any(map(is_onnx, paths)):
        return _onnx(paths, rule, size)
    choice = _mixnet(paths, rule, size, is_default=not net)
    memory = int(options["net_memory"]) << 20
    if memory and choice.evaluation.bytes > memory:
        return _smaller(choice, memory, folder)
    return choice


def _mixnet(
    paths: tuple[Path, Path], rule: Rule, size: int, *, is_default: bool
) -> EvaluatorChoice:
    headers = {  # each net once
        path: _checked_header(path, rule, size, colour)
        for path, colour in zip(paths, Colour, strict=True)
    }
    names = dict.fromkeys(_family(header.architecture) for header in headers.values())
    size_bytes = sum(CODEBOOK_BYTES * h.architecture.channels for h in headers.values())
    description = _description(*(path.stem for path in paths))
    evaluation = Evaluation(" and ".join(names), description, size_bytes)
    return EvaluatorChoice(evaluation, "mixnet", rule, size, paths, is_default)


def _onnx(paths: tuple[Path, Path], rule: Rule, size: int) -> EvaluatorChoice:
    """Nets outside the core; their support of rule and size is checked when they are loaded."""
    if not all(map(is_onnx, paths)):
        files = " and ".join(path.name for path in paths)
        raise BadNet(f"{files} have two formats: use two .net or two .onnx files", str(paths[0]))
    evaluation = Evaluation("onnx", _description(*(path.name for path in paths)))
    return EvaluatorChoice(evaluation, "onnx", rule, size, paths)


def _description(black: str, white: str) -> str:
    return f"net {black}" if black == white else f"nets {black} for black, {white} for white"


def _checked_header(path: Path, rule: Rule, size: int, colour: Colour) -> NetHeader:
    try:
        header = read_header(path)
    except OSError as error:
        raise BadNet.unreadable(path, error) from None
    try:
        if rule not in header.rules or size not in header.sizes:
            header.check_supports(rule, size)
        header.check_supports(rule, size, colour)
    except BadNet as error:
        raise BadNet(error.reason, str(path)) from None
    return header


def _family(architecture: Architecture) -> str:
    """`mixnet-s`, `-m`, `-l`, or `mixnet` for other sizes."""
    widths = (
        architecture.channels, architecture.mapping, architecture.policy, architecture.value
    )  # fmt: skip
    return f"mixnet-{_SIZES[widths]}" if widths in _SIZES else "mixnet"


def _smaller(choice: EvaluatorChoice, memory: int, folder: Path) -> EvaluatorChoice:
    """The largest bundled net that fits into the memory, or the classical evaluation."""
    needed = -(-choice.evaluation.bytes >> 20)
    reason = f"{choice.name}: {needed} MiB of memory needed, {memory >> 20} allowed"
    try:
        nets = list_nets(folder)
    except OSError as error:
        raise BadNet.unreadable(folder, error) from None
    fitting = [
        _mixnet((net.path, net.path), choice.rule, choice.size, is_default=True)
        for net in nets
        if net.path.suffix == NET_SUFFIX
        and net.header.supports(choice.rule, choice.size)
        and net.baked_bytes <= memory
    ]
    if not fitting:
        return choice.classical(reason)
    best = max(fitting, key=lambda one: one.evaluation.bytes)
    description = f"{best.evaluation.about}; {reason}"
    return replace(best, evaluation=replace(best.evaluation, about=description))


def choose_search(options: Mapping[str, Value], choice: EvaluatorChoice, limit: Limit) -> str:
    """The kind of search for a move: the option `search`, or for `auto` the stronger one. With a
    limit of nodes or depth that is alpha-beta, as nodes and depth mean something else in MCTS.
    """
    if options["search"] != AUTO:
        return str(options["search"])
    time = limit.for_move
    is_quick = time is not None and time <= _MCTS_SECONDS
    has_node_or_depth_limit = limit.nodes is not None or limit.depth is not None
    if choice.kind != "mixnet" or not is_quick or has_node_or_depth_limit:
        return ALPHABETA
    return MCTS if options["threads"] == 1 else ALPHABETA


def uses_mcts(options: Mapping[str, Value]) -> bool:
    """Whether these options select Monte-Carlo tree search for every limit."""
    return options["search"] == MCTS and options["preset"] in ("alphabeta", "classical")


class PendingEvaluator:
    """A future of a selected evaluator, whose nets load in the background. Raises BadNet."""

    def __init__(self, choice: EvaluatorChoice) -> None:
        self.choice = choice
        self._loaders: list[native_net.NetLoader | OnnxLoader]
        if choice.kind == "onnx":
            from tengen.engine.onnx_net import load_onnx

            try:
                self._loaders = [load_onnx(path) for path in choice.paths]
            except OSError as error:
                raise BadNet.unreadable(choice.paths[0], error) from None
        else:
            self._loaders = [native_net.load_net(path) for path in choice.paths]

    @property
    def is_ready(self) -> bool:
        """Whether `nets` returns, or raises, at once."""
        return all(loader.is_ready for loader in self._loaders)

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds` (None: no limit); whether it is ready."""
        end = None if seconds is None else monotonic() + seconds
        for loader in self._loaders:
            try:
                loader.wait(None if end is None else max(0.0, end - monotonic()))
            except (BadNet, OSError):  # `nets` raises it
                continue
        return self.is_ready

    def wait_for_move(self, time: float | None, is_stopped: Callable[[], bool]) -> None:
        """Wait for the nets, at most a fraction of `time` seconds: the search needs the
        rest. Returns early if the search is stopped. `time=None`: no limit.
        """
        start, left = monotonic(), _POLL
        while left > 0 and not is_stopped():
            if time is not None:
                is_baking = any(
                    not loader.is_ready and loader.progress > 0 for loader in self._loaders
                )
                fraction = _BAKE_FRACTION if is_baking else _READ_FRACTION
                left = min(_POLL, start + time * fraction - monotonic())
            if self.wait(max(0.0, left)):
                return

    def nets(self) -> list[Any]:
        """The nets. Waits for them. Raises BadNet."""
        try:
            nets = [loader.wait() for loader in self._loaders]
        except OSError as error:
            raise BadNet.unreadable(self.choice.paths[0], error) from None
        if None in nets:
            raise BadNet("the net could not be loaded", str(self.choice.paths[0]))
        return nets


class EvaluatorLoader:
    """Loads evaluators and installs them in the core of one engine. `request` may be called at any
    time, the other methods while no search runs.
    """

    def __init__(self, core: _core.Engine) -> None:
        self._core = core
        self._rules_with_tables: set[Rule] = set()  # whose classical tables the core has
        self._pending: PendingEvaluator | None = None
        self._installed: PendingEvaluator | None = None  # whose nets the core has; None: no nets
        self._failed: dict[EvaluatorChoice, EvaluatorChoice] = {}  # and the choice that replaces it

    def choose(self, options: Mapping[str, Value], rule: Rule, size: int) -> EvaluatorChoice:
        """The evaluator for this rule and size. Raises BadNet."""
        choice = choose_evaluator(options, rule, size)
        return self._failed.get(choice, choice)

    def request(self, options: Mapping[str, Value], rule: Rule, size: int) -> PendingEvaluator:
        """Choose the evaluator for this rule and size, and start loading it. Raises BadNet."""
        choice = self.choose(options, rule, size)
        if self._pending is None or self._pending.choice != choice:
            self._pending = PendingEvaluator(choice)
        return self._pending

    def install(self, pending: PendingEvaluator) -> EvaluatorChoice:
        """Install an evaluator in the core and return what was installed: the classical evaluation
        if the nets are not ready, or if a default net cannot be loaded. Raises BadNet, BadTables.
        """
        choice = pending.choice
        if not pending.is_ready:
            return self._install_classical(choice.classical(f"{choice.name} is still loading"))
        if choice.kind in ("classical", "point_score", "none"):
            return self._install_classical(choice)
        self._load_classical_tables(choice.rule)
        if pending is self._installed:
            return choice
        try:
            self._install_nets(pending)
        except (BadNet, BadTables) as error:
            self._pending = None  # the file may have changed at the next request
            self._core.set_classical()  # the core may have the nets without their lazy tables
            self._installed = None
            if not choice.is_default:
                raise
            why = error.reason if isinstance(error, BadNet) else str(error)
            self._failed[choice] = choice.classical(f"{choice.name} cannot be loaded: {why}")
            return self._failed[choice]
        self._installed = pending
        return choice

    def retry_failed(self) -> None:
        """Try default nets that could not be loaded again at the next request."""
        self._failed.clear()

    def _install_classical(self, choice: EvaluatorChoice) -> EvaluatorChoice:
        if choice.kind == "classical":
            self._load_classical_tables(choice.rule)
            if self._installed is not None:
                self._core.set_classical()
                self._installed = None
        return choice

    def _load_classical_tables(self, rule: Rule) -> None:
        """Load the classical tables of a rule; nets need them too, for the lazy evaluation. Raises
        BadTables.
        """
        if rule in self._rules_with_tables:
            return
        data = tables.read_classical_tables(rule)
        try:
            self._core.load_tables(_RULES.index(rule), data)
        except ValueError as error:
            raise BadTables(f"{tables.classical_tables_name(rule)}: {error}") from None
        self._rules_with_tables.add(rule)

    def _install_nets(self, pending: PendingEvaluator) -> None:
        choice, nets = pending.choice, pending.nets()
        if choice.kind == "onnx":
            black, white = nets
            for net in dict.fromkeys(nets):
                net.check_supports(choice.rule, choice.size)
            sizes = sum(1 << size for size in {*black.sizes} & {*white.sizes})
            own = None if white is black else white.evaluate
            self._core.set_callback(black.evaluate, sizes, own)
            return
        self._core.set_nets(*nets)
        if data := tables.read_lazy_tables(choice.paths[0], choice.rule):
            try:
                self._core.load_lazy_tables(_RULES.index(choice.rule), data)
            except ValueError as error:
                path = tables.lazy_tables_path(choice.paths[0])
                raise BadTables(f"{path}: {error}") from None
