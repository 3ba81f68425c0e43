"""The acts of deltalake, the Python package of delta-rs: by its own engine, or by PyArrow."""


def versions():
    """The versions of the installed packages."""
    import deltalake
    import pyarrow

    return {"deltalake": deltalake.__version__, "pyarrow": pyarrow.__version__}


def open(engine, table, file):
    """Find the table and its schema."""
    from deltalake import DeltaTable

    DeltaTable(table).schema()


def read(engine, table, file):
    """Read all rows."""
    import pyarrow as pa
    from deltalake import DeltaTable

    if engine == "pyarrow":
        rows = DeltaTable(table).to_pyarrow_table()
    else:
        from deltalake import QueryBuilder

        found = QueryBuilder().register("t", DeltaTable(table)).execute("SELECT * FROM t")
        if hasattr(found, "read_all"):
            rows = pa.table(found.read_all())
        elif hasattr(found, "fetchall"):
            rows = pa.Table.from_batches(found.fetchall())
        else:
            rows = pa.Table.from_batches(found)
    keep(rows, file)


def append(engine, table, file):
    """Add the rows of a file."""
    import deltalake
    import pyarrow.parquet as pq
    from deltalake import write_deltalake

    rows = pq.read_table(file)
    if deltalake.__version__.startswith("0."):
        engines = {"pyarrow": "pyarrow", "native": "rust"}
        write_deltalake(table, rows, mode="append", engine=engines[engine])
    elif engine == "pyarrow":
        write_deltalake(table, rows, mode="append", engine="pyarrow")
    else:
        write_deltalake(table, rows, mode="append")


def keep(rows, file):
    """Write rows to a file as an Arrow stream."""
    import pyarrow as pa

    with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
