#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Print what a workflow of a forge does, for scripts/test-ci.

usage: scripts/documents/workflow.py FILE

Prints the container, then for each step its name, "run" or "uses", and what it runs or
uses. Each ends with a zero byte. Refuses what it does not know.
"""

import sys

import yaml


def known(what, mapping, keys):
    for key in mapping:
        if key not in keys:
            sys.exit(f"workflow: {what} has {key}, which scripts/test-ci does not know")


def main(path):
    with open(path, encoding="utf-8") as file:
        jobs = yaml.safe_load(file)["jobs"]
    if len(jobs) != 1:
        sys.exit(f"workflow: {len(jobs)} jobs, not one")
    (name, job), = jobs.items()
    known(name, job, ("runs-on", "container", "timeout-minutes", "env", "steps"))
    known("env", job.get("env", {}), ("TWHEEL_CACHE",))
    words = [job["container"]]
    for step in job["steps"]:
        known(step.get("name"), step, ("name", "run", "uses", "with"))
        kind = "run" if "run" in step else "uses"
        words += [step["name"], kind, step[kind]]
    sys.stdout.write("".join(f"{word}\0" for word in words))


main(sys.argv[1])
