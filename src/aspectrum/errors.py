"""What can go wrong with what a user hands in. Every message says what was found and what was expected."""

from aspectrum.diagnostics.notices import PYTHON, Option, Speaker


class AspectrumError(Exception):
    """Any error this package raises on purpose. Its arguments are parts of the message: text, and options to use.

    >>> str(InputError("users in two blocks; use ", Option("order", "score")))
    "users in two blocks; use order='score'"
    """

    def said(self, speaker: Speaker) -> str:
        """The message in the words of who shows it."""
        return "".join(speaker.spelled(part) if isinstance(part, Option) else str(part) for part in self.args)

    def __str__(self) -> str:
        return self.said(PYTHON)


class InputError(AspectrumError, ValueError):
    """Data that cannot be evaluated: contradicting rows, ids that never match, codes out of range."""


class MissingInput(InputError):
    """A metric needs an input that was not given."""


class MetricError(AspectrumError, ValueError):
    """A metric that cannot be: an unknown name, an unknown parameter, a value outside its range."""


class OutputError(AspectrumError):
    """A file that cannot be written: no such directory, no permission, no space, an unknown format."""


class ConfigError(AspectrumError):
    """A configuration file that cannot be used: one line per mistake, with file, line and column."""


class MissingLibrary(AspectrumError, ImportError):
    """A library that an extra brings is not installed, or its version is not supported."""
