"""Other libraries' interfaces, translated to Suanzi's functions; this package computes nothing."""
