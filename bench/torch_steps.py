"""The reference networks in PyTorch, timed on demand.

compare.py starts this once for each setting of threads and takes turns with
bench_nn. For each line `CASE TIMES` on stdin it answers the seconds of one
repetition; the first line says which PyTorch this is. Cases:

  step/TASK   one training step of 128 simulations as the reference does it:
              a pass for the joint and one for the marginal pairs, the balanced
              loss, backward, AdamW
  grid/TASK   the posterior on 90 x 90 nodes for one observation as the reference
              does it: nodes and their prior, x repeated for every node and sent
              through the embedding again, the network
  reference/slcp
              that, and the search for the threshold of each of 19 levels:
              what the reference spends on a pair of its coverage curve
  pass/TASK   of a grid only the network on given inputs, in the best batches

TASK is slcp, lotka_volterra, gw, spatial_sir, or gw_tree: the network of gw in
the form of a tree, which leaves out all positions that never reach the output.
"""
import re
import sys
import time

import torch
from torch import nn

BATCH, NODES, LAMBDA = 128, 8100, 100.0
# Rows that go through at a time. The reference takes all nodes at once, which
# for the larger networks is not PyTorch's best: those have the fastest of a few
# sizes, and are timed on some passes only, scaled up, where all would take
# minutes.
ROWS = {"grid/slcp": NODES, "pass/slcp": 900}
FEW_ROWS = 90
PASSES = {"gw": 2, "gw_tree": 10, "spatial_sir": 2, "lotka_volterra": 20}


