"""Completions and help for a shell."""

from __future__ import annotations

import unittest

from support import WeftTest, processor_seconds, run

# $1: the line; $2: its last word as bash splits it. $0: weft.
OFFERS = """
eval "$("$0" completion bash)"
complete -p weft >/dev/null || exit 1
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("$0" "$2") COMP_CWORD=1
_weft 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
OF_THE_LAUNCHER = {"test", "install", "build", "python", "docs", "package", "new-design"}


class Completion(WeftTest):
    def complete(self, *words: str) -> list[str]:
        return self.ok("__complete", *words).out.splitlines()

    def in_bash(self, line: str, broken: str = "") -> list[str]:
        """bash's offers at the end of the line; `broken`: its last word as bash splits it."""
        outcome = run("/bin/bash", "--norc", "-c", OFFERS, self.binary, line, broken, folder=self.folder)
        self.assertEqual(outcome.code, 0, outcome.err)
        return outcome.out.splitlines()

    def test_of_commands_options_and_names(self) -> None:
        for words, offers in ((["ti"], ["timeline"]),
                              (["doc"], ["docs"]),
                              (["run", "goo"], ["googlenet-u250", "googlenet-u250-advised"]),
                              (["sweep", "better"], ["better-card"]),
                              (["run", "--stri"], ["--strict-fit"]),
                              (["run", "googlenet-u250", "--rung", "s"], ["systemc"]),
                              (["run", "googlenet-u250", "--rung=s"], ["--rung=systemc"]),
                              (["run", "--workers", "2", "goo"], ["googlenet-u250", "googlenet-u250-advised"]),
                              (["run", "--out", ""], []),  # files
                              (["no-such-command", ""], [])):
            self.assertEqual(self.complete(*words), offers, words)
        commands = self.complete("")
        self.assertIn("run", commands)
        self.assertIn("python", commands, "the launcher's, too")
        self.assertNotIn("__complete", commands)
        self.assertIn("squeezenet1_1", self.complete("show", "sq"))
        of_any_run = self.complete("dse", "--set", "kernel.ar")
        self.assertEqual(of_any_run, self.complete("run", "--set", "kernel.ar"))

    def test_of_keys_part_by_part_and_of_layers(self) -> None:
        both = ["kernel.array.x=", "kernel.array.y="]
        for words, offers in ((["conv-small", "--set", "kernel.arr"], ["kernel.array."]),
                              (["conv-small", "--set", "kernel.array."], both),
                              (["conv-small", "--set", "batch=4", "--set", "kernel.array.x"], both[:1]),
                              (["googlenet-u250", "--only", "inception5b.branch1"], ["inception5b.branch1.conv"]),
                              (["googlenet-u250", "--only", "conv1.conv:F,conv2"], ["conv1.conv:F,conv2.conv"]),
                              (["googlenet-u250", "--only", "conv1.conv:G"], ["conv1.conv:GI", "conv1.conv:GW"])):
            self.assertEqual(self.complete("run", *words), offers, words)
        self.assertIn("kernel.ports.", self.complete("run", "conv-small", "--set", "kernel.po"))
        self.assertIn("network=resnet20", self.complete("run", "conv-small", "--set", "network="))

    def test_through_bash(self) -> None:
        self.assertEqual(self.in_bash("weft ti", "ti"), ["timeline"])
        self.assertEqual(self.in_bash("./weft run goo", "goo"), ["googlenet-u250", "googlenet-u250-advised"])
        self.assertIn("run", self.in_bash("weft "))
        self.assertIn("kernel.array.x=", self.in_bash("weft run conv-small --set kernel.array."))
        after_equals = self.in_bash("weft run conv-small --set network=resnet2", "resnet2")
        self.assertEqual(after_equals, ["resnet20"])
        after_colon = self.in_bash("weft run googlenet-u250 --only conv1.conv:G", "G")
        self.assertEqual(after_colon, ["GI", "GW"])

    def test_answers_at_once(self) -> None:
        """Completion reads a run and its network, in twice the time of a start. A busy machine is slow at both."""
        def seconds(*arguments: str) -> float:
            return processor_seconds(lambda: self.ok(*arguments))

        times = [(seconds("--version"), seconds("__complete", "run", "googlenet-u250", "--only", "inception5b"))
                 for _ in range(9)]
        starting, completing = map(min, zip(*times))
        self.assertLess(completing, 4 * starting)
        self.assertLess(completing, 0.5)

    def test_offers_every_option_that_the_help_of_a_command_names_and_every_help_has_examples(self) -> None:
        names = set(self.complete("")) - OF_THE_LAUNCHER
        self.assertIn("run", names)
        for name in sorted(names):
            shown = self.ok(name, "--help")
            self.assertEqual(shown.err, "", name)
            self.assertIn("Examples:", shown.out)
            self.assertIn(f"weft {name}", shown.out)
            for option in self.complete(name, "--"):
                self.assertIn(option, shown.out, name)


if __name__ == "__main__":
    unittest.main()
