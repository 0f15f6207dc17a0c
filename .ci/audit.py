"""Look up known vulnerabilities of all packages of this environment with pip-audit.

Ends with 0 if all were looked up and none is known, with 1 if some are known, with 2 if a package could
not be looked up, as without a network: nothing is known then, and that is said.
"""

from __future__ import annotations

import json
import subprocess
import sys

OWN = {"isodyn"}
SHOWN = 5


def main(command: list[str]) -> int:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1][:200]
        print(f"not audited: pip-audit could not ask for vulnerabilities: {last}")
        print("hint: the audit needs a network; nothing is known about the packages without it")
        return 2
    skipped = [one for one in found if one.get("skip_reason") and one["name"] not in OWN]
    known = [(one, bug) for one in found for bug in one.get("vulns", ())]
    if len(skipped) >= len(found) - len(OWN):
        print("not audited: no service knew any of the packages; is there a network?")
    for one in skipped[:SHOWN]:
        print(f"not audited: {one['name']}: {one['skip_reason']}")
    for one, bug in known:
        print(
            f"{one['name']} {one['version']}: {bug['id']}, mended in {', '.join(bug['fix_versions']) or 'no version'}"
        )
    print(f"{len(found)} packages: {len(known)} known vulnerabilities, {len(skipped)} not audited")
    return 1 if known else 2 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]))
