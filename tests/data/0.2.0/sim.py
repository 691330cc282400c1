import sys, random
for line in sys.stdin:
    seed, rate, scale, drift = line.split()
    random.seed(int(seed))
    r = float(rate)
    if r > 8:
        print("error rate too large", flush=True)
        continue
    print(*(random.expovariate(max(r, 0.1)) * float(scale) + float(drift) for _ in range(3)), flush=True)
