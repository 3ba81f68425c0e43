"""One vocabulary of nasty things, from which every generator of the tests draws.

Whoever finds a new kind of trouble adds it here first, and mends the code second: then every law meets it. The groups
are plain tuples; a generator samples them with its own random source or with hypothesis' `sampled_from`.
"""

from __future__ import annotations

COLUMN_NAMES = (
    "id",
    "value",
    "row_id",
    "ID2",
    "_day",
    ".day",
    "_c0",
    "__hidden",
    "_metadata_",
    "a.b",
    "a`b",
    "a b",
    "a'b",
    'a"b',
    "a=b",
    "a%b",
    "a/b",
    "a\\b",
    "a,b",
    "a:b",
    "x) OR (1=1",
    "é",
    "表",
    "😀",
    "select",
    "null",
    "true",
    "key",
    "1st",
    "-",
    "t",
    "s",
    "_temporary",
)
"""Names that Spark takes for a column of a Parquet file. Two of them differ by more than case."""

MAPPED_ONLY_NAMES = ("a\nb", "a\tb", "a;b", "a{b}", "a(b)", " lead", "trail ")
"""Names that Spark writes only where columns are mapped to names of their own in the files."""

INTERNAL_NAMES = (
    "_change_type",
    "_commit_version",
    "_commit_timestamp",
    "_row_number",
    "__deltaresolver_row",
    "_metadata",
)
"""Names that this library, delta-spark or Spark uses itself."""

STRINGS = (
    "a",
    "A",
    "b",
    "",
    " ",
    "a ",
    " a",
    "O'Brien",
    "OBrien",
    "O''Brien",
    'say "x"',
    "say x",
    "a\\b",
    "a\\'b",
    "a%b",
    "a_b",
    "%",
    "_",
    "_x",
    ".x",
    "a/b",
    "a=b",
    "a:b",
    "..",
    "../x",
    "%2e%2e",
    "\n",
    "\t",
    "a\nb",
    "é",
    "e\u0301",
    "ß",
    "表",
    "😀",
    "true",
    "null",
    "NULL",
    "NaN",
    "1",
    "01",
    "1.0",
    "1e0",
    "2024-01-01",
    "__HIVE_DEFAULT_PARTITION__",
    "x" * 40,
    "\uffff",
    "\U0010ffff",
)
"""Values of string columns, of partition columns among them. None stands beside them wherever a column takes null."""

LOOKALIKES = (
    ("O'Brien", "OBrien", "O''Brien"),
    ('say "x"', "say x", 'say ""x""'),
    ("a", "a ", " a", "A"),
    ("1", "01", "1.0", "1e0"),
    ("a\\b", "a\\'b", "ab"),
    ("é", "e\u0301", "É"),
    ("", " ", "\t"),
    ("null", "NULL", "__HIVE_DEFAULT_PARTITION__"),
)
"""Texts that a careless reader takes for one another."""

UNPARTITIONABLE_STRINGS = ("a\x00b",)
"""Values that no folder's name can carry on some storage."""

SHORT_STRINGS = ("", " ", "a", "a ", " a", "ab", "abcd", "A", "x'y", '"', "\\", "é", "表", "😀", "_", "%", "null", "\t")
"""At most four characters, for columns with a declared length; some differ by blanks alone."""

BYTES = ("", "00", "00ff", "ff", "61", "7f", "80", "efbfbf", "ff" * 40)
"""Of binary columns, as hexadecimal digits."""

INTEGERS = (
    0,
    1,
    -1,
    2,
    9,
    10,
    127,
    -128,
    128,
    32767,
    -32768,
    2**31 - 1,
    -(2**31),
    2**31,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
)

FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    3.1,
    1.5,
    1e-320,
    5e-324,
    1.7976931348623157e308,
    3.4028234663852886e38,
    1e39,
    16777217.0,
    float("inf"),
    float("-inf"),
    float("nan"),
)
"""For FLOAT columns as well: 0.1 and 3.1 are other numbers there."""

DECIMALS = ("0", "0.00", "-0.01", "1", "1.5", "1.50", "99999999.99", "-99999999.99", "0.1")

