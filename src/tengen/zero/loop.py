# SPDX-License-Identifier: MIT
"""The learning loop: a run in its folder, begun or gone on with, until its plan is done or it is
stopped. Relies on the session; the command line relies on it.

    from tengen.zero.loop import run_zero
    result = run_zero(read_config(Path("mine.toml")), Path("runs/mine"), device="cuda")
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from tengen.train.folder import locked
from tengen.train.loop import find_device
from tengen.train.state import device_name
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.factory import check_factory
from tengen.zero.folder import ZeroFolder
from tengen.zero.parts import Parts, Result
from tengen.zero.session import Session
from tengen.zero.start import check_start

__all__ = ["Parts", "Result", "run_zero"]


def run_zero(
    config: ZeroConfig | None,
    path: Path,
    *,
    device: str = "",
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    parts: Parts | None = None,
) -> Result | None:
    """Run a config in a folder, to the end of its plan or until `stop` says so; then all is kept.

    With `resume` the folder's run goes on; `config` may then be left out, or differ in the free
    keys. None: stopped before the run had begun. Raises BadZero, BadData, TrainingBusy,
    TrainingFailed, SelfPlayFailed, OSError.
    """
    where = find_device(device)
    parts = parts or Parts()
    with locked(path):
        if resume and ZeroFolder.has_run(path):
            folder = ZeroFolder.read(path)
            folder = folder if config is None else folder.resumed_with(config)
            check_factory(parts.factory, folder.config.settings)
        elif config is None:
            raise BadZero(f"{path} has no run to go on with")
        else:
            check_factory(parts.factory, config.settings)
            about = {
                "ships": check_start(config),
                "rule": config.rule,
                "size": config.size,
                "net": config.spec.to_dict(),
                "torch": str(torch.__version__),
                "device": device_name(where),
            }
            folder = ZeroFolder.create(path, config, about)
        session = Session(folder, where, parts)
        try:
            return session.run(stop) if session.prepare(stop) else None
        finally:
            session.close()
