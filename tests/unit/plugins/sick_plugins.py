"""Plugins that are wrong in one way each, as the text of a module. `declared(...)` is a sound feature, changed."""

from __future__ import annotations

HEADER = """
import sys
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditRule
from deltaresolver.model.behaviour import FeatureBehaviour
from deltaresolver.model.capabilities import *
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Maturity, Removal, TableFeature
from deltaresolver.model.rules import *
from deltaresolver.model.support import REFUSED, SAFE, LogTraces, ReadAs, Support
from deltaresolver.plugins import hookimpl


def declared(**changes):
    return TableFeature(**{
        "name": "acmeSealed", "kind": FeatureKind.WRITER, "summary": "Made up.", "spec_url": "https://example.com",
        "trigger": PropertyIsTrue("acme.sealed"), "upgrades_existing_table": True, **changes})


"""


def feature(changes: str) -> str:
    """A module whose feature differs from a sound one in this."""
    return f"@hookimpl\ndef table_feature():\n    return declared({changes})\n"


def behaving(method: str, bases: str = "FeatureBehaviour") -> str:
    """A module whose feature has a behaviour with one method."""
    lines = "\n".join("    " + line for line in method.splitlines())
    return f"class Sealing({bases}):\n{lines}\n\n\n{feature('behaviour=Sealing()')}"


