#!/usr/bin/env python3
"""pages.py FOLDER: opens the pages of FOLDER/list in headless chromium, at widths of 390 and 1280, in light and dark.

A line of the list is JSON: ["page.html", what its text must hold, ...]. Prints "ok ..." or "FAILED ..." a
check. Pictures go to the folder that the environment's PICTURES names. Speaks to chromium through a pipe, by the
DevTools protocol, so it needs nothing but Python's own library.
"""
import base64, json, os, select, shutil, subprocess, sys, tempfile, time

# What is wrong with the layout, as lines of text. Frames: sections, boxes of drawings, the window.
LAYOUT = r"""(() => {
const wrong = [], texts = [], wide = innerWidth;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || e.closest('script,style,title,template')) continue;
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    const frame = (e.closest('g[data-t]') && e.closest('g').querySelector('rect')) || e.closest('[data-frame]')
        || e.closest('[data-scrolls] svg') || e.closest('section') || document.documentElement;
    for (const r of range.getClientRects())
        if (r.width > 1) texts.push({ r, n, e, what: n.data.trim().slice(0, 40), f: frame.getBoundingClientRect() });
}
for (const t of texts) {
    const scrolled = t.e.closest('[data-scrolls]');
    if (t.r.left < t.f.left - 1 || t.r.right > t.f.right + 1 || t.r.top < t.f.top - 1 || t.r.bottom > t.f.bottom + 1)
        wrong.push('"' + t.what + '" leaves its frame: ' + [t.r.left, t.r.right, t.f.left, t.f.right].map(Math.round));
    if (!scrolled && (t.r.left < -1 || t.r.right > wide + 1)) wrong.push('"' + t.what + '" leaves the window');
}
texts.sort((a, b) => a.r.top - b.r.top);
for (let i = 0; i < texts.length; i++)
    for (let k = i + 1; k < texts.length && texts[k].r.top < texts[i].r.bottom - 2; k++) {
        const a = texts[i], b = texts[k];
        const x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
        const y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
        if (x > 1.5 && y > 2 && a.n !== b.n) wrong.push('"' + a.what + '" and "' + b.what + '" overlap');
    }
if (document.documentElement.scrollWidth > wide) wrong.push('the page is ' + document.documentElement.scrollWidth
    + ' wide in a window of ' + wide);
if (!texts.length) wrong.push('there is no text');
return JSON.stringify({ wrong: wrong.slice(0, 8), text: document.body.innerText + '\n' + [...document.querySelectorAll(
    '[data-t]')].map(e => e.getAttribute('data-t')).join('\n'), ran: String(window.ran), title: document.title,
    all: document.body.textContent });
})()"""

# The middles of what shows something when a pointer is over it.
HOVER = r"""(() => { const of = [...document.querySelectorAll('.plot,[data-t],canvas')].filter(e =>
        e.getClientRects().length).slice(0, 12), e = of[%d];
    if (!e) return 'null';
    e.scrollIntoView({ block: 'center', inline: 'center' });
    const r = e.getBoundingClientRect();
    return JSON.stringify([r.left + r.width / 2, r.top + Math.min(r.height / 2, e.matches('.plot') ? 99 : e.matches('canvas') ? 54 : 14)]); })()"""
TIP = r"""(() => { const t = document.querySelector('.tip'), r = t && t.getBoundingClientRect();
    return JSON.stringify(!r || t.style.display == 'none' ? null : { text: t.textContent,
        inside: r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight }); })()"""


