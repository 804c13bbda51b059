"""Transformation (Table 2, 张量转换), with a module for each kind of change."""

from suanzi.operators.transform import elements, gathering, joining, masking, rearranging, scattering, shape

__all__ = ["elements", "gathering", "joining", "masking", "rearranging", "scattering", "shape"]
