"""The operators for quantized operands (`suanzi.quantized`): `arithmetic` computes with codes, and `movement` moves
codes. An operator that is not in the table raises TYPE_MISMATCH.
"""

from suanzi.kinds.quantized import arithmetic, movement
from suanzi.kinds.quantized.operands import TABLE

__all__ = ["TABLE", "arithmetic", "movement"]
