"""Mechanisms in compiled code: the tables of bodies, words, rows, laws and loads, and the kernels
that read them."""
