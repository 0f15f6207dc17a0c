"""The benchmark against other packages: its machinery, its gates, and that models and references
agree. No time is asserted."""

import json
import math
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.peers import measure, parts, report, workers  # noqa: E402
from benchmarks.peers.claims import at_least, at_most  # noqa: E402
from benchmarks.peers.problems import (  # noqa: E402
    andrews,
    andrews_models,
    beam_models,
    beams,
    chain_models,
    ensemble,
    net_models,
    pendulum,
    top,
)

from isodyn.problems import andrews as seven  # noqa: E402
from isodyn.problems import chains  # noqa: E402


@pytest.mark.long
def test_driver_with_isodyn_alone(tmp_path):
    """A quick run ends well, its gates hold, and JSON, figures and page are written."""
    page = tmp_path / "page.md"
    page.write_text((ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.peers", "--quick", "--packages", "isodyn"]
    command += ["--only", "pendulum,chains,beams,kepler", "--repeats", "2", "--out", str(tmp_path), "--page", str(page)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "peers.json").read_text(encoding="utf-8"))
    assert {row["package"] for row in found["rows"]} == {"isodyn"}
    assert all(row["gate"] and row["failed"] is None for row in found["rows"])
    chain = [row for row in found["rows"] if row["problem"] == "planar chain"]
    assert {row["size"] for row in chain} == {3, 10}
    assert max(row["errors"]["place"] for row in chain) < 1e-4
    assert max(row["errors"]["phi"] for row in chain) < 1e-14
    # with a kept Jacobian none is needed after the first steps
    assert all(row["counts"]["factorisations"] > 0 or "kept" in row["way"] for row in chain)
    strips = [row for row in found["rows"] if row["problem"] == "beams"]
    assert {row["size"] for row in strips} == {4, 8}
    assert max(row["errors"]["beam"] for row in strips) < 1e-4
    assert [claim["met"] for claim in found["claims"] if "default tolerance" in claim["text"]] == [True, True]
    (kepler,) = (row for row in found["rows"] if row["problem"] == "kepler")
    assert kepler["errors"]["target"] <= 1e-9
    assert (tmp_path / "peers_growth.png").stat().st_size > 10_000
    assert "<svg" in (tmp_path / "peers.html").read_text(encoding="utf-8")
    assert "Quick run" in page.read_text(encoding="utf-8")
    assert "planar chain, N = 10" in page.read_text(encoding="utf-8")


def test_parts_are_stored_and_read(tmp_path):
    """What one problem found comes back as it was, numbers that are none included; a part that is
    measured again takes the place of the old one, and the others stay."""
    row = measure.Row("loop", "isodyn", "a way", 3, "isodyn", [1.0, 2.0, 4.0], {"place": 1e-3, "storage": math.nan})
    row.curve = [(1e-3, math.inf, 0.5)]
    claim = at_least("faster", measure.Ratio(2.0, 1.5, 3.0), 1.6)
    known = parts.Part("loops", {"cpu": "one"}, {"isodyn": "1"}, 5, False, 12.0, [row], [claim])
    parts.store(tmp_path, known)
    parts.store(tmp_path, parts.Part("nets", {}, {}, 2, True, 1.0))
    back = parts.load(tmp_path, "loops")
    assert back.rows[0].samples == [1.0, 2.0, 4.0]
    assert back.rows[0].errors["place"] == 1e-3
    assert math.isnan(back.rows[0].errors["storage"])
    assert math.isnan(back.rows[0].curve[0][1])
    assert back.claims == [claim]
    assert [part.name for part in parts.collect(tmp_path, ("nets", "loops", "beams"))] == ["nets", "loops"]
    parts.store(tmp_path, parts.Part("loops", {}, {}, 5, False, 3.0))
    assert parts.load(tmp_path, "loops").rows == []
    assert parts.load(tmp_path, "nets").repeats == 2


def test_sizes_of_a_part_are_measured_piece_by_piece():
    """The sizes that were measured take the place of the old ones, the others stay; nothing is joined
    that other settings gave."""

    def part(repeats, *rows):
        found = [measure.Row("chain", "isodyn", way, size) for way, size in rows]
        return parts.Part("chains", {}, {"isodyn": "1"}, repeats, False, 2.0, found)

    assert measure.Bench({}, 5, False, (100,)).among((10, 100)) == (100,)
    assert measure.Bench({}, 5, False).among((10, 100)) == (10, 100)
    assert parts.joined(None, part(5, ("one", 10))).seconds == 2.0
    found = parts.joined(part(5, ("old", 10), ("old", 100)), part(5, ("new", 10), ("new", 3)))
    assert [(row.way, row.size) for row in found.rows] == [("new", 3), ("new", 10), ("old", 100)]
    assert found.seconds == 4.0
    with pytest.raises(ValueError, match="other packages or settings"):
        parts.joined(part(5, ("old", 10)), part(2, ("new", 100)))


def test_met_is_what_the_worse_quartile_meets():
    """A median above the limit is not enough."""
    assert at_least("x", measure.Ratio(2.0, 1.4, 3.0), 1.5).met is False
    assert at_least("x", measure.Ratio(2.0, 1.5, 3.0), 1.5).met is True
    assert at_least("x", measure.Ratio(2.0, 1.5, 3.0), None).met is None
    assert at_most("x", measure.Ratio(1.0, 0.9, 1.3), 1.2).met is False
    assert at_most("x", measure.Ratio(1.0, 0.9, 1.2), 1.2).met is True


# ---- models and references


def test_reference_of_the_chain_against_lagranges_equations():
    """Forces by a banded solver and the library's minimal model give the same angles; links of
    other length by scaling of time."""
    n, t = 4, 0.3
    scaled = t * math.sqrt(chains.LENGTH / chain_models.LENGTH * chain_models.GRAVITY / chains.G)

    def rhs(_, y):
        return np.concatenate([y[n:], chains.planar_acceleration(y[:n], y[n:])])

    start = np.concatenate([np.full(n, 0.5 * math.pi), np.zeros(n)])
    theta = solve_ivp(rhs, (0.0, scaled), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:n, -1]
    links = chain_models.LENGTH * np.stack([np.sin(theta), -np.cos(theta)], axis=1)
    places = np.cumsum(links, axis=0) - 0.5 * links
    np.testing.assert_allclose(chain_models.reference(n, t), places, atol=1e-10)


@pytest.mark.parametrize("spatial", [False, True])
def test_chain_converges_to_the_reference(spatial):
    """Error of places after 0.1 s falls by four when the step is halved."""
    case = chain_models.Isodyn(4, spatial, [0.8, 0.8, 0.8])
    exact = chain_models.reference(4, 0.1)
    sizes = []
    for factor in (1, 2):
        sol = case.integrate(case.system, case.scheme, dt=chain_models.DT / factor, t_end=0.1)
        sizes.append(np.abs(sol.q[-1].reshape(4, -1)[:, :2] - exact).max())
    assert sizes[0] < 2e-6
    assert sizes[0] / sizes[1] == pytest.approx(4.0, rel=0.1)


def test_reference_of_the_strip_with_one_mode_is_a_rigid_rod():
    """The first natural mode is the rigid one: θ̈ = −1.5 (g/ℓ) cos θ."""
    fall = -1.5 * beam_models.GRAVITY / beam_models.LENGTH
    times = np.arange(1, 11) * beam_models.EVERY
    options = {"t_eval": times, "method": "DOP853", "rtol": 1e-11, "atol": 1e-12}
    rod = solve_ivp(lambda _, y: [y[1], fall * math.cos(y[0])], (0.0, 0.5), [0.0, 0.0], **options).y[0]
    found = beam_models.reference(0.5, modes=1)
    np.testing.assert_allclose(found, np.stack([np.cos(rod), np.sin(rod)], axis=1), atol=1e-7)


def test_strip_converges_to_the_reference():
    """Ten modes do; elements half as long are three times nearer; a wrong tip is seen."""
    exact = beam_models.reference(0.2, modes=10)
    answers = [beam_models.Isodyn(n, "generalised_alpha", [0.9], dt=1.25e-4).answer(1600) for n in (4, 8, 16, 32)]
    sizes = [beams.distance(answer["tip"], exact) for answer in answers]
    assert sizes[-1] < 5e-6
    assert all(coarse > 2.8 * fine for coarse, fine in pairwise(sizes))
    assert all(answer["halvings"] == 0 for answer in answers)
    assert beams.distance(answers[-1]["tip"] + np.array([0.0, 1e-3]), exact) > 9e-4


def test_terms_of_andrews_for_traced_arrays():
    """M, Q, G, b written for expressions equal the library's functions."""
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(2, 7))
    M, Q, G, b = andrews_models.terms(q, v, np.sin, np.cos, np.sqrt)
    np.testing.assert_allclose(np.array(M), seven.plain_mass(q), rtol=1e-14)
    np.testing.assert_allclose(np.array(Q), seven.plain_force(q, v, 0.0), rtol=1e-13)
    np.testing.assert_allclose(np.array(G, dtype=float), seven.plain_G(q, 0.0), rtol=1e-13, atol=1e-17)
    np.testing.assert_allclose(np.array(b), seven.plain_b(q, v, 0.0), rtol=1e-13, atol=1e-16)


