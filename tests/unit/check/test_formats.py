"""Every format has the same content, whatever is in names and messages, and is what its readers accept."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from deltaresolver.check.formats.choose import FORMATS
from deltaresolver.check.found import RULES, Borne, CheckFinding, CheckPlace, CheckResult, ProposedChange
from deltaresolver.model.audit_finding import Severity
from tests.nasty import COLUMN_NAMES, STRINGS
from tests.unit.check.sarif_rules import sarif_problems

WORDS = [word for word in (*COLUMN_NAMES, *STRINGS) if word.strip()]


def result_with(word: str) -> CheckResult:
    """A result whose every text has this word."""
    place = CheckPlace(f"ddl/{word.replace('/', '')}.sql", 3, f"ALTER {word}", 4)
    findings = tuple(
        CheckFinding(name, rule.severity, f"{name} of {word}.", place, word, f"Leave {word} out.", (word,))
        for name, rule in RULES.items()
    )
    changes = (
        ProposedChange(place, word, "(1, 2)", "(3, 7)", (word,), (word,)),
        ProposedChange(place, word, None, "(1, 2)"),
    )
    return CheckResult(findings, (Borne(findings[0], f"because of {word}"),), changes, 1, 2, (word,), (word,))


@pytest.mark.parametrize("word", WORDS)
def test_sarif_is_what_its_schema_asks_for(word: str) -> None:
    log = json.loads(FORMATS["sarif"](result_with(word)))
    assert sarif_problems(log) == []
    results = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in results] == [one["ruleId"] for one in results]
    assert [len(one.get("suppressions", [])) for one in results] == [0] * len(RULES) + [1]


def test_a_planted_mistake_in_sarif_is_found() -> None:
    whole = FORMATS["sarif"](result_with("x"))
    mistakes = (
        ('"version": "2.1.0",\n  "runs"', '"version": "2.2",\n  "runs"'),
        ('"level": "error"', '"level": "fatal"'),
        ('"startLine": 3', '"startLine": 0'),
        ('"uri": "ddl/x.sql"', '"uri": "ddl/x y.sql"'),
        ('"ruleId"', '"rule"'),
        ('"kind": "external"', '"kind": "outside"'),
        ('"message"', '"massage"'),
        ('"endLine": 4', '"endLine": 2'),
        ('"name": "deltaresolver",', ""),
    )
    for right, wrong in mistakes:
        assert right in whole, right
        assert sarif_problems(json.loads(whole.replace(right, wrong))) != [], wrong


@pytest.mark.parametrize("word", WORDS)
def test_junit_is_xml_with_a_failure_for_each_error(word: str) -> None:
    suite = ET.fromstring(FORMATS["junit"](result_with(word)))[0]
    errors = sum(rule.severity is Severity.ERROR for rule in RULES.values())
    assert len(suite.findall("testcase")) == int(suite.attrib["tests"]) == len(RULES)
    assert len(suite.findall("testcase/failure")) == int(suite.attrib["failures"]) == errors


@pytest.mark.parametrize("word", WORDS)
def test_no_text_is_a_command_of_github(word: str) -> None:
    lines = re.split("\r\n|\r|\n", FORMATS["github"](result_with(word)))
    assert len(lines) == len(RULES) + 1
    assert all(
        re.match("::(error|warning|notice) file=[^,:]*,line=3,endLine=4,title=[a-z-]+::", one) for one in lines[:-1]
    )
    assert lines[-1].startswith("deltaresolver check: 1 file")


@pytest.mark.parametrize("word", WORDS)
def test_every_finding_is_one_row_of_markdown(word: str) -> None:
    lines = FORMATS["markdown"](result_with(word)).split("\n")
    rows = [line for line in lines if line.startswith("| ") and "| **" in line]
    assert len(rows) == len(RULES)
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert not any("<script" in line for line in lines)


@pytest.mark.parametrize("word", WORDS)
def test_text_has_a_line_that_editors_jump_to_for_each_finding(word: str) -> None:
    text = FORMATS["text"](result_with(word))
    assert len(re.findall(r"^ddl/.*\.sql:3: (?:error|warning|info) [a-z-]+: ", text, re.MULTILINE)) == len(RULES)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)


def test_json_has_everything() -> None:
    found = json.loads(FORMATS["json"](result_with("x")))
    assert {one["rule"] for one in found["findings"]} == set(RULES)
    assert found["borne"][0]["reason"] == "because of x"
    assert found["changes"][0]["before"] == "(1, 2)"


@pytest.mark.parametrize("form", FORMATS)
def test_a_check_that_finds_nothing_is_reported_too(form: str) -> None:
    assert FORMATS[form](CheckResult((), files=3)).strip()
