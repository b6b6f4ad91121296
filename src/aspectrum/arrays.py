"""The few kinds of arrays that the package passes around, and how other arrays become one of them."""

import sys
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aspectrum.errors import InputError
from aspectrum.wording import shortened

Offsets: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Counts: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[Any]  # float64; features may be float32
Masks: TypeAlias = npt.NDArray[np.uint64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Ties: TypeAlias = npt.NDArray[np.uint8]
"""For each place of lists, whether it has the score of the place before (1 or 0)."""

MASK_BITS = 64

LARGEST = 1e150
"""No grade, weight or value of a feature may be larger: sums of them, and of products of two, are then finite."""


def as_offsets(values: npt.ArrayLike, length: int, what: str) -> Offsets:
    """Offsets that cut `length` values; without copying where they already are contiguous int64."""
    offsets: Offsets = laid_out(_whole(values, f"{what}: offsets"), np.int64)
    if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != length or (np.diff(offsets) < 0).any():
        raise InputError(f"{what}: offsets must start at 0, never fall and end at {length}, the number of values")
    return offsets


def as_codes(values: npt.ArrayLike, what: str) -> Codes:
    """Codes; without copying where they already are contiguous int32."""
    codes = _whole(values, what)
    if codes.ndim != 1:
        raise InputError(f"{what}: expected one dimension, found {codes.ndim}")
    if codes.dtype != np.int32 and len(codes) and (codes.min() < -(2**31) or codes.max() >= 2**31):
        raise InputError(f"{what}: codes must fit in 32 bits")
    return laid_out(codes, np.int32)


def as_floats(values: npt.ArrayLike, length: int, what: str) -> Floats:
    """One float64 per entry, none larger than can be summed."""
    given = as_array(values, what)
    try:
        floats = laid_out(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected numbers, found {given.dtype}") from None
    if floats.shape != (length,):
        raise InputError(f"{what}: expected {length} numbers, found shape {floats.shape}")
    for at in too_large(floats)[:1]:
        expected = f"a size up to {LARGEST:g}" if np.isfinite(floats[at]) else "a finite number"
        raise InputError(f"{what}: entry {at} is {floats[at]}, expected {expected}")
    return floats


def too_large(values: Floats) -> Offsets:
    """Where numbers are NaN, infinite or too large to be summed."""
    return np.flatnonzero(~(np.abs(values) <= LARGEST))


def as_flags(values: npt.ArrayLike, length: int, what: str) -> Flags:
    given = as_array(values, what)
    if given.dtype != np.bool_ and given.size:
        raise InputError(f"{what}: expected {length} flags (true or false), found {given.dtype}")
    flags = laid_out(given, np.bool_)
    if flags.shape != (length,):
        raise InputError(f"{what}: expected {length} flags, found shape {flags.shape}")
    return flags


def check_range(codes: Codes, n: int, what: str) -> None:
    """Every code in [0, n), or an error that names the first that is not."""
    if len(codes) and (codes.min() < 0 or codes.max() >= n):
        at = int(np.flatnonzero((codes < 0) | (codes >= n))[0])
        raise InputError(f"{what}: code {codes[at]} at place {at} is out of range, expected 0 to {n - 1}")


def check_count(value: Any, what: str, least: int = 0) -> int:
    """A number of something, as an int."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not least <= value < 2**31:
        raise InputError(f"{what} is {shortened(repr(value))}, expected a whole number from {least} to 2**31 - 1")
    return int(value)


def is_finite(value: Any) -> bool:
    """Whether this is a number that a double can hold."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.complexfloating)
    return is_number and bool(abs(value) <= sys.float_info.max)


def check_codes_count_from_0(n_values: int, largest: int, what: str) -> None:
    """The largest of some codes is not far beyond their number, as it is where somebody passes ids as codes."""
    if largest >= max(2**24, 16 * n_values):
        raise InputError(
            f"{what}: the largest of {n_values} codes is {largest}; codes count from 0, and each up to the largest takes memory. "
            "If these are ids, pass them as plain Python objects, as in asp.evaluate({user: [items]}, ...)"
        )


def check_ascending(offsets: Offsets, codes: Codes, what: str) -> None:
    """Codes ascend within every segment, without repeats."""
    ascends = np.diff(codes) > 0
    starts = offsets[1:-1]
    ascends[starts[(starts > 0) & (starts < len(codes))] - 1] = True
    if not ascends.all():
        raise InputError(f"{what} must ascend and not repeat")


def as_array(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """An array that says all that was given: one with masked values, or of complex numbers, is refused."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        at = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise InputError(f"{what}: the value at {', '.join(map(str, at))} is masked; leave it out, or give it a value with .filled()")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what}: expected an array, found rows of different lengths") from None
    if array.dtype.kind == "c":
        raise InputError(f"{what}: expected real numbers, found {array.dtype}")
    return array


def laid_out(array: npt.NDArray[Any], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """As kernels take it: contiguous and aligned; without copying where it is so."""
    return np.require(array, kind, ["C", "A"])


def _whole(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    array = as_array(values, what)
    if array.size == 0 and array.dtype == np.float64:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InputError(f"{what}: expected whole numbers, found {array.dtype}")
    return array


def take_segments(offsets: Offsets, chosen: npt.NDArray[Any]) -> tuple[Offsets, Offsets]:
    """Offsets of the chosen segments, and the index of each of their values; -1 chooses an empty one."""
    lengths = np.where(chosen >= 0, offsets[chosen + 1] - offsets[chosen], 0)
    taken = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    index = np.arange(taken[-1], dtype=np.int64) + np.repeat(offsets[chosen] - taken[:-1], lengths)
    return taken, index


def choose_segments(offsets: Offsets, chosen: npt.NDArray[Any]) -> tuple[Offsets, Any]:
    """The same; the index is a slice, which copies nothing, where segments that follow one another are chosen."""
    n, start = len(chosen), int(chosen[0]) if len(chosen) else -1
    if start >= 0 and chosen[-1] == start + n - 1 and (np.diff(chosen) == 1).all():
        return offsets[start : start + n + 1] - offsets[start], slice(int(offsets[start]), int(offsets[start + n]))
    return take_segments(offsets, chosen)


def no_segments(n: int) -> Offsets:
    """Offsets of n empty segments."""
    return np.zeros(n + 1, dtype=np.int64)


WHOLE_NUMBERS = "whole numbers up to 2**53: beyond, different ones are rounded to the same"


def is_rounded(value: Any) -> bool:
    """Whether this is a whole number, or text or a decimal of one, that floating point does not hold exactly."""
    if isinstance(value, Decimal):  # 1E+30 is written as rounded numbers are
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent <= 0 and value.copy_abs() > 2**53 and Decimal(float(value)) != value
    text = value.strip().lstrip("+") if isinstance(value, str) else ""
    if text.removeprefix("-").isdecimal():
        value = int(text)
    return (
        isinstance(value, int | np.integer) and abs(int(value)) > 2**53 and (abs(int(value)) >= 2**1024 or int(float(value)) != int(value))
    )


def unevenness(counts: Counts, n: int) -> int:
    """Sum of (2i - n - 1) c_i over n items with their counts ascending, exactly; items beyond those that are counted have 0.

    >>> unevenness(np.array([2, 0, 1]), 4)  # of 0 0 1 2
    7
    """
    ascending = np.sort(counts[counts > 0])
    factors = 2 * np.arange(n - len(ascending) + 1, n + 1, dtype=np.int64) - n - 1
    if n * int(ascending.sum()) >= 1 << 62:  # too large for 64 bits: Python's own integers
        factors, ascending = factors.astype(object), ascending.astype(object)
    return int(np.dot(factors, ascending))
