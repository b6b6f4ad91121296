"""One YAML file for a whole evaluation. Every mistake in it is reported at once, with file, line and column."""

from pathlib import Path

from aspectrum.config.reading import read_settings
from aspectrum.config.schema import json_schema
from aspectrum.config.settings import ComparisonSettings, ContactSettings, OutputSettings, Settings, SourceSettings, system_name

__all__ = [
    "EXAMPLE",
    "ComparisonSettings",
    "ContactSettings",
    "OutputSettings",
    "Settings",
    "SourceSettings",
    "json_schema",
    "read_settings",
    "system_name",
]

EXAMPLE = Path(__file__).with_name("example.yaml").read_text("utf-8")
"""A commented file with every key, which reads as it stands; the files it names need not exist."""
