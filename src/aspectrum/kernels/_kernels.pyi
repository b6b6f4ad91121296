from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes, Counts, Flags, Floats, Masks, Offsets, Ties

class Cover:
    """The aspects that count at each place of each list, checked once; see cover.hpp."""

    def __init__(
        self,
        offsets: Offsets,
        rows: Codes,
        set_offsets: Offsets,
        set_codes: Codes,
        n_aspects: int,
        *,
        strengths: Floats | None = None,
        masks: Masks | None = None,
        interests: Masks | None = None,
        wanted_offsets: Offsets | None = None,
        wanted_codes: Codes | None = None,
        wanted_weights: Floats | None = None,
        in_code_order: bool = False,
    ) -> None: ...

def set_threads(n: int) -> int:
    """Maximum number of threads for kernels that the calling thread runs, 0 for one per core; returns the previous limit.

    Other Python threads keep theirs.
    """

def threads() -> int: ...
def instruction_sets() -> list[str]:
    """Builds of the widest loops that this CPU can run, the one in use by default first."""

def use_instructions(name: str) -> None:
    """Run that build from now on; all give the same bits."""

def fit(offsets: Offsets, lengths: Offsets, budget: int, skip: bool) -> tuple[npt.NDArray[np.uint8], Offsets, Offsets]:
    """Which places of each list fit into a budget, what each list leaves of it, and the first place that does not fit, -1 for none.

    Places after the first that does not fit are out, unless it may be skipped.
    """

def log_discounts(rank: int, n: int, base: float) -> Floats:
    """1 / log_base(rank + 1) of the n ranks after a rank."""

def place_gains(cover: Cover, stops: Codes, alpha: float, gamma: float | None = None) -> Floats:
    """Gain of each place; eq. 7 of Clarke et al. 2008, or eq. 6 with a gamma."""

def discounted_sums(offsets: Offsets, gains: Floats, stops: Codes, discounts: Floats) -> Floats:
    """Sum of gain x discount over the first places of each segment, (users, cutoffs)."""

def sorted_sums(offsets: Offsets, values: Floats, windows: Codes, depths: Codes, discounts: Floats) -> Floats:
    """The same over values sorted descending: `windows` of them enter, `depths` count."""

def extreme_gains(cover: Cover, tied: Ties, stops: Codes, alpha: float, discounts: Floats, work: int = ...) -> tuple[Floats, Floats, Any]:
    """Least and greatest of these sums over all orders of items with equal scores, (users, cutoffs); for gains by eq. 7.

    The third array says as bytes (1 or 0) which of them are proved; others are bounds, below and above. `tied` is 1 where a place has
    the score of the place before, and `work` the number of operations that the search in each group may take. Lists without equal
    scores have the sums that `discounted_sums` makes of `place_gains`.
    """

def greedy_pools(
    cover: Cover,
    offsets: Offsets,
    rows: Codes,
    heads: Codes,
    depths: Offsets,
    discounts: Floats,
    alpha: float,
    gamma: float | None = None,
) -> Floats:
    """Discounted gains of the greedy list over each user's own pool, (users, depths)."""

def greedy_catalogue(
    cover: Cover,
    sets: Codes,
    member_offsets: Offsets,
    member_heads: Codes,
    n_heads: int,
    excluded_offsets: Offsets | None = None,
    excluded_heads: Codes | None = None,
    *,
    depths: Offsets,
    discounts: Floats,
    alpha: float,
    gamma: float | None = None,
) -> Floats:
    """The same over one pool shared by all users, given as distinct sets with their items' heads."""

def greedy_pool_lists(
    cover: Cover,
    offsets: Offsets,
    rows: Codes,
    heads: Codes,
    depth: int,
    alpha: float,
    gamma: float | None = None,
) -> tuple[Codes, Codes, Floats]:
    """The greedy lists that `greedy_pools` sums up: rows, heads and gains of the items at each rank, (users, ranks).

    There are `depth` ranks (-1: no limit), but no more than the largest pool has items. After the last item that gains
    anything, rows and heads are -1 and gains 0.
    """

