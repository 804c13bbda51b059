"""Compresses a photograph twice, by its greatest singular values and by its greatest Fourier coefficients.

The photograph is the US Navy's portrait of Grace Hopper, 600 by 512 pixels, which Matplotlib ships among its sample
data. The portrait is a work of the United States government and therefore in the public domain. The file of the
photograph names the photograph's source, https://commons.wikimedia.org/wiki/File:Grace_Hopper.jpg. (scikit-learn's
china.jpg would be suitable, too, but the picture requires an attribution, and scikit-learn installs SciPy, which
doubles the size of the installation.) The program counts numbers, not bytes.

    pip install '.[examples]'
    python examples/image_compress.py [--rank 40] [--keep 0.05] [--output DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import suanzi as sz

try:
    from matplotlib import cbook
    from PIL import Image
except ModuleNotFoundError as error:
    raise SystemExit(f"image_compress.py: {error}: pip install '.[examples]' brings the photograph") from None


def photograph() -> sz.Tensor:
    """Return the photograph's colour channels as a uint8 tensor of shape (3, h, w)."""
    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as image:
        return sz.moveaxis(sz.tensor(image), -1, 0)


def write(path: Path, picture: sz.Tensor) -> None:
    """Write colour channels, a uint8 tensor of shape (3, h, w), to a PNG file."""
    _, height, width = picture.shape
    pixels = sz.contiguous(sz.moveaxis(picture, 0, -1))
    Image.frombytes("RGB", (width, height), bytes(memoryview(pixels))).save(path)


def to_bytes(x: sz.Tensor) -> sz.Tensor:
    """Round a picture of real numbers to uint8."""
    return sz.astype(sz.clip(sz.rint(x), 0, 255), sz.uint8)


def truncate(u: sz.Tensor, s: sz.Tensor, vh: sz.Tensor, rank: int) -> tuple[sz.Tensor, int]:
    """Return the picture whose channels are the best approximations of a given rank (Eckart and Young), and the number
    of stored values.
    """
    left, right = u[..., :rank] * s[..., None, :rank], vh[..., :rank, :]
    return to_bytes(left @ right), left.size + right.size


def threshold(spectrum: sz.Tensor, keep: float, shape: tuple[int, int]) -> tuple[sz.Tensor, int]:
    """Return the picture of the greatest coefficients of each channel, and the number of stored values.

    `keep` is the number of stored values per pixel. A coefficient counts as two values, and the position of a
    coefficient does not count.
    """
    magnitude = sz.abs(spectrum)
    count = max(1, round(keep * shape[0] * shape[1] / 2))
    least = sz.topk(sz.reshape(magnitude, (len(magnitude), -1)), count).values[:, -1]
    kept = magnitude >= least[:, None, None]
    picture = sz.fft.irfftn(sz.where(kept, spectrum, 0), s=shape, axes=(-2, -1))
    return to_bytes(picture), 2 * int(sz.count_nonzero(kept))


def psnr(picture: sz.Tensor, original: sz.Tensor) -> float:
    """Return the peak signal-to-noise ratio of two uint8 pictures in dB."""
    error = sz.astype(picture, sz.float32) - sz.astype(original, sz.float32)
    return float(10 * sz.log10(255**2 / sz.mean(sz.square(error))))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compress a photograph by SVD and by FFT.")
    parser.add_argument("--rank", type=int, default=40, help="singular values kept of each channel")
    parser.add_argument("--keep", type=float, default=0.05, help="numbers kept for each pixel of a channel by FFT")
    parser.add_argument("--output", type=Path, default=Path(), help="the folder for the PNG files")
    options = parser.parse_args()

    original = photograph()
    _, height, width = original.shape
    if not 1 <= options.rank <= min(height, width):
        parser.error(f"--rank {options.rank} is not from 1 to {min(height, width)}")
    if not 0 < options.keep <= 1:
        parser.error(f"--keep {options.keep} is not above 0 and at most 1")
    x = sz.astype(original, sz.float32)
    factors, spectrum = sz.svd(x, full_matrices=False), sz.fft.rfftn(x, axes=(-2, -1))

    print(f"{'method':<18}{'numbers':>9}{'share':>8}{'PSNR':>10}")
    print(f"{'original':<18}{original.size:>9}{1:>8.1%}")
    for rank in sorted({max(1, options.rank // part) for part in (4, 2, 1)}):
        by_svd, numbers = truncate(*factors, rank)
        print(f"{f'SVD, rank {rank}':<18}{numbers:>9}{numbers / x.size:>8.1%}{psnr(by_svd, original):>7.1f} dB")
    for keep in (options.keep / 4, options.keep / 2, options.keep):
        by_fft, numbers = threshold(spectrum, keep, (height, width))
        print(f"{f'FFT, keep {keep:g}':<18}{numbers:>9}{numbers / x.size:>8.1%}{psnr(by_fft, original):>7.1f} dB")

    options.output.mkdir(parents=True, exist_ok=True)
    for name, picture in {"original": original, "svd": by_svd, "fft": by_fft}.items():
        write(options.output / f"{name}.png", picture)


if __name__ == "__main__":
    main()
