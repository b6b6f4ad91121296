"""``aspectrum check``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from aspectrum.cli.comparing import Comparing
from aspectrum.cli.contacts import asked_of_contacts, contacts_job, social_options
from aspectrum.cli.options import IGNORE, OF_NUGGETS, STRICT, Job, input_option, input_options
from aspectrum.inputs import SOCIAL_TRUTH, TRUTH

if TYPE_CHECKING:
    from aspectrum.diagnostics.check import Report


@click.command(
    short_help="Validate inputs before evaluating.",
    epilog="""\b
Examples:
  aspectrum check recs.csv --relevance test.csv --aspects genres.csv -m NDCG@10
  aspectrum check recs.tsv --train train.tsv --test test.tsv --communities communities.tsv
  aspectrum check --config evaluation.yaml --json""",
)
@input_options
@social_options
@STRICT
@IGNORE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(as_json: bool, **given: Any) -> int:
    """Validate inputs before evaluating: sizes, ids that match nowhere and why, ties, duplicates, short lists.

    Takes the same inputs as evaluate or, with --train, those of contacts; with metrics, it also checks that these inputs are
    enough for them. Exit status: 0 without errors, 1 with errors: there would be no numbers, or none that mean anything.
    """
    report = _report(given)
    click.echo(report.to_json() if as_json else report.to_text())
    return 1 if report.n_errors else 0


def report_on(config: str) -> Report:
    """What there is to say of the files of a configuration, within another command."""
    given = check.make_context("check", ["--config", config], parent=click.get_current_context()).params
    return _report({name: value for name, value in given.items() if name != "as_json"})


def _report(given: dict[str, Any]) -> Report:
    return _on_contacts(given) if _has_links(given) else _on_lists(given)


def _has_links(given: Mapping[str, Any]) -> bool:
    """Whether the inputs are of contacts: a train graph is among them."""
    from aspectrum.config import read_settings

    return given["train"] is not None or (given["config"] is not None and "train" in read_settings(given["config"]).inputs)


def _on_lists(given: dict[str, Any]) -> Report:
    from aspectrum.config import ContactSettings
    from aspectrum.diagnostics.check import check as check_inputs
    from aspectrum.diagnostics.notices import COMMAND_LINE

    social = {name: given.pop(name) for name in (*_ONLY_SOCIAL, *ContactSettings.model_fields) if name != "directed"}
    _refuse(social, "goes with --train, which is not given")
    job = Job.of(command="check", **given)
    if job.systems:
        Comparing.of({}, job.settings.comparison).check(list(job.systems))
    options = {"users": job.users, "usual": job.usual, "speaker": COMMAND_LINE, **job.attention, **job.reading}
    return check_inputs(job.systems, job.inputs, job.metrics or "all@10", **options)


def _on_contacts(given: dict[str, Any]) -> Report:
    from aspectrum.diagnostics.check import check_contacts
    from aspectrum.diagnostics.notices import CONTACTS

    _refuse(
        {name: given.pop(name) for name in (*map(input_option, _NOT_SOCIAL), "nuggets", *OF_NUGGETS, "threshold", "popularity_users")},
        "is not for contacts, which --train stands for",
    )
    job, network = contacts_job(given)
    options: dict[str, Any] = {"users": job.users, "usual": job.usual, "speaker": replace(CONTACTS, on_command_line=True)}
    asked, _ = asked_of_contacts(job)
    return check_contacts(job.systems, job.inputs, asked, **options, **job.attention, **job.reading, **network)


_ONLY_SOCIAL = [name for name in SOCIAL_TRUTH if name not in TRUTH]
_NOT_SOCIAL = [name for name in TRUTH if name not in SOCIAL_TRUTH]


def _refuse(given: Mapping[str, Any], why: str) -> None:
    """Options that do not go with the others."""
    for name, value in given.items():
        if value is not None and value != ():
            raise click.UsageError(f"--{'of' if name == 'texts_of' else name.replace('_', '-')} {why}")
