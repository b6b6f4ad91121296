"""One YAML file for a whole evaluation. Every mistake in it is reported at once, with file, line and column."""

from aspectrum.config.example import EXAMPLE
from aspectrum.config.reading import read_settings
from aspectrum.config.schema import json_schema
from aspectrum.config.settings import ContactSettings, OutputSettings, Settings, SourceSettings, system_name

__all__ = [
    "EXAMPLE",
    "ContactSettings",
    "OutputSettings",
    "Settings",
    "SourceSettings",
    "json_schema",
    "read_settings",
    "system_name",
]
