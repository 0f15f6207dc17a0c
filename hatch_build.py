"""Puts machine code into the wheel where ISODYN_MACHINE_CODE names a folder of it; without, the wheel is pure Python."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCode(BuildHookInterface):  # type: ignore[misc]
    """`make wheel` sets the folder."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder, and the tag of the platform that it is for."""
        folder = os.environ.get("ISODYN_MACHINE_CODE")
        if not folder:
            return
        build_data["force_include"][str(Path(folder).resolve())] = "isodyn/machine_code"
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"], build_data["tag"] = False, f"{python}-{python}-{platform}"
