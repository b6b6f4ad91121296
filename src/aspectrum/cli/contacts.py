"""``aspectrum contacts``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli import options
from aspectrum.cli.comparing import taken
from aspectrum.cli.options import Job
from aspectrum.cli.outputs import deliver, output_options
from aspectrum.inputs import SOCIAL_TRUTH, TRUTH

if TYPE_CHECKING:
    from aspectrum.asked import Asked
    from aspectrum.diagnostics.notices import Notice

_FEATURES = "Features of users: user, feature[, value], or vectors, or an index of texts. See aspectrum index."


_KEEP = (
    "Test links not to leave out: strangers (an end is not in the train graph), self (to oneself), known (in the train "
    "graph) or reciprocal (the reverse is in the train graph)."
)
_OF_LINKS = (
    options.choice("--of texts_of", options.OF, "Whose texts a user is known by. Default: own."),
    options.choice("--weighting", options.WEIGHTINGS, "How the terms of texts are weighted. Default: as the convention does."),
    options.DIRECTED,
    click.option("--weighted/--unweighted", default=None, help="Whether the weights of test links are grades. Default: unweighted."),
    click.option("--keep", multiple=True, metavar="RULE,...", help=_KEEP),
)
_FILES = {
    name: options.file_option(f"--{options.input_option(name).replace('_', '-')}", help=_FEATURES if name == "features" else spec.help)
    for name, spec in SOCIAL_TRUTH.items()
}

social_options = options.with_options(*(option for name, option in _FILES.items() if name not in TRUTH), *_OF_LINKS)
"""What :func:`contacts_job` takes beside the options that every evaluation has."""


@click.command(
    short_help="Measure recommended contacts in a social network.",
    epilog="""\b
Examples:
  aspectrum contacts recs.tsv --train train.tsv --test test.tsv --communities communities.tsv
  aspectrum contacts recs/ --train train.tsv --test test.tsv --communities communities.tsv \\
            --features features.tsv --config relison.yaml --convention both
  aspectrum contacts recs.tsv --train train.graphml --test test.graphml --texts tweets.csv --of followees -m ILD@10""",
)
@options.with_options(
    options.SYSTEMS,
    *_FILES.values(),
    *_OF_LINKS,
    options.file_option("--feature-ids", help="The users of the rows of an npy file of features."),
    options.columns_option(
        "train:source=follower,target=followee or communities:community=louvain; lists (rankings) have user, candidate, score and rank"
    ),
    click.option("--split", metavar="TEXT", help="Separator between communities, or features, in a cell, as | in 3|7."),
    options.READER,
    options.HEADER,
    options.choice(
        "--order", "auto rank score input", "What orders a list. Default: ranks, else scores, else the rows; in relison the rows."
    ),
    options.TIES,
    options.DUPLICATES,
    options.USERS_OPTION,
    click.option(
        "--convention",
        type=click.Choice(["published", "relison", "both", "published,relison", "relison,published"], case_sensitive=False),
        metavar="[published|relison|both]",
        multiple=True,
        help="Whose way of computing: the published definitions (default), RELISON's, or both side by side.",
    ),
    options.metric_option(
        "Such as 'Community recall@5,10' or ERRIA@10; usual@5,10 for RELISON's metrics that the inputs allow (default: usual@10), "
        "all@5,10 for every metric that they allow, also of the network with the recommended links, accuracy@10 for those of a family; may be "
        "repeated."
    ),
    options.CONFIG,
)
@output_options
def contacts(format: Any, output: tuple[str, ...], quiet: bool, **given: Any) -> None:
    """Measure the contacts that systems recommend to the users of a social network.

    One file per system: user, candidate[, rank][, score], or best first without these; or a directory of such files. The users
    are those of the train graph. Test links that are trivial or impossible to predict are excluded; notes say how many, and why.
    A configuration of RELISON works as it is: its metrics are measured.
    """
    from aspectrum.contacts import evaluate_systems

    comparing = taken(given)
    job, network = contacts_job(given)
    deliver(job, asked_of_contacts(job), evaluate_systems, format=format, output=output, quiet=quiet, **comparing, **network)


def contacts_job(given: dict[str, Any]) -> tuple[Job, dict[str, Any]]:
    """The job of options for contacts, and how the network is read."""
    from aspectrum.config import ContactSettings
    from aspectrum.contacts import KEEPABLE

    social = {name: given.pop(name) for name in ContactSettings.model_fields}
    social["keep"] = tuple(rule.strip() for rules in social["keep"] for rule in rules.split(","))
    job = Job.of(command="contacts", **given)
    said = options.on_top(job.settings.contacts, social)
    for rule in said.keep:
        if rule not in KEEPABLE:
            raise click.UsageError(f"--keep: {options.unknown('rule', rule, KEEPABLE)}")
    if "train" not in job.inputs:
        raise click.UsageError("there is no train graph: name its file by --train, or in a --config as inputs.train")
    if {"features", "texts"} <= job.inputs.keys():
        raise click.UsageError("--features and --texts are both given, expected one of them: features are made of texts")
    for name, needed in {"texts_of": "texts", "weighting": "texts", "keep": "test", "weighted": "test"}.items():
        if getattr(said, name) and needed not in job.inputs:
            option = "--of" if name == "texts_of" else f"--{name}"
            called = option if social[name] else f"{given['config']}: contacts.{name}"
            raise click.UsageError(f"{called} goes with --{needed}, which is not given")
    return job, {**dict(said), "texts_of": said.texts_of or "own", "weighted": bool(said.weighted)}


def asked_of_contacts(job: Job) -> tuple[list[Asked], list[Notice]]:
    """Metrics, and what is left out of ``usual@5,10``, those of RELISON that the inputs allow, and ``all@5,10``, all that they allow."""
    from aspectrum.contacts.evaluation import asked_as_contacts, contact_conventions

    metrics = [str(one) for one in job.metrics] or "usual@10"  # by name, as RELISON understands it
    over_orders = job.reading.get("ties") == "expected"
    return asked_as_contacts(metrics, job.inputs, contact_conventions(job.reading.get("convention")), over_orders=over_orders)
