"""Names that other tools give to metrics: each is parsed to the same thing, or refused without a hint at something else."""

import pytest

import aspectrum as asp

SAME: dict[str, asp.Metric] = {
    # trec_eval, pytrec_eval
    "ndcg": asp.NDCG(),
    "ndcg_cut_10": asp.NDCG(k=10),
    "ndcg_cut.5,10": asp.NDCG(k=(5, 10)),
    "P_10": asp.Precision(k=10),
    "P.5,10": asp.Precision(k=(5, 10)),
    "recall_100": asp.Recall(k=100),
    "map": asp.MAP(),
    "map_cut_5": asp.MAP(k=5),
    "recip_rank": asp.MRR(),
    "success_1": asp.HitRate(k=1),
    "recip_rank_cut_10": asp.MRR(k=10),
    "Rprec": asp.RPrecision(),
    # ir_measures
    "nDCG@10": asp.NDCG(k=10),
    "P@5": asp.Precision(k=5),
    "P(rel=2)@5": asp.Precision(k=5, rel=2),
    "R(rel=2)@100": asp.Recall(k=100, rel=2),
    "AP(rel=2)": asp.MAP(rel=2),
    "RR@10": asp.MRR(k=10),
    "RR(rel=2)@10": asp.MRR(k=10, rel=2),
    "Success@5": asp.HitRate(k=5),
    "Rprec(rel=2)": asp.RPrecision(rel=2),
    "RBP(p=0.9, rel=1)": asp.RBP(p=0.9, rel=1),
    "alpha_nDCG(alpha=0.9)@20": asp.AlphaNDCG(k=20, alpha=0.9),
    "alpha_DCG@20": asp.AlphaDCG(k=20),
    "ERR_IA@20": asp.ERRIA(k=20),
    "nERR_IA@20": asp.ERRIA(k=20, normalize="ideal"),
    "NRBP": asp.NRBP(),
    "nNRBP": asp.NRBP(normalize="ideal"),
    "AP_IA": asp.MAPIA(),
    "P_IA@20": asp.PrecisionIA(k=20),
    "StRecall@20": asp.AspectRecall(k=20),
    # ranx
    "hit_rate@5": asp.HitRate(k=5),
    "precision@5": asp.Precision(k=5),
    "recall@5": asp.Recall(k=5),
    "r-precision": asp.RPrecision(),
    "mrr@10": asp.MRR(k=10),
    "rbp.95": asp.RBP(p=0.95),
    "rbp.80": asp.RBP(),
    "rbp.50@10": asp.RBP(k=10, p=0.5),
    "ndcg@10": asp.NDCG(k=10),
    # RecTools, RePlay, RecBole, LensKit, Elliot, RankSys
    "MAP@10": asp.MAP(k=10),
    "MRR@10": asp.MRR(k=10),
    "HitRate@10": asp.HitRate(k=10),
    "Hit@10": asp.HitRate(k=10),
    "HR@10": asp.HitRate(k=10),
    "HitRatio@10": asp.HitRate(k=10),
    "NDCG@10": asp.NDCG(k=10),
    "Precision@10": asp.Precision(k=10),
    "Recall@10": asp.Recall(k=10),
    "RecipRank@10": asp.MRR(k=10),
    "RBP@10": asp.RBP(k=10),
    "ReciprocalRank@10": asp.MRR(k=10),
    "AveragePrecision@10": asp.MAP(k=10),
    "IntraListDiversity@10": asp.ILD(k=10),
    "ILD@10": asp.ILD(k=10),
    "SEntropy@10": asp.ExposureEntropy(k=10),
    "EPC@10": asp.EPC(k=10),
    # Microsoft recommenders, plain speech
    "precision_at_10": asp.Precision(k=10),
    "ndcg_at_10": asp.NDCG(k=10),
    "Recall at 10": asp.Recall(k=10),
    "Mean Reciprocal Rank@10": asp.MRR(k=10),
    "Mean Average Precision@10": asp.MAP(k=10),
    "R-Precision": asp.RPrecision(),
    # NTCIREVAL, RELISON
    "D-nDCG@10": asp.DNDCG(k=10),
    "D#-nDCG@10": asp.DSharpNDCG(k=10),
    "I-rec@10": asp.DSharpNDCG(k=10, gamma=1),
    "nDCG-IA@10": asp.NDCGIA(k=10),
    "MRR-IA@10": asp.MRRIA(k=10),
    "Community recall@10": asp.AspectRecall(k=10),
    "Predicted Gini complement@10": asp.GiniComplement(k=10),
}


@pytest.mark.parametrize("name", SAME)
def test_names_that_mean_the_same(name: str) -> None:
    assert asp.parse(name) == SAME[name]
    assert asp.parse(str(asp.parse(name))) == SAME[name]


