"""One step: state and memory, equations, Newton's iteration, matrix and factors, step policies."""
