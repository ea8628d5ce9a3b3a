# SPDX-License-Identifier: MIT
"""Finds and loads the weights that a config names: a run folder, a `net.pt`, a `.net` file, or a
bundled net.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tengen.engine.errors import BadNet
from tengen.engine.net_file import read_net
from tengen.engine.nets import BUNDLED, NET_SUFFIX, net_path
from tengen.nets.dequantise import mixnet_of_file
from tengen.nets.spec import BadSpec
from tengen.nets.weights import BadWeights, NetWeights, read_weights
from tengen.train.errors import BadTraining

_RESULT = "net.pt"  # of a run, in its folder


def find_weights(source: str, inside: Sequence[str] = (_RESULT,)) -> Path:
    """The file of a path, the first of `inside` that exists in a folder, or a bundled net by
    name. An existing path has priority. Raises BadNet, BadWeights.
    """
    path = net_path(source)
    if not path.is_dir():
        return path
    for name in inside:
        if (path / name).is_file():
            return path / name
    raise BadWeights(f"{source} has no {_RESULT}")


def weights_of(path: Path) -> NetWeights:
    """The float weights of a `net.pt` or a `.net` file. Raises BadNet, BadWeights, OSError."""
    if path.suffix != NET_SUFFIX:
        return read_weights(path)
    file = read_net(path)
    try:
        net = mixnet_of_file(str(file.header.architecture), file.tensors)
    except BadSpec as error:
        raise BadNet(str(error), str(path)) from None
    # A net file does not say what it was trained on; the bundled ones are known.
    metadata = {"redistributable": path.resolve().parent == BUNDLED.resolve(), "net": path.stem}
    return NetWeights(net.spec.to_dict(), net.state_dict(), metadata)


def load_weights(source: str, key: str) -> NetWeights:
    """The weights that a key of a config names, see `find_weights`. Raises BadTraining, OSError."""
    try:
        return weights_of(find_weights(source))
    except (BadNet, BadWeights) as error:
        raise BadTraining(str(error), key) from None
