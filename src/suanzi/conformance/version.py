"""The version of the kit, for reports and for its distribution."""

__version__ = "0.2.0"
