"""Runs inside programs of JAX."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.design.with_jax import jax_function

jax = pytest.importorskip("jax")


def test_gradients_through_jax() -> None:
    """x(1) of an oscillator is cos √k; chained with functions of JAX, compiled and mapped."""
    jax.config.update("jax_enable_x64", True)

    def oscillator(k: float, x: float) -> iso.MechanicalSystem:
        return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[x], v0=[0.0], names=["x"])

    family = iso.Parametrised(oscillator, k=4.0, x=1.0)
    function = jax_function(family, ["k", "x"], objective="x", dt=0.005, t_end=1.0)
    at = jax.numpy.array([4.0, 1.5])
    plain = iso.gradient(family.with_values(k=4.0, x=1.5), objective="x", parameters=["k", "x"], dt=0.005, t_end=1.0)
    assert float(function(at)) == pytest.approx(plain.value, rel=1e-14)
    assert np.allclose(jax.grad(function)(at), plain.gradient, rtol=1e-14)
    chained = jax.jit(jax.grad(lambda y: jax.numpy.sin(function(y * y))))(jax.numpy.array([2.0, 1.0]))
    assert np.allclose(chained[0], np.cos(np.cos(2.0)) * -np.sin(2.0) / 4.0 * 4.0, rtol=1e-3)
    many = jax.vmap(function)(jax.numpy.array([[4.0, 1.0], [9.0, 1.0]]))
    assert np.allclose(many, np.cos([2.0, 3.0]), atol=1e-3)
