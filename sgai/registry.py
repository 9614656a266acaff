"""The rulesets that are known by name, those of sgai and those that users register."""

import contextlib
import importlib
import importlib.util
import inspect
import logging
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from sgai.errors import SgaiError, nearest, quote, quote_path
from sgai.ruleset import Ruleset
from sgai.syntax import is_call, parse_call

AnyRulesetClass = type[Ruleset[Any, Any]]
RulesetClassT = TypeVar("RulesetClassT", bound=AnyRulesetClass)


class Origin(NamedTuple):
    """Where a registered class came from, so that another process can load it: a module's name and its file."""

    module: str
    file: str | None


_classes: dict[str, AnyRulesetClass] = {}
_origins: dict[str, Origin] = {}
_listeners: list[Callable[[str], None]] = []
_moved: dict[Path, Path] = {}  # where files are that came from another machine, by their paths there


def register(cls: RulesetClassT) -> RulesetClassT:
    """Make a ruleset known by name: to `load_ruleset`, the command line and, with `sgai.envs` imported, OpenSpiel.

    Parameters
    ----------
    cls : type
        A subclass of `Ruleset` with a ``name``. Its module or file is remembered: unpickling in another process and
        pool workers import it first.

    Returns
    -------
    type
        ``cls`` itself, so that this works as a decorator.

    Raises
    ------
    SgaiError
        If the class has no usable name, or the name belongs to another class.
    """
    if not (inspect.isclass(cls) and issubclass(cls, Ruleset)):
        raise SgaiError(f"{quote(cls)} is not a subclass of sgai.Ruleset")
    name = cls.name
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        raise SgaiError(
            f"the name {name!r} of {cls.__name__} should be lower-case letters, digits and underscores (ASCII)"
        )
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise SgaiError(f"{cls.__name__} still lacks: {missing}")
    taken = {"play", "compound", "ending", *(["horizon"] if cls.loopy or cls.can_be_loopy else [])}
    reserved = set(cls.parameters()) & taken
    if reserved:
        raise SgaiError(f"{cls.__name__} has a parameter {reserved.pop()!r}, which every game has already; rename it")
    origin = _origin_of(cls)
    known = _classes.get(name)
    if known is not None and _identity(known, _origins[name]) != _identity(cls, origin):
        raise SgaiError(f"the name {name!r} is taken by {known.__module__}.{known.__qualname__}; choose another")
    before = _origins.get(name)
    _classes[name] = cls
    _origins[name] = origin
    try:
        for listener in _listeners:
            listener(name)
    except SgaiError:
        if known is None or before is None:
            del _classes[name], _origins[name]
        else:
            _classes[name], _origins[name] = known, before
        raise
    return cls


def on_register(listener: Callable[[str], None]) -> None:
    """Call ``listener(name)`` for every ruleset that is registered, now and later.

    A ruleset that a listener refuses with an `SgaiError` is not registered at all, or, if it was before, left out with
    a warning in the log.
    """
    _listeners.append(listener)
    for name in ruleset_names():
        try:
            listener(name)
        except SgaiError as error:
            logging.getLogger(__name__).warning("ruleset %r is left out: %s", name, error)


def ruleset_names() -> list[str]:
    """Return the registered names, sorted.

    Examples
    --------
    >>> "nim" in ruleset_names()
    True
    """
    _load_own()
    return sorted(_classes)


def ruleset_class(name: str) -> AnyRulesetClass:
    """Return the class that is registered under a name.

    Raises
    ------
    SgaiError
        If there is none; the message names the nearest.
    """
    _load_own()
    if name not in _classes:
        raise SgaiError(f"unknown ruleset {name!r}{nearest(name, _classes)}; `sgai games` lists all")
    return _classes[name]


