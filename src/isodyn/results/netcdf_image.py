"""The bytes of a NetCDF file, straight from h5py.

NetCDF-4 is HDF5 with conventions: a dimension is a dataset that is a scale, `_Netcdf4Dimid` its
number, variables are attached to the scales of their dimensions, and a dimension without a variable
of its name is a dataset of nothing under a name that says so. h5netcdf looks all of them up again
for every variable, which takes 0.8 s for the 150 variables of a chain of ten bodies, whatever the
number of rows; made in order, scales first, they take 0.1 s.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.later import Later

if TYPE_CHECKING:
    from collections.abc import Mapping

    from h5py import Dataset as StoredArray
    from h5py import File
    from xarray import Dataset, Variable

h5netcdf, h5py = Later("h5netcdf"), Later("h5py")
conventions, backends = Later("xarray.conventions"), Later("xarray.backends")

NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"  # the convention's own words


def image(dataset: Dataset) -> io.BytesIO:
    """The bytes of a NetCDF file with the contents of an `xarray.Dataset`."""
    buffer = io.BytesIO()
    variables, attributes = conventions.cf_encoder(*conventions.encode_dataset_coordinates(dataset))
    sizes = {str(name): int(size) for name, size in dataset.sizes.items()}
    if any(name in sizes and x.dims != (name,) for name, x in variables.items()):
        with h5netcdf.File(buffer, "w") as file:  # a variable of that name beside its dimension
            dataset.dump_to_store(backends.H5NetCDFStore(file))
        return buffer
    with h5py.File(buffer, "w") as file:
        _put_attributes(file, attributes)
        version = f"version=2,h5netcdf={h5netcdf.__version__},hdf5={h5py.version.hdf5_version}"
        file.attrs["_NCProperties"] = np.bytes_(f"{version},h5py={h5py.__version__}")
        scales = {name: _put_dimension(file, name, size, variables) for name, size in sizes.items()}
        numbers = {name: np.int32(k) for k, name in enumerate(sizes)}
        for name, scale in scales.items():
            scale.attrs["_Netcdf4Dimid"] = numbers[name]
        for name, variable in variables.items():
            dims = [str(dim) for dim in variable.dims]
            kept = scales[name] if name in scales else _put_variable(file, name, variable)
            if name not in scales:
                for axis, dim in zip(kept.dims, dims, strict=True):
                    axis.attach_scale(scales[dim])
                if dims:
                    kept.attrs["_Netcdf4Dimid"] = numbers[dims[0]]
            if dims:
                kept.attrs["_Netcdf4Coordinates"] = np.array([numbers[dim] for dim in dims], dtype=np.int32)
            _put_attributes(kept, variable.attrs)
    return buffer


def _put_dimension(file: File, name: str, size: int, variables: Mapping[str, Variable]) -> StoredArray:
    """The scale of a dimension; without an end where its size is none."""
    if name in variables:
        scale = _put_variable(file, name, variables[name])
        scale.make_scale(name)
        return scale
    scale = file.create_dataset(name, (size,), dtype=">f4", maxshape=(size or None,))
    scale.make_scale(NO_VARIABLE.format(size))
    return scale


def _put_variable(file: File, name: str, variable: Variable) -> StoredArray:
    """The numbers or texts of a variable."""
    values = np.asarray(variable.values)
    kind = h5py.string_dtype() if values.dtype.kind in "OU" else values.dtype
    if values.dtype.kind == "U":
        values = values.astype(object)
    limits = tuple(size or None for size in values.shape)
    return file.create_dataset(name, data=values, dtype=kind, maxshape=limits if None in limits else None)


def _put_attributes(place: File | StoredArray, attributes: Mapping[str, Any]) -> None:
    """Attributes: texts as they are, numbers as arrays."""
    for name, value in attributes.items():
        place.attrs[name] = value if isinstance(value, str) else np.atleast_1d(value)
