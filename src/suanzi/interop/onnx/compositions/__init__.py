"""ONNX operators that combine a few public operators of suanzi.

Each function accepts ONNX's inputs in their order, with None for missing optional inputs, and ONNX's attributes as
keywords. A function receives the default of an attribute that the node lacks, if the attribute has a default. The
module `table` assigns the functions to operators.
"""
