"""Arguments of public functions: a call with one that there is not says which is meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from aspectrum.errors import ArgumentError
from aspectrum.wording import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

_CUTOFF = "a cutoff belongs to a metric: write 'NDCG@10'"
_LISTS = "the lists are the first argument"
_MEANT = {
    "qrels": "use relevance=, or subtopics= for judgments of subtopics",
    **dict.fromkeys(("k", "top_k", "topk", "cutoff", "cutoffs", "at"), _CUTOFF),
    **dict.fromkeys(("run", "runs", "recs", "recommendations", "predictions", "lists", "reco"), _LISTS),
    **dict.fromkeys(("truth", "ground_truth", "test", "y_true", "ratings", "judgments"), "use relevance="),
    **dict.fromkeys(("train", "interactions", "seen"), "use history="),
    **dict.fromkeys(("genres", "categories", "topics", "tags"), "use aspects="),
    **dict.fromkeys(("embeddings", "vectors"), "use features="),
    **dict.fromkeys(("n_jobs", "workers", "num_threads"), "use threads="),
    **dict.fromkeys(("verbose", "show_progress", "show_progress_bar"), "use progress=True"),
}
"""What other tools call things."""


def unknown_argument(function: str, name: str, known: Collection[str], meant: Mapping[str, str] = {}) -> ArgumentError:
    """The error for an argument that there is not; `meant` says what else names are used for, beside the usual."""
    hint = did_you_mean(name, known)
    others = {**_MEANT, **meant}
    said = others.get(name.lower(), "")
    return ArgumentError(f"{function}() has no argument {name!r}{f'; {said}' if said else hint}")


def with_hints(
    form: str, *, like: Callable[..., Any] | None = None, meant: Mapping[str, str] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: a wrong call says what is wrong with it.

    Args:
        form: How the function is called, as an example.
        like: Another function whose arguments are taken, too.
        meant: What names that it does not have are used for elsewhere, beside the usual.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        signature, name = inspect.signature(function), function.__qualname__.removesuffix(".__init__")
        more = () if like is None else tuple(inspect.signature(like).parameters)[1:]
        known = [*(one.name for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD and one.name != "self"), *more]

        @wraps(function)
        def called(*args: P.args, **options: P.kwargs) -> R:
            for option in options:
                if option not in known:
                    raise unknown_argument(name, option, known, meant or {})
            try:
                signature.bind(*args, **options)
            except TypeError as error:
                raise ArgumentError(f"{name}(): {error}; it is called as {form}") from None
            return function(*args, **options)

        return called

    return decorated
