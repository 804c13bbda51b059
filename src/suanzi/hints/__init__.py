"""Hints: what to write in place of what went wrong. The tables are data, and `answers` finds the row.

`functions` has the functions of other libraries, `synonyms.toml` further words for functions, `tensors` the attributes
of tensors, `words` keywords, element types, devices and what to do about errors. Nothing but `tensors` is loaded before
an error is made.
"""
