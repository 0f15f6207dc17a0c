"""Subdomains refuse what they cannot do, in the user's words."""

import numpy as np
import pytest
import scipy.linalg

import isodyn as iso
from isodyn.errors import InputError, NonFiniteError, SchemeError, SingularError, StabilityWarning
from isodyn.problems import divided


def half(q0=1.0, v0=0.0, n=1, **more):
    return iso.LinearSystem(np.eye(n), None, np.eye(n), None, np.full(n, q0), np.full(n, v0), **more)


@pytest.mark.parametrize(
    ("ties", "message"),
    [
        ([("a", [0, 1], "b", [0])], "does not match: 2 coordinates tied to 1"),
        ([("a", [0], "c", [0])], "the subdomain 'c'"),
        ([("a", [7], "b", [0])], r"coordinate 7 of 'a', which has 2 \(0 to 1\)"),
        ([("a", [0.5], "b", [0])], "whole numbers"),
        ([("a", [-1], "b", [0])], "whole numbers from 0 to 1"),
        ([("a", [0], "a", [0]), ("a", 0, "b", 0)], "tied to itself"),
        ([("a", [0], "a", [1])], "'b' is tied to nothing"),
        ([("a", [0])], "a tie is"),
        ([3], "a tie is .* received 3"),
        ("ab", "ties must be a list"),
        (None, "ties must be a list"),
        ([(["a"], [0], "b", [0])], r"names the subdomain \['a'\]"),
    ],
)
def test_ties(ties, message):
    with pytest.raises(InputError, match=message):
        iso.Subdomains({"a": half(n=2), "b": half()}, ties)


def test_systems_that_cannot_be_tied():
    heat = iso.LinearFirstOrderSystem(1.0, 1.0, None, [1.0])
    with pytest.raises(InputError, match="all of first order"):
        iso.Subdomains({"a": half(), "b": heat}, [("a", 0, "b", 0)])
    with pytest.raises(InputError, match="at least one"):
        iso.Subdomains({}, [])
    with pytest.raises(InputError, match="one of isodyn's systems, received int"):
        iso.Subdomains({"a": 3}, [])
    with pytest.raises(InputError, match="mapping of systems by name, received list"):
        iso.Subdomains([half(), half()], [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"substeps": {"a": 0, "b": 1}}, "substeps of 'a' must be a whole number of at least 1, received 0"),
        ({"substeps": {"a": 1.5, "b": 1}}, "received 1.5"),
        ({"substeps": {"a": 1}}, "substeps must name every subdomain"),
        ({"scheme": {"a": iso.Scheme.optimal(0.5)}}, "scheme must name every subdomain"),
        ({"formulation": iso.PositionLevel()}, "velocity level"),
        ({"select": [1]}, r"select\['q'\] must lie in 0…0, received 1…1"),
        ({"select": {"c": [0]}}, r"select is by subdomain \('a', 'b'\) or by q, v, a, lam, received 'c'"),
        ({"newton": 3}, "newton must be a Newton, received 3"),
        ({"observe": 3}, "observe must be a function of a sample, received 3"),
        ({"executor": 3}, "executor must be a distributed.Client or None, received int"),
        ({"threads": 0}, "threads must be"),
        ({"dt": -1.0}, "dt must be positive"),
    ],
)
def test_options(options, message):
    sub = iso.Subdomains({"a": half(), "b": half()}, [("a", 0, "b", 0)])
    with pytest.raises(InputError, match=message):
        iso.integrate(sub, **{"dt": 0.1, "t_end": 1.0, **options})


def test_substeps_of_one_system():
    with pytest.raises(InputError, match="substeps and executor are for subdomains"):
        iso.integrate(half(), dt=0.1, t_end=1.0, substeps=2)


def test_a_scheme_of_the_wrong_kind():
    sub = iso.Subdomains({"a": half(), "b": half()}, [("a", 0, "b", 0)])
    with pytest.raises(SchemeError, match="second order"):
        iso.integrate(sub, iso.FirstOrderScheme.gear(), dt=0.1, t_end=1.0)


@pytest.mark.parametrize(("key", "what"), [("q0", "positions"), ("v0", "velocities")])
def test_a_start_with_a_gap(key, what):
    sub = iso.Subdomains({"a": half(), "b": half(**{key: 0.25})}, [("a", 0, "b", 0)])
    with pytest.raises(InputError, match=f"the {what} at the start differ across the tie 'a.q0 = b.q0'"):
        iso.integrate(sub, dt=0.1, t_end=1.0)
    sol = iso.integrate(sub, dt=0.1, t_end=1.0, assemble=True)
    assert max(sol.drift().largest[:2]) < 1e-12