def mlp(inputs, width, hidden, activation):
    layers = [nn.Linear(inputs, width), activation()]
    for _ in range(hidden - 1):
        layers += [nn.Linear(width, width), activation()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


class LotkaVolterra(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Conv1d(2, 8, 1)]
        for i in range(8):
            layers += [nn.Conv1d(8, 8, 3, padding=1), nn.SELU(),
                       nn.MaxPool1d(3, stride=2 - i % 2, padding=1)]
        self.layers = nn.Sequential(*layers, nn.Flatten())

    def forward(self, x):
        return self.layers(x.view(-1, 1001, 2).transpose(1, 2) / 100)


def dilated():
    layers = [nn.Conv1d(2, 16, 1)]
    for i in range(13):
        layers += [nn.Conv1d(16, 16, 2, dilation=2 ** i), nn.SELU()]
    return nn.Sequential(*layers, nn.Flatten())


class Tree(nn.Module):
    """The output needs position 0 of the last layer, hence 0 and 4096 of the
    one before, ...: pairs of neighbours among those that are needed. As matrix
    products, twice as fast here as convolutions of stride 2."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 16)
        self.layers = nn.ModuleList(nn.Linear(32, 16) for _ in range(13))
        self.selu = nn.SELU()

    def forward(self, x):
        y = self.first(x.transpose(1, 2))
        for layer in self.layers:
            y = self.selu(layer(y.reshape(len(y), -1, 32)))
        return y.reshape(len(y), 16)


class Block(nn.Module):
    def __init__(self, inputs, planes, stride, norm):
        super().__init__()
        layers = []
        for i in range(2):
            layers.append(nn.Conv2d(planes if i else inputs, planes, 3,
                                    stride=1 if i else stride, padding=1,
                                    bias=False))
            if norm:
                layers.append(nn.BatchNorm2d(planes))
            if i == 0:
                layers.append(nn.LeakyReLU())
        self.main = nn.Sequential(*layers)
        self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(
            nn.Conv2d(inputs, planes, 1, stride=stride, bias=False),
            nn.BatchNorm2d(planes))
        self.activation = nn.LeakyReLU()

    def forward(self, x):
        return self.activation(self.shortcut(x) + self.main(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
              nn.LeakyReLU(), nn.MaxPool2d(3, stride=2, padding=1)]
    planes = [64, 64, 128, 256, 512]
    for stage in range(4):
        for block in range(2):
            first = block == 0
            layers.append(Block(planes[stage] if first else planes[stage + 1],
                                planes[stage + 1],
                                2 if first and stage > 0 else 1, first))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Net(nn.Module):
    def __init__(self, embedding, head, theta_first=False):
        super().__init__()
        self.embedding, self.head = embedding, head
        self.theta_first = theta_first

    def forward(self, theta, x):
        phi = self.embedding(x)
        both = (theta, phi) if self.theta_first else (phi, theta)
        return self.head(torch.cat(both, dim=1)).squeeze(1)


def make(task):
    """The network and the shape of x."""
    if task == "slcp":
        return Net(nn.Identity(), mlp(10, 256, 6, nn.SELU), True), (8,)
    if task == "lotka_volterra":
        return Net(LotkaVolterra(), mlp(506, 128, 3, nn.SELU)), (1001, 2)
    if task == "gw":
        return Net(dilated(), mlp(18, 128, 3, nn.SELU)), (2, 8192)
    if task == "gw_tree":
        return Net(Tree(), mlp(18, 128, 3, nn.SELU)), (2, 8192)
    if task == "spatial_sir":
        return Net(resnet18(), mlp(514, 256, 3, nn.LeakyReLU)), (3, 50, 50)
    raise SystemExit(f"unknown task {task}")


class Step:
    def __init__(self, task):
        torch.manual_seed(1)
        self.net, shape = make(task)
        self.net.train()
        self.theta = torch.randn(BATCH, 2)
        self.x = torch.randn(BATCH, *shape)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3,
                                           weight_decay=0.0)
        self.criterion = nn.BCELoss()
        self.ones, self.zeros = torch.ones(BATCH), torch.zeros(BATCH)

    def run(self):
        joint = self.net(self.theta, self.x).sigmoid()
        marginal = self.net(self.theta[torch.randperm(BATCH)],
                            self.x[torch.randperm(BATCH)]).sigmoid()
        loss = (self.criterion(joint, self.ones)
                + self.criterion(marginal, self.zeros)
                + LAMBDA * (1 - joint - marginal).mean() ** 2)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()

    def seconds(self):
        start = time.perf_counter()
        self.run()
        return time.perf_counter() - start


class Pass:
    """The network on given nodes."""

    def __init__(self, task, kind="pass"):
        torch.manual_seed(1)
        self.net, shape = make(task)
        self.net.eval()
        self.x = torch.randn(1, *shape)
        self.rows = ROWS.get(f"{kind}/{task}", FEW_ROWS)
        self.passes = PASSES.get(task, NODES // self.rows)
        self.theta = self.nodes()
        self.repeated = self.repeat(self.rows)

    @staticmethod
    def nodes():
        axis = torch.linspace(-3, 3 - 1e-5, 90)
        first, second = torch.meshgrid(axis, axis, indexing="ij")
        return torch.stack([first.reshape(-1), second.reshape(-1)], dim=1)

    def repeat(self, rows):
        return self.x.repeat(rows, *[1] * (self.x.dim() - 1))

    def work(self):
        for theta in self.theta.split(self.rows)[:self.passes]:
            self.net(theta, self.repeated)

    @torch.no_grad()
    def seconds(self):
        start = time.perf_counter()
        self.work()
        return ((time.perf_counter() - start) * NODES
                / (self.passes * self.rows))


class Grid(Pass):
    """All of the reference's procedure for one observation."""

    def __init__(self, task):
        super().__init__(task, "grid")
        self.prior = torch.distributions.Uniform(torch.tensor([-3.0, -3.0]),
                                                 torch.tensor([3.0, 3.0]))

    def work(self):
        theta = self.nodes()
        parts = [self.net(part, self.repeat(len(part)))
                 for part in theta.split(self.rows)[:self.passes]]
        prior = self.prior.log_prob(theta).sum(dim=1)
        log_ratio = torch.cat(parts)
        return (prior[:len(log_ratio)] + log_ratio).exp()


class Reference(Grid):
    """And the credible regions of one pair: thresholds found digit by digit,
    by steps of a tenth down to 1e-15."""

    @staticmethod
    def threshold(weight, level):
        found, step = 1.0, 0.1
        while step > 0.5e-15:
            while weight[weight >= found - step].sum() < level:
                found -= step
            step /= 10
        return found

    def work(self):
        density = super().work()
        weight = (density / density.sum()).double()
        return [self.threshold(weight, level / 20) for level in range(1, 20)]

    @torch.no_grad()
    def seconds(self):
        start = time.process_time()  # as bench_diag has it
        self.work()
        return time.process_time() - start


def blas():
    """The library that multiplies matrices: it decides much."""
    torch.ones(64, 64) @ torch.ones(64, 64)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = re.findall(r"/(lib(?:open|\w*)blas[^/\s]*)", maps.read())
    for name in found:
        if "openblas" in name:
            return name
    return found[0] if found else "built in"


def main():
    case, bench = None, None
    print(f"PyTorch {torch.__version__}, {blas()}, "
          f"{torch.get_num_threads()} threads", flush=True)
    for line in sys.stdin:
        name, times = line.split()
        if name != case:
            bench = None  # room for the next
            kind, task = name.split("/")
            bench = {"step": Step, "grid": Grid, "pass": Pass,
                     "reference": Reference}[kind](task)
            case = name
            bench.seconds()  # the first takes longer
        spent = [bench.seconds() for _ in range(int(times))]
        print(sum(spent) / len(spent), flush=True)


if __name__ == "__main__":
    main()
