"""Functions of tensors as few passes over memory: `suanzi.fuse`.

`function` has the decorator, `trees` takes arguments apart, and `known` has the calls that the core knows again. What a
function does is recorded as a graph (`suanzi.graph`); `first_run` carries out the call that is recorded, `plan` says
which operators run in one pass and which passes run block by block, and `program` repeats all of it. `description` is
what a program does as data, for `explain` and `plot`.
"""

from suanzi.fusion.function import FusedFunction, FusedMethod, fuse
from suanzi.graph.errors import TraceError

__all__ = ["FusedFunction", "FusedMethod", "TraceError", "fuse"]
