"""A model file in which every kind of part, joint, load and option stands, for tests of
mistakes."""

EVERYTHING = """\
title = "Everything"
description = "Every kind of part"
gravity = [0, 0, -9.81]
cayley = false

[parameters]
l = 0.5
half = "l/2"

[bodies.a]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0]
orientation = [1, 0, 0, 0]
velocity = [0, 0, 0]
angular_velocity = [0, 0, 0]
centre_of_mass = [0, 0, 0]

[bodies.b]
shape = { type = "cylinder", radius = 0.1, length = "l", density = 7800 }
position = ["l", 0, 0]
orientation = { axis = [0, 0, 1], angle = "30 deg" }

[bodies.p]
kind = "particle"
mass = 0.3
position = [0, 0, 3]

[bodies.disc]
mass = 2
inertia = [
  [0.1, 0, 0],
  [0, 0.1, 0],
  [0, 0, 0.2],
]
position = [5, 0, 1]

[bodies.wheel]
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [9, 0, 0.5]

[bodies.flat]
kind = "planar"
mass = 1
inertia = 0.1
orientation = "90 deg"
angular_velocity = 0

[beams.rod]
start = [0, 2]
end = [1, 2]
elements = 2
section = { EA = 1e5, EI = 10, rhoA = 1, damping = [1e-3, 1e-3] }
model = "simplified"
corners = "weld"

[beams.frame]
line = [[0, 3], [1, 3], [1, 4]]
elements = 4
section = { type = "circle", E = 1e9, rho = 1000, diameter = 0.02 }

[joints.pin]
type = "hinge"
between = ["ground", "a"]
point = [0, 0, 0]
axis = [0, 1, 0]

[joints.slide]
type = "prismatic"
between = ["a", "b"]
point = ["half", 0, 0]
axis = [1, 0, 0]

[joints.rope]
type = "distance"
between = ["ground", "p"]
points = [[0, 0, 5], [0, 0, 3]]
length = 2

[joints.roll]
type = "rolling_sphere"
body = "disc"
radius = 1
normal = [0, 0, 1]

[joints.rollw]
type = "rolling_disc"
body = "wheel"
radius = 0.5
axis = [0, 1, 0]

[joints.turn]
type = "drive"
joint = "pin"
value = "0.1*sin(2*t)"
coordinate = "angle"

[joints.sum]
type = "coupling"
weights = { slide = 1.0, "pin.angle" = -0.2 }

[joints.clamp]
type = "fixed"
between = ["ground", "rod.start"]

[joints.clampf]
type = "fixed"
between = ["ground", "frame.start"]

[joints.flatpin]
type = "hinge"
between = ["ground", "flat"]

[loads.push]
type = "force"
body = "a"
force = [1, "2*a.vx", "sin(t)"]
point = [0, 0, 0.1]

[loads.twist]
type = "torque"
body = "b"
torque = [0, 0, 1]
frame = "body"
time = { type = "sine", amplitude = 1, omega = 3 }

[loads.air]
type = "drag"
body = "b"
coefficient = 0.1

[loads.snow]
type = "distributed_force"
beam = "rod"
force = [0, -1]
time = { type = "table", times = [0, 1, 2], values = [0, 1, 1] }

[loads.coil]
type = "spring"
between = ["ground", "b"]
points = [[2, 0, 0], ["l", 0, 0]]
stiffness = 10
damping = 1
rest = 1

[loads.band]
type = "tension"
between = ["a", "p"]
tension = "10*(length - 1)"

[loads.rubber]
type = "bushing"
between = ["ground", "b"]
point = ["l", 0, 0]
stiffness = [1, 1, 1, 0, 0, 0]
damping = 0.1

[loads.torsion]
type = "joint_spring"
joint = "flatpin"
stiffness = 3

[loads.stop]
type = "joint_limit"
joint = "slide"
low = -1
high = 1
stiffness = 1e3

[loads.engine]
type = "motor"
joint = "flatpin"
speed = 3
gain = 0.5

[loads.rub]
type = "joint_friction"
joint = "pin"
mu = 0.1
radius = 0.02

[start]
assemble = true

[run]
dt = 0.01
t_end = 0.05
t0 = 0
scheme = "U0(0.8, 0.8, 0.8)"
formulation = "stabilised"
save_every = 1
breakpoints = [0.02]
newton = { rtol = 1e-10, max_iterations = 20 }

[output]
netcdf = "everything.nc"
csv = "everything.csv"
checkpoint_every = 100

[[sweeps]]
parameter = "l"
values = [0.5, 0.6]

[[sweeps]]
parameter = "half"
start = 0.25
stop = 0.3
count = 2
"""
