"""One sweep under mpirun and as a Slurm job array. ./weft test installs the programs."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from support import OPEN_MPI, ROOT, Background, Outcome, SweepCase, children_of, eventually, run

# A FIFO of depth 0 is a deadlock, batch 0 is invalid.
FAILING = "run: conv-small\nspace: {kernel.fifo.inp_beat: [0, 32], batch: [0, 1]}\n"
ATTEMPTS_DONE = "SELECT count(*), count(DISTINCT point) FROM attempts WHERE outcome = 'done'"


def by_slurm(name: str, database: str, tasks: str) -> list[str]:
    return ["sweep", name, "--out", database, "--slurm", tasks, "--slurm-poll", "0.2"]


class Mpi(SweepCase):
    def setUp(self) -> None:
        super().setUp()
        self.assertTrue(shutil.which("mpirun"), "./weft test installs it (packages-test.txt)")
        self.environment = OPEN_MPI

    def ranks(self, ranks: str, *arguments: str) -> Outcome:
        return run("/usr/bin/mpirun", "-n", ranks, self.binary, "sweep", *arguments, folder=self.folder,
                   environment=self.environment)

    def start_ranks(self, *options: str, until: str = "") -> Background:
        """Starts mpirun with a sweep of s.yaml, and waits until three points, and a row of `until`, are recorded."""
        running = self.start("-n", *options, program="/usr/bin/mpirun")
        self.assertTrue(eventually(lambda: self.count("s.db") >= 3 and (not until or self.count("s.db", until) > 0)))
        return running

    @staticmethod
    def kill_rank(mpirun: Background, rank: int) -> None:
        """Kills the weft process of a rank: mpirun starts them in order."""
        os.kill(sorted(children_of(mpirun.process.pid))[rank], signal.SIGKILL)

    def test_two_to_four_ranks_record_the_rows_of_the_local_run(self) -> None:
        self.sweep("small", "--out", "local.db")
        wanted = self.rows("local.db")
        for ranks in "234":
            outcome = self.ranks(ranks, "small", "--out", f"{ranks}.db")
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertEqual(self.rows(f"{ranks}.db"), wanted)
            workers, = self.query(f"{ranks}.db", "SELECT count(DISTINCT substr(worker, 1, 6)) FROM attempts")
            self.assertGreaterEqual(workers, 2)

    def test_points_that_fail_are_recorded_as_in_the_local_run(self) -> None:
        self.write("s.yaml", FAILING)
        self.sweep("s.yaml", "--out", "local.db")
        outcome = self.ranks("3", "s.yaml", "--out", "s.db")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual(self.query("s.db", "SELECT status, count(*) FROM points GROUP BY 1"), [("done", 1), ("failed", 3)])
        self.assertEqual(self.rows("s.db"), self.rows("local.db"))

    def test_the_points_of_a_rank_that_dies_run_again_on_the_others(self) -> None:
        self.write_equal("s.yaml", 24, 3)
        self.sweep("s.yaml", "--out", "local.db")
        running = self.start_ranks("3", "--enable-recovery", self.binary, "sweep", "s.yaml", "--out", "s.db",
                                   "--rank-timeout", "2", until="FROM attempts WHERE worker LIKE 'rank 2%'")
        self.kill_rank(running, 2)
        outcome = running.wait()
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("gave no sign for 2 s; point", outcome.err)
        self.assertEqual(self.count("s.db", "FROM attempts WHERE outcome = 'died'"), 1)
        self.assertEqual(self.rows("s.db"), self.rows("local.db"))

    def test_without_recovery_mpirun_ends_and_the_next_start_goes_on(self) -> None:
        self.write_equal("s.yaml", 24, 3)
        running = self.start_ranks("2", self.binary, "sweep", "s.yaml", "--out", "s.db")
        self.kill_rank(running, 1)
        self.assertNotEqual(running.wait().code, 0)
        before = self.count("s.db")
        self.assertLess(before, 24)
        outcome = self.ranks("2", "s.yaml", "--out", "s.db")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn(f"{before} recorded before", outcome.out)
        self.assertEqual(self.query("s.db", ATTEMPTS_DONE), [(24, 24)])

    def test_a_rank_that_reads_another_configuration_is_refused(self) -> None:
        """Ranks of one job with different settings, for instance from an old file on one of the machines."""
        self.write_equal("s.yaml", 2000)
        script = '[ $OMPI_COMM_WORLD_RANK = 0 ] || set -- --set batch=2; exec "$0" sweep s.yaml --out s.db "$@"'
        outcome = run("/usr/bin/mpirun", "-n", "2", "/bin/sh", "-c", script, self.binary, folder=self.folder,
                      environment=self.environment)
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("has another configuration or another version of weft than rank 0", outcome.err)
        self.assertLess(self.count("s.db"), 2000)

    def test_a_fault_is_said_once(self) -> None:
        outcome = self.ranks("3", "nosuch")
        self.assertNotEqual(outcome.code, 0)
        self.assertEqual(outcome.err.count("there is no sweep 'nosuch'"), 1, outcome.err)


class Slurm(SweepCase):
    """A Slurm installation of the test; its folder needs a short path without spaces."""

    def setUp(self) -> None:
        super().setUp()
        path = os.environ["PATH"] + ":/usr/sbin"
        for program in ("slurmctld", "slurmd", "munged"):
            self.assertTrue(shutil.which(program, path=path), "./weft test installs it (packages-test.txt)")
        slurm = self.enterContext(tempfile.TemporaryDirectory(prefix="weft-slurm-", dir="/tmp", ignore_cleanup_errors=True))
        ready = self.folder / "ready"
        node = self.start(slurm, "/bin/bash", "-c", 'touch "$0"; sleep 600', str(ready),
                          program=str(ROOT / "tests/support/slurm_node.sh"))
        self.addCleanup(self.end, node)
        self.assertTrue(eventually(lambda: ready.exists() or not node.running(), 60))
        self.assertTrue(node.running(), node)
        self.environment = {"SLURM_CONF": f"{slurm}/slurm.conf"}

    @staticmethod
    def end(node: Background) -> None:
        if node.running():
            for child in children_of(node.process.pid):
                os.kill(child, signal.SIGTERM)
            eventually(lambda: not node.running(), 20)

    def half_done(self) -> list[str]:
        """The databases of tasks that have finished some of their points."""
        names = [f"s.db.jobs/{path.name}" for path in (self.folder / "s.db.jobs").glob("*.db")]
        return [name for name in names if self.count(name) >= 2]

    def test_a_job_array_records_the_rows_of_the_local_run_and_the_tasks_that_die_run_again(self) -> None:
        self.sweep("small", "--out", "local.db")
        array = self.ok(*by_slurm("small", "array.db", "3"))
        self.assertIn("3 tasks, 32 points", array.err)
        self.assertEqual(self.rows("array.db"), self.rows("local.db"))
        self.assertFalse((self.folder / "array.db.jobs").exists())

        self.write("failing.yaml", FAILING)
        self.sweep("failing.yaml", "--out", "failing.db")
        self.ok(*by_slurm("failing.yaml", "failing_array.db", "2"))
        self.assertEqual(self.query("failing_array.db", "SELECT status, count(*) FROM points GROUP BY 1"),
                         [("done", 1), ("failed", 3)])
        self.assertEqual(self.rows("failing_array.db"), self.rows("failing.db"))

        # A task is killed, with its workers, after it has finished some of its points.
        self.write_equal("s.yaml", 20, 4)
        self.sweep("s.yaml", "--out", "equal.db")
        running = self.start(*by_slurm("s.yaml", "s.db", "2"))
        shards: list[str] = []
        self.assertTrue(eventually(lambda: bool(shards.extend(self.half_done()) or shards)))
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = process.read_text(errors="replace")
            except OSError:  # it has ended
                continue
            if "sweep" in line and shards[0] in line:
                os.kill(int(process.parent.name), signal.SIGKILL)
        outcome = running.wait()
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("they are submitted again", outcome.err)
        self.assertEqual(self.rows("s.db"), self.rows("equal.db"))
        self.assertEqual(self.query("s.db", ATTEMPTS_DONE), [(20, 20)])

        # The process that submitted the job is killed; the next start finds the job.
        killed = self.start(*by_slurm("s.yaml", "t.db", "2"))
        self.assertTrue(eventually(lambda: self.count("t.db", "FROM notes WHERE value <> ''") > 0))
        killed.process.send_signal(signal.SIGKILL)
        killed.wait()
        second = self.ok(*by_slurm("s.yaml", "t.db", "2"))
        self.assertNotIn("submitted job", second.err)
        self.assertEqual(self.rows("t.db"), self.rows("equal.db"))

        self.refused(*by_slurm("s.yaml", "u.db", "2"), "--sbatch", "--partition=nosuch",
                     says="sbatch refuses the job")


if __name__ == "__main__":
    unittest.main()
