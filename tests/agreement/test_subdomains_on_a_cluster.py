"""Subdomains as actors of a Dask cluster move as they do in one process."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, NonFiniteError
from subdomain_systems import THREE, chain

distributed = pytest.importorskip("distributed")
S = iso.Scheme
TAUS = dict(zip(THREE, (1, 2, 4), strict=True))


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def duffing(stiffness):
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -stiffness * q - 5.0 * q**3, q0=[0.5], v0=[0.3])


SUBS = {
    "linear": lambda: iso.partition(chain(), THREE),
    "nonlinear": lambda: iso.Subdomains(
        {"left": duffing(10.0), "middle": duffing(40.0), "right": duffing(5.0)},
        [("left", 0, "middle", 0), ("middle", 0, "right", 0)],
    ),
}


@pytest.mark.parametrize("formulation", [None, iso.Stabilised()], ids=str)
@pytest.mark.parametrize("make", SUBS.values(), ids=SUBS)
def test_actors_vs_one_process(client, make, formulation):
    sub = make()
    scheme = {"left": S.U0(0.5, 0.5, 0.5), "middle": S.optimal(0.3), "right": S.V0(0.3, 0.7, 0.1)}
    options = {"substeps": TAUS, "dt": 0.01, "t_end": 0.205, "save_every": 4, "breakpoints": [0.1]}
    far = iso.integrate(sub, scheme, formulation, executor=client, **options)
    near = iso.integrate(sub, scheme, formulation, **options)
    assert (far.t == near.t).all()
    np.testing.assert_allclose(far.lam, near.lam, rtol=0, atol=1e-12 * abs(near.lam).max())
    for name in THREE:
        for key in "qva":
            expected = getattr(near[name], key)
            np.testing.assert_allclose(getattr(far[name], key), expected, rtol=0, atol=1e-12 * abs(expected).max())
        assert far[name].stats.steps == near[name].stats.steps


def test_errors_come_back_with_the_name_and_the_rows(client):
    def f(t):
        return np.array([np.nan if t > 0.1 else 1.0])

    halves = {name: iso.LinearSystem(1.0, None, 1.0, f if name == "b" else None, [0.0], [0.0]) for name in "ab"}
    sub = iso.Subdomains(halves, [("a", 0, "b", 0)])
    with pytest.raises(NonFiniteError) as caught:
        iso.integrate(sub, S.optimal(0.5), executor=client, dt=0.01, t_end=0.3)
    assert caught.value.partial.t[-1] == pytest.approx(0.1)
    assert caught.value.__notes__ == ["in subdomain 'b', in system step 11 from t = 0.1"]


def test_threads_belong_to_this_process(client):
    sub = SUBS["linear"]()
    with pytest.raises(InputError, match="with an executor its workers are the threads, received threads = 2"):
        iso.integrate(sub, executor=client, threads=2, dt=0.1, t_end=0.2)


@pytest.mark.slow
def test_actors_in_other_processes():
    """The same with real processes, which load compiled code of their own."""
    sub = SUBS["linear"]()
    near = iso.integrate(sub, S.optimal(0.5), substeps=TAUS, dt=0.01, t_end=0.1)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        far = iso.integrate(sub, S.optimal(0.5), substeps=TAUS, dt=0.01, t_end=0.1, executor=client)
    assert abs(far.lam - near.lam).max() < 1e-12 * abs(near.lam).max()
