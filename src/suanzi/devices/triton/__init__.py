"""Triton kernels: the expressions of operators in Triton's language, and the compilation of a source to a kernel.

`suanzi.fusion.kernels` decides which operators run in one kernel. This package is loaded at the first call of a fused
function with a tensor on a device.
"""
