# SPDX-License-Identifier: MIT
"""The net that a run begins with, or learns from, by what a config names: a run folder, a `net.pt`,
a `.net` file, or a net of the package. Relies on the files of weights and of nets; the state of a
run, its teacher, and the shipping of zero learning rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tengen.engine.errors import BadNet
from tengen.engine.net_file import read_net
from tengen.engine.nets import NET_ENDING, SHIPPED, net_path
from tengen.nets.dequantise import mixnet_of_file
from tengen.nets.spec import BadSpec
from tengen.nets.weights import BadWeights, NetWeights, read_weights
from tengen.train.errors import BadTraining

__all__ = ["find_weights", "load_weights", "weights_of"]

_RESULT = "net.pt"  # of a run, in its folder


def find_weights(given: str, inside: Sequence[str] = (_RESULT,)) -> Path:
    """The file that is meant: by its path, by a folder that has one of `inside`, the first that is
    there, or by the name of a net of the package. A path that is there goes before a name. Raises
    BadNet, BadWeights.
    """
    path = net_path(given)
    if not path.is_dir():
        return path
    for name in inside:
        if (path / name).is_file():
            return path / name
    raise BadWeights(f"{given} has no {_RESULT}")


def weights_of(path: Path) -> NetWeights:
    """The net of a file, in floats, whether it holds those or the integers that are played with;
    `about["redistributable"]` is True if it is known that it may be given away. Raises BadNet, BadWeights,
    OSError.
    """
    if path.suffix != NET_ENDING:
        return read_weights(path)
    file = read_net(path)
    try:
        net = mixnet_of_file(str(file.header.architecture), file.tensors)
    except BadSpec as error:
        raise BadNet(str(error), str(path)) from None
    # A net file does not tell what it was trained on; those of the package are known.
    ships = path.resolve().parent == SHIPPED.resolve()
    return NetWeights(
        net.spec.to_dict(), net.state_dict(), {"redistributable": ships, "net": path.stem}
    )


def load_weights(given: str, key: str) -> NetWeights:
    """The net that a key of a config names, see `find_weights`. Raises BadTraining, which names the
    key, and OSError.
    """
    try:
        return weights_of(find_weights(given))
    except (BadNet, BadWeights) as error:
        raise BadTraining(f"{key}: {error}") from None
