"""The features pass deltaresolver's kit, which takes a table through its whole life."""

from collections.abc import Callable

from deltaresolver_lineage import ledger, source
from deltaresolver_sample import change_approval

from deltaresolver.model import Metadata

CheckFeature = Callable[..., None]


def test_lineage(check_feature: CheckFeature) -> None:
    check_feature(
        source,
        switched_on=[Metadata(configuration={"lineage.track": "true"})],
        switched_off=[Metadata(), Metadata(configuration={"lineage.track": "false"})],
        beside=[change_approval],
    )


def test_ledger(check_feature: CheckFeature) -> None:
    check_feature(
        ledger,
        switched_on=[Metadata(configuration={"ledger.keep": "true"})],
        switched_off=[Metadata(), Metadata(configuration={"ledger.keep": "false"})],
    )
