//! The curves as a picture.

use super::curve::{Curve, Point};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const COLOURS: [RGBColor; 3] = [RGBColor(31, 119, 180), RGBColor(214, 39, 40), RGBColor(20, 20, 20)];
const NAMES: [&str; 3] = ["interpreter", "eager", "adaptive"];

pub(crate) fn draw(path: &Path, curves: &[Curve]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (1260, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, curve) in root.split_evenly((1, curves.len())).iter().zip(curves) {
        panel(area, curve)?;
    }
    root.present()?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area<'_>, curve: &Curve) -> Result<(), Box<dyn Error>> {
    let all = || curve.points.iter().flat_map(|p| p.seconds).map(|s| s * 1e3);
    let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    let records = |p: Option<&Point>| p.map_or(1.0, |p| p.records as f64);
    let range = records(curve.points.first())..records(curve.points.last());
    let mut chart = ChartBuilder::on(area)
        .caption(curve.name, ("sans-serif", 17))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(range.log_scale(), (least * 0.8..most * 1.3).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("records")
        .y_desc("milliseconds in all")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| if *y < 1.0 { format!("{y:.2}") } else { format!("{y:.0}") })
        .draw()?;
    if let Some(at) = curve.break_even {
        let line = [(at, least * 0.8), (at, most * 1.3)];
        chart.draw_series(DashedLineSeries::new(line, 4, 4, BLACK.mix(0.4).stroke_width(1)))?;
    }
    for (i, (name, colour)) in NAMES.iter().zip(COLOURS).enumerate() {
        let line = curve.points.iter().map(move |p| (p.records as f64, p.seconds[i] * 1e3));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
