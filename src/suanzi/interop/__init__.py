"""Interfaces of other libraries that call Suanzi's functions; this package computes nothing."""
