# SPDX-License-Identifier: MIT
"""Mechanisms that every package of Tengen may use: rank 0, imports nothing else of the package."""
