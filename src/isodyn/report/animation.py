"""A scene as a file: an animation (GIF anywhere, MP4 where FFmpeg is), or a picture of one
instant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError, IsodynError
from isodyn.later import Later
from isodyn.memory import require_memory
from isodyn.report.arrow_kinds import Force
from isodyn.report.figures import canvas, check_file, check_folder, require_matplotlib, save
from isodyn.report.gltf import write_gltf
from isodyn.report.paint import camera_of, draw
from isodyn.report.scenes import Scene, scene_of
from isodyn.results import Solution
from isodyn.results.files import replacing

animations = Later("matplotlib.animation")

if TYPE_CHECKING:
    from matplotlib.animation import AbstractMovieWriter

    from isodyn.problems import Problem

SECONDS, FPS = 6.0, 20
SIZE = (6.4, 4.4)
DPI = 100


def write_animation(sol: Solution, path: Path | str, **options: Any) -> Path:
    """Write an animation: a GIF, an MP4 or glTF (.glb), by the ending of the file.

    Parameters
    ----------
    sol
        The solution.
    path
        The file.
    **options
        As in `write_gif` and `write_gltf`.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    InputError
        If the ending is another one, or nothing is known about how the system looks.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> pendulum = iso.problems.get("pendulum")
    >>> sol = iso.integrate(pendulum.system(), dt=0.01, t_end=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = iso.report.write_animation(sol, f"{folder}/a.gif", problem=pendulum, seconds=0.2)
    ...     path.suffix
    '.gif'
    """
    endings: dict[str, Any] = {".gif": write_gif, ".mp4": write_mp4, ".glb": write_gltf}
    write = endings.get(Path(path).suffix.lower())
    if write is None:
        raise InputError(
            f"cannot write an animation into {Path(path).name!r}: its ending must be .gif, .mp4 or .glb",
            hint=f"for example {Path(path).stem}.gif",
        )
    written: Path = write(sol, path, **options)
    return written


def write_gif(
    sol: Solution,
    path: Path | str,
    *,
    problem: Problem | None = None,
    plane: Sequence[tuple[int, int]] = (),
    seconds: float = SECONDS,
    fps: int = FPS,
    size: tuple[float, float] = SIZE,
    trails: bool = False,
    reactions: bool = False,
    forces: bool = False,
) -> Path:
    """Write the whole run as a GIF that repeats.

    Parameters
    ----------
    sol
        The solution.
    path
        The file.
    problem
        Its problem, which knows what is drawn.
    plane
        Pairs of coordinates that are points of a plane, if no problem is given.
    seconds
        Length of the animation.
    fps
        Pictures in a second.
    size
        Width and height in inches, of 100 pixels each.
    trails
        Draw the paths of bodies and points.
    reactions
        Draw the forces of joints as arrows.
    forces
        Draw the forces of loads as arrows.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    InputError
        If nothing is known about how the system looks.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = iso.report.write_gif(sol, f"{folder}/a.gif", plane=[(0, 1)], seconds=0.2)
    ...     path.stat().st_size > 1000
    True
    """
    require_matplotlib()
    if Path(path).suffix.lower() != ".gif":
        raise InputError(f"cannot write a GIF into {Path(path).name!r}", hint=f"{Path(path).stem}.gif")
    look = Look(trails, _shown(reactions, forces))
    return _written(_scene(sol, problem, plane, look), path, animations.PillowWriter(fps=fps), seconds, fps, size, look)


def write_mp4(
    sol: Solution,
    path: Path | str,
    *,
    problem: Problem | None = None,
    plane: Sequence[tuple[int, int]] = (),
    seconds: float = SECONDS,
    fps: int = FPS,
    size: tuple[float, float] = SIZE,
    trails: bool = False,
    reactions: bool = False,
    forces: bool = False,
) -> Path:
    """Write the whole run as an MP4 (H.264), by FFmpeg.

    Parameters
    ----------
    sol
        The solution.
    path
        The file.
    problem
        Its problem, which knows what is drawn.
    plane
        Pairs of coordinates that are points of a plane, if no problem is given.
    seconds
        Length of the animation.
    fps
        Pictures in a second.
    size
        Width and height in inches, of 100 pixels each.
    trails
        Draw the paths of bodies and points.
    reactions
        Draw the forces of joints as arrows.
    forces
        Draw the forces of loads as arrows.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    IsodynError
        If FFmpeg is not installed.

    Examples
    --------
    >>> import isodyn as iso, shutil, tempfile
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> if shutil.which("ffmpeg"):
    ...     with tempfile.TemporaryDirectory() as folder:
    ...         path = iso.report.write_mp4(sol, f"{folder}/a.mp4", plane=[(0, 1)], seconds=0.2)
    """
    require_matplotlib()
    look = Look(trails, _shown(reactions, forces))
    scene = _scene(sol, problem, plane, look)
    if not animations.FFMpegWriter.isAvailable():
        raise IsodynError(
            "an MP4 needs the program ffmpeg, which was not found",
            hint=f"install ffmpeg, or write {Path(path).stem}.gif",
        )
    writer = animations.FFMpegWriter(fps=fps, codec="libx264", extra_args=["-pix_fmt", "yuv420p"])
    return _written(scene, path, writer, seconds, fps, size, look)


def write_picture(
    sol: Solution,
    path: Path | str,
    *,
    t: float | None = None,
    problem: Problem | None = None,
    plane: Sequence[tuple[int, int]] = (),
    size: tuple[float, float] = SIZE,
    trails: bool = True,
    reactions: bool = False,
    forces: bool = False,
) -> Path:
    """Write one instant as PNG, SVG or PDF.

    Parameters
    ----------
    sol
        The solution.
    path
        The file; its ending gives the format.
    t
        The time; a third of the run if left out.
    problem
        Its problem, which knows what is drawn.
    plane
        Pairs of coordinates that are points of a plane, if no problem is given.
    size
        Width and height in inches.
    trails
        Draw the paths of bodies and points.
    reactions
        Draw the forces of joints as arrows.
    forces
        Draw the forces of loads as arrows.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    InputError
        If the time is outside the run, or nothing is known about how the system looks.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     iso.report.write_picture(sol, f"{folder}/a.svg", plane=[(0, 1)]).suffix
    '.svg'
    """
    path = check_file(path)
    look = Look(trails, _shown(reactions, forces))
    scene = _scene(sol, problem, plane, look)
    when = float(scene.t[0] + (scene.t[-1] - scene.t[0]) / 3) if t is None else float(t)
    if not scene.t[0] <= when <= scene.t[-1]:
        raise InputError(f"t = {when:g} lies outside the run, which covers {scene.t[0]:g} to {scene.t[-1]:g}")
    with canvas(size=size) as (figure, axes):
        draw(axes, scene, when, trails=look.trails, arrows=look.arrows)
        return save(figure, path)


class Look(NamedTuple):
    """What is shown beside the parts."""

    trails: bool
    arrows: tuple[Force, ...]


def _shown(reactions: bool, forces: bool) -> tuple[Force, ...]:
    return tuple(kind for kind, on in ((Force.REACTION, reactions), (Force.LOAD, forces)) if on)


def _scene(sol: Solution, problem: Problem | None, plane: Sequence[tuple[int, int]], look: Look) -> Scene:
    scene = scene_of(sol, plane or (problem.plane if problem is not None else ()), arrows=bool(look.arrows))
    if scene is None:
        raise InputError(
            f"nothing is known about how a {type(sol.system).__name__} looks",
            hint="mechanisms and beams are drawn; for other systems name pairs of coordinates by plane=",
        )
    return scene


def _written(
    scene: Scene,
    path: Path | str,
    writer: AbstractMovieWriter,
    seconds: float,
    fps: int,
    size: tuple[float, float],
    look: Look,
) -> Path:
    path = Path(path)
    check_folder(path.parent)
    if not (seconds > 0 and fps > 0 and seconds * fps >= 2):
        raise InputError(f"an animation needs at least two pictures, received {seconds:g} s with {fps} in a second")
    camera = None if scene.flat else camera_of(scene)
    pictures, pixels = seconds * fps, size[0] * size[1] * DPI**2
    if not pictures * pixels < np.inf:
        raise InputError(
            f"an animation of {seconds:g} s with {fps} pictures in a second of the size {size} is no animation"
        )
    require_memory(pictures * pixels * 4, f"{pictures:.6g} pictures", hint="fewer seconds, fewer pictures in a second")
    times = np.linspace(scene.t[0], scene.t[-1], round(seconds * fps))
    with replacing(path) as beside, canvas(size=size) as (figure, axes), writer.saving(figure, beside, DPI):
        for t in times:
            axes.clear()
            draw(axes, scene, float(t), camera, look.trails, look.arrows)
            axes.set_title(f"t = {t:.3g}", fontsize=9, color="#777777", loc="left")
            writer.grab_frame()
            # the margins of the first picture stay: they would jump, and take half of the time
            figure.set_layout_engine("none")
    return path
