# SPDX-License-Identifier: MIT
"""From a trained net to something that plays: integers, net files, ONNX, and the checks in between.

Import what is needed from its module: `quantise` and `net_file` to make and write net files,
`verify` for the chain of checks, `onnx` for ONNX. Only some of them load torch. See
docs/export.md.
"""
