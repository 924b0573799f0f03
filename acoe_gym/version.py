"""The package's version, in a module of its own so that the core need not import the face."""

__version__ = "0.1.0"
