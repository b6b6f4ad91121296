"""Numbers of other tools on the toy world, and the metric and convention that give each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """What a tool prints for the toy world.

    Args:
        tool: The tool.
        name: What it calls the metric.
        metric: The text form of our metric.
        value: What the tool prints.
        convention: The convention under which our metric gives the same.
        world: The lists and inputs, by their name in :mod:`aspectrum.toy_world`.
        digits: To how many digits after the point the numbers agree; a tool may print or compute fewer.
        remark: What to know of it.
    """

    tool: str
    name: str
    metric: str
    value: float
    convention: str = "published"
    world: str = "toy"
    digits: int = 6
    remark: str = ""


PEERS: tuple[Peer, ...] = (
    Peer("PyG", "LinkPredCoverage", "CatalogueCoverage@3", 0.75, "pyg"),
    Peer("RecTools", "CatalogCoverage, normalize=True", "CatalogueCoverage@3", 0.75),
    Peer("RecTools", "CatalogCoverage", "CatalogueCoverage@3", 6, "rectools", remark="the number of items"),
    Peer("Elliot", "ItemCoverage", "CatalogueCoverage@3", 6, "elliot"),
    Peer("WarpRec", "ItemCoverage", "CatalogueCoverage@3", 6, "warprec"),
    Peer("LensKit", "UniqueItemCount", "CatalogueCoverage@3", 6, "lenskit"),
    Peer("RankSys", "AggregateDiversityMetric", "CatalogueCoverage@3", 7.75, "ranksys", "uneven", remark="for 5 items"),
    Peer("recmetrics", "prediction_coverage", "CatalogueCoverage@3", 75, "recmetrics", remark="in percent"),
    Peer("RePlay", "Coverage", "CatalogueCoverage@3", 0.8, "replay", remark="of items that any user interacted with"),
    Peer("Evidently", "ItemCoverage", "CatalogueCoverage@3", 0.8, "evidently", remark="of items that any user interacted with"),
    Peer("Microsoft Recommenders", "catalog_coverage", "CatalogueCoverage@3", 1.2, "msrec", remark="items nobody had are above, not below"),
    Peer("RecBole", "ItemCoverage", "CatalogueCoverage@3", 0.666667, "recbole", remark="its padding token is an item"),
    Peer("WarpRec", "Gini", "Gini@3", 0.428571, "warprec"),
    Peer("Elliot", "Gini", "Gini@3", 0.571429, "elliot", remark="the complement"),
    Peer("RankSys", "GiniIndex", "Gini@3", 0.571429, "ranksys", remark="the complement"),
    Peer("LensKit", "ListGini", "Gini@3", 0.375, "lenskit"),
    Peer("LensKit", "ExposureGini", "Gini(discount=geometric)@3", 0.401239, "lenskit", remark="in 32-bit numbers"),
    Peer("RecBole", "GiniIndex", "Gini@3", 0.444444, "recbole", remark="its padding token is an item"),
    Peer("Evidently", "Gini Index", "Gini@3", 0.2, "evidently", remark="of the recommended items alone"),
    Peer("RELISON", "Predicted Gini complement", "GiniComplement@3", 0.571429, "relison"),
    Peer("Elliot", "Gini", "GiniComplement@3", 0.571429, "elliot"),
    Peer("Microsoft Recommenders", "distributional_coverage", "ExposureEntropy@3", 2.503258, "msrec"),
    Peer("WarpRec", "ShannonEntropy", "ExposureEntropy@3", 1.735126, "warprec", remark="in nats"),
    Peer("Elliot", "SEntropy", "ExposureEntropy@3", 2.503258, "elliot"),
    Peer("Elliot", "SEntropy", "ExposureEntropy@3", 2.307185, "elliot", "uneven", remark="lists weigh alike, whatever their length"),
    Peer("RankSys", "entropy", "ExposureEntropy@3", 2.307185, "ranksys", "uneven"),
    Peer("RankSys", "GiniSimpson", "ExposureEntropy(index=simpson, weigh=lists, over=k)@3", 0.858025, "ranksys", "uneven"),
    Peer("RecBole", "ShannonEntropy", "ExposureEntropy@3", 0.289188, "recbole", remark="divided by the number of items shown, in nats"),
    Peer("recmetrics", "personalization", "Personalization@3", 0.666667, "recmetrics"),
    Peer("jurity", "InterListDiversity", "Personalization@3", 0.666667, remark="with all users; it samples by default"),
    Peer("PyG", "LinkPredPersonalization", "Personalization@3", 0.666667, "pyg", remark="of the first 4,096 users there"),
    Peer("Evidently", "Personalization", "Personalization@3", 1.0556, "evidently", "uneven", 4, "above its range"),
    Peer("RecTools", "AvgRecPopularity", "AveragePopularity@3", 0.888889, "rectools"),
    Peer("RecTools", "AvgRecPopularity, normalize=True", "AveragePopularity(scale=interactions)@3", 0.098765, "rectools"),
    Peer("RecBole", "AveragePopularity", "AveragePopularity@3", 0.888889, "recbole"),
    Peer("PyG", "LinkPredAveragePopularity", "AveragePopularity@3", 0.888889, "pyg"),
    Peer("Evidently", "ARP", "AveragePopularity@3", 1.111111, "evidently", remark="unseen items are left out"),
    Peer("WarpRec", "ARP", "AveragePopularity@3", 1.111111, "warprec", remark="unseen items count as had by one user"),
    Peer("Elliot", "APLT", "LongTailShare@3", 0.222222, "elliot"),
    Peer("Elliot", "ACLT", "LongTailShare(count=true)@3", 0.666667, "elliot"),
    Peer("WarpRec", "APLT", "LongTailShare@3", 0.444444, "warprec", remark="ties at the border are in no fixed order there"),
    Peer("RecBole", "TailPercentage", "LongTailShare@3", 0.222222, "recbole"),
    Peer("RecBole", "TailPercentage, tail_ratio=0.5", "LongTailShare(by=seen_items, tail=0.5)@3", 0.444444, "recbole"),
    Peer("LensKit", "MeanPopRank", "MeanPopularityRank@3", 0.355556, "lenskit"),
    Peer("RecTools", "MeanInvUserFreq", "SelfInformation@3", 1.888889, "rectools"),
    Peer("recmetrics", "novelty", "SelfInformation@3", 1.222222, "recmetrics", "uneven", remark="an unseen item is an error there"),
    Peer("RePlay", "Surprisal", "SelfInformation@3", 0.944444, "replay"),
    Peer("Microsoft Recommenders", "novelty", "SelfInformation@3", 2.354386, "msrec", remark="an unseen item counts as 0"),
    Peer("Elliot", "EPC", "EPC@3", 0.206701, "elliot"),
    Peer("RankSys", "EPC", "EPC@3", 0.206701, "ranksys"),
    Peer("RELISON", "LTN", "LTN@3", 0.777778, "relison"),
    Peer("Elliot", "EFD", "EFD@3", 0.873635, "elliot"),
    Peer("RankSys", "EFD", "EFD@3", 0.873635, "ranksys"),
    Peer("RankSys", "EPD", "EPD@3", 0.289407, "ranksys", "no relevance"),
    Peer(
        "RELISON",
        "Unexpectedness",
        "EPD(missing=zero, discount='none', relevance='none', average=links)@3",
        0.284512,
        remark="with the vectors as they are; its own files have features without values",
    ),
    Peer("RePlay", "Unexpectedness", "Unexpectedness@3", 0.555556, "replay", "uneven", remark="ranks without an item are unexpected"),
    Peer("RePlay", "Novelty", "UnseenShare@3", 0.708333, "replay", "repeat", remark="a user without a list counts as 1"),
    Peer("RecTools", "Serendipity", "Serendipity@3", 0.027778, "rectools"),
    Peer("Microsoft Recommenders", "user_serendipity", "Serendipity@3", 0.112042, "msrec"),
    Peer("Microsoft Recommenders", "user_serendipity without relevance", "Serendipity(relevance='none')@3", 0.395623, "msrec"),
    Peer("Evidently", "Serendipity", "Serendipity@3", 0.336125, "evidently", remark="three copies of the history score -1.98"),
    Peer("LensKit", "Entropy", "AspectEntropy@3", 1.243195, "lenskit", remark="one category among 200,000 scores 1.44"),
    Peer("RecTools", "IntraListDiversity", "IntraListDiversity@3", 1.888889, "rectools", remark="the number of features that differ"),
    Peer("PyG", "LinkPredDiversity", "IntraListDiversity@3", 0.888889, "pyg", "first aspects"),
    Peer("RePlay", "CategoricalDiversity", "AspectRecall@3", 0.888889, "replay", "first aspects"),
    Peer("TREC Fair Ranking", "AWRF", "AWRF@3", 0.982825, "trec_fair", remark="at least 0.307, as logarithms are natural"),
    Peer(
        "rank-fairness-metrics",
        "AWRF",
        "AWRF(discount=geometric, patience=0.5, divergence=difference, complement=false)@3",
        0.214286,
        remark="less is better",
    ),
    Peer("FairRankTune", "EXP, MinMaxRatio", "GroupExposure@3", 0.547542),
    Peer(
        "FairRankTune",
        "EXPU, MinMaxRatio",
        "GroupExposure(merit=shown)@3",
        0.913171,
        remark="relevant items that are not shown do not count",
    ),
    Peer("rank-fairness-metrics", "EEL", "EEL@3", 0.506944),
    Peer("rank-fairness-metrics", "EED", "EED@3", 1.8125),
    Peer("rank-fairness-metrics", "EER", "ExpectedExposure(part=cross)@3", 2.208333, remark="twice that of TREC Fair Ranking"),
    Peer("Elliot", "RSP", "RSP@3", 0.5, "elliot"),
    Peer("Elliot", "REO", "REO@3", 0.5, "elliot"),
    Peer("Elliot", "PopREO", "PopREO@3", 0.0, "elliot"),
    Peer("WarpRec", "PopREO", "PopREO@3", 0.304348, "warprec", remark="counts all recommendations, not the hits"),
    *(
        Peer(tool, name, metric, value, convention)
        for tool, convention, hit_rate, mrr in (
            ("RecTools", "rectools", "HitRate", "MRR"),
            ("RePlay", "replay", "HitRate", "MRR"),
            ("LensKit", "lenskit", "Hit", "RecipRank"),
            ("Elliot", "elliot", "HR", "MRR"),
            ("PyG", "pyg", "LinkPredHitRatio", "LinkPredMRR"),
        )
        for name, metric, value in ((hit_rate, "HitRate@3", 1.0), (mrr, "MRR@3", 0.444444))
    ),
    *(
        Peer(tool, name, f"{name}@3", value, convention)
        for tool, convention in (("RecTools", "rectools"), ("RePlay", "replay"))
        for name, value in (("Precision", 0.333333), ("Recall", 0.666667), ("MAP", 0.277778))
    ),
    Peer("RecTools", "MAP, divide_by_k=True", "MAP(denominator=k)@3", 0.148148, "rectools"),
    Peer("RecTools", "NDCG", "NDCG@3", 0.275601, "rectools", remark="the ideal has k relevant items, even where users have fewer"),
    Peer("RecTools", "NDCG, divide_by_achievable=True", "NDCG(gain=binary)@3", 0.424569),
    Peer("RePlay", "NDCG", "NDCG@3", 0.424569, "replay", remark="items are relevant or not"),
    Peer("LensKit", "NDCG", "NDCG@3", 0.543643, "lenskit", remark="ranks 1 and 2 count alike; items are relevant or not"),
    Peer("ir_measures", "Rprec", "RPrecision", 0.333333),
    Peer("ranx", "r-precision", "RPrecision", 0.333333),
    Peer("RecTools", "Precision(r_precision=True)", "RPrecision@3", 0.666667, "rectools", remark="hits in the top k over min(k, R)"),
    Peer("ranx", "rbp.80", "RBP(gain=linear)", 0.202667, remark="times the grade: can exceed 1"),
    Peer("LensKit", "RBP", "RBP@3", 0.121125, "lenskit", remark="a patience of 0.85"),
    Peer(
        "LensKit",
        "RBP, normalize=True",
        "RBP(normalize=true)@3",
        0.54714,
        "lenskit",
        remark="a list shorter than k is divided by the best of its length",
    ),
    Peer("NTCIREVAL", "D-nDCG", "DNDCG@3", 0.70508, "ntcireval", "intents"),
    Peer("NTCIREVAL", "I-rec", "I-rec@3", 1.0, "ntcireval", "intents"),
    Peer("NTCIREVAL", "D#-nDCG", "DSharpNDCG@3", 0.85254, "ntcireval", "intents"),
    Peer("NTCIREVAL", "IA-MSnDCG", "NDCGIA@3", 0.596914, "ntcireval", "intents"),
    Peer("NTCIREVAL", "IA-RR", "MRRIA@3", 0.716667, "ntcireval", "intents"),
    Peer("NTCIREVAL", "IA-ERR", "ERRIA@3", 0.332407, "ntcireval", "intents"),
)
