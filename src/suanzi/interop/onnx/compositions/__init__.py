"""ONNX operators that are a few public operators of suanzi together.

Each function takes ONNX's inputs in their order, missing optional ones as None, and ONNX's attributes as keywords;
attributes that are absent from a node and have a default arrive with it. The table says which operators they are.
"""
