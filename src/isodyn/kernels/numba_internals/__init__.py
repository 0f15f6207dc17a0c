"""All that isodyn uses of Numba beyond its public interface, so that one place has to follow when
Numba changes.

    interfaces.py   the members that are used of objects of Numba and LLVM, for type checkers
    libraries.py    what a kernel calls is linked once, with the kernel, and neither optimised nor compiled on its own
    dispatcher.py   kernels that are declared at import and compiled or loaded at their first call
    slots.py        kernels that other kernels call at an address, which is filled when a run first comes there
    addresses.py    addresses of kernels that Python hands over to others, asked for once
    stored.py       the result of a compilation as bytes, and back without Numba's index and without parsing bitcode

isodyn.kernels.lowering has the types and intrinsics of kernels (`numba.core.cgutils`,
`numba.core.imputils`). There is one test for each name that is used
(tests/architecture/test_numba_internals.py); it says what to look at when it fails.
"""
