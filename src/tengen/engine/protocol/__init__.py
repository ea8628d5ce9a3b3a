# SPDX-License-Identifier: MIT
"""The manager's end of protocols: a session has no input and output, and pipes and threads are
adapters around it. The engine's end is in the native core. See docs/protocol.md.
"""
