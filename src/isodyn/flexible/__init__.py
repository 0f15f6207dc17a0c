"""Flexible bodies from finite elements: reduction by interfaces and modes, and forces in a floating frame."""
