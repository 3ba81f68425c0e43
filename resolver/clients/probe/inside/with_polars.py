"""The acts of polars, with the deltalake beside it."""


def versions():
    """The versions of the installed packages."""
    import deltalake
    import polars
    import pyarrow

    return {"polars": polars.__version__, "deltalake": deltalake.__version__, "pyarrow": pyarrow.__version__}


def open(engine, table, file):
    """Find the table and its schema."""
    import polars

    polars.scan_delta(table)


def read(engine, table, file):
    """Read all rows."""
    import polars
    from with_deltalake import keep

    keep(polars.scan_delta(table).collect().to_arrow(), file)


def append(engine, table, file):
    """Add the rows of a file."""
    import polars
    import pyarrow.parquet as pq

    polars.from_arrow(pq.read_table(file)).write_delta(table, mode="append")
