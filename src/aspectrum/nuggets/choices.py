"""What a user may choose about how nuggets are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from aspectrum.arguments import unknown_argument
from aspectrum.arrays import is_finite
from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.io.json_values import Place
from aspectrum.wording import listed, shortened

Importance = Literal["all", "vital", "2:1"]
Both = Literal["unsupported", "supported"]


@dataclass(frozen=True)
class Choices:
    """How nuggets are read; see :meth:`Nuggets.read`."""

    partial_support: float = 0.5
    importance: Importance = "all"
    sub_nuggets: bool = False
    ratings: float | Literal["strength"] = 3.0
    ratings_andor: bool = False
    both_lists: Both | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        if not is_finite(self.partial_support) or not 0 <= self.partial_support <= 1:
            raise _wrong("partial_support", self.partial_support, "a number from 0 (strict) to 1 (lenient)")
        for name, words in (("importance", Importance), ("both_lists", Both)):
            value = getattr(self, name)
            if value not in get_args(words) and not (name == "both_lists" and value is None):
                raise _wrong(name, value, listed(map(repr, get_args(words))))
        for name in ("sub_nuggets", "ratings_andor"):
            if not isinstance(getattr(self, name), bool):
                raise _wrong(name, getattr(self, name), "true or false")
        if self.ratings != "strength" and (not is_finite(self.ratings) or not 0 < self.ratings <= 5):
            raise _wrong("ratings", self.ratings, "the rating from which a nugget is supported, above 0 and up to 5, or 'strength'")
        if self.task is not None and not isinstance(self.task, str):
            raise _wrong("task", self.task, "the name of a task, such as 'biology'")

    @classmethod
    def of(cls, function: str, options: Mapping[str, Any]) -> Choices:
        """From the arguments of a function."""
        known = [option.name for option in fields(cls)]
        for name in options:
            if name not in known:
                raise unknown_argument(function, name, [*known, "format"], {})
        return cls(**options)

    @property
    def made(self) -> dict[str, Any]:
        """What was chosen, where that is not the default."""
        return {option.name: value for option in fields(self) if (value := getattr(self, option.name)) != option.default}

    def weight(self, importance: Any, place: Place) -> float | None:
        """How much a nugget weighs; None if it is not wanted."""
        if isinstance(importance, int | float) and not isinstance(importance, bool):
            if self.importance == "vital":
                raise place.error("importance is a number, so which nuggets are vital is not known; expected 'vital' or 'okay'", importance)
            if not is_finite(importance) or importance <= 0:
                raise place.error("expected an importance above 0", importance)
            return float(importance)
        vital = importance == "vital"
        return {"all": 1.0, "vital": 1.0 if vital else None, "2:1": 2.0 if vital else 1.0}[self.importance]


def is_known(importance: Any) -> bool:
    """Whether it is clear what an importance means; any other counts as okay."""
    return importance in (None, "vital", "okay") or (isinstance(importance, int | float) and not isinstance(importance, bool))


def _wrong(name: str, value: Any, expected: str) -> InputError:
    return InputError(Option(name), f" is {shortened(repr(value))}, expected {expected}")
