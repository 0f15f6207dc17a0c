"""One domain, two equal domains and the undivided system move alike to rounding."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.problems.divided import mass_chain
from subdomain_systems import THREE, TWO, chain

S = iso.Scheme
SCHEMES = [S.optimal(0.5), S.U0(0.5, 0.5, 0.5), S.V0(0, 0, 0), S.U0(1, 1, 0.5, explicit=True), S.central_difference()]


def close(sub_sol, whole, keys="qva", rtol=1e-11):
    for key in keys:
        expected = getattr(whole, key)
        assert abs(sub_sol.gather(key) - expected).max() <= rtol * abs(expected).max(), key


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
def test_elements_in_two_domains(scheme):
    elements = chain(damping=0.0)
    sub = iso.partition(elements, TWO)
    sol = iso.integrate(sub, scheme, dt=0.01, t_end=1.0)
    close(sol, iso.integrate(elements.assemble(), scheme, dt=0.01, t_end=1.0))
    assert sol.drift().largest[0] < 1e-13


@pytest.mark.parametrize("scheme", SCHEMES[:3], ids=lambda s: s.name)
def test_one_domain_and_two_equal_domains(scheme):
    system = chain().assemble()
    whole = iso.integrate(system, scheme, dt=0.01, t_end=1.0)
    one = iso.integrate(iso.Subdomains({"all": system}, []), scheme, dt=0.01, t_end=1.0)
    np.testing.assert_allclose(one["all"].a, whole.a, rtol=0, atol=1e-11 * abs(whole.a).max())
    halves = iso.partition(system, {"a": range(7), "b": range(7)})
    two = iso.integrate(halves, scheme, dt=0.01, t_end=1.0)
    close(two, whole)
    assert abs(two.lam).max() < 1e-10  # equal halves need no force between them


def test_weights_of_shared_entries_do_not_matter():
    system = chain().assemble()
    whole = iso.integrate(system, S.optimal(0.5), dt=0.01, t_end=1.0)
    sub = iso.partition(system, {"a": [0, 1, 2, 3], "b": [3, 4, 5, 6]}, weights={"a": 1.0, "b": 3.0})
    close(iso.integrate(sub, S.optimal(0.5), dt=0.01, t_end=1.0), whole)


def membrane(n=4):
    """n × n square elements of a membrane; the rim is free, one corner is held by a spring of its
    own element."""
    nodes = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    dofs = np.array([nodes[i : i + 2, j : j + 2].ravel() for i in range(n) for j in range(n)])
    M = np.tile(np.full((4, 4), 0.05) + np.diag([0.2] * 4), (n * n, 1, 1))
    k = np.array([[4, -1, -1, -2], [-1, 4, -2, -1], [-1, -2, 4, -1], [-2, -1, -1, 4]]) / 6.0
    K = np.tile(50.0 * k, (n * n, 1, 1))
    K[0, 0, 0] += 30.0
    q0 = np.sin(np.arange((n + 1) ** 2))
    return iso.subdomains.Elements(dofs, M, K, q0, 0.0 * q0)


def quarters(n=4):
    number = np.arange(n * n).reshape(n, n)
    h = n // 2
    return {
        "sw": number[:h, :h].ravel(),
        "se": number[:h, h:].ravel(),
        "nw": number[h:, :h].ravel(),
        "ne": number[h:, h:].ravel(),
    }


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.V0(0.3, 0.7, 0.1)], ids=lambda s: s.name)
def test_four_domains_with_a_cross_point(scheme):
    """Three ties at the point where four subdomains meet; three of them are floating."""
    elements = membrane()
    whole = iso.integrate(elements.assemble(), scheme, dt=0.02, t_end=1.0)
    sub = iso.partition(elements, quarters())
    sol = iso.integrate(sub, scheme, dt=0.02, t_end=1.0)
    close(sol, whole)
    assert sol.redundant == ()


def test_redundant_ties_at_a_cross_point():
    """All four ties around the point: one follows from the others; the motion is the same,
    multipliers are of least norm."""
    elements = membrane()
    sub = iso.partition(elements, quarters())
    full = iso.Subdomains(sub.systems, [*sub.ties, _around(sub)])
    plain = iso.integrate(sub, S.optimal(0.5), dt=0.02, t_end=0.5)
    sol = iso.integrate(full, S.optimal(0.5), dt=0.02, t_end=0.5)
    assert len(sol.redundant) == 1
    for name in sub.systems:
        np.testing.assert_allclose(sol[name].q, plain[name].q, rtol=0, atol=1e-12)
    G = np.hstack([G.toarray() for G in full.G.values()])
    dependence = np.linalg.svd(G.T)[2][-1]
    assert abs(G.T @ dependence).max() < 1e-12
    assert abs(sol.lam @ dependence).max() < 1e-10 * abs(sol.lam).max()


def _around(sub):
    centre = 12
    first, last = (int(np.flatnonzero(sub.indices[name] == centre)[0]) for name in ("sw", "ne"))
    return ("sw", [first], "ne", [last])


def test_one_thread_vs_two():
    """Alone, steps of linear subdomains run in one compiled loop; in threads subdomain by
    subdomain. The same to rounding."""
    sub = iso.partition(chain(), TWO)
    for formulation in (None, iso.Stabilised()):
        one, two = (
            iso.integrate(
                sub, S.V0(0.3, 0.7, 0.1), formulation, substeps={"left": 2, "right": 3}, dt=0.02, t_end=0.41, threads=k
            )
            for k in (1, 2)
        )
        assert abs(one.lam - two.lam).max() < 1e-12 * abs(one.lam).max()
        assert abs(one["left"].a - two["left"].a).max() < 1e-12 * abs(one["left"].a).max()
        assert one["right"].stats.steps == two["right"].stats.steps == 3 * 21


@pytest.mark.parametrize("formulation", [None, iso.Stabilised()], ids=str)
@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize("scheme", [S.U0(0.5, 0.5, 0.5), S.V0(0, 0, 0), S.central_difference()], ids=str)
def test_banded_kernels_vs_the_shared_loop(scheme, damping, formulation, monkeypatch):
    """Kernels of linear subdomains against the loop of `integrate`, with loads, a breakpoint off
    the grid and a short last step."""
    sub = iso.partition(chain(damping=damping), THREE)
    options = {"substeps": dict(zip(THREE, (3, 1, 2), strict=True)), "dt": 0.01, "t_end": 0.505, "breakpoints": [0.203]}
    banded = iso.integrate(sub, scheme, formulation, **options)
    assert banded["left"].stats.solver == "banded LU"
    monkeypatch.setattr("isodyn.subdomains.part.tables_of", lambda system, ties: None)
    shared = iso.integrate(sub, scheme, formulation, **options)
    assert shared["left"].stats.solver != "banded LU"
    assert (banded.t == shared.t).all()
    assert abs(banded.lam - shared.lam).max() < 1e-11 * abs(shared.lam).max()
    for name in THREE:
        for key in "qva":
            expected = getattr(shared[name], key)
            assert abs(getattr(banded[name], key) - expected).max() < 1e-11 * abs(expected).max()


def plane_chain():
    """Nine masses in a plane, named; springs to the neighbours, some of them oblique."""
    line = mass_chain(9).whole()
    K = np.kron(line.K.toarray(), [[1.0, 0.2], [0.2, 0.4]])
    names = [f"m{i}.{x}" for i in range(1, 10) for x in "xy"]
    q0 = np.kron(line.q0, [1.0, 0.5])
    return iso.LinearSystem(np.kron(line.M.toarray(), np.eye(2)), 0.01 * K, K, None, q0, 0.0 * q0, names=names)


BODIES = {"left": ["m1", "m2", "m3"], "middle": ["m4", "m5", "m6"], "right": ["m7", "m8", "m9.x", "m9.y"]}


def test_by_bodies():
    """Sets of bodies without overlap: springs across a cut bring the body at their other end
    along."""
    system = plane_chain()
    sub = iso.partition(system, BODIES)
    assert sub.row_names == tuple(f"{a}.{c} = {b}.{c}" for a, b, c in _cuts())
    for key in "MCK":
        total = np.zeros((18, 18))
        for name, at in sub.indices.items():
            total[np.ix_(at, at)] += getattr(sub.systems[name], key)
        np.testing.assert_allclose(total, getattr(system, key), rtol=0, atol=1e-13)
    close(
        iso.integrate(sub, S.optimal(0.5), dt=0.02, t_end=1.0),
        iso.integrate(system, S.optimal(0.5), dt=0.02, t_end=1.0),
    )


def _cuts():
    return [(a, b, f"{m}.{x}") for a, b, m in (("left", "middle", "m4"), ("middle", "right", "m7")) for x in "xy"]


def test_parts_of_spring_networks_are_never_indefinite():
    """A stiff and a soft spring at a shared mass: each side gets its own, not half of the sum."""
    system = mass_chain(9, stiff=400.0).whole()
    for sets in ({"a": [0, 1, 2], "b": [2, 3, 4, 5, 6, 7, 8]}, {"a": range(6), "b": range(5, 9)}):
        for part in iso.partition(system, sets).systems.values():
            assert np.linalg.eigvalsh(part.K.toarray())[0] > -1e-12
            assert np.linalg.eigvalsh(part.M.toarray())[0] > 0.1


def test_three_ways_to_cut_a_chain():
    """By elements, by index sets and by bodies: one motion."""
    problem = mass_chain(9)
    whole = problem.whole()
    sols = [
        iso.integrate(sub, S.optimal(0.5), dt=0.02, t_end=1.0)
        for sub in (
            problem.subdomains(),
            iso.partition(whole, {"left": range(4), "middle": range(3, 7), "right": range(6, 9)}),
            iso.partition(whole, {"left": range(3), "middle": range(3, 6), "right": range(6, 9)}, overlap=True),
        )
    ]
    for sol in sols:
        close(sol, iso.integrate(whole, S.optimal(0.5), dt=0.02, t_end=1.0))


def test_ties_by_name():
    cart = iso.LinearSystem(np.eye(2), None, np.eye(2), None, [0.1, 0.2], [0.0, 0.0], names=["cart.x", "cart.y"])
    rod = iso.LinearSystem(
        np.eye(3), None, np.eye(3), None, [0.3, 0.1, 0.2], [0, 0, 0], names=["tip", "foot.x", "foot.y"]
    )
    sub = iso.Subdomains({"a": cart, "b": rod}, ties=[("a", "cart", "b", ["foot.x", "foot.y"])])
    assert sub.row_names == ("a.cart.x = b.foot.x", "a.cart.y = b.foot.y")
    assert sub.G["b"].toarray().tolist() == [[0, -1, 0], [0, 0, -1]]
