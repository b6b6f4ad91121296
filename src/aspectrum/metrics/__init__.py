"""One file per metric; the file, the class, its test and its page share a name. Every file here is found by itself."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from aspectrum.metric import Metric

if TYPE_CHECKING:  # what type checkers cannot find by themselves
    from aspectrum.metrics.alpha_dcg import AlphaDCG as AlphaDCG
    from aspectrum.metrics.alpha_ndcg import AlphaNDCG as AlphaNDCG
    from aspectrum.metrics.aspect_recall import AspectRecall as AspectRecall
    from aspectrum.metrics.dcg import DCG as DCG
    from aspectrum.metrics.epc import EPC as EPC
    from aspectrum.metrics.err_ia import ERRIA as ERRIA
    from aspectrum.metrics.gini_complement import GiniComplement as GiniComplement
    from aspectrum.metrics.intra_list_diversity import IntraListDiversity as IntraListDiversity
    from aspectrum.metrics.map import MAP as MAP
    from aspectrum.metrics.map_ia import MAPIA as MAPIA
    from aspectrum.metrics.ndcg import NDCG as NDCG
    from aspectrum.metrics.nrbp import NRBP as NRBP
    from aspectrum.metrics.precision import Precision as Precision
    from aspectrum.metrics.precision_ia import PrecisionIA as PrecisionIA
    from aspectrum.metrics.recall import Recall as Recall
    from aspectrum.metrics.unseen_share import UnseenShare as UnseenShare

__all__: list[str] = []
for _file in iter_modules(__path__):
    _module = import_module(f"{__name__}.{_file.name}")
    for _name, _found in vars(_module).items():
        if isinstance(_found, type) and issubclass(_found, Metric) and _found.__module__ == _module.__name__:
            globals()[_name] = _found
            __all__.append(_name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no metric {name}; there are {', '.join(sorted(__all__))}")
