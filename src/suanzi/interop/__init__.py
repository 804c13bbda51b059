"""Suanzi's functions with the interfaces of other libraries. The package `interop` computes nothing."""
