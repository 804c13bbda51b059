"""Functions of several operators as few passes over memory, once they have been called often enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from suanzi import _core
from suanzi._core import Tensor

P = ParamSpec("P")
Function = Callable[Concatenate[Tensor, P], Tensor]

# Elements from which on a fused call of an elementwise function is quicker, though it takes some microseconds to find:
# by 15 to 40 per cent, measured with one thread and two.
LARGE = 2**14
# The same of reductions with little before and after them, whose operators are as quick while all is in the caches:
# by up to a half of the time.
OUT_OF_CACHE = 2**19
# Elements that calls of one kind have had together before it is traced. That takes about a millisecond, and these have
# taken several, so that calls of ever new shapes lose little.
ENOUGH = 2**22
_MOST_KINDS = 32
_PLAIN = (bool, float, int, str, type(None))


def fused_if_repeated(least: int) -> Callable[[Function[P]], Function[P]]:
    """Functions are fused for operands that come again and have so many elements: with the same bits.

    The other arguments are told apart by their `repr`; where they are not plain values, nothing is fused.
    """

    def decorate(function: Function[P]) -> Function[P]:
        kinds: dict[Any, Any] = {}  # how many elements there were, or then the fused function

        def repeated(x: Tensor, args: Any, kwargs: Any) -> Tensor:
            kind = x.dtype, x.shape, repr((args, kwargs))
            found = kinds.get(kind, 0)
            if type(found) is int:
                if found < ENOUGH:
                    if len(kinds) >= _MOST_KINDS and kind not in kinds:
                        kinds.clear()
                    kinds[kind] = found + x.size
                    return function(x, *args, **kwargs)
                if not _are_plain((*args, *kwargs.values())):
                    return function(x, *args, **kwargs)
                from suanzi.fusion import fuse  # takes some milliseconds to import

                found = kinds[kind] = fuse(lambda x: function(x, *args, **kwargs))
            return found(x)  # type: ignore[no-any-return]

        @wraps(function)
        def call(x: Tensor, /, *args: P.args, **kwargs: P.kwargs) -> Tensor:
            if type(x) is not Tensor or x.size < least or _core.is_tracing():
                return function(x, *args, **kwargs)
            return repeated(x, args, kwargs)

        return call

    return decorate


def _are_plain(values: Iterable[Any]) -> bool:
    return all(_are_plain(x) if type(x) is tuple else type(x) in _PLAIN for x in values)
