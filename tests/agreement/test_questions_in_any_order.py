"""What a model keeps from earlier questions changes no answer, in whatever order they come."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.systems.questions import Questions


def crank():
    mech = iso.Mechanism(gravity=(0.0, -9.81, 0.0))
    mech.add_body("arm", 2.0, 0.3, (0.5, 0.0), 0.0, kind="planar")
    mech.add_body("rod", 1.0, 0.1, (1.0, -0.5), -0.5 * np.pi, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0.0, 0.0)))
    mech.add_joint(iso.Hinge("elbow", "arm", "rod", point=(1.0, 0.0)))
    return mech.compile()


@pytest.mark.parametrize("angles", [(0.3, 0.0, 0.3, 0.0), (0.0, 0.3, 0.7, 0.3, 0.0, -0.0), (0.0, 0.3, 0.0, 0.7, 0.0)])
def test_angles_that_come_back(angles):
    """Sines and cosines of the last two angles of a planar body are kept."""
    asked = Questions(crank())
    for angle in angles:
        q = np.array([0.4, 0.2, angle, 0.9, -0.3, -angle])
        v = np.array([0.1, -0.2, 0.5, 0.3, 0.7, -1.1])
        fresh = Questions(crank())
        assert np.array_equal(asked.position(0.0, q, v), fresh.position(0.0, q, v))
        assert np.array_equal(asked.velocity(0.0, q, v), fresh.velocity(0.0, q, v))
        got, expected = (np.asarray(one.rows(0.0, q, v)) for one in (asked, fresh))
        assert np.array_equal(got, expected)
        arm = np.array([np.cos(angle), np.sin(angle)])
        assert np.allclose(np.abs(asked.position(0.0, q, v)[:2]), np.abs(q[:2] - 0.5 * arm), rtol=0, atol=1e-15)
