"""Writes the data: a standardised mixture of 15 Gaussians, whose eigenvalues beyond the 14th lie in a tight bulk.

usage: mixture.py OUT.npy N D [--new M NEW.npy] [--float]

The new points come from the same mixture and are scaled like the others. A program of its own, since
a process that held the data would count its memory towards the peak of everything that it starts.
"""
import argparse

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("n", type=int)
parser.add_argument("d", type=int)
parser.add_argument("--new", nargs=2, action="append", default=[])
parser.add_argument("--float", action="store_true")
options = parser.parse_args()

rng = np.random.default_rng(0)
centres = rng.normal(size=(15, options.d)) * 2


def draw(n):
    return centres[rng.integers(15, size=n)] + rng.normal(size=(n, options.d))


x = draw(options.n)
mean, deviation = x.mean(axis=0), x.std(axis=0)
kind = np.float32 if options.float else np.float64
np.save(options.out, ((x - mean) / deviation).astype(kind))
for count, path in options.new:
    np.save(path, ((draw(int(count)) - mean) / deviation).astype(kind))
