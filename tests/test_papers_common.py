"""What the papers' experiments keep for later calls is nobody's to change."""

import pytest

from ppdm.papers.aibr.experiment import tables_of
from ppdm.papers.common import binary_frame, respondents
from ppdm.papers.which import design, experiment, groups

CANCER = "breast-cancer-wisconsin"


def test_who_changes_a_frame_changes_his_own():
    """Once every later call, and the counted respondents, had the changed class."""
    before = binary_frame(CANCER)["class"].sum()
    mine = binary_frame(CANCER)
    mine["class"] = 0
    mine.iloc[:, 0] = 0
    assert binary_frame(CANCER)["class"].sum() == before > 0
    assert binary_frame(CANCER).iloc[:, 0].any()


@pytest.mark.parametrize(
    "kept",
    [
        lambda: respondents(CANCER).codes,
        lambda: respondents(CANCER).everyone.values,
        lambda: respondents(CANCER).fixed[0].values,
        lambda: groups.channel_of("one group", 0.7),
        lambda: design.matrix_of("one group", 0.7, design.prior_of("even")),
        lambda: experiment.matrix_of("certified matrices", 0.5, (0.5, 0.5)),
        lambda: experiment.numbers_of("pima").X,
        lambda: tables_of()["PID"][0],
    ],
)
def test_arrays_that_are_kept_are_read_only(kept):
    with pytest.raises(ValueError, match="read-only"):
        kept()[:] = 0
