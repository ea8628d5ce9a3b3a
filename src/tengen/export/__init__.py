# SPDX-License-Identifier: MIT
"""Exports trained nets as files that engines play with: net files, ONNX, lazy evaluation tables.

`quantise` makes net files, `net_writer` writes them, `verify` checks them, `onnx` writes ONNX
files, the `lazy_*` modules fit lazy evaluation tables. See docs/export.md.
"""
