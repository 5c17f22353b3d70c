#!/usr/bin/env python3
"""Compares the end of `weft explain` with the best of all combinations of its steps, by the equations.

    exhaustive.py RUN... [--set KEY=VALUE] [--within PERCENT]

Every kernel that the steps can make is run first, by `weft sweep`. Schedules are then tried for the kernels that fit the board,
the fastest convolutions first, until the convolutions alone take longer than the best iteration: no schedule makes them faster.
Exit code 1 if explain ends more than PERCENT (3) above the best. WEFT is the program (default: ./weft of the checkout).
"""

import argparse
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "weft"))
SWITCHES = ("exact_bursts", "overlap_drain", "wide_kern_load", "early_kern_feed", "packed_gw_sets")
SIZES = ("z", "z_channel", "k_range", "kern_words", "out_words")
MEMORIES = ("inp", "kern", "out")
SCHEDULE = {"load": ("card", "region"), "order": ("graph", "fewest_loads"), "load_time": ("needed", "ahead"), "updates": ("at_end", "as_ready"),
            "transfers": ("every_call", "keep_activations"), "overlap": ("none", "double_buffer"), "calls": ("opencl", "xrt")}
CHUNK = 24  # kernels whose schedules are tried at once


def weft(*words: str) -> str:
    done = subprocess.run([WEFT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise SystemExit(f"weft {' '.join(words)}: {done.stderr}")
    return done.stdout


def at(tree: dict, path: str):
    for key in path.split("."):
        tree = tree[key]
    return tree


def sizes_of(run: dict) -> list[dict]:
    """All arrays and sizes that the steps make of the run's kernel: each as keys of a run."""
    x, y = at(run, "kernel.array.x"), at(run, "kernel.array.y")
    most = at(run, "board.dsp.usable") // 9
    widths = [x << i for i in range(12) if (x << i) <= most]
    heights = [y >> i for i in range(12) if y % (1 << i) == 0] + [y << i for i in range(1, 12) if (y << i) <= most]
    shared = {f"kernel.{size}": "shared" for size in SIZES}
    return [{"kernel.array.x": a, "kernel.array.y": b, **size} for a in widths for b in heights if a * b <= most
            for size in ({}, shared, {**shared, "kernel.variant": "both"})]


def swept(run: str, sets: list[str], space: dict, folder: Path) -> list[dict]:
    """Results of the points of a space, with its axes as texts."""
    name = f"s{len(list(folder.iterdir()))}"
    file, database = folder / f"{name}.yaml", folder / f"{name}.db"
    file.write_text(json.dumps({"name": name, "run": run, "set": {"rung": "analytical"}, "space": space}))
    weft("sweep", str(file), "--out", str(database), *sets)
    return list(csv.DictReader(io.StringIO(weft("show", str(database), "--format", "csv"))))


def number(text: str | None) -> float:
    return float(text) if text not in (None, "") else math.inf


def best_of(run: str, sets: list[str], folder: Path) -> tuple[float, dict, int]:
    """Least hours an epoch of all combinations that fit, the combination, and the number of runs."""
    shown = weft("show", run, "--yaml", *sets)
    config = json.loads(subprocess.run([sys.executable, "-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"],
                                       input=shown, stdout=subprocess.PIPE, check=True, text=True).stdout)
    iterations = math.ceil(config["dataset_images"] / config["batch"])
    band = at(config, "kernel.band")
    bands, sizes = sorted({band, min(2 * band, 32)}), sizes_of(config)
    # Memories in BRAM or URAM change no time, and switches of the profile no resource.
    fits: dict[tuple[int, int], dict] = {}
    space = {"kernel.band": bands, "points": [{**size, "$kernel": i} for i, size in enumerate(sizes)], **{f"kernel.storage.{memory}": ["bram", "uram"] for memory in MEMORIES}}
    rows = swept(run, sets, space, folder)
    for row in rows:
        if row.get("fits") == "true":
            fits.setdefault((int(row["kernel.band"]), int(row["$kernel"])), {f"kernel.storage.{memory}": row[f"kernel.storage.{memory}"] for memory in MEMORIES})
    tried = len(rows)
    switches = {f"kernel.profile.{switch}": [False, True] for switch in SWITCHES}
    order: list[tuple[float, dict]] = []

    def add(space: dict, kernels: list[dict]) -> None:
        nonlocal tried
        for row in swept(run, sets, {"points": [{**kernel, "$kernel": i} for i, kernel in enumerate(kernels)], **space}, folder):
            tried += 1
            profile = {key: row[key] in ("1", "true") for key in space}
            if number(row.get("convolutions_seconds")) < math.inf and row.get("fits") == "true":
                order.append((number(row["convolutions_seconds"]), {**kernels[int(row["$kernel"])], **profile}))

    add(switches, [{"kernel.band": wide, **sizes[i], **storage} for (wide, i), storage in fits.items()])
    add(switches, [{"kernel.band": wide, "schedule.kernels": {"dse": "fewest-kernels", "penalty_percent": percent}} for wide in bands for percent in (20, 100)])
    order.sort(key=lambda each: each[0])
    best, best_point = math.inf, {}
    for start in range(0, len(order), CHUNK):
        if order[start][0] * iterations / 3600 >= best:
            break
        chunk = order[start:start + CHUNK]
        space = {"points": [{**kernel, "$kernel": i} for i, (_, kernel) in enumerate(chunk)], **{f"schedule.{key}": list(values) for key, values in SCHEDULE.items()}}
        for row in swept(run, sets, space, folder):
            tried += 1
            if number(row.get("epoch_hours")) < best:
                best = number(row["epoch_hours"])
                best_point = {**chunk[int(row["$kernel"])][1], **{f"schedule.{key}": row[f"schedule.{key}"] for key in SCHEDULE}}
    return best, best_point, tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--set", action="append", default=["batch=256"], metavar="KEY=VALUE", help="of every run (default: batch=256)")
    parser.add_argument("--within", type=float, default=3, metavar="PERCENT", help="allowed distance from the best (default 3)")
    arguments = parser.parse_args()
    sets = [word for value in arguments.set for word in ("--set", value)]
    far = False
    for run in arguments.runs:
        with tempfile.TemporaryDirectory(prefix="weft-exhaustive-") as folder:
            best, point, tried = best_of(run, sets, Path(folder))
        lines = json.loads(weft("explain", run, *sets, "--rung", "analytical", "--format", "json", "--no-save"))["lines"]
        end = [line for line in lines if line["ending"] in ("as_is", "kept")][-1]
        above = 100 * (end["epoch_hours"] / best - 1)
        far = far or above > arguments.within or end["do_not_fit"] > 0
        print(f"{run}: explain ends at {end['epoch_hours']:.4f} h an epoch, the best of {tried} runs is {best:.4f} h ({above:+.2f}%)", flush=True)
        print("  best: " + ", ".join(f"{key}={value}" for key, value in sorted(point.items())), flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
