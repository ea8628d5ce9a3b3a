# SPDX-License-Identifier: MIT
"""Random positions with many shapes, for tests: sparse to dense, even and lopsided, scattered and
in rows.
"""

from __future__ import annotations

import random

SIZES = (9, 9, 15, 15, 20, 20, 5, 22)
_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))


def random_cells(rng: random.Random, size: int) -> list[int]:
    """Stones by index (0 empty, 1 black, 2 white) of one random position."""
    cells = [0] * (size * size)
    black_share = rng.choice((0.5, 0.5, 0.65, 0.8, 0.92))

    def lay(x: int, y: int, stone: int) -> None:
        if 0 <= x < size and 0 <= y < size and not cells[y * size + x]:
            cells[y * size + x] = stone

    def stone() -> int:
        return 1 if rng.random() < black_share else 2

    if rng.random() < 0.5:
        for _ in range(rng.randrange(size * size // 2)):
            lay(rng.randrange(size), rng.randrange(size), stone())
    else:
        for _ in range(2 + rng.randrange(size * size // 10)):
            dx, dy = rng.choice(_STEPS)
            x, y, colour = rng.randrange(size), rng.randrange(size), stone()
            for i in range(rng.randrange(2, 8)):
                if rng.random() < 0.65:
                    lay(x + i * dx, y + i * dy, colour)
    return cells
