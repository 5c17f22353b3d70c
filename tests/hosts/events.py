"""events.py XCLBIN SEED: a host in pyopencl of random commands, as OpenCL's events and its own data see them.

Prints a line of JSON for each command that its events profile: its name, bytes, and the four times. The seed draws the
number of commands, their sizes, and whether the queue works in order. The data are checked. With the seed "unordered" the
commands of a queue out of order wait for nothing.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import numpy as np
import pyopencl as cl

INP, KERN, OUT = 19, 20, 21  # arguments of the kernel
GUARD = 64 << 10


class Host:
    def __init__(self, xclbin: str, seed: str) -> None:
        self.drawn = random.Random(seed)
        device, = cl.get_platforms()[0].get_devices()
        self.context = cl.Context([device])
        self.unordered = seed == "unordered"
        self.in_order = not self.unordered and self.drawn.random() < 0.5
        out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE |
                                     (0 if self.in_order else out_of_order))
        with open(xclbin, "rb") as file:
            program = cl.Program(self.context, [device], [file.read()]).build()
        self.kernel, = program.all_kernels()
        self.last: list[Any] = []

    def enqueue(self, name: str, size: int, work: Any) -> Any:
        """A command after the last one, by the queue's order or by an event; the program waits for some of them."""
        event = work(None if self.in_order or self.unordered else self.last)
        self.last = [event]
        self.events.append((name, size, event))
        if not self.unordered and self.drawn.random() < 0.3:
            event.wait()
        return event

    def convolve(self) -> None:
        """A forward convolution of one image, 3 x 3 with padding: ones, so that each output counts its products."""
        self.events: list[Any] = []
        channels, filters = self.drawn.randint(1, 4), self.drawn.randint(1, 9)
        side = self.drawn.randint(3, 9)
        sizes = [0, 1, 1, filters, channels, side, side, 3, 3, side, side, 1, 1, 1, 1, 1, 1, 1, 1]
        inp = np.ones((channels, side, side), np.float32)
        kern = np.ones((filters, channels, 3, 3), np.float32)
        out = np.zeros((filters, side, side), np.float32)
        buffers = [cl.Buffer(self.context, cl.mem_flags.READ_WRITE, each.nbytes + GUARD) for each in (inp, kern, out)]
        pitches = [0, channels * side * side, side * side, 0, filters * side * side]
        for argument, value in enumerate((*map(np.uint32, sizes), *buffers, *map(np.uint32, pitches))):
            self.kernel.set_arg(argument, value)
        # XRT keeps the data written to a buffer before the first launch that uses it in the host's memory.
        self.enqueue("migrate", 0, lambda wait: cl.enqueue_migrate_mem_objects(self.queue, buffers, wait_for=wait))
        for name, buffer, data in (("write", buffers[0], inp), ("write", buffers[1], kern)):
            self.enqueue(name, data.nbytes, lambda wait, buffer=buffer, data=data: cl.enqueue_copy(
                self.queue, buffer, data, is_blocking=self.unordered or self.drawn.random() < 0.5, wait_for=wait))
        for _ in range(self.drawn.randint(1, 3)):
            self.enqueue("launch", 0, lambda wait: cl.enqueue_nd_range_kernel(
                self.queue, self.kernel, (1,), (1,), wait_for=wait))
        self.enqueue("read", out.nbytes, lambda wait: cl.enqueue_copy(self.queue, out, buffers[2], is_blocking=False,
                                                                      wait_for=wait))
        self.queue.finish()
        padded = np.pad(np.ones((side, side)), 1)
        counts = sum(padded[y:y + side, x:x + side] for y in range(3) for x in range(3)) * channels
        assert self.unordered or (out == counts).all(), "wrong results"
        self.tell()

    def copies(self) -> None:
        """Transfers of two buffers in the bank of INP, and a copy from one to the other. XRT moves a buffer to the card when the
        program migrates it; of one that stays in the host's memory the copy moves it."""
        self.events = []
        size = self.drawn.choice((4096, 100_000, 1 << 20, 3 << 19))
        data = np.frombuffer(self.drawn.randbytes(size), np.uint8).copy()
        before = np.frombuffer(self.drawn.randbytes(size), np.uint8).copy()
        back = np.zeros_like(data)
        first, second = (cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size) for _ in range(2))
        for buffer in (first, second):
            self.kernel.set_arg(INP, buffer)
            if self.drawn.random() < 0.5:
                self.enqueue("migrate", 0, lambda wait, buffer=buffer: cl.enqueue_migrate_mem_objects(
                    self.queue, [buffer], wait_for=wait))
        for buffer, content in ((first, data), (second, before)):
            self.enqueue("write", size, lambda wait, buffer=buffer, content=content: cl.enqueue_copy(
                self.queue, buffer, content, is_blocking=False, wait_for=wait))
        begin, end = sorted(self.drawn.sample(range(0, size, 4), 2))
        self.enqueue("copy", end - begin, lambda wait: cl.enqueue_copy(
            self.queue, second, first, src_offset=begin, dst_offset=size - end, byte_count=end - begin, wait_for=wait))
        self.enqueue("read", size, lambda wait: cl.enqueue_copy(self.queue, back, second, is_blocking=False, wait_for=wait))
        self.queue.finish()
        expected = before.copy()
        expected[size - end:size - begin] = data[begin:end]
        assert (back == expected).all(), f"a copy of {end - begin} bytes went wrong"
        self.tell()

    def tell(self) -> None:
        for name, size, event in self.events:
            profile = event.profile
            print(json.dumps([name, size, profile.queued, profile.submit, profile.start, profile.end]))


def main(xclbin: str, seed: str) -> None:
    host = Host(xclbin, seed)
    for _ in range(1 if host.unordered else host.drawn.randint(1, 4)):
        (host.convolve if host.unordered else host.drawn.choice((host.convolve, host.copies)))()


if __name__ == "__main__":
    main(*sys.argv[1:])