DATES = (
    "0001-01-01",
    "0004-02-29",
    "1500-01-01",
    "1582-10-04",
    "1582-10-15",
    "1899-12-31",
    "1900-01-01",
    "1969-12-31",
    "1970-01-01",
    "2000-02-29",
    "2024-01-01",
    "2024-02-29",
    "2024-12-31",
    "9999-12-31",
)
"""Days before 1582-10-15 are other days in the legacy calendar.

The ten days before it, which that calendar lacks, are tried in tests/spark/test_skipped_days.py alone: Spark itself
makes other days of them, in files of that calendar and in the filters of queries, so that it can judge nobody there.
"""

MOMENTS = (
    "0001-01-01 00:00:00",
    "1500-01-01 00:00:00",
    "1582-10-04 23:59:59.999999",
    "1582-10-15 00:00:00",
    "1899-12-31 23:59:59",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2024-01-01 00:00:00",
    "2024-01-01 12:34:56.789",
    "2024-03-10 02:30:00",
    "2024-11-03 01:30:00",
    "2024-12-31 23:59:59.999999",
    "9999-12-31 23:59:59.999999",
)
"""Two of them do not exist, or come twice, where clocks change."""

ZONES = ("UTC", "America/New_York", "Asia/Kathmandu", "Europe/London", "Pacific/Apia", "+05:30", "America/Los_Angeles")


def string_literals(text: str) -> tuple[str, ...]:
    """The ways to spell one text as a literal of Spark SQL, for a session with default settings."""
    backslashed = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    ways = ["'" + backslashed.replace("'", "\\'") + "'", '"' + backslashed.replace('"', '\\"') + '"']
    if "'" in text:
        ways.append("'" + backslashed.replace("'", "''") + "'")
    if '"' in text:
        ways.append('"' + backslashed.replace('"', '""') + '"')
    if not {"\\", "'", "\n", "\t"} & set(text):
        ways.append("r'" + text + "'")
    if len(text) > 1 and "\\" not in text and "'" not in text and "\n" not in text and "\t" not in text:
        ways.append("'" + text[:1] + "' '" + text[1:] + "'")
    return tuple(ways)


ODD_CONDITIONS = (
    "",
    " ",
    "true",
    "false",
    "null",
    "1",
    "1 = 1",
    "not null",
    "id",
    "rand() < 0.5",
    "uuid() = 'x'",
    "current_timestamp() > now()",
    "id = (select 1)",
    "id in (select 1)",
    "exists (select 1)",
    "max(id) > 1",
    "explode(array(1)) = 1",
    "unknown_column = 1",
    "unknown_function(id)",
    "id = 1 --",
    "id = 1; drop table t",
    "/* x */ id = 1",
    "id = 1 or",
    "((id = 1)",
    "input_file_name() = ''",
    "java_method('java.lang.System', 'exit', 1)",
    "monotonically_increasing_id() = 1",
    "between",
    "`id` = 1",
    "t.id = 1",
    "1e",
    "! id = 1",
    "id between symmetric 3 and 1",
    "id = '${env:HOME}'",
    "`${env:HOME}` = 1",
    "id in (null, 'x', 1)",
    "X'1F' = id",
)
"""Texts that somebody may hand over as a condition: some fine, most to be refused, none to be guessed at."""

UNSTABLE_CONDITIONS = (
    "rand() < 2",
    "id >= 0 and randn() < 100",
    "uuid() <> ''",
    "monotonically_increasing_id() >= 0",
    "spark_partition_id() >= 0",
    "input_file_name() is not null",
    "shuffle(array(1, 2))[0] > 0",
    "reflect('java.util.UUID', 'randomUUID') <> ''",
    "id in (select cast(rand() * 10 as bigint))",
)
"""Conditions over a column `id` that may give another answer each time: nothing may be removed by them."""

FOLDER_NAMES = (
    "plain",
    "with space",
    "with%20percent",
    "a=b",
    "ünï",
    "x'y",
    "_hidden",
    ".dot",
    "comma,name",
    "hash#name",
    "q?mark",
    "star*",
    "{brace}",
    "[bracket]",
    "semi;colon",
    "back\\slash",
    "plus+",
    "tilde~",
    "amp&",
)
"""Names of the folder a table lies in."""

HIDDEN_FILE_NAMES = ("_part-0.parquet", ".part-0.parquet", "part-0.parquet._COPYING_")
"""Names of data files that Spark passes over, though it is given the file itself."""

PASSING_OVER_FILES = ("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles")
"""Settings that are on in sessions whose queries pass over files that are not there or cannot be read."""

CHUNKS = ((0, 3), (2, 0, 1), (1, 0, 0, 2), (3, 0), (0, 0), ())
"""How many rows there are in each piece of a table of Arrow. Spark takes an empty piece for the end."""