def test_bodies_of_andrews_reach_the_reference():
    """Angles against the ground are those of the test set; levels are counted."""
    case = andrews_models.Isodyn("andrews_mechanism", ("V0", [1.0, 1.0, 0.0]))
    answer = case.answer(2000)
    assert andrews.error(answer) < 3e-6
    assert max(andrews.levels(answer).values()) < 1e-12
    drifted = {"y": np.concatenate([seven.start() + 1e-6, np.zeros(7)])}
    assert 1e-9 < andrews.levels(drifted)["phi"] < 1e-6


def test_equations_of_the_top_against_a_body_on_a_ball_joint():
    """Quaternion with Euler's equations and a mechanism end at the same place."""
    assert top.error(top.Isodyn(body=True).answer(1e-8)) < 2e-6
    with_exact = np.concatenate([[1.0, 0.0, 0.0, 0.0], top.SPIN])
    np.testing.assert_allclose(top.centre(with_exact), top.ARM, atol=1e-15)


def test_pendulum_by_hand_and_its_errors():
    """The loop in Python is second order accurate, and a wrong answer is seen."""
    start = ensemble.angles(4)
    ends = [ensemble.by_hand(np.array([0.5 * math.cos(x), 0.5 * math.sin(x), x]))[2] for x in start]
    assert ensemble.error(ends, 4) < 2e-3
    case = pendulum.Isodyn("V0", [1.0, 1.0, 0.0])
    answer = case.answer(500)
    sizes, gate = pendulum.errors(answer)
    assert gate
    assert sizes["theta"] < 1e-5
    answer["theta"] = np.array(answer["theta"]) + 0.01
    assert not pendulum.errors(answer)[1]


