//! Plots as SVG, by plotters.
//!
//! Both axes are drawn as straight ones with ticks placed here, so that one code path serves linear and logarithmic
//! axes. Ink is drawn in a stand-in colour, which a page replaces by its own text colour and a file by dark grey.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use thiserror::Error;

use super::{Axis, Plot};

/// Why a plot could not be drawn.
#[derive(Debug, Error)]
#[error("plot {name}: {message}")]
pub struct PlotError {
    name: String,
    message: String,
}

/// Width and height, and how much of the width belongs to the legend.
const SIZE: (u32, u32) = (640, 350);
const LEGEND: u32 = 185;

/// Colours that tell apart on light and dark ground and to colour-blind eyes (after Okabe and Ito).
const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 110, 70),
    RGBColor(130, 130, 140),
];

/// Stands for the page's text colour.
const INK: RGBColor = RGBColor(1, 2, 3);
const INK_HEX: &str = "#010203";

/// The plot as a file of its own, on white.
pub fn standalone(plot: &Plot) -> Result<String, PlotError> {
    Ok(draw(plot, true)?.replace(INK_HEX, "#333333"))
}

/// The plot as part of a page, in the page's colours.
pub fn inline(plot: &Plot) -> Result<String, PlotError> {
    Ok(draw(plot, false)?.replace(INK_HEX, "currentColor"))
}

/// An axis: the range of the places at which values are drawn (their logarithms on a logarithmic axis), and its ticks.
#[derive(Clone)]
struct Scale {
    log: bool,
    range: (f64, f64),
    ticks: Vec<f64>,
    names: Vec<String>,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
        if !axis.names.is_empty() {
            let names = axis.names.clone();
            let ticks = (0..names.len()).map(|index| index as f64).collect();
            return Scale { log: false, range: (-0.5, names.len() as f64 - 0.5), ticks, names };
        }
        let places = values.filter_map(|value| place(axis.log, value));
        let (mut low, mut high) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if axis.log && high - low < 0.5 {
            (low, high) = (low - 0.25, high + 0.25);
        }
        if high - low < 1e-12 * high.abs().max(1.0) {
            (low, high) = (low - 0.5, high + 0.5);
        }
        // Counts and rates begin at zero when they come near it.
        if !axis.log && low > 0.0 && low < 0.4 * high {
            low = 0.0;
        }
        let margin = 0.04 * (high - low);
        let ticks = if axis.log { decades(low, high) } else { even_steps(low, high) };
        let foot = if !axis.log && low == 0.0 { 0.0 } else { margin };
        Scale { log: axis.log, range: (low - foot, high + margin), ticks, names: Vec::new() }
    }

    /// The other way round: from top to bottom.
    fn reversed(mut self) -> Scale {
        self.range = (self.range.1, self.range.0);
        self
    }

    fn label(&self, place: f64) -> String {
        if !self.names.is_empty() {
            return self.names.get(place.round() as usize).cloned().unwrap_or_default();
        }
        if !self.log {
            return short(place);
        }
        let value = 10f64.powf(place);
        if (1e-3..1e5).contains(&value) { short(value) } else { format!("{value:.0e}") }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

fn place(log: bool, value: f64) -> Option<f64> {
    let place = if log { value.log10() } else { value };
    place.is_finite().then_some(place)
}

/// A number without superfluous digits.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Powers of ten between two exponents; with twos and fives where the range is short.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let span = high - low;
    let factors: &[f64] = if span < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let step = ((span / 8.0).ceil() as i32).max(1);
    (low.floor() as i32..=high.ceil() as i32)
        .filter(|decade| decade.rem_euclid(step) == 0)
        .flat_map(|decade| factors.iter().map(move |factor| f64::from(decade) + factor.log10()))
        .filter(|tick| (low - 1e-9..=high + 1e-9).contains(tick))
        .collect()
}

/// About six round numbers between two values.
fn even_steps(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let decade = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|factor| factor * decade >= rough).unwrap_or(10.0);
    let step = factor * decade;
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