def test_a_tie_between_held_coordinates():
    """Both sides hold the coordinate by a constraint of their own: no force can move it."""
    held = half(q0=0.0, n=2, G=[[1.0, 0.0]])
    sub = iso.Subdomains({"a": held, "b": held}, [("a", 0, "b", 0)])
    with pytest.raises(SingularError, match=r"masses at the interface is singular.*weakest tie 'a.q0 = b.q0'"):
        iso.integrate(sub, dt=0.1, t_end=1.0)


def test_a_subdomain_without_inertia_is_named():
    massless = iso.LinearSystem(0.0, None, 1.0, None, [1.0], [0.0])
    sub = iso.Subdomains({"a": half(), "weightless": massless}, [("a", 0, "weightless", 0)])
    with pytest.raises(SingularError) as caught:
        iso.integrate(sub, dt=0.1, t_end=1.0)
    assert "in subdomain 'weightless'" in caught.value.__notes__[0]


def test_an_explicit_subdomain_beyond_its_limit():
    stiff = iso.LinearSystem(1.0, None, 1e6, None, [1.0], [0.0])
    sub = iso.Subdomains({"a": stiff, "b": half()}, [("a", 0, "b", 0)])
    for threads in (1, 2):
        with (
            pytest.warns(
                StabilityWarning, match=r"sub-steps of 'a' .* beyond their limit 0.002.*\nhint: at least 50 sub-steps"
            ),
            pytest.raises(NonFiniteError, match=r"advise tells its limit|with an explicit scheme, reduce dt") as caught,
        ):
            iso.integrate(sub, iso.Scheme.central_difference(), dt=0.1, t_end=100.0, threads=threads)
        partial = caught.value.partial
        assert 5 < partial.t.size < 500
        assert np.isfinite(partial["a"].v).all()
        assert partial.stats.stopped == "stopped by an error"
    fine = iso.integrate(sub, iso.Scheme.central_difference(), substeps={"a": 50, "b": 1}, dt=0.1, t_end=1.0)
    assert np.isfinite(fine["a"].q).all()


def test_limits_of_large_subdomains_are_found():
    """Beyond 200 unknowns by iteration, also with the constant motion of a floating subdomain as a
    mode of zero frequency."""
    bar = divided.stiff_soft_bar(20, 400)
    sub = bar.subdomains()
    soft = sub.systems["soft"]
    exact = np.sqrt(scipy.linalg.eigh(soft.K.toarray(), soft.M.toarray(), eigvals_only=True)[-1])
    advice = iso.subdomains.advise(sub, iso.Scheme.central_difference(), dt=1e-5)
    assert advice.parts[1].omega_max == pytest.approx(exact, rel=1e-3)
    with pytest.warns(StabilityWarning) as caught:
        iso.integrate(sub, iso.Scheme.central_difference(), substeps={"stiff": 100, "soft": 1}, dt=1e-4, t_end=2e-4)
    assert [str(w.message).split(" with")[0] for w in caught] == ["sub-steps of 'soft'"]


def test_a_floating_subdomain_needs_no_care():
    """Without springs to the ground a subdomain has a singular stiffness; its inertia is enough."""
    free = iso.LinearSystem(np.eye(2), None, [[1.0, -1.0], [-1.0, 1.0]], None, [0.0, 0.3], [0.0, 0.0])
    held = iso.LinearSystem(1.0, None, 4.0, None, [0.0], [0.0])
    sub = iso.Subdomains({"held": held, "floating": free}, [("held", 0, "floating", 0)])
    K = np.array([[5.0, -1.0], [-1.0, 1.0]])
    whole = iso.integrate(iso.LinearSystem([2.0, 1.0], None, K, None, [0.0, 0.3], [0.0, 0.0]), dt=0.1, t_end=2.0)
    sol = iso.integrate(sub, dt=0.1, t_end=2.0)
    np.testing.assert_allclose(sol["floating"].q, whole.q, rtol=0, atol=1e-13)
    assert "singular" not in str(iso.subdomains.advise(sub, dt=0.1))


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({"a": [0, 1], "b": [2]}, r"K\[1, 2\] couples 'q1' with 'q2', but no subdomain holds both"),
        ({"a": [0, 1]}, "coordinate 2 is in no subdomain"),
        ({"a": [0, 1], "b": [1, 1, 2]}, "names a number twice"),
        ({"a": [0, 1], "b": [1, 3]}, "between 0 and 2"),
        ({"a": [0, 1], "b": []}, "at least one"),
    ],
)
def test_sets_of_a_partition(sets, message):
    K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    system = iso.LinearSystem(1.0, None, K, None, np.zeros(3), np.zeros(3))
    with pytest.raises(InputError, match=message):
        iso.partition(system, sets)


def test_names_that_nobody_has():
    system = iso.LinearSystem(np.eye(2), None, np.eye(2), None, [0, 0], [0, 0], names=["cart.x", "rod.x"])
    with pytest.raises(InputError, match="'a' has neither a coordinate nor a body 'cort'\nhint: did you mean 'cart'"):
        iso.partition(system, {"a": ["cort"], "b": ["rod"]})
    with pytest.raises(InputError, match="'a' has neither a coordinate nor a body 'wheel'"):
        iso.Subdomains({"a": system, "b": system}, [("a", "wheel", "b", 0)])
    with pytest.raises(InputError, match="sets must be a mapping"):
        iso.partition(system, [[0], [1]])


