# SPDX-License-Identifier: MIT
"""Training from self-play, starting with random weights. See docs/zero.md."""

from tengen.util.deprecation import deprecated_modules

deprecated_modules(
    {
        "tengen.zero.folder": "tengen.zero.zero_folder",
        "tengen.zero.generator": "tengen.zero.play.generator",
        "tengen.zero.selfplay": "tengen.zero.play.selfplay",
        "tengen.zero.settings": "tengen.zero.play.selfplay",
        "tengen.zero.ship": "tengen.zero.release.release",
    }
)
