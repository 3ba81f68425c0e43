"""The functions that an expression kept in a table may call: of the row's values alone, and without any effect.

Left out are those that reach beyond the row: into the JVM (`java_method`, `reflect`), into files and to servers
(`from_protobuf`; `xpath` and its like, which fetch the DTD that a text names; `from_xml`, the schema that an option
names), into the session (`current_user`), those that make several rows of one (`window`), and those that count rows or
draw numbers. A function that is added here must have none of these powers for any arguments, whoever wrote them.
"""

from __future__ import annotations

TRUST = "deltaresolver.trustTableExpressions"
"""The setting of a session that lets expressions of tables call anything."""

_VALUES = """
    abs coalesce equal_null greatest if iff ifnull isnan isnotnull isnull least nanvl nullif nullifzero nvl nvl2
    typeof when zeroifnull
"""
_NUMBERS = """
    acos acosh asin asinh atan atan2 atanh bin bit_count bit_get bround cbrt ceil ceiling conv cos cosh cot csc
    degrees div e exp expm1 factorial floor getbit hex hypot ln log log10 log1p log2 mod negative pi pmod
    positive pow power radians rint round sec shiftleft shiftright shiftrightunsigned sign signum sin sinh sqrt
    tan tanh try_add try_divide try_mod try_multiply try_subtract unhex width_bucket
"""
_TEXTS = """
    ascii base64 bit_length btrim char char_length character_length charindex chr collate collation concat
    concat_ws contains decode elt encode endswith find_in_set format_number format_string initcap instr
    is_valid_utf8 lcase left len length levenshtein like ilike locate lower lpad ltrim luhn_check
    make_valid_utf8 mask octet_length overlay parse_url position printf quote regexp regexp_count regexp_extract
    regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right rlike
    rpad rtrim sentences soundex space split split_part startswith substr substring substring_index to_binary
    to_char to_number to_varchar translate trim try_parse_url try_to_binary try_to_number try_url_decode
    try_validate_utf8 ucase unbase64 upper url_decode url_encode validate_utf8
"""
_MOMENTS = """
    add_months convert_timezone date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc
    dateadd datediff datepart day dayname dayofmonth dayofweek dayofyear extract from_unixtime
    from_utc_timestamp hour last_day make_date make_dt_interval make_interval make_time make_timestamp
    make_timestamp_ltz make_timestamp_ntz make_ym_interval minute month monthname months_between next_day
    quarter second timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff to_date
    to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp trunc
    try_make_interval try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz try_to_date try_to_time
    try_to_timestamp unix_date unix_micros unix_millis unix_seconds unix_timestamp weekday weekofyear year
"""
_COLLECTIONS = """
    aggregate array array_append array_compact array_contains array_distinct array_except array_insert
    array_intersect array_join array_max array_min array_position array_prepend array_remove array_repeat
    array_size array_sort array_union arrays_overlap arrays_zip cardinality element_at exists filter flatten
    forall get map map_concat map_contains_key map_entries map_filter map_from_arrays map_from_entries map_keys
    map_values map_zip_with named_struct reduce sequence size slice sort_array str_to_map struct transform
    transform_keys transform_values try_element_at zip_with
"""
_DOCUMENTS = """
    from_csv from_json get_json_object is_variant_null json_array_length json_object_keys
    parse_json schema_of_csv schema_of_json schema_of_variant to_csv to_json to_variant_object
    to_xml try_parse_json try_variant_get variant_get
"""
_DIGESTS = """
    assert_true crc32 hash md5 raise_error sha sha1 sha2 xxhash64
"""
_CASTS = """
    bigint binary boolean cast date decimal double float int smallint string timestamp timestamp_ltz
    timestamp_ntz tinyint try_cast
"""

CLOCK = frozenset(["curdate", "current_date", "current_time", "current_timestamp", "localtimestamp", "now"])
"""The moment of the statement, with or without parentheses: delta-spark fills it in as a default."""
FUNCTIONS = CLOCK.union(
    *(each.split() for each in (_VALUES, _NUMBERS, _TEXTS, _MOMENTS, _COLLECTIONS, _DOCUMENTS, _DIGESTS, _CASTS))
)
"""By their names in lower case."""
_TYPES = """
    array byte char character dec decimal interval long map numeric real short struct time varchar
"""
TYPES = frozenset(_TYPES.split())
"""Words that parentheses follow in the name of a type."""
_WORDS = """
    all and any as between both case dec distinct div else escape for from ilike in is leading like mod not
    numeric or placing regexp rlike some then trailing when
"""
WORDS = frozenset(_WORDS.split())
"""Words of SQL between operands, after which a parenthesis only groups."""
_SESSION = """
    current_catalog current_database current_path current_schema current_timezone current_user grouping__id
    session_user user
"""
SESSION = frozenset(_SESSION.split())
"""Names that Spark takes for a function of the session where no column is called so."""
_UNITS = """
    day dayofyear hour microsecond millisecond minute month nanosecond quarter second week year
"""
UNITS = frozenset(_UNITS.split())
"""Words that some functions of moments take where others take a value."""
