"""One file per metric; the file, the class, its test and its page share a name. Every file here is found by itself."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from aspectrum.metric import Metric

if TYPE_CHECKING:  # what type checkers cannot find by themselves
    from aspectrum.metrics.alpha_dcg import AlphaDCG as AlphaDCG
    from aspectrum.metrics.alpha_ndcg import AlphaNDCG as AlphaNDCG
    from aspectrum.metrics.aspect_entropy import AspectEntropy as AspectEntropy
    from aspectrum.metrics.aspect_recall import AspectRecall as AspectRecall
    from aspectrum.metrics.average_popularity import AveragePopularity as AveragePopularity
    from aspectrum.metrics.awrf import AWRF as AWRF
    from aspectrum.metrics.binomial_diversity import BinomialDiversity as BinomialDiversity
    from aspectrum.metrics.calibration import Calibration as Calibration
    from aspectrum.metrics.catalogue_coverage import CatalogueCoverage as CatalogueCoverage
    from aspectrum.metrics.clustering_complement import ClusteringComplement as ClusteringComplement
    from aspectrum.metrics.community_edge_gini_complement import CommunityEdgeGiniComplement as CommunityEdgeGiniComplement
    from aspectrum.metrics.d_ndcg import DNDCG as DNDCG
    from aspectrum.metrics.d_sharp_ndcg import DSharpNDCG as DSharpNDCG
    from aspectrum.metrics.dcg import DCG as DCG
    from aspectrum.metrics.density import Density as Density
    from aspectrum.metrics.efd import EFD as EFD
    from aspectrum.metrics.effective_items import EffectiveItems as EffectiveItems
    from aspectrum.metrics.eild import EILD as EILD
    from aspectrum.metrics.epc import EPC as EPC
    from aspectrum.metrics.epd import EPD as EPD
    from aspectrum.metrics.err_ia import ERRIA as ERRIA
    from aspectrum.metrics.expected_exposure import ExpectedExposure as ExpectedExposure
    from aspectrum.metrics.exposure_entropy import ExposureEntropy as ExposureEntropy
    from aspectrum.metrics.fragmentation import Fragmentation as Fragmentation
    from aspectrum.metrics.gini import Gini as Gini
    from aspectrum.metrics.gini_complement import GiniComplement as GiniComplement
    from aspectrum.metrics.group_exposure import GroupExposure as GroupExposure
    from aspectrum.metrics.hit_rate import HitRate as HitRate
    from aspectrum.metrics.intra_list_diversity import IntraListDiversity as IntraListDiversity
    from aspectrum.metrics.judged import Judged as Judged
    from aspectrum.metrics.long_tail_share import LongTailShare as LongTailShare
    from aspectrum.metrics.map import MAP as MAP
    from aspectrum.metrics.map_ia import MAPIA as MAPIA
    from aspectrum.metrics.mean_popularity_rank import MeanPopularityRank as MeanPopularityRank
    from aspectrum.metrics.mean_prediction_distance import MeanPredictionDistance as MeanPredictionDistance
    from aspectrum.metrics.modularity_complement import ModularityComplement as ModularityComplement
    from aspectrum.metrics.mrr import MRR as MRR
    from aspectrum.metrics.mrr_ia import MRRIA as MRRIA
    from aspectrum.metrics.ndcg import NDCG as NDCG
    from aspectrum.metrics.ndcg_ia import NDCGIA as NDCGIA
    from aspectrum.metrics.ndkl import NDKL as NDKL
    from aspectrum.metrics.nrbp import NRBP as NRBP
    from aspectrum.metrics.personalization import Personalization as Personalization
    from aspectrum.metrics.popularity_lift import PopularityLift as PopularityLift
    from aspectrum.metrics.precision import Precision as Precision
    from aspectrum.metrics.precision_ia import PrecisionIA as PrecisionIA
    from aspectrum.metrics.r_precision import RPrecision as RPrecision
    from aspectrum.metrics.rbp import RBP as RBP
    from aspectrum.metrics.recall import Recall as Recall
    from aspectrum.metrics.reciprocity import Reciprocity as Reciprocity
    from aspectrum.metrics.redundancy import Redundancy as Redundancy
    from aspectrum.metrics.reo import REO as REO
    from aspectrum.metrics.representation import Representation as Representation
    from aspectrum.metrics.rsp import RSP as RSP
    from aspectrum.metrics.self_information import SelfInformation as SelfInformation
    from aspectrum.metrics.serendipity import Serendipity as Serendipity
    from aspectrum.metrics.unexpectedness import Unexpectedness as Unexpectedness
    from aspectrum.metrics.unseen_share import UnseenShare as UnseenShare
    from aspectrum.metrics.vendi_score import VendiScore as VendiScore
    from aspectrum.metrics.weak_ties import WeakTies as WeakTies

__all__: list[str] = []
for _file in iter_modules(__path__):
    _module = import_module(f"{__name__}.{_file.name}")
    for _name, _found in vars(_module).items():
        if isinstance(_found, type) and issubclass(_found, Metric) and _found.__module__ == _module.__name__:
            globals()[_name] = _found
            __all__.append(_name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no metric {name}; there are {', '.join(sorted(__all__))}")
