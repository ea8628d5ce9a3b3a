# SPDX-License-Identifier: MIT
"""Learning: the replay buffer and the learner."""
