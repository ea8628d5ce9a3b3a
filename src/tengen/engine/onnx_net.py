# SPDX-License-Identifier: MIT
"""Nets as ONNX files, run by ONNX Runtime, which is imported only here when a file is loaded.

A net has one input, planes [batch, 2, size, size] (own stones, the opponent's), and the outputs
`value` [batch, 3] and `policy` [batch, size, size], logits of the side to move, as tengen.export
writes them. The metadata `rules` and `sizes`, lists separated by blanks or commas, limit the boards
that it supports; the default is all that its shape allows.
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

_OUTPUTS = ("value", "policy")
_RULES_KEY, _SIZES_KEY = "rules", "sizes"


class OnnxNet:
    """A net. It runs on the calling thread, one core per search thread. Raises BadNet for a damaged
    file or another kind of net.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._session = self._open()
        self._input = self._checked_input()
        self._check_outputs()
        self._rules = self._checked_rules()
        self._sizes = self._checked_sizes()

    def check_supports(self, rule: Rule, size: int) -> None:
        """Raise BadNet unless the net supports the rule and size and its outputs have the shape."""
        if rule not in self._rules:
            raise self._fault(f"not for {rule}: the net supports {', '.join(self._rules)}")
        if size not in self.sizes:
            sizes = ", ".join(map(str, self.sizes))
            raise self._fault(f"not for {size}x{size}: the net supports board sizes {sizes}")
        import numpy as np

        value, policy = self.evaluate(np.zeros((1, 2, size, size), np.float32))
        for name, output, shape in (("value", value, (1, 3)), ("policy", policy, (1, size, size))):
            if output.shape != shape or output.dtype != np.float32:
                message = f"its {name} has the shape {output.shape} and the type {output.dtype}"
                raise self._fault(f"{message}, not {shape} and float32")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The board sizes that it supports."""
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
        except Exception as error:  # ONNX Runtime has no common base class
            raise self._fault(f"ONNX Runtime failed: {_first_line(error)}") from None

    def _one_by_one(self, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        """For a net whose batch size is fixed to 1."""
        import numpy as np

        outputs = [self._session.run(_OUTPUTS, {self._input: one[None]}) for one in planes]
        values, policies = zip(*outputs, strict=True)
        return np.concatenate(values), np.concatenate(policies)

    def _open(self) -> Any:
        try:
            import onnxruntime  # type: ignore[import-untyped]
        except ImportError:
            message = "an ONNX file needs ONNX Runtime: `pip install onnxruntime`"
            raise self._fault(message) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised
        try:
            return onnxruntime.InferenceSession(
                self._path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # as above
            message = "damaged, or not an ONNX file that ONNX Runtime can read"
            raise self._fault(f"{message}: {_first_line(error)}") from None

    def _checked_input(self) -> str:
        inputs = self._session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        if (
            len(shape) != 4
            or shape[1] != 2
            or shape[2] != shape[3]
            or shape[0] in (0, *range(2, 99))
        ):
            listed = ", ".join(f"{one.name} {one.shape}" for one in inputs)
            raise self._fault(f"its input is {listed}, not planes [batch, 2, size, size]")
        self._batch: int | str | None = shape[0]
        self._side: int | str | None = shape[2]
        return str(inputs[0].name)

    def _check_outputs(self) -> None:
        names = [output.name for output in self._session.get_outputs()]
        if missing := [name for name in _OUTPUTS if name not in names]:
            outputs = f"it has the outputs {', '.join(names)}"
            raise self._fault(f"{outputs}: {' and '.join(missing)} is missing")

    def _checked_rules(self) -> tuple[Rule, ...]:
        try:
            return tuple(map(Rule.parse, self._values(_RULES_KEY))) or tuple(Rule)
        except ValueError as error:
            raise self._fault(f"unknown rules in its metadata: {error}") from None

    def _checked_sizes(self) -> tuple[int, ...]:
        side = self._side
        taken = (side,) if isinstance(side, int) else tuple(range(MIN_SIZE, MAX_SIZE + 1))
        values = self._values(_SIZES_KEY)
        if not all(value.isdecimal() for value in values):
            raise self._fault(f"invalid sizes in its metadata: {' '.join(values)}")
        wanted = {int(value) for value in values}
        sizes = tuple(size for size in taken if not wanted or size in wanted)
        if not sizes:
            raise self._fault(f"no size of its metadata fits its input: {side}")
        return sizes

    def _values(self, key: str) -> list[str]:
        """The values of a metadata entry."""
        text = self._session.get_modelmeta().custom_metadata_map.get(key, "")
        return str(text).replace(",", " ").split()

    def _fault(self, message: str) -> BadNet:
        return BadNet(message, self._path)


class OnnxLoader:
    """Loads a file in its own thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._net: OnnxNet | None = None
        self._failure: Exception | None = None
        self._done = threading.Event()
        # No daemon: one that is inside ONNX Runtime when Python exits would abort the process.
        threading.Thread(target=self._work, name="tengen-onnx", daemon=False).start()

    @property
    def is_ready(self) -> bool:
        """Whether `wait` returns, or raises, at once."""
        return self._done.is_set()

    @property
    def progress(self) -> float:
        """0 or 1; see NetLoader.progress."""
        return 1.0 if self.is_ready else 0.0

    def wait(self, seconds: float | None = None) -> OnnxNet | None:
        """The net; None if it is not loaded within `seconds` (None: no limit). Raises BadNet."""
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


# By path, time and size of the file, as long as they are used.
_loaders: WeakValueDictionary[tuple[str, int, int], OnnxLoader] = WeakValueDictionary()
_lock = threading.Lock()


def load_onnx(path: Path) -> OnnxLoader:
    """Start loading a file, unless the process has it or loads it. Raises OSError."""
    state = path.stat()
    key = (str(path.resolve()), state.st_mtime_ns, state.st_size)
    with _lock:
        loader = _loaders.get(key)
        if loader is None or (loader.is_ready and loader._failure is not None):
            loader = _loaders[key] = OnnxLoader(path)
    return loader


def _first_line(error: Exception) -> str:
    return f"{str(error).strip().partition(chr(10))[0] or type(error).__name__:.300}"