class Browser:
    def __init__(self, program, folder):
        (there, out), (back, into) = os.pipe(), os.pipe()
        self.write, self.read, self.rest, self.number, self.events = out, back, b"", 0, []

        def ends():                         # chromium reads 3 and writes 4
            a, b = os.dup2(there, 100), os.dup2(into, 101)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-dev-shm-usage", "--user-data-dir=" + folder, "--remote-debugging-pipe"],
            preexec_fn=ends, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(into)
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.ask(domain + ".enable")

    def take(self, seconds):
        """The next message, or None."""
        while b"\0" not in self.rest:
            if not select.select([self.read], [], [], seconds)[0]:
                return None
            more = os.read(self.read, 1 << 20)
            if not more:
                raise SystemExit("FAILED chromium went away")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            m = self.take(60)
            if m is None:
                raise SystemExit("FAILED chromium does not answer to " + method)
            if m.get("id") == self.number:
                if "error" in m:
                    raise SystemExit("FAILED %s: %s" % (method, m["error"]))
                return m["result"]
            self.events.append(m)
            if m.get("method") == "Page.javascriptDialogOpening":
                self.number += 1
                os.write(self.write, json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog", "params":
                                                 {"accept": True}, "sessionId": self.session}).encode() + b"\0")

    def evaluate(self, text):
        got = self.ask("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise SystemExit("FAILED a check: %s" % got["exceptionDetails"])
        return json.loads(got["result"]["value"])

    def open(self, file, width, dark):
        self.events = []
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme",
                                                         "value": "dark" if dark else "light"}])
        self.ask("Page.navigate", url="file://" + os.path.abspath(file))
        end = time.time() + 60
        while time.time() < end and not any(m.get("method") == "Page.loadEventFired" for m in self.events):
            m = self.take(1)
            if m:
                self.events.append(m)
        self.evaluate("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f('0'))))")

    def complaints(self):
        """Errors in the console, dialogs, and what was asked for elsewhere."""
        found = []
        for m in self.events:
            method, p = m.get("method"), m.get("params", {})
            if method == "Runtime.exceptionThrown" or (method == "Log.entryAdded" and p["entry"]["level"] == "error") \
                    or (method == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert")):
                found.append(json.dumps(p)[:300])
            if method == "Page.javascriptDialogOpening":
                found.append("a dialog: " + p["message"])
            if method == "Network.requestWillBeSent" and not p["request"]["url"].startswith(("file:", "data:", "blob:")):
                found.append("asks for " + p["request"]["url"])
        return found

    def picture(self, file):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        got = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        with open(file, "wb") as f:
            f.write(base64.b64decode(got["data"]))


def say(right, what, why=""):
    print("%s %s%s" % ("ok" if right else "FAILED", what, "" if right else ": %s" % (why,)), flush=True)


def hovers(browser, name, must):
    """Shows each thing of the page under a pointer; what is told is within the window."""
    told = []
    for i in range(12):
        place = browser.evaluate(HOVER % i)
        if not place:
            break
        x, y = place
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        tip = browser.evaluate(TIP)
        if tip:
            told.append(tip)
    say(told and all(t["inside"] for t in told), name + ": what a pointer shows is within the window", told)
    return "\n".join(t["text"] for t in told)


def main():
    folder, pictures = sys.argv[1], os.environ.get("PICTURES")
    program = next(p for p in (shutil.which(n) for n in ("chromium", "chromium-browser", "google-chrome")) if p)
    profile = tempfile.mkdtemp(prefix="chromium.", dir=folder)
    browser = Browser(program, profile)
    for line in open(os.path.join(folder, "list"), encoding="utf-8"):
        page, *must = json.loads(line)
        name, file = os.path.splitext(page)[0], os.path.join(folder, page)
        source = open(file, encoding="utf-8", errors="replace").read()
        say("http" not in source and "//" not in source.split("</style>")[0], name + ": names no address",
            source[max(0, source.find("http") - 60):][:120])
        for width in 390, 1280:
            for dark in 0, 1:
                what = "%s, %d wide, %s" % (name, width, "dark" if dark else "light")
                browser.open(file, width, dark)
                seen = browser.evaluate(LAYOUT)
                say(not seen["wrong"], what + ": texts have room", seen["wrong"])
                if pictures:
                    browser.picture(os.path.join(pictures, "%s-%d%s.png" % (name, width, "-dark" if dark else "")))
                if not dark:
                    told = hovers(browser, what, must)
                    lacks = [m for m in must if m not in seen["text"] and m not in seen["all"] and m not in told]
                    say(not lacks, what + ": shows what it must", lacks)
                say(seen["ran"] == "undefined", what + ": no name runs", seen["ran"])
                bad = browser.complaints()
                say(not bad, what + ": no error in the console", bad)
    browser.process.kill()
    browser.process.wait()
    shutil.rmtree(profile, ignore_errors=True)


main()
