"""`deltaresolver sql`: a statement of DDL on a table, or what it would do."""

from __future__ import annotations

import click

from deltaresolver.cli.change_outcome import tell_outcome
from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.inputs.table_to_change import open_table, opening_options

EXAMPLES = """\b
Examples:
  deltaresolver sql /lake/events "ALTER TABLE events ADD COLUMNS (note STRING COMMENT 'free text' AFTER id)" --dry-run
  deltaresolver sql /lake/events "ALTER TABLE events RENAME COLUMN id TO number"
  deltaresolver sql /lake/events "ALTER TABLE events ALTER COLUMN id COMMENT 'counts up'"
  deltaresolver sql /lake/events "ALTER TABLE events ADD CONSTRAINT positive CHECK (id > 0)"
  deltaresolver sql /lake/events "ALTER TABLE events CLUSTER BY (id)"
  deltaresolver sql /lake/new "CREATE TABLE new (id BIGINT NOT NULL, day DATE) USING delta PARTITIONED BY (day)"
"""


@click.command("sql", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.argument("statement")
@opening_options
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would happen, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(path: str, statement: str, dry_run: bool, as_json: bool, **options: tuple[str, ...]) -> int:
    """Carry out a statement of Spark SQL that changes what the log says of a table, without Spark.

    ALTER TABLE in all its forms for columns, constraints, properties, clustering and features, CREATE and REPLACE
    TABLE, COMMENT ON TABLE. TABLE_PATH says which table; the name in the statement is not looked at. What looks at
    rows takes Spark.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    tell_outcome("sql", table.sql(statement, dry_run=dry_run), as_json=as_json)
    return 0
