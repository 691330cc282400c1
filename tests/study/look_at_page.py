#!/usr/bin/env python3
"""Open a page in a headless Chromium and look at it.

look_at_page.py CHROMIUM PAGE OUT WIDTH [dark] prints what is wrong with the
page in a window of this width, one line each, and leaves a picture in OUT.
Speaks the DevTools protocol through pipes; needs nothing but Python.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile

PROBE = """
(() => {
  const root = document.documentElement, wrong = [];
  if (root.scrollWidth > root.clientWidth)
    wrong.push(`the page is ${root.scrollWidth} wide, the window ` +
               `${root.clientWidth}`);
  for (const e of document.body.querySelectorAll('*')) {
    if (e.closest('svg') && e.tagName !== 'svg') continue;
    if (e.closest('.wide, .picture, pre')) continue;
    const box = e.getBoundingClientRect();
    if (box.width > 0 && box.right > root.clientWidth + 1)
      wrong.push(`<${e.tagName.toLowerCase()} class="${e.className}"> ends at ` +
                 `${box.right}`);
  }
  const figures = document.querySelectorAll('figure');
  if (figures.length === 0) wrong.push('there is no figure');
  for (const f of figures) {
    const picture = f.querySelector('svg, img');
    const name = f.id || f.textContent.trim().slice(0, 40);
    if (!picture) { wrong.push(`${name} has no picture`); continue; }
    const box = picture.getBoundingClientRect();
    if (box.width < 100 || box.height < 60)
      wrong.push(`the picture of ${name} is ${box.width} x ${box.height}`);
    if (!picture.querySelector('path'))
      wrong.push(`the picture of ${name} is empty`);
    if (!picture.getAttribute('aria-label'))
      wrong.push(`the picture of ${name} has no label`);
    if (!f.querySelector('figcaption'))
      wrong.push(`${name} has no caption`);
  }
  const ids = new Set();
  for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) wrong.push(`the id ${e.id} is there twice`);
    ids.add(e.id);
  }
  for (const e of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(e.getAttribute('href').slice(1)))
      wrong.push(`a link leads to ${e.getAttribute('href')}`);
  const colours = e => { const s = getComputedStyle(e);
                         return [s.color, s.backgroundColor]; };
  const light = c => { const v = c.match(/[0-9.]+/g).map(Number);
                       return 0.3 * v[0] + 0.6 * v[1] + 0.1 * v[2]; };
  const [ink, paper] = colours(document.body).map(light);
  if (Math.abs(ink - paper) < 120) wrong.push('ink and paper are alike');
  return {wrong, paper, height: root.scrollHeight};
})()
"""


class Browser:
    def __init__(self, program, profile):
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()
        # The browser expects its pipes as descriptors 3 and 4.
        command = [
            "sh", "-c",
            f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}',
            program, "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
            "--disable-background-networking", "--remote-debugging-pipe",
            f"--user-data-dir={profile}", "about:blank",
        ]
        self.process = subprocess.Popen(
            command, pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session = b"", 0, None
        self.events = []

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.into, 1 << 16)
            if not part:
                raise RuntimeError("the browser has gone away")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.receive())

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def complaints(events):
    """What the browser has said while it opened the page."""
    for event in events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            yield "script: " + json.dumps(params["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled":
            yield "console: " + json.dumps(params["args"])
        elif method == "Log.entryAdded":
            yield "log: " + params["entry"]["text"]
        elif method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            if not address.startswith(("file:", "data:")):
                yield "asked the network for " + address
        elif method == "Network.loadingFailed":
            yield "could not load: " + params.get("errorText", "")


def resize(browser, width, height):
    browser.call("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=width < 600)


def look(browser, page, out, width, dark):
    target = browser.call("Target.createTarget", url="about:blank")
    browser.session = browser.call(
        "Target.attachToTarget", targetId=target["targetId"],
        flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    resize(browser, width, 900)
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    browser.events.clear()
    browser.call("Page.navigate", url="file://" + os.path.abspath(page))
    browser.wait("Page.loadEventFired")
    # With everything folded out, too: tables in it must not be too wide.
    wrong = []
    for unfold in (False, True):
        if unfold:
            browser.call("Runtime.evaluate", expression="document"
                         ".querySelectorAll('details').forEach(d => "
                         "{ d.open = true; })")
        seen = browser.call("Runtime.evaluate", expression=PROBE,
                            returnByValue=True)
        if "exceptionDetails" in seen:
            raise RuntimeError(json.dumps(seen["exceptionDetails"]))
        seen = seen["result"]["value"]
        wrong += seen["wrong"]
        if not unfold:
            resize(browser, width, min(int(seen["height"]), 12000))
            shot = browser.call("Page.captureScreenshot", format="png")
            resize(browser, width, 900)
            with open(out, "wb") as file:
                file.write(base64.b64decode(shot["data"]))
    if dark != (seen["paper"] < 128):
        wrong.append(f"the paper's brightness is {seen['paper']}")
    return wrong + list(complaints(browser.events))


def main():
    program, page, out, width = sys.argv[1:5]
    dark = "dark" in sys.argv[5:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            wrong = look(browser, page, out, int(width), dark)
        finally:
            browser.close()
    for line in dict.fromkeys(wrong):
        print(line)


if __name__ == "__main__":
    main()
