"""``aspectrum index``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.options import COLUMNS, HEADER, READER, Sources, complete_files, read_until_interrupted
from aspectrum.cli.outputs import check_paths


@click.command(
    short_help="Make features of users from their texts.",
    epilog="""\b
Examples:
  aspectrum index tweets.csv -o words.npz --stop-words english --min-users 2
  aspectrum index tweets.csv -o words.npz --of followees --graph train.tsv
then, as often as you like:
  aspectrum contacts recs.tsv --train train.tsv --test test.tsv --features words.npz""",
)
@click.argument("texts", metavar="TEXTS", shell_complete=complete_files)
@click.option("-o", "--output", required=True, metavar="FILE.npz", help="Write the index here.", shell_complete=complete_files)
@click.option(
    "--of",
    type=click.Choice(["own", "followees", "followers", "all"]),
    default="own",
    help="Whose texts make a user: their own (default), those of the users they link to, of the users who link to them, or all of these.",
)
@click.option(
    "--graph",
    metavar="FILE",
    help="The social network, train links: source, target. Its users are indexed, and nobody else.",
    shell_complete=complete_files,
)
@click.option("--directed/--undirected", default=None, help="Whether links lead one way. Default: as the file says; an edge list does.")
@click.option(
    "--weighting",
    type=click.Choice(["tf-idf", "relison", "counts"]),
    default="tf-idf",
    help="How much a term weighs: scikit-learn's tf-idf (default), RELISON's, or how often it is there.",
)
@click.option("--stop-words", type=click.Choice(["english"]), help="Leave out the words that every text has.")
@click.option("--min-users", type=click.IntRange(min=1), default=1, metavar="N", help="Leave out terms of fewer users. Default: 1.")
@COLUMNS
@READER
@HEADER
def index(
    texts: str,
    output: str,
    of: Any,
    graph: str | None,
    directed: bool | None,
    columns: tuple[str, ...],
    reader: tuple[str, ...],
    header: bool | None,
    **options: Any,
) -> None:
    """Make features of users from what they, or their neighbours, wrote: TEXTS has rows user, text.

    A user is one document; terms are weighted by tf-idf. The file is for --features, and need not be made again.
    """
    from aspectrum.contacts.texts import index_texts

    if graph is None and (of != "own" or directed is not None):
        needing = f"--of {of}" if of != "own" else "--directed" if directed else "--undirected"
        raise click.UsageError(f"{needing} needs --graph, which says who follows whom")
    if not output.lower().endswith(".npz"):
        raise click.UsageError(f"--output {output}: an index is an npz file, expected a name that ends in .npz")
    files = [texts, *([] if graph is None else [graph])]
    if "" in files:
        raise click.UsageError("a file has an empty name")
    if files.count("-") > 1:
        raise click.UsageError("the standard input (-) is given twice, and can be read once")
    check_paths([output], files)
    read_until_interrupted()
    sources = Sources.of_options(("texts",) if graph is None else ("texts", "graph"), columns, reader, header)
    made = index_texts(
        sources.given("texts", texts),
        of=of,
        graph=None if graph is None else sources.given("graph", graph),
        directed=directed,
        **options,
    )
    sources.usual.check()
    made.save(output)
    click.echo(made.summary())