FIELDS = {
    "kind as text": ("kind='reader and writer'", "TableFeature.kind takes FeatureKind, found 'reader and writer'"),
    "kind as None": ("kind=None", "TableFeature.kind takes FeatureKind"),
    "name as number": ("name=5", "TableFeature.name takes text, found 5"),
    "name as None": ("name=None", "TableFeature.name takes text"),
    "name as bytes": ("name=b'acme'", "TableFeature.name takes text"),
    "name with a dot": ("name='acme.sealed'", "not a feature name"),
    "name empty": ("name=''", "not a feature name"),
    "summary as number": ("summary=5", "TableFeature.summary takes text"),
    "no specification": ("spec_url=''", "has no spec_url"),
    "specification as number": ("spec_url=7", "TableFeature.spec_url takes text"),
    "requires as text": ("requires='rowTracking'", "found the one text 'rowTracking'"),
    "requires as number": ("requires=5", "Several names are expected, found 5"),
    "requires numbers": ("requires=[5]", "Names are texts, found 5"),
    "requires itself": ("requires={'acmeSealed'}", "acmeSealed -> acmeSealed"),
    "requires nobody": ("requires={'rowTraking'}", "Did you mean rowTracking?"),
    "legacy as text": ("legacy='7'", "TableFeature.legacy takes LegacyVersion, found '7'"),
    "legacy of texts": ("legacy=LegacyVersion('0', '2')", "LegacyVersion.reader_version takes int"),
    "legacy (0, 2)": ("legacy=LegacyVersion(0, 2)", "list of legacy features is closed"),
    "legacy (1, 2) of a reader feature": (
        "kind=FeatureKind.READER_WRITER, legacy=LegacyVersion(1, 2)",
        "list of legacy features is closed",
    ),
    "legacy (0, 7)": ("legacy=LegacyVersion(0, 7)", "list of legacy features is closed"),
    "reader version of a writer feature": ("min_reader_version=3", "declares min_reader_version 3"),
    "reader version too low": (
        "kind=FeatureKind.READER_WRITER, min_reader_version=2",
        "declares min_reader_version 2",
    ),
    "writer version too low": ("min_writer_version=6", "declares min_writer_version 6"),
    "writer version as text": ("min_writer_version='7'", "TableFeature.min_writer_version takes int"),
    "reader version true": ("min_reader_version=True", "TableFeature.min_reader_version takes int"),
    "trigger as function": ("trigger=lambda view: True", "wrap a function in Custom"),
    "trigger as text": ("trigger='acme.sealed'", "is not a rule"),
    "trigger as class": ("trigger=PropertyIsTrue", "is not a rule"),
    "type as text": ("trigger=SchemaHasType('long')", "found the one text 'long'"),
    "metadata key as text": ("trigger=FieldHasMetadata('acme')", "found the one text 'acme'"),
    "property as number": ("trigger=PropertyIsTrue(5)", "PropertyIsTrue.key takes text, found 5"),
    "rule of no rules": ("trigger=AnyOf(())", "ValueError"),
    "unless as text": (
        "trigger=AllOf((PropertyIsTrue('a'), UnlessSupported('rowTracking')))",
        "found the one text 'rowTracking'",
    ),
    "upgrades as text": ("upgrades_existing_table='no'", "upgrades_existing_table takes bool"),
    "aborts as number": ("aborts_concurrent_writers=1", "aborts_concurrent_writers takes bool"),
    "removal as mapping": ("removal={}", "TableFeature.removal takes Removal, found {}"),
    "removal true": ("removal=True", "TableFeature.removal takes Removal"),
    "dropped properties as text": ("removal=Removal(drops_properties='bad.on')", "found the one text 'bad.on'"),
    "unset properties as text": ("removal=Removal(unsets_first='bad.on')", "found the one text 'bad.on'"),
    "history as text": ("removal=Removal(protects_history='yes')", "Removal.protects_history takes bool"),
    "rewriting as text": ("removal=Removal(rewriting='REORG')", "Removal.rewriting takes Operation"),
    "maturity as text": ("maturity='preview'", "TableFeature.maturity takes Maturity"),
    "behaviour as a class": (
        "behaviour=FeatureBehaviour",
        "the class FeatureBehaviour. Write FeatureBehaviour().",
    ),
    "behaviour of another kind": ("behaviour=object()", "TableFeature.behaviour takes FeatureBehaviour"),
    "support as text": ("support='safe'", "TableFeature.support takes Support"),
    "read as text": ("support=Support(read='safe')", "Support.read takes Care or ReadAs, found 'safe'"),
    "read as function": ("support=Support(read=print)", "Support.read takes Care or ReadAs"),
    "checkpoint as text": ("support=Support(checkpoint='safe')", "Support.checkpoint takes Care, found 'safe'"),
    "columns as mapping": ("support=Support(read=ReadAs(columns={'a': 'b'}))", "must be callable"),
    "files as text": ("support=Support(read=ReadAs(files='tags.hidden IS NULL'))", "must be callable"),
    "domains as text": ("traces=LogTraces(domains='acme.seal')", "found the one text 'acme.seal'"),
    "not beside itself": ("not_supported_with={'acmeSealed'}", "acmeSealed may not be supported beside acmeSealed"),
    "requires what it excludes": (
        "requires={'rowTracking'}, not_supported_with={'rowTracking'}",
        "acmeSealed may not be supported beside rowTracking",
    ),
    "requires what needs what it excludes": (
        "requires={'rowTracking'}, not_supported_with={'domainMetadata'}",
        "acmeSealed may not be supported beside domainMetadata",
    ),
    "together with what it excludes": (
        "enabled_with={'rowTracking'}, not_enabled_with={'rowTracking'}",
        "acmeSealed may not be switched on beside rowTracking",
    ),
    "together with nobody": ("enabled_with={'rowTraking'}", "Did you mean rowTracking?"),
    "an unknown field": ("minimum_reader=3", "unexpected keyword argument 'minimum_reader'"),
}
"""What is changed of the feature, and what is said."""

