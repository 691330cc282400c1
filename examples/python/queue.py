"""From a function to a certified posterior: how fast does a queue serve?"""
import bnre


def queue(arrivals, service, rng):
    """Waiting times of the first 20 people at one counter; the observation is what is written down: mean, longest, share of the free."""
    wait, waits = 0.0, []
    for _ in range(20):
        waits.append(wait)
        wait = max(0.0, wait + rng.exponential(1 / service) - rng.exponential(1 / arrivals))
    return [sum(waits) / 20, max(waits), waits.count(0.0) / 20]


if __name__ == "__main__":
    task = bnre.Task({"arrivals": "uniform(0.2, 2)", "service": "uniform(0.2, 4)"}, simulator=queue)
    data = bnre.simulate(task, 1000, seed=1)
    est = bnre.train(data, members=2, epochs=40)
    post = est.posterior([0.4, 1.9, 0.45])
    print(post)
    print("a service of 1 per minute is in the 95 % region:", [0.7, 1.0] in post.region(0.95))
    print(est.diagnose(bnre.simulate(task, 200, seed=2))["verdict"])
