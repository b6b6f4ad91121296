"""What can go wrong with what a user hands in. Every message says what was found and what was expected."""


class AspectrumError(Exception):
    """Any error this package raises on purpose."""


class InputError(AspectrumError, ValueError):
    """Data that cannot be evaluated: contradicting rows, ids that never match, codes out of range."""


class MissingInput(InputError):
    """A metric needs an input that was not given."""


class MetricError(AspectrumError, ValueError):
    """A metric that cannot be: an unknown name, an unknown parameter, a value outside its range."""
