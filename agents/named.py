"""Things that are made by name and parameters, as the command line and match files write them."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sgai.errors import SgaiError, nearest, quote
from sgai.parameters import Parameter, parameters_from_signature, unknown_parameter
from sgai.syntax import format_call, parse_call


@dataclass(frozen=True)
class Named:
    """A kind of agent with its parameters; subclasses say which kinds there are.

    Attributes
    ----------
    makers : mapping
        What makes each kind, by name; its annotated arguments are the parameters.
    skipped : collection of str
        Arguments that are none.
    """

    makers: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    skipped: ClassVar[Collection[str]] = ()

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``name`` or ``name(key=value,...)``.

        Raises
        ------
        SgaiError
            For an unknown agent or parameter, or a value of the wrong type.
        """
        call = parse_call(text)
        if call.name not in cls.makers:
            known = ", ".join(sorted(cls.makers))
            raise SgaiError(f"unknown agent {quote(call.name)}{nearest(call.name, cls.makers)}; agents are: {known}")
        parameters = cls(call.name).parameters()
        arguments = []
        for name, value in call.arguments.items():
            if name not in parameters:
                raise unknown_parameter(f"agent {call.name!r}", name, parameters)
            arguments.append((name, parameters[name].parse(value)))
        return cls(call.name, tuple(arguments))

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters of this kind by name."""
        return parameters_from_signature(inspect.signature(self.makers[self.name]), skip=self.skipped)

    def complete(self) -> tuple[Any, ...]:
        """Return name and all parameters, defaults included: what two texts of the same agent share."""
        given = dict(self.arguments)
        return (self.name, *(given.get(name, each.default) for name, each in self.parameters().items()))

    def make(self, subject: Any, seed: int, **fixed: Any) -> Any:
        """Return an agent for a game or ruleset; the seed goes to agents that take one and were not given one."""
        options = dict(self.arguments)
        if "seed" in self.parameters():
            options.setdefault("seed", seed)
        return self.makers[self.name](subject, **options, **fixed)

    def __str__(self) -> str:
        parameters = self.parameters()
        return format_call(self.name, [(name, parameters[name].kind.format(value)) for name, value in self.arguments])