def test_other_faults_of_a_partition():
    elements = iso.subdomains.Elements([[0, 1]], np.eye(2)[None], np.eye(2)[None], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="element 0 is in 2"):
        iso.partition(elements, {"a": [0], "b": [0]})
    with pytest.raises(InputError, match="weights must hold a positive number"):
        iso.partition(half(n=2), {"a": [0, 1]}, weights={"a": 0.0})
    with pytest.raises(InputError, match="takes a LinearSystem or Elements"):
        iso.partition(3, {"a": [0]})
    with pytest.raises(InputError, match="shape"):
        iso.subdomains.Elements([[0, 1]], np.eye(2), np.eye(2)[None], [0.0, 0.0], [0.0, 0.0])


def test_elements_that_do_not_fit():
    given = {"dofs": [[0, 1]], "M": np.eye(2)[None], "K": np.eye(2)[None], "q0": [0.0, 0.0], "v0": [0.0, 0.0]}
    with pytest.raises(InputError, match="rows of unlike length"):
        iso.subdomains.Elements(**{**given, "dofs": [[0, 1], [1]]})
    with pytest.raises(InputError, match=r"K must have shape \(1, 2, 2\), received None"):
        iso.subdomains.Elements(**{**given, "K": None})
    for weights in ([1, 1], {"a": "x"}, {"a": np.inf}):
        with pytest.raises(InputError, match="weights must hold a positive number"):
            iso.partition(half(n=2), {"a": [0, 1]}, weights=weights)
    with pytest.raises(InputError, match="with constraints cannot be partitioned"):
        iso.partition(half(q0=0.0, n=2, G=[[1.0, 0.0]]), {"a": [0, 1]})


def test_advice_on_nonsense():
    sub = iso.Subdomains({"a": half(), "b": half()}, [("a", 0, "b", 0)])
    with pytest.raises(InputError, match="scheme of 'a' must be a Scheme, received 'x'"):
        iso.subdomains.advise(sub, "x", dt=0.1)
    with pytest.raises(InputError, match="dt must be positive, received 0"):
        iso.subdomains.advise(sub, dt=0.0)
    assert iso.subdomains.advise(sub, dt=np.float32(0.1)).parts[0].stable
    for n in (2, 300):
        massless = iso.LinearSystem(np.r_[0.0, np.ones(n - 1)], None, np.eye(n), None, np.zeros(n), np.zeros(n))
        sub = iso.Subdomains({"a": half(), "light": massless}, [("a", 0, "light", 0)])
        with pytest.raises(SingularError, match="mass matrix of subdomain 'light' is singular"):
            iso.subdomains.advise(sub, iso.Scheme.central_difference(), dt=0.1)
    with pytest.raises(InputError, match="rho_2 must lie between 0 and 1, received nan"):
        iso.subdomains.matching_rho(0.5, float("nan"))


def test_a_load_that_is_no_number_is_named():
    load = iso.LinearSystem(1.0, None, 1.0, lambda t: np.array([np.nan if t > 0.5 else 0.0]), [1.0], [0.0])
    sub = iso.Subdomains({"a": half(), "loaded": load}, [("a", 0, "loaded", 0)])
    with pytest.raises(NonFiniteError, match=r"f returned nan for 'q0' at t = 0\.6") as caught:
        iso.integrate(sub, dt=0.1, t_end=1.0)
    assert "in subdomain 'loaded', in system step 6" in caught.value.__notes__[0]
    assert caught.value.partial.t[-1] == pytest.approx(0.5)


def test_questions_to_a_solution():
    sub = iso.Subdomains({"a": half(), "b": half()}, [("a", 0, "b", 0)])
    sol = iso.integrate(sub, dt=0.1, t_end=0.3)
    with pytest.raises(KeyError, match="no subdomain 'c'"):
        sol["c"]
    with pytest.raises(InputError, match="made by `partition`"):
        sol.gather()
    assert repr(sol).startswith("<SubdomainSolution a, b: 4 rows from t = 0 to 0.3, 1 ties")


@pytest.mark.parametrize("names", [["bob.x", "bob.y"], ["bob.vx", "bob.vy"], [0, 1]])
def test_coordinates_of_mechanisms_are_tied_by_their_names(names):
    """Or by those of their rates; names of coordinates were refused."""

    def one():
        mech = iso.Mechanism()
        mech.add_body("bob", mass=1.0, inertia=0.1, kind="planar")
        return mech.compile()

    sub = iso.Subdomains({"a": one(), "b": one()}, ties=[("a", names, "b", names)])
    assert sub.G["a"].toarray().tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
