"""One vector per item: dense float32 or float64 as it comes, or sparse."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import LARGEST, Codes, Floats, Offsets, as_array, as_codes, check_range, laid_out
from aspectrum.coding.rows import SparseRows
from aspectrum.errors import InputError

Distance = Literal["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming"]


@dataclass(frozen=True, eq=False)
class Features:
    """Vectors of items.

    Args:
        matrix: A 2-d array (float32 and float64 are kept, not copied, when contiguous) or a scipy sparse matrix.
        rows: Which row of the matrix each item has, -1 for none; None means that item i has row i.
    """

    matrix: Any
    rows: Codes | None = None

    def __post_init__(self) -> None:
        matrix = self.matrix
        if hasattr(matrix, "tocsr"):
            matrix = SparseRows.from_matrix(matrix)
        elif not isinstance(matrix, SparseRows):
            matrix = as_array(matrix, "features")
            if matrix.ndim != 2:
                raise InputError(f"features: expected one vector per item (two dimensions), found {matrix.ndim}")
            if matrix.dtype.kind not in "biuf":
                raise InputError(f"features: expected numbers, found {matrix.dtype}")
            kept = matrix.dtype if matrix.dtype in (np.float32, np.float64) else np.float64
            matrix = laid_out(matrix, kept)
        object.__setattr__(self, "matrix", matrix)
        if self.rows is not None:
            rows = as_codes(self.rows, "features: rows")
            check_range(rows[rows != -1], self.n_rows, "features: rows")
            object.__setattr__(self, "rows", rows)

    @property
    def n_rows(self) -> int:
        return len(self.matrix.offsets) - 1 if isinstance(self.matrix, SparseRows) else len(self.matrix)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self.matrix.width if isinstance(self.matrix, SparseRows) else int(self.matrix.shape[1])

    @property
    def n_items(self) -> int:
        return self.n_rows if self.rows is None else len(self.rows)

    @cached_property
    def lengths(self) -> Floats:
        """Length of each vector."""
        if isinstance(self.matrix, SparseRows):
            return kernels.sparse_lengths(self.matrix.offsets, self.matrix.columns, self.matrix.values, self.matrix.width)
        return kernels.dense_lengths(self.matrix)

    def places(self, items: Codes, distance: Distance) -> Codes:
        """Row of each item; -1 without features, -2 for a zero vector where the distance needs a direction or members."""
        return kernels.feature_places(items, self.rows, self.lengths, distance in ("cosine", "jaccard"))

    def pair_sums(self, distance: Distance, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
        """Sum over the pairs of each list of a distance, (users, cutoffs)."""
        x = self.matrix
        self._check_squares(distance)
        if distance in ("cosine", "squared_euclidean"):
            unit = distance == "cosine"
            if isinstance(x, SparseRows):
                return kernels.sparse_squares(x.offsets, x.columns, x.values, x.n_columns, self.lengths, unit, offsets, places, stops)
            return kernels.dense_squares(x, self.lengths, unit, offsets, places, stops)
        if isinstance(x, SparseRows):
            return kernels.sparse_pairs(x.offsets, x.columns, x.values, x.width, distance, offsets, places, stops)
        return kernels.dense_pairs(x, distance, offsets, places, stops)

    def pair_extremes(self, distance: Distance, greatest: bool, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
        """The least, or greatest, distance between two items of each list, (users, cutoffs); 0 where there are not two."""
        return kernels.pair_extremes(self._vectors(distance), greatest, offsets, places, stops)

    def weighted_pairs(
        self, distance: Distance, offsets: Offsets, places: Codes, stops: Codes, outer: Floats, inner: Floats, steps: Floats
    ) -> Floats:
        """Sum over places of `outer` times the mean distance to the other places, (users, cutoffs).

        In that mean a place before weighs its `inner`, and one that comes m places after weighs its `inner` times steps[m - 1].
        """
        return kernels.weighted_pairs(self._vectors(distance), offsets, places, stops, outer, inner, steps)

    def distances_to(
        self, distance: Distance, nearest: bool, offsets: Offsets, places: Codes, set_offsets: Offsets, set_places: Codes
    ) -> Floats:
        """Mean, or least, distance of each place of each list to the items of that user's set; NaN where nothing can be compared."""
        return kernels.set_distances(self._vectors(distance), nearest, offsets, places, set_offsets, set_places)

    def vendi_scores(self, order: float, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
        """Effective number of different items of each list, (users, cutoffs); NaN where none can be compared."""
        return kernels.vendi_scores(self._vectors("cosine"), order, offsets, places, stops)

    def _vectors(self, distance: Distance) -> kernels.Vectors:
        self._check_squares(distance)
        x = self.matrix
        if isinstance(x, SparseRows):
            return kernels.sparse_vectors(x.offsets, x.columns, x.values, x.width, self.lengths, distance)
        return kernels.dense_vectors(x, self.lengths, distance)

    def _check_squares(self, distance: Distance) -> None:
        longest = self.lengths.max(initial=0.0)
        if distance.endswith("euclidean") and not (longest == 0 or 1 / LARGEST <= longest <= LARGEST):
            found = f"features: the longest vector has length {longest:g}, which the {distance} distance cannot square"
            raise InputError(f"{found}; multiply all values by the same factor")
