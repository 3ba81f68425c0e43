"""The settings of a classic session come one by one while they are few, and then in one call; counted without a JVM."""

from __future__ import annotations

from typing import Any

from deltaresolver.spark.settings.session_values import SessionValues

OURS = "spark.databricks.delta."


class Settings(dict[str, str]):
    """What `spark.conf` is to this library, in Python and, as `_jconf`, in the JVM."""

    def __init__(self, values: dict[str, str]) -> None:
        super().__init__(values)
        self.asked: list[str] = []
        self.taken = 0
        self._jconf = self

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.append(key)
        return super().get(key, "of another setting" if key == "spark.sql.fallback" else default)

    def getAll(self) -> Settings:  # noqa: N802 - Spark's name
        self.taken += 1
        return self

    def mkString(self, between: str) -> str:  # noqa: N802 - Spark's name
        return between.join(f"{key} -> {value}" for key, value in self.items())


class Session:
    def __init__(self, **values: str) -> None:
        self.conf = Settings(values)


def values_of(session: Any) -> SessionValues:
    return SessionValues(session)


def test_a_single_setting_is_asked_for_alone() -> None:
    session = Session()
    assert values_of(session).get(f"{OURS}a") is None
    assert (session.conf.asked, session.conf.taken) == ([f"{OURS}a"], 0)


def test_many_settings_take_one_call() -> None:
    session = Session(**{f"{OURS}{number}": str(number) for number in range(0, 40, 2)})
    values = values_of(session)
    found = [values.get(f"{OURS}{number}") for number in range(40)]
    assert found == [None if number % 2 else str(number) for number in range(40)]
    assert (len(session.conf.asked), session.conf.taken) == (3, 1)


def test_a_look_at_all_settings_takes_one_call() -> None:
    session = Session(**{f"{OURS}{number}": "x" for number in range(40)})
    values = values_of(session)
    assert dict(values.items()) == dict(session.conf)
    assert values.get("deltaresolver.unset") is None
    assert (session.conf.asked, session.conf.taken) == ([], 1)


def test_a_fallback_of_a_setting_of_spark_is_still_found() -> None:
    session = Session(**{f"{OURS}a": "x"})
    values = values_of(session)
    assert len(values) == 1
    assert values["spark.sql.fallback"] == "of another setting"
