"""Sparse vectors: sorted (column, value) entries per row."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from aspectrum.arrays import Codes, Floats, Offsets


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sorted (column, value) entries per row."""

    offsets: Offsets
    columns: Codes
    values: Floats
    width: int

    @classmethod
    def from_matrix(cls, matrix: Any) -> "SparseRows":
        """From any scipy sparse matrix or array: repeated entries are added, zeros dropped."""
        csr = matrix.tocsr(copy=True)
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return cls(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data.astype(np.float64), int(csr.shape[1]))
