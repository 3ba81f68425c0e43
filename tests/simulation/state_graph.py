"""All interleavings of a small scope, as the states they lead through: each state is visited once.

Three things make this as good as running every interleaving, and `test_transaction_state_graph.py` compares the two.
A writer is a function of what it was answered (`Steps`), so a state is the log and, for each writer, the answers to its
present transaction. Files of the log never change once they are there, so only listings and puts can be answered
otherwise later. And a put of a version that is taken stays one, and changes nothing: it need not wait for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import attrs

from tests.simulation.judge import History, Judge
from tests.simulation.run import Setting
from tests.simulation.scripted_store import Answer, Done, Listed, Listing, Log, Putting, Taken, Unanswered, store_of
from tests.simulation.step import Between, Ended, Steps
from tests.simulation.work import Kind
from tests.simulation.writer import Result

SEED = 1
"""Decides what the transactions read and write, not their order."""

Outcome = tuple[Log, tuple[tuple[Result, ...], ...]]
"""A log at the end, and what each writer was told of each transaction."""


@attrs.frozen(slots=True, eq=False)
class Place:
    """Where a writer stands: its transactions to come, the present one first, and what that one was answered."""

    number: int
    """Tells places apart; the same in all states that hold the place."""
    kinds: tuple[Kind, ...]
    before: Between
    answers: tuple[Answer, ...]
    call: Listing | Putting | None
    """What it does next; None after the last transaction."""
    following: dict[Answer, tuple[Place, Ended | None]] = attrs.Factory(dict)
    """Where an answer leads, and the transaction that it ended."""


@attrs.frozen(slots=True)
class State:
    """Everything that decides what can still happen."""

    log: Log
    places: tuple[int, ...]
    losses: int
    """How many answers may still get lost."""
    results: tuple[tuple[Result, ...], ...]
    """What the writers were told so far, where that is to be kept."""


@attrs.frozen(slots=True)
class Explored:
    """What an exploration met. Everything in it was judged."""

    states: int
    interleavings: int
    """How many ways lead from the beginning to an end; that a put finds its version taken is no move of its own."""
    logs: int
    """How many different logs there are at the end."""
    endings: Counter[str]
    """How many different endings transactions have: a log, the place in it, and what the writer was told."""
    outcomes: frozenset[Outcome]
    """Where what the writers were told is kept."""


class StateGraph:
    """The states of one setting. With `keeps_results`, states in which writers were told different things differ."""

    def __init__(self, setting: Setting, steps: Steps, *, lost_replies: int = 0, keeps_results: bool = False) -> None:
        self._setting = setting
        self._steps = steps
        self._lost_replies = lost_replies
        self._keeps_results = keeps_results
        self._places: list[Place] = []
        self._begun: dict[tuple[tuple[Kind, ...], Between], Place] = {}
        self._visited: dict[State, int] = {}
        self._judged: set[tuple[Log, int]] = set()
        self._histories: dict[Log, History] = {}
        self._kinds: dict[str, Kind] = {}
        self._endings: Counter[str] = Counter()
        self._ends: set[Log] = set()
        self._outcomes: set[Outcome] = set()

    def explore(self) -> Explored:
        """Visit every state. Raises `AssertionError` at the first promise that is broken."""
        works = self._setting.works
        places = [self._begin(kinds, Between.first(number, SEED)) for number, kinds in enumerate(works)]
        first = State(
            self._steps.first_log, tuple(place.number for place in places), self._lost_replies, ((),) * len(works)
        )
        interleavings = self._visit(first)
        return Explored(len(self._visited), interleavings, len(self._ends), self._endings, frozenset(self._outcomes))

    def _visit(self, state: State) -> int:
        """How many ways lead from here to an end."""
        known = self._visited.get(state)
        if known is None:
            following = self._moves(state)
            if not following:
                self._judge_end(state)
            known = self._visited[state] = sum(map(self._visit, following)) or 1
        return known

    def _moves(self, state: State) -> list[State]:
        awake = [number for number, place in enumerate(state.places) if self._places[place].call is not None]
        for number in awake:
            call = self._places[state.places[number]].call
            if isinstance(call, Putting) and call.table_version < len(state.log):
                awake = [number]
                break
        return [move for number in awake for move in self._answer(state, number)]

    def _answer(self, state: State, number: int) -> Iterator[State]:
        """The states after one writer's call, one for each way it can be answered."""
        call = self._places[state.places[number]].call
        if not isinstance(call, Putting):
            yield self._after(state, number, Listed(state.log))
            return
        assert call.table_version <= len(state.log), "the commit would leave a gap"
        is_taken = call.table_version < len(state.log)
        written = state if is_taken else attrs.evolve(state, log=(*state.log, call.data))
        yield self._after(written, number, Taken() if is_taken else Done())
        if state.losses:
            lost = attrs.evolve(written, losses=state.losses - 1)
            yield self._after(lost, number, Unanswered(written.log))

    def _after(self, state: State, number: int, answer: Answer) -> State:
        place = self._places[state.places[number]]
        if answer not in place.following:
            place.following[answer] = self._follow(place, answer)
        following, ended = place.following[answer]
        results = state.results
        if ended is not None:
            self._judge(state.log, ended)
            if self._keeps_results:
                results = (*results[:number], (*results[number], ended.result), *results[number + 1 :])
        places = (*state.places[:number], following.number, *state.places[number + 1 :])
        return State(state.log, places, state.losses, results)

    def _follow(self, place: Place, answer: Answer) -> tuple[Place, Ended | None]:
        answers = (*place.answers, answer)
        step = self._steps.next(place.kinds[0], place.before, answers)
        if isinstance(step, Ended):
            return self._begin(place.kinds[1:], step.after), step
        return self._add(place.kinds, place.before, answers, step), None

    def _begin(self, kinds: tuple[Kind, ...], before: Between) -> Place:
        """Before a transaction, or after the last one: what came before no longer matters."""
        key = kinds, before
        if key not in self._begun:
            call = self._steps.next(kinds[0], before, ()) if kinds else None
            assert not isinstance(call, Ended), "a transaction reads before it ends"
            self._begun[key] = self._add(kinds, before, (), call)
        return self._begun[key]

    def _add(
        self,
        kinds: tuple[Kind, ...],
        before: Between,
        answers: tuple[Answer, ...],
        call: Listing | Putting | None,
    ) -> Place:
        self._places.append(Place(len(self._places), kinds, before, answers, call))
        return self._places[-1]

    def _judge(self, log: Log, ended: Ended) -> None:
        key = log, id(ended)
        if key in self._judged:
            return
        self._judged.add(key)
        self._endings[ended.result.ending] += 1
        if ended.intent is not None:
            known = self._kinds.setdefault(ended.intent.transaction_id, ended.intent.kind)
            assert known is ended.intent.kind, "one id for two transactions"
            self._judge_of(log).check_intent(ended.intent)

    def _judge_end(self, state: State) -> None:
        if state.log not in self._ends:
            self._ends.add(state.log)
            judge = self._judge_of(state.log)
            judge.check_log()
            judge.check_reader()
        if self._keeps_results:
            self._outcomes.add((state.log, state.results))

    def _judge_of(self, log: Log) -> Judge:
        if log not in self._histories:
            self._histories[log] = History.of(store_of(log))
        return Judge(self._histories[log], self._kinds, self._setting.level)
