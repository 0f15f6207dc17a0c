"""A scheme as it shows itself in a notebook: its coefficients, and the size of its roots over Ω as
a small drawing."""

from __future__ import annotations

import numpy as np

from isodyn.schemes.gs4_2 import Scheme
from isodyn.schemes.spectral import amplification_matrix
from isodyn.schemes.stability_limits import critical_frequency

WIDTH, HEIGHT = 300, 120
DECADES = (-2, 4)


def scheme_html(s: Scheme) -> str:
    """A table beside a drawing; colours follow the notebook's text."""
    limit = critical_frequency(s)
    stable = "for every step" if np.isinf(limit) else ("for none" if limit == 0.0 else f"up to Ω = {limit:.4g}")
    cells = "".join(
        f"<td style='padding:0 12px 0 0;text-align:left'><b>{k}</b><br>{x:.6g}</td>" for k, x in s.coefficients.items()
    )
    return (
        f"<div style='line-height:1.4'><b>{s.name}</b>, order {s.order}, stable {stable}, φ = {s.phi:.6g}"
        f"<table><tr>{cells}</tr></table>{_roots(s)}</div>"
    )


def _roots(s: Scheme) -> str:
    Omega = np.logspace(*DECADES, 200)
    sizes = np.sort(np.abs(np.linalg.eigvals(amplification_matrix(s, Omega))), axis=1)
    x = np.linspace(34, WIDTH - 6, Omega.size)
    lines = []
    for k, (colour, dash) in enumerate((("#009E73", "2 3"), ("#D55E00", "none"), ("#0072B2", "none"))):
        y = HEIGHT - 20 - (HEIGHT - 28) * np.minimum(sizes[:, k], 1.3) / 1.3
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        lines.append(
            f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='1.6' stroke-dasharray='{dash}'/>"
        )
    one = HEIGHT - 20 - (HEIGHT - 28) / 1.3
    frame = f"<path d='M34 8V{HEIGHT - 20}H{WIDTH - 6} M34 {one:.1f}H{WIDTH - 6}' fill='none' stroke='currentColor' stroke-opacity='.35'/>"
    text = "font-size='10' fill='currentColor' fill-opacity='.7'"
    words = f"<text x='4' y='{one + 3:.1f}' {text}>|ζ| 1</text><text x='34' y='{HEIGHT - 6}' {text}>Ω = 10⁻²</text>"
    words += f"<text x='{WIDTH - 6}' y='{HEIGHT - 6}' text-anchor='end' {text}>10⁴</text>"
    return f"<svg width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'>{frame}{''.join(lines)}{words}</svg>"
