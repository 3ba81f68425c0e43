"""Delta tables in PySpark with no JAR: read, write and stream; the only place that knows pyspark.

    import deltaresolver.spark as ds

Every name below loads its own part when it is first used: importing the package starts no Spark.
"""

from __future__ import annotations

from deltaresolver.lazy_names import LazyNames

with LazyNames(globals()) as _public:
    from deltaresolver.spark.block.block import transaction as transaction
    from deltaresolver.spark.changes.delete import delete as delete
    from deltaresolver.spark.changes.update import update as update
    from deltaresolver.spark.enabled.switch import disable as disable
    from deltaresolver.spark.enabled.switch import enable as enable
    from deltaresolver.spark.maintenance.calls import optimize as optimize
    from deltaresolver.spark.maintenance.calls import reorg_purge as reorg_purge
    from deltaresolver.spark.maintenance.convert.convert import convert_to_delta as convert_to_delta
    from deltaresolver.spark.maintenance.file_rewriting import SparkRewriter as SparkRewriter
    from deltaresolver.spark.reading.clear_errors import clear_errors as clear_errors
    from deltaresolver.spark.reading.read import read as read
    from deltaresolver.spark.reading.read_options import ChangeFeed as ChangeFeed
    from deltaresolver.spark.row_checks import row_check as row_check
    from deltaresolver.spark.source.register import register as register
    from deltaresolver.spark.sql.run import sql as sql
    from deltaresolver.spark.sql.saved_tables import insert_into as insert_into
    from deltaresolver.spark.sql.saved_tables import save_as_table as save_as_table
    from deltaresolver.spark.tables import DeltaTable as DeltaTable
    from deltaresolver.spark.writing.write import write as write

__all__ = list(_public.names)

__getattr__, __dir__ = _public.load, _public.known
