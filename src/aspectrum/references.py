"""The papers that define the metrics, as BibTeX: what a paper that reports their numbers should cite."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aspectrum.errors import MetricError
from aspectrum.metric import Metric
from aspectrum.wording import did_you_mean


@dataclass(frozen=True)
class Reference:
    """A paper. ``authors`` are written "Last, First"; ``published`` has the other fields of its entry, by name."""

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    published: Mapping[str, str] = field(default_factory=dict)

    def bibtex(self, key: str) -> str:
        """The entry, in plain ASCII, which every version of BibTeX reads."""
        contents = {"author": " and ".join(self.authors), "title": self.title, **self.published, "year": str(self.year)}
        lines = (f"  {name} = {{{_ascii(text)}}}," for name, text in contents.items())
        return "\n".join([f"@{self.kind}{{{key},", *lines, "}"])


def bibtex(metrics: Iterable[Metric | type[Metric]]) -> str:
    r"""The entries that some metrics cite, by key, each once.

    >>> from aspectrum.metrics import AlphaDCG, AlphaNDCG
    >>> print(bibtex([AlphaNDCG(k=10), AlphaDCG]))  # doctest: +ELLIPSIS
    @inproceedings{clarke2008novelty,
      author = {Clarke, Charles L. A. and Kolla, Maheedhar and ... and B{\"u}ttcher, Stefan and MacKinnon, Ian},
      title = {Novelty and diversity in information retrieval evaluation},
      ...
      year = {2008},
    }
    """
    keys = sorted({key for metric in metrics for key in metric.cites})
    for key in keys:
        if key not in REFERENCES:
            raise MetricError(f"unknown reference {key!r}{did_you_mean(key, REFERENCES)}")
    return "\n\n".join(REFERENCES[key].bibtex(key) for key in keys)


_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"'}


def _ascii(text: str) -> str:
    """Accented letters as commands in braces, which BibTeX sorts and shortens as letters."""

    def command(found: re.Match[str]) -> str:
        letter = r"\i" if found[1] == "i" else found[1]  # without its dot
        return rf"{{\{_ACCENTS[found[2]]}{letter}}}"

    return re.sub(f"(.)([{''.join(_ACCENTS)}])", command, unicodedata.normalize("NFD", text))


def _conference(authors: str, title: str, year: int, booktitle: str, pages: str = "", doi: str = "", **more: str) -> Reference:
    published = {"booktitle": booktitle, "pages": pages, **more, "doi": doi}
    return Reference("inproceedings", tuple(authors.split("; ")), title, year, {name: text for name, text in published.items() if text})


def _journal(authors: str, title: str, year: int, journal: str, volume: str, number: str, pages: str, doi: str = "") -> Reference:
    published = {"journal": journal, "volume": volume, "number": number, "pages": pages, "doi": doi}
    return Reference("article", tuple(authors.split("; ")), title, year, {name: text for name, text in published.items() if text})


_SIGIR = "International ACM SIGIR Conference on Research and Development in Information Retrieval"
_RECSYS = "ACM Conference on Recommender Systems"

REFERENCES: Mapping[str, Reference] = {
    "agrawal2009diversifying": _conference(
        "Agrawal, Rakesh; Gollapudi, Sreenivas; Halverson, Alan; Ieong, Samuel",
        "Diversifying search results",
        2009,
        "Proceedings of the Second ACM International Conference on Web Search and Data Mining",
        "5--14",
        "10.1145/1498759.1498766",
    ),
    "buckley2000evaluating": _conference(
        "Buckley, Chris; Voorhees, Ellen M.",
        "Evaluating evaluation measure stability",
        2000,
        f"Proceedings of the 23rd Annual {_SIGIR}",
        "33--40",
        "10.1145/345508.345543",
    ),
    "castells2015novelty": Reference(
        "incollection",
        ("Castells, Pablo", "Hurley, Neil J.", "Vargas, Saúl"),
        "Novelty and diversity in recommender systems",
        2015,
        {
            "booktitle": "Recommender Systems Handbook",
            "edition": "Second",
            "editor": "Ricci, Francesco and Rokach, Lior and Shapira, Bracha",
            "publisher": "Springer",
            "pages": "881--918",
            "doi": "10.1007/978-1-4899-7637-6_26",
        },
    ),
    "chapelle2011intent": _journal(
        "Chapelle, Olivier; Ji, Shihao; Liao, Ciya; Velipasaoglu, Emre; Lai, Larry; Wu, Su-Lin",
        "Intent-based diversification of web search results: metrics and algorithms",
        2011,
        "Information Retrieval",
        "14",
        "6",
        "572--592",
    ),
    "clarke2008novelty": _conference(
        "Clarke, Charles L. A.; Kolla, Maheedhar; Cormack, Gordon V.; Vechtomova, Olga; Ashkan, Azin; Büttcher, Stefan; MacKinnon, Ian",
        "Novelty and diversity in information retrieval evaluation",
        2008,
        f"Proceedings of the 31st Annual {_SIGIR}",
        "659--666",
        "10.1145/1390334.1390446",
    ),
    "clarke2009effectiveness": _conference(
        "Clarke, Charles L. A.; Kolla, Maheedhar; Vechtomova, Olga",
        "An effectiveness measure for ambiguous and underspecified queries",
        2009,
        "Advances in Information Retrieval Theory: Second International Conference on the Theory of Information Retrieval",
        "188--199",
        "10.1007/978-3-642-04417-5_17",
    ),
    "jarvelin2002cumulated": _journal(
        "Järvelin, Kalervo; Kekäläinen, Jaana",
        "Cumulated gain-based evaluation of {IR} techniques",
        2002,
        "ACM Transactions on Information Systems",
        "20",
        "4",
        "422--446",
        "10.1145/582415.582418",
    ),
    "kent1955machine": _journal(
        "Kent, Allen; Berry, Madeline M.; Luehrs, Jr., Fred U.; Perry, J. W.",
        "Machine literature searching {VIII}. Operational criteria for designing information retrieval systems",
        1955,
        "American Documentation",
        "6",
        "2",
        "93--101",
        "10.1002/asi.5090060209",
    ),
    "sanzcruzado2018structural": _conference(
        "Sanz-Cruzado, Javier; Pepa, S. M.; Castells, Pablo",
        "Structural novelty and diversity in link prediction",
        2018,
        "Companion Proceedings of The Web Conference 2018",
        "1347--1351",
        note="9th International Workshop on Modeling Social Media (MSM 2018)",
    ),
    "smyth2001similarity": _conference(
        "Smyth, Barry; McClave, Paul",
        "Similarity vs. diversity",
        2001,
        "Case-Based Reasoning Research and Development: 4th International Conference on Case-Based Reasoning",
        "347--361",
        "10.1007/3-540-44593-5_25",
    ),
    "vargas2011rank": _conference(
        "Vargas, Saúl; Castells, Pablo",
        "Rank and relevance in novelty and diversity metrics for recommender systems",
        2011,
        f"Proceedings of the Fifth {_RECSYS}",
        "109--116",
        "10.1145/2043932.2043955",
    ),
    "vargas2014improving": _conference(
        "Vargas, Saúl; Castells, Pablo",
        "Improving sales diversity by recommending users to items",
        2014,
        f"Proceedings of the 8th {_RECSYS}",
        "145--152",
        "10.1145/2645710.2645744",
    ),
    "vasilev2024replay": _conference(
        "Vasilev, Alexey; Volodkevich, Anna; Kulandin, Denis; others",
        "{RePlay}: a recommendation framework for experimentation and production use",
        2024,
        f"Proceedings of the 18th {_RECSYS}",
        url="https://arxiv.org/abs/2409.07272",
    ),
    "zhai2003beyond": _conference(
        "Zhai, ChengXiang; Cohen, William W.; Lafferty, John",
        "Beyond independent relevance: methods and evaluation metrics for subtopic retrieval",
        2003,
        f"Proceedings of the 26th Annual {_SIGIR}",
        "10--17",
        "10.1145/860435.860440",
    ),
}
"""Entries by key: first author, year, first word of the title."""
