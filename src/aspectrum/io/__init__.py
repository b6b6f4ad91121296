"""Files and frames to rows: whatever a user has on disk or in memory, with every mistake named by file and line."""

from aspectrum.io.columns import ROLES
from aspectrum.io.inputs import INPUTS, SOCIAL_INPUTS, is_external, read_input
from aspectrum.io.source import FORMATS, Source

__all__ = ["FORMATS", "INPUTS", "ROLES", "SOCIAL_INPUTS", "Source", "is_external", "read_input"]