def greedy_catalogue_lists(
    cover: Cover,
    sets: Codes,
    member_offsets: Offsets,
    member_heads: Codes,
    n_heads: int,
    excluded_offsets: Offsets | None = None,
    excluded_heads: Codes | None = None,
    *,
    depth: int,
    alpha: float,
    gamma: float | None = None,
) -> tuple[Codes, Codes, Floats]:
    """The same for `greedy_catalogue`. A head tells the item; its row is one whose aspects count the same for the user."""

def distinct_sets(cover: Cover, order: Codes, heads: Codes) -> tuple[Codes, Offsets, Codes]:
    """Rows of the distinct sets among `order`, and the heads of the rows that have each, in that order."""

class Stop:
    """Says to a search in another thread that its answer is not wanted any more."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

class Certificate:
    """The best list found, and how good a list can be."""

    @property
    def best(self) -> float:
        """Discounted gains of the best list found."""

    @property
    def upper(self) -> float:
        """No list has more."""

    @property
    def greedy(self) -> float:
        """Discounted gains of a list that takes the largest gain at each rank."""

    @property
    def proved(self) -> bool:
        """Whether no list is better than the best one found, to 12 digits."""

    @property
    def work(self) -> float:
        """Work spent, in units of about a second; counted, not timed."""

    @property
    def list(self) -> list[int]:
        """The sets of the best list, by their place in the problem."""

    @property
    def depth(self) -> int:
        """How many ranks were searched; further ones cannot matter."""

class Problem:
    """What one user may be given, less all that cannot matter: equal sets are one, and so are aspects that come together."""

    @property
    def weights(self) -> Floats:
        """Of aspects."""

    @property
    def offsets(self) -> Offsets:
        """Where the entries of each set begin."""

    @property
    def aspects(self) -> Codes:
        """Of the entries of sets."""

    @property
    def strengths(self) -> Floats | None:
        """Of the entries of sets; None if all are 1."""

    @property
    def copies(self) -> Offsets:
        """How many items have each set."""

    @property
    def rows(self) -> Codes:
        """A row of the table of sets that has each set."""

    @property
    def n_items(self) -> int: ...
    @property
    def key(self) -> bytes:
        """Equal for equal problems, whoever they belong to."""

    def solve(self, depth: int, discounts: Floats, alpha: float, budget: float, stop: Stop | None = None) -> Certificate:
        """The best list of at most `depth` items, within a budget of work."""

    @property
    def n_fitting(self) -> int:
        """No more items than that fit; -1 where there is no limit."""

    @property
    def lengths(self) -> Offsets:
        """Tokens of the items of each set; empty where only their number is limited."""

    def best_coverage(self, budget: float, stop: Stop | None = None) -> Certificate:
        """The items that fit and cover most, within a budget of work."""

class ContextProblems:
    """The problems of users who each have a pool of rows, or share one, of items that have to fit into a number of tokens."""

    def __init__(self, cover: Cover, offsets: Offsets, rows: Codes, lengths: Offsets, capacity: int, shared: bool) -> None: ...
    def of(self, user: int) -> Problem: ...

class PoolProblems:
    """The problems of users who each have a pool of rows."""

    def __init__(self, cover: Cover, offsets: Offsets, rows: Codes) -> None: ...
    def of(self, user: int) -> Problem: ...

class CatalogueProblems:
    """The problems of users who share one pool, given as distinct sets with their items' heads."""

    def __init__(
        self,
        cover: Cover,
        sets: Codes,
        member_offsets: Offsets,
        member_heads: Codes,
        n_heads: int,
        excluded_offsets: Offsets | None = None,
        excluded_heads: Codes | None = None,
    ) -> None: ...
    def of(self, user: int) -> Problem: ...

def covered_aspects(cover: Cover, stops: Codes) -> Floats:
    """Sum over aspects of weight x strongest support shown, (users, cutoffs)."""

