"""Derivatives of runs with respect to parameters: tangents, adjoints, and what they are for."""
