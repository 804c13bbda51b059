"""Hints about what to write instead. The tables are data, and `answers` finds the row.

`functions` contains other libraries' functions, and `synonyms.toml` contains further words for functions. `tensors`
contains attributes of tensors. `words` contains keywords, element types, devices and remedies for errors. Only
`tensors` is loaded before an error is made.
"""
