# SPDX-License-Identifier: MIT
"""Small ONNX nets for tests: one convolution, and means of the planes for the value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_net(
    path: Path,
    side: int | str = "side",
    *,
    outputs: tuple[str, str] = ("value", "policy"),
    value_width: int = 3,
    planes: int = 2,
    batch: int | str = "batch",
    rules: str = "",
    sizes: str = "",
    nan: bool = False,
    as_double: bool = False,
) -> Path:
    """A net that likes points near its own stones, and to have more of them than the other."""
    kernel = np.zeros((1, planes, 5, 5), np.float32)
    kernel[:, 0] = 1.0
    weights = np.zeros((planes, value_width), np.float32)
    weights[0, 0] = weights[-1, -1] = np.nan if nan else 40.0
    value, policy = outputs
    kind = TensorProto.DOUBLE if as_double else TensorProto.FLOAT
    nodes = [
        helper.make_node("Conv", ["planes", "kernel"], ["map"], pads=[2, 2, 2, 2]),
        helper.make_node("Squeeze", ["map", "axis"], ["logits"]),
        helper.make_node("GlobalAveragePool", ["planes"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"]),
        helper.make_node("MatMul", ["flat", "weights"], ["values"]),
        helper.make_node("Cast", ["values"], [value], to=kind),
        helper.make_node("Cast", ["logits"], [policy], to=kind),
    ]
    constants: dict[str, np.ndarray[Any, Any]] = {
        "kernel": kernel,
        "weights": weights,
        "axis": np.array([1], np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, [batch, planes, side, side])],
        [
            helper.make_tensor_value_info(value, kind, [batch, value_width]),
            helper.make_tensor_value_info(policy, kind, [batch, side, side]),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    reported = {key: text for key, text in {"rules": rules, "sizes": sizes}.items() if text}
    helper.set_model_props(model, reported)
    onnx.save(model, str(path))
    return path
