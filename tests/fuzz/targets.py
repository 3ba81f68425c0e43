"""All targets by name."""

from __future__ import annotations

from tests.fuzz.answer_target import ANSWER_TARGET
from tests.fuzz.case import Target
from tests.fuzz.file_targets import FILE_TARGETS
from tests.fuzz.lake_target import LAKE_TARGET
from tests.fuzz.log_targets import LOG_TARGETS
from tests.fuzz.text_targets import TEXT_TARGETS

TARGETS: dict[str, Target] = {
    target.name: target for target in (*LOG_TARGETS, *TEXT_TARGETS, *FILE_TARGETS, LAKE_TARGET, ANSWER_TARGET)
}
