#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Look at the site of the documentation with a browser, without a window. Prints TAP.

usage: scripts/documents/browse.py SITE

SITE is the directory with the pages. No page may scroll sideways, neither on a laptop nor on
a phone; the navigation, the contents of a long page and the search can be reached; and the
search finds what people look for.
"""

import contextlib
import functools
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import tap  # noqa: E402
from common import Fail, main, option_parser  # noqa: E402

BROWSER, DRIVER = pathlib.Path("/usr/bin/chromium"), pathlib.Path("/usr/bin/chromedriver")
# name: width, height, whether it is a phone
SCREENS = {"laptop": (1280, 900, False), "phone": (390, 844, True)}
# what people type into the search: a page that is found
SEARCHES = {
    "permission denied": "howto-install.html",
    "python asyncio": "bindings.html",
    "TWHEEL_IOC_ADD": "reference-abi.html",
    "restart": "howto-fdstore.html",
    "module parameters": "man-twheel.html",
}
LONG_PAGE, PAGE = "reference-library.html", "when.html"

# The elements of the text that stick out of the window. What is in a box that scrolls does not.
STICK_OUT = """
const wide = document.documentElement.clientWidth + 1;
const scrolls = e => getComputedStyle(e).overflowX !== "visible";
return Array.from(document.querySelectorAll("article *")).filter(e => {
    if (e.getBoundingClientRect().right <= wide)
        return false;
    for (let up = e.parentElement; up && up.tagName !== "ARTICLE"; up = up.parentElement)
        if (scrolls(up))
            return false;
    return true;
}).map(e => e.tagName + " " + e.className + ": " + e.textContent.trim().slice(0, 60));
"""
# Whether the window, or the box of the text in it, can scroll sideways
SCROLLS = """
return [document.scrollingElement, document.querySelector(".content")].some(
    e => e && e.scrollWidth > e.clientWidth + 1);
"""
WIDE_BOX = """
const box = document.createElement("p");
box.style.width = "3000px";
document.querySelector("article").append(box);
"""
# Scroll to the last element of a selector. Whether a click there would hit it
REACH = """
const found = document.querySelectorAll(arguments[0]);
if (!found.length)
    return false;
const last = found[found.length - 1];
last.scrollIntoView({behavior: "instant", block: "nearest"});
// A link that wraps has more boxes.
const box = last.getClientRects()[0];
const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
return hit !== null && (hit === last || last.contains(hit));
"""
TOP_OF = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
COLOURS = """
const style = getComputedStyle(document.body);
return [style.backgroundColor, style.color].map(
    c => c.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
"""
NAVIGATION = ".sidebar-tree a"
SEARCH_FIELD = "input.sidebar-search"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *_args):
        pass


@contextlib.contextmanager
def served(site):
    """Serve the site to this machine alone. Yields the address."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextlib.contextmanager
def browser():
    """The browser that this test drives."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    # The pages are ours, and root has no sandbox.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--disable-extensions"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()


class Visitor:
    """Somebody who reads the site in the browser."""

    def __init__(self, driver, address, writer):
        self.driver, self.address, self.writer = driver, address, writer

    def use(self, screen):
        width, height, phone = SCREENS[screen]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})

    def prefer(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, page):
        self.driver.get(self.address + page)

    def ask(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def wait_for(self, condition):
        """Wait until a condition holds. Whether it does after ten seconds at most"""
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.wait import WebDriverWait

        try:
            return bool(WebDriverWait(self.driver, 10, 0.05).until(lambda _: condition()))
        except TimeoutException:
            return False

    def check(self, good, text, *notes):
        self.writer.check(good, f"site: {text}", *notes)

    def look_at_all(self, screen, pages):
        """No page scrolls sideways."""
        self.use(screen)
        wrong = []
        for page in pages:
            self.open(page)
            stick_out = self.ask(STICK_OUT)
            if stick_out or self.ask(SCROLLS):
                wrong.append(f"{page}: {'; '.join(stick_out[:5])}")
        self.check(not wrong, f"on a {screen}, none of {len(pages)} pages scrolls sideways",
                   *wrong)
        self.open(PAGE)
        self.ask(WIDE_BOX)
        self.check(self.ask(STICK_OUT), f"on a {screen}, a page that would is found")

    def look_around_on_laptop(self):
        self.use("laptop")
        self.open(PAGE)
        self.check(self.ask(REACH, NAVIGATION), "on a laptop, the whole navigation can be reached")
        self.check(self.ask(REACH, SEARCH_FIELD), "on a laptop, the search can be reached")
        self.open(LONG_PAGE)
        self.check(self.ask(REACH, ".toc-tree a"),
                   "on a laptop, a long page has its contents beside it")

    def look_around_on_phone(self):
        self.use("phone")
        self.open(PAGE)
        top = self.ask(TOP_OF, "article p")
        self.check(top < SCREENS["phone"][1] / 2, "on a phone, the text begins in the upper half",
                   f"it begins at pixel {top}")
        self.check(not self.ask(REACH, SEARCH_FIELD), "on a phone, the navigation is folded away")
        self.find(".mobile-header label[for=__navigation]").click()
        self.check(self.wait_for(lambda: self.ask(REACH, NAVIGATION)),
                   "on a phone, a button unfolds the navigation")
        self.check(self.wait_for(lambda: self.ask(REACH, SEARCH_FIELD)),
                   "on a phone, the search can be reached")
        self.open(LONG_PAGE)
        self.find(".mobile-header label[for=__toc]").click()
        self.check(self.wait_for(lambda: self.ask(REACH, ".toc-tree a")),
                   "on a phone, a button shows the contents of a long page")

    def search(self, words, page):
        self.open(PAGE)
        field = self.find(SEARCH_FIELD)
        field.send_keys(words)
        field.submit()
        link = f"#search-results a[href*='{page}']"
        found = self.wait_for(lambda: self.driver.find_elements("css selector", link))
        self.check(found, f'the search for "{words}" finds {page}')

    def read_in_the_dark(self):
        self.use("laptop")
        for scheme, is_right in (("dark", lambda paper, ink: paper < ink),
                                 ("light", lambda paper, ink: paper > ink)):
            self.prefer(scheme)
            self.open(PAGE)
            self.check(is_right(*self.ask(COLOURS)),
                       f"the pages are {scheme} where that is preferred")

    def errors(self):
        """What the browser has complained about"""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]


def run(arguments):
    site = pathlib.Path(option_parser(__doc__, "site").parse_args(arguments).site)
    pages = sorted(path.name for path in site.glob("*.html"))
    if not pages:
        raise Fail(f"no page in {site}")
    try:
        import selenium  # noqa: F401
    except ImportError:
        lacking = "python3-selenium"
    else:
        lacking = next((path.name for path in (BROWSER, DRIVER) if not path.exists()), None)
    if lacking:
        print(f"1..0 # SKIP this host has no {lacking}: scripts/setup browser installs it")
        return tap.LACKING
    writer = tap.Writer()
    with served(site) as address, browser() as driver:
        visitor = Visitor(driver, address, writer)
        for screen in SCREENS:
            visitor.look_at_all(screen, pages)
        visitor.look_around_on_phone()
        visitor.look_around_on_laptop()
        for words, page in SEARCHES.items():
            visitor.search(words, page)
        visitor.read_in_the_dark()
        errors = visitor.errors()
        visitor.check(not errors, "the browser has found no error in any page", *errors)
    return writer.end()


main(run)
