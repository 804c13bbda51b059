"""Hints about what to write instead. The tables of hints are data, and the module `answers` finds the row for an error.

`functions` contains other libraries' functions, and `synonyms.toml` contains further words for functions. `tensors`
contains attributes of tensors. `words` contains keywords, element types, devices and remedies for errors. Only
`tensors` is loaded before an error is made.
"""
