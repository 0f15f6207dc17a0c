"""Public robots against reference accelerations of another engine."""
