"""Hints in error messages: the code to write instead. The tables of hints are data, and `answers` finds an error's row.

`functions` contains the functions of other libraries, and `synonyms.toml` contains further words for functions.
`tensors` contains attributes of tensors. `words` contains keywords, element types, devices and remedies for errors.
Only `tensors` is loaded before an error is made.
"""
