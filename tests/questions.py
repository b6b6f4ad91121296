"""Nuggets as a reader gives them: questions with answers, some of which no item gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aspectrum.coding.rows import IdColumn, InputBundle, Rows


@dataclass(frozen=True)
class Question:
    """What a user wants: each answer by the items that give it, with strengths; all of them have to be given."""

    weight: float = 1.0
    answers: Sequence[Mapping[str, float]] = field(default_factory=list)

    @property
    def given(self) -> list[Mapping[str, float]]:
        return [answer for answer in self.answers if answer]


class Bank(InputBundle):
    """Questions of users, each as rows user, item, aspect; of several answers, each is an aspect."""

    def __init__(self, questions: Mapping[str, Sequence[Question]]) -> None:
        self._questions = questions

    def inputs(self) -> dict[str, Rows]:
        judged: list[tuple[str, str | None, str, str, float]] = []
        weights = []
        for user, asked in self._questions.items():
            for number, one in enumerate(asked):
                own = f"{user}-{number}"
                names = [f"{own}/{place}" for place in range(len(one.given))] or [own]
                judged += [(user, None, names[0], own, 1.0)] if not one.given else []
                judged += [
                    (user, item, name, own, strength)
                    for name, answer in zip(names, one.given, strict=False)
                    for item, strength in answer.items()
                ]
                weights += [(user, name, one.weight / len(names)) for name in names]
        users, items, aspects, nuggets, strengths = zip(*judged, strict=True) if judged else ((),) * 5
        ids = {"user": _column(users), "item": _column(items), "aspect": _column(aspects), "nugget": _column(nuggets)}
        subtopics = Rows("nuggets", ids, {"grade": np.ones(len(users)), "strength": np.array(strengths)}, lists_aspects=True)
        owners, weighed, numbers = zip(*weights, strict=True) if weights else ((),) * 3
        given = Rows("nuggets", {"user": _column(owners), "aspect": _column(weighed)}, {"weight": np.array(numbers, np.float64)})
        return {"subtopics": subtopics, "weights": given}


def _column(values: Sequence[str | None]) -> IdColumn:
    known = list(dict.fromkeys(value for value in values if value is not None))
    places = {value: place for place, value in enumerate(known)}
    return IdColumn(np.array([-1 if value is None else places[value] for value in values], np.int32), known)
