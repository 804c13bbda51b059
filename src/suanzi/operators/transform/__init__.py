"""Operators of transformation (Table 2, 张量转换). Each module contains the operators of one kind of change."""

from suanzi.operators.transform import elements, gathering, joining, masking, rearranging, scattering, shape

__all__ = ["elements", "gathering", "joining", "masking", "rearranging", "scattering", "shape"]
