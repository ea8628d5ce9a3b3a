# SPDX-License-Identifier: MIT
"""Zero learning: from random weights to a net, by games of the net against itself."""
