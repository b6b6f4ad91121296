"""One file per metric; the file, the class, its test and its page share a name. Every file here is found by itself."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from aspectrum.metric import Metric

if TYPE_CHECKING:  # what type checkers cannot find by themselves
    from aspectrum.metrics.alpha_dcg import AlphaDCG
    from aspectrum.metrics.alpha_ndcg import AlphaNDCG
    from aspectrum.metrics.aspect_recall import AspectRecall
    from aspectrum.metrics.dcg import DCG
    from aspectrum.metrics.err_ia import ERRIA
    from aspectrum.metrics.gini_complement import GiniComplement
    from aspectrum.metrics.intra_list_diversity import IntraListDiversity
    from aspectrum.metrics.map import MAP
    from aspectrum.metrics.map_ia import MAPIA
    from aspectrum.metrics.ndcg import NDCG
    from aspectrum.metrics.nrbp import NRBP
    from aspectrum.metrics.precision import Precision
    from aspectrum.metrics.precision_ia import PrecisionIA
    from aspectrum.metrics.recall import Recall

__all__ = []
for _file in iter_modules(__path__):
    _module = import_module(f"{__name__}.{_file.name}")
    for _name, _found in vars(_module).items():
        if isinstance(_found, type) and issubclass(_found, Metric) and _found.__module__ == _module.__name__:
            globals()[_name] = _found
            __all__.append(_name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no metric {name}; there are {', '.join(sorted(__all__))}")
