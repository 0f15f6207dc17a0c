"""The version of the package: one place."""

__version__ = "0.1.0.dev0"
