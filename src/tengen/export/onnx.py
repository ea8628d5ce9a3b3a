# SPDX-License-Identifier: MIT
"""Any net of the table as an ONNX file: input `planes` [batch, 2, size, size], outputs by the names
of the net's heads (`value` [batch, 3], `policy` [batch, size, size]), logits of the side to move.

The batch is free. The size is fixed, since a Mixnet cuts the board into chunks by it; a residual
net may leave it free. Metadata say which rules and sizes the net is for. A file is checked with
ONNX Runtime against torch before it gets its name. Relies on the nets, onnx and onnxruntime;
`tengen net export` and the tests rely on it.
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
from tengen.nets.mixnet import Mixnet

__all__ = ["MAX_DIFFERENCE", "OPSET", "check_onnx", "export_onnx"]

OPSET = 18
MAX_DIFFERENCE = 1e-3  # between the logits of torch and of ONNX Runtime, of single precision
_SIZE_OF_TRACE = 15  # where the size is free
_BATCH_OF_TRACE = 2


class _Outputs(nn.Module):
    """The net with its outputs as a tuple in a fixed order."""

    def __init__(self, net: BoardNet) -> None:
        super().__init__()
        self.net = net
        self.names = net.outputs

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        found = self.net(planes)
        return tuple(found[name] for name in self.names)


def export_onnx(
    net: BoardNet,
    path: str | os.PathLike[str],
    size: int | None = 15,
    *,
    rules: Sequence[Rule] = (),
    sizes: Sequence[int] = (),
    name: str = "",
    about: dict[str, str] | None = None,
) -> None:
    """Write and check a file; `size` None leaves the board size free, where the net can do that.
    The engine plays it under `rules` and on `sizes` alone; none: under all, and on all it takes.

    Raises BadNet if the net cannot be exported so, or if ONNX Runtime finds other numbers; then
    the path is as it was.
    """
    for one in (*sizes, *(() if size is None else (size,))):
        if not MIN_SIZE <= one <= MAX_SIZE:
            raise BadNet(f"boards are of size {MIN_SIZE} to {MAX_SIZE}, not {one}")
    if size is None and isinstance(net, Mixnet):
        raise BadNet("a Mixnet cuts the board into chunks: its ONNX file needs one board size")
    plain = copy.deepcopy(net).cpu().float().eval()
    told = {"name": name, "made": f"tengen {version()}", **(about or {})}
    told |= {"rules": " ".join(rules), "sizes": " ".join(map(str, sizes or (size or "",)))}
    model = _converted(plain, size, told)
    target = Path(os.path.realpath(path))
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".tengen-") as folder:
            beside = Path(folder) / "net.onnx"
            beside.write_bytes(model)
            for tried in (size,) if size else (MIN_SIZE, _SIZE_OF_TRACE, 20):
                check_onnx(plain, beside, tried)
            beside.replace(target)
    except OSError as error:
        words = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno, words, os.fspath(path)) from error


def _converted(net: BoardNet, size: int | None, about: dict[str, str]) -> bytes:
    side = size or _SIZE_OF_TRACE
    planes = torch.zeros(_BATCH_OF_TRACE, 2, side, side)
    free: dict[int, Any] = {0: torch.export.Dim("batch", min=1, max=65536)}
    if size is None:
        free |= dict.fromkeys((2, 3), torch.export.Dim("size", min=MIN_SIZE, max=MAX_SIZE))
    with _quiet():
        try:
            program = torch.onnx.export(
                _Outputs(net),
                (planes,),
                input_names=["planes"],
                output_names=list(net.outputs),
                dynamic_shapes={"planes": free},
                opset_version=OPSET,
                verbose=False,
                dynamo=True,
            )
        except ModuleNotFoundError as error:
            words = f"writing ONNX files needs {error.name}"
            raise BadNet(f'{words}: pip install "tengen[nets]"') from error
        except Exception as error:  # the exporter has no common error of its own
            words = "with a free board size" if size is None else f"for boards of size {size}"
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise BadNet(f"the net cannot be exported {words}: {first:.200}") from error
    assert program is not None
    model = program.model_proto
    for key, value in about.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    return bytes(model.SerializeToString())


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's warnings about itself."""
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
        words = f"checking ONNX files needs {error.name}"
        raise BadNet(f'{words}: pip install "tengen[nets]"') from error
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
    worst = 0.0
    for name, found in zip(names, session.run(names, {"planes": planes}), strict=True):
        difference = np.abs(found - expected[name].numpy()).max()
        if not difference <= MAX_DIFFERENCE:
            words = f"{name} differs by {difference:.3g} from torch's (bound {MAX_DIFFERENCE})"
            raise BadNet(f"the ONNX file says something else on boards of size {size}: {words}")
        worst = max(worst, float(difference))
    return worst
