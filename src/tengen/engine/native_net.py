# SPDX-License-Identifier: MIT
"""Nets in the native core, each read and baked once in a process and shared by all engines.

Relies on the native core; the engine relies on it.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from weakref import WeakValueDictionary

from tengen import _core
from tengen.engine.errors import BadNet

__all__ = ["read_net"]

# By path, time and size of the file; as long as somebody uses them.
_nets: WeakValueDictionary[tuple[str, int, int], _core.Net] = WeakValueDictionary()
_guard = threading.Lock()


def read_net(path: str | os.PathLike[str]) -> _core.Net:
    """The net of a file, ready to play. Raises BadNet, and OSError if it cannot be opened."""
    file = Path(path)
    with _guard:
        state = file.stat()
        key = (str(file.resolve()), state.st_mtime_ns, state.st_size)
        net = _nets.get(key)
        if net is None:
            try:
                net = _core.Net.read(file.read_bytes())
            except (ValueError, RuntimeError) as error:
                raise BadNet(str(error), str(file)) from None
            _nets[key] = net
    return net
