# SPDX-License-Identifier: MIT
"""Self-play: generators of games, net inference, workers, and validation of their results."""
