"""Files that a run writes: NetCDF, CSV, checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isodyn.errors import InputError


@dataclass(frozen=True)
class Files:
    """Paths, or None for what is not wanted."""

    netcdf: Path | None
    csv: Path | None
    checkpoint: Path | None
    every: int | None = None

    def of_model(self, output: Any, folder: Path) -> Files:
        """The same with what a model file asks for, in a folder; the command line wins."""

        def path(name: str | None) -> Path | None:
            return None if name is None else folder / name

        return Files(
            self.netcdf or path(output.netcdf),
            self.csv or path(output.csv),
            self.checkpoint or path(output.checkpoint),
            output.checkpoint_every,
        )

    def numbered(self, number: int) -> Files:
        """Names for one run of a sweep."""

        def of(path: Path | None) -> Path | None:
            return None if path is None else path.with_name(f"{path.stem}-{number}{path.suffix}")

        return replace(self, netcdf=of(self.netcdf), csv=of(self.csv), checkpoint=of(self.checkpoint))

    def checkpoint_of(self, model: dict[str, Any] | None) -> Any:
        """Where `integrate` puts its checkpoints; folders of files are made now, not after the run."""
        for path in (self.netcdf, self.csv):
            if path is not None:
                if path.parent.exists() and not path.parent.is_dir():
                    raise InputError(f"{path.parent} is no folder")
                path.parent.mkdir(parents=True, exist_ok=True)
        if self.netcdf is not None:
            from isodyn.results.netcdf import require_netcdf

            require_netcdf()
        if self.checkpoint is None:
            return None
        from isodyn.results import Checkpoint

        return Checkpoint(self.checkpoint, self.every, model)

    def write(self, sol: Any) -> list[Path]:
        """Write the solution; the paths that were written."""
        from isodyn.results.netcdf import save
        from isodyn.results.tables import save_csv

        written = [] if self.netcdf is None else [save(sol, self.netcdf)]
        return written if self.csv is None else [*written, save_csv(sol, self.csv)]
