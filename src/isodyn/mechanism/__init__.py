"""Mechanisms: named parts, compiled to one system."""
