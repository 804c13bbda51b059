"""Simulates two substances that react, diffuse and form patterns (Gray and Scott's model), with and without fusion.

The substances U and V react on a square whose opposite edges meet: U + 2V -> 3V. V decays, and U is fed. Equations,
diffusion rates, grid spacing and initial state are from J. E. Pearson, "Complex patterns in a simple system", Science
261 (1993), 189-192. Each step applies a stencil. The square is surrounded by a margin that copies the cells at the
square's opposite edges. Each step uses up one cell of the margin on all sides. `suanzi.fuse` computes a step in one
pass over both substances. The neighbours are arguments, because a view of a computed value would divide the pass.
Fusion gains more on grids that do not fit the caches. The program writes a picture of V.

    pip install '.[examples]'
    python examples/reaction_diffusion.py [--size 512] [--steps 6000] [--feed 0.037] [--kill 0.06] [--output v.png]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import suanzi as sz

try:
    from matplotlib import image
    from tqdm import tqdm
except ModuleNotFoundError as error:
    raise SystemExit(f"reaction_diffusion.py: {error}: pip install '.[examples]' brings it") from None

MARGIN = 8  # steps between two copies of the edges
SPACING = 2.5 / 256
DIFFUSION_U, DIFFUSION_V = 2e-5 / SPACING**2, 1e-5 / SPACING**2  # per cell and unit of time

Stencil = tuple[sz.Tensor, ...]
Step = Callable[[Stencil, Stencil, float, float], tuple[sz.Tensor, sz.Tensor]]


def stencil(x: sz.Tensor) -> Stencil:
    """Return views of the cells that have neighbours on all sides, and views of the four neighbours of these cells."""
    return x[1:-1, 1:-1], x[:-2, 1:-1], x[2:, 1:-1], x[1:-1, :-2], x[1:-1, 2:]


def laplacian(x: Stencil) -> sz.Tensor:
    centre, above, below, left, right = x
    return above + below + left + right - 4 * centre


def step(u: Stencil, v: Stencil, feed: float, kill: float) -> tuple[sz.Tensor, sz.Tensor]:
    reaction = u[0] * v[0] * v[0]
    next_u = u[0] + (DIFFUSION_U * laplacian(u) - reaction + feed * (1 - u[0]))
    next_v = v[0] + (DIFFUSION_V * laplacian(v) + reaction - (feed + kill) * v[0])
    return next_u, next_v


def start(size: int) -> tuple[sz.Tensor, sz.Tensor]:
    """Return the initial U and V: only U, except in squares of 20 x 20 cells with both, and one per cent of noise."""
    generator = sz.random.Generator(1)
    places = generator.integers((max(1, size // 20), 2), 0, size).tolist()
    inside = sz.zeros((size, size), dtype="bool")
    for row, column in places:
        inside[row : row + 20, column : column + 20] = True
    noise = generator.uniform((2, size, size), 0.99, 1.01)
    return sz.where(inside, 0.5, 1.0) * noise[0], sz.where(inside, 0.25, 0.0) * noise[1]


def advance(u: sz.Tensor, v: sz.Tensor, steps: int, one: Step, feed: float, kill: float) -> tuple[sz.Tensor, sz.Tensor]:
    """Return both substances after `steps` steps. A margin of `steps` cells copies the opposite edges."""
    u, v = sz.pad(u, steps, "wrap"), sz.pad(v, steps, "wrap")
    for _ in range(steps):
        u, v = one(stencil(u), stencil(v), feed, kill)
    return u, v


def compare(u: sz.Tensor, v: sz.Tensor, fused: Step, feed: float, kill: float) -> None:
    """Print the milliseconds per step with and without fusion, and whether the results have the same bits."""
    results, times = {}, {}
    for name, one in (("fused", fused), ("unfused", step)):
        taken = []
        for _ in range(5):
            begin = time.perf_counter()
            results[name] = advance(u, v, MARGIN, one, feed, kill)
            taken.append(time.perf_counter() - begin)
        times[name] = 1e3 * min(taken) / MARGIN
    pairs = zip(results["fused"], results["unfused"], strict=True)
    same = all(sz.array_equal(a, b) for a, b in pairs)
    print(f"unfused {times['unfused']:8.2f} ms a step")
    print(f"fused   {times['fused']:8.2f} ms a step, the same bits: {same}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512, help="cells along an edge")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--feed", type=float, default=0.037, help="the rate at which U is fed")
    parser.add_argument("--kill", type=float, default=0.06, help="the rate at which V decays")
    parser.add_argument("--output", type=Path, default=Path("reaction_diffusion.png"))
    given = parser.parse_args()
    if given.size < MARGIN:
        parser.error(f"--size {given.size} is less than {MARGIN}")

    fused = sz.fuse(step)
    u, v = start(given.size)
    views = stencil(sz.pad(u, 1, "wrap"))
    print(fused.explain(views, views, given.feed, given.kill))
    compare(u, v, fused, given.feed, given.kill)
    with tqdm(total=given.steps, unit=" steps", disable=None) as progress:
        for done in range(0, given.steps, MARGIN):
            count = min(MARGIN, given.steps - done)
            u, v = advance(u, v, count, fused, given.feed, given.kill)
            progress.update(count)
    image.imsave(given.output, v.numpy(), cmap="magma")
    print(f"V is from {float(sz.min(v)):.3f} to {float(sz.max(v)):.3f}: {given.output}")


if __name__ == "__main__":
    main()
