"""The acts of dask-deltatable, with the deltalake beside it."""


def versions():
    """The versions of the installed packages."""
    from importlib.metadata import version

    return {name: version(name) for name in ("dask-deltatable", "dask", "deltalake", "pyarrow", "pandas")}


def open(engine, table, file):
    """Find the table and its schema."""
    import dask_deltatable

    dask_deltatable.read_deltalake(table)


def read(engine, table, file):
    """Read all rows."""
    import dask_deltatable
    import pyarrow as pa
    from with_deltalake import keep

    rows = dask_deltatable.read_deltalake(table).compute(scheduler="synchronous")
    keep(pa.Table.from_pandas(rows, preserve_index=False), file)


def append(engine, table, file):
    """Add the rows of a file."""
    import dask
    import dask.dataframe as dd
    import dask_deltatable
    import pandas
    import pyarrow.parquet as pq

    rows = pq.read_table(file).to_pandas(types_mapper=pandas.ArrowDtype)
    with dask.config.set(scheduler="synchronous"):
        dask_deltatable.to_deltalake(table, dd.from_pandas(rows, npartitions=1), mode="append").compute()
