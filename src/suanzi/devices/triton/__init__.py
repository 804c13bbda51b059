"""Triton kernels: the text of operators in Triton's language, and the compilation of a source to a kernel.

`suanzi.fusion.kernels` decides which operators run in one kernel. This package is loaded when a fused function first
gets a tensor on a device.
"""
