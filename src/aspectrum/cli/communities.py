"""``aspectrum communities``."""

from __future__ import annotations

import math
from typing import Any

import click

from aspectrum.cli import options
from aspectrum.cli.paths import blamed_on, check_paths


@click.command(
    short_help="Find communities in a social network.",
    epilog="""\b
Examples:
  aspectrum communities train.tsv -o communities.tsv
  aspectrum communities train.csv --columns source=follower,target=followee \\
            --method louvain --resolution 1.5 --seed 7 -o communities.parquet""",
)
@click.argument("graph", metavar="GRAPH", type=options.FILE)
@options.choice("--method", "leiden louvain label-propagation infomap components strong-components", "Default: leiden.", default="leiden")
@click.option(
    "--resolution",
    type=click.FloatRange(min=0, min_open=True, max=math.inf, max_open=True),
    metavar="NUMBER",
    help="For leiden and louvain: above 1, more and smaller communities; below, fewer and larger. Default: 1.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, metavar="NUMBER", help="The same seed gives the same communities. Default: 0."
)
@options.DIRECTED
@options.columns_option("source=follower,target=followee,weight=n", "ROLE=NAME,...")
@options.reader_option("csv, tsv, parquet, arrow, jsonl or graphml", "FORMAT")
@options.HEADER
@options.file_option(
    "-o", "--output", help="Write the communities here: .tsv, .txt, .csv or .parquet. Default: as TSV to the standard output."
)
def communities(
    graph: str, method: str, resolution: float | None, seed: int, directed: bool | None, output: str | None, **reading: Any
) -> None:
    """Find communities in a social network, and say how good they are.

    GRAPH is an edge list (source, target[, weight]: CSV, TSV, Parquet, Arrow, JSON Lines) or GraphML; - is the standard
    input. Give the train graph only: communities found with the help of test links know what is to be predicted.

    What is written has columns user and community, and can be given as --communities. The number of communities, their
    sizes and their modularity are printed; to the standard error, if the communities go to the standard output.

    All methods but strong-components look at the undirected network in which a link in either direction connects two users
    and the weights of both directions add up.
    """
    from aspectrum.contacts.communities import WITH_RESOLUTION, find_communities, format_of

    if resolution is not None and method not in WITH_RESOLUTION:
        raise click.UsageError(f"--resolution goes with --method {' or '.join(WITH_RESOLUTION)}, not with {method}")
    if output is not None:
        if output == "-":
            raise click.UsageError("--output -: without --output, the communities go to the standard output")
        with blamed_on("--output"):
            format_of(output)
        check_paths([output], [graph])
    options.read_until_interrupted()
    graph_file = options.Sources(("graph",), **reading).source("graph", graph)
    found = find_communities(graph_file, method=method, resolution=resolution, seed=seed, directed=directed)
    if output is None:
        click.echo(found.written("tsv"), nl=False)
    else:
        found.write(output)
    click.echo(found.summary(), err=output is None)
