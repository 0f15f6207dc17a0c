"""Models from files: TOML to mechanisms and runs, matrices and meshes to linear systems, URDF to mechanisms, and back to TOML."""
