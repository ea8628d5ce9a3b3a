# SPDX-License-Identifier: MIT
"""The languages that engines and managers talk. Each is a session without input and output: lines
in, actions out; pipes, sockets and threads are adapters around it. See docs/protocol.md.

Relies on the small values of `tengen.engine` and on `game`. Nothing is imported here, so that a
program starts with what it uses.
"""
