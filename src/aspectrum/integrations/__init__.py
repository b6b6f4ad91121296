"""Inside the tools people already use. Each part imports its library, which an extra brings, when it is first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aspectrum.integrations import cornac, ir_measures, spark

__all__ = ["cornac", "ir_measures", "spark"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'aspectrum.integrations' has no attribute {name!r}")
    return import_module(f"aspectrum.integrations.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