def covered_questions(cover: Cover, stops: Codes, aspect_offsets: Offsets, firsts: Codes, weights: Floats) -> Floats:
    """Sum over questions of weight x weakest answer, each as strong as the strongest support shown, (users, cutoffs).

    Args:
        firsts: For each of a user's aspects, the first of those that answer the same question.
        weights: What each question weighs, at the first of its answers; 0 elsewhere.
    """

def extreme_coverage(
    cover: Cover,
    tied: Ties,
    stops: Codes,
    aspect_offsets: Offsets | None = None,
    firsts: Codes | None = None,
    weights: Floats | None = None,
    work: int = ...,
) -> tuple[Floats, Floats, Any]:
    """Least and greatest of what `covered_aspects` or, with questions, `covered_questions` finds, over all orders of items with equal
    scores, (users, cutoffs); as for `extreme_gains`.
    """

def average_precisions(
    cover: Cover,
    stops: Codes,
    pool_offsets: Offsets | None = None,
    pool_rows: Codes | None = None,
    totals: Floats | None = None,
) -> Floats:
    """Sum over aspects of weight x average precision, (users, cutoffs)."""

def extreme_precisions(
    cover: Cover,
    tied: Ties,
    stops: Codes,
    pool_offsets: Offsets | None = None,
    pool_rows: Codes | None = None,
    totals: Floats | None = None,
    work: int = ...,
) -> tuple[Floats, Floats, Any]:
    """Least and greatest of what `average_precisions` finds, over all orders of items with equal scores, (users, cutoffs); as for
    `extreme_gains`.
    """

def aspect_ndcgs(
    cover: Cover,
    stops: Codes,
    discounts: Floats,
    depths: Offsets,
    pool_offsets: Offsets | None = None,
    pool_rows: Codes | None = None,
    ideals: Floats | None = None,
) -> Floats:
    """Sum over aspects of weight x nDCG, (users, cutoffs); ideal orders are of pools, cut at `depths`, or given, (aspects, cutoffs)."""

def expected_gains(cover: Cover, stops: Codes, tied: Ties, alpha: float) -> Floats:
    """The gain of each place by eq. 7, on average over all orders of places with equal scores."""

def expected_coverage(cover: Cover, stops: Codes, tied: Ties) -> Floats:
    """`covered_aspects` on average over orders, (users, cutoffs)."""

def expected_questions(
    cover: Cover, stops: Codes, tied: Ties, aspect_offsets: Offsets, firsts: Codes, weights: Floats
) -> tuple[Floats, Codes]:
    """`covered_questions` on average over orders, (users, cutoffs); by user, the first answer of a question that is too much to compute, or -1."""

def expected_average_precisions(
    cover: Cover,
    stops: Codes,
    tied: Ties,
    pool_offsets: Offsets | None = None,
    pool_rows: Codes | None = None,
    totals: Floats | None = None,
) -> Floats:
    """`average_precisions` on average over orders, (users, cutoffs)."""

def ordered_values(offsets: Offsets, values: Floats, tied: Ties) -> tuple[Floats, Floats]:
    """Values of places: those of each group of equal scores from the least, and from the greatest."""

def expected_sums(offsets: Offsets, values: Floats, tied: Ties, stops: Codes, discounts: Floats) -> Floats:
    """`discounted_sums` on average over orders, (users, cutoffs)."""

def ordered_precisions(offsets: Offsets, hits: Flags, tied: Ties) -> tuple[Floats, Floats, Floats]:
    """What each place adds to average precision: on average over orders, and with the hits of each group of equal scores last, and first."""

def first_hits(offsets: Offsets, hits: Flags, tied: Ties) -> tuple[Floats, Floats, Floats]:
    """The probability that each place is that of the first hit: over all orders, and with the hits of each group of equal scores last, and first."""

def count_tied(offsets: Offsets, stops: Codes, tied: Ties) -> tuple[Codes, Codes]:
    """How many of the first places are in a group of equal scores, and whether the stop cuts one (1 or 0), (users, cutoffs)."""

