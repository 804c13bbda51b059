"""A traced function as a graph: nodes are values, and name the operators and operands that made them.

`recording` notes the calls of a function, `node` is what it notes, `memory` says what of that is in memory when, and
`steps` what a program does one after the other. Nothing here computes: a target (`suanzi.fusion` on the processor)
plans the steps and carries them out.
"""
