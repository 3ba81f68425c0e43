"""Random conditions over partition and data columns, in the shapes that commands hand to a transaction."""

from collections.abc import Callable, Sequence
from random import Random

import attrs

from tests.peers.partition_kinds import PartitionKind

DATA_CONDITIONS = (
    "id < 5", "id > 1000", "id = 7", "id IN (7)", "id BETWEEN 5 AND 12", "id IS NULL", "id IS NOT NULL",
    "v = 'x'", "v LIKE 'a%'", "id >= 10 AND id < 20", "id = 3 OR id = 500", "NOT (id < 20)", "id <> 3", "id + 1 > 3",
    "id <=> NULL", "length(v) > 2", "5 > id", "id IN (100)", "id > 9.5", "id = '7'",
)  # fmt: skip
CONSTANTS = ("true", "false", "1 = 1", "1 > 2", "CAST(NULL AS BOOLEAN)", "rand() < -1", "rand() < 2")


@attrs.frozen
class Column:
    """A partition column as predicates and files name it."""

    name: str
    physical: str
    kind: PartitionKind

    def spelt(self, random: Random) -> str:
        """The name, at times in other letter case or quoted."""
        quoted = f"`{self.name}`"
        if not self.name.isidentifier():
            return quoted
        return random.choice((self.name,) * 6 + (self.name.upper(), self.name.lower(), quoted))


