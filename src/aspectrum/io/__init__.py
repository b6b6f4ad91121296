"""Files and frames to rows: whatever a user has on disk or in memory, with every mistake named by file and line."""

from aspectrum.inputs import INPUTS
from aspectrum.io.reading import is_external, read_input
from aspectrum.io.source import FORMATS, Source

__all__ = ["FORMATS", "INPUTS", "Source", "is_external", "read_input"]
