"""The problems, one module each.

A module has PACKAGES, package → function(**settings) that makes a case (run in that package's
process), `measure(bench)`, which adds rows to the bench, and `claims(rows)`, which draws from them
what is to be shown.
"""
