"""Triggers as data: the conditions under which a table's metadata switches a feature on.

A rule is a small frozen value. From the same value the engine derives whether it fires, the evidence,
the remedy, and where it can fire at all (`hints`), so that a resolution evaluates few of them.

    PropertyIsTrue("acme.auditTrail")
    AllOf((SchemaHasType(("variant",)), UnlessSupported(("variantType-preview",))))
    Custom(my_function, remedy=Remedy("..."))
"""

from deltaresolver.model.facts.keys import read_boolean
from deltaresolver.model.rules.combined import AllOf, AnyOf, Custom, Not, UnlessSupported
from deltaresolver.model.rules.evidence import (
    ALWAYS,
    ColumnEvidence,
    Evidence,
    Hints,
    PropertyEvidence,
    Remedy,
    Rule,
    properties_of,
)
from deltaresolver.model.rules.property_rules import (
    PropertyHoldsJson,
    PropertyIsOneOf,
    PropertyIsTrue,
    PropertyPrefix,
    PropertyPresent,
)
from deltaresolver.model.rules.schema_rules import FieldHasMetadata, FieldNotNull, SchemaHasType

__all__ = [
    "ALWAYS",
    "AllOf",
    "AnyOf",
    "ColumnEvidence",
    "Custom",
    "Evidence",
    "FieldHasMetadata",
    "FieldNotNull",
    "Hints",
    "Not",
    "PropertyEvidence",
    "PropertyHoldsJson",
    "PropertyIsOneOf",
    "PropertyIsTrue",
    "PropertyPrefix",
    "PropertyPresent",
    "Remedy",
    "Rule",
    "SchemaHasType",
    "UnlessSupported",
    "properties_of",
    "read_boolean",
]
