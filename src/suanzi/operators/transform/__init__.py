"""Transformation (Table 2, 张量转换), a module for each thing that changes."""

from suanzi.operators.transform import elements, gathering, joining, masking, rearranging, scattering, shape

__all__ = ["elements", "gathering", "joining", "masking", "rearranging", "scattering", "shape"]
