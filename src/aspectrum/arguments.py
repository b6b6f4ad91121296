"""Arguments of public functions: a call with one that there is not says which is meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from aspectrum.errors import ArgumentError, joined
from aspectrum.wording import did_you_mean, listed

P = ParamSpec("P")
R = TypeVar("R")

_HINTS = {
    **dict.fromkeys(("k", "top_k", "topk", "cutoff", "cutoffs", "at"), "a cutoff belongs to a metric: write 'NDCG@10'"),
    **dict.fromkeys(("run", "runs", "recs", "recommendations", "predictions", "lists"), "the lists are the first argument"),
    **dict.fromkeys(("nuggets", "nugget_bank"), "pass subtopics=asp.Nuggets.read(...)"),
}
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("qrels", "judgments"), ("relevance", "subtopics", "nuggets", "test")),
    **dict.fromkeys(("tokens", "token_counts", "doc_lengths"), ("lengths",)),
    **dict.fromkeys(("truth", "ground_truth", "test", "y_true", "ratings", "relevance"), ("relevance", "test")),
    **dict.fromkeys(("train", "interactions", "seen", "history"), ("history", "train")),
    **dict.fromkeys(("genres", "categories", "topics", "tags", "aspects"), ("aspects", "communities")),
    **dict.fromkeys(("embeddings", "vectors"), ("features",)),
    **dict.fromkeys(("n_jobs", "workers", "num_threads"), ("threads",)),
    **dict.fromkeys(("verbose", "show_progress"), ("progress",)),
}
"""Arguments by what they are called elsewhere; the ones that a function has are meant."""


def meant_by(name: str, known: Collection[str]) -> list[str]:
    """Arguments, or options, that are called so elsewhere."""
    return [other for other in _OTHER_NAMES.get(name.lower(), ()) if other in known]


def unknown_argument(function: str, name: str, known: Collection[str], hints: Mapping[str, str] = _HINTS) -> ArgumentError:
    """The error for an argument that there is not."""
    meant = [f"{other}=" for other in meant_by(name, known)]
    hint = hints.get(name.lower()) or (f"use {listed(meant)}" if meant else "")
    return ArgumentError(f"{function}() has no argument {name!r}{f'; {hint}' if hint else did_you_mean(name, known)}")


def with_hints(form: str, *, like: Callable[..., Any] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: a wrong call says what is wrong with it.

    Args:
        form: How the function is called, as an example.
        like: Another function whose arguments are taken, too.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        signature, name = inspect.signature(function), function.__qualname__.removesuffix(".__init__")
        more = () if like is None else tuple(inspect.signature(like).parameters)[1:]
        known = [*(one.name for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD and one.name != "self"), *more]

        @wraps(function)
        def called(*args: P.args, **options: P.kwargs) -> R:
            unknown = [unknown_argument(name, option, known) for option in options if option not in known]
            if unknown:
                raise joined(unknown)
            try:
                signature.bind(*args, **options)
            except TypeError as error:
                raise ArgumentError(f"{name}(): {error}; it is called as {form}") from None
            return function(*args, **options)

        if like is not None:  # for help texts and notebooks, which would show **options
            own = {one.name: one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD}
            theirs = {one.name: one for one in list(inspect.signature(like).parameters.values())[1:]}
            called.__signature__ = signature.replace(parameters=list({**own, **theirs, **own}.values()))  # type: ignore[attr-defined]
        return called

    return decorated
