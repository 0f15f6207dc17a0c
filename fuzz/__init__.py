"""Fuzzing: every text and file that isodyn reads, damaged in thousands of ways; it may refuse them,
but in its own words.

`python -m fuzz --inputs 20000` (or `make fuzz`) takes so many inputs from a seed, the same ones
each time. An input has passed when it was read as what it is, or refused by an `IsodynError`; it
has failed when another error came out, when damaged results were read with other numbers, or when
it took too long. Failing inputs are saved, and kept in `fuzz/cases` once their cause is mended.
"""
