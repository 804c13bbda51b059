"""Functions of tensors that run in few passes over memory: `suanzi.fuse`.

`function` defines the decorator, `trees` splits arguments into leaves, and `known` defines the calls that the core
recognises without Python. A function is recorded as a graph (`suanzi.graph`). `first_run` runs the recorded call.
`plan` decides which operators run in one pass and which passes run block by block. `program` runs the planned steps in
later calls. `description` represents a program as data, for `explain` and `plot`.
"""

from suanzi.fusion.function import FusedFunction, FusedMethod, fuse
from suanzi.graph.errors import TraceError

__all__ = ["FusedFunction", "FusedMethod", "TraceError", "fuse"]