class RandomPredicates:
    """Makes conditions over the columns of one table."""

    def __init__(self, random: Random, columns: Sequence[Column]) -> None:
        self._random = random
        self._columns = columns

    def partition_only(self, depth: int = 2) -> str:
        """A condition over partition columns; over nothing where the table has none."""
        random = self._random
        if not self._columns or random.random() < 0.04:
            return random.choice(CONSTANTS)
        shape = random.random()
        if depth and shape < 0.12:
            return (
                f"({self.partition_only(depth - 1)}) {random.choice(('AND', 'OR'))} ({self.partition_only(depth - 1)})"
            )
        if depth and shape < 0.17:
            return f"NOT ({self.partition_only(depth - 1)})"
        if len(self._columns) > 1 and shape < 0.2:
            return self._of_two(*random.sample(list(self._columns), 2))
        return self._of_one(random.choice(list(self._columns)))

    def any(self) -> str:
        """A condition of any kind."""
        shape = self._random.random()
        if shape < 0.65:
            return self.partition_only()
        data = self._random.choice(DATA_CONDITIONS)
        if shape < 0.85:
            return data
        return f"({self.partition_only(1)}) {self._random.choice(('AND', 'AND', 'OR'))} ({data})"

    def _of_one(self, column: Column) -> str:
        random = self._random
        name, kind = column.spelt(random), column.kind
        general: tuple[Callable[[str, PartitionKind], str], ...] = (
            self._compared, self._compared, self._compared, self._listed, self._between, self._null_test, self._chosen,
        )  # fmt: skip
        special = {"string": self._of_text, "boolean": self._of_truth, "date": self._of_day, "timestamp": self._of_day}
        if random.random() < 0.35:
            make = special.get(kind.type, self._of_number)
            return make(name, kind)
        return random.choice(general)(name, kind)

    def _literal(self, kind: PartitionKind) -> str:
        return self._random.choice(kind.literals)

    def _compared(self, name: str, kind: PartitionKind) -> str:
        how = self._random.choice(("=", "=", "=", "<>", "!=", "<", "<=", ">", ">=", "<=>", "=="))
        sides = [name, self._literal(kind)]
        if self._random.random() < 0.1:
            sides.reverse()
        if self._random.random() < 0.03:
            sides[1] = "NULL"
        return f"{sides[0]} {how} {sides[1]}"

    def _listed(self, name: str, kind: PartitionKind) -> str:
        items = [self._literal(kind) for _ in range(self._random.choice((1, 2, 3)))]
        if self._random.random() < 0.15:
            items.append("NULL")
        return f"{name} {self._random.choice(('IN', 'IN', 'NOT IN'))} ({', '.join(items)})"

    def _between(self, name: str, kind: PartitionKind) -> str:
        word = self._random.choice(("BETWEEN", "BETWEEN", "NOT BETWEEN"))
        return f"{name} {word} {self._literal(kind)} AND {self._literal(kind)}"

    def _null_test(self, name: str, _: PartitionKind) -> str:
        shapes = (f"{name} IS NULL", f"{name} IS NOT NULL", f"isnull({name})", f"isnotnull({name})",
        f"{name} <=> NULL",
                  f"NOT ({name} <=> NULL)", f"{name} = NULL", f"{name} IS DISTINCT FROM NULL")  # fmt: skip
        return self._random.choice(shapes)

    def _chosen(self, name: str, kind: PartitionKind) -> str:
        one, two = self._literal(kind), self._literal(kind)
        shapes = (
            f"CASE WHEN {name} = {one} THEN true ELSE false END", f"CASE WHEN {name} > {one} THEN {name} < {two} END",
            f"CASE {name} WHEN {one} THEN true WHEN {two} THEN false END", f"if({name} = {one}, true, false)",
            f"coalesce({name}, {one}) = {two}", f"nvl({name}, {one}) = {one}", f"nullif({name}, {one}) IS NULL",
            f"ifnull({name}, {one}) >= {two}", f"greatest({name}, {one}) = {one}", f"least({name}, {one}) < {two}",
        )  # fmt: skip
        return self._random.choice(shapes)

    def _of_text(self, name: str, _: PartitionKind) -> str:
        shapes = (
            f"{name} LIKE 'a%'", f"{name} LIKE '%b'", f"{name} LIKE 'a_c'", f"{name} LIKE 'a\\\\_c'",
            f"{name} NOT LIKE 'a%'", f"{name} ILIKE 'A%'", f"{name} RLIKE '^a'", f"{name} RLIKE '[0-9]+'",
            f"{name} RLIKE '^(a|b)$'", f"{name} LIKE ANY ('a%', 'b%')", f"{name} LIKE 'a!_c' ESCAPE '!'",
            f"upper({name}) = 'A'", f"lower({name}) = 'a'", f"length({name}) = 1", f"length({name}) > 2",
            f"trim({name}) = 'a'", f"substring({name}, 1, 1) = 'a'", f"substr({name}, 2) = ' b'",
            f"left({name}, 1) = 'a'",
            f"right({name}, 1) = 'b'", f"concat({name}, 'x') = 'ax'", f"{name} || 'x' = 'ax'",
            f"startswith({name}, 'a')",
            f"endswith({name}, 'b')", f"contains({name}, '/')", f"reverse({name}) = 'a'",
            f"replace({name}, 'a', 'b') = 'b'",
            f"instr({name}, '/') > 0", f"ascii({name}) = 97", f"{name} = concat('a', ' ', 'b')",
            f"initcap({name}) = 'A'",
            f"CAST({name} AS STRING) = 'a'", f"try_cast({name} AS INT) = 10", f"{name} IN (upper('a'), 'b')",
            f"ltrim({name}) = 'a'", f"rtrim({name}) = 'a'", f"lpad({name}, 2, '0') = '0a'",
            f"repeat({name}, 2) = 'aa'",
            f"substring({name}, -1, 1) = 'b'", f"translate({name}, 'a', 'z') = 'z'", f"locate('b', {name}) > 0",
            f"char_length({name}) = 3", f"array_contains(array('a', 'b'), {name})", f"md5({name}) = md5('a')",
            f"split({name}, '/')[0] = 'x'", f"({name}, 1) IN (('a', 1), ('b', 2))",
        )  # fmt: skip
        return self._random.choice(shapes)

    def _of_truth(self, name: str, _: PartitionKind) -> str:
        shapes = (name, f"NOT {name}", f"{name} IS TRUE", f"{name} IS NOT TRUE", f"{name} IS FALSE",
        f"{name} = 'true'",
                  f"{name} IS NOT FALSE", f"{name} IS UNKNOWN", f"CAST({name} AS STRING) = 'true'",
                  f"CAST({name} AS INT) = 1",
                  f"{name} AND true", f"{name} OR false", f"{name} > false")  # fmt: skip
        return self._random.choice(shapes)

    def _of_day(self, name: str, _: PartitionKind) -> str:
        shapes = (
            f"year({name}) = 2024", f"month({name}) = 1", f"day({name}) = 29", f"dayofmonth({name}) >= 2",
            f"date_add({name}, 1) = DATE'2024-01-02'", f"date_sub({name}, 1) = DATE'2023-12-31'",
            f"datediff({name}, DATE'2024-01-01') < 2", f"CAST({name} AS STRING) = '2024-01-01'",
            f"CAST({name} AS DATE) = DATE'2024-01-01'", f"to_date({name}) = DATE'2024-01-01'",
            f"{name} < current_date()", f"{name} >= current_timestamp()",
            f"date_format({name}, 'yyyy-MM') = '2024-01'",
            f"CAST({name} AS TIMESTAMP) = TIMESTAMP'2024-01-01 00:00:00'", f"trunc({name}, 'MM') = DATE'2024-01-01'",
            f"{name} + INTERVAL 1 DAY > DATE'2024-01-02'", f"dayofweek({name}) = 2", f"quarter({name}) = 1",
            f"hour({name}) = 0", f"date_trunc('DAY', {name}) = TIMESTAMP'2024-01-01 00:00:00'",
            f"dayofyear({name}) = 60",
            f"last_day({name}) = DATE'2024-01-31'", f"weekofyear({name}) = 1", f"{name} = DATE '2024-01-01' + 1",
        )  # fmt: skip
        return self._random.choice(shapes)

    def _of_number(self, name: str, _: PartitionKind) -> str:
        shapes = (
            f"{name} + 1 = 2", f"{name} - 1 > 0", f"{name} * 2 = 4", f"{name} % 2 = 0", f"-{name} = 3",
            f"abs({name}) = 3",
            f"{name} / 2 = 1", f"CAST({name} AS STRING) = '1'", f"CAST({name} AS INT) = 1",
            f"CAST({name} AS DOUBLE) > 1.4",
            f"{name} div 2 = 1", f"mod({name}, 2) = 1", f"pmod({name}, 2) = 1", f"round({name}) = 2",
            f"floor({name}) = 1",
            f"ceil({name}) = 2", f"sign({name}) = -1", f"isnan({name})", f"{name} & 1 = 1",
            f"CAST({name} AS DECIMAL(10,1)) = 1.5",
            f"power({name}, 2) = 4", f"{name} = 3 - 1", f"CAST({name} AS BIGINT) = 2", f"{name} BETWEEN -1 AND 1 + 1",
        )  # fmt: skip
        return self._random.choice(shapes)

    def _of_two(self, one: Column, two: Column) -> str:
        first, second = one.spelt(self._random), two.spelt(self._random)
        parts = (f"{first} = {self._literal(one.kind)}", f"{second} = {self._literal(two.kind)}")
        joined = self._random.choice((" AND ", " OR "))
        return self._random.choice(
            (
                joined.join(parts),
                f"({first}, {second}) = ({self._literal(one.kind)}, {self._literal(two.kind)})",
                f"{first} IS NULL{joined}{second} IS NOT NULL",
                f"CAST({first} AS STRING) = CAST({second} AS STRING)",
                f"coalesce(CAST({first} AS STRING), CAST({second} AS STRING)) = 'a'",
            )
        )
