"""Random programs by seed: the same program for the same seed, whatever else runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import attrs

from tests import nasty
from tests.differential.aimed import draw_aimed
from tests.differential.conditions import Conditions, literal
from tests.differential.evolution import WIDER, draw_evolution, varied, widen
from tests.differential.kinds import has_map, length_of
from tests.differential.merges import draw_merge, draw_values
from tests.differential.program import (
    DDL,
    SOURCE,
    WRITE,
    AddCheck,
    AddColumn,
    Append,
    Column,
    Create,
    Delete,
    DropColumn,
    Merge,
    Optimize,
    Overwrite,
    OverwritePartitions,
    Probe,
    Program,
    RenameColumn,
    ReplaceWhere,
    Restart,
    Restore,
    Rows,
    SetProperties,
    Settings,
    Step,
    Update,
    Vacuum,
    WidenColumn,
    Write,
    quoted,
)
from tests.differential.tables import (
    FEED,
    KEYS,
    VECTORS,
    WIDENING,
    TableState,
    again,
    draw_column,
    draw_rows,
    draw_table,
)

WEIGHTS: Mapping[str, int] = {
    "append": 20,
    "overwrite": 5,
    "replace_where": 10,
    "overwrite_partitions": 6,
    "delete": 16,
    "update": 14,
    "merge": 20,
    "alter": 14,
    "upkeep": 10,
    "restart": 3,
    "settings": 3,
}
_SEEDS = 0x5EED


def draw_program(seed: int, changes: int = 5, *, is_wide: bool = False) -> Program:
    """The program of a seed: a table, `changes` changes, and a probe behind most of them.

    A wide one has structs, arrays, bytes, declared lengths, defaults and ambiguous sources too, and aims at its end.
    """
    chance = random.Random(f"wide {seed}" if is_wide else _SEEDS + seed)
    generator = Generator(chance, is_wide=is_wide)
    program = generator.program(seed, changes)
    if not is_wide or not generator.knows_columns:
        return program
    return attrs.evolve(program, steps=(*program.steps, *draw_aimed(random.Random(f"aimed {seed}"), generator.state)))


class Generator:
    """Draws steps, keeping book of what the table looks like."""

    def __init__(self, chance: random.Random, *, is_wide: bool = False) -> None:
        self.chance = chance
        self.state: TableState = draw_table(chance, is_wide=is_wide)
        self.knows_columns = True
        """Whether the state has those of the table; a RESTORE may have brought others back."""
        self._names = 0
        self._columns_then = list(self.state.columns)
        self._has_old_files = True
        self._is_restored = False
        self._is_exact = False

    def program(self, seed: int, changes: int) -> Program:
        """All steps."""
        chance = self.chance
        steps: list[Step] = []
        if chance.random() < 0.3:
            steps.append(self._settings())
        steps.append(self._create())
        if isinstance(steps[-1], Create) and steps[-1].way == DDL:
            steps.append(self._append())
        draw: dict[str, Callable[[], Step]] = {name: getattr(self, f"_{name}") for name in WEIGHTS}
        for name in chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=changes):
            step = draw[name]()
            if self.state.is_wide and isinstance(step, Write) and not _brings_names(step) and chance.random() < 0.4:
                step = attrs.evolve(step, rows=varied(chance, step.rows, keeps_names=self._is_exact))
            steps.append(step)
            if isinstance(steps[-1], Restore) and self._columns_then != self.state.columns:
                self.knows_columns = False
                break
            if chance.random() < 0.5:
                steps.append(Probe(self._condition()))
        return Program(tuple(steps), seed)

    # --- parts -----------------------------------------------------------------------------------

    def _condition(self, prefix: str = "") -> str:
        return Conditions(self.chance, self.state.columns, self.state.pools, prefix).draw()

    def _way(self) -> str:
        return self.chance.choice((WRITE, WRITE, WRITE, SOURCE))

    def _create(self) -> Create:
        state = self.state
        declared = state.is_made or any(column.default or length_of(column.type) for column in state.columns)
        way = DDL if declared or self.chance.random() < 0.15 else self._way()
        rows = draw_rows(self.chance, state)
        properties = tuple(state.properties.items())
        return Create(rows, tuple(state.columns), state.partition_by, properties, way, state.identity)

    def _append(self) -> Append:
        chance, state = self.chance, self.state
        if state.is_wide and chance.random() < 0.3 and not state.is_made:
            knows = not self._is_restored
            if draw_evolution(chance, state, knows_properties=knows):
                return Append(draw_rows(chance, state), self._way(), merge_schema=True)
        if chance.random() < 0.15 and not state.is_made:
            new = draw_column(chance, state)
            rows = draw_rows(chance, state, [*state.given, new])
            state.columns.append(new)
            return Append(rows, self._way(), merge_schema=True)
        columns = state.given
        if chance.random() < 0.2 and len(columns) > 2:
            # What is left out is null, whatever the order of the rest.
            columns = chance.sample(columns, len(columns) - 1)
            kept = {column.name for column in columns} | set(state.partition_by) | {state.key.name}
            columns = [*columns, *(each for each in state.given if each.name in kept and each not in columns)]
        return Append(draw_rows(chance, state, columns), self._way())

    def _overwrite(self) -> Overwrite:
        return Overwrite(draw_rows(self.chance, self.state), self._way())

    def _overwrite_partitions(self) -> Step:
        rows = draw_rows(self.chance, self.state, most=3)
        return OverwritePartitions(rows, self._way()) if self.state.partition_by else Overwrite(rows, self._way())

    def _replace_where(self) -> ReplaceWhere:
        """A condition on one column, and rows that have a value there for which it is likely to hold."""
        chance, state = self.chance, self.state
        names = state.partition_by or tuple(column.name for column in state.given if not has_map(column.type))
        by_name = {column.name: column for column in state.columns}
        others = [each.name for each in state.given if not has_map(each.type)]
        column = by_name[chance.choice(names if chance.random() < 0.7 else others)]
        value = chance.choice([each for each in state.pools[column.name.lower()] if each is not None])
        is_empty = value == "" and column.name in state.partition_by
        text = f"{quoted(column.name)} {chance.choice(('=', '=', '<=>', '>='))} {literal(chance, value, column.type)}"
        if chance.random() < 0.25:
            other = chance.choice(state.columns)
            text = f"{text} AND ({Conditions(chance, [other], state.pools).draw(0)})"
        rows = draw_rows(chance, state, most=4)
        if is_empty:
            return ReplaceWhere(text, Rows(rows.columns, ()), self._way())
        place = [each.name for each in rows.columns].index(column.name)
        fitting = tuple((*row[:place], value, *row[place + 1 :]) for row in rows.values)
        return ReplaceWhere(text, Rows(rows.columns, fitting, rows.files), self._way())

    def _delete(self) -> Delete:
        return Delete(None if self.chance.random() < 0.05 else self._condition(), self.chance.random() < 0.15)

    def _update(self) -> Update:
        condition = None if self.chance.random() < 0.1 else self._condition()
        values = draw_values(self.chance, self.state, self.state.given)
        return Update(condition, values, self.chance.random() < 0.15)

    def _merge(self) -> Merge:
        return draw_merge(self.chance, self.state)

    def _upkeep(self) -> Step:
        """OPTIMIZE most often; RESTORE as long as all files of earlier versions are there."""
        chance, state = self.chance, self.state
        roll = chance.random()
        if roll < 0.2:
            self._has_old_files = self._has_old_files and chance.random() < 0.5
            return Vacuum(self._has_old_files)
        if roll < 0.5 and self._has_old_files:
            self._is_restored = True
            return Restore(chance.randint(1, 3))
        parts = [each for each in state.columns if each.name in state.partition_by]
        if parts and chance.random() < 0.4:
            return Optimize(Conditions(chance, parts, state.pools).draw(1))
        return Optimize()

    # --- the table itself ------------------------------------------------------------------------

    def _alter(self) -> Step:
        chance, state = self.chance, self.state
        ways: list[Callable[[], Step]] = [self._add_column, self._set_properties, self._add_check]
        if self._is_restored:
            return self._add_column()  # which properties there are is not known here
        if state.is_mapped and state.free:
            ways += [*[self._rename_column] * 3, *[self._drop_column] * 2]
        if state.properties.get(WIDENING) == "true" and any(each.type in WIDER for each in state.free):
            ways += [self._widen_column] * 3
        return chance.choice(ways)()

    def _add_column(self) -> Step:
        new = draw_column(self.chance, self.state)
        self.state.columns.append(new)
        return AddColumn(new)

    def _rename_column(self) -> Step:
        state, column = self.state, self.chance.choice(self.state.free)
        taken = {each.name.lower() for each in state.columns}
        names = [name for name in (*nasty.COLUMN_NAMES, *nasty.MAPPED_ONLY_NAMES) if name.lower() not in taken]
        name = self.chance.choice(again(self.chance, state, names))
        state.former.add(column.name)
        state.columns[state.columns.index(column)] = attrs.evolve(column, name=name)
        state.pools[name.lower()] = state.pools[column.name.lower()]
        return RenameColumn(column.name, name)

    def _drop_column(self) -> Step:
        column = self.chance.choice(self.state.free)
        if len(self.state.columns) - len(self.state.partition_by) <= 2:
            return self._add_column()
        self.state.columns.remove(column)
        self.state.former.add(column.name)
        return DropColumn(column.name)

    def _widen_column(self) -> Step:
        state = self.state
        column = self.chance.choice([each for each in state.free if each.type in WIDER])
        if state.is_wide:
            return WidenColumn(column.name, widen(state, column))
        wider = Column(column.name, WIDER[column.type])
        state.columns[state.columns.index(column)] = wider
        return WidenColumn(column.name, wider.type)

    def _set_properties(self) -> Step:
        key = self.chance.choice((FEED, VECTORS, WIDENING, "note"))
        value = self.chance.choice(nasty.PROPERTY_VALUES) if key == "note" else self.chance.choice(("true", "false"))
        self.state.properties[key] = value
        return SetProperties(((key, value),))

    def _add_check(self) -> Step:
        self._names += 1
        name = quoted(self.state.key.name)
        condition = self.chance.choice(
            (f"{name} IS NULL OR {name} >= {-KEYS}", f"coalesce({name}, 0) < {2**31}", f"{name} <=> {name}")
        )
        return AddCheck(f"check_{self._names}", condition)

    def _restart(self) -> Step:
        return Restart()

    def _settings(self) -> Step:
        chance = self.chance
        self._is_exact = self.state.is_wide and chance.random() < 0.3
        return Settings(chance.random() < 0.6, chance.choice(nasty.ZONES), chance.random() < 0.2, self._is_exact)


def _brings_names(step: Step) -> bool:
    """Whether a write adds columns or fields, which get the names they have there."""
    return isinstance(step, Append) and step.merge_schema
