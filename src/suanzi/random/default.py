"""The default generator of a process, and the methods of `Generator` as functions that draw from the default
generator.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from suanzi.random.generator import Generator
from suanzi.tensor.messages import shown
from suanzi.tensor.status import TypeMismatchError

P = ParamSpec("P")
R = TypeVar("R")

_default = Generator()


def default_generator() -> Generator:
    """Return the generator from which the functions of `suanzi.random` draw. The system provides the generator's first
    seed.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.random.seed(7)
    >>> suanzi.random.default_generator()
    Generator(seed=7, draws=0)
    """
    return _default


def set_default_generator(generator: Generator) -> None:
    """Let the functions of `suanzi.random` draw from another generator.

    Raises
    ------
    TypeMismatchError
        The argument is not a `Generator`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.random.set_default_generator(suanzi.random.Generator(7))
    >>> suanzi.random.uniform(2).tolist() == suanzi.random.Generator(7).uniform(2).tolist()
    True
    """
    global _default
    if not isinstance(generator, Generator):
        raise TypeMismatchError(f"set_default_generator: {shown(generator)} is not a Generator")
    _default = generator


def seed(seed: int = 0) -> None:
    """Replace the default generator by a new generator with a given seed.

    The default seed 0 means a new seed from the system.

    Raises
    ------
    OutOfRangeError
        The seed is outside [0, 2^64).

    Examples
    --------
    >>> import suanzi
    >>> suanzi.random.seed(7)
    >>> suanzi.random.integers(3, 0, 10)
    tensor([6, 0, 4], dtype=int64)
    """
    set_default_generator(Generator(seed))


def _by_default(method: Callable[Concatenate[Generator, P], R]) -> Callable[P, R]:
    @wraps(method)
    def function(*args: P.args, **kwargs: P.kwargs) -> R:
        return method(_default, *args, **kwargs)

    function.__module__ = __name__
    function.__qualname__ = method.__name__
    return function


uniform = _by_default(Generator.uniform)
normal = _by_default(Generator.normal)
integers = _by_default(Generator.integers)
bernoulli = _by_default(Generator.bernoulli)
multinomial = _by_default(Generator.multinomial)
randperm = _by_default(Generator.randperm)
permutation = _by_default(Generator.permutation)
shuffle = _by_default(Generator.shuffle)
choice = _by_default(Generator.choice)