HIDING_PLANS = {
    "spark.sql.maxPlanStringLength": "40",
    "spark.sql.debug.maxToStringFields": "1",
    "spark.sql.redaction.string.regex": "[A-Za-z0-9_=-]{20,}",
}
"""Settings with which the text of a plan lacks some of it."""

NO_CONDITIONS = ("k", "k + 0", "1", "c", "'true'", "coalesce(k, 0)", "-k", "NOT k", "k = 1 OR k")
"""Not conditions in a table with a BIGINT `k` and a STRING `c`, though a number might pass for one."""

PLACES_OF_PARAMETERS = (
    "DELETE FROM t WHERE a > b-? AND c = 1",
    "UPDATE t SET a = b- ? WHERE c=?AND d",
    "DELETE FROM t WHERE a = 'x'?",
    "DELETE FROM t WHERE a = r?",
    "DELETE FROM t WHERE a = ? ?",
    "DELETE FROM t WHERE a IN (?,?) OR b=-?--?",
    "INSERT INTO t VALUES (?, '?', ?) -- ?",
)
"""Statements in which a literal that is put in for `?` may become part of what stands beside it."""

ENDLESS_DURATIONS = (
    "interval 2147483648 days",
    "interval -2147483648 days",
    "interval 306783379 weeks",
    "interval 9223372036855 seconds",
    "interval 9999999999999999999 milliseconds",
    "interval 1 day " + "9" * 90 + " weeks",
)
"""Durations of more days than 32 bits hold, or of more microseconds than 64 bits do: Spark takes none of them."""

PROPERTY_VALUES = (
    "true",
    "false",
    "TRUE",
    "tRuE",
    "",
    " true",
    "yes",
    "1",
    "null",
    "0",
    "-1",
    "1.5",
    "9999999999",
    "interval 1 day",
    "x" * 500,
)

STUCK_INSTRUCTIONS = (
    ("delta.minReaderVersion", "1"),
    ("delta.minReaderVersion", "2"),
    ("delta.minWriterVersion", "5"),
    ("delta.feature.v2Checkpoint", "supported"),
    ("delta.feature.rowTracking", "supported"),
    ("delta.feature.deletionVectors", "enabled"),
    ("delta.feature.nosuch", "supported"),
    ("delta.ignoreProtocolDefaults", "true"),
)
"""Instructions about the protocol that other clients left among the properties of a table."""

UNUSABLE_PROPERTIES = (
    ("delta.isolationLevel", "foo"),
    ("delta.dataSkippingNumIndexedCols", "-5"),
    ("delta.dataSkippingStatsColumns", "nosuch"),
    ("delta.deletedFileRetentionDuration", "interval 1 month"),
    ("delta.deletedFileRetentionDuration", ENDLESS_DURATIONS[0]),
    ("delta.logRetentionDuration", ENDLESS_DURATIONS[-1]),
    ("delta.setTransactionRetentionDuration", "soon"),
    ("delta.logRetentionDuration", "banana"),
    ("delta.checkpoint.writeStatsAsJson", "maybe"),
    ("delta.checkpointInterval", "0"),
    ("delta.universalFormat.enabledFormats", "iceberg"),
    ("deltaresolver.guard.clients", "trino@9999x"),
)
"""Properties of a table that other clients set, with values that no ALTER TABLE here would take."""

UNREADABLE_PROPERTIES = (
    ("delta.appendOnly", "maybe", "true"),
    ("delta.appendOnly", "", "false"),
    ("delta.enableChangeDataFeed", "yes", "TRUE"),
    ("delta.enableDeletionVectors", " true", "true"),
    ("delta.enableRowTracking", "1", "false"),
    ("delta.enableTypeWidening", "on\n", "true"),
    ("delta.enableInCommitTimestamps", "t", "false"),
    ("delta.enableIcebergCompatV2", "ja", "false"),
    ("delta.checkpointPolicy", "v3", "classic"),
    ("delta.columnMapping.mode", "nam", "name"),
)
"""Properties of a table with values of other clients that nobody can read, and with values that may stand there."""

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
"""The folder of a partition whose value is null. Where it is the value itself, Spark's own writer makes null of it."""

