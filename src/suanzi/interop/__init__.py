"""Interfaces of other libraries that call Suanzi's functions. The package `interop` computes nothing."""