OTHERS = [
    # trec_eval
    *("bpref", "gm_map", "infAP", "iprec_at_recall_0.10", "num_rel", "num_q", "set_F", "set_P", "utility", "11pt_avg", "Rprec_mult_0.20"),
    # ir_measures
    *(
        "ERR",
        "nERR",
        "INST",
        "INSQ",
        "BPM",
        "SDCG",
        "IPrec",
        "Compat",
        "Accuracy",
        "NumRet",
        "NumRel",
        "SetAP",
        "infNDCG",
        "SDCG@5",
    ),
    # ranx
    *("hits", "f1", "rank_biased_utility"),
    # RecTools
    *("F1Beta", "MCC", "PartialAUC", "PAP", "CoveredUsers", "SufficientReco", "UnrepeatedReco", "Intersection", "DebiasedNDCG"),
    # RecBole, RePlay, LensKit, Elliot, MS recommenders, Evidently, recmetrics
    *(
        "AUC",
        "GAUC",
        "LogLoss",
        "MAE",
        "RMSE",
        "RocAuc",
        "NumUsers",
        "LAUC",
        "F1",
        "ExtendedF1",
        "DSC",
        "MAR",
        "mark",
        "logloss",
        "rsquared",
    ),
    *("exp_var", "FBetaTopKMetric", "RecCasesTable", "MeanAverageRecall", "RankListLength", "ListLength", "BiasDisparityBD", "ARQP"),
]


@pytest.mark.parametrize("name", ["Rprec.2", "nrbp_50", "rbp_95", "rbp.9,10", "AlphaNDCG_5", "gini 10"])
def test_a_number_after_a_name_is_a_cutoff_only_where_a_tool_writes_it_so(name: str) -> None:
    """It may be a parameter, which would be lost."""
    with pytest.raises(asp.MetricError, match="unknown metric"):
        asp.parse(name)


@pytest.mark.parametrize("name", OTHERS)
def test_other_metrics_are_refused_without_a_hint(name: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse(name)
    assert "did you mean" not in str(error.value)
    assert "unknown metric" in str(error.value)


TO_COME = {
    "MIUF": "SelfInformation",
    "Surprisal": "SelfInformation",
    "ItemCoverage": "CatalogueCoverage",
    "GiniIndex": "Gini",
    "ShannonEntropy": "ExposureEntropy",
    "AveragePopularity": "AveragePopularity",
    "ARP": "AveragePopularity",
    "APLT": "LongTailShare",
    "TailPercentage": "LongTailShare",
    "EFD": "EFD",
    "EPD": "EPD",
    "EILD": "EILD",
    "Personalization": "Personalization",
    "Serendipity": "Serendipity",
    "Calibration": "Calibration",
    "BinomialDiversity": "BinomialDiversity",
    "PopREO": "REO",
    "PopRSP": "RSP",
}
"""Names of metrics that may be there or not, and which ones they mean."""


@pytest.mark.parametrize("name", TO_COME)
def test_names_of_metrics_to_come_lead_nowhere_else(name: str) -> None:
    if TO_COME[name] in asp.registered():
        assert type(asp.parse(f"{name}@10")).__name__ == TO_COME[name]
    else:
        with pytest.raises(asp.MetricError, match=r"unknown metric '\w+'; asp"):
            asp.parse(f"{name}@10")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("NDGC@10", "NDCG"),
        ("Recal@10", "Recall"),
        ("Precison@10", "Precision"),
        ("AlfaNDCG@10", "AlphaNDCG"),
        ("HitRaet@10", "HitRate"),
        ("P10", "P@10"),
        ("ndcg_at_k", "NDCG@10"),
        ("map_at_k", "MAP@10"),
        ("Modularity@10", "ModularityComplement"),
    ],
)
def test_slips_of_the_hand_get_a_hint(name: str, meant: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse(name)
    assert f"did you mean '{meant}'" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P_10@5", "'P_10@5' has two cutoffs, 10 and 5; expected Precision@10"),
        ("P_0", "k is 0, expected a whole number from 1"),
        ("P_10(rel=high)", "rel is 'high', expected None or a number"),
    ],
)
def test_cutoffs_in_names(text: str, message: str) -> None:
    with pytest.raises(asp.MetricError) as error:
        asp.parse(text)
    assert message in str(error.value)


def test_a_name_with_a_cutoff_has_parameters_too() -> None:
    assert asp.parse("ndcg_cut_10(gain=exponential)") == asp.NDCG(k=10, gain="exponential")


def test_results_are_found_by_any_of_these_names() -> None:
    result = asp.evaluate({"u": ["a", "b"]}, ["P_2", "ndcg_cut_1,2"], relevance={"u": ["b"]})
    assert list(result) == ["Precision@2", "NDCG@1", "NDCG@2"]
    assert result["P_2"] == result["precision_at_2"] == result["P@2"] == 0.5