SAME_VALUES = (
    ("TIMESTAMP", "2024-01-01T00:00:00.000000Z", "2024-01-01 00:00:00"),
    ("TIMESTAMP", "2024-01-01T00:00:00.000000Z", "2024-01-01 00:00:00.0"),
    ("TIMESTAMP_NTZ", "2024-01-01 00:00:00", "2024-01-01T00:00:00"),
    ("DATE", "2024-01-02", "2024-1-2"),
    ("BOOLEAN", "true", "TRUE"),
    ("INT", "5", "05"),
    ("BIGINT", "5", "+5"),
    ("DOUBLE", "1.5", "1.50"),
    ("DOUBLE", "0.0", "-0.0"),
    ("FLOAT", "0.1", "1e-1"),
    ("DECIMAL(10,2)", "1.50", "1.5"),
    ("STRING", "", None),
)
"""Types, and two texts by which writers put the same value of one into the log, as that of a partition."""

STORED_TEXTS = (
    "1_0",
    " 5 ",
    "+5",
    "5.0",
    "5.",
    ".5",
    "\u0663",
    "1e2",
    "0x10",
    "1d",
    "-0",
    "00",
    "Infinity",
    "-inf",
    "NaN",
    "1e400",
    "128",
    "3000000000",
    "99999999999999999999",
    "20240102",
    "2024",
    "2024-01",
    "2024-1-2",
    " 2024-01-02 ",
    "2024-01-02x",
    "2024-02-30",
    "2024-W01-1",
    "10000-01-01",
    "2024-01-02 00:00:00",
    "2024-01-02 3:4:5.5",
    "2024-01-02T03:04:05.1234567Z",
    "2024-01-02 03:04:05+05:45",
    "2024-01-02 03:04:05 UTC",
    "2024-01-02 24:00:00",
    "20240102T030405",
    "03:04:05",
    "YES",
    "f",
    "TRUE ",
    "on",
    "null",
)
STORED_DAYS = (
    "2024",
    "0001",
    "9999",
    "999",
    "12024",
    "02024",
    "2024-1",
    "2024-01",
    "2024-1-2",
    "2024-01-02",
    "2024-13-01",
    "2024-02-30",
    "2024-1-",
    "2024-",
    "2024-001-02",
    "2024-01-002",
    "+2024-01-02",
    "-2024-01-02",
    "2024/01/02",
)
STORED_TIMES = (
    "",
    " ",
    "T",
    " 3",
    "T03:",
    " 03:04",
    "T3:4",
    "  03:04",
    "t03:04:05",
    " 03:04:",
    "T03:04:05",
    " 3:4:5",
    "T03:4:05.",
    " 03:04:05.1",
    "T03:04:05.123456",
    " 03:04:05.1234567",
    "T03:04:05.1234567890",
    " 24:00:00",
    "T23:60:00",
    " 23:59:60",
    "T003:04:05",
    " 03:04:05,5",
)
STORED_ZONES = (
    "",
    "Z",
    " Z",
    "z",
    "UTC",
    " UTC",
    "+5",
    "+05",
    "+5:30",
    "+05:30",
    "+0530",
    "+530",
    "+18:00",
    "+18:01",
    "-18:00",
    "+19:00",
    "+23:59",
    "+05:75",
    "+05:3",
    "+5:3",
    "GMT",
    "UTC+1",
    "  +05:30",
    "\t+05:30",
    "\u00a0Z",
    "+00:00",
    "-00:00",
    "+05:30:15",
    "+053015",
    "\x7f",
)
STORED_PREFIXES = (
    "",
    "+",
    "-",
    "--",
    " ",
    "\t",
    "\x01",
    "\u00a0",
)
STORED_NUMBERS = (
    "1",
    "01",
    "1.",
    "1.5",
    ".5",
    ".",
    "1e5",
    "1E+5",
    "1e",
    "1_0",
    "NaN",
    "nan",
    "inf",
    "Inf",
    "Infinity",
    "infinityx",
    "1d",
    "1D",
    "1f",
    "1.5F",
    "0x1",
    "\u0663",
    "1e400",
    "1e99999999999999999999",
    "1e-400",
    "nand",
    "infd",
    "1dd",
    "d",
    "true",
    "T",
    "Yes",
    "off",
    "\u017f",
    "\ufb01",
)
STORED_SUFFIXES = (
    "",
    " ",
    "\n",
    "\u2003",
    "\x7f",
    "d",
)
"""Parts of texts: put together they are days, moments and numbers, or only look like them."""
"""What a log may hold for a value of any type: other writers spell values as Spark does not, and Python reads more."""
