"""``aspectrum index``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli import options
from aspectrum.cli.paths import check_paths


@click.command(
    short_help="Make features of users from their texts.",
    epilog="""\b
Examples:
  aspectrum index tweets.csv -o words.npz --stop-words english --min-users 2
  aspectrum index tweets.csv -o words.npz --of followees --graph train.tsv
then, as often as you like:
  aspectrum contacts recs.tsv --train train.tsv --test test.tsv --features words.npz""",
)
@click.argument("texts", metavar="TEXTS", type=options.FILE)
@options.file_option("-o", "--output", required=True, metavar="FILE.npz", help="Write the index here.")
@options.choice(
    "--of",
    options.OF,
    "Whose texts make a user: their own (default), those of the users they link to, of the users who link to them, or all of these.",
    default="own",
)
@options.file_option("--graph", help="The social network, train links: source, target. Its users are indexed, and nobody else.")
@options.DIRECTED
@options.choice(
    "--weighting",
    options.WEIGHTINGS,
    "How much a term weighs: scikit-learn's tf-idf (default), RELISON's, or how often it is there.",
    default="tf-idf",
)
@options.choice("--stop-words", "english", "Leave out the words that every text has.")
@click.option("--min-users", type=click.IntRange(min=1), default=1, metavar="N", help="Leave out terms of fewer users. Default: 1.")
@options.COLUMNS
@options.READER
@options.HEADER
def index(texts: str, output: str, of: Any, graph: str | None, directed: bool | None, **given: Any) -> None:
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
    if files.count("-") > 1:
        raise click.UsageError("the standard input (-) is given twice, and can be read once")
    check_paths([output], files)
    options.read_until_interrupted()
    reading = {name: given.pop(name) for name in ("columns", "reader", "header")}
    sources = options.Sources(("texts",) if graph is None else ("texts", "graph"), **reading)
    network = None if graph is None else sources.source("graph", graph)
    made = index_texts(sources.source("texts", texts), of=of, graph=network, directed=directed, **given)
    sources.usual.check()
    made.save(output)
    click.echo(made.summary())
