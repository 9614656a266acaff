"""Measurements that a user can repeat, each a module to run with ``python -m``."""
