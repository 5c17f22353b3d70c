"""Catalogue of broken input: every user error ends with exit code 2, one line that names the error and its place, no standard
output and no new file. The cases are in cases.yaml; each is a test of its name. GTEST_FILTER chooses among them, as in the unit
tests."""

from __future__ import annotations

import os
import re
import sys
import unittest
from fnmatch import fnmatchcase
from functools import partialmethod
from pathlib import Path
from typing import Any

import yaml

from support import CONFIGS, WeftTest


# Skipped for root. It is a test of CTest by itself, for CTest lists a test as skipped in which anything is.
SKIPPED = "UnreadableConfig"


def cases(tests: list[str]) -> list[dict[str, Any]]:
    """The case of the only test that is named; all cases otherwise, which take longer to read than a command to fail. Of the
    whole BadInput, those that GTEST_FILTER chooses."""
    shared, *each = re.split("^(?=- name: )", (Path(__file__).parent / "cases.yaml").read_text(), flags=re.MULTILINE)
    if len(tests) == 1:
        each = [case for case in each if f"BadInput.test_{case.split()[2]}" == tests[0]] or each
    values = yaml.load("".join([shared, *each]), Loader=yaml.CSafeLoader)
    values = [value for value in values if "args" in value]
    if tests == ["BadInput"]:
        patterns = os.environ.get("GTEST_FILTER", "*").split(":")
        values = [value for value in values if value["name"] != SKIPPED and
                  any(fnmatchcase(f"BadInput.{value['name']}", pattern) for pattern in patterns)]
    return values


CASES = cases(sys.argv[1:])


def laughs() -> str:
    """A short text that expands to 10^12 values."""
    lines = ["a0: &a0 [" + ", ".join("1" * 10) + "]\n"]
    return "".join(lines + [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]\n" for i in range(1, 12)])


def broken_onnx(mistake: str) -> bytes:
    """A network of one convolution of 5 channels into 4 filters with a kernel of 3. `mistake` selects the fault; "none" is no
    fault, "relu" an activation instead."""
    from onnx import TensorProto, ValueInfoProto, helper  # takes a while

    rank = {"rank2": 2, "rank6": 6}.get(mistake, 4)
    size = "size" if mistake == "dynamic" else 8
    image = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 5, size, size, size, size][:rank])
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, raw_data=bytes(4 * 4 * 5 * 3 * 3 * 3),
                          dims=[4, 3 if mistake == "channels" else 5, 3, 3, 3, 3][:rank])
    attributes: dict[str, Any] = {"groups": {"group": 2}, "kernel_shape": {"kernel_shape": [5, 5]}}.get(mistake, {})
    alone = mistake in ("relu", "no_weights")
    nodes = [helper.make_node("Relu" if mistake == "relu" else "Conv", ["x"] if alone else ["x", "w"], ["y"], "conv",
                              **attributes)]
    outputs = ["y"]
    if mistake in ("outputs", "cycle"):
        nodes.append(helper.make_node("Add", ["y", "z" if mistake == "cycle" else "y"], ["z"], "sum"))
        outputs.append("z")
    graph = helper.make_graph(nodes, "g", [image], [ValueInfoProto(name=name) for name in outputs], [] if alone else [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model.SerializeToString()


class BadInput(WeftTest):
    def generate(self, name: str, what: str) -> None:
        path = self.folder / name
        generator, _, argument = what.partition(" ")
        if what == "directory":
            path.mkdir()
        elif what == "symlink_loop":
            path.symlink_to(name)
        elif what == "unreadable":
            if os.geteuid() == 0:
                self.skipTest("root reads everything")
            self.write(name, "batch: 1\n").chmod(0)
        elif generator == "truncated":  # the first half of one of the project's networks
            whole = (CONFIGS / argument).read_bytes()
            path.write_bytes(whole[:len(whole) // 2])
        elif generator == "onnx":
            path.write_bytes(broken_onnx(argument))
        else:
            path.write_bytes({"latin1": b"name: a\ntitle: caf\xe9\n",
                              "zeros": bytes(1000),
                              "deep": b"kernel: " + b"[" * 40 + b"]" * 40 + b"\n",
                              "very_deep": b"kernel: " + b"[" * 100000 + b"]" * 100000 + b"\n",
                              "large": b"#" * (2 << 20),
                              "laughs": laughs().encode()}[what])

    def ends_with_one_line_that_names_the_mistake(self, case: dict[str, Any]) -> None:
        for name, content in case.get("files", {}).items():
            self.write(name, content)
        for name, what in case.get("generate", {}).items():
            self.generate(name, what)
        before = self.listing()
        outcome = self.weft(*case["args"])
        self.assertEqual((outcome.code, outcome.out), (2, ""), outcome.err)
        self.assertTrue(outcome.err.startswith("weft: error: "), outcome.err)
        self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
        for text in case["expect"]:
            self.assertIn(text, outcome.err)
        self.assertEqual(self.listing(), before, "something was left behind")


for each in CASES:
    setattr(BadInput, f"test_{each['name']}", partialmethod(BadInput.ends_with_one_line_that_names_the_mistake, each))


class BadInputCatalogue(unittest.TestCase):
    def test_holds_at_least_sixty_cases_of_different_names(self) -> None:
        self.assertGreaterEqual(len(CASES), 60)
        self.assertEqual(len({each["name"] for each in CASES}), len(CASES))


if __name__ == "__main__":
    unittest.main()