MODULES = {
    "hook raises": ("@hookimpl\ndef table_feature():\n    return {}['seal']\n", "raised KeyError: 'seal'"),
    "hook exits": ("@hookimpl\ndef table_feature():\n    sys.exit(3)\n", "raised SystemExit: 3"),
    "hook raises what is no exception": (
        "class Odd(BaseException): pass\n\n@hookimpl\ndef table_feature():\n    raise Odd('odd')\n",
        "raised Odd: odd",
    ),
    "hook returns None": ("@hookimpl\ndef table_feature():\n    pass\n", "returned NoneType, not a TableFeature"),
    "hook returns a class": ("@hookimpl\ndef table_feature():\n    return TableFeature\n", "not a TableFeature"),
    "hook returns text": ("@hookimpl\ndef table_feature():\n    return 'acmeSealed'\n", "returned str"),
    "generator without an end": (
        "@hookimpl\ndef table_feature():\n    while True:\n        yield declared()\n",
        "more than 1,000 items came",
    ),
    "requirements without an end": (
        "import itertools\n" + feature("requires=map(str, itertools.count())"),
        "more than 10,000 came",
    ),
    "a class derived from TableFeature": (
        "class Own(TableFeature): is_legacy = 5\n\nTableFeature = Own\n\n" + feature(""),
        "of a derived class",
    ),
    "a name that compares as it likes": (
        "class Name(str):\n    def __eq__(self, other): raise OSError\n    __hash__ = str.__hash__\n\n\n"
        + feature("name=Name('acmeSealed')"),
        "of a derived class",
    ),
    "a metaclass that has every method": (
        "class Every(type):\n    def __getattr__(cls, name): return lambda *any: None\n\n\n"
        "class Sealing(metaclass=Every): pass\n\n\n" + feature("behaviour=Sealing()"),
        "whose class has none",
    ),
    "a method that is a property": (
        behaving("@property\ndef check_draft(self): return 1 / 0"),
        "has check_draft, which is property and no method",
    ),
    "generator exits": (
        "@hookimpl\ndef table_feature():\n    yield declared()\n    sys.exit()\n",
        "raised SystemExit",
    ),
    "misspelt hook": ("@hookimpl\ndef table_featur():\n    return declared()\n", "Did you mean table_feature?"),
    "hook with an argument": ("@hookimpl\ndef table_feature(spark):\n    return declared()\n", "spark"),
    "no hook": ("def table_feature():\n    return declared()\n", "it implements no hook"),
    "the same name twice": (
        "@hookimpl\ndef table_feature():\n    return [declared(), declared(name='ACMEsealed')]\n",
        "acmeSealed is registered already as ACMEsealed",
    ),
    "a built-in name in another case": (feature("name='ROWTRACKING'"), "is registered already as rowTracking"),
    "wrapper raises": (
        "@hookimpl(wrapper=True)\ndef table_feature():\n    yield\n    raise OSError('late')\n",
        "wrapper table_feature raised OSError: late",
    ),
    "wrapper returns nothing": (
        "@hookimpl(wrapper=True)\ndef table_feature():\n    yield\n",
        "wrapper table_feature raised TypeError: it returned NoneType, not the list of answers",
    ),
    "wrapper is no generator": ("@hookimpl(wrapper=True)\ndef table_feature():\n    return 1\n", "generator"),
    "misspelt method": (behaving("def chek_draft(self, draft):\n    raise OSError"), "Did you mean check_draft?"),
    "misspelt amendment": (behaving("def ammend_metadata(self, change):\n    pass"), "Did you mean amend_metadata?"),
    "misspelt conditions": (
        behaving("def row_condition(self, metadata):\n    return ()"),
        "Did you mean row_conditions?",
    ),
    "misspelt method of a capability": (
        behaving("def ensure_sealed(self, draft):\n    raise OSError", "ChecksCommits"),
        "abstract class Sealing",
    ),
    "misspelt method of a capability beside the base class": (
        behaving("def ensure_sealed(self, draft):\n    raise OSError", "FeatureBehaviour, ChecksCommits"),
        "Sealing of acmeSealed is declared as ChecksCommits, and does not define check_draft.",
    ),
    "misspelt method beside a right one, without any base": (
        behaving("def check_draft(self, draft): pass\ndef check_metdata(self, change): pass", "object"),
        "Did you mean check_metadata?",
    ),
    "misspelt method of a mixin": (
        "class Mixin:\n    def chek_draft(self, draft): pass\n\n\n" + behaving("pass", "Mixin, FeatureBehaviour"),
        "Did you mean check_draft?",
    ),
    "an object without any method": (
        behaving("def seal(self, draft): pass", "object"),
        "found Sealing, whose class has none",
    ),
    "a method that is a value": (behaving("check_draft = 'later'"), "has check_draft, which is str and no method"),
    "domains of a behaviour as text": (behaving("own_domains = 'acme.seal'"), "has 'acme.seal' for own_domains"),
    "removals joined as text": (behaving("joins_removals = 'no'"), "has 'no' for joins_removals"),
    "misspelt attribute": (behaving("own_domain = frozenset()"), "Did you mean own_domains?"),
    "method of a capability without arguments": (
        behaving("def check_draft(self): pass", "ChecksCommits"),
        "Sealing.check_draft of acmeSealed cannot be called",
    ),
    "method without arguments": (behaving("def check_draft(self):\n    pass"), "Sealing.check_draft of acmeSealed"),
    "method with an argument more": (
        behaving("def amend_draft(self, draft, spark):\n    return draft"),
        "Sealing.amend_draft of acmeSealed cannot be called",
    ),
    "method without a keyword": (
        behaving("def check_request(self, key):\n    pass"),
        "Sealing.check_request of acmeSealed cannot be called",
    ),
    "method that yields": (
        behaving("def check_draft(self, draft):\n    yield draft\n    raise OSError"),
        "Sealing.check_draft of acmeSealed yields, and nobody reads what it yields",
    ),
    "method to be awaited": (
        behaving("async def check_metadata(self, change):\n    raise OSError"),
        "Sealing.check_metadata of acmeSealed is asynchronous, and nobody awaits it",
    ),
    "support without arguments": (
        feature("support=Support(checkpoint=lambda: None)"),
        "support.checkpoint of acmeSealed cannot be called with its arguments (metadata)",
    ),
    "columns without arguments": (
        feature("support=Support(read=ReadAs(columns=lambda: {}))"),
        "support.read of acmeSealed (columns) cannot be called",
    ),
    "rows to be awaited": (
        "async def rows(metadata):\n    return 'id > 1'\n\n" + feature("support=Support(read=ReadAs(rows=rows))"),
        "support.read of acmeSealed (rows) is asynchronous",
    ),
    "files without the file": (
        feature("support=Support(read=ReadAs(files=lambda metadata: True))"),
        "support.read of acmeSealed (files) cannot be called with its arguments (metadata, file)",
    ),
    "trigger's function without arguments": (
        feature("trigger=AnyOf((PropertyIsTrue('a'), Not(Custom(lambda: (), Remedy('x')))))"),
        "The function of the trigger of acmeSealed cannot be called with its arguments (view)",
    ),
    "a rule of one's own with a wrong method": (
        "class Own:\n"
        "    def fires(self): return True\n"
        "    def evidence(self, view): return ()\n"
        "    def remedies(self, view): return ()\n"
        "    def hints(self): return ALWAYS\n"
        "    def describe(self): return 'x'\n\n" + feature("trigger=AllOf((Own(),))"),
        "Own.fires of the trigger of acmeSealed cannot be called with its arguments (view)",
    ),
}
"""The whole module, and what is said."""

