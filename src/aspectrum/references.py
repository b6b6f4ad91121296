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
_KDD = "ACM SIGKDD International Conference on Knowledge Discovery and Data Mining"
_RECSYS = "ACM Conference on Recommender Systems"

REFERENCES: Mapping[str, Reference] = {
    "abdollahpouri2019managing": _conference(
        "Abdollahpouri, Himan; Burke, Robin; Mobasher, Bamshad",
        "Managing popularity bias in recommender systems with personalized re-ranking",
        2019,
        "Proceedings of the Thirty-Second International Florida Artificial Intelligence Research Society Conference",
        "413--418",
    ),
    "abdollahpouri2020connection": _conference(
        "Abdollahpouri, Himan; Mansoury, Masoud; Burke, Robin; Mobasher, Bamshad",
        "The connection between popularity bias, calibration, and fairness in recommendation",
        2020,
        f"Proceedings of the 14th {_RECSYS}",
        "726--731",
        "10.1145/3383313.3418487",
    ),
    "adomavicius2012improving": _journal(
        "Adomavicius, Gediminas; Kwon, YoungOk",
        "Improving aggregate recommendation diversity using ranking-based techniques",
        2012,
        "IEEE Transactions on Knowledge and Data Engineering",
        "24",
        "5",
        "896--911",
        "10.1109/TKDE.2011.15",
    ),
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
    "diaz2020evaluating": _conference(
        "Diaz, Fernando; Mitra, Bhaskar; Ekstrand, Michael D.; Biega, Asia J.; Carterette, Ben",
        "Evaluating stochastic rankings with expected exposure",
        2020,
        "Proceedings of the 29th ACM International Conference on Information and Knowledge Management",
        "275--284",
        "10.1145/3340531.3411962",
    ),
    "ekstrand2020lenskit": _conference(
        "Ekstrand, Michael D.",
        "{LensKit} for {Python}: next-generation software for recommender systems experiments",
        2020,
        "Proceedings of the 29th ACM International Conference on Information and Knowledge Management",
        "2999--3006",
        "10.1145/3340531.3412778",
    ),
    "ekstrand2022overview": _conference(
        "Ekstrand, Michael D.; McDonald, Graham; Raj, Amifa; Johnson, Isaac",
        "Overview of the {TREC} 2022 {Fair Ranking} track",
        2022,
        "Proceedings of the Thirty-First Text REtrieval Conference (TREC 2022)",
        url="https://arxiv.org/abs/2302.05558",
    ),
    "ge2010beyond": _conference(
        "Ge, Mouzhi; Delgado-Battenfeld, Carla; Jannach, Dietmar",
        "Beyond accuracy: evaluating recommender systems by coverage and serendipity",
        2010,
        f"Proceedings of the Fourth {_RECSYS}",
        "257--260",
        "10.1145/1864708.1864761",
    ),
    "friedman2023vendi": Reference(
        "article",
        ("Friedman, Dan", "Dieng, Adji Bousso"),
        "The {Vendi} score: a diversity evaluation metric for machine learning",
        2023,
        {"journal": "Transactions on Machine Learning Research", "url": "https://arxiv.org/abs/2210.02410"},
    ),
    "geyik2019fairness": _conference(
        "Geyik, Sahin Cem; Ambler, Stuart; Kenthapadi, Krishnaram",
        "Fairness-aware ranking in search \\& recommendation systems with application to {LinkedIn} talent search",
        2019,
        f"Proceedings of the 25th {_KDD}",
        "2221--2231",
        "10.1145/3292500.3330691",
    ),
    "granovetter1973strength": _journal(
        "Granovetter, Mark S.",
        "The strength of weak ties",
        1973,
        "American Journal of Sociology",
        "78",
        "6",
        "1360--1380",
        "10.1086/225469",
    ),
    "hill1973diversity": _journal(
        "Hill, M. O.",
        "Diversity and evenness: a unifying notation and its consequences",
        1973,
        "Ecology",
        "54",
        "2",
        "427--432",
        "10.2307/1934352",
    ),
    "deshpande2004item": _journal(
        "Deshpande, Mukund; Karypis, George",
        "Item-based top-{N} recommendation algorithms",
        2004,
        "ACM Transactions on Information Systems",
        "22",
        "1",
        "143--177",
        "10.1145/963770.963776",
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
    "kaminskas2016diversity": _journal(
        "Kaminskas, Marius; Bridge, Derek",
        "Diversity, serendipity, novelty, and coverage: a survey and empirical analysis of beyond-accuracy objectives in recommender systems",
        2016,
        "ACM Transactions on Interactive Intelligent Systems",
        "7",
        "1",
        "2:1--2:42",
        "10.1145/2926720",
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
    "murakami2008metrics": _conference(
        "Murakami, Tomoko; Mori, Koichiro; Orihara, Ryohei",
        "Metrics for evaluating the serendipity of recommendation lists",
        2008,
        "New Frontiers in Artificial Intelligence: JSAI 2007 Conference and Workshops",
        "40--46",
        "10.1007/978-3-540-78197-4_5",
    ),
    "pasarkar2024cousins": _conference(
        "Pasarkar, Amey P.; Dieng, Adji Bousso",
        "Cousins of the {Vendi} score: a family of similarity-based diversity metrics for science and machine learning",
        2024,
        "Proceedings of the 27th International Conference on Artificial Intelligence and Statistics",
        url="https://arxiv.org/abs/2310.12952",
    ),
    "moffat2008rank": _journal(
        "Moffat, Alistair; Zobel, Justin",
        "Rank-biased precision for measurement of retrieval effectiveness",
        2008,
        "ACM Transactions on Information Systems",
        "27",
        "1",
        "2:1--2:27",
        "10.1145/1416950.1416952",
    ),
    "sakai2011evaluating": _conference(
        "Sakai, Tetsuya; Song, Ruihua",
        "Evaluating diversified search results using per-intent graded relevance",
        2011,
        f"Proceedings of the 34th {_SIGIR}",
        "1043--1052",
        "10.1145/2009916.2010055",
    ),
    "sakai2007alternatives": _conference(
        "Sakai, Tetsuya",
        "Alternatives to Bpref",
        2007,
        f"Proceedings of the 30th {_SIGIR}",
        "71--78",
        "10.1145/1277741.1277756",
    ),
    "macavaney2022streamlining": _conference(
        "MacAvaney, Sean; Macdonald, Craig; Ounis, Iadh",
        "Streamlining evaluation with ir-measures",
        2022,
        "Advances in Information Retrieval: 44th European Conference on IR Research",
        "305--310",
        "10.1007/978-3-030-99739-7_38",
    ),
    "raj2022measuring": _conference(
        "Raj, Amifa; Ekstrand, Michael D.",
        "Measuring fairness in ranked results: an analytical and empirical comparison",
        2022,
        f"Proceedings of the 45th {_SIGIR}",
        "726--736",
        "10.1145/3477495.3532018",
    ),
    "newman2002email": _journal(
        "Newman, M. E. J.; Forrest, Stephanie; Balthrop, Justin",
        "Email networks and the spread of computer viruses",
        2002,
        "Physical Review E",
        "66",
        "3",
        "035101",
        "10.1103/PhysRevE.66.035101",
    ),
    "newman2003mixing": _journal(
        "Newman, M. E. J.",
        "Mixing patterns in networks",
        2003,
        "Physical Review E",
        "67",
        "2",
        "026126",
        "10.1103/PhysRevE.67.026126",
    ),
    "sanzcruzado2018enhancing": _conference(
        "Sanz-Cruzado, Javier; Castells, Pablo",
        "Enhancing structural diversity in social networks by recommending weak ties",
        2018,
        f"Proceedings of the 12th {_RECSYS}",
        "233--241",
        "10.1145/3240323.3240371",
    ),
    "sanzcruzado2018structural": _conference(
        "Sanz-Cruzado, Javier; Pepa, S. M.; Castells, Pablo",
        "Structural novelty and diversity in link prediction",
        2018,
        "Companion Proceedings of The Web Conference 2018",
        "1347--1351",
        note="9th International Workshop on Modeling Social Media (MSM 2018)",
    ),
    "shani2011evaluating": Reference(
        "incollection",
        ("Shani, Guy", "Gunawardana, Asela"),
        "Evaluating recommendation systems",
        2011,
        {
            "booktitle": "Recommender Systems Handbook",
            "editor": "Ricci, Francesco and Rokach, Lior and Shapira, Bracha and Kantor, Paul B.",
            "publisher": "Springer",
            "pages": "257--297",
            "doi": "10.1007/978-0-387-85820-3_8",
        },
    ),
    "sapiezynski2019quantifying": _conference(
        "Sapiezynski, Piotr; Zeng, Wesley; Robertson, Ronald E.; Mislove, Alan; Wilson, Christo",
        "Quantifying the impact of user attention on fair group representation in ranked lists",
        2019,
        "Companion Proceedings of The 2019 World Wide Web Conference",
        "553--562",
        "10.1145/3308560.3317595",
    ),
    "shannon1948mathematical": _journal(
        "Shannon, Claude E.",
        "A mathematical theory of communication",
        1948,
        "Bell System Technical Journal",
        "27",
        "3",
        "379--423",
        "10.1002/j.1538-7305.1948.tb01338.x",
    ),
    "simpson1949measurement": _journal(
        "Simpson, Edward H.",
        "Measurement of diversity",
        1949,
        "Nature",
        "163",
        "",
        "688",
        "10.1038/163688a0",
    ),
    "singh2018fairness": _conference(
        "Singh, Ashudeep; Joachims, Thorsten",
        "Fairness of exposure in rankings",
        2018,
        f"Proceedings of the 24th {_KDD}",
        "2219--2228",
        "10.1145/3219819.3220088",
    ),
    "smyth2001similarity": _conference(
        "Smyth, Barry; McClave, Paul",
        "Similarity vs. diversity",
        2001,
        "Case-Based Reasoning Research and Development: 4th International Conference on Case-Based Reasoning",
        "347--361",
        "10.1007/3-540-44593-5_25",
    ),
    "steck2018calibrated": _conference(
        "Steck, Harald",
        "Calibrated recommendations",
        2018,
        f"Proceedings of the 12th {_RECSYS}",
        "154--162",
        "10.1145/3240323.3240372",
    ),
    "vargas2011rank": _conference(
        "Vargas, Saúl; Castells, Pablo",
        "Rank and relevance in novelty and diversity metrics for recommender systems",
        2011,
        f"Proceedings of the Fifth {_RECSYS}",
        "109--116",
        "10.1145/2043932.2043955",
    ),
    "vargas2014coverage": _conference(
        "Vargas, Saúl; Baltrunas, Linas; Karatzoglou, Alexandros; Castells, Pablo",
        "Coverage, redundancy and size-awareness in genre diversity for recommender systems",
        2014,
        f"Proceedings of the 8th {_RECSYS}",
        "209--216",
        "10.1145/2645710.2645743",
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
    "vrijenhoek2022radio": _conference(
        "Vrijenhoek, Sanne; Bénédict, Gabriel; Gutierrez Granada, Mateo; Odijk, Daan; de Rijke, Maarten",
        "{RADio} -- rank-aware divergence metrics to measure normative diversity in news recommendations",
        2022,
        f"Proceedings of the 16th {_RECSYS}",
        "208--219",
        "10.1145/3523227.3546780",
    ),
    "yin2012challenging": _journal(
        "Yin, Hongzhi; Cui, Bin; Li, Jing; Yao, Junjie; Chen, Chen",
        "Challenging the long tail recommendation",
        2012,
        "Proceedings of the VLDB Endowment",
        "5",
        "9",
        "896--907",
        "10.14778/2311906.2311916",
    ),
    "voorhees1999trec": _conference(
        "Voorhees, Ellen M.",
        "The {TREC-8} question answering track report",
        1999,
        "Proceedings of the Eighth Text REtrieval Conference (TREC-8)",
        "77--82",
    ),
    "zhai2003beyond": _conference(
        "Zhai, ChengXiang; Cohen, William W.; Lafferty, John",
        "Beyond independent relevance: methods and evaluation metrics for subtopic retrieval",
        2003,
        f"Proceedings of the 26th Annual {_SIGIR}",
        "10--17",
        "10.1145/860435.860440",
    ),
    "zhou2010solving": _journal(
        r"Zhou, Tao; Kuscsik, Zoltán; Liu, Jian-Guo; Medo, Matú{\v{s}}; Wakeling, Joseph Rushton; Zhang, Yi-Cheng",
        "Solving the apparent diversity-accuracy dilemma of recommender systems",
        2010,
        "Proceedings of the National Academy of Sciences",
        "107",
        "10",
        "4511--4515",
        "10.1073/pnas.1000488107",
    ),
    "zhu2020measuring": _conference(
        "Zhu, Ziwei; Wang, Jianling; Caverlee, James",
        "Measuring and mitigating item under-recommendation bias in personalized ranking systems",
        2020,
        f"Proceedings of the 43rd {_SIGIR}",
        "449--458",
        "10.1145/3397271.3401177",
    ),
}
"""Entries by key: first author, year, first word of the title."""
