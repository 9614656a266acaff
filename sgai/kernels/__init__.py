"""Compiled kernels: the only modules that import numba, loaded where the work is large enough to be worth it."""
