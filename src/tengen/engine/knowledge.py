# SPDX-License-Identifier: MIT
"""What the core of an engine evaluates with: tables and nets, loaded in the background and handed
over when they change.

Relies on `evaluation` for the choice, on `native_net` and `onnx_net` for the loading; the engine
relies on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from tengen.engine import (
    native_net,  # before the engine: what it does at the end of the program comes after that
    tables,
)
from tengen.engine.errors import BadNet, BadTables
from tengen.engine.evaluation import Choice, choose
from tengen.engine.guesses import guess_path, read_guesses
from tengen.engine.info import Evaluation
from tengen.engine.native import Core
from tengen.engine.options import Value
from tengen.game.rule import Rule

if TYPE_CHECKING:
    from tengen.engine.onnx_net import OnnxNet

__all__ = ["Knowledge", "Wanted"]

_RULES = list(Rule)
# Of the time for a move, what a search waits for a net that is read from the cache, and for one
# that is baked, which takes seconds; and how long it waits at once, in seconds, before it looks
# whether it is stopped.
_READ_SHARE, _BAKED_SHARE = 2 / 3, 1 / 3
_GLANCE = 0.01


class _Load(Protocol):
    """A file on its way: NetLoad or OnnxLoad."""

    @property
    def is_ready(self) -> bool: ...
    @property
    def progress(self) -> float: ...
    def wait(self, seconds: float | None = None) -> Any: ...


class Wanted:
    """An evaluation that is wanted, and its nets on their way. Raises BadNet."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        try:
            self._loads = [_load(choice, place) for place in range(len(choice.paths))]
        except OSError as error:
            raise _unreadable(choice, error) from None

    @property
    def is_ready(self) -> bool:
        """Whether it can be had, or is known to fail, at once."""
        return all(load.is_ready for load in self._loads)

    @property
    def is_baking(self) -> bool:
        """Whether a net of it is made, and not just read."""
        return any(not load.is_ready and load.progress > 0 for load in self._loads)

    def wait(self, seconds: float | None) -> bool:
        """Wait for at most so many seconds (None: any number); whether it is ready."""
        end = None if seconds is None else monotonic() + seconds
        for load in self._loads:
            try:
                load.wait(None if end is None else max(0.0, end - monotonic()))
            except (BadNet, OSError):  # that is told by whoever takes it
                continue
        return self.is_ready

    def wait_for_move(self, time: float | None, is_stopped: Callable[[], bool]) -> None:
        """Wait until it is ready, somebody stops the search, or it should begin without it, to be
        done with its move in `time` seconds (None: any number).
        """
        began, left = monotonic(), _GLANCE
        while left > 0 and not is_stopped():
            if time is not None:
                share = _BAKED_SHARE if self.is_baking else _READ_SHARE
                left = min(_GLANCE, began + time * share - monotonic())
            if self.wait(max(0.0, left)):
                return

    def nets(self) -> list[Any]:
        """The nets, waiting for them. Raises BadNet."""
        try:
            found = [load.wait() for load in self._loads]
        except OSError as error:
            raise _unreadable(self.choice, error) from None
        if None in found:
            raise BadNet("the net could not be loaded", str(self.choice.paths[0]))
        return found


def _load(choice: Choice, place: int) -> _Load:
    if choice.kind == "onnx":
        from tengen.engine.onnx_net import load_onnx

        return load_onnx(choice.paths[place])
    return native_net.load_net(choice.paths[place])


def _unreadable(choice: Choice, error: OSError) -> BadNet:
    return BadNet(f"cannot be read ({error.strerror or error})", str(choice.paths[0]))


class Knowledge:
    """What the core of one engine knows. `want` may be called at any time, the rest while nothing
    is searched.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables: set[Rule] = set()
        self._wanted: Wanted | None = None
        self._given: Wanted | None = None  # the nets that the core has; None: none
        # What plays instead of nets that nobody asked for and that could not be loaded.
        self._failed: dict[Choice, Choice] = {}

    def choice(self, options: Mapping[str, Value], rule: Rule, size: int) -> Choice:
        """What these options mean for such boards. Raises BadNet."""
        found = choose(options, rule, size)
        return self._failed.get(found, found)

    def want(self, options: Mapping[str, Value], rule: Rule, size: int) -> Wanted:
        """What these options mean for such boards; it begins to be loaded. Raises BadNet."""
        choice = self.choice(options, rule, size)
        wanted = self._wanted
        if wanted is None or wanted.choice != choice:
            wanted = self._wanted = Wanted(choice)
        return wanted

    def forget_failures(self) -> None:
        """Try nets that could not be loaded again, when they are wanted the next time."""
        self._failed.clear()

    def has(self, wanted: Wanted) -> bool:
        """Whether the core has the nets that are wanted."""
        return self._given is wanted

    def give(self, wanted: Wanted) -> Evaluation:
        """Hand it to the core, waiting for it if need be. Where the package's own choice of a net
        cannot be loaded, the core gets the classical evaluation. Raises BadNet, BadTables.
        """
        choice = wanted.choice
        if choice.kind in ("classical", "none"):
            return self._give_classical(choice)
        self._load_tables(choice.rule)
        if wanted is not self._given:
            try:
                self._give_nets(wanted)
            except (BadNet, BadTables) as error:
                self._wanted = None  # the file may be another one when it is wanted again
                self._core.set_classical()  # it may have the nets already, and not their guesses
                self._given = None
                if not choice.is_own:
                    raise
                return self._remember_failure(choice, error).evaluation
            self._given = wanted
        return choice.evaluation

    def give_instead(self, wanted: Wanted) -> Evaluation:
        """Hand the classical evaluation to the core, as long as the nets are not ready."""
        words = f"for this move: {wanted.choice.subject} not ready yet"
        return self._give_classical(wanted.choice.classical(words))

    def _remember_failure(self, choice: Choice, error: BadNet | BadTables) -> Choice:
        why = error.fault if isinstance(error, BadNet) else str(error)
        found = self._failed[choice] = choice.classical(f"{choice.subject} of no use: {why}")
        return found

    def _load_tables(self, rule: Rule) -> None:
        """The classical tables: nets use them too, where a guess will do. Raises BadTables."""
        if rule in self._tables:
            return
        data = tables.read_tables(rule)
        try:
            self._core.load_tables(_RULES.index(rule), data)
        except ValueError as error:
            raise BadTables(f"{tables.tables_name(rule)}: {error}") from None
        self._tables.add(rule)

    def _load_guesses(self, choice: Choice) -> None:
        """Those that lie beside the nets. Raises BadTables."""
        if data := read_guesses(choice.paths[0], choice.rule):
            try:
                self._core.load_guesses(_RULES.index(choice.rule), data)
            except ValueError as error:
                raise BadTables(f"{guess_path(choice.paths[0])}: {error}") from None

    def _give_classical(self, choice: Choice) -> Evaluation:
        if choice.kind == "classical":
            self._load_tables(choice.rule)
        if choice.kind == "classical" and self._given is not None:
            self._core.set_classical()
            self._given = None
        return choice.evaluation

    def _give_nets(self, wanted: Wanted) -> None:
        choice, nets = wanted.choice, wanted.nets()
        if choice.kind == "onnx":
            self._give_onnx(nets[0], choice)
        else:
            self._core.set_nets(*nets)
            self._load_guesses(choice)

    def _give_onnx(self, net: OnnxNet, choice: Choice) -> None:
        net.require(choice.rule, choice.size)
        self._core.set_called(net.ask, sum(1 << size for size in net.sizes))
