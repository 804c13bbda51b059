"""What dense.py measures: each module of this package has a list CASES."""

AREAS: tuple[str, ...] = (
    "fft",
    "gathering",
    "interpolation",
    "matrices",
    "onnx_models",
    "products",
    "quantized",
    "random",
    "rearranging",
    "scanning",
    "searching",
    "sorting",
    "sparse",
    "strings",
)
