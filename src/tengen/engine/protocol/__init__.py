# SPDX-License-Identifier: MIT
"""Protocols between engines and managers. A session has no input and output: lines in, actions out;
pipes and threads are adapters around it. See docs/protocol.md.
"""
