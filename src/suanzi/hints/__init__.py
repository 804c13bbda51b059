"""Hints in error messages. A hint names the code to write instead. The tables of hints are data, and the
modules `answers` and `calls` find the hint for an error.

The module `functions` contains the functions of other libraries, and `synonyms.toml` contains further names of
functions. The module `parts` contains names of namespaces and of random generators. The module `tensors` contains
attributes of tensors. The module `words` contains keywords, element types, devices and hints for errors. The
module `literals` writes a caller's values as code. Only the module `tensors` is loaded before an error occurs.
"""
