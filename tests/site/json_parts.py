"""Shapes of what commands print with `--json` that are too long to stand in the table of all answers."""

from __future__ import annotations

from deltaresolver.model.support import Support
from tests.site.json_shapes import (
    COMMITS,
    PROTOCOL,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    about,
    many,
    mapping,
    maybe,
    named,
    one_of,
    thing,
)

PLACE = {"file": TEXT, "line": WHOLE}
CHECK_FINDING = {
    "rule": TEXT,
    "severity": one_of(["info", "warning", "error"]),
    "message": TEXT,
    "fix": TEXT,
    "table": TEXT,
    **PLACE,
    "about": TEXTS,
    "fingerprint": TEXT,
}
ALTERED = thing(
    "What ALTER did, or would do.",
    dry_run=TRUTH,
    before=PROTOCOL,
    protocol=PROTOCOL,
    changed=TRUTH,
    added=TEXTS,
    properties=mapping(TEXT),
    commits=COMMITS,
    writers_in_flight=named("in_flight"),
    after_an_append=named("in_flight"),
    after_a_change_of_properties=named("in_flight"),
    explanation=named("explanation"),
)
DROPPED = thing(
    "What DROP FEATURE did, or would do.",
    dry_run=TRUTH,
    feature=TEXT,
    before=PROTOCOL,
    protocol=PROTOCOL,
    commits=COMMITS,
    checkpoints=many(WHOLE),
    protects_before=maybe(WHOLE),
    rewritten=maybe(thing("What was written again first.", files=WHOLE, bytes=WHOLE)),
)
CREATED = thing(
    "What CREATE TABLE did.",
    dry_run=TRUTH,
    version=WHOLE,
    committed=TRUTH,
    protocol=PROTOCOL,
    properties=mapping(TEXT),
)
FEATURE = {
    "name": TEXT,
    "kind": TEXT,
    "summary": TEXT,
    "min_reader_version": WHOLE,
    "min_writer_version": WHOLE,
    "is_legacy": TRUTH,
    "legacy": maybe(about("The numbered reader and writer version that imply it.", many(WHOLE))),
    "requires": TEXTS,
    "enabled_with": TEXTS,
    "not_enabled_with": TEXTS,
    "not_supported_with": TEXTS,
    "trigger": maybe(TEXT),
    "upgrades_existing_table": TRUTH,
    "aborts_concurrent_writers": TRUTH,
    "is_removable": TRUTH,
    "removal": maybe(
        thing(
            protects_history=TRUTH,
            drops_properties=TEXTS,
            unsets_first=TEXTS,
            protects_before=maybe(TEXT),
            rewriting=maybe(TEXT),
        )
    ),
    "behaviour": maybe(
        thing(
            methods=TEXTS,
            own_domains=TEXTS,
            domains_ended_by_replace=TEXTS,
            properties_kept_by_replace=TEXTS,
            joins_removals=TRUTH,
            goes_by_metadata=TRUTH,
        )
    ),
    "owned_properties": TEXTS,
    "required_by_platform": many(TEXTS),
    "on_strict_platform": TRUTH,
    "support": thing(**dict.fromkeys(Support().completed(for_readers=False).describe(), TEXT)),
    "traces": thing(domains=TEXTS, file_tags=TEXTS, metadata=TRUTH),
    "clients": many(named("feature_fact")),
    "error_pages": TEXTS,
    "maturity": one_of(["released", "preview", "proposed"]),
    "package": TEXT,
    "spec_url": TEXT,
}
PROTOCOL_CHANGE = thing(
    before=maybe(PROTOCOL),
    after=PROTOCOL,
    raises=TRUTH,
    added_features=TEXTS,
    removed_features=TEXTS,
    properties=many(thing(key=TEXT, before=maybe(TEXT), after=maybe(TEXT))),
    columns=many(thing(column=TEXT, before=maybe(TEXT), after=maybe(TEXT))),
    causes=many(thing(feature=TEXT, because=TEXTS)),
)
SHEET_ANSWER = thing(
    listed=about("While the feature is only listed.", named("verdict")),
    used=about("Once the feature is in use.", named("verdict")),
    weak=TRUTH,
)
MEASURED = thing(
    format=TEXT,
    measured=TEXT,
    by=TEXT,
    machine=TEXT,
    client=TEXT,
    version=TEXT,
    engine=TEXT,
    packages=mapping(TEXT),
    runs=many(thing(table=TEXT, demands=TEXTS, open=TEXT, read=TEXT, append=TEXT, why=mapping(TEXT))),
)
CLIENT = thing(
    client=TEXT,
    name=TEXT,
    kind=TEXT,
    latest_seen=maybe(TEXT),
    reads=maybe(TRUTH),
    writes=maybe(TRUTH),
    knowledge=TEXT,
    version_scheme=TEXT,
    version_example=TEXT,
    paths=TEXTS,
    sources=TEXTS,
)
COUNTS_OF_RESTORE = (
    "table_size_after_restore",
    "num_of_files_after_restore",
    "num_removed_files",
    "num_restored_files",
    "removed_files_size",
    "restored_files_size",
)
