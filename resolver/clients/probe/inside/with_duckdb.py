"""The acts of DuckDB with its delta extension, which comes as a package of its own for each release of DuckDB."""

from functools import lru_cache


def versions():
    """The versions of the installed packages."""
    from importlib.metadata import version

    return {name: version(name) for name in ("duckdb-extension-delta", "duckdb", "pyarrow")}


@lru_cache(maxsize=1)
def connected():
    """A database in memory with the extension of that package; nothing is fetched."""
    from pathlib import Path

    import duckdb
    import duckdb_extension_delta

    database = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    folder = Path(duckdb_extension_delta.__file__).parent / "extensions"
    (extension,) = folder.rglob("delta.duckdb_extension")
    database.execute("SET TimeZone = 'UTC'")
    database.execute("LOAD '{}'".format(extension))
    return database


def carried_out(*statements):
    """The result of the last statement. After a failure the next act begins with a new database."""
    try:
        for statement in statements:
            found = connected().execute(statement)
    except BaseException:
        connected.cache_clear()
        raise
    return found


def open(engine, table, file):
    """Find the table and its schema."""
    carried_out("DESCRIBE " + "FROM delta_scan('{}')".format(table)).fetchall()


def read(engine, table, file):
    """Read all rows."""
    from with_deltalake import keep

    scan = "FROM delta_scan('{}')".format(table)
    columns = carried_out("DESCRIBE SELECT * " + scan).fetchall()
    # Arrow has no type for variants: they are read as text, to prove that they can be read, and not returned.
    variants = ['"{}"'.format(name.replace('"', '""')) for name, kind, *_ in columns if kind == "VARIANT"]
    if variants:
        carried_out("SELECT {} {}".format(", ".join(one + "::VARCHAR" for one in variants), scan)).fetchall()
        scan = "EXCLUDE ({}) {}".format(", ".join(variants), scan)
    rows = carried_out("SELECT * " + scan).arrow()
    keep(rows.read_all() if hasattr(rows, "read_all") else rows, file)


def append(engine, table, file):
    """Add the rows of a file."""
    carried_out(
        "ATTACH '{}' AS target (TYPE delta)".format(table),
        "INSERT INTO target BY NAME " + "FROM read_parquet('{}')".format(file),
        "DETACH target",
    )
