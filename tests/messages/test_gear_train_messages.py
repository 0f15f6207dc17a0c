"""What a bad table of fundamental circuits is told."""

from __future__ import annotations

from typing import Any

import pytest

from isodyn.errors import ConflictError, InputError, IsodynError, SingularError
from isodyn.gauss import GearTrain

TABLE = [(2, 3, 1, -0.6), (5, 4, 3, 1.7), (5, 6, 3, -0.9)]
INERTIA = {2: 1.0, 3: 0.7, 4: 1.4, 5: 0.2, 6: 0.5}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"circuits": []}, InputError, "at least one fundamental circuit"),
        ({"circuits": [(2, 3, 1)]}, InputError, r"Circuit needs \(i, j, k, ratio\)"),
        ({"circuits": [*TABLE[:2], (5, 7, 3, 0.5)]}, InputError, "circuit 3 names link 7, which has no inertia"),
        ({"circuits": [(2, 2, 1, 0.5), *TABLE[1:]]}, InputError, "circuit 1 must name three different links"),
        (
            {"circuits": [(2, 3, 1, 0.0), *TABLE[1:]]},
            InputError,
            "ratio of circuit 1 must be a finite number and not zero",
        ),
        ({"circuits": [(2, 3, 1, float("nan")), *TABLE[1:]]}, InputError, "ratio of circuit 1"),
        (
            {"circuits": [*TABLE, (3, 2, 1, -1 / 0.6)], "drives": [2]},
            ConflictError,
            "circuit [14] follows from the others",
        ),
        ({"circuits": [*TABLE, (2, 4, 1, 1.0), (6, 2, 1, 0.3)], "drives": []}, ConflictError, "the train is locked"),
        ({"inertia": {**INERTIA, 3: -1.0}}, InputError, "inertia of link 3 must be a number ≥ 0, received -1.0"),
        ({"inertia": {**INERTIA, 9: 1.0}, "drives": [2, 4, 9]}, InputError, "link 9 is in no circuit"),
        ({"drives": [2]}, InputError, "mobility 2 and needs as many driving shafts"),
        ({"drives": [2, 2]}, InputError, "mobility 2 and needs as many driving shafts"),
        ({"drives": [2, 1]}, InputError, "driving shaft 1 is not a moving link"),
        ({"planets": [(5, 8, 1.0, 0.2)]}, InputError, "there is no link 8"),
        ({"planets": [(5, 3, -1.0, 0.2)]}, InputError, "planet 5 needs a mass ≥ 0"),
    ],
)
def test_bad_tables(change: dict[str, Any], error: type[IsodynError], message: str) -> None:
    """What is wrong, and in which circuit."""
    with pytest.raises(error, match=message):
        GearTrain(**{"circuits": TABLE, "inertia": INERTIA, "drives": [2, 4], **change})


def test_shafts_that_do_not_fix_the_others() -> None:
    """Links 2 and 3 turn in a fixed ratio: they are not independent."""
    with pytest.raises(SingularError, match="speeds of the shafts 2, 3 do not fix the others"):
        _ = GearTrain(TABLE, INERTIA, [2, 3]).speeds


def test_slopes_of_unknown_shafts_and_a_train_without_inertia() -> None:
    """Both are refused with the name of what is missing."""
    train = GearTrain(TABLE, INERTIA, [2, 4])
    with pytest.raises(InputError, match="there is no shaft 8"):
        train.reduced_slope({8: 1.0})
    with pytest.raises(InputError, match="slope of shaft 2 must be finite"):
        train.reduced_slope({2: float("inf")})
    with pytest.raises(SingularError, match="reduced mass is singular"):
        GearTrain(TABLE, dict.fromkeys(INERTIA, 0.0), [2, 4]).stability({2: -1.0})
