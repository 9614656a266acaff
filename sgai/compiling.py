"""Whether code can be compiled here at all."""

import functools
import logging

_log = logging.getLogger(__name__)


@functools.cache
def can_compile() -> bool:
    """Tell whether numba works; it is loaded to find out. Without it everything is done in Python, slowly.

    Examples
    --------
    >>> can_compile() in (True, False)
    True
    """
    try:
        import numba
    except ImportError as error:
        _log.warning("numba cannot be loaded (%s), so nothing is compiled and all is slower", error)
        return False
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        _log.warning("NUMBA_DISABLE_JIT is set, so nothing is compiled and all is slower")
        return False
    return True
