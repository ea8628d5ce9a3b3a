# SPDX-License-Identifier: MIT
"""The kinds of steps: data sets, nets, matches, zero learning, engine benchmarks."""