# ---- machinery


def row(package, samples, gate=True, way=""):
    return measure.Row("p", package, way, samples=samples, gate=gate)


def test_ratios_slopes_and_the_best_row():
    own, slow, wrong = row("isodyn", [1.0, 2.0, 1.0]), row("peer", [4.0, 6.0, 2.0]), row("peer", [0.1, 0.1, 0.1], False)
    found = measure.ratio(slow, own)
    assert (found.value, found.low, found.high) == (4.0, 2.5, 3.5)
    assert measure.best([slow, wrong], "peer") is slow
    assert measure.best([slow, wrong], "peer", accurate=False) is wrong
    assert measure.best([row("peer", [0.01]), slow], "peer") is slow  # a probe is no result
    assert measure.slope([100, 1000, 5000], [3.0, 30.0, 150.0]) == pytest.approx(1.0)


def test_claims():
    found = measure.Ratio(3.0, 2.5, 3.5)
    assert at_least("a", found, 2.0).met
    assert not at_least("a", found, 4.0).met
    assert not at_least("a", found, 2.0, accurate=False).met
    assert at_least("a", found, None).met is None
    assert not at_most("a", found, 2.0).met
    assert "NOT MET" in report.claims_table([at_least("a", found, 4.0)])


def strip(package, way, median, halvings=0.0, failed=None, steps=7e-5):
    errors = {"beam": 1e-4, "steps": steps} | ({"halvings": halvings} if package == "isodyn" else {})
    found = measure.Row("beams", package, way, 64, package, [] if failed else [median] * 3, errors, failed is None)
    found.counts, found.failed = {"iterations": 3.0}, failed
    return found


