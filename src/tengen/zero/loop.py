# SPDX-License-Identifier: MIT
"""The loop of self-play and training: `run_zero` starts or resumes a run.

from tengen.zero.loop import run_zero
result = run_zero(ZeroConfig.read(Path("mine.toml")), Path("runs/mine"), device="cuda")
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from tengen.train.loop import find_device
from tengen.train.net_trainer import device_name
from tengen.util.deprecation import deprecated_names, renamed_keywords
from tengen.util.files import locked
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.learn.learner import check_start
from tengen.zero.learning_session import LearningSession, RunFactories, RunResult
from tengen.zero.play.selfplay import check_game_generator_factory
from tengen.zero.zero_folder import ZeroFolder

__all__ = ["RunFactories", "RunResult", "run_zero"]

__getattr__ = deprecated_names(
    __name__, {"Hooks": "RunFactories", "Parts": "RunFactories", "Result": "RunResult"}
)


@renamed_keywords(parts="factories", hooks="factories")
def run_zero(
    config: ZeroConfig | None,
    path: Path,
    *,
    device: str = "",
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    factories: RunFactories | None = None,
) -> RunResult | None:
    """Run a config in a folder until its time budget is used up or `stop` returns True; then
    everything is saved.

    `resume` continues the folder's run; `config` may then be None, or differ in
    `config.RESUMABLE_KEYS`, which may change during a run. Returns None if stopped before the first
    generation. Raises BadZero, BadRun, BadData, FolderLocked,
    TrainingFailed, SelfPlayFailed, OSError.
    """
    used_device = find_device(device)
    factories = factories or RunFactories()
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        if resume and ZeroFolder.has_run(path):
            folder = ZeroFolder.read(path)
            folder = folder if config is None else folder.resumed_with(config)
            check_game_generator_factory(
                factories.game_generator_factory, folder.config.selfplay_settings
            )
        elif config is None:
            raise BadZero(f"{path} has no run to resume")
        else:
            check_game_generator_factory(factories.game_generator_factory, config.selfplay_settings)
            metadata = {
                "redistributable": check_start(config),
                "rule": config.rule,
                "size": config.size,
                "net": config.spec.to_dict(),
                "torch": str(torch.__version__),
                "device": device_name(used_device),
            }
            folder = ZeroFolder.create(path, config, metadata)
        session = LearningSession(folder, used_device, factories)
        try:
            return session.run(stop) if session.prepare(stop) else None
        finally:
            session.close()