def load_ruleset(text: str | Ruleset[Any, Any]) -> Ruleset[Any, Any]:
    """Make a ruleset from its text.

    Parameters
    ----------
    text : str
        ``name``, ``name(key=value,...)`` or a bare take-and-break code such as ``0.77``; a `Ruleset` is returned as it
        is.

    Raises
    ------
    SgaiError
        For an unknown name or parameter (with the nearest known one), or a value that is not of its kind.

    Examples
    --------
    >>> load_ruleset("subtraction(take=[2;5])")
    Subtraction(take=(2, 5))
    >>> load_ruleset("0.77")
    TakeAndBreak(code='0.77')
    """
    if isinstance(text, Ruleset):
        return text
    if not isinstance(text, str):
        raise SgaiError(f"{quote(text)} is neither a ruleset nor text that names one")
    if not is_call(text):
        if re.match("[A-Za-z_]{2}", text.strip()):
            raise SgaiError(f"{quote(text)} is no ruleset; write name or name(key=value,key=value), lists in brackets")
        code: dict[str, Any] = {"code": text.strip()}
        return ruleset_class("take_and_break")(**code)
    call = parse_call(text)
    cls = ruleset_class(call.name)
    parameters = cls.parameters()
    values = {
        name: parameters[name].parse(value) if name in parameters else value for name, value in call.arguments.items()
    }
    return cls(**values)


def note_moved(file: str | Path, place: str | Path) -> None:
    """Note where a user's file is on this machine that came from another one, and is asked for by its path there."""
    _moved[Path(file).resolve()] = Path(place).resolve()


def load_plugin(file: str | Path) -> ModuleType:
    """Import a Python file of a user, which registers its rulesets.

    Raises
    ------
    SgaiError
        If the file is missing or raises an error; the message says which.
    """
    path = Path(file).resolve()
    path = _moved.get(path, path)
    if not path.is_file():
        raise SgaiError(f"there is no file {quote_path(file)} to load rulesets from")
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) and Path(str(module.__file__)).resolve() == path:
            return module
    # Files of the same name in different folders are different modules.
    name = f"sgai_plugin_{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SgaiError(f"{quote_path(file)} is no Python file; name one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before = set(_classes)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        # Nothing of a file that failed may stay behind.
        del sys.modules[name]
        for name_added in _classes.keys() - before:
            del _classes[name_added], _origins[name_added]
        if isinstance(error, Exception | SystemExit):
            raise SgaiError(f"{quote_path(file)} could not be loaded: {type(error).__name__}: {error}") from error
        raise
    return module


def origin(name: str) -> Origin:
    """Return where a registered ruleset came from."""
    ruleset_class(name)
    return _origins[name]


def ensure_registered(name: str, module: str, file: str | None) -> AnyRulesetClass:
    """Return a registered class, after importing what registers it where this process has not done so."""
    _load_own()
    if name not in _classes and module != "__main__":
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    if name not in _classes:
        if file is None:
            raise SgaiError(
                f"ruleset {name!r} was defined in {module!r}, which does not define it here: put it in a file"
            )
        load_plugin(file)
    return ruleset_class(name)


def pickled(ruleset: Ruleset[Any, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return what pickle needs to make the ruleset again in another process."""
    cls = type(ruleset)
    known = _classes.get(cls.name)
    # A class that was defined again, in a notebook say, is what the name stands for now.
    if known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__):
        return _unpickle_registered, (cls.name, *_origins[cls.name], ruleset.arguments())
    return _unpickle_class, (cls, ruleset.arguments())


def _unpickle_registered(name: str, module: str, file: str | None, arguments: dict[str, Any]) -> Ruleset[Any, Any]:
    return ensure_registered(name, module, file)(**arguments)


def _unpickle_class(cls: AnyRulesetClass, arguments: dict[str, Any]) -> Ruleset[Any, Any]:
    return cls(**arguments)


def _origin_of(cls: AnyRulesetClass) -> Origin:
    try:
        file = inspect.getsourcefile(cls)
    except (TypeError, OSError):  # defined in an interactive session
        file = None
    if file is None or cls.__module__.startswith("sgai.") or not Path(file).is_file():
        return Origin(cls.__module__, None)  # ours are found by module: no path of this machine need travel
    return Origin(cls.__module__, str(Path(file).resolve()))


def _identity(cls: AnyRulesetClass, origin: Origin) -> tuple[str, str]:
    # The same class may come in twice: as __main__ and by its module's name, or after an edit in a notebook.
    return (cls.__qualname__, origin.file or origin.module)


def _load_own() -> None:
    import sgai.rulesets  # noqa: F401 - its import registers them; it needs this module first
