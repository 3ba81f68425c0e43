"""Words, literals, conditions and statements of SQL, from which texts are made."""

from __future__ import annotations

from tests.nasty import DATES, DECIMALS, FLOATS, INTEGERS, MOMENTS, ODD_CONDITIONS, STRINGS, UNSTABLE_CONDITIONS
from tests.security.expressions import HONEST, HOSTILE

_PLAIN = r"""
id p s.a at l `a``b` and or not is null in ( ) between like rlike escape = <=> <> != < || :: -> => + - * / % & ^ ~
! . , ; : [ ] case when then else end cast( as date timestamp decimal(10,2) interval 1 day x'1f' exists select from
with array( map( struct( date_trunc('day', coalesce( substring( year( 1e 1e400 0x1 1. .5 1L 1.5BD
99999999999999999999 ' " ` -- /* */ \ date' timestamp' true nan current_date() over lateral unnest { } ? @ # $1 :x
"""
_OF_STATEMENTS = r"""
id p s.a ( ) < > , . = ' ` -- /* ; ALTER TABLE ADD COLUMN COLUMNS CREATE GENERATED ALWAYS AS IDENTITY DEFAULT
COMMENT NOT NULL USING delta PARTITIONED BY CLUSTER TBLPROPERTIES LOCATION STRUCT< ARRAY< MAP< DECIMAL(999,999)
DECIMAL(-1) IF EXISTS DROP VARCHAR(99999999999) INTERVAL TIMESTAMP_NTZ RENAME TO SET UNSET FIRST AFTER TYPE CHECK
CONSTRAINT FEATURE TRUNCATE HISTORY
"""
WORDS = (*_PLAIN.split(), "\n", "\x00", "\ud7ff")
STATEMENT_WORDS = (*_OF_STATEMENTS.split(), "INTERVAL DAY TO SECOND", "9" * 5000)
LITERALS = (
    *map(str, INTEGERS),
    *map(str, FLOATS),
    *DECIMALS,
    *(f"'{text}'" for text in (*STRINGS, *DATES, *MOMENTS)),
    *(f"date '{day}'" for day in DATES),
    *(f"timestamp '{at}'" for at in MOMENTS),
)
CONDITIONS = (
    *ODD_CONDITIONS,
    *UNSTABLE_CONDITIONS,
    *HONEST,
    *(text for text in HOSTILE if len(text) < 500),
    *(f"id = {text}" for text in LITERALS),
    *(f"at > {text}" for text in LITERALS),
    *(f"p {sign} {text}" for sign in ("<", "<=>", "like") for text in LITERALS[:99]),
    "id in (1, 2, 3) and (p = 'a' or not s.a between 1 and 2)",
)
_ALTERATIONS = """
SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'a' = 1)
UNSET TBLPROPERTIES IF EXISTS ('a', `b`)
ADD COLUMNS (x INT COMMENT 'c' AFTER id, s.y STRUCT<a: ARRAY<MAP<STRING, DECIMAL(10,2)>>> FIRST)
ALTER COLUMN id COMMENT 'a', ALTER COLUMN p SET DEFAULT 'x'
ALTER COLUMN id TYPE DECIMAL(20, 0)
ALTER COLUMN s.a DROP NOT NULL
CHANGE COLUMN id id2 BIGINT AFTER p
REPLACE COLUMNS (id BIGINT, p STRING)
RENAME COLUMN s.a TO b
DROP COLUMNS (s.a, id)
ADD CONSTRAINT c CHECK (id > 0 AND p RLIKE '^a')
DROP CONSTRAINT IF EXISTS c
CLUSTER BY (id, s.a)
CLUSTER BY NONE
DROP FEATURE deletionVectors TRUNCATE HISTORY
"""
_CREATION = """CREATE TABLE IF NOT EXISTS t (
id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 2),
d DATE GENERATED ALWAYS AS (CAST(at AS DATE)), at TIMESTAMP DEFAULT current_timestamp())
USING delta PARTITIONED BY (d) COMMENT 'c' TBLPROPERTIES ('delta.appendOnly' = 'true') LOCATION '/x'"""
_REPLACEMENT = """CREATE OR REPLACE TABLE t (
a STRUCT<`x y`: INT NOT NULL COMMENT 'z'>, v VARIANT, g VARCHAR(3)) USING delta CLUSTER BY (a)"""
STATEMENTS = (
    *(f"ALTER TABLE t {line}" for line in _ALTERATIONS.strip().splitlines()),
    "COMMENT ON TABLE t IS 'it''s'",
    "CREATE TABLE t (a INT) USING delta PARTITIONED BY (b STRING)",
    _CREATION,
    _REPLACEMENT,
)
