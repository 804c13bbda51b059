"""Kernels for Triton: how operators are written there, and how a source becomes a kernel that runs.

Which operators run in one kernel the fused functions say (`suanzi.fusion.kernels`). Nothing here is loaded before one
of them meets a tensor on a device.
"""
