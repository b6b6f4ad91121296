"""The page in Chromium: what readers see and do, at two sizes and in two themes."""

import contextlib
import io
import os
import re
import shutil
import struct
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import pytest

from aspectrum.report.charts.systems import Systems
from aspectrum.report.charts.theme import focus_style
from aspectrum.report.page import page as report_page
from tests.report.sample import EDGES, SYSTEMS, sample

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDE, NARROW = (1280, 900), (390, 844)
VIEWS = [(size, theme) for size in (WIDE, NARROW) for theme in ("light", "dark")]


def no_browser(reason: str) -> NoReturn:
    """Skip, unless a browser was asked for."""
    if os.environ.get("ASPECTRUM_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser("Playwright is not installed")
    with sync_playwright() as playwright:
        paths = [*filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), playwright.chromium.executable_path]
        path = next(filter(os.path.exists, paths), None)
        if path is None:
            no_browser("no Chromium: none of chromium, chromium-browser, google-chrome on the path, and none of Playwright's own")
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    for name, report in [("sample", sample()), *((edge, make()) for edge, make in EDGES.items())]:
        found[name] = folder / f"{name.replace(' ', '-')}.html"
        found[name].write_text(report_page(report), encoding="utf-8")
    return found


class Opened:
    """A page, with what it asked of the network and wrote to the console."""

    def __init__(self, browser: Any, file: Path, size: tuple[int, int] = WIDE, theme: str = "light", **options: Any) -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=theme, accept_downloads=True, **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(5000)
        self.requests: list[str] = []
        self.messages: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", self._dismissed)
        self.page.goto(file.as_uri())
        self.file = file

    def _dismissed(self, dialog: Any) -> None:
        self.messages.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def quiet(self) -> None:
        assert [url for url in self.requests if url != self.file.as_uri()] == []
        assert self.messages == []

    def overflow(self) -> float:
        return float(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@contextlib.contextmanager
def opened(browser: Any, file: Path, size: tuple[int, int] = WIDE, theme: str = "light", **options: Any) -> Iterator[Opened]:
    one = Opened(browser, file, size, theme, **options)
    try:
        yield one
    finally:
        one.context.close()


@pytest.fixture(scope="module")
def shared(browser: Any, files: dict[str, Path]) -> Iterator[Opened]:
    with opened(browser, files["sample"], permissions=["clipboard-read", "clipboard-write"]) as one:
        yield one


@pytest.fixture
def wide(shared: Opened) -> Iterator[Any]:
    """The sample at desk size, loaded afresh, quiet at the end."""
    shared.page.reload()
    shared.requests.clear()
    shared.messages.clear()
    yield shared.page
    shared.quiet()


def violations(page: Any) -> list[tuple[str, list[str]]]:
    from axe_playwright_python.sync_playwright import Axe

    found = (
        Axe()
        .run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]})
        .response["violations"]
    )
    return [(one["id"], [node["html"][:200] + str(node["any"][:1])[:200] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize(("size", "theme"), VIEWS)
def test_page_is_quiet_fits_and_shows_every_figure(browser: Any, files: dict[str, Path], size: tuple[int, int], theme: str) -> None:
    with opened(browser, files["sample"], size, theme) as one:
        assert one.overflow() <= 0
        figures = one.page.locator("figure.fig")
        assert figures.count() == 7
        for at in range(7):
            charts = figures.nth(at).locator("svg.ch:visible")
            assert charts.count() >= 1
            box = charts.first.bounding_box()
            assert box is not None and box["width"] > 200 and box["height"] > 100
        background = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(250, 249, 246)", "dark": "rgb(18, 20, 24)"}[theme]
        assert violations(one.page) == []
        one.quiet()


def test_text_of_charts_is_never_small(browser: Any, files: dict[str, Path]) -> None:
    for size in (WIDE, NARROW):
        with opened(browser, files["sample"], size) as one:
            smallest = one.page.evaluate(
                """() => Math.min(...[...document.querySelectorAll("svg.ch text")].filter((text) => text.getClientRects().length)
                    .map((text) => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)))"""
            )
            assert smallest >= 11


def test_elements_and_readiness(wide: Any) -> None:
    assert wide.evaluate("document.querySelectorAll('*').length") <= 10_000
    took = wide.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    print(f"ready after {took:.0f} ms")


def first_row(page: Any) -> str:
    return str(page.locator("#sum tbody tr").first.locator("bdi").inner_text())


def column(page: Any, at: int) -> list[float]:
    cells = page.locator(f"#sum tbody tr td:nth-of-type({at + 1})").evaluate_all("cells => cells.map(cell => cell.dataset.v)")
    return [float(text) for text in cells if text]


def test_sorting(wide: Any) -> None:
    head = wide.locator("#sum thead tr:last-child th")
    assert head.nth(1).get_attribute("aria-sort") == "descending"
    assert column(wide, 0) == sorted(column(wide, 0), reverse=True)
    before = first_row(wide)
    head.nth(6).get_by_role("button").click()  # ILD
    assert first_row(wide) != before
    assert column(wide, 5) == sorted(column(wide, 5), reverse=True)
    assert head.nth(1).get_attribute("aria-sort") is None
    assert head.nth(6).get_attribute("aria-sort") == "descending"
    head.nth(6).get_by_role("button").press("Enter")
    assert column(wide, 5) == sorted(column(wide, 5))
    head.nth(7).get_by_role("button").click()  # lower is better: the best comes first
    assert column(wide, 6) == sorted(column(wide, 6))
    head.nth(0).get_by_role("button").click()
    names = wide.locator("#sum tbody bdi").all_inner_texts()
    assert names == sorted(names, key=str.casefold)


def test_undefined_is_last_in_both_directions(browser: Any, files: dict[str, Path]) -> None:
    with opened(browser, files["one undefined"]) as one:
        for _ in range(2):
            one.page.locator("#sum thead button", has_text="nDCG").first.click()
            assert one.page.locator("#sum tbody tr").last.locator("td .sv").first.inner_text() == "undefined"


def test_switch_to_differences(wide: Any) -> None:
    cell = wide.locator("#sum tbody tr:not(.s0) td").first
    assert cell.locator(".sv").is_visible() and not cell.locator(".dv").is_visible()
    wide.get_by_role("button", name="Difference to EASE", exact=True).click()
    assert cell.locator(".dv").is_visible() and not cell.locator(".sv").is_visible()
    assert re.match("[+−]", cell.locator(".dv").inner_text())
    wide.locator("#sum thead button", has_text="ILD").click()
    shown = wide.locator("#sum tbody tr td:nth-of-type(6)").evaluate_all("cells => cells.map(cell => +cell.dataset.d)")
    assert shown == sorted(shown, reverse=True)


def test_tooltips_by_pointer_and_by_focus(wide: Any) -> None:
    tip = wide.locator("#tip")
    assert not tip.is_visible()
    wide.locator("#sum tbody tr.s6 td").first.hover()
    assert tip.is_visible()
    assert "SASRec, nDCG" in tip.inner_text() and "95 % CI" in tip.inner_text() and "Δ to EASE" in tip.inner_text()
    wide.keyboard.press("Escape")
    assert not tip.is_visible()
    wide.mouse.move(5, 5)
    wide.locator("#sum thead button").last.focus()
    wide.keyboard.press("Tab")
    assert tip.is_visible()
    before = tip.inner_text()
    wide.keyboard.press("ArrowRight")
    assert tip.is_visible() and tip.inner_text() != before
    assert wide.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    wide.keyboard.press("Escape")
    assert not tip.is_visible()
    mark = wide.locator("#scatter svg:visible [data-tip]").first
    wide.locator("#scatter .dl").last.focus()
    wide.keyboard.press("Tab")
    assert tip.is_visible()
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= WIDE[0]
    mark.hover(force=True)
    assert tip.is_visible() and tip.inner_text().splitlines() == mark.get_attribute("data-tip").split("\n")


def hair(panel: Any) -> bool:
    return bool(panel.locator(".cur").evaluate("line => getComputedStyle(line).display !== 'none'"))


def test_cross_hair_by_pointer_and_arrow_keys(wide: Any) -> None:
    panel = wide.locator("svg.curve").first
    tip, live = wide.locator("#tip"), wide.locator("#live")
    panel.scroll_into_view_if_needed()
    wide.wait_for_timeout(100)  # scrolling closes tooltips
    panel.hover()
    assert tip.is_visible()
    assert tip.inner_text().startswith("nDCG@")
    assert hair(panel)
    assert len(tip.inner_text().splitlines()) == 1 + 2 * 5  # metric; name and value of the baseline and four in colour
    wide.mouse.move(5, 5)
    assert not hair(panel)
    wide.locator("#cutoffs .dl").last.focus()
    wide.keyboard.press("Tab")
    for _ in range(30):
        wide.keyboard.press("ArrowRight")
    assert live.inner_text().startswith("nDCG@20: ")
    wide.keyboard.press("ArrowLeft")
    assert live.inner_text().startswith("nDCG@19: SASRec ")
    value = sample().curves[0].values["SASRec"][18]
    assert f"SASRec {value:.4f}" in live.inner_text()
    for _ in range(30):
        wide.keyboard.press("ArrowLeft")
    assert live.inner_text().startswith("nDCG@1: ")
    wide.keyboard.press("Escape")
    assert not tip.is_visible() and not hair(panel)


def stroke(page: Any, system: str) -> str:
    return str(page.locator(f"svg.curve .s{SYSTEMS.index(system)} .ln").first.evaluate("line => getComputedStyle(line).stroke"))


def test_system_buttons_change_colours_everywhere(wide: Any) -> None:
    grey = stroke(wide, "ALS")
    sasrec = stroke(wide, "SASRec")
    button = wide.locator(".systems button", has_text="ALS")
    legend = wide.locator("#cutoffs .lk .s3")
    mark = wide.locator("#scatter svg:visible .s3 .mk path").first
    outline = mark.get_attribute("d")
    assert button.get_attribute("aria-pressed") == "false" and not legend.is_visible()
    button.click()
    assert button.get_attribute("aria-pressed") == "true" and legend.is_visible()
    assert stroke(wide, "ALS") not in (grey, sasrec)
    assert mark.get_attribute("d") != outline
    assert stroke(wide, "SASRec") == sasrec  # the others keep their colours
    wide.locator(".systems button", has_text="BPR-MF").click()  # a sixth takes the place of the one longest in colour
    assert stroke(wide, "BPR-MF") == sasrec and stroke(wide, "SASRec") == grey
    wide.locator(".systems button", has_text=re.compile("^EASE$")).click(force=True)
    assert wide.locator(".systems button", has_text=re.compile("^EASE$")).get_attribute("aria-pressed") == "true"
    wide.locator("#differences select").select_option(label="ILD")
    button.click()
    assert stroke(wide, "ALS") == grey


def test_script_and_page_colour_alike(wide: Any) -> None:
    systems = Systems.of(sample())
    assert wide.locator("#focus").text_content() == focus_style(systems)
    for _ in range(2):
        wide.locator(".systems button", has_text="ALS").click()
    assert wide.locator("#focus").text_content() == focus_style(systems)


@pytest.mark.parametrize("figure", ["scatter", "differences", "distribution", "segments"])
def test_pickers(wide: Any, figure: str) -> None:
    select, chart = wide.locator(f"#{figure} select"), wide.locator(f"#{figure} svg.ch:visible")
    before = chart.inner_html()
    wide.locator(f"#{figure} details.data summary").click()
    select.select_option("1")
    assert chart.count() == 1
    assert chart.inner_html() != before
    label = select.locator("option").nth(1).inner_text()
    assert label in chart.get_attribute("aria-label")
    assert wide.locator(f"#{figure} details.data caption").inner_text() == label
    assert wide.locator(f"#{figure} details.data").get_attribute("open") is not None
    select.select_option("0")
    assert chart.inner_html() == before


@pytest.mark.parametrize("figure", ["scatter", "cutoffs", "aspects"])
def test_downloads(wide: Any, figure: str) -> None:
    found = {}
    for kind in ("SVG", "PNG"):
        with wide.expect_download() as waiting:
            wide.locator(f"#{figure} .dl", has_text=kind).click()
        assert waiting.value.suggested_filename == f"aspectrum-{figure}.{kind.lower()}"
        found[kind] = Path(waiting.value.path()).read_bytes()
    tree = ET.fromstring(found["SVG"])
    text = found["SVG"].decode()
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--" not in text and "class=" not in text
    assert wide.locator(f"#{figure} h3 span").first.inner_text() in text
    assert (">SASRec<" in text) == (figure != "") and "rgb(16, 85, 155)" in text
    assert found["PNG"].startswith(b"\x89PNG")
    width, height = struct.unpack(">II", found["PNG"][16:24])
    assert (width, height) == (int(float(tree.attrib["width"]) * 3), int(float(tree.attrib["height"]) * 3))
    assert width > 500 and height > 500
    assert len(found["PNG"]) > 10_000


def test_copying_the_table_as_sorted(wide: Any) -> None:
    wide.locator("#sum thead button", has_text="ILD").click()
    order = [wide.locator("#sum tbody tr").nth(at).locator("bdi").inner_text() for at in range(10)]

    def copied(name: str) -> str:
        wide.locator("[data-copy]", has_text=name).click()
        wide.locator("[data-copy]", has_text="Copied").wait_for()
        wide.locator("[data-copy]", has_text=name).wait_for()
        return str(wide.evaluate("navigator.clipboard.readText()"))

    latex = copied("LaTeX")
    columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", latex)
    assert columns is not None and len(columns[1]) == 13
    rows = [line for line in latex.splitlines() if line.endswith("\\\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [12] * 11
    assert [row.partition(" & ")[0] for row in rows[1:]] == order
    assert "$\\alpha$-nDCG" in rows[0] and "\\textbf{" in latex and "\\blacktriangle" in latex
    assert rows[0].endswith(" & 1 $-$ Gini \\\\")
    markdown = copied("Markdown").splitlines()
    assert {line.count("|") for line in markdown} == {14}
    assert [line.split(" | ")[0][2:] for line in markdown[2:]] == order
    import csv

    table = list(csv.reader(io.StringIO(copied("CSV"))))
    assert [row[0] for row in table[1:]] == order
    report = sample()
    for row in table[1:]:
        assert float(row[6]) == pytest.approx(report.scores["ILD@10"][row[0]].value, rel=1e-5)


def test_formulas_are_shown_and_copied(wide: Any) -> None:
    details = wide.locator(".how details")
    for at in (0, 1):  # with MathML, and without
        details.nth(at).locator("summary").click()
        assert details.nth(at).locator("math" if at == 0 else "code").is_visible()
    details.first.get_by_role("button", name="Copy LaTeX of nDCG").click()
    wide.locator("#how [data-tex]", has_text="Copied").wait_for()
    assert wide.evaluate("navigator.clipboard.readText()") == r"f = \sqrt{x}"


def test_hostile_names_copy_as_text(browser: Any, files: dict[str, Path]) -> None:
    with opened(browser, files["hostile"], permissions=["clipboard-read", "clipboard-write"]) as one:
        one.page.locator("[data-copy=latex]").click()
        one.page.locator("[data-copy]", has_text="Copied").wait_for()
        latex = one.page.evaluate("navigator.clipboard.readText()")
        rows = [line for line in latex.splitlines() if line.endswith("\\\\")]
        assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [12] * 11
        assert "\\input" not in latex and "\\textbackslash{}input\\{" in latex
        with one.page.expect_download() as waiting:
            one.page.locator("#cutoffs .dl", has_text="SVG").click()
        ET.fromstring(Path(waiting.value.path()).read_bytes())


def test_tabs_of_lists(wide: Any) -> None:
    tabs, panels = wide.get_by_role("tab"), wide.locator(".pair")
    left, right = (wide.locator(".pair:visible .list").nth(at).bounding_box() for at in range(2))
    assert left is not None and right is not None and left["y"] == right["y"] and right["x"] + right["width"] - left["x"] > 1000
    assert [panels.nth(at).is_visible() for at in range(3)] == [True, False, False]
    tabs.nth(1).click()
    assert [panels.nth(at).is_visible() for at in range(3)] == [False, True, False]
    wide.keyboard.press("ArrowRight")
    assert [panels.nth(at).is_visible() for at in range(3)] == [False, False, True]
    assert wide.evaluate("document.activeElement.id") == "tab2"
    assert tabs.nth(2).get_attribute("aria-selected") == "true"


def test_theme_button(wide: Any) -> None:
    backgrounds = []
    for _ in range(3):
        wide.locator("#theme").click()
        backgrounds.append(wide.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert backgrounds == ["rgb(18, 20, 24)", "rgb(250, 249, 246)", "rgb(250, 249, 246)"]
    assert wide.locator("#theme").inner_text() == "Theme: auto"


def test_skip_link_is_the_first_stop(wide: Any) -> None:
    wide.keyboard.press("Tab")
    assert wide.evaluate("document.activeElement.className") == "skip"
    assert wide.locator(".skip").bounding_box()["x"] >= 0


def test_headings_go_down_one_level_at_a_time(wide: Any) -> None:
    levels = [int(tag[1]) for tag in wide.locator("h1,h2,h3,h4").evaluate_all("all => all.map(one => one.tagName)")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(second - first <= 1 for first, second in pairwise(levels))


def test_phone_opens_the_other_panels_on_request(browser: Any, files: dict[str, Path]) -> None:
    with opened(browser, files["sample"], NARROW) as one:
        panels = one.page.locator(".panel:visible")
        assert panels.count() == 4
        one.page.get_by_role("button", name="Show all 12 metrics").click()
        assert panels.count() == 12
        assert not one.page.locator(".more").is_visible()
        one.quiet()


def test_everything_is_there_without_scripts(browser: Any, files: dict[str, Path]) -> None:
    for size in (WIDE, NARROW):
        with opened(browser, files["sample"], size, java_script_enabled=False) as one:
            figures = one.page.locator("figure.fig")
            assert all(figures.nth(at).locator("svg.ch").locator("visible=true").count() for at in range(7))
            assert one.page.locator(".panel").locator("visible=true").count() == 12
            assert one.page.locator(".pair").locator("visible=true").count() == 3
            assert one.page.locator("#sum tbody tr").locator("visible=true").count() == 10
            assert one.page.locator(".dl, [data-copy], #theme, .more, [role=tab]").locator("visible=true").count() == 0
            one.page.locator("#differences details.data summary").click()
            assert one.page.locator("#differences details.data table").is_visible()
            one.quiet()


def test_print(browser: Any, files: dict[str, Path]) -> None:
    for paper in ("A4", "Letter"):
        with opened(browser, files["sample"], theme="dark") as one:
            pdf = one.page.pdf(format=paper)
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
            assert 3 <= pages <= 10
            one.page.emulate_media(media="print")
            assert one.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')") == "#1b1c20"
            assert one.page.locator(".pair:visible").count() == 3
            assert one.page.locator(".panel:visible").count() == 12
            assert one.page.locator("nav.bar, .tools, .tbar, details.data").locator("visible=true").count() == 0
            assert one.page.evaluate("[...document.querySelectorAll('.how details')].every(one => one.open)")
            one.page.set_viewport_size({"width": 688, "height": 900})  # A4 less its margins
            assert one.overflow() <= 0
            assert one.page.evaluate("document.querySelector('#sum').scrollWidth <= document.querySelector('#scores').clientWidth + 1")


def test_small_screens_and_large_text(browser: Any, files: dict[str, Path]) -> None:
    with opened(browser, files["sample"], (320, 640)) as one:
        assert one.overflow() <= 0
    for size in (WIDE, NARROW):
        with opened(browser, files["sample"], size) as one:
            one.page.add_style_tag(content="html{font-size:200%}")
            assert one.overflow() <= 0
            assert one.page.evaluate("parseFloat(getComputedStyle(document.querySelector('#sum td')).fontSize)") > 24


@pytest.mark.parametrize("edge", EDGES)
def test_edges(browser: Any, files: dict[str, Path], edge: str) -> None:
    with opened(browser, files[edge]) as one:
        assert one.overflow() <= 0
        page = one.page
        for button in page.locator("#sum thead button").all()[:2]:
            button.click()
        for select in page.locator("select.pick").all():
            select.select_option("1")
        for button in page.locator(".systems button").all()[:8]:
            button.dispatch_event("click")  # on that of the baseline, too, which does nothing
        for figure in page.locator("figure.fig").all():
            assert figure.locator("svg.ch:visible").count() >= 1
        if page.locator("svg.curve:visible").count():
            page.locator("svg.curve:visible").first.hover()
        if edge in ("two users", "one system", "bare", "hostile"):  # the others have the sample's elements
            assert violations(page) == []
        page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        assert one.overflow() <= 0
        one.quiet()
