"""Logistic against normal components of conditional densities, in PyTorch.

  python3 components.py TRAIN.npz TEST.npz LOW HIGH [SEED]

TRAIN and TEST hold theta and x (bnre simulate -o FILE.npz); LOW and HIGH are the
bounds of uniform priors, separated by commas. Five members (networks of 3 x 64
ELU for each parameter, eight components cut to the prior's interval), trained
together; prints information in nats and the coverage AUC of both kinds.
"""
import sys

import numpy as np
import torch

MEMBERS, K, WIDTH, BATCH, DRAWS, FLOOR = 5, 8, 64, 64, 100, 1e-4
torch.set_num_threads(1)
torch.set_default_dtype(torch.float32)


class Normal:
    cdf = staticmethod(torch.special.ndtr)
    inverse = staticmethod(torch.special.ndtri)

    @staticmethod
    def log_density(z):
        return -0.5 * z * z - 0.9189385332046727


class Logistic:
    cdf = staticmethod(torch.sigmoid)
    inverse = staticmethod(torch.logit)

    @staticmethod
    def log_density(z):
        return -z - 2 * torch.nn.functional.softplus(-z)


def start(inputs, generator):
    """Weights of all members' networks of one parameter."""
    sizes = [inputs, WIDTH, WIDTH, WIDTH, 3 * K]
    out = []
    for a, b in zip(sizes, sizes[1:]):
        scale = (0.1 if b == 3 * K else 1.0) / a ** 0.5
        out += [scale * torch.randn(MEMBERS, a, b, generator=generator),
                torch.zeros(MEMBERS, 1, b)]
    out[-1][:, 0, K:2 * K] = torch.logit((torch.arange(K) + 0.5) / K)
    out[-1][:, 0, 2 * K:] = float(np.log(1 / K))
    return [p.requires_grad_() for p in out]


def components(weights, h):
    """(members, rows, inputs) -> log weights, places in [0, 1], widths."""
    for i in range(0, len(weights), 2):
        h = torch.baddbmm(weights[i + 1], h, weights[i])
        if i + 2 < len(weights):
            h = torch.nn.functional.elu(h)
    return (torch.log_softmax(h[..., :K], -1), h[..., K:2 * K].sigmoid(),
            FLOOR + torch.exp(h[..., 2 * K:].clamp(-12, 3)))


def log_density(kind, parts, u):
    log_w, m, s = parts
    z = (u[..., None] - m) / s
    mass = kind.cdf((1 - m) / s) - kind.cdf(-m / s)
    return torch.logsumexp(log_w + kind.log_density(z) - s.log() - mass.log(),
                           -1)


def draw(kind, parts, generator):
    log_w, m, s = parts
    k = torch.multinomial(log_w.exp(), 1, generator=generator)
    m, s = m.gather(1, k)[:, 0], s.gather(1, k)[:, 0]
    low, high = kind.cdf(-m / s), kind.cdf((1 - m) / s)
    v = torch.rand(len(m), generator=generator)
    z = kind.inverse((low + v * (high - low)).clamp(1e-7, 1 - 1e-7))
    return (m + s * z).clamp(0, 1)


def train(kind, x, u, j, generator):
    """Networks of parameter j; each member holds out a tenth of its own."""
    n = len(u)
    order = torch.stack([torch.randperm(n, generator=generator)
                         for _ in range(MEMBERS)])
    inside, outside = order[:, n // 10:], order[:, :n // 10]
    weights = start(x.shape[1] + j, generator)
    first = [torch.zeros_like(p) for p in weights]
    second = [torch.zeros_like(p) for p in weights]
    best = [p.detach().clone() for p in weights]
    best_loss = torch.full((MEMBERS,), 1e9)
    rate, idle = torch.full((MEMBERS,), 1e-3), torch.zeros(MEMBERS)
    inputs, step = torch.cat([x, u[:, :j]], 1), 0
    for _ in range(500):
        inside = torch.stack([row[torch.randperm(len(row),
                                                 generator=generator)]
                              for row in inside])
        for at in range(0, inside.shape[1] - BATCH + 1, BATCH):
            rows = inside[:, at:at + BATCH]
            loss = -log_density(kind, components(weights, inputs[rows]),
                                u[rows, j]).mean(1).sum()
            gradients = torch.autograd.grad(loss, weights)
            step += 1
            with torch.no_grad():
                for p, g, a, b in zip(weights, gradients, first, second):
                    a.mul_(0.9).add_(g, alpha=0.1)
                    b.mul_(0.999).addcmul_(g, g, value=0.001)
                    size = rate.view(-1, 1, 1) / (1 - 0.9 ** step)
                    p -= size * a / ((b / (1 - 0.999 ** step)).sqrt() + 1e-8)
        with torch.no_grad():
            loss = -log_density(kind, components(weights, inputs[outside]),
                                u[outside, j]).mean(1)
            better = loss < best_loss
            for p, q in zip(best, weights):
                p[better] = q[better]
            best_loss = torch.where(better, loss, best_loss)
            idle = torch.where(better, torch.zeros(MEMBERS), idle + 1)
            fall = idle >= 10
            rate = torch.where(fall, rate / 3, rate)
            idle[fall] = 0
            if (rate < 2e-5).all():
                break
    return best


def joint(kind, factors, x, u):
    """log q of the mixture of whole densities."""
    total = 0
    for j, weights in enumerate(factors):
        h = torch.cat([x, u[:, :j]], 1).expand(MEMBERS, -1, -1)
        total = total + log_density(kind, components(weights, h), u[:, j])
    return torch.logsumexp(total, 0) - np.log(MEMBERS)


def sample(kind, factors, x, generator):
    member = torch.randint(MEMBERS, (len(x),), generator=generator)
    u = torch.zeros(len(x), 0)
    for weights in factors:
        h = torch.cat([x, u], 1).expand(MEMBERS, -1, -1)
        parts = [p[member, torch.arange(len(x))]
                 for p in components(weights, h)]
        u = torch.cat([u, draw(kind, parts, generator)[:, None]], 1)
    return u


def main():
    low, high = (np.array(list(map(float, a.split(",")))) for a in sys.argv[3:5])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    data = [np.load(p) for p in sys.argv[1:3]]
    u, u_test = (torch.tensor((d["theta"] - low) / (high - low)).float()
                 .clamp(0, 1) for d in data)
    x, x_test = (torch.tensor(d["x"].reshape(len(d["x"]), -1)).float()
                 for d in data)
    mean, scale = x.mean(0), x.std(0)
    x, x_test = (x - mean) / scale, (x_test - mean) / scale
    for kind in (Logistic, Normal):
        generator = torch.Generator().manual_seed(seed)
        factors = [train(kind, x, u, j, generator) for j in range(u.shape[1])]
        with torch.no_grad():
            truth = joint(kind, factors, x_test, u_test)
            denser = torch.zeros(len(x_test))
            for _ in range(DRAWS):
                drawn = sample(kind, factors, x_test, generator)
                denser += joint(kind, factors, x_test, drawn) > truth
            rank = (denser + torch.rand(len(denser), generator=generator)) / (
                DRAWS + 1)
            levels = torch.arange(0.05, 0.999, 0.05)
            auc = np.mean([float((rank <= c).float().mean() - c)
                           for c in levels])
        print(f"{kind.__name__:9s} seed {seed}: {truth.mean():.3f} nats, "
              f"AUC {auc:+.3f}", flush=True)


main()
