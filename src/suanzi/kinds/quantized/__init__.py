"""What the operators do with quantized operands (`suanzi.quantized`): `arithmetic` computes with codes, `movement`
moves them. What is not in the table is TYPE_MISMATCH.
"""

from suanzi.kinds.quantized import arithmetic, movement
from suanzi.kinds.quantized.operands import TABLE

__all__ = ["TABLE", "arithmetic", "movement"]
