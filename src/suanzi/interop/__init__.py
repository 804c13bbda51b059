"""The interfaces of other libraries, such as NumPy, Dask and ONNX, for Suanzi's tensors and functions."""
