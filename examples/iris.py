"""Classifies three species of iris by the nearest class centroid, on Fisher's measurements.

The data (iris.csv: 150 flowers, four lengths in cm, the species) are from R. A. Fisher, "The
use of multiple measurements in taxonomic problems", Annals of Eugenics 7 (1936), 179-188, in the
corrected form that scikit-learn distributes (the UCI repository's copy has two wrong values).

    python examples/iris.py [--picture iris.png]
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import picture
import suanzi as sz

DATA = Path(__file__).with_name("iris.csv")


def read(path: Path) -> tuple[sz.Tensor, sz.Tensor, list[str]]:
    """Return the measurements of n flowers (n, 4), the number of each flower's species (n,), and the species' names."""
    with path.open(newline="", encoding="utf-8") as file:
        flowers = list(csv.reader(file))[1:]
    species = sorted({flower[-1] for flower in flowers})
    measurements = [[float(length) for length in flower[:-1]] for flower in flowers]
    labels = [species.index(flower[-1]) for flower in flowers]
    return sz.tensor(measurements), sz.tensor(labels, dtype=sz.int32), species


def standardise(x: sz.Tensor) -> sz.Tensor:
    """Shift and scale each column to mean 0 and standard deviation 1."""
    centred = x - sz.mean(x, axis=0)
    return centred / sz.sqrt(sz.mean(sz.square(centred), axis=0))


def draw(path: Path, x: sz.Tensor, labels: sz.Tensor, centroids: sz.Tensor, species: list[str]) -> None:
    """Draw the lengths and widths of the petals, and the centroids."""
    with picture.drawn(path) as axes:
        for number, name in enumerate(species):
            points = axes.scatter(*x[labels == number][:, 2:].T, s=14, alpha=0.7, label=name)
            axes.scatter(*centroids[number, 2:], s=120, marker="X", color=points.get_facecolor(), edgecolor="black")
        axes.set(xlabel="petal length, standardised", ylabel="petal width, standardised")
        axes.legend()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    picture.add_option(parser)
    wanted = parser.parse_args().picture
    measurements, labels, species = read(DATA)
    x = standardise(measurements)

    # member[f, s] is 1 if flower f is of species s.
    member = sz.astype(labels[:, None] == sz.arange(len(species), dtype=sz.int32), sz.float32)
    sums = sz.sum(member[:, :, None] * x[:, None, :], axis=0)
    centroids = sums / sz.sum(member, axis=0)[:, None]

    distances = sz.sum(sz.square(x[:, None, :] - centroids), axis=2)
    nearest = sz.astype(distances == sz.min(distances, axis=1, keepdims=True), sz.float32)
    confusion = sz.sum(member[:, :, None] * nearest[:, None, :], axis=0)
    accuracy = float(sz.trace(confusion)) / len(labels)

    print("species     " + "".join(f"{'as ' + name:>14}" for name in species))
    for name, row in zip(species, confusion, strict=True):
        print(f"{name:<12}" + "".join(f"{int(count):>14}" for count in row))
    print(f"\naccuracy: {accuracy:.1%} of {len(labels)} flowers")
    if wanted:
        draw(wanted, x, labels, centroids, species)


if __name__ == "__main__":
    main()
