"""The Python package. Usage: python test_package.py BNRE SOURCE (an environment in which it is installed)."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings

import bnre

# In the background interrupts are ignored, and what is started from there would ignore them as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def command(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr


def content(path):
    with open(path, "rb") as file:
        return file.read()


def python(text, *arguments, **more):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)], capture_output=True, text=True, **more)


SCALE = 2.0


def noisy(a, b, rng):
    """Uses a global of its module, and a helper."""
    if a < 0.05:
        raise ValueError("a is too small")
    return [shift(a, rng), SCALE * b + rng.normal(), a - b]


def shift(value, rng):
    return value + rng.normal()


class Offers:
    """An array that tells of itself by __array_interface__ alone."""

    def __init__(self, keep, told):
        self.keep, self.__array_interface__ = keep, told


def offers(values, kind):
    import numpy
    keep = numpy.asarray(values, dtype=kind)
    return Offers(keep, keep.__array_interface__)


class Dlpack:
    """An array that tells of itself by DLPack alone."""

    def __init__(self, keep):
        self.keep = keep

    def __dlpack__(self, **how):
        return self.keep.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.keep.__dlpack_device__()


class Test(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.old = os.getcwd()
        os.chdir(self.room.name)
        warnings.simplefilter("ignore", bnre.Note)

    def tearDown(self):
        os.chdir(self.old)
        self.room.cleanup()

    def test_the_same_seed_gives_the_same_bytes_as_the_command_line(self):
        command("simulate", "--task", "slcp", "--count", 300, "--seed", 3, "-o", "cli.h5")
        data = bnre.simulate("slcp", 300, seed=3, output="py.h5")
        self.assertEqual(content("cli.h5"), content("py.h5"))
        command("train", "--data", "cli.h5", "--epochs", 3, "--members", 2, "--seed", 5, "-o", "cli-est.h5")
        est = bnre.train(data, epochs=3, members=2, seed=5, output="py-est.h5")
        self.assertEqual(content("cli-est.h5"), content("py-est.h5"))
        est.save("kept-est.h5").save("kept-est.h5")  # the same is there
        self.assertEqual(content("cli-est.h5"), content("kept-est.h5"))
        self.assertRaisesRegex(bnre.FileError, "cli.h5 is there already.*force", est.save, "cli.h5")
        self.assertEqual(content("cli.h5"), content("py.h5"))
        est.save("py-est.h5", force=True)
        command("posterior", "cli-est.h5", "--observation", "cli.h5:7", "--samples", 50, "--seed", 4, "--format", "svg", "-o", "cli-post")
        post = est.posterior(data.x[7], seed=4, samples=50)
        import numpy
        self.assertTrue(numpy.array_equal(numpy.load("cli-post/samples.npy"), post.sample(50)))
        saved = post.save("py-post", samples=50, format="svg", write="npy,nc")
        self.assertEqual(content("cli-post/samples.npy"), content("py-post/samples.npy"))
        self.assertEqual(saved["output"], "py-post")
        self.assertTrue(os.path.getsize("py-post/posterior.nc") > 0)

    def test_a_fork_removes_nothing_of_its_parent(self):
        done = python("""
            import bnre, os, sys
            data = bnre.simulate("slcp", 3)
            if os.fork() == 0:
                sys.exit(0)
            assert os.wait()[1] == 0
            assert os.path.exists(data.path), "it is gone"
            print(data.path)
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(done.stdout.strip()))

    def test_so_do_what_is_preset_rounds_and_studies(self):
        command("simulate", "--task", "gaussian", "--count", 256, "-o", "pairs.h5")
        command("train", "--data", "pairs.h5", "--epochs", 3, "-o", "cli-est.h5")
        est = bnre.train(bnre.simulate("gaussian", 256), epochs=3, output="py-est.h5")
        self.assertEqual(content("cli-est.h5"), content("py-est.h5"))
        self.assertEqual(est.certificate["kind"], "cross")
        command("export", "cli-est.h5", "-o", "cli.c", "--name", "ratio")
        est.export("py.c", name="ratio")
        self.assertEqual(content("cli.c"), content("py.c"))
        with open("o.csv", "w") as file:
            file.write("0.2,0.4\n")
        command("infer", "--task", "gaussian", "--observation", "o.csv", "--simulations", 400, "--rounds", 1, "--seed", 6,
                "-o", "cli-infer")
        post = bnre.infer("gaussian", [0.2, 0.4], simulations=400, rounds=1, seed=6, output="py-infer")
        self.assertEqual(content("cli-infer/estimator.h5"), content("py-infer/estimator.h5"))
        import numpy
        drawn = numpy.load("cli-infer/posterior/samples.npy")
        self.assertTrue(numpy.array_equal(drawn, numpy.load("py-infer/posterior/samples.npy")))
        self.assertTrue(numpy.array_equal(post.sample(len(drawn)), drawn))
        self.assertTrue(os.path.exists(os.path.join(post.directory, "report.html")))
        with open("study.yaml", "w") as file:
            file.write("task: gaussian\nsimulations: 128\ntest: 0\nepochs: 2\nmembers: 1\n")
        command("run", "study.yaml", "-o", "cli-study")
        bnre.run("study.yaml", output="py-study")
        for folder, _, files in os.walk("cli-study"):
            for name in files:
                if name.endswith(("estimator.h5", ".npy")) or name == "results.csv":
                    path = os.path.join(folder, name)
                    self.assertEqual(content(path), content(path.replace("cli-", "py-")), path)

    def test_tasks_are_names_files_functions_commands_and_plugins(self):
        import numpy
        script = "while read seed a; do echo $a; done"
        with open("task.yaml", "w") as file:
            file.write(f"parameters: {{a: \"uniform(0, 1)\"}}\nobservable: [1]\nsimulator: {{command: [sh, -c, '{script}']}}\n")
        of_file = bnre.simulate("task.yaml", 30, seed=2)
        of_command = bnre.simulate(bnre.Task({"a": "uniform(0, 1)"}, ["sh", "-c", script], observable=[1]), 30, seed=2)
        of_function = bnre.simulate(bnre.Task({"a": "uniform(0, 1)"}, simulator=lambda a: a), 30, seed=2)
        for other in of_file, of_command, of_function:
            self.assertTrue(numpy.array_equal(of_file.theta, other.theta))
            self.assertTrue(numpy.allclose(other.x, other.theta, rtol=1e-6))
        # A plugin: the example, and the study that names it.
        folder = os.path.join(SOURCE, "examples", "plugin")
        include = os.path.join(SOURCE, "include")
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-I", include, "-o", "decay.so", os.path.join(folder, "decay.c"), "-lm"], check=True)
        task = bnre.Task({"half_life": "uniform(1, 10)"}, simulator="decay.so", options={"bins": 24})
        data = bnre.simulate(task, 30, seed=2)
        with open("decay.yaml", "w") as file:
            file.write("simulator: {plugin: ./decay.so}\noptions: {bins: 24}\nparameters: {half_life: \"uniform(1, 10)\"}\n")
        command("simulate", "--task", "decay.yaml", "--count", 30, "--seed", 2, "-o", "decay.h5")
        self.assertTrue(numpy.array_equal(data.x, bnre.Dataset("decay.h5").x))
        self.assertEqual(data.shape, (24,))

    def test_functions_are_simulators_and_their_failures_are_recorded(self):
        task = bnre.Task({"a": "uniform(0, 1)", "b": "normal(0, 1)"}, simulator=noisy)
        self.assertEqual(task.names, ["a", "b"])
        one = bnre.simulate(task, 200, seed=1, workers=1, output="one.h5")
        two = bnre.simulate(task, 200, seed=1, workers=2, output="two.h5")
        import numpy
        self.assertEqual(one.shape, (3,))
        self.assertTrue(numpy.array_equal(one.x, two.x, equal_nan=True))
        small = one.theta[:, 0] < 0.05
        self.assertTrue(small.any())
        self.assertTrue(numpy.array_equal(one.failed != 0, small))
        self.assertTrue(numpy.isnan(one.x[small]).all())
        # floats in files: the exact value is rounded
        well = ~small
        self.assertTrue(numpy.allclose(one.x[well, 2], one.theta[well, 0] - one.theta[well, 1], atol=1e-6))

    def test_functions_may_take_one_array(self):
        offset = 3

        def simulator(theta):
            return theta + offset

        data = bnre.simulate(bnre.Task({"a": "uniform(0, 1)", "b": "uniform(0, 1)"}, simulator=simulator), 20)
        self.assertLess(abs(data.x - data.theta - 3).max(), 1e-6)
        with self.assertRaisesRegex(bnre.UsageError, "ZeroDivisionError"):
            bnre.Task({"a": "uniform(0, 1)"}, simulator=lambda a: 1 / 0)
        # A function of a module that has another one by its name, as decorators make them.
        with open("models.py", "w") as file:
            file.write("import functools\ndef thrice(f):\n    @functools.wraps(f)\n    def g(a):\n        return 3 * f(a)\n    return g\n"
                       "@thrice\ndef model(a):\n    return a\nplain = model.__wrapped__\n")
        sys.path.insert(0, os.getcwd())
        self.addCleanup(sys.path.pop, 0)
        import models
        for simulator, factor in (models.model, 3), (models.plain, 1):
            data = bnre.simulate(bnre.Task({"a": "uniform(0, 1)"}, simulator=simulator), 20)
            self.assertLess(abs(data.x - factor * data.theta).max(), 1e-5)

    def test_a_posterior_is_a_density(self):
        import numpy
        est = bnre.train(bnre.simulate("gaussian", 512), epochs=4, members=2, trust="no")
        data = bnre.simulate("gaussian", 4, seed=8)
        post = est.posterior(data.x[0])
        grid = numpy.linspace(-6, 6, 121)
        theta = numpy.array([[a, b] for a in grid for b in grid])
        mass = numpy.exp(post.log_prob(theta)).sum() * 0.1 ** 2
        self.assertAlmostEqual(mass, 1, delta=0.02)
        draws = post.sample(4000)
        self.assertEqual(draws.shape, (4000, 2))
        inside = post.region(0.8).contains(draws).mean()
        self.assertAlmostEqual(inside, 0.8, delta=0.05)  # 7 standard errors
        self.assertIn(post.mode, post.region(0.1))
        self.assertIn("central 95 %", post._repr_html_())
        self.assertIn("97.5 %", repr(post))
        l, g = est.log_ratio(draws[:5], data.x[0], gradient=True)
        h = 1e-4
        up = est.log_ratio(draws[:5] + [h, 0], data.x[0])
        down = est.log_ratio(draws[:5] - [h, 0], data.x[0])
        self.assertLess(abs((up - down) / (2 * h) - g[:, 0]).max(), 0.02)
        both = est.posterior(data.x[:2])
        expected = est.log_ratio(draws[:5], data.x[0]) + est.log_ratio(draws[:5], data.x[1]) + est.log_prior(draws[:5]) - both.log_evidence
        self.assertLess(abs(both.log_prob(draws[:5]) - expected).max(), 1e-9)
        self.assertEqual(est.certificate, None)
        self.assertEqual(len(est.history), 2)
        result = est.diagnose(bnre.simulate("gaussian", 64, seed=9), points=64)
        self.assertIn(result["verdict"], ("OVERCONFIDENT", "CALIBRATED", "CONSERVATIVE", "INCONCLUSIVE", "BLIND"))
        est.export("ratio.c")
        self.assertIn(b"ratio_log_ratio", content("ratio.c"))
        # What the model would observe: simulations from the draws, beside them in a file.
        checks = post.predict(20)
        self.assertTrue(numpy.allclose(checks.theta, draws[:20]))
        post.save("kept", samples=10000, write="nc", format="svg", predictive=checks)
        # Debian's netCDF4 was built with headers of another NumPy, which tells so: "numpy.ndarray size changed".
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "numpy.ndarray size changed")
            import netCDF4
        with netCDF4.Dataset("kept/posterior.nc") as file:
            self.assertTrue(numpy.array_equal(file["posterior_predictive"]["x"][0], checks.x))
        with self.assertRaisesRegex(bnre.UsageError, "task="):
            bnre.Estimator(est.path).posterior(data.x[0]).predict(3)

    def test_arrays_of_all_kinds_mean_the_same(self):
        import array
        import numpy
        est = bnre.train(bnre.simulate("gaussian", 128), epochs=2, members=1)
        theta = numpy.array([[0.5, -0.25], [1.0, 0.0], [0.0, 0.125]])
        x = numpy.array([0.25, 0.5])
        expected = est.log_ratio(theta, x)
        for other in (theta.tolist(), theta.astype("f4"), numpy.asfortranarray(theta), theta.astype(">f8"), numpy.repeat(theta, 2, axis=0)[::2],
                      bnre._array.Doubles(theta).keep):
            self.assertTrue(numpy.array_equal(est.log_ratio(other, x), expected))
        self.assertTrue(numpy.array_equal(est.log_ratio(theta, array.array("d", x)), expected))
        for other in offers(theta, numpy.float64), offers(theta, numpy.float32), offers(theta, ">f8"), Dlpack(theta):
            self.assertTrue(numpy.array_equal(est.log_ratio(other, x), expected), other)
        # Doubles in order are used where they are.
        self.assertEqual(bnre._array.Doubles(theta).address, theta.ctypes.data)
        self.assertEqual(bnre._array.Doubles(offers(theta, float)).address, theta.ctypes.data)
        with self.assertRaisesRegex(bnre.UsageError, "no array of numbers"):
            est.log_ratio([[1, 2], [3]], x)
        with self.assertRaisesRegex(bnre.UsageError, "no array of numbers"):
            est.log_ratio(object(), x)
        try:
            import torch
        except ImportError:
            return
        for kind in torch.float64, torch.float32, torch.float16, torch.bfloat16:
            tensor = torch.tensor(theta.tolist(), dtype=kind, requires_grad=True)
            self.assertTrue(numpy.array_equal(est.log_ratio(tensor, torch.tensor(x)), expected), kind)
        self.assertTrue(numpy.array_equal(est.log_ratio(torch.tensor(theta.T.copy()).T, x), expected))
        self.assertAlmostEqual(est.log_ratio([0.5, -0.25], [0.25, 0.5]), expected[0])
        with self.assertRaisesRegex(bnre.UsageError, r"theta has shape \(3,\): expected 2 numbers"):
            est.log_ratio([1, 2, 3], x)
        with self.assertRaisesRegex(bnre.NumberError, "not a finite number"):
            est.log_ratio([0, 0], [float("nan"), 0])

    def test_numpy_is_not_needed(self):
        done = python("""
            import sys
            sys.modules["numpy"] = None
            import bnre
            data = bnre.simulate("gaussian", 128)
            est = bnre.train(data, epochs=2, members=1)
            draws = est.posterior(data.x[0]).sample(3)
            assert draws.shape == (3, 2) and len(draws.tolist()[0]) == 2
            assert isinstance(est.log_ratio([0, 0], [1, 1]), float)
            # Any array, in whatever order it lies: 0.5, -0.25, 1, 0 by columns, in single precision, of the other end.
            import array, struct
            class Offers:
                pass
            expected = est.log_ratio([[0.5, -0.25], [1, 0]], [1, 1]).tolist()
            for form, kind in (("<4d", "<f8"), ("<4f", "<f4"), (">4f", ">f4")):
                size = struct.calcsize(form) // 4
                keep = array.array("B", struct.pack(form, 0.5, 1, -0.25, 0))
                one = Offers()
                one.__array_interface__ = {"version": 3, "shape": (2, 2), "typestr": kind, "strides": (size, 2 * size),
                                           "data": (keep.buffer_info()[0], True)}
                assert est.log_ratio(one, [1, 1]).tolist() == expected, kind
            view = memoryview(struct.pack("<4d", 0.5, -0.25, 1, 0)).cast("d", (2, 2))
            assert est.log_ratio(view, [1, 1]).tolist() == expected
            post = est.posterior(data.x[0])
            assert abs(post.log_prob([0.5, -0.25]) - (est.log_ratio([0.5, -0.25], data.x[0]) + est.log_prior([0.5, -0.25])
                                                      - post.log_evidence)) < 1e-12
            assert len(post.predict(5)) == 5
            # Pairs as lists, in the verbs of the toolkit.
            from bnre import sbi
            one = sbi.NRE({"a": "uniform(0, 1)", "b": "uniform(0, 1)"}).append_simulations([[0.1, 0.2]] * 64, [[i, 2, 3] for i in range(64)])
            one.train(max_num_epochs=1, members=1)
            assert one.build_posterior().sample((4,), x=[1, 2, 3]).shape == (4, 2)
            def f(theta):
                return [theta[0], 2]
            print(len(bnre.simulate(bnre.Task({"a": "uniform(0, 1)"}, simulator=f), 8)))
            """)
        self.assertEqual(done.stdout, "8\n", done.stderr)

    def test_errors_are_exceptions_with_the_same_message(self):
        done = subprocess.run([PROGRAM, "info", "nowhere.h5"], capture_output=True, text=True)
        with self.assertRaises(bnre.FileError) as caught:
            bnre.info("nowhere.h5")
        self.assertIn(str(caught.exception), done.stderr)
        self.assertIsInstance(caught.exception, OSError)
        with self.assertRaisesRegex(bnre.UsageError, 'did you mean "members"'):
            bnre.train(bnre.simulate("gaussian", 32), membres=2)
        with self.assertRaisesRegex(ValueError, "there is no command"):
            bnre.call("trian")

    def test_an_interrupt_saves_and_the_same_call_goes_on(self):
        text = """
            import os, signal, sys
            import bnre
            from bnre import _call
            bnre.show_progress(True)  # as on a terminal
            output, epochs, interrupt = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "interrupt"
            data = bnre.simulate("slcp", 2000, output="data.h5")
            show = _call._Bar.show
            def watch(self, done, total, state):
                global interrupt
                show(self, done, total, state)
                if interrupt and self.what == "train" and done > 0:
                    interrupt = False
                    os.kill(os.getpid(), signal.SIGINT)
            _call._Bar.show = watch
            bnre.train(data, epochs=epochs, patience=epochs, stop_at_floor="no", members=1, output=output)
            """
        # The training is made longer until it is longer than the interrupt takes, whatever the machine; nothing but its epochs may end it.
        epochs = 6
        while True:
            epochs *= 2
            cut = python(text, "cut.h5", epochs, "interrupt")
            if not os.path.exists("cut.h5"):
                break
            for name in os.listdir("."):
                if name.startswith("cut."):
                    os.remove(name)
        self.assertEqual(cut.returncode, -signal.SIGINT, cut.stderr)  # as Python ends by one
        self.assertIn("KeyboardInterrupt", cut.stderr)
        self.assertIn("cut.h5.1.part", os.listdir("."))
        again = python(text, "cut.h5", epochs, "no")
        self.assertEqual(again.returncode, 0, again.stderr)
        whole = python(text, "whole.h5", epochs, "no")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertRegex(whole.stderr, r"train \[#* *\] +\d+%")
        self.assertEqual(content("whole.h5"), content("cut.h5"))

    def test_work_does_not_outlive_a_call_that_is_left(self):
        # Whatever is raised while a call is watched (here a warning, as an error): the work is told to stop and waited for.
        done = python("""
            import threading, warnings
            import bnre
            from bnre import _call
            ended = []
            def work(job):
                try:
                    while not told.wait(0.01):
                        pass
                finally:
                    ended.append(1)
            told, stop = threading.Event(), _call._bnre.job_stop
            def stop_and_tell(job):
                stop(job)
                told.set()
            _call._bnre.job_stop = stop_and_tell
            def look(job):
                return 1, 2, "", ["warning: look out"]
            _call._bnre.job_look = look
            warnings.simplefilter("error")
            try:
                _call.watched("test", work)
            except bnre.Note as note:
                print(note, ended, threading.active_count())
            """)
        self.assertEqual(done.stdout, "look out [1] 1\n", done.stderr)

    def test_sbi_speaks_the_verbs_of_the_toolkit(self):
        import numpy
        from bnre import sbi
        rng = numpy.random.default_rng(1)
        prior = sbi.BoxUniform([-2, -2], [2, 2])
        theta = rng.uniform(-2, 2, (600, 2))
        x = theta + 0.3 * rng.normal(size=theta.shape)
        inference = sbi.BNRE(prior).append_simulations(theta[:300], x[:300]).append_simulations(theta[300:], x[300:])
        with self.assertWarnsRegex(bnre.Note, "regularization_strength 10 .*lambda 20"):
            est = inference.train(regularization_strength=10, max_num_epochs=30, members=1)
        self.assertIn("lambda: 20", est.info["settings"] if isinstance(est.info["settings"], str) else json.dumps(est.info["settings"]).replace('"', ""))
        posterior = inference.build_posterior().set_default_x([0.5, -0.5])
        draws = posterior.sample((500,))
        self.assertEqual(draws.shape, (500, 2))
        self.assertEqual(posterior.sample((5, 100)).tolist(), draws.reshape(5, 100, 2).tolist())
        self.assertLess(abs(draws.mean(axis=0) - [0.5, -0.5]).max(), 0.4)
        self.assertEqual(posterior.sample((), show_progress_bars=False).shape, (2,))
        with self.assertRaisesRegex(bnre.UsageError, "none but cpu"):
            sbi.BNRE(prior, device="cuda")
        self.assertEqual(posterior.log_prob(draws[:3]).shape, (3,))
        self.assertEqual(len(posterior.map()), 2)
        fresh = rng.uniform(-2, 2, (64, 2))
        self.assertIn("verdict", sbi.run_sbc(fresh, fresh + 0.3 * rng.normal(size=fresh.shape), posterior, points=64))

        class Draws:
            def sample(self, shape):
                return rng.normal(size=(*shape, 2))

        self.assertEqual(sbi.NRE(Draws()).append_simulations(theta, x).train(max_num_epochs=2, members=1).names, ["theta_0", "theta_1"])
        # Any array in any number of parts, of any shape.
        x3 = numpy.stack([x, x + 1, x - 1], axis=1)  # (600, 3, 2)
        whole, parts = sbi.NRE(prior).append_simulations(theta, x3), sbi.NRE(prior)
        for part in range(0, 600, 200):
            parts.append_simulations(offers(theta[part:part + 200], "f8"), x3[part:part + 200].tolist())
        one, two = (told.train(max_num_epochs=2, members=1) for told in (whole, parts))
        self.assertEqual(one.shape, (3, 2))
        self.assertEqual(one.log_ratio(theta[0], x3[0]), two.log_ratio(theta[0], x3[0]))
        with self.assertRaisesRegex(bnre.UsageError, "other shapes"):
            sbi.NRE(prior).append_simulations(theta, x).append_simulations(theta, x3).train()
        theta, x = sbi.simulate_for_sbi(lambda theta: 2 * theta, prior, 16)
        self.assertLess(abs(x - 2 * theta).max(), 1e-5)

    def test_a_study_runs_with_other_keys(self):
        with open("study.yaml", "w") as file:
            file.write("task: gaussian\nsimulations: 128\ntest: 0\nepochs: 2\nmembers: 1\n")
        result = bnre.run("study.yaml", output="study", set=["epochs=3"])
        self.assertTrue(os.path.exists(os.path.join("study", "report.html")), result)

    def test_every_function_has_hints_and_words(self):
        import inspect
        for name in bnre.__all__:
            thing = getattr(bnre, name)
            self.assertTrue(thing.__doc__, name)
            if inspect.isfunction(thing):
                self.assertIn("return", thing.__annotations__, name)
        place = os.path.dirname(bnre.__file__)
        self.assertTrue(os.path.exists(os.path.join(place, "py.typed")))
        extension = bnre._bnre.__file__
        self.assertTrue(extension.endswith(".abi3.so"))
        self.assertLess(os.path.getsize(extension), 8e6)

    def test_the_extension_needs_the_stable_abi_of_python_3_9_alone(self):
        # Those that it uses, each of which the list of the stable ABI (Misc/stable_abi.toml of CPython) has from 3.2 on.
        stable = """PyCapsule_GetContext PyCapsule_GetPointer PyCapsule_New PyCapsule_SetContext PyErr_NoMemory PyErr_Occurred PyErr_SetObject
            PyErr_SetString PyEval_RestoreThread PyEval_SaveThread PyExc_RuntimeError PyList_Append PyList_New PyModule_Create2
            PyUnicode_DecodeUTF8 PyUnicode_FromString _PyArg_ParseTuple_SizeT _PyObject_CallFunction_SizeT _Py_BuildValue_SizeT
            _Py_Dealloc _Py_NoneStruct""".split()
        done = subprocess.run(["nm", "-D", "--undefined-only", bnre._bnre.__file__], capture_output=True, text=True, check=True)
        used = {line.split()[-1] for line in done.stdout.splitlines() if re.match("_?Py", line.split()[-1])}
        self.assertLessEqual(used, set(stable))
        self.assertIn("PyModule_Create2", used)

    def test_examples_in_docstrings_run_and_say_what_they_show(self):
        import doctest
        import importlib
        import pkgutil

        class Checker(doctest.OutputChecker):
            def check_output(self, want, got, flags):  # an example without a result shows what it shows
                return want == "" or super().check_output(want, got, flags)

        bnre.show_progress(False)
        est = bnre.train(bnre.simulate("gaussian", 512), epochs=4, members=2)
        data = bnre.simulate("gaussian", 100)
        names = {"bnre": bnre, "est": est, "data": data, "post": est.posterior([0.0, 0.3])}
        runner, seen = doctest.DocTestRunner(Checker(), verbose=False), set()
        finder = doctest.DocTestFinder(exclude_empty=True)
        for module in [bnre] + [importlib.import_module("bnre." + one.name) for one in pkgutil.iter_modules(bnre.__path__)
                                if one.name not in ("_bnre",)]:
            for example in finder.find(module, extraglobs=dict(names)):
                seen.add(example.name.split(".")[-1])
                told = []
                runner.run(example, out=told.append)
                self.assertFalse(told, "".join(told))
        for name in bnre.__all__:
            if not name.endswith("Error") and name not in ("Doubt", "Error", "Note", "Region"):
                self.assertIn(name, seen, "has no example")

    def test_examples_run_as_they_are(self):
        folder = os.path.join(SOURCE, "examples", "python")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith(".py"):
                done = subprocess.run([sys.executable, path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
