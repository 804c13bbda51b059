"""Hints about what to write instead. The tables are data, and `answers` finds the row.

`functions` has other libraries' functions, `synonyms.toml` further words for functions, `tensors` attributes of
tensors, and `words` keywords, element types, devices and remedies for errors. Only `tensors` is loaded before an error
is made.
"""
