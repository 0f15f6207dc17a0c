"""Ensembles in portions: kept in folders, gone on with after a stop, damaged files, on a cluster, as
files."""

import pickle

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, MemberError, RecoveryWarning
from isodyn.problems import pendulum
from isodyn.results import Checkpoint
from isodyn.results.ensemble_parts import from_arrays, happened, to_arrays, with_events

SYSTEM = pendulum.planar(1.0, 1.0, 0.5, 1.0)
COUNT = 12
V0 = np.outer(np.linspace(0.0, 3.0, COUNT), SYSTEM.v0)
Q0 = np.tile(SYSTEM.q0, (COUNT, 1))
Q0[7] *= 1.5  # off the circle: this member fails
KINDS = {
    "in the loop": {"dt": 0.01, "t_end": 0.2},
    "by themselves": {"dt": 0.01, "t_end": 0.2, "breakpoints": [0.111]},
    "own times": {"dt": iso.Adaptive(rtol=1e-3), "t_end": 0.2},
    "another method": {"formulation": iso.EnergyMomentum(), "dt": 0.05, "t_end": 0.2},
    "marks": {"formulation": iso.Partitioning(), "dt": 0.05, "t_end": 0.2},
}


def run(**options):
    return iso.ensemble(SYSTEM, q0=Q0, v0=V0, threads=2, **options)


def assert_equal(one, two):
    """All rows, counts and failures; what was told, where errors come from a file."""
    for name in ("t", "q", "v", "a", "lam", "ok"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True), name
    assert all(np.array_equal(x, two.counts[name]) for name, x in one.counts.items())
    assert set(one.single) == set(two.single)
    assert {i: f"{type(error).__name__}: {error}" for i, error in one.errors.items()} == {
        i: str(error) if isinstance(error, MemberError) else f"{type(error).__name__}: {error}"
        for i, error in two.errors.items()
    }
    for i in one.single:
        assert str(one[i].scheme) == str(two[i].scheme)
        assert one[i].aux.keys() == two[i].aux.keys()
        assert all(np.array_equal(x, two[i].aux[name]) for name, x in one[i].aux.items())


@pytest.mark.parametrize("kind", KINDS)
def test_portions_make_the_same_ensemble(kind, tmp_path):
    """Whole; with a portion missing; with one that is damaged; and finished."""
    whole, folder = run(**KINDS[kind]), tmp_path / "kept"
    kept = Checkpoint(folder, every=5)
    assert_equal(whole, run(**KINDS[kind], checkpoint=kept))
    assert sorted(path.name for path in folder.iterdir()) == [*(f"portion-00000{k}.npz" for k in (1, 2, 3)), "run.json"]
    (folder / "portion-000001.npz").unlink()
    data = bytearray((folder / "portion-000002.npz").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "portion-000002.npz").write_bytes(data)
    with pytest.warns(RecoveryWarning, match=r"is damaged(.|\n)*its members are run again"):
        again = run(**KINDS[kind], checkpoint=folder)
    assert_equal(whole, again)
    assert_equal(whole, run(**KINDS[kind], checkpoint=folder))
    with pytest.raises(MemberError, match="InputError: the start violates constraint 'rod'"):
        run(**KINDS[kind], checkpoint=folder)[7]


def test_folders_of_others_are_refused(tmp_path):
    run(dt=0.01, t_end=0.1, checkpoint=tmp_path / "kept")
    with pytest.raises(InputError, match=r"holds another run(.|\n)*make the same call"):
        run(dt=0.02, t_end=0.1, checkpoint=tmp_path / "kept")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="exists and is no empty folder"):
        run(dt=0.01, t_end=0.1, checkpoint=tmp_path / "other")
    with pytest.raises(InputError, match="every so many members, at least 1, received 0"):
        run(dt=0.01, t_end=0.1, checkpoint=Checkpoint(tmp_path / "third", every=0))
    with pytest.raises(InputError, match="ensembles with events have no checkpoints"):
        run(dt=0.01, t_end=0.1, checkpoint=tmp_path / "fourth", events=lambda t, q, v: q[0])
    with pytest.raises(InputError, match=r"executor must be a distributed\.Client"):
        run(dt=0.01, t_end=0.1, executor="two machines")


@pytest.mark.slow
def test_members_on_a_cluster(tmp_path):
    """Worker processes on this machine; systems that differ travel with their portions."""
    distributed = pytest.importorskip("distributed")
    systems = [pendulum.planar(1.0 + 0.1 * i, 1.0, 0.5, 1.0) for i in range(5)]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        for kind in ("in the loop", "own times"):
            folder = tmp_path / kind
            assert_equal(run(**KINDS[kind]), run(**KINDS[kind], executor=client, checkpoint=folder))
        near, far = (iso.ensemble(systems, dt=0.01, t_end=0.1, executor=x) for x in (None, client))
        assert_equal(near, far)


def test_events_travel():
    """What happened to members on a worker, as if they had been run here."""
    crossing = iso.Event(numba.njit(lambda t, q, v: q[0] - 0.55), name="crossing")
    ens = run(dt=0.01, t_end=0.2, events=crossing)
    far = with_events(
        from_arrays(to_arrays(ens), ens.systems, ens.q0, ens.v0), pickle.loads(pickle.dumps(happened(ens)))
    )
    assert sum(len(ens[i].events) for i in ens.single) > 1
    for i in ens.single:
        assert [(x.name, x.t, x.q.tobytes()) for x in far[i].events] == [
            (x.name, x.t, x.q.tobytes()) for x in ens[i].events
        ]
        assert np.array_equal(far[i].aux["event_times"], ens[i].aux["event_times"])


@pytest.mark.parametrize("kind", ["in the loop", "by themselves", "own times"])
def test_files_of_ensembles(kind, tmp_path):
    xarray, pandas = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    pytest.importorskip("h5netcdf")
    ens = run(**KINDS[kind])
    ens.save(tmp_path / "ens.nc")
    with xarray.open_dataset(tmp_path / "ens.nc") as found:
        assert np.array_equal(found.q.values, ens.q, equal_nan=True)
        assert np.array_equal(found.time if ens.t.ndim == 1 else found.t, ens.t, equal_nan=True)
        assert found.ok.values.tolist() == ens.ok.tolist()
        assert str(found.error.values[7]).startswith("InputError: the start violates")
        assert found.coordinate.values.tolist() == ["x", "y"]
    for _ in range(2):  # run, and read
        kept = run(**KINDS[kind], checkpoint=tmp_path / "kept").to_xarray()
        assert str(kept.error.values[7]).startswith("InputError: the start violates")
    ens.save(tmp_path / "ens.csv")
    table = ens.to_dataframe()
    read = pandas.read_csv(tmp_path / "ens.csv", dtype={"q(x)": str})  # some versions of pandas round numbers
    assert list(read.columns) == list(table.columns)
    assert np.array_equal(read["q(x)"].astype(float), table["q(x)"], equal_nan=True)
    pytest.importorskip("pyarrow")
    ens.save(tmp_path / "ens.parquet")
    assert pandas.read_parquet(tmp_path / "ens.parquet").equals(table)