SEVERITIES = {
    "severity as text": ("AuditRule('acme', 'error', 't', 'r', list)", "AuditRule.severity takes Severity"),
    "check as text": ("AuditRule('acme', Severity.ERROR, 't', 'r', 'check')", "must be callable"),
    "title as number": ("AuditRule('acme', Severity.ERROR, 5, 'r', list)", "AuditRule.title takes text"),
    "name with capitals": (
        "AuditRule('Acme', Severity.ERROR, 't', 'r', list)",
        "is not a valid name for an audit rule",
    ),
    "check without arguments": (
        "AuditRule('acme', Severity.ERROR, 't', 'r', lambda: [])",
        "the check of audit rule acme cannot be called with its arguments (table)",
    ),
    "a severity for a name": ("AuditRule('error', Severity.ERROR, 't', 'r', list)", "which is a severity"),
}
"""An audit rule, and what is said."""

BEHAVIOURS = {
    "amend_metadata": "change",
    "check_metadata": "change",
    "amend_draft": "draft",
    "check_draft": "draft",
    "enabling_commit": "table, proposed, made",
    "change_apart": "table, to_set, to_unset",
}
"""Methods that a change of properties asks, with their parameters."""

FAULTS = {
    "KeyError": ("return {}['seal']", "raised KeyError: 'seal'"),
    "SystemExit": ("sys.exit(3)", "raised SystemExit: 3"),
    "wrong return": ("return 5", "returned int, not"),
}
"""What a method does, and what is said."""
