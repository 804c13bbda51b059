"""Computes prices and sensitivities of options on a grid of spots, maturities and strikes, with and without fusion.

The options are European. The formulas and the two worked examples, which the program prints first, are from J. C. Hull,
"Options, Futures, and Other Derivatives" (9th and 10th editions): the prices of example 15.6, and the Greeks of chapter
19's option on 100,000 shares. `suanzi.fuse` computes the seven tensors of the grid in few passes.

    python examples/black_scholes.py --spots 200 [--picture options.png]
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import picture
import suanzi as sz


class Greeks(NamedTuple):
    """The prices of a call and of a put, and the derivatives of the call's price."""

    call: sz.Tensor
    put: sz.Tensor
    delta: sz.Tensor  # derivative with respect to the spot price
    gamma: sz.Tensor  # derivative of delta with respect to the spot price
    vega: sz.Tensor  # derivative with respect to the volatility
    theta: sz.Tensor  # derivative with respect to time, per year
    rho: sz.Tensor  # derivative with respect to the rate


Pricing = Callable[[sz.Tensor, sz.Tensor, sz.Tensor, float, float], Greeks]


def normal_cdf(x: sz.Tensor) -> sz.Tensor:
    return 0.5 * sz.extras.erfc(x * -math.sqrt(0.5))


def black_scholes(spot: sz.Tensor, maturity: sz.Tensor, strike: sz.Tensor, rate: float, volatility: float) -> Greeks:
    """Return prices and derivatives of options on a stock without dividends. The unit of time is one year."""
    root = sz.sqrt(maturity)
    d1 = (sz.log(spot / strike) + (rate + volatility * volatility * 0.5) * maturity) / (volatility * root)
    d2 = d1 - volatility * root
    due = strike * sz.exp(-rate * maturity)  # the present value of the strike price
    density = sz.exp(-0.5 * sz.square(d1)) * (1 / math.sqrt(2 * math.pi))
    delta, exercised = normal_cdf(d1), normal_cdf(d2)
    call = spot * delta - due * exercised
    return Greeks(
        call=call,
        put=due * normal_cdf(-d2) - spot * normal_cdf(-d1),
        delta=delta,
        gamma=density / (spot * volatility * root),
        vega=spot * root * density,
        theta=-spot * density * volatility / (2 * root) - rate * due * exercised,
        rho=maturity * due * exercised,
    )


def check(pricing: Pricing) -> None:
    """Print results of a pricing function beside the numbers in Hull's book, with as many decimals as in the book."""

    def one(spot: float, maturity: float, strike: float, rate: float, volatility: float) -> Greeks:
        terms = (sz.tensor([x], dtype="float64") for x in (spot, maturity, strike))
        return pricing(*terms, rate, volatility)

    example = one(42, 0.5, 40, 0.1, 0.2)
    print(f"Hull, example 15.6: call {example.call[0]:.2f} (4.76), put {example.put[0]:.2f} (0.81)")
    example = one(49, 20 / 52, 50, 0.05, 0.2)
    given = {"delta": "0.522", "gamma": "0.066", "vega": "12.1", "theta": "-4.31", "rho": "8.91"}
    computed = {name: f"{float(getattr(example, name)[0]):.{len(text.split('.')[1])}f}" for name, text in given.items()}
    print("Hull, chapter 19: " + ", ".join(f"{name} {computed[name]} ({text})" for name, text in given.items()))


def timed(pricing: Pricing, *terms: sz.Tensor) -> tuple[Greeks, float]:
    """Call a pricing function five times. Return the result, and the least milliseconds of a call."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = pricing(*terms, 0.05, 0.2)
        times.append(time.perf_counter() - start)
    return result, 1e3 * min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spots", type=int, default=200, help="spot prices, from half to twice the middle strike")
    picture.add_option(parser)
    options = parser.parse_args()
    spots = options.spots
    fused = sz.fuse(black_scholes)
    check(fused)

    spot = sz.linspace(50, 200, spots, dtype="float64")[:, None, None]
    maturity = (sz.arange(1, 61, dtype="float64") / 12)[:, None]  # each month of five years
    strike = sz.linspace(60, 160, 101, dtype="float64")
    print(f"{spots} spot prices × {maturity.shape[0]} maturities × {strike.shape[0]} strikes")
    print(fused.explain(spot, maturity, strike, 0.05, 0.2))
    expected, unfused_time = timed(black_scholes, spot, maturity, strike)
    grid, fused_time = timed(fused, spot, maturity, strike)
    same = all(sz.array_equal(a, b) for a, b in zip(grid, expected, strict=True))
    print(f"unfused {unfused_time:8.1f} ms")
    print(f"fused   {fused_time:8.1f} ms, the same bits: {same}")
    # Put-call parity: C - P = S - K exp(-r T).
    error = sz.max(sz.abs(grid.call - grid.put - (spot - strike * sz.exp(-0.05 * maturity))))
    print(f"put-call parity holds to {float(error):.0e}")
    if options.picture:
        with picture.drawn(options.picture) as axes:
            for months in (1, 12, 60):
                axes.plot(spot[:, 0, 0], grid.call[:, months - 1, 40], label=f"{months} months")
            axes.set(xlabel="spot price", ylabel="price of the call", title=f"strike price {float(strike[40]):g}")
            axes.legend()


if __name__ == "__main__":
    main()