fn draw(plot: &Plot, ground: bool) -> Result<String, PlotError> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let drawn = draw_on(plot, &area, ground).and_then(|()| area.present().map_err(|error| error.to_string()));
    drop(area);
    drawn.map_err(|message| PlotError { name: plot.name.clone(), message })?;
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw_on(plot: &Plot, area: &Area, ground: bool) -> Result<(), String> {
    let told = |error: DrawingAreaErrorKind<std::io::Error>| error.to_string();
    if ground {
        area.fill(&WHITE).map_err(told)?;
    }
    let points = || plot.series.iter().flat_map(|series| series.points.iter());
    let x = Scale::new(&plot.x, points().map(|point| point.0));
    let y = Scale::new(&plot.y, points().map(|point| point.1));
    let named = !(plot.x.names.is_empty() && plot.y.names.is_empty());
    let (y, labels) = if plot.y.names.is_empty() { (y, 70) } else { (y.reversed(), 120) };
    let (lines, legend) = area.split_horizontally(SIZE.0 - LEGEND);
    let mut chart = ChartBuilder::on(&lines)
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(labels)
        .build_cartesian_2d(x, y)
        .map_err(told)?;
    let text = |size: u32| ("sans-serif", size).into_font().color(&INK);
    chart
        .configure_mesh()
        .bold_line_style(INK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .label_style(text(16))
        .axis_desc_style(text(17))
        .x_desc(&plot.x.label)
        .y_desc(&plot.y.label)
        .draw()
        .map_err(told)?;
    for (index, series) in plot.series.iter().enumerate() {
        let colour = PALETTE[index % PALETTE.len()];
        let places: Vec<(f64, f64)> =
            series.points.iter().filter_map(|&(u, v)| Some((place(plot.x.log, u)?, place(plot.y.log, v)?))).collect();
        if series.published {
            if !named {
                chart.draw_series(DashedLineSeries::new(places.clone(), 7, 5, colour.stroke_width(2))).map_err(told)?;
            }
            chart.draw_series(places.iter().map(|at| Circle::new(*at, 4, colour.stroke_width(2)))).map_err(told)?;
        } else {
            if !named {
                chart.draw_series(LineSeries::new(places.clone(), colour.stroke_width(2))).map_err(told)?;
            }
            let size = if places.len() > 1 && !named { 3 } else { 5 };
            chart.draw_series(places.iter().map(|at| Circle::new(*at, size, colour.filled()))).map_err(told)?;
        }
        let joined = !named && series.points.len() > 1;
        draw_legend(&legend, index, joined, series.published, colour, &series.name).map_err(told)?;
    }
    Ok(())
}

/// One line of the legend, right of the plot.
fn draw_legend(
    area: &Area,
    index: usize,
    joined: bool,
    published: bool,
    colour: RGBColor,
    name: &str,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let y = 24 + 23 * index as i32;
    let strokes: &[(i32, i32)] = match (joined, published) {
        (true, true) => &[(2, 9), (14, 21)],
        (true, false) => &[(2, 21)],
        (false, _) => &[],
    };
    if !joined {
        let dot = if published { colour.stroke_width(2) } else { colour.filled() };
        area.draw(&Circle::new((12, y), 5, dot))?;
    }
    for (from, to) in strokes {
        area.draw(&PathElement::new([(*from, y), (*to, y)], colour.stroke_width(3)))?;
    }
    let style = ("sans-serif", 16).into_font().color(&INK);
    area.draw(&Text::new(name.to_owned(), (28, y - 8), style))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Series;

    #[test]
    fn ticks_lie_within_the_range_and_are_round() {
        assert_eq!(even_steps(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(decades(-3.0, 2.0), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0]);
        assert!(decades(0.0, 1.0).iter().any(|tick| (tick - 5f64.log10()).abs() < 1e-12));
        assert!(decades(-14.0, 3.0).len() <= 9);
    }

    #[test]
    fn values_without_a_place_are_left_out() {
        let plot = Plot {
            name: "odd".into(),
            title: "Odd values".into(),
            x: Axis::log("x"),
            y: Axis::log("y"),
            series: vec![Series {
                name: "a < b & c".into(),
                points: vec![(0.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, 3.0)],
                published: true,
            }],
        };
        let svg = inline(&plot).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("a &lt; b &amp; c"));
        let empty = Plot { series: Vec::new(), ..plot };
        assert!(standalone(&empty).unwrap().contains("</svg>"));
    }
}
