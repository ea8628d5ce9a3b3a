# SPDX-License-Identifier: MIT
"""Matches between nets: the gate, the ladder, and fixed opponents."""
