"""weft sweep: its rows against weft run, and what it keeps when it is killed, refused or out of disk."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import unittest

import yaml

from support import CONFIGS, SweepCase, children_of, eventually, processor_seconds, run

PE_CLASSES = ("useful", "zeros", "unused_columns", "unused_rows", "gaps", "fill_drain", "starved_inp_column",
              "starved_kern_row", "blocked_out_row", "idle")
CLUSTERS = """
cluster: nada-mobilenetv2
set: {network: resnet20, nada.copies: 1}
space: {boards: [1, 2], nada.usable_percent: [3, 40]}
objectives: [maximize: images_per_second, minimize: boards]
constraints: [link_load < 0.9]
"""
MS_RDONLY, MS_REMOUNT, MNT_DETACH = 1, 32, 2  # of <sys/mount.h>


class Sweep(SweepCase):
    def test_rows_are_what_weft_run_prints_for_each_point(self) -> None:
        self.write("s.yaml", "run: conv-small\n"
                             "space: {rung: [analytical, systemc], kernel.array.x: [3, 8], convolution.kind: [F, GW]}\n")
        self.sweep("s.yaml")
        self.assertEqual(self.query("results/s.db", "SELECT count(*), sum(status = 'done') FROM points"), [(8, 8)])
        for point in (0, 3, 6, 7):
            # The stored run, run again alone, gives the stored cycles.
            text = self.ok("show", "results/s.db", "--point", str(point), "--yaml").out
            self.assertIn(f'title: "point {point} of s: rung ', text)
            self.write("point.yaml", text)
            row, = self.json_of("run", "point.yaml", "--no-save")["convolutions"]
            self.assertEqual(self.query("results/s.db", f"SELECT macs, cycles FROM convolutions WHERE point = {point}"),
                             [(row["macs"], row["cycles"])])

    def test_the_run_of_a_point_names_version_and_digests_and_refuses_another_file(self) -> None:
        """Only the files of the point itself are named, whatever the process has read for other points."""
        networks = CONFIGS / "networks"
        shutil.copy(networks / "alexnet_cifar10.onnx", self.folder / "own.onnx")
        self.write("s.yaml", "run: resnet20-u250\nset: {rung: analytical, batch: 1}\nspace: {network: [own.onnx, resnet20]}\n")
        self.sweep("s.yaml")
        version = self.ok("--version").out.split()[1]
        (digest, recorded), = self.query("results/s.db", "SELECT digest, weft_version FROM sweeps")
        self.assertEqual(recorded, version)
        for point, path, count in ((0, str((self.folder / "own.onnx").resolve()), 14),  # AlexNet: 5 layers without a GI
                                   (1, "configs/networks/resnet20.onnx", 62)):
            text = self.ok("show", "results/s.db", "--point", str(point), "--yaml").out
            self.assertEqual(text.split("\n")[0], f"# weft {version}, sweep s with digest {digest}, point {point}")
            self.assertEqual([each["path"] for each in yaml.safe_load(text)["inputs"]], [path])
            self.write(f"{point}.yaml", text)
            self.assertEqual(len(self.json_of("run", f"{point}.yaml", "--no-save")["convolutions"]), count)
        shutil.copy(networks / "resnet20.onnx", self.folder / "own.onnx")
        self.refused("run", "0.yaml", says="own.onnx' has changed: its digest is ")
        self.ok("run", "1.yaml", "--no-save")

    def test_pe_cycles_of_points_and_convolutions_sum_to_the_pes_times_the_cycles(self) -> None:
        """A point has one convolution here. The equations give only the products."""
        self.write("s.yaml", "run: conv-small\nspace: {rung: [analytical, systemc, exact], kernel.array.x: [3, 8], "
                             "kernel.array.y: [5], convolution.kind: [F, GW]}\n")
        self.sweep("s.yaml")
        for of in ("points", "convolutions"):
            total = " + ".join(f"{of}.pe_{each}" for each in PE_CLASSES)
            both = f"FROM points JOIN convolutions USING (sweep, point) WHERE {total}"
            pes = "5 * points.cycles * json_extract(parameters, '$.\"kernel.array.x\"')"
            self.assertEqual(self.count("results/s.db", f"{both} = {pes}"), 8)
            self.assertEqual(self.count("results/s.db", f"{both} IS NULL AND {of}.pe_useful > 0"), 4)

    def test_points_of_clusters_are_what_weft_plan_prints_and_say_where_no_plan_is(self) -> None:
        """A network that fits the boards with one copy of its weights at a usable share of 40 %, but not at 3 %."""
        self.write("s.yaml", CLUSTERS)
        self.sweep("s.yaml", "--points", "1", "--workers", "1")
        rest = self.sweep("s.yaml", "--workers", "2").out
        self.assertIn("4 of 4 points recorded, 2 of them failed; this start ran 3", rest)
        self.assertEqual(self.query("results/s.db", "SELECT point, status FROM points ORDER BY 1"),
                         [(0, "failed"), (1, "done"), (2, "failed"), (3, "done")])
        self.assertIn("the network fits no plan", self.query("results/s.db", "SELECT error FROM points WHERE point = 0")[0])
        for point in (1, 3):
            self.write("point.yaml", self.ok("show", "results/s.db", "--point", str(point), "--yaml").out)
            plan = self.ok("plan", "point.yaml", "--no-save", "--format", "json").out
            (cycles, latency), = self.query(
                "results/s.db", f"SELECT cycles_an_image, latency_cycles FROM points WHERE point = {point}")
            self.assertIn(f'"cycles_an_image": {cycles},\n  "images_per_second"', plan)
            self.assertIn(f'"latency_cycles": {latency},', plan)
        self.sweep("s.yaml", "--workers", "1", "--out", "one.db")
        self.assertEqual(self.rows("results/s.db"), self.rows("one.db"))

    def test_the_same_rows_come_from_any_number_of_workers(self) -> None:
        self.sweep("small", "--workers", "1", "--out", "one.db")
        self.sweep("small", "--workers", "5", "--out", "five.db")
        self.assertEqual(self.count("one.db"), 32)
        self.assertEqual(self.rows("one.db"), self.rows("five.db"))

    def test_killed_at_any_moment_it_loses_nothing_finished_and_repeats_nothing(self) -> None:
        self.write_equal("s.yaml", 60)
        self.sweep("s.yaml", "--out", "whole.db")
        for enough in (1, 9, 23, 40):
            killed = self.start("sweep", "s.yaml", "--out", "s.db", "--workers", "2")
            self.assertTrue(eventually(lambda: self.count("s.db") >= enough))
            killed.process.send_signal(signal.SIGKILL)
            self.assertEqual(killed.wait().code, -signal.SIGKILL)
            self.assertGreaterEqual(self.count("s.db"), enough)
        before = self.count("s.db")
        self.assertLess(before, 60)
        last = self.sweep("s.yaml", "--out", "s.db").out
        self.assertIn("60 of 60 points recorded", last)
        self.assertIn(f"{before} recorded before", last)
        self.assertEqual(self.query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts"), [(60, 60)])
        self.assertEqual(self.rows("s.db"), self.rows("whole.db"))
        self.assertEqual(self.listing(), ["s.db", "s.yaml", "whole.db"])

    def test_a_worker_that_is_killed_is_noticed_and_its_point_runs_again(self) -> None:
        self.write_equal("s.yaml", 12, 4)
        running = self.start("sweep", "s.yaml", "--out", "s.db", "--workers", "2")
        self.assertTrue(eventually(lambda: self.count("s.db") >= 2))
        worker, _ = children_of(running.process.pid)
        os.kill(worker, signal.SIGKILL)
        outcome = running.wait()
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("runs again", outcome.err)
        self.assertEqual(self.count("s.db", "FROM points WHERE status = 'done'"), 12)
        self.assertEqual(self.query("s.db", "SELECT outcome, count(*) FROM attempts GROUP BY 1"),
                         [("died", 1), ("done", 12)])

    def test_a_second_start_at_the_same_time_is_refused(self) -> None:
        self.write_equal("s.yaml", 20000)  # more than it can finish
        first = self.start("sweep", "s.yaml", "--out", "s.db", "--workers", "1")
        self.assertTrue(eventually(lambda: self.count("s.db") >= 1))
        second = self.weft("sweep", "s.yaml", "--out", "s.db")
        self.assertEqual(second.code, 2)
        self.assertIn(f"is being written by another weft sweep (process {first.process.pid}", second.err)
        self.assertTrue(first.running())
        first.process.terminate()
        self.assertIn(first.wait().code, (-signal.SIGTERM, 128 + signal.SIGTERM))
        self.assertGreaterEqual(self.count("s.db"), 1)

    def test_an_interrupt_ends_it_in_order(self) -> None:
        self.write_equal("s.yaml", 200)
        running = self.start("sweep", "s.yaml", "--out", "s.db")
        self.assertTrue(eventually(lambda: self.count("s.db") >= 3))
        running.process.send_signal(signal.SIGINT)
        outcome = running.wait()
        self.assertEqual(outcome.code, 130)
        self.assertIn("interrupted; the same command continues", outcome.err)
        self.assertEqual(self.listing(), ["s.db", "s.yaml"])

    def test_points_that_fail_are_recorded_with_their_errors_and_the_others_run(self) -> None:
        # A FIFO of depth 0 is a deadlock, batch 0 is invalid.
        self.write("s.yaml", "run: conv-small\nspace: {kernel.fifo.inp_beat: [0, 32], batch: [0, 1]}\n")
        outcome = self.sweep("s.yaml", "--out", "s.db")
        self.assertIn("cannot run", outcome.err)
        self.assertIn("4 of 4 points recorded, 3 of them failed", outcome.out)
        self.assertEqual(self.query("s.db", "SELECT point, status, error LIKE 'deadlock: %', "
                                            "error LIKE '%s.yaml:2: batch: must be%', cycles > 0 FROM points ORDER BY point"),
                         [(0, "failed", 0, 1, None), (1, "failed", 1, 0, None), (2, "failed", 0, 1, None),
                          (3, "done", None, None, 1)])
        self.assertIn("deadlock: ", self.ok("show", "s.db", "--failed").out)
        self.assertIn("this start ran 0", self.sweep("s.yaml", "--out", "s.db").out)
        self.assertIn("this start ran 3", self.sweep("s.yaml", "--out", "s.db", "--retry-failed").out)

    def test_a_changed_configuration_is_never_mixed_with_old_rows(self) -> None:
        self.write_equal("s.yaml", 3)
        self.sweep("s.yaml")
        self.write_equal("s.yaml", 4)
        self.refused("sweep", "s.yaml", says="before its configuration or a file it names changed")
        self.refused("sweep", "s.yaml", "--set", "batch=2")
        self.assertEqual(self.count("results/s.db"), 3)
        self.sweep("s.yaml", "--new")
        self.assertEqual(self.query("results/s.db", "SELECT sweep, count(*) FROM points GROUP BY 1"), [(1, 3), (2, 4)])

    def test_rows_of_another_version_of_weft_are_never_mixed(self) -> None:
        self.write_equal("s.yaml", 3)
        self.sweep("s.yaml", "--out", "s.db")
        self.execute("s.db", "UPDATE sweeps SET weft_version = '0.0.1+elsewhere'")
        before = self.rows("s.db")
        for words in (["--out", "s.db"], ["--out", "t.db", "--merge", "s.db"]):
            self.refused("sweep", "s.yaml", *words)
            self.assertEqual(self.rows("s.db"), before)
        self.refused("sweep", "s.yaml", "--out", "s.db", says="weft 0.0.1+elsewhere, and this is weft ")
        self.sweep("s.yaml", "--out", "s.db", "--new")
        self.assertEqual(self.query("s.db", "SELECT sweep, count(*) FROM points GROUP BY 1"), [(1, 3), (2, 3)])

    def test_files_that_are_not_its_own_are_refused_and_left_as_they_are(self) -> None:
        """Every operation on them gives one line of error and leaves every byte unchanged."""
        self.write_equal("s.yaml", 3)
        for name in ("newer.db", "damaged.db"):
            self.sweep("s.yaml", "--out", name)
        schema, = self.query("newer.db", "PRAGMA user_version")
        self.execute("newer.db", f"PRAGMA user_version = {schema + 1}")
        os.truncate(self.folder / "damaged.db", 20_000)
        self.write("text.db", "not a database, but long enough to be taken for one by its name")
        self.execute("other.db", "CREATE TABLE mine (a)")
        for name, says in (("newer.db", "was written by a newer weft (schema "), ("damaged.db", "is damaged: "),
                           ("text.db", "not an SQLite file"), ("other.db", "is a database of another program")):
            content, listing = (self.folder / name).read_bytes(), self.listing()
            for words in (["sweep", "s.yaml", "--out", name], ["sweep", "s.yaml", "--out", name, "--new"],
                          ["sweep", "s.yaml", "--out", "into.db", "--merge", name], ["show", name]):
                self.assertIn(f"'{name}' ", self.refused(*words, says=says))
                self.assertEqual((self.folder / name).read_bytes(), content, words)
                (self.folder / "into.db").unlink(missing_ok=True)
                self.assertEqual(self.listing(), listing, words)

    def test_a_full_disk_is_said_and_loses_nothing(self) -> None:
        """A separate disk that fills up during the sweep."""
        self.write_equal("s.yaml", 60)
        self.sweep("s.yaml", "--out", "whole.db")
        (self.folder / "disk").mkdir()
        disk, library = os.fsencode(self.folder / "disk"), ctypes.CDLL(None)

        def mount(flags: int, size: bytes) -> bool:
            return library.mount(b"tmpfs", disk, b"tmpfs", ctypes.c_ulong(flags), b"size=" + size) == 0

        if not mount(0, b"200k"):
            self.skipTest("needs the right to mount a tmpfs")
        self.addCleanup(library.umount2, disk, MNT_DETACH)
        full = self.weft("sweep", "s.yaml", "--out", "disk/s.db")
        self.assertEqual((full.code, full.err.count("\n")), (1, 1), full.err)
        self.assertIn("cannot write 'disk/s.db'", full.err)
        self.assertIn("is the disk full?", full.err)
        before = self.count("disk/s.db")
        self.assertTrue(0 < before < 60, before)
        self.assertTrue(mount(MS_REMOUNT, b"8m"))
        self.assertIn(f"{before} recorded before", self.sweep("s.yaml", "--out", "disk/s.db").out)
        self.assertEqual(self.rows("disk/s.db"), self.rows("whole.db"))
        # A disk that accepts no data at all.
        self.assertTrue(mount(MS_REMOUNT | MS_RDONLY, b"8m"))
        for name in ("disk/s.db", "disk/t.db"):
            self.refused("sweep", "s.yaml", "--out", name, says=f"cannot write '{name}")
        self.assertEqual(self.rows("disk/s.db"), self.rows("whole.db"))

    def test_a_file_that_cannot_grow_is_said_and_loses_nothing(self) -> None:
        self.write_equal("s.yaml", 30)
        full = run("/bin/bash", "-c", 'ulimit -f 120; exec "$0" sweep s.yaml --out s.db', self.binary, folder=self.folder)
        self.assertEqual((full.code, full.err.count("\n")), (1, 1), full.err)
        self.assertIn("cannot write 's.db'", full.err)
        self.assertIn("start the same command again", full.err)
        before = self.count("s.db")
        self.assertTrue(0 < before < 30, before)
        self.assertIn(f"{before} recorded before", self.sweep("s.yaml", "--out", "s.db").out)
        self.assertEqual(self.query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts WHERE outcome = 'done'"),
                         [(30, 30)])

    def test_points_can_be_chosen_and_merged(self) -> None:
        self.write_equal("s.yaml", 6)
        self.sweep("s.yaml", "--out", "whole.db")
        self.sweep("s.yaml", "--out", "a.db", "--points", "0-1,5")
        self.assertEqual(self.count("a.db"), 3)
        self.assertIn("this start ran 3", self.sweep("s.yaml", "--out", "b.db", "--merge", "a.db").out)
        self.assertEqual(self.rows("b.db"), self.rows("whole.db"))

    def test_a_point_costs_less_than_5_milliseconds_more_than_its_simulation(self) -> None:
        """Processor time of one more point with a negligible simulation: an upper bound of the overhead."""
        def seconds(points: int) -> float:
            self.write(f"{points}.yaml", "run: conv-small\nset: {rung: analytical}\n"
                                         f"space: {{seed: {{from: 1, to: {points}, step: 1}}}}\n")
            return processor_seconds(lambda: self.sweep(f"{points}.yaml", "--out", f"{points}.db", "--workers", "1"))

        self.assertLess((seconds(520) - seconds(20)) / 500, 5e-3)


if __name__ == "__main__":
    unittest.main()
