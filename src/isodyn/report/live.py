"""A live view of a running integration in the browser: a server on the loopback interface of this
machine, which ends with the run.

The page gets the scene of the start, and then one event for each picture: time, poses and curves.
The run is held back so that it can be followed; nothing is sent while nobody looks.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from isodyn.errors import InputError
from isodyn.report import pages
from isodyn.report.extents import box_corners
from isodyn.report.packing import for_script, scene_data
from isodyn.report.pages import Html
from isodyn.report.scenes import Scene, frame_of, scene_of
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray
    from isodyn.systems.base import System

HOST = "127.0.0.1"
PICTURES = 25.0  # in a second
WAIT = 10.0  # seconds for the first viewer, and for the last picture to be fetched
SCRIPTS = ("core.js", "draw2d.js", "draw3d.js", "live.js")


class Live:
    """Serves a run in the browser while it goes on, on this machine alone.

    Parameters
    ----------
    system
        What is integrated; it must have a look: a mechanism, a beam, or points of a plane.
    t_end
        The end of the run, for the bar below the picture.
    plane
        Pairs of columns of q that are points of a plane, for systems that are neither.
    speed
        At most so many seconds of the run in a second; 0 holds nothing back.
    port
        The port on 127.0.0.1; 0 takes one that is free.

    Raises
    ------
    InputError
        For systems without a look, and where the port is taken.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    >>> with iso.report.Live(mech.compile(), t_end=0.1, speed=0) as live:
    ...     sol = iso.integrate(mech, dt=0.01, t_end=0.1, observe=live.observe)
    >>> live.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self, system: System, t_end: float, *, plane: Sequence[tuple[int, int]] = (), speed: float = 1.0, port: int = 0
    ) -> None:
        if not speed >= 0.0:
            raise InputError(f"speed must not be negative, received {speed!r}")
        self.system, self.plane, self.speed, self.t_end = system, tuple(plane), speed, t_end
        scene = scene_of(self._rows(0.0, system.q0, system.v0, 2), plane)
        if scene is None:
            raise InputError(
                f"nothing is known about how a {type(system).__name__} looks",
                hint="a live view is for mechanisms, beams and problems with points of a plane",
            )
        self.scene: Scene = replace(scene, skins=())  # edges are enough while it runs
        data = {"scene": scene_data(self.scene), "tEnd": t_end, "height": 480}
        data["corners"] = [box_corners(body.drawing.corners).tolist() for body in self.scene.bodies]
        self.page = pages.filled("live.html", SCRIPTS, title="live", data=Html(for_script(data))).encode()
        self.origin = np.array(data["scene"]["origin"])  # type: ignore[index]
        self.news = threading.Condition()
        self.version, self.frame, self.ended = 0, "", ""
        self.viewers = 0
        self._seen = threading.Event()
        self._begun: tuple[float, float] | None = None
        self._last = -np.inf
        self._t = t_end  # of the newest state
        try:
            self.server = ThreadingHTTPServer((HOST, port), handler_of(self))
        except OSError as error:
            raise InputError(
                f"cannot serve at {HOST}:{port}: {error.strerror or error}", hint="another port, or 0 for a free one"
            ) from None
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])
        self.url = f"http://{HOST}:{self.port}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        whole = self._t >= self.t_end - 1e-9 * max(abs(self._t), abs(self.t_end))
        done = "the run is done" if whole else f"the run ended at t = {self._t:.6g}"  # an event, or Ctrl-C
        self.close(done if kind is None else "the run ended early")

    def wait(self, seconds: float = WAIT) -> bool:
        """Wait for the first viewer.

        Parameters
        ----------
        seconds
            At most so long.

        Returns
        -------
        bool
            Whether somebody looks.
        """
        return self._seen.wait(seconds)

    def observe(self, sample: Sample) -> None:
        """Show a state, and hold the run back to its speed.

        Parameters
        ----------
        sample
            What `integrate` gives to its observer.
        """
        now, t = time.monotonic(), float(sample.t)
        self._t = t
        if self._begun is None:
            self._begun = now, t
        if self.speed > 0.0:
            ahead = (t - self._begun[1]) / self.speed - (now - self._begun[0])
            if ahead > 0.0:
                time.sleep(min(ahead, 1.0))
        if now - self._last < 1.0 / PICTURES and t < self.t_end:
            return
        self._last = now
        self._show(t, sample.q, sample.v)

    def _show(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """Make a state the newest picture."""
        poses, curves, points = frame_of(self._rows(t, q, v, 1), self.scene, self.plane)
        shift = self.origin
        near = [np.concatenate([p[0, : shift.size] - shift, p[0, shift.size :]]).tolist() for p in poses]
        found = {
            "t": t,
            "poses": near,
            "curves": [np.ravel(c[0] - shift[: c.shape[-1]]).tolist() for c in curves],
            "points": None if points is None else np.ravel(points[0] - shift).tolist(),
        }
        with self.news:
            self.version, self.frame = self.version + 1, json.dumps(found)
            self.news.notify_all()

    def _newer_than(self, shown: int) -> tuple[bool, str, str, int]:
        """Wait up to a second for a picture after that of this number: whether there is one, the
        newest, the word of the end, its number."""
        with self.news:
            self.news.wait_for(lambda: self.version > shown or bool(self.ended), 1.0)
            return self.version > shown, self.frame, self.ended, self.version

    def close(self, word: str) -> None:
        """Tell the viewers that the run has ended, and end the server.

        Parameters
        ----------
        word
            What the page says then.
        """
        with self.news:
            self.ended = word
            self.news.notify_all()
            self.news.wait_for(lambda: self.viewers == 0, WAIT)
        self.server.shutdown()
        self.server.server_close()

    def _rows(self, t: float, q: FloatArray, v: FloatArray, count: int) -> Solution:
        """A solution of one state, so many times."""
        system = self.system
        times = (t + np.arange(count)).astype(np.float64)
        q, v = (np.tile(np.asarray(x, dtype=np.float64), (count, 1)) for x in (q, v))
        a, lam = np.zeros((count, system.nv)), np.zeros((count, system.m))
        sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
        columns = {name: np.arange(n) for name, n in sizes.items()}
        return Solution(times, q, v, a, lam, system, None, Statistics(), columns)


def handler_of(live: Live) -> type[BaseHTTPRequestHandler]:
    """What answers the requests for a live view."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """The page, its events, or nothing."""
            # a page of another site that a name leads to this machine must not read it
            if self.headers.get("Host") not in (f"{HOST}:{live.port}", f"localhost:{live.port}"):
                self.send_error(403)
            elif self.path == "/":
                self.answer("text/html; charset=utf-8")
                self.wfile.write(live.page)
            elif self.path == "/frames":
                self.answer("text/event-stream")
                self.stream()
            else:
                self.send_error(404)

        def answer(self, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", "no-store")
            self.end_headers()

        def stream(self) -> None:
            with live.news:
                live.viewers += 1
            live._seen.set()
            shown = 0
            try:
                while True:
                    new, frame, ended, shown = live._newer_than(shown)
                    # a line of its own, if nothing else, tells whether anybody still listens
                    text = f"data: {frame}\n\n" if new else ": \n\n"
                    if ended:
                        text += f"event: end\ndata: {json.dumps(ended)}\n\n"
                    self.wfile.write(text.encode())
                    self.wfile.flush()
                    if ended:
                        return
            except OSError:  # the viewer has gone
                return
            finally:
                with live.news:
                    live.viewers -= 1
                    live.news.notify_all()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: standard error belongs to the run."""

    return Handler
