"""A traced function as a graph. Each node is a value, and names the operator and the operands of the value.

`recording` records the calls of a function, `node` defines the recorded values, `memory` decides when a value is in
memory, and `steps` lists a program's steps. This package computes nothing: the package `suanzi.fusion` plans and runs
the steps.
"""
