"""Print the versions of all packages of this environment, one to a line, as pip takes them; this package itself is left out."""

from importlib.metadata import distributions

OWN = {"isodyn", "pip", "setuptools", "wheel"}
found = {(one.metadata["Name"] or "").lower(): one.version for one in distributions()}
print("\n".join(f"{name}=={version}" for name, version in sorted(found.items()) if name and name not in OWN))
