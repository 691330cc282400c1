"""Reads `seed rate scale offset`, answers 16 numbers, until its input ends."""
import math
import random
import sys

for line in sys.stdin:
    seed, rate, scale, offset = line.split()
    rate, scale, offset = float(rate), float(scale), float(offset)
    noise = random.Random(int(seed))  # the same seed, the same numbers
    x = [scale * math.exp(-rate * i / 4) + offset + noise.gauss(0, 0.05)
         for i in range(16)]
    print(*x, flush=True)  # without flush, both sides wait forever
