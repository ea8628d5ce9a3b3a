# SPDX-License-Identifier: MIT
"""Nets as ONNX files, run by ONNX Runtime, for searches that ask about one position or several.

A net has one input, planes [batch, 2, size, size] (own stones, the opponent's), and the outputs
`value` [batch, 3] and `policy` [batch, size, size], logits of the side to move, as tengen.export
writes them. Metadata may say what it is for: `rules`, names of rules, and `sizes`, of boards, apart
by blanks or commas; without them it is for all that its shape takes. Relies on onnxruntime, which
is imported only here and only when a file is loaded.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tengen.engine.errors import BadNet
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OnnxLoad", "OnnxNet", "load_onnx"]

_OUTPUTS = ("value", "policy")
# Of the metadata.
_RULES_KEY, _SIZES_KEY = "rules", "sizes"


class OnnxNet:
    """A net that can be asked. It runs on the thread that asks, so that as many threads work as
    search. Raises BadNet for a file that is damaged, or of a net of another kind.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._session = self._open()
        self._input = self._checked_input()
        self._check_outputs()
        self._rules = self._checked_rules()
        self._sizes = self._checked_sizes()

    def require(self, rule: Rule, size: int) -> None:
        """Raise BadNet unless the net is for the rule and the size, and answers as it should."""
        if rule not in self._rules:
            raise self._fault(f"this net is not for {rule}: it is for {', '.join(self._rules)}")
        if size not in self.sizes:
            told = ", ".join(map(str, self.sizes))
            raise self._fault(f"this net is not for {size}x{size}: its boards are of size {told}")
        import numpy as np

        value, policy = self.evaluate(np.zeros((1, 2, size, size), np.float32))
        for name, found, shape in (("value", value, (1, 3)), ("policy", policy, (1, size, size))):
            if found.shape != shape or found.dtype != np.float32:
                words = f"its {name} has the shape {found.shape} and the type {found.dtype}"
                raise self._fault(f"{words}, not {shape} and float32")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the boards that it is for."""
        return self._sizes

    def evaluate(self, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        """Logits of the values, [n, 3], and of the policies, [n, size, size], of the positions
        whose planes are [n, 2, size, size].
        """
        try:
            if self._batch == 1 and len(planes) > 1:
                return self._one_by_one(planes)
            value, policy = self._session.run(_OUTPUTS, {self._input: planes})
            return value, policy
        except Exception as error:  # of ONNX Runtime, which has no common error of its own
            raise self._fault(f"ONNX Runtime failed: {_first_line(error)}") from None

    def _one_by_one(self, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        """For a net whose input has room for one position alone."""
        import numpy as np

        found = [self._session.run(_OUTPUTS, {self._input: one[None]}) for one in planes]
        values, policies = zip(*found, strict=True)
        return np.concatenate(values), np.concatenate(policies)

    def _open(self) -> Any:
        try:
            import onnxruntime  # type: ignore[import-untyped]
        except ImportError:
            words = "an ONNX file needs ONNX Runtime, which is not installed"
            raise self._fault(f"{words}: `pip install onnxruntime` brings it") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what goes wrong is raised
        try:
            return onnxruntime.InferenceSession(
                self._path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # as above
            words = "damaged, or no ONNX file that ONNX Runtime can read"
            raise self._fault(f"{words}: {_first_line(error)}") from None

    def _checked_input(self) -> str:
        inputs = self._session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        if (
            len(shape) != 4
            or shape[1] != 2
            or shape[2] != shape[3]
            or shape[0] in (0, *range(2, 99))
        ):
            told = ", ".join(f"{one.name} {one.shape}" for one in inputs)
            raise self._fault(f"its input is {told}, not planes [batch, 2, size, size]")
        self._batch: int | str | None = shape[0]
        self._side: int | str | None = shape[2]
        return str(inputs[0].name)

    def _check_outputs(self) -> None:
        names = [output.name for output in self._session.get_outputs()]
        if missing := [name for name in _OUTPUTS if name not in names]:
            words = f"it has the outputs {', '.join(names)}"
            raise self._fault(f"{words}: {' and '.join(missing)} is missing")

    def _checked_rules(self) -> tuple[Rule, ...]:
        try:
            return tuple(map(Rule.parse, self._words(_RULES_KEY))) or tuple(Rule)
        except ValueError as error:
            raise self._fault(f"its metadata have rules that are none: {error}") from None

    def _checked_sizes(self) -> tuple[int, ...]:
        side = self._side
        taken = (side,) if isinstance(side, int) else tuple(range(MIN_SIZE, MAX_SIZE + 1))
        words = self._words(_SIZES_KEY)
        if not all(word.isdecimal() for word in words):
            raise self._fault(f"its metadata have sizes that are none: {' '.join(words)}")
        wanted = {int(word) for word in words}
        sizes = tuple(size for size in taken if not wanted or size in wanted)
        if not sizes:
            raise self._fault(f"its metadata are for other boards than its input: {side}")
        return sizes

    def _words(self, key: str) -> list[str]:
        """What the metadata say under a key."""
        told = self._session.get_modelmeta().custom_metadata_map.get(key, "")
        return str(told).replace(",", " ").split()

    def _fault(self, words: str) -> BadNet:
        return BadNet(words, self._path)


class OnnxLoad:
    """A file that is being loaded, or is there, on a thread of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._net: OnnxNet | None = None
        self._failure: Exception | None = None
        self._done = threading.Event()
        # No daemon: one that Python leaves behind in ONNX Runtime would take the process with it.
        threading.Thread(target=self._work, name="tengen-onnx", daemon=False).start()

    @property
    def is_ready(self) -> bool:
        """Whether `wait` answers at once, with the net or with an error."""
        return self._done.is_set()

    @property
    def progress(self) -> float:
        """As of a net in the core, of which only baking counts: a file is read."""
        return 1.0 if self.is_ready else 0.0

    def wait(self, seconds: float | None = None) -> OnnxNet | None:
        """The net; None if it is not ready in that time (None: any). Raises BadNet."""
        if not self._done.wait(seconds):
            return None
        if self._failure is not None:
            raise self._failure
        return self._net

    def _work(self) -> None:
        try:
            self._net = OnnxNet(self._path)
        except Exception as error:
            self._failure = error
        finally:
            self._done.set()


# By path, time and size of the file; as long as somebody uses them.
_loads: WeakValueDictionary[tuple[str, int, int], OnnxLoad] = WeakValueDictionary()
_guard = threading.Lock()


def load_onnx(path: Path) -> OnnxLoad:
    """Begin to load a file, unless somebody in the process has it or loads it. Raises OSError."""
    state = path.stat()
    key = (str(path.resolve()), state.st_mtime_ns, state.st_size)
    with _guard:
        load = _loads.get(key)
        if load is None or (load.is_ready and load._failure is not None):
            load = _loads[key] = OnnxLoad(path)
    return load


def _first_line(error: Exception) -> str:
    return f"{str(error).strip().partition(chr(10))[0] or type(error).__name__:.300}"
