"""The report of a match: what is in it, and how a browser shows it."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from sgai.experiments import matches
from sgai.experiments.matches.charts import Interval, bar_chart, distribution_chart, interval_chart
from sgai.experiments.matches.records import read_manifest
from sgai.experiments.matches.report import report

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
HEADINGS = (
    "Results",
    "Decisions",
    "Cross table",
    "Elo, with 95% bootstrap intervals",
    "Win rate by game, with 95% intervals",
    "Decision times: share of decisions within a time",
    "Blunders: won positions given away, with 95% intervals",
    "Settings",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Play a match and write its report."""
    folder = matches.new_folder(str(tmp_path_factory.mktemp("match") / "m"))
    settings = matches.MatchSettings.parse(
        ["exact", "random", "mcts(simulations=20)"],
        ["sgai_nim(piles=[2;3;4])", "sgai_kayles(piles=[5;6])"],
        4,
        0,
        openings="balanced",
    )
    records = matches.play_match(settings, folder)
    matches.write_report(folder / "report.html", records, read_manifest(folder), verdict="H1 accepted")
    return folder


class Balance(HTMLParser):
    """Checks that every element is closed, and remembers what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.elsewhere, self.seen = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.elsewhere += [value for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_whole_and_needs_nothing_else(folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    reader = Balance()
    reader.feed(text)
    assert reader.open == []
    assert reader.elsewhere == []
    assert reader.seen.count("svg") == 4
    assert "script" not in reader.seen
    for heading in HEADINGS:
        assert f"<h2>{heading}</h2>" in text
    assert "<strong>H1 accepted</strong>" in text
    records = list(matches.replay(folder))
    assert f"{len(records)} games: 24 from N-positions, 24 from P-positions" in text
    for row in matches.table(records):
        assert row["agent"] in text
        assert f"{row['win_rate']:.1%}" in text
        assert f"{row['won_kept'] / row['won_positions']:.1%} of {row['won_positions']}" in text
    # The cross table: what one won the other lost.
    cells = re.findall(r"\+(\d+) =(\d+) -(\d+) \(", text)
    assert len(cells) == 6
    assert sum(int(won) for won, _, _ in cells) == sum(int(lost) for _, _, lost in cells) == len(records)


def test_names_are_text_not_markup(tmp_path):
    name = "process:<script>alert(1)</script> & co"
    record = matches.GameRecord(0, "<b>nim</b>", [name, "x"], 0, [], [], [], [1.0, -1.0], name, "<i>why</i>")
    text = report([record], {"seed": 0, "agents": [name]})
    assert "<script" not in text
    assert "<b>nim" not in text
    assert "<i>why" not in text
    assert "&lt;script&gt;" in text
    assert "<h1>Match report</h1>" in report([], {})


def test_charts_put_values_where_they_belong():
    chart = interval_chart("t", [Interval("a", 0, -100, 50), Interval("b", 100, 50, 200)], lambda x: f"{x:g}")
    places = [float(x) for x in re.findall(r'<circle cx="([0-9.]+)"', chart)]
    ticks = {
        text: float(x) for x, text in re.findall(r'<text x="([0-9.]+)"[^>]*font-size="11"[^>]*>(-?[0-9]+)<', chart)
    }
    assert places == [pytest.approx(ticks["0"], abs=0.1), pytest.approx(ticks["100"], abs=0.1)]
    bars = bar_chart(
        "t", [("g", [Interval("a", 0.5, 0.4, 0.6), Interval("b", float("nan"), 0, 0)])], lambda x: f"{x:g}"
    )
    rectangles = re.findall(r'<rect x="([0-9.]+)" y="\d+" width="([0-9.]+)"', bars)
    ticks = {text: float(x) for x, text in re.findall(r'<text x="([0-9.]+)"[^>]*font-size="11"[^>]*>([0-9.]+)<', bars)}
    assert len(rectangles) == 1
    assert float(rectangles[0][1]) == pytest.approx((ticks["1"] - ticks["0"]) / 2, abs=0.2)
    curve = distribution_chart("t", [("a", [1.0, 10.0, 10.0, 100.0])], "ms")
    points = [tuple(map(float, each.split(","))) for each in re.search(r'points="([^"]+)"', curve)[1].split()]
    assert points[0][1] > points[100][1] > points[-1][1] == 10
    assert points == sorted(points, key=lambda point: (point[0], -point[1]))


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_a_browser_shows_the_report(folder, tmp_path):
    """All headings and charts have a size, and nothing sticks out of the page."""
    text = (folder / "report.html").read_text(encoding="utf-8")
    probe = """<script>
    const shown = [...document.querySelectorAll("svg, h2, table")].map(each => each.getBoundingClientRect());
    const inside = [...document.querySelectorAll("svg text, svg circle, svg rect, svg polyline")].every(each => {
      const part = each.getBoundingClientRect(), whole = each.closest("svg").getBoundingClientRect();
      return part.left >= whole.left - 1 && part.right <= whole.right + 1 && part.bottom <= whole.bottom + 1;
    });
    document.title = ["boxes", shown.length, shown.every(box => box.width > 50 && box.height > 10), inside,
                      document.documentElement.scrollWidth <= window.innerWidth].join(" ");
    </script></body>"""
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", probe), encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}",
         "--window-size=1100,900", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert re.search(r"<title>boxes (\d+) (\w+) (\w+) (\w+)</title>", done.stdout), done.stderr[-2000:]
    boxes, *right = re.search(r"<title>boxes (\d+) (\w+) (\w+) (\w+)</title>", done.stdout).groups()
    assert int(boxes) == 4 + 8 + 3
    assert right == ["true", "true", "true"]
