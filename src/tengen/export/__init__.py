# SPDX-License-Identifier: MIT
"""Exports trained nets as files that engines play with: net files, ONNX, lazy evaluation tables.

`quantise` makes and writes net files, `verify` checks them, `onnx` writes ONNX files, the `lazy_*`
modules fit lazy evaluation tables. See docs/export.md.
"""

from tengen.util.deprecation import deprecated_modules

deprecated_modules(
    {
        "tengen.export.checks": "tengen.export.verify",
        "tengen.export.guess_fit": "tengen.export.lazy_fit",
        "tengen.export.net_file": "tengen.export.quantise",
    }
)
