"""Computes with Cubed on the backend that the environment names, and saves the results, for `test_cubed.py`.

python cubed_program.py WORK_DIRECTORY RESULTS.npz
"""

from __future__ import annotations

import sys
from typing import Any

import cubed
import cubed.array_api as xp
import numpy as np
from cubed.backend_array_api import namespace
from cubed.runtime.create import create_executor

kinds = set()


def doubled(block: Any) -> Any:
    """Return a chunk times two, and record the class of the chunk."""
    kinds.add(f"{type(block).__module__}.{type(block).__name__}")
    return block * 2


def shifted(x: Any) -> Any:
    """Return each element's left neighbour, and 0 for the first element of a row. The chunks overlap."""
    return cubed.map_overlap(
        lambda block: block[:, :-2], x, dtype=x.dtype, chunks=x.chunks, depth={1: 1}, boundary=0, trim=False
    )


def main() -> None:
    spec = cubed.Spec(work_dir=sys.argv[1], allowed_mem="100MB", reserved_mem="1MB")
    executor = create_executor("single-threaded")
    x = cubed.from_array(np.arange(60.0).reshape(6, 10), chunks=(2, 4), spec=spec)
    arrays = {
        "blocks": cubed.map_blocks(doubled, x, dtype=x.dtype),
        "elementwise": xp.sin(x) + x / 3,
        "mean": xp.mean(x, axis=0),
        "std": xp.std(x),
        "argmax": xp.argmax(x, axis=1),
        "matmul": x @ x.T,
        "reshape": xp.reshape(x, (60,)),
        "rechunk": x.rechunk((6, 2)),
        "concat": xp.concat([x, x], axis=1),
        "index": x[1:5, ::3],
        "nanmean": cubed.nanmean(x, axis=1),
        "overlap": shifted(x),
    }
    found = {name: np.asarray(array.compute(executor=executor)) for name, array in arrays.items()}
    np.savez(sys.argv[2], **found)
    print(namespace.__name__, *kinds)


if __name__ == "__main__":
    main()
