"""Conditional densities in PyTorch, timed on demand.

compare.py starts this and takes turns with bench_densities. For each line `CASE
TIMES` on stdin it answers the processor seconds of one repetition. Cases, with
two parameters and x of length 8 (two) or ten and x of length 10 (ten), five
members with a head of 3 x 64 for each parameter, mixtures of eight logistic
densities:

  step/two    a training step of one member: 64 simulations, -log q and the
              balance penalty of each factor, backward, AdamW
  all/two     the same of all five members at once, by batched products
  draws/ten   10,000 draws for one observation, each of a member by chance
  pairs/two   100 pairs: 100 draws for each, and the densities by all members
  pairs/ten   of these and of the true parameters; all 10,000 rows at a time

For whole jobs (jobs.py), which have ten members:

  npe/two, npe/ten
              a training step of one member by -log q alone
  draws10/two, draws10/ten
              10,000 draws for one observation
  pairs10/two as pairs/two
"""
import math
import sys
import time

import torch
from torch import nn

MEMBERS, WIDTH, COMPONENTS, BATCH, LAMBDA = 5, 64, 8, 64, 100.0
DRAWS, PAIRS, POINTS, LEAST = 10000, 100, 100, 1e-4
SIZES = {"two": (2, 8), "ten": (10, 10)}


class Linear(nn.Module):
    """Of several networks at once: (networks, rows, inputs)."""

    def __init__(self, networks, inputs, outputs):
        super().__init__()
        bound = 1 / math.sqrt(inputs)
        self.weight = nn.Parameter(
            torch.empty(networks, inputs, outputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(
            torch.empty(networks, 1, outputs).uniform_(-bound, bound))

    def forward(self, x):
        return torch.baddbmm(self.bias, x, self.weight)


def head(inputs, linear):
    return nn.Sequential(linear(inputs, WIDTH), nn.ELU(), linear(WIDTH, WIDTH),
                         nn.ELU(), linear(WIDTH, WIDTH), nn.ELU(),
                         linear(WIDTH, 3 * COMPONENTS))


def spread(raw):
    """Log weights, places around spread starts, widths."""
    weight, place, width = raw.chunk(3, dim=-1)
    starts = (torch.arange(COMPONENTS) + 0.5) / COMPONENTS
    return (torch.log_softmax(weight, dim=-1), place + starts,
            LEAST + (1 - LEAST) * torch.sigmoid(width - 2))


def log_density(raw, c):
    """Of logistic densities cut to [0, 1]."""
    weight, place, width = spread(raw)
    z = (c.unsqueeze(-1) - place) / width
    mass = (torch.sigmoid((1 - place) / width)
            - torch.sigmoid(-place / width)).clamp(min=1e-30)
    return torch.logsumexp(weight - z - 2 * nn.functional.softplus(-z)
                           - width.log() - mass.log(), dim=-1)


def draw(raw):
    weight, place, width = spread(raw)
    k = torch.multinomial(weight.exp(), 1)
    place, width = place.gather(-1, k)[:, 0], width.gather(-1, k)[:, 0]
    low = torch.sigmoid(-place / width)
    high = torch.sigmoid((1 - place) / width)
    p = (low + torch.rand_like(low) * (high - low)).clamp(1e-7, 1 - 1e-7)
    return (place + width * torch.logit(p)).clamp(0, 1)


class Step:
    """Of one member, or of all with batched products."""

    def __init__(self, size, networks, balance=True):
        self.factors, x = SIZES[size]
        self.balance = balance
        shape = (BATCH,) if networks == 1 else (networks, BATCH)
        linear = (nn.Linear if networks == 1 else
                  lambda a, b: Linear(networks, a, b))
        self.heads = nn.ModuleList(head(x + j, linear)
                                   for j in range(self.factors))
        self.x, self.theta = torch.randn(*shape, x), torch.rand(
            *shape, self.factors)
        self.optimizer = torch.optim.AdamW(self.heads.parameters(), lr=1e-3,
                                           weight_decay=0.0)

    def work(self):
        loss = 0
        for j, net in enumerate(self.heads):
            raw = net(torch.cat((self.x, self.theta[..., :j]), dim=-1))
            own = log_density(raw, self.theta[..., j])
            if not self.balance:
                loss = loss - own.mean()
                continue
            fresh = log_density(raw, torch.rand_like(own))
            balance = (own.sigmoid() + fresh.sigmoid()).mean(dim=-1)
            loss = loss + (LAMBDA * (balance - 1) ** 2
                           - own.mean(dim=-1)).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()


class Posterior:
    def __init__(self, size, members=MEMBERS):
        self.factors, self.size = SIZES[size]
        self.members = [nn.ModuleList(head(self.size + j, nn.Linear)
                                      for j in range(self.factors))
                        for _ in range(members)]

    def draw(self, x):
        """A theta for each row of x."""
        member = torch.randint(len(self.members), (len(x),))
        theta = torch.empty(len(x), self.factors)
        for m, heads in enumerate(self.members):
            rows = (member == m).nonzero()[:, 0]
            seen = x[rows]
            for j, net in enumerate(heads):
                theta[rows, j] = draw(net(seen))
                seen = torch.cat((seen, theta[rows, j:j + 1]), dim=1)
        return theta

    def log_density(self, theta, x):
        both = torch.cat((x, theta), dim=1)
        each = [sum(log_density(net(both[:, :self.size + j]), theta[:, j])
                    for j, net in enumerate(heads)) for heads in self.members]
        return torch.logsumexp(torch.stack(each), dim=0) - math.log(len(self.members))


class Draws(Posterior):
    def __init__(self, size, members=MEMBERS):
        super().__init__(size, members)
        self.x = torch.randn(1, self.size)

    @torch.no_grad()
    def work(self):
        self.draw(self.x.repeat(DRAWS, 1))


class Pairs(Posterior):
    def __init__(self, size, members=MEMBERS):
        super().__init__(size, members)
        self.x = torch.randn(PAIRS, self.size)
        self.theta = torch.rand(PAIRS, self.factors)

    @torch.no_grad()
    def work(self):
        x = self.x.repeat_interleave(POINTS, dim=0)
        drawn = self.log_density(self.draw(x), x).view(PAIRS, POINTS)
        own = self.log_density(self.theta, self.x)
        (drawn > own.unsqueeze(1)).sum(dim=1)


def make(name):
    kind, size = name.split("/")
    if kind in ("step", "all", "npe"):
        return Step(size, MEMBERS if kind == "all" else 1, kind != "npe")
    members = 10 if kind.endswith("10") else MEMBERS
    return {"draws": Draws, "pairs": Pairs}[kind.rstrip("10")](size, members)


def main():
    case, bench = None, None
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__}", flush=True)
    for line in sys.stdin:
        name, times = line.split()
        if name != case:
            case, bench = name, make(name)
            bench.work()  # the first takes longer
        start = time.process_time()
        for _ in range(int(times)):
            bench.work()
        print((time.process_time() - start) / int(times), flush=True)


if __name__ == "__main__":
    main()
