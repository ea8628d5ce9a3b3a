# SPDX-License-Identifier: MIT
"""What is used of scipy, fetched by name: it has no types, and is installed only where somebody
learns (`pip install --group learn`).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

sparse: Any = import_module("scipy.sparse")
minimize: Any = import_module("scipy.optimize").minimize
expit: Any = import_module("scipy.special").expit
logit: Any = import_module("scipy.special").logit
xlogy: Any = import_module("scipy.special").xlogy
