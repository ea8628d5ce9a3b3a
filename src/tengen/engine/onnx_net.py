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
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from tengen import _core
from tengen.engine.errors import BadNet
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

if TYPE_CHECKING:
    import numpy as np

Evaluate: TypeAlias = "Callable[[np.ndarray[Any, Any]], tuple[Any, Any]]"

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


# By path, time and size of the file, as long as they are used.
_nets: WeakValueDictionary[tuple[str, int, int], OnnxNet] = WeakValueDictionary()
_loading = threading.Lock()


def read_onnx(path: str) -> OnnxNet:
    """The net of a file, which is read unless the process has it. Raises BadNet."""
    file = Path(path)
    try:
        state = file.stat()
    except OSError as error:
        raise BadNet.unreadable(path, error) from None
    key = (str(file.resolve()), state.st_mtime_ns, state.st_size)
    with _loading:
        net = _nets.get(key)
        if net is None:
            net = _nets[key] = OnnxNet(path)
    return net


def load_external(
    black: str,
    white: str,
    rule: int,
    size: int,
    target: _core.ExternalNet,
    *,
    wrap: Callable[[Evaluate], Evaluate] = lambda evaluate: evaluate,
) -> None:
    """Load the nets for black and for white to move in the background, and set the target when they
    are loaded and support the rule and size. `wrap` gets each function that evaluates.
    """
    load = partial(_load, (black, white), list(Rule)[rule], size, target, wrap)
    # No daemon: one inside ONNX Runtime when Python exits would abort the process.
    threading.Thread(target=load, name="tengen-onnx", daemon=False).start()


def _load(
    files: tuple[str, str],
    rule: Rule,
    size: int,
    target: _core.ExternalNet,
    wrap: Callable[[Evaluate], Evaluate],
) -> None:
    try:
        black, white = map(read_onnx, files)
        for net in dict.fromkeys((black, white)):
            net.check_supports(rule, size)
        sizes = sum(1 << one for one in {*black.sizes} & {*white.sizes})
        own = None if black is white else wrap(white.evaluate)
        target.set(wrap(black.evaluate), sizes, own)
    except BadNet as error:
        target.fail(error.reason, error.source)
    except BaseException as error:
        target.fail(f"{type(error).__name__}: {_first_line(error)}", files[0])
        raise


def _first_line(error: BaseException) -> str:
    return f"{str(error).strip().partition(chr(10))[0] or type(error).__name__:.300}"