def test_claims_of_the_strip():
    """Default tolerance: halved steps are a failure, a stalled peer is told; the ratio needs the
    accuracy of its peer."""
    own = strip("isodyn", "U0", 1e-4)
    stalled = strip("exudyn", f"generalised-α, {beams.DEFAULT}", 0.0, failed="terminated")
    loose = strip("exudyn", "generalised-α, 1e-6", 4e-4)
    converges, faster = beams.claims([own, stalled, loose])
    assert converges.met
    assert "fails in 1 of 1 ways (generalised-α)" in converges.note
    assert faster.met
    assert faster.value == pytest.approx(4.0)
    assert not beams.claims([strip("isodyn", "U0", 1e-4, halvings=2.0), loose])[0].met
    assert not beams.claims([strip("isodyn", "U0", 2e-4), loose])[1].met
    assert not beams.claims([strip("isodyn", "U0", 1e-4, steps=2e-4), loose])[1].met
    assert len(beams.claims([own])) == 1


class Fake:
    """Error 3n⁻²(1 + bend/n) after n steps, or equal to the tolerance."""

    def __init__(self, bend=0.0):
        self.bend = bend

    def answer(self, amount):
        return {"size": 3.0 * amount**-2 * (1.0 + self.bend / amount) if amount > 1 else amount}


def test_calibration_finds_the_coarsest_amount():
    bench = measure.Bench(None, 1, False)
    steps = row("isodyn", [])
    steps.curve = [(n, 3.0 * n**-2, 1.0) for n in (100, 1000, 10000)]
    assert bench.calibrate(Fake(), steps, 1e-5, lambda a: a["size"], True)
    assert steps.amount == math.ceil(math.sqrt(3e5))
    # the order between the points differs from that beside them
    bent, fake = row("isodyn", []), Fake(-40.0)
    bent.curve = [(n, fake.answer(n)["size"], 1.0) for n in (50, 1000)]
    assert bench.calibrate(fake, bent, 1e-5, lambda a: a["size"], True)
    assert fake.answer(bent.amount / 1.06)["size"] > 1e-5 >= bent.errors["target"]
    loose = row("isodyn", [])
    loose.curve = [(10.0**-k, 10.0**-k, 1.0) for k in range(3, 9)]
    assert bench.calibrate(Fake(), loose, 3e-6, lambda a: a["size"], False)
    assert 2e-6 < loose.amount <= 3e-6
    assert not bench.calibrate(Fake(), loose, 1e-12, lambda a: a["size"], False)
    assert not loose.gate


def test_worker_tells_errors_and_comes_back_after_its_end():
    worker = workers.Worker("isodyn", None)
    with pytest.raises(workers.WorkerError, match="there_is_no_such_problem"):
        worker.ask("prepare", problem="there_is_no_such_problem", package="isodyn", settings={})
    assert worker.ask("memory")["peak"] > 1
    worker.process.kill()
    worker.process.wait()
    with pytest.raises(workers.WorkerError, match="ended"):
        worker.ask("memory")
    assert worker.ask("memory", reset=True)["now"] > 1
    worker.end()


def test_trees_have_no_loops():
    """One joint a body with the one that is held, all bodies reached; its fall is that of its reference."""
    n = 3
    joints = net_models.pairs("tree", n)
    assert len(joints) == n * n - 1
    reached = {(0, 0)}
    for one, two in joints:  # in this order every joint adds a body
        assert (one in reached) != (two in reached)
        reached |= {one, two}
    assert len(reached) == n * n
    case = net_models.Isodyn("tree", n, radii=[0.8, 0.8, 0.8])
    missed = np.abs(case.answer(10)["places"] - net_models.reference("tree", n, 10)).max()
    assert missed <= 1e-3 * 0.5 * net_models.GRAVITY * (10 * net_models.DT) ** 2
