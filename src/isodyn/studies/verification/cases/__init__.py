"""The cases of the standard set: each file declares one, as CASE, under its own name."""
