"""``aspectrum index``."""

from __future__ import annotations

from typing import Any

import click

from aspectrum.cli.options import HEADER, complete_files, printable, read_until_interrupted
from aspectrum.cli.outputs import check_paths

_ROLES = {"user": "texts", "text": "texts", "source": "graph", "target": "graph"}


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
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME,...",
    help="Which column is what, as user=uid,text=body; of the graph, source and target. A number is a place, from 1. "
    "Columns with usual names are recognised.",
)
@HEADER
def index(
    texts: str,
    output: str,
    of: Any,
    graph: str | None,
    directed: bool | None,
    weighting: Any,
    stop_words: Any,
    min_users: int,
    columns: tuple[str, ...],
    header: bool | None,
) -> None:
    """Make features of users from what they, or their neighbours, wrote: TEXTS has rows user, text.

    A user is one document; terms are weighted by tf-idf. The file is for --features, and need not be made again.
    """
    from aspectrum.contacts.texts import index_texts
    from aspectrum.io import Source

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
    said = _columns(columns, graph is not None)
    check_paths([output], files)
    read_until_interrupted()

    def source(input: str, path: str) -> Source:
        return Source(path, columns=said[input], header=header, name="standard input" if path == "-" else printable(path))

    made = index_texts(
        source("texts", texts),
        of=of,
        graph=None if graph is None else source("graph", graph),
        directed=directed,
        weighting=weighting,
        stop_words=stop_words,
        min_users=min_users,
    )
    made.save(output)
    click.echo(made.summary())


def _columns(given: tuple[str, ...], with_graph: bool) -> dict[str, dict[str, str | int]]:
    """Columns by input, which their roles tell; errors of files name it in front, as in texts:user=1."""
    said: dict[str, dict[str, str | int]] = {"texts": {}, "graph": {}}
    for text in given:
        named, colon, pairs = text.partition(":")
        if not colon or "=" in named:
            named, pairs = "", text
        for pair in pairs.split(","):
            role, equals, name = (piece.strip() for piece in pair.partition("="))
            if not equals or not name:
                raise click.UsageError(f"--columns {text}: {pair!r} is not of the form ROLE=NAME, as in user=uid")
            input = _ROLES.get(role)
            if input is None or named not in ("", input):
                raise click.UsageError(
                    f"--columns {text}: there is no {role} in {named or 'the files'}; expected one of {', '.join(_ROLES)}"
                )
            if input == "graph" and not with_graph:
                raise click.UsageError(f"--columns {text}: a {role} goes with --graph")
            if role in said[input]:
                raise click.UsageError(f"--columns {text}: the {role} is said twice")
            said[input][role] = int(name) if name.isdecimal() else name
    return said
