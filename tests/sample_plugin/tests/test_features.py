"""The features pass deltaresolver's compliance kit, whose fixture comes with the installed package."""

from collections.abc import Callable

from deltaresolver_sample import change_approval, masked_columns

from deltaresolver.model import Metadata

CheckFeature = Callable[..., None]


def with_column(metadata: str) -> Metadata:
    field = f'{{"name": "email", "type": "string", "nullable": true, "metadata": {metadata}}}'
    return Metadata(schema_string=f'{{"type": "struct", "fields": [{field}]}}')


def test_change_approval(check_feature: CheckFeature) -> None:
    check_feature(
        change_approval,
        switched_on=[Metadata(configuration={"sample.requireChangeApproval": "true"})],
        switched_off=[Metadata(), Metadata(configuration={"sample.requireChangeApproval": "false"})],
    )


def test_masked_columns(check_feature: CheckFeature) -> None:
    check_feature(
        masked_columns,
        switched_on=[with_column('{"sample.mask": "hash"}'), with_column('{"sample.mask": null}')],
        switched_off=[Metadata(), with_column("{}"), with_column('{"comment": "sample.mask"}')],
    )
