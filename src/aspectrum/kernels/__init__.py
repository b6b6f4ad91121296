"""The loops, in C++: arrays in, arrays out. The long ones release the GIL and run on all cores."""

from aspectrum.kernels._kernels import *  # noqa: F403 - `_kernels.pyi` lists them
