"""A traced function as a graph: nodes are values, and name the operators and operands that made them.

`recording` records the calls of a function, `node` has the recorded values, `memory` decides when a value is in memory,
and `steps` lists a program's steps. This package computes nothing: a target (`suanzi.fusion`) plans the steps and runs
them.
"""
