"""Files of draws as other programs read them: netCDF4, xarray, and the text of
GetDist and R. Usage: check_exchange.py BNRE DIRECTORY"""
import json
import os
import subprocess
import sys

import netCDF4
import numpy as np
import xarray

program, directory = sys.argv[1:]
os.chdir(directory)


def bnre(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


bnre("simulate", "--task", "gaussian", "--count", "256", "-o", "pairs.h5", "--force")
bnre("train", "--data", "pairs.h5", "--members", "1", "--epochs", "4", "-o", "est.h5", "--force")
for method, chains, length in (("auto", 1, 1000), ("chain", 128, 7)):
    bnre("posterior", "est.h5", "--observation", "pairs.h5:3", "--samples", "1000", "--sampler", method,
         "--write", "nc,getdist,stan,npy", "--format", "svg", "-o", method, "--force")
    samples = np.load(f"{method}/samples.npy")
    used = samples[:chains * length].reshape(length, chains, 2).swapaxes(0, 1)
    names = [line.split("\t")[0] for line in open(f"{method}/getdist.paramnames")]
    file = f"{method}/posterior.nc"
    posterior = xarray.open_dataset(file, group="posterior")
    assert dict(posterior.sizes) == {"chain": chains, "draw": length}
    assert list(posterior.data_vars) == names
    for i, name in enumerate(names):
        assert posterior[name].dims == ("chain", "draw")
        assert np.array_equal(posterior[name].values, used[:, :, i])
    assert posterior.attrs["inference_library"] == "bnre"
    assert posterior.attrs["certificate"] == "none"
    evidence = json.load(open(f"{method}/posterior.json"))["evidence"]["log_z"]
    assert np.isclose(posterior.attrs["log_evidence"], evidence, rtol=1e-6, atol=1e-9)

    stats = xarray.open_dataset(file, group="sample_stats")
    chain = np.loadtxt(f"{method}/getdist.txt")
    assert chain.shape == (chains * length, 4) and (chain[:, 0] == 1).all()
    assert np.array_equal(chain[:, 1], -stats["lp"].values.ravel())
    assert np.array_equal(chain[:, 2:], used.reshape(-1, 2))
    table = np.genfromtxt(f"{method}/draws.csv", delimiter=",", names=True, deletechars="")
    assert table.dtype.names == (".chain", ".iteration", ".draw", "lp__", *names)
    assert table[".chain"].max() == chains and table[".iteration"].max() == length

    prior = xarray.open_dataset(file, group="prior")
    # normal priors: a mean of n draws is within 5 standard errors but for 1 in 2 million
    for name in names:
        values = prior[name].values.ravel()
        assert abs(values.mean()) < 5 * values.std() / np.sqrt(values.size) + 1e-9
    observed = xarray.open_dataset(file, group="observed_data")
    assert observed["x"].shape == (2,)
    raw = netCDF4.Dataset(file)
    assert set(raw.groups) == {"posterior", "prior", "sample_stats", "observed_data"}
    assert raw["posterior"].dimensions["draw"].size == length

# Simulations from the draws go with them: each beside its draw.
for method, count, chains in (("auto", 40, 1), ("chain", 300, 128)):
    bnre("simulate", "--task", "gaussian", "--theta-file", f"{method}/samples.npy", "--count", str(count), "-o", f"{method}.h5", "--force")
    bnre("posterior", "est.h5", "--observation", "pairs.h5:3", "--samples", "1000", "--sampler", method,
         "--write", "nc,npy", "--predictive", f"{method}.h5", "--format", "svg", "-o", f"{method}-predictive", "--force")
    x = netCDF4.Dataset(f"{method}.h5")["x"][:]
    length = count // chains
    predictive = xarray.open_dataset(f"{method}-predictive/posterior.nc", group="posterior_predictive")
    assert predictive["x"].dims == ("chain", "draw", "x_dim_0")
    assert np.array_equal(predictive["x"].values, x[:chains * length].reshape(length, chains, 2).swapaxes(0, 1))
# The certificate, as it is in the file of the estimator.
bnre("train", "--data", "pairs.h5", "--epochs", "4", "-o", "certified.h5", "--force")
bnre("posterior", "certified.h5", "--observation", "pairs.h5:3", "--samples", "100", "--write", "nc", "--format", "svg", "-o", "certified", "--force")
told = json.loads(subprocess.run([program, "info", "certified.h5", "--json"], capture_output=True, text=True, check=True).stdout)
told = told["estimator"]["certificate"]
attributes = xarray.open_dataset("certified/posterior.nc", group="posterior").attrs
assert told["words"].startswith(("CROSS-CHECKED", "INCONCLUSIVE")), told
for key in "words", "kind", "certified":
    assert attributes[f"certificate_{key}"] == told[key], (key, attributes)
assert told["words"] in attributes["certificate"] and "coverage:" in attributes["certificate"]
print("posterior.nc, getdist.*, draws.csv: read and compared")
