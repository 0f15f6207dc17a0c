"""A sweep in a process of its own: python killed_driver.py FILE POINTS [ADDRESS]."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import isodyn as iso
from sweep_models import OUTPUTS, RUN, swing

if __name__ == "__main__":
    masses = np.linspace(0.5, 2.0, int(sys.argv[2]))
    scheduler = sys.argv[3] if len(sys.argv) > 3 else None
    workers = 2 if scheduler is None else None
    given = {"resume": True, "workers": workers, "scheduler": scheduler, "out": sys.argv[1]}
    iso.sweep(swing(), {"rod.mass": masses}, OUTPUTS, **given, **RUN)
