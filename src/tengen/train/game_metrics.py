# SPDX-License-Identifier: MIT
"""`GameMetrics`: the metrics of a validation summed by game, so that a report can resample games.
The positions of a game resemble one another: an error bar from single positions is too small.

    metrics = GameMetrics.read(Path("runs/mine/validation_games.npz"))
    metrics.mean("average", "policy_top1")                  # as in TrainResult.validation
    low, high = metrics.interval("average", "policy_top1")  # 95% bootstrap over games
    gain = metrics.resampled("average", "win_mse") - other.resampled("average", "win_mse")
    np.quantile(gain, [0.025, 0.975])    # of two nets that were validated on the same games
    black.merged(white).mean("average", "policy_top1")      # one net per colour, all positions

Needs NumPy, not torch.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.train.errors import BadRun
from tengen.util.config import choose
from tengen.util.files import write_bytes

Floats: TypeAlias = "npt.NDArray[np.float64]"
UNSEEN = "_unseen"  # ending of the kinds without the positions that the run trains on
_RESAMPLES = 1000
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError)  # of an archive
_MAX_BYTES = 1 << 29  # of all arrays; those of 100,000 games have some 20 MB
_ARRAYS = ("games", "kinds", "metrics", "sums", "counts")


@dataclass(frozen=True)
class GameMetrics:
    """Sums over the positions of each of G games, for K kinds of weights and positions, as in
    `TrainResult.validation`, and M metrics. Without the column `game`, blocks of 1,000 consecutive
    rows of a data set count as games.
    """

    games: npt.NDArray[np.int64]  # [G, 2]: number of the data set in the mixture, and of the game
    kinds: tuple[str, ...]
    metrics: tuple[str, ...]
    sums: Floats  # [K, G, M]
    counts: Floats  # [K, G, M]: positions, of those that have a label

    def mean(self, kind: str, metric: str) -> float:
        """Over all positions; NaN if there are none. Raises BadConfig for an unknown name."""
        sums, counts = self._columns(kind, metric)
        return float(sums.sum() / counts.sum()) if counts.any() else float("nan")

    def resampled(
        self, kind: str, metric: str, resamples: int = _RESAMPLES, seed: int = 1
    ) -> Floats:
        """[resamples] means, each over as many games drawn with replacement. The draws depend on
        the seed and the number of games alone, so that two validations of the same games can be
        compared draw by draw.
        """
        sums, counts = self._columns(kind, metric)
        random = np.random.default_rng(seed)
        means = np.empty(resamples)
        for number in range(resamples):
            drawn = random.integers(0, len(sums), len(sums))
            total = counts[drawn].sum()
            means[number] = sums[drawn].sum() / total if total else np.nan
        return means

    def interval(
        self,
        kind: str,
        metric: str,
        share: float = 0.95,
        resamples: int = _RESAMPLES,
        seed: int = 1,
    ) -> tuple[float, float]:
        """The bounds of the middle `share` of the resampled means."""
        means = self.resampled(kind, metric, resamples, seed)
        low, high = np.nanquantile(means, [(1 - share) / 2, (1 + share) / 2])
        return float(low), float(high)

    def merged(self, other: GameMetrics) -> GameMetrics:
        """The positions of both validations together, with the kinds and metrics that both have;
        sums of the same game are added.
        """
        kinds = tuple(kind for kind in self.kinds if kind in other.kinds)
        metrics = tuple(metric for metric in self.metrics if metric in other.metrics)
        games, places = np.unique(
            np.concatenate([self.games, other.games]), axis=0, return_inverse=True
        )
        first, second = np.split(places.ravel(), [len(self.games)])
        sums = np.zeros((len(kinds), len(games), len(metrics)))
        counts = np.zeros_like(sums)
        for one, rows in ((self, first), (other, second)):
            of_kind = [one.kinds.index(kind) for kind in kinds]
            of_metric = [one.metrics.index(metric) for metric in metrics]
            sums[:, rows] += one.sums[of_kind][:, :, of_metric]
            counts[:, rows] += one.counts[of_kind][:, :, of_metric]
        return GameMetrics(games, kinds, metrics, sums, counts)

    def _columns(self, kind: str, metric: str) -> tuple[Floats, Floats]:
        """Sums and counts [G] of a metric."""
        row = self.kinds.index(choose("kind", kind, self.kinds))
        column = self.metrics.index(choose("metric", metric, self.metrics))
        return self.sums[row, :, column], self.counts[row, :, column]

    def write(self, path: Path) -> None:
        """Write a file atomically. Raises OSError."""
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        np.savez_compressed(buffer, **arrays)
        write_bytes(buffer.getvalue(), path)

    @classmethod
    def read(cls, path: Path) -> GameMetrics:
        """What `write` wrote. Raises BadRun."""
        try:
            with zipfile.ZipFile(path) as members:  # small files can decompress to anything
                if sum(member.file_size for member in members.infolist()) > _MAX_BYTES:
                    raise ValueError("it is too large")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                games, kinds, metrics, sums, counts = (archive[name] for name in _ARRAYS)
            shape = (len(kinds), len(games), len(metrics))
            if sums.shape != shape or counts.shape != shape:
                raise ValueError("its arrays do not fit each other")
        except (OSError, ValueError, TypeError, KeyError, EOFError, MemoryError, *_DAMAGE) as error:
            raise BadRun(f"{path} holds no metrics of games ({error})") from None
        return cls(games, _names(kinds), _names(metrics), sums, counts)


def _names(array: npt.NDArray[np.str_]) -> tuple[str, ...]:
    names: Sequence[str] = array.tolist()
    return tuple(names)
