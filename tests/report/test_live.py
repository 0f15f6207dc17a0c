"""The live view serves what a run does, on this machine alone, and ends with the run."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.report.live import Live


def pendulum() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", 1.0, 1 / 12, (0.5, 0, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0)))
    return mech


def asked(port: int, path: str, host: str | None = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    return connection.getresponse()


def test_pictures_are_those_of_the_run() -> None:
    system = pendulum().compile()
    found: list[Any] = []

    def look(port: int) -> None:
        answer = asked(port, "/frames")
        found.extend(line.decode().rstrip() for line in answer)
        answer.close()

    with Live(system, 0.5, speed=1.0) as live:
        page = asked(live.port, "/")
        assert page.status == 200
        assert b"rod" in page.read()
        page.close()
        viewer = threading.Thread(target=look, args=(live.port,))
        viewer.start()
        assert live.wait()
        sol = iso.integrate(system, dt=0.005, t_end=0.5, observe=live.observe)
    viewer.join(10)
    frames = [json.loads(line.removeprefix("data: ")) for line in found if line.startswith("data: {")]
    assert len(frames) > 5
    assert frames[-1]["t"] == pytest.approx(0.5)
    for frame in frames:
        there = sol.q[np.abs(sol.t - frame["t"]).argmin()][:3]
        np.testing.assert_allclose(frame["poses"][0], there, atol=1e-12)
    assert found[found.index("event: end") + 1] == 'data: "the run is done"'
    with pytest.raises(ConnectionRefusedError):
        asked(live.port, "/")


def test_other_hosts_and_paths_are_refused() -> None:
    with Live(pendulum().compile(), 1.0) as live:
        for path, host, status in (("/", "example.org", 403), ("/etc/passwd", None, 404), ("/../x", None, 404)):
            answer = asked(live.port, path, host)
            assert answer.status == status
            answer.close()
        assert live.server.server_address[0] == "127.0.0.1"
        with pytest.raises(InputError, match=r"cannot serve at 127.0.0.1:\d+.*\nhint: another port"):
            Live(pendulum().compile(), 1.0, port=live.port)


def test_systems_without_a_look_are_refused() -> None:
    plain = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    with pytest.raises(InputError, match=r"nothing is known about how a LinearSystem looks"):
        Live(plain, 1.0)
    with pytest.raises(InputError, match=r"speed must not be negative"):
        Live(pendulum().compile(), 1.0, speed=-1.0)


def test_a_run_that_fails_ends_the_view() -> None:
    live = Live(pendulum().compile(), 1.0)
    with pytest.raises(RuntimeError, match="stop"), live:
        raise RuntimeError("stop")
    assert live.ended == "the run ended early"


def test_a_run_that_ends_before_its_time_says_when() -> None:
    system = pendulum().compile()
    for t_end, word in ((0.05, "the run is done"), (1.0, "the run ended at t = 0.05")):
        with Live(system, t_end, speed=0.0) as live:  # as after Ctrl-C, which gives back what was done
            iso.integrate(system, dt=0.01, t_end=0.05, observe=live.observe)
        assert live.ended == word
