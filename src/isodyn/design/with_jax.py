"""Runs inside programs of JAX: an objective of a run as a function that `jax.grad` differentiates,
by the adjoint of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api.sensitive import checked_names, gradient
from isodyn.design.families import model_family, moved
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.sensitivities.gradient import Objective, Output

jax = Later("jax")


def jax_function(
    model: object, parameters: Sequence[str], *, objective: Objective | Output, **options: Any
) -> Callable[[Any], Any]:
    """Return an objective of a run as a function of its parameters that JAX can differentiate.

    The run itself stays outside of JAX: it is called back, with the adjoint of the run as its
    derivative. Numbers have the precision of JAX, which is single unless `jax_enable_x64` is set.

    Parameters
    ----------
    model
        A mechanism, a `Parametrised` system, a model file or its path, or a ready problem.
    parameters
        Names of the numbers that the function takes, in this order, as one vector.
    objective
        An `Objective`; a name of a quantity or a function of a solution means its value at the end.
    **options
        For `gradient`: dt, t_end, scheme, formulation, t0, breakpoints, newton, checkpoints.

    Returns
    -------
    function
        Of a vector of parameters; its value is a number.

    Raises
    ------
    InputError
        If JAX is not installed, or an argument is not admissible.

    Examples
    --------
    ::

        from isodyn.design.with_jax import jax_function
        function = jax_function(family, ["k"], objective="x", dt=0.01, t_end=1.0)
        jax.grad(function)(jnp.array([4.0]))
    """
    try:
        load(jax)
    except ImportError:
        raise InputError("this needs JAX", hint="pip install 'isodyn[jax]'") from None
    names = tuple(checked_names(parameters, "parameters"))
    family, said = model_family(model, names)
    chosen = {key: x for key, x in {**said, **options}.items() if key != "breakpoints" or len(x)}

    def run(values: ArrayLike) -> tuple[FloatArray, FloatArray]:
        named = dict(zip(names, map(float, np.asarray(values)), strict=True))
        found = gradient(moved(family, named), objective=objective, parameters=list(names), **chosen)
        kind = np.asarray(values).dtype
        return np.asarray(found.value, dtype=kind), np.asarray(found.gradient, dtype=kind)

    def called(values: Any) -> Any:
        shapes = (
            jax.ShapeDtypeStruct((), values.dtype),
            jax.ShapeDtypeStruct((len(names),), values.dtype),
        )
        return jax.pure_callback(run, shapes, values, vmap_method="sequential")

    function: Any = jax.custom_vjp(lambda values: called(values)[0])

    def forward(values: FloatArray) -> tuple[Any, Any]:
        value, by = called(values)
        return value, by

    def backward(by: Any, factor: Any) -> tuple[Any]:
        return (factor * by,)

    function.defvjp(forward, backward)
    wrapped: Callable[[Any], Any] = function
    return wrapped