def union_masks(offsets: Offsets, rows: Codes, masks: Masks) -> Masks:
    """All aspects of each user's rows."""

def aspect_counts(offsets: Offsets, rows: Codes, set_offsets: Offsets, set_codes: Codes, n_aspects: int) -> tuple[Offsets, Codes, Floats]:
    """Which aspects each user's rows have, ascending, and how many rows have each."""

def aspect_sums(
    offsets: Offsets,
    rows: Codes,
    stops: Codes,
    discounts: Floats,
    set_offsets: Offsets,
    set_codes: Codes,
    shares: Floats | None,
    n_aspects: int,
    in_order: bool,
) -> tuple[Offsets, Codes, Floats]:
    """Per user and stop, the sum over the first places of discount x share for each aspect: offsets of (user, stop) cells, aspects, sums.

    Shares go with the entries of the sets, None means 1. Terms are added in the order of places or, unless `in_order`, from the least.
    """

def divergences(
    first_offsets: Offsets,
    first_codes: Codes,
    first_shares: Floats,
    second_offsets: Offsets,
    second_codes: Codes,
    second_shares: Floats,
    left: Codes,
    right: Codes,
    kind: str,
    alpha: float,
    both: bool,
    base: float,
) -> Floats:
    """How far apart pairs of sparse distributions are, (left of the first, right of the second); NaN where either is empty."""

def logarithms(values: Floats, base: float) -> Floats:
    """By way of long double: the same bits on every CPU."""

def powers(base: float, exponents: Floats) -> Floats:
    """Powers of one number, by way of long double."""

def binomial_tails(p: Floats, n: Offsets, k: Offsets) -> Floats:
    """P(X >= k | X > 0) of binomials of n draws with probability p; at p = 0 its limit."""

def judged_rows(offsets: Offsets, items: Codes, aspects: Codes, counts: Flags) -> tuple[Offsets, Codes, Offsets, Codes, Offsets]:
    """Judgments of users, sorted by item, as rows: offsets of users over rows, items of rows, offsets of rows over the entries
    that count, aspects of those entries, and offsets of users over entries.
    """

def number_codes(offsets: Offsets, codes: Codes, n_codes: int) -> tuple[Offsets, Codes, Codes]:
    """The codes each segment has, ascending, and the number each entry has among them."""

