# SPDX-License-Identifier: MIT
"""Release of a run: train a Mixnet, export it, play its match, write the verdict."""
