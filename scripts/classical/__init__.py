# SPDX-License-Identifier: MIT
"""Learns the tables of the `classical` evaluation by regression; see docs/classical.md. A script,
not part of the package: it wants scipy, which playing never does.
"""
