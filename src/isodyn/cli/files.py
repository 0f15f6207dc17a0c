"""Files that a run writes: NetCDF, CSV, checkpoints, the report, an animation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isodyn.cli.report import ANIMATIONS, check_page, write_pages
from isodyn.later import Later
from isodyn.results import Checkpoint
from isodyn.results.files import check_place

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

netcdf, tables = Later("isodyn.results.netcdf"), Later("isodyn.results.tables")


@dataclass(frozen=True)
class Files:
    """Paths, or None for what is not wanted."""

    netcdf: Path | None
    csv: Path | None
    checkpoint: Path | None
    every: int | None = None
    page: Path | None = None
    animation: Path | None = None
    table: Path | None = None
    live: float | None = None  # seconds of the run in a second of a live view

    def of_model(self, output: Any, folder: Path) -> Files:
        """The same with what a model file asks for, in a folder; the command line wins."""

        def path(name: str | None) -> Path | None:
            return None if name is None else folder / name

        return Files(
            self.netcdf or path(output.netcdf),
            self.csv or path(output.csv),
            self.checkpoint or path(output.checkpoint),
            output.checkpoint_every,
            self.page or path(output.report),
            self.animation or path(output.animation),
            self.table,
            self.live,
        )

    def numbered(self, number: int) -> Files:
        """Names for one run of a sweep."""

        def of(path: Path | None) -> Path | None:
            return None if path is None else path.with_name(f"{path.stem}-{number}{path.suffix}")

        return replace(
            self,
            netcdf=of(self.netcdf),
            csv=of(self.csv),
            checkpoint=of(self.checkpoint),
            page=of(self.page),
            animation=of(self.animation),
            table=of(self.table),
        )

    def checkpoint_of(self, model: dict[str, Any] | None) -> Any:
        """Where `integrate` puts its checkpoints; folders of files are made now, not after the
        run."""
        check_page(self.page, ".html", ".htm")
        check_page(self.animation, *ANIMATIONS)
        for path in (self.netcdf, self.csv, self.page, self.animation, self.table):
            if path is not None:
                check_place(path)
        if self.netcdf is not None:
            netcdf.require_netcdf()
        if self.checkpoint is None:
            return None
        return Checkpoint(self.checkpoint, self.every, model)

    def write(self, sol: Solution, **told: Any) -> list[Path]:
        """Write the solution; the paths that were written. `told` goes into the report."""
        written = []
        if self.netcdf is not None:
            written.append(netcdf.save(sol, self.netcdf))
        if self.csv is not None:
            written.append(tables.save_csv(sol, self.csv))
        if self.table is not None:
            written.append(tables.save_parquet(sol, self.table))
        return written + write_pages(sol, self.page, self.animation, **told)
