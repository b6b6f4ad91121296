"""The toy world, for tests."""

from aspectrum.toy_world import *  # noqa: F403
