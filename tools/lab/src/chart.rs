//! Charts as SVG, in light or dark according to the settings of the reader's browser.

use std::fmt::Write as _;

const WIDTH: f64 = 880.0;
/// The left and right edges of the area for values, in pixels.
const LEFT: f64 = 230.0;
const RIGHT: f64 = 800.0;
/// Room for title and legend, and for the axis, in pixels.
const TOP: f64 = 74.0;
const BOTTOM: f64 = 46.0;

/// Colours are chosen so that everybody can tell neighbours apart, on either mode's background.
const STYLE: &str = "
.s{fill:#fcfcfb} text{font:12px system-ui,sans-serif;fill:#52514e} .t{font-size:16px;font-weight:600;fill:#0b0b0b}
.n{fill:#0b0b0b} .g{stroke:#e1e0d9} .m{stroke:#898781;stroke-dasharray:4 3} .l{stroke:#c3c2b7;stroke-width:2}
.c0{fill:#2a78d6} .c1{fill:#1baf7a} .c2{fill:#eda100} .c3{fill:#4a3aa7} .c4{fill:#e34948} .c5{fill:#898781}
@media (prefers-color-scheme:dark){
.s{fill:#1a1a19} text{fill:#c3c2b7} .t,.n{fill:#fff} .g{stroke:#2c2c2a} .m{stroke:#898781} .l{stroke:#383835}
.c0{fill:#3987e5} .c1{fill:#199e70} .c2{fill:#c98500} .c3{fill:#9085e9} .c4{fill:#e66767}}";

/// A chart of named rows of values.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its heading.
    pub title: String,
    /// The unit of the values: `operations a second`.
    pub unit: String,
    /// The names of the series, or of the parts of a bar.
    pub series: Vec<String>,
    /// A name, and a value for each series that has one.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
    /// Values that are marked by a line, with their meaning.
    pub marks: Vec<(f64, String)>,
}

/// A point of a scatter plot.
#[derive(Clone, Debug)]
pub struct Point {
    /// The name of what it shows.
    pub name: String,
    /// The index of its series.
    pub series: usize,
    /// Its coordinates; both above zero.
    pub at: (f64, f64),
}

/// An axis: linear from zero, or logarithmic.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    fn linear(high: f64, from: f64, to: f64) -> Self {
        Self { low: 0.0, high: high.max(f64::MIN_POSITIVE), log: false, from, to }
    }

    /// Makes a logarithmic scale of whole powers of ten around the values.
    fn log(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(0.0, f64::max);
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Self { low, high: high.max(low + 1.0), log: true, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Returns round values to write along the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            return (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power)).collect();
        }
        let rough = self.high / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        (0..).map(|i| f64::from(i) * step).take_while(|value| *value <= self.high).collect()
    }
}

/// A picture that is being drawn.
struct Picture {
    svg: String,
    height: f64,
}

impl Picture {
    fn new(title: &str, height: f64) -> Self {
        let mut picture = Self { svg: String::new(), height };
        let title = escaped(title);
        picture.svg += &format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"{title}\"><style>{STYLE}</style><rect class=\"s\" width=\"{WIDTH}\" height=\"{height}\"/>"
        );
        picture.text(20.0, 28.0, "t", "start", &title);
        picture
    }

    fn add(&mut self, element: &str) {
        self.svg += element;
        self.svg.push('\n');
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.add(&format!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    fn legend(&mut self, names: &[String]) {
        if names.len() < 2 {
            return;
        }
        let mut x = 20.0;
        for (i, name) in names.iter().enumerate() {
            self.add(&format!(
                "<rect class=\"c{i}\" x=\"{x:.1}\" y=\"42\" width=\"11\" height=\"11\" rx=\"2\"/>"
            ));
            self.text(x + 17.0, 52.0, "", "start", &escaped(name));
            x += 40.0 + 6.6 * name.chars().count() as f64;
        }
    }

    /// Draws the grid and the values along the lower edge.
    fn axis(&mut self, scale: &Scale, unit: &str) {
        let bottom = self.height - BOTTOM;
        for value in scale.ticks() {
            let x = scale.at(value);
            self.line("g", (x, TOP - 6.0), (x, bottom));
            self.text(x, bottom + 16.0, "", "middle", &short(value));
        }
        self.text((scale.from + scale.to) / 2.0, bottom + 34.0, "", "middle", &escaped(unit));
    }

    fn marks(&mut self, scale: &Scale, marks: &[(f64, String)]) {
        let bottom = self.height - BOTTOM;
        for (value, meaning) in marks {
            let x = scale.at(*value);
            self.line("m", (x, TOP - 6.0), (x, bottom));
            self.text(x + 3.0, TOP - 9.0, "", "start", &escaped(meaning));
        }
    }

    fn done(mut self) -> String {
        self.svg += "</svg>\n";
        self.svg
    }
}

impl Chart {
    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        let values = self.rows.iter().flat_map(|(_, values)| values.iter().copied().flatten());
        values.filter(|value| *value > 0.0)
    }

    /// Draws bars side by side, from zero.
    #[must_use]
    pub fn bars(&self) -> String {
        const BAR: f64 = 13.0;
        let lines = self.series.len() as f64;
        let step = BAR * lines + 9.0;
        let mut picture = Picture::new(&self.title, TOP + step * self.rows.len() as f64 + BOTTOM);
        picture.legend(&self.series);
        let scale = Scale::linear(self.values().fold(0.0, f64::max), LEFT, RIGHT);
        picture.axis(&scale, &self.unit);
        for (i, (name, values)) in self.rows.iter().enumerate() {
            let y = TOP + step * i as f64;
            picture.text(LEFT - 8.0, y + BAR * lines / 2.0 + 4.0, "n", "end", &escaped(name));
            for (series, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let (y, width) = (y + BAR * series as f64, scale.at(*value) - LEFT);
                picture.add(&format!(
                    "<rect class=\"c{series}\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"2\"/>",
                    BAR - 2.0
                ));
                picture.text(LEFT + width + 4.0, y + BAR - 2.0, "", "start", &short(*value));
            }
        }
        picture.marks(&scale, &self.marks);
        picture.done()
    }

    /// Draws bars of stacked parts.
    #[must_use]
    pub fn stacked(&self) -> String {
        const STEP: f64 = 24.0;
        let mut picture = Picture::new(&self.title, TOP + STEP * self.rows.len() as f64 + BOTTOM);
        picture.legend(&self.series);
        let total = |values: &[Option<f64>]| values.iter().flatten().sum::<f64>();
        let most = self.rows.iter().map(|(_, values)| total(values)).fold(0.0, f64::max);
        let scale = Scale::linear(most, LEFT + 40.0, RIGHT);
        picture.axis(&scale, &self.unit);
        for (i, (name, values)) in self.rows.iter().enumerate() {
            let (y, mut sum) = (TOP + STEP * i as f64, 0.0);
            picture.text(LEFT + 32.0, y + 13.0, "n", "end", &escaped(name));
            for (part, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let (from, to) = (scale.at(sum), scale.at(sum + value));
                picture.add(&format!(
                    "<rect class=\"c{part}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"17\"/>",
                    (to - from - 1.5).max(0.5)
                ));
                sum += value;
            }
            picture.text(scale.at(sum) + 4.0, y + 13.0, "", "start", &short(sum));
        }
        picture.marks(&scale, &self.marks);
        picture.done()
    }

    /// Draws dots on a logarithmic axis, those of a row on one line.
    #[must_use]
    pub fn dots(&self) -> String {
        const STEP: f64 = 18.0;
        let mut picture = Picture::new(&self.title, TOP + STEP * self.rows.len() as f64 + BOTTOM);
        picture.legend(&self.series);
        let scale = Scale::log(self.values(), LEFT, RIGHT);
        picture.axis(&scale, &self.unit);
        for (i, (name, values)) in self.rows.iter().enumerate() {
            let y = TOP + STEP * i as f64 + 6.0;
            picture.text(LEFT - 8.0, y + 4.0, "n", "end", &escaped(name));
            let at: Vec<_> =
                values.iter().copied().flatten().map(|value| scale.at(value)).collect();
            let low = at.iter().copied().fold(f64::INFINITY, f64::min);
            let high = at.iter().copied().fold(0.0, f64::max);
            if low < high {
                picture.line("l", (low, y), (high, y));
            }
            // The first series is the most important one, so it is drawn last, on top.
            for (series, value) in values.iter().enumerate().rev() {
                let Some(value) = value else { continue };
                let x = scale.at(*value);
                picture.add(&format!(
                    "<circle class=\"c{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"
                ));
            }
        }
        picture.marks(&scale, &self.marks);
        picture.done()
    }
}

/// Draws points over two logarithmic axes, each with its name.
#[must_use]
pub fn scatter(title: &str, units: (&str, &str), series: &[String], points: &[Point]) -> String {
    const HEIGHT: f64 = 560.0;
    let mut picture = Picture::new(title, HEIGHT);
    picture.legend(series);
    let x = Scale::log(points.iter().map(|point| point.at.0), 80.0, WIDTH - 90.0);
    let y = Scale::log(points.iter().map(|point| point.at.1), HEIGHT - BOTTOM, TOP);
    picture.axis(&x, units.0);
    for value in y.ticks() {
        picture.line("g", (80.0, y.at(value)), (WIDTH - 90.0, y.at(value)));
        picture.text(74.0, y.at(value) + 4.0, "", "end", &short(value));
    }
    let (left, middle) = (20.0, HEIGHT / 2.0);
    picture.add(&format!(
        "<text x=\"{left}\" y=\"{middle}\" transform=\"rotate(-90 {left} {middle})\" text-anchor=\"middle\">{}</text>",
        escaped(units.1)
    ));
    // Horizontal ranges at a height that names must not cover, the dots first.
    let dots = points.iter().map(|point| (x.at(point.at.0), y.at(point.at.1) + 4.0));
    let mut taken: Vec<_> = dots.map(|(x, y)| (x - 5.0, x + 5.0, y)).collect();
    for Point { name, series, at } in points {
        let (x, y) = (x.at(at.0), y.at(at.1));
        picture
            .add(&format!("<circle class=\"c{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"));
        let (from, to) = (x + 8.0, x + 8.0 + 7.0 * name.chars().count() as f64);
        let is_free = |offset: &f64| {
            taken.iter().all(|(left, right, height)| {
                from > *right || to < *left || (height - (y + offset)).abs() > 11.0
            })
        };
        let steps = [4.0, -8.0, 16.0, -20.0, 28.0, -32.0, 40.0];
        let offset = steps.into_iter().find(is_free).unwrap_or(4.0);
        taken.push((from, to, y + offset));
        picture.text(x + 8.0, y + offset, "", "start", &escaped(name));
    }
    picture.done()
}

/// Formats three digits with a suffix for thousands: `1.25k`, `14.5k`, `3.2M`.
fn short(value: f64) -> String {
    let (scaled, suffix) = match value.abs() {
        v if v >= 999_500.0 => (value / 1e6, "M"),
        v if v >= 10_000.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match scaled.abs() {
        v if v == 0.0 || v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        _ => 4,
    };
    let text = format!("{scaled:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{suffix}")
}

/// Escapes text for XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => write!(out, "{c}").unwrap_or_default(),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        Chart {
            title: "A & B".into(),
            unit: "bytes".into(),
            series: vec!["one".into(), "two".into()],
            rows: vec![
                ("x".into(), vec![Some(10.0), Some(40.0)]),
                ("y".into(), vec![Some(1.0), None]),
            ],
            marks: vec![(20.0, "a limit".into())],
        }
    }

    fn count(svg: &str, element: &str) -> usize {
        svg.matches(element).count()
    }

    #[test]
    fn every_value_is_drawn() {
        let chart = chart();
        // The background and the legend also have rectangles.
        assert_eq!(count(&chart.bars(), "<rect"), 1 + 2 + 3);
        assert_eq!(count(&chart.stacked(), "<rect"), 1 + 2 + 3);
        assert_eq!(count(&chart.dots(), "<circle"), 3);
        let points = [("p", 0, (1.0, 10.0)), ("q", 1, (100.0, 1000.0))]
            .map(|(name, series, at)| Point { name: name.into(), series, at });
        assert_eq!(count(&scatter("t", ("x", "y"), &chart.series, &points), "<circle"), 2);
        assert!(chart.bars().contains("A &amp; B") && chart.bars().ends_with("</svg>\n"));
    }

    #[test]
    fn scales() {
        let log = Scale::log([20.0, 900.0].into_iter(), 0.0, 100.0);
        assert_eq!((log.at(10.0), log.at(100.0), log.at(1000.0)), (0.0, 50.0, 100.0));
        assert_eq!(log.ticks(), [10.0, 100.0, 1000.0]);
        let linear = Scale::linear(47.0, 0.0, 47.0);
        assert_eq!(linear.ticks(), [0.0, 10.0, 20.0, 30.0, 40.0]);
    }

    #[test]
    fn short_numbers() {
        for (value, text) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (1448.0, "1448"),
            (14_480.0, "14.5k"),
            (1_000_000.0, "1M"),
            (2.5, "2.5"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
