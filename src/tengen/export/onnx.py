# SPDX-License-Identifier: MIT
"""Exports any net as an ONNX file: input `planes` [batch, 2, size, size], outputs named after the
net's heads (`value` [batch, 3], `policy` [batch, size, size]), logits for the side to move.

The batch size is dynamic. The board size is fixed for a net whose layers depend on it (Mixnet,
GomokuNet, heads alphazero); else it may be dynamic. Metadata name the rules and sizes that the net
supports. A file is compared with torch by ONNX Runtime before it gets its name.
"""

from __future__ import annotations

import copy
import logging
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tengen._version import version
from tengen.engine.errors import BadNet
from tengen.export.verify import random_positions
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.nets.blocks import BoardNet
from tengen.nets.spec import BadSpec
from tengen.util.deprecation import renamed_keywords

OPSET = 18
MAX_DIFFERENCE = 1e-3  # between the logits of torch and of ONNX Runtime, of single precision
_TRACE_SIZE = 15  # if the size is dynamic
_TRACE_BATCH = 2


class _Outputs(nn.Module):
    """The net with its outputs as a tuple in a fixed order."""

    def __init__(self, net: BoardNet) -> None:
        super().__init__()
        self.net = net
        self.names = net.outputs

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        outputs = self.net(planes)
        return tuple(outputs[name] for name in self.names)


@renamed_keywords(about="metadata")
def export_onnx(
    net: BoardNet,
    path: str | os.PathLike[str],
    size: int | None = 15,
    *,
    rules: Sequence[Rule] = (),
    sizes: Sequence[int] = (),
    name: str = "",
    metadata: dict[str, str] | None = None,
) -> None:
    """Write and check a file. `size` None: dynamic board size, if the net supports it. The engine
    uses the net for `rules` and `sizes` only; empty: for all that it accepts.

    Raises BadNet if the net cannot be exported, or if ONNX Runtime computes other outputs; the path
    is then unchanged.
    """
    for one in (*sizes, *(() if size is None else (size,))):
        if not MIN_SIZE <= one <= MAX_SIZE:
            raise BadNet(f"boards have size {MIN_SIZE} to {MAX_SIZE}, not {one}")
        _check_size(net, one)
    _check_size(net, size)
    plain = copy.deepcopy(net).cpu().float().eval()
    entries = {"name": name, "made": f"tengen {version()}", **(metadata or {})}
    entries |= {"rules": " ".join(rules), "sizes": " ".join(map(str, sizes or (size or "",)))}
    model = _converted(plain, size, entries)
    target = Path(os.path.realpath(path))
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".tengen-") as folder:
            beside = Path(folder) / "net.onnx"
            beside.write_bytes(model)
            for tried in (size,) if size else (MIN_SIZE, _TRACE_SIZE, 20):
                check_onnx(plain, beside, tried)
            beside.replace(target)
    except OSError as error:
        problem = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno, problem, os.fspath(path)) from error


def _check_size(net: BoardNet, size: int | None) -> None:
    """Raise BadNet if the net does not support the size, or a dynamic one."""
    try:
        net.spec.check_playable(size)
    except BadSpec as error:
        raise BadNet(error.problem) from None
    if size is None and not (net.DYNAMIC_SIZE and net.spec.board_size is None):
        problem = f"the layers of {net.spec.name} depend on the size of the board"
        raise BadNet(f"{problem}: its ONNX file needs one board size")


def _converted(net: BoardNet, size: int | None, metadata: dict[str, str]) -> bytes:
    side = size or _TRACE_SIZE
    planes = torch.zeros(_TRACE_BATCH, 2, side, side)
    dynamic: dict[int, Any] = {0: torch.export.Dim("batch", min=1, max=65536)}
    if size is None:
        dynamic |= dict.fromkeys((2, 3), torch.export.Dim("size", min=MIN_SIZE, max=MAX_SIZE))
    with _quiet():
        try:
            program = torch.onnx.export(
                _Outputs(net),
                (planes,),
                input_names=["planes"],
                output_names=list(net.outputs),
                dynamic_shapes={"planes": dynamic},
                opset_version=OPSET,
                verbose=False,
                dynamo=True,
            )
        except ModuleNotFoundError as error:
            problem = f"writing ONNX files needs {error.name}"
            raise BadNet(f'{problem}: pip install "tengen-gomoku[nets]"') from error
        except Exception as error:  # the exporter has no common error class
            problem = "with a dynamic board size" if size is None else f"for boards of size {size}"
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise BadNet(f"the net cannot be exported {problem}: {first:.200}") from error
    assert program is not None
    model = program.model_proto
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    return bytes(model.SerializeToString())


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppresses the exporter's warnings."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def check_onnx(net: BoardNet, path: str | os.PathLike[str], size: int, seed: int = 1) -> float:
    """The largest difference between the logits of torch and of ONNX Runtime on random positions.
    Raises BadNet if it is larger than `MAX_DIFFERENCE`.
    """
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        problem = f"checking ONNX files needs {error.name}"
        raise BadNet(f'{problem}: pip install "tengen-gomoku[nets]"') from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        os.fspath(path), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    if names != list(net.outputs):
        raise BadNet(f"the ONNX file has the outputs {names}, not {list(net.outputs)}")
    (cells,) = random_positions([size], 5, seed)
    planes = np.stack([cells == 1, cells == 2], axis=1).astype(np.float32)
    with torch.no_grad():
        expected = net(torch.from_numpy(planes))
    try:
        outputs = session.run(names, {"planes": planes})
    except Exception as error:  # ONNX Runtime has no common base class
        first = str(error).strip().partition("\n")[0]
        raise BadNet(f"the ONNX file fails on boards of size {size}: {first:.200}") from None
    worst = 0.0
    for name, actual in zip(names, outputs, strict=True):
        difference = np.abs(actual - expected[name].numpy()).max()
        if not difference <= MAX_DIFFERENCE:
            problem = f"{name} differs by {difference:.3g} from torch's (bound {MAX_DIFFERENCE})"
            raise BadNet(f"the ONNX file differs on boards of size {size}: {problem}")
        worst = max(worst, float(difference))
    return worst
