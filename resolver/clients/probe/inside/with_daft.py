"""The acts of daft, with the deltalake beside it."""


def versions():
    """The versions of the installed packages."""
    import daft
    import deltalake
    import pyarrow

    return {"daft": daft.__version__, "deltalake": deltalake.__version__, "pyarrow": pyarrow.__version__}


def open(engine, table, file):
    """Find the table and its schema."""
    import daft

    daft.read_deltalake(table)


def read(engine, table, file):
    """Read all rows."""
    import daft
    from with_deltalake import keep

    keep(daft.read_deltalake(table).to_arrow(), file)


def append(engine, table, file):
    """Add the rows of a file."""
    import daft
    import pyarrow.parquet as pq

    daft.from_arrow(pq.read_table(file)).write_deltalake(table, mode="append")
