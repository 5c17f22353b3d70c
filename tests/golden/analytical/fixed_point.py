#!/usr/bin/env python3
"""Writes the golden tables of fixed point from that of FP32, by the equations alone (none of the project's code).

Z, Zchannel, M and macs do not depend on the format and are those of the FP32 table; every other column is computed from
the layer's sizes with BAND of each port and F. First the FP32 table itself is computed, and must come out as it is.
"""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
SOURCE = "fpgpt_gammas_googlenet_X4_Y8_B256.csv"
X, Y, BATCH, BUS = 4, 8, 256, 512
ORDER = "INP_DDR INP_DEC INP_CONSTR INP_I2C KERN_DDR KERN_DEC KERN_FEED SA OUT_CONSTR OUT_ENC OUT_DDR".split()


def ceil(a, b):
    return -(-a // b)


def align(a, b):
    return ceil(a, b) * b


def burst(words, band):  # A.1-A.3, A.22-A.24, F1
    beats = ceil(words, band)
    return align(min(beats, 256), 16) * max(ceil(beats, 256), 3)


def columns(row, layer, band, out_band, final_add):
    n, c, d = BATCH, layer["C"], layer["D"]
    ifm, ofm, kernel = layer["H"] * layer["W"], layer["Hout"] * layer["Wout"], layer["kh"] * layer["kw"]
    z, z_channel, m, kind = int(row["Z"]), int(row["Zchannel"]), int(row["M"]), row["kind"]
    gw = kind == "GW"
    if kind == "F":
        a, n_inp, n_kern, channels, out_map, kern_map = 1, n, d, c, ofm, c * kernel
    elif kind == "GI":
        a, n_inp, n_kern, channels, out_map, kern_map = 1, n, c, d, ifm, d * kernel
    else:
        a, n_inp, n_kern, channels, out_map, kern_map = n, c, d, 1, kernel, ofm
    n_out, c_out = (n_kern, n_inp) if gw else (n_inp, n_kern)
    sets, groups, passes, words = ceil(out_map, X), ceil(n_kern, Y), a * n_inp, n_kern * kern_map
    windows = channels * sets * groups * passes
    beats = ceil(z_channel, band)
    regroup = ceil(beats * band, z) if z < band else max(beats, ceil(z_channel, z))  # A.10, A.11, F6
    shift = Y + final_add  # 5.8; 6.2.2 without the final add
    feed = (m * sets + shift) * groups * passes
    return {
        "INP_DDR": burst(z_channel, band) * windows,
        "INP_DEC": beats * windows,
        "INP_CONSTR": regroup * windows,
        "INP_I2C": m * sets * groups * passes,
        "KERN_DDR": burst(words, band) * passes if gw else ceil(words, band),
        "KERN_DEC": ceil(words, min(Y, band)) * passes if gw else words,
        "KERN_FEED": align(kern_map, Y) + (align(m, Y) * sets + shift) * groups * passes if gw else words + feed,
        "SA": feed,
        "OUT_CONSTR": Y * sets * ceil(n_out, Y) * c_out * a + sets * c_out * n_out if gw
        else Y * sets + Y * sets * groups * n_inp,
        "OUT_ENC": ceil(c_out * out_map, min(X, out_band)) * n_out,
        "OUT_DDR": ceil(n_out * c_out * out_map, out_band),
    }


def table(rows, layers, band, final_add):
    for row in rows:
        new = dict(row)
        cycles = columns(row, layers[row["layer"]], band, BUS // 32, final_add)
        new.update({name: str(value) for name, value in cycles.items()})
        slowest = max(ORDER, key=lambda name: cycles[name])  # the first of equals
        new.update({"TOTAL": str(cycles[slowest]), "limiter": slowest})
        yield new


def main():
    with open(HERE / SOURCE, newline="") as file:
        rows = list(csv.DictReader(file))
    with open(HERE / "../networks/googlenet.csv", newline="") as file:
        layers = {row["layer"]: {key: int(value) for key, value in row.items() if key != "layer"}
                  for row in csv.DictReader(file)}
    if list(table(rows, layers, BUS // 32, 8)) != rows:
        sys.exit(f"the equations do not give {SOURCE} as it is")
    for bits in 8, 12:
        with open(HERE / SOURCE.replace("B256", f"B256_fxp{bits}"), "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table(rows, layers, BUS // bits, 0))


main()
