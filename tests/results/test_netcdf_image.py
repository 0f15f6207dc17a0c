"""NetCDF files made by h5py are what h5netcdf makes of the same datasets: equal when read, with the
same dimensions and fill values."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

pytest.importorskip("h5netcdf")
pytest.importorskip("xarray")

import h5netcdf
import xarray as xr

from isodyn.results.netcdf_image import image


def dataset(rows: int, **more: Any) -> xr.Dataset:
    """Numbers, texts, marks, a dimension without a variable, none at all, and an empty one."""
    t, names = np.linspace(0.0, 1.0, rows), np.array(["left", "höher"], dtype=object)
    variables = {
        "q": (("time", "coordinate"), np.outer(t, [1.0, np.nan]), {"long_name": "coordinates", "count": 3}),
        "lam": (("time", "row"), np.zeros((rows, 0))),
        "body.angle": (("time",), t**2, {"units": "rad"}),
        "aux_steps": (("time", "steps_1"), np.arange(3 * rows).reshape(rows, 3)),
        "good": (("time",), t > 0.5),
        "factor": ((), 0.1),
        **more,
    }
    coords = {
        "time": ("time", t, {"units": "s"}),
        "coordinate": ("coordinate", names),
        "q_units": ("coordinate", np.array(["m", "rad"], dtype=object)),
        "row": ("row", np.zeros(0, dtype="U1")),
    }
    return xr.Dataset(variables, coords, {"title": "run", "long": "x" * 100_000, "numbers": [1.0, 2.0]})


def by_h5netcdf(data: xr.Dataset) -> io.BytesIO:
    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:  # old versions of `to_netcdf` close what they write to
        data.dump_to_store(xr.backends.H5NetCDFStore(file))
    return buffer


def read(buffer: io.BytesIO) -> tuple[xr.Dataset, dict[str, tuple[int, bool]], dict[str, str]]:
    content = buffer.getvalue()
    with xr.open_dataset(io.BytesIO(content), engine="h5netcdf") as opened:
        found = opened.load()
    with h5netcdf.File(io.BytesIO(content), "r") as file:
        dims = {name: (dim.size, dim.isunlimited()) for name, dim in file.dimensions.items()}
        fills = {name: str(x.attrs.get("_FillValue")) for name, x in file.variables.items()}
    return found, dims, fills


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("name", ["plain", "steps_1"])  # the second is the name of a dimension
def test_files_are_those_of_h5netcdf(rows: int, name: str) -> None:
    data = dataset(rows, **{name: (("time",), np.arange(float(rows)))})
    (one, dims, fills), (other, other_dims, other_fills) = read(image(data)), read(by_h5netcdf(data))
    assert one.identical(other)
    assert one.identical(data)
    assert {name: x.dtype for name, x in one.variables.items()} == {n: x.dtype for n, x in other.variables.items()}
    assert dims == other_dims
    assert fills == other_fills