def dense_lengths(values: Floats) -> Floats: ...
def dense_squares(values: Floats, lengths: Floats, unit: bool, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
    """Sum over pairs of squared Euclidean distances of rows, or (`unit`) of 1 - cos, (users, cutoffs)."""

def dense_pairs(values: Floats, distance: str, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
    """Sum over pairs of any distance, (users, cutoffs)."""

def feature_places(items: Codes, rows: Codes | None, lengths: Floats, leave_out_zeros: bool) -> Codes:
    """Row of each item; -1 without features, -2 for a zero vector that is to be left out."""

def count_places(offsets: Offsets, places: Codes, stops: Codes, value: int) -> Codes:
    """How many places hold a value within each stop, (users, cutoffs)."""

def sparse_lengths(row_offsets: Offsets, columns: Codes, values: Floats, width: int) -> Floats: ...
def sparse_squares(
    row_offsets: Offsets,
    columns: Codes,
    values: Floats,
    width: int,
    lengths: Floats,
    unit: bool,
    offsets: Offsets,
    places: Codes,
    stops: Codes,
) -> Floats: ...
def sparse_pairs(
    row_offsets: Offsets,
    columns: Codes,
    values: Floats,
    width: int,
    distance: str,
    offsets: Offsets,
    places: Codes,
    stops: Codes,
) -> Floats: ...

class Vectors:
    """Vectors of items, dense or sparse, with a distance between any two; items without one have a negative place."""

def dense_vectors(values: Floats, lengths: Floats, distance: str) -> Vectors: ...
def sparse_vectors(row_offsets: Offsets, columns: Codes, values: Floats, width: int, lengths: Floats, distance: str) -> Vectors: ...
def set_distances(vectors: Vectors, nearest: bool, offsets: Offsets, places: Codes, set_offsets: Offsets, set_places: Codes) -> Floats:
    """Mean, or least, distance of each place of each list to that user's set; NaN where nothing can be compared."""

def pair_extremes(vectors: Vectors, greatest: bool, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
    """Least or greatest distance between two items, (users, cutoffs); 0 where there are not two."""

def weighted_pairs(vectors: Vectors, offsets: Offsets, places: Codes, stops: Codes, outer: Floats, inner: Floats, steps: Floats) -> Floats:
    """Sum over places of `outer` times the mean distance to the other places, (users, cutoffs).

    In that mean a place before weighs its `inner`, and one that comes m places after weighs its `inner` times steps[m - 1].
    """

def vendi_scores(vectors: Vectors, order: float, offsets: Offsets, places: Codes, stops: Codes) -> Floats:
    """Effective number of different items, (users, cutoffs), of vectors with the cosine distance; NaN where there are none."""

def group_rows(keys: Codes, n_keys: int) -> tuple[Offsets, Offsets]:
    """Offsets and order that group rows by key, keeping their order."""

def bucket_rows(
    offsets: Offsets, blocks: Codes, items: Codes, numbers: Sequence[Floats], n_buckets: int
) -> tuple[Offsets, npt.NDArray[np.uint8]]:
    """Rows as records (user, item, numbers), by the bucket of their user, keeping their order; and where each bucket's rows begin.

    Args:
        offsets: Where the rows of each block begin, and the end of the last.
        blocks: The user of each block; users belong to the bucket ``user % n_buckets``.
    """

def sort_segments(
    offsets: Offsets,
    rows: Offsets,
    keys: Codes | Floats,
    descending: bool = False,
    seconds: Codes | None = None,
    seconds_descending: bool = False,
) -> Offsets:
    """The rows of each segment sorted by key, then second key, then as they stood."""

def find_runs(codes: Codes) -> Offsets:
    """Where runs of equal codes begin, and the end of the last."""

def cut_lists(offsets: Offsets, items: Codes, tied: Any, depth: int, whole_groups: bool = False) -> tuple[Offsets, Codes, Any]:
    """The first places of each list, with `whole_groups` also those tied with the last: offsets, items and, if given as bytes, ties."""

def all_finite(values: Floats) -> bool: ...
def compare_neighbours(offsets: Offsets, rows: Offsets, values: Floats) -> tuple[Any, int, int]:
    """Of rows in the order of lists: whether each value equals the one before (1 or 0, as bytes), and how many are larger and smaller."""

def find_repeats(offsets: Offsets, rows: Offsets, keys: Codes, seconds: Codes | None = None) -> Offsets:
    """Places in sorted segments whose row repeats the keys of the one before."""

def lookup(offsets: Offsets, items: Codes, key_offsets: Offsets, keys: Codes) -> Codes:
    """Where each item stands among its user's sorted keys, -1 where it does not."""

def find_repeat(offsets: Offsets, items: Codes, n_items: int) -> tuple[int, int]:
    """First user and place whose item is in the list already, -1 and -1 if there is none."""

def ordered_lists(
    offsets: Offsets,
    items: Codes,
    n_items: int,
    ranks: Floats | None = None,
    scores: Floats | None = None,
    may_tie: bool = True,
    depth: int = -1,
) -> tuple[Offsets, Codes, Any, int, Any] | None:
    """Lists whose rows stand in their order already, each item once: offsets and items of the first places (all with depth -1), whether each
    has the score of the place before (1 or 0, as bytes), how many of all places have it, and whether the lists name each item (as bytes).
    """

def count_items(offsets: Offsets, items: Codes, stops: Codes, n_items: int) -> Counts:
    """How often each item is shown, (cutoffs, items)."""

def path_lengths(
    link_offsets: Offsets, targets: Codes, back_offsets: Offsets, back_targets: Codes, sources: Codes, offsets: Offsets, items: Codes
) -> Codes:
    """How many links lead from each source to each item of its list by the shortest path; -1 where none does.

    Links of person p lead to ``targets[link_offsets[p]:link_offsets[p + 1]]``; the same links the other way round are in ``back_offsets`` and
    ``back_targets``. A source of -1, and an item beyond the people, has no links.
    """

def count_triads(link_offsets: Offsets, targets: Codes) -> tuple[int, int]:
    """How many paths of two links lead from somebody to somebody else, and how many of these have a link from the first to the last."""

def exact_sums(values: Floats) -> tuple[Counts, Counts]:
    """Column sums as 32-bit limbs of an integer in units of 2**-1074, and the NaNs left out of each."""

class TableScan:
    """How a table of text is built: the number of records, and of fields; or the first problem, its line and its fields.

    The problem is ``fields`` (more or fewer than in other records), ``stray quote``, ``open quote`` or nothing.
    """

    records: int
    problem: str
    line: int
    fields: int

def scan_table(text: bytes, separator: str, quoted: bool, fields: int = 0, stop: int = -1) -> TableScan:
    """Go through a text. No separator means blanks; `stop` asks for the line and the fields of that record."""

def number_runs(stream: Any) -> tuple[Offsets, npt.NDArray[np.int64]]:
    """Where runs of equal numbers of an Arrow stream begin, and the end of the last; and their numbers."""

def code_ids(stream: Any) -> tuple[Codes, Offsets]:
    """Codes of an Arrow stream of text or 64-bit numbers in order of first appearance (-1 for null), and where each first stands."""

def check_parquet(file: npt.NDArray[np.uint8], begin: int) -> int:
    """Raises ValueError unless pages have the number of values that their columns have; `begin` is where the footer is."""

class IdIndex:
    """Codes of ids that keep coming: each gets the next one when it is first met."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def join(self, stream: Any) -> tuple[Codes, Offsets]:
        """Codes of the ids of an Arrow stream (-1 for null), and the rows of those that are new."""

def order_texts(stream: Any) -> Codes:
    """Place of each text of an Arrow stream in bytewise order."""

class Texts:
    """Distinct texts, as an Arrow array."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

def read_columns(
    text: bytes, separator: str, quoted: bool, width: int, records: int, skip: int, ids: list[int], numbers: list[int]
) -> tuple[list[tuple[Codes, Texts]], list[Floats], bool]:
    """Columns of a sound table of about so many records, after the first `skip`: codes of ids (-1 for an empty cell) with the distinct
    ids, numbers (NaN for a cell that holds none), and whether a record is wider or narrower than the table.
    """

def read_record(text: bytes, separator: str, quoted: bool, width: int, record: int) -> list[bytes]:
    """The cells of one record."""

def with_middle_joined(text: bytes, before: int, after: int, separator: str) -> tuple[bytes, int]:
    """Lines of words with a separator between their fields: the first `before` words, the text between as it stands, the last `after`.

    Lines with fewer words keep what they have. Also how many lines have blanks in the text between.
    """

def random_words(seed: int, purpose: int, row: int, count: int) -> Masks:
    """The first words of a row of Philox4x64-10: word j is output j mod 4 of counter (1 + j div 4, row, 0, 0) under key (seed, purpose)."""

def flipped_sums(values: Counts, seed: int, first: int, rows: int) -> Counts:
    """Sums of the columns of (users, columns) with the signs of users flipped at random: a row per flip, from row `first` on.

    User u flips in a row if bit u mod 64 of its word u div 64, for purpose 0, is set.
    """

def resampled_sums(values: Counts, seed: int, first: int, rows: int) -> Counts:
    """Sums of the columns of (users, columns) over as many users drawn with replacement: a row per resample, from row `first` on.

    The j-th user drawn in a row is (word j times users) >> 64, for purpose 1.
    """
