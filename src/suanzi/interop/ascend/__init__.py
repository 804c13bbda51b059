"""Operations of Ascend's transformer library (昇腾, ATB) on Suanzi's tensors, with their parameters and constraints.

An operation is made from its parameters and then called with its input tensors. The module `operation` defines the
common base of operations. Every family of operations has a module.
"""

from suanzi.interop.ascend.fill import FillOperation, FillParam
from suanzi.interop.ascend.operation import Operation, Param

__all__ = ["FillOperation", "FillParam", "Operation", "Param"]
