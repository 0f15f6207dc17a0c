"""How packages run the chain: N links of length 0.1 m and mass 0.1 kg, pinned to the ground, level
and straight at rest, falling.

Planar links turn on revolute joints, spatial ones hang on ball joints. By symmetry the spatial
chain moves in its vertical plane too, so that one reference serves both. A case answers with the
place (x along the start, y upwards) of every mass centre.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LENGTH, MASS, GRAVITY, DT = 0.1, 0.1, 9.81, 1e-3
AXIAL, ACROSS = 1e-5, MASS * LENGTH**2 / 12


class Isodyn:
    """A mechanism of N bodies."""

    def __init__(
        self,
        links: int,
        spatial: bool,
        radii: list[float],
        family: str = "U0",
        joints: bool = False,
        explicit: bool = False,
        **newton: Any,
    ) -> None:
        import isodyn as iso

        mech, before = iso.Mechanism(gravity=(0.0, -GRAVITY, 0.0)), "ground"
        for i in range(links):
            name, centre, point = f"link {i}", ((i + 0.5) * LENGTH, 0.0, 0.0), (i * LENGTH, 0.0, 0.0)
            if spatial:
                mech.add_body(name, MASS, (AXIAL, ACROSS, ACROSS), centre)
                mech.add_joint(iso.Spherical(f"ball {i}", before, name, point=point))
            else:
                mech.add_body(name, MASS, ACROSS, centre, 0.0, kind="planar")
                mech.add_joint(iso.Hinge(f"pin {i}", before, name, point=point))
            before = name
        self.system, self.width = iso.joint_coordinates(mech) if joints else mech.compile(), 7 if spatial else 3
        self.joints = joints
        self.integrate, self.scheme, self.newton = (
            iso.integrate,
            getattr(iso.Scheme, family)(*radii, explicit=explicit),
            iso.Newton(**newton),
        )

    def run(self, steps: float) -> dict[str, float]:
        n = int(steps)
        self.sol = self.integrate(self.system, self.scheme, dt=DT, t_end=n * DT, save_every=n, newton=self.newton)
        return {"iterations": self.sol.stats.iterations, "factorisations": self.sol.stats.factorisations}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        if self.joints:
            places = self.system.state(self.sol.q[-1], self.sol.v[-1])[0].reshape(-1, self.width)
            return {"x": places[:, 0], "y": places[:, 1]}
        places = self.sol.q[-1].reshape(-1, self.width)
        return {
            "x": places[:, 0],
            "y": places[:, 1],
            "drift": self.sol.drift().largest,
            "solver": self.sol.stats.solver,
            "storage": self.storage(),
        }

    def storage(self) -> int | None:
        """Numbers that the factors of the step matrix hold."""
        from isodyn.linear_solvers.blocks import pack, storage_of

        sparsity = self.system.model().sparsity
        return None if sparsity is None else int(storage_of(pack(sparsity, np.arange(sparsity.m))))


class Exudyn:
    """RigidBody2D and RevoluteJoint2D, or rigid bodies with a node of the type asked for and
    SphericalJoint."""

    def __init__(self, links: int, node: str = "2D", **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        items = with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        before = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground))
        self.bodies = []
        for i in range(links):
            centre = [(i + 0.5) * LENGTH, 0.0, 0.0]
            if node == "2D":
                number = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[centre[0], 0.0, 0.0]))
                link = items.ObjectRigidBody2D(physicsMass=MASS, physicsInertia=ACROSS, nodeNumber=number)
            else:
                kind, turned = {
                    "euler parameters": (items.NodeRigidBodyEP, [1.0, 0.0, 0.0, 0.0]),
                    "rotation vector": (items.NodeRigidBodyRotVecLG, [0.0, 0.0, 0.0]),
                    "angles": (items.NodeRigidBodyRxyz, [0.0, 0.0, 0.0]),
                }[node]
                number = mbs.AddNode(kind(referenceCoordinates=[*centre, *turned]))
                inertia = [AXIAL, ACROSS, ACROSS, 0.0, 0.0, 0.0]
                link = items.ObjectRigidBody(physicsMass=MASS, physicsInertia=inertia, nodeNumber=number)
            body = mbs.AddObject(link)
            first, last = (
                mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[side * LENGTH / 2, 0.0, 0.0]))
                for side in (-1, 1)
            )
            joint = items.ObjectJointRevolute2D if node == "2D" else items.ObjectJointSpherical
            mbs.AddObject(joint(markerNumbers=[before, first]))
            mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0.0, -GRAVITY, 0.0]))
            self.bodies.append(body)
            before = last
        mbs.Assemble()
        self.place = with_exudyn.exu.OutputVariableType.Position
        self.timed = with_exudyn.Run(mbs, dt=DT, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        mbs = self.timed.system
        places = np.array([mbs.GetObjectOutputBody(body, self.place, localPosition=[0, 0, 0]) for body in self.bodies])
        return {"x": places[:, 0], "y": places[:, 1]}


class ExudynTree:
    """Exudyn's kinematic tree of hinges: joint coordinates, no constraints."""

    def __init__(self, links: int, **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        exu, items = with_exudyn.exu, with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        node = mbs.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * links,
                initialCoordinates=[0.0] * links,
                initialCoordinates_t=[0.0] * links,
                numberOfODE2Coordinates=links,
            )
        )
        turned, inertias, offsets, centres = (
            exu.Matrix3DList(),
            exu.Matrix3DList(),
            exu.Vector3DList(),
            exu.Vector3DList(),
        )
        for i in range(links):
            turned.Append(np.eye(3))
            inertias.Append(np.diag([AXIAL, ACROSS, ACROSS]))
            offsets.Append([LENGTH if i else 0.0, 0.0, 0.0])
            centres.Append([0.5 * LENGTH, 0.0, 0.0])
        mbs.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=node,
                jointTypes=[exu.JointType.RevoluteZ] * links,
                linkParents=list(range(-1, links - 1)),
                jointTransformations=turned,
                jointOffsets=offsets,
                linkInertiasCOM=inertias,
                linkCOMs=centres,
                linkMasses=[MASS] * links,
                gravity=[0.0, -GRAVITY, 0.0],
            )
        )
        mbs.Assemble()
        self.timed = with_exudyn.Run(mbs, dt=DT, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        angles = np.cumsum(self.timed.coordinates())
        e = LENGTH * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        places = np.cumsum(e, axis=0) - 0.5 * e
        return {"x": places[:, 0], "y": places[:, 1]}


class Mujoco:
    """A tree of bodies on hinges or balls: joint coordinates, no constraints."""

    def __init__(self, links: int, joint: str, integrator: str) -> None:
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        spec.option.timestep, spec.option.gravity = DT, [0.0, -GRAVITY, 0.0]
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        spec.memory = 2 * 2**30
        body = spec.worldbody
        for i in range(links):
            body = body.add_body(
                pos=[LENGTH if i else 0.0, 0.0, 0.0],
                mass=MASS,
                ipos=[LENGTH / 2, 0.0, 0.0],
                inertia=[AXIAL, ACROSS, ACROSS],
                explicitinertial=True,
            )
            if joint == "ball":
                body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
            else:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def run(self, steps: float) -> dict[str, float]:
        self.mujoco.mj_resetData(self.model, self.data)
        self.mujoco.mj_step(self.model, self.data, nstep=int(steps))
        return {}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        self.mujoco.mj_forward(self.model, self.data)
        return {"x": self.data.xipos[1:, 0], "y": self.data.xipos[1:, 1]}


class Pinocchio:
    """The articulated-body algorithm in a loop of semi-implicit Euler steps in Python: the package
    has no integrator."""

    def __init__(self, links: int, joint: str) -> None:
        import pinocchio as pin

        self.pin, self.model, number = pin, pin.Model(), 0
        kind = pin.JointModelSpherical() if joint == "ball" else pin.JointModelRZ()
        inertia = pin.Inertia(MASS, np.array([LENGTH / 2, 0.0, 0.0]), np.diag([AXIAL, ACROSS, ACROSS]))
        for i in range(links):
            place = pin.SE3(np.eye(3), np.array([LENGTH if i else 0.0, 0.0, 0.0]))
            number = self.model.addJoint(number, kind, place, f"joint {i}")
            self.model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        self.model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
        self.data = self.model.createData()

    def run(self, steps: float) -> dict[str, float]:
        pin, model, data = self.pin, self.model, self.data
        q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for _ in range(int(steps)):
            v = v + DT * pin.aba(model, data, q, v, tau)
            q = pin.integrate(model, q, DT * v)
        self.q = q
        return {}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        self.pin.forwardKinematics(self.model, self.data, self.q)
        places = np.array([place.act(np.array([LENGTH / 2, 0.0, 0.0])) for place in list(self.data.oMi)[1:]])
        return {"x": places[:, 0], "y": places[:, 1]}


def exudyn(tree: bool = False, **settings: Any) -> Any:
    return ExudynTree(**settings) if tree else Exudyn(**settings)


PACKAGES = {"isodyn": Isodyn, "exudyn": exudyn, "mujoco": Mujoco, "pinocchio": Pinocchio}


# ---- the reference


def reference(links: int, t_end: float) -> np.ndarray:
    """Places of the mass centres at t_end, (links, 2), from the motion in the absolute angles θ of
    the links with rtol = 1e-12.

    With link directions e_i = (cos θ_i, sin θ_i), n_i = (−sin θ_i, cos θ_i), pin forces f_i on the
    near end of link i (f_{N+1} = 0):

        m c̈_i = f_i − f_{i+1} + m g,     J θ̈_i = ½ℓ n_i·(−f_i − f_{i+1}),     c̈_1 − ½ℓ ë_1 = 0,   c̈_{i+1} − c̈_i = ½ℓ (ë_i + ë_{i+1})

    Inserted into each other these are banded equations for the forces, solved once per evaluation.
    """
    from scipy.integrate import solve_ivp
    from scipy.linalg import solve_banded

    m, J, half = MASS, ACROSS, 0.5 * LENGTH
    gravity = np.array([0.0, -GRAVITY])

    def acceleration(theta: np.ndarray, rate: np.ndarray) -> np.ndarray:
        n = np.stack([-np.sin(theta), np.cos(theta)], axis=1)
        e = np.stack([np.cos(theta), np.sin(theta)], axis=1)
        turn = half**2 / J * n[:, :, None] * n[:, None, :]  # ½ℓ n θ̈ = −turn (f_i + f_{i+1})
        pull = half * rate[:, None] ** 2 * e  # ½ℓ ë = ½ℓ n θ̈ − pull
        eye = np.eye(2) / m
        diagonal, upper = np.empty((links, 2, 2)), np.empty((links - 1, 2, 2))
        right = np.empty((links, 2))
        diagonal[0], right[0] = eye + turn[0], -gravity - pull[0]
        diagonal[1:] = 2 * eye + turn[1:] + turn[:-1]
        upper[:] = turn[:-1] - eye
        right[1:] = -pull[1:] - pull[:-1]
        if links > 1:
            # row i: near end of link i against the far end of link i − 1
            band = np.zeros((7, 2 * links))
            for a in range(2):
                for b in range(2):
                    band[3 + a - b, b::2] = diagonal[:, a, b]
                    band[3 + a - b - 2, 2 + b :: 2] = upper[:, a, b]
                    band[3 + a - b + 2, b : 2 * links - 2 : 2] = upper[:, b, a]
            f = solve_banded((3, 3), band, right.ravel()).reshape(links, 2)
        else:
            f = np.linalg.solve(diagonal[0], right[0])[None]
        both = f.copy()
        both[:-1] += f[1:]
        return -half / J * np.sum(n * both, axis=1)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[links:], acceleration(y[:links], y[links:])])

    found = solve_ivp(rhs, (0.0, t_end), np.zeros(2 * links), method="DOP853", rtol=1e-12, atol=1e-14)
    theta = found.y[:links, -1]
    e = LENGTH * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    return np.cumsum(e, axis=0) - 0.5 * e
