"""The package in a kernel of Jupyter: the notebook among the examples, the progress bar, Ctrl-C.
Usage: python test_notebook.py SOURCE [PAGE.html] (the page is what a browser would show)"""
import base64
import json
import os
import re
import signal
import sys
import tempfile
import unittest

# The Python that this is, which need not be the system's.
KERNELS = tempfile.TemporaryDirectory()
os.makedirs(os.path.join(KERNELS.name, "kernels", "this"))
with open(os.path.join(KERNELS.name, "kernels", "this", "kernel.json"), "w") as spec:
    json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this", "language": "python"}, spec)
os.environ.update(JUPYTER_PATH=KERNELS.name, PYDEVD_DISABLE_FILE_VALIDATION="1")

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

# In the background interrupts are ignored, and what is started from there would ignore them as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

SOURCE = os.path.abspath(sys.argv[1])
PAGE = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None


def shown(cell):
    """The outputs of a cell: a list of dictionaries from kind to text."""
    return [output["data"] for output in cell["outputs"] if "data" in output]


class Test(unittest.TestCase):
    def execute(self, notebook):
        with tempfile.TemporaryDirectory() as room:
            NotebookClient(notebook, timeout=600, kernel_name="this", resources={"metadata": {"path": room}}).execute()
        return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]

    def test_the_notebook_among_the_examples_runs_and_shows_a_table_and_a_corner_plot(self):
        notebook = nbformat.read(os.path.join(SOURCE, "examples", "python", "pendulum.ipynb"), as_version=4)
        self.assertEqual([output for cell in notebook["cells"] for output in cell.get("outputs", [])], [], "keep it without outputs")
        cells = self.execute(notebook)
        posterior = shown(cells[3])[-1]
        self.assertIn("central 95 %", posterior["text/html"])
        self.assertIn("97.5 %", posterior["text/plain"])
        for kind in "text/html", "text/plain":
            self.assertRegex(posterior[kind], "CROSS-CHECKED|INCONCLUSIVE")
        picture = re.search("data:image/svg[+]xml;base64,([^']*)", posterior["text/html"])
        self.assertIn(b"</svg>", base64.b64decode(picture[1]))
        self.assertIn("rows", shown(cells[1])[-1]["text/plain"])
        if PAGE is not None:
            from nbconvert import HTMLExporter
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(HTMLExporter().from_notebook_node(notebook)[0])

    def test_long_calls_show_a_bar_short_ones_nothing_and_an_interrupt_saves(self):
        # The simulator waits until the call has been told to stop: the call is long on every machine.
        code = nbformat.v4.new_code_cell
        notebook = nbformat.v4.new_notebook(cells=[
            code("import bnre, os, signal, time\n"
                 "from bnre import _call\n"
                 "go = os.path.abspath('go')\n"
                 "def slow(rate):\n"
                 "    import os, time\n"
                 "    while not os.path.exists(go):\n"
                 "        time.sleep(0.01)\n"
                 "    return [rate]\n"
                 "task = bnre.Task({'rate': 'uniform(0, 1)'}, simulator=slow, observable=[1])"),
            code("show, stop, seen = _call._Bar.show, _call._bnre.job_stop, []\n"
                 "def watch(self, done, total, state):\n"
                 "    show(self, done, total, state)\n"
                 "    if self.notebook is not None and not seen:\n"
                 "        seen.append(1)\n"
                 "        os.kill(os.getpid(), signal.SIGINT)\n"  # what the button of a notebook sends
                 "        time.sleep(600)\n"  # which interrupts this
                 "def stop_then_go(job):\n"
                 "    stop(job)\n"
                 "    open(go, 'w').close()\n"
                 "_call._Bar.show, _call._bnre.job_stop = watch, stop_then_go\n"
                 "try:\n"
                 "    bnre.simulate(task, 2000, output='cut.h5')\n"
                 "except KeyboardInterrupt:\n"
                 "    print('stopped', sorted(n for n in os.listdir('.') if n.startswith('cut.h5')))"),
            code("_call._Bar.show, _call._bnre.job_stop = show, stop\n"
                 "len(bnre.simulate(task, 2000, output='cut.h5'))"),
            code("'task' in bnre.info('cut.h5')"),
        ])
        cells = self.execute(notebook)
        self.assertEqual(shown(cells[0]), [])
        text = "".join(output.get("text", "") for output in cells[1]["outputs"])
        self.assertIn("stopped", text)
        self.assertIn("cut.h5", text.replace("stopped", ""))
        self.assertEqual(len(shown(cells[1])), 1)  # the bar; its last state is an empty line
        self.assertEqual(shown(cells[2])[-1]["text/plain"], "2000")  # the same call went on
        self.assertEqual(len(shown(cells[3])), 1)  # no bar

    def test_an_error_has_the_message_of_the_program(self):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import bnre\nbnre.info('nowhere.h5')")])
        with self.assertRaisesRegex(CellExecutionError, "nowhere.h5"):
            self.execute(notebook)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
