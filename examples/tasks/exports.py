"""One run in every format: report, GIF, MP4, glTF, CSV, NetCDF."""

import shutil

import isodyn as iso

mech = iso.Mechanism(gravity=(0, 0, -9.81))
mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
mech.add_joint(iso.Spherical("ball", "ground", "rod", point=(0, 0, 0)))
sol = iso.integrate(mech, dt=5e-3, t_end=2.0)

iso.report.write_report(sol, "rod.html", title="A rod on a ball joint")
iso.report.write_gif(sol, "rod.gif", seconds=2)
if shutil.which("ffmpeg"):
    iso.report.write_mp4(sol, "rod.mp4", seconds=2)
iso.report.write_gltf(sol, "rod.glb")  # for Blender, CAD programs and browsers
sol.save("rod.csv")
sol.save("rod.nc")
again = iso.load("rod.nc")
print(f"read back: {again.t.size} rows, the reaction at the end is {again.reaction('ball').force[-1]}")
