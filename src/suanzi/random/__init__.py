"""Random tensors drawn in sequence by `Generator` and by a default generator. The module lists the public names.

The functions of the standard, such as `suanzi.uniform`, accept a seed in each call and do not use `Generator`.
"""

from suanzi.random.default import (
    bernoulli,
    choice,
    default_generator,
    integers,
    multinomial,
    normal,
    permutation,
    randperm,
    seed,
    set_default_generator,
    shuffle,
    uniform,
)
from suanzi.random.generator import Generator
from suanzi.random.numpy_names import NumPyGenerator, default_rng
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.composed import compose

__all__ = [
    "Generator",
    "NumPyGenerator",
    "bernoulli",
    "choice",
    "default_generator",
    "default_rng",
    "integers",
    "multinomial",
    "normal",
    "permutation",
    "randperm",
    "seed",
    "set_default_generator",
    "shuffle",
    "uniform",
]

compose(__name__, __all__)
Generator.__module__ = NumPyGenerator.__module__ = __name__

__getattr__ = attributes_of(__name__)
