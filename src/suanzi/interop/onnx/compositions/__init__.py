"""ONNX operators that combine a few public operators of suanzi.

Each function takes ONNX's inputs in their order, with None for missing optional inputs, and ONNX's attributes as
keywords. An attribute that the node lacks arrives with its default, if it has one. The table names the operators.
"""
