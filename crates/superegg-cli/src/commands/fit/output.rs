//! What `superegg fit` says: for people, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use superegg::Legible;
use superegg_fit::{DVec3, Errors, Metrics, Part, PartsFit, Target};
use superegg_io::Conventions;

/// All that is known about a fit.
pub struct Report<'a> {
    /// The file.
    pub name: &'a str,
    /// What the file says about its coordinates.
    pub conventions: Conventions,
    /// Vertices or points of the file.
    pub vertices: usize,
    /// What was fitted.
    pub target: &'a Target,
    /// The parts.
    pub fit: &'a PartsFit,
    /// Whether shapes may have a taper.
    pub tapered: bool,
    /// Distances.
    pub errors: Errors,
    /// How good the union is.
    pub metrics: Metrics,
    /// What the fit took, without reading, measuring and writing.
    pub seconds: f64,
}

impl Report<'_> {
    fn kind(&self) -> &'static str {
        if self.tapered { "superovoid" } else { "superellipsoid" }
    }

    /// The format of `--json`.
    pub fn json(&self) -> String {
        let quantiles = |e: &Errors| json!({"mean": e.mean, "p95": e.p95, "max": e.max});
        let Metrics { coverage, protrusion, gap, chamfer, volume, .. } = &self.metrics;
        let mut metrics = json!({
            "coverage": coverage,
            "protrusion": quantiles(protrusion),
            "gap": quantiles(gap),
            "chamfer": chamfer,
            "count": self.fit.parts.len(),
            "volume_ratio": Value::Null,
            "iou": Value::Null,
        });
        if let Some(volume) = volume {
            metrics["volume_ratio"] = volume.ratio.into();
            metrics["iou"] = volume.iou.into();
        }
        let Errors { mean, rms, median, p95, max } = self.errors;
        let certificate = self.fit.certificate.map(|c| json!({"proved": c.proved, "by_distance": c.by_distance}));
        let answer = json!({
            "parts": self.fit.parts.iter().map(|part| self.part(part)).collect::<Vec<_>>(),
            "errors": {"mean": mean, "rms": rms, "median": median, "p95": p95, "max": max},
            "metrics": metrics,
            "certificate": certificate,
            "points": self.target.points().len(),
            "unit": if self.conventions.unit.is_some() { json!("metre") } else { Value::Null },
            "up_axis": self.conventions.up.map(|_| "z"),
            "file": {"unit_in_metres": self.conventions.unit, "up_axis": self.conventions.up.map(|up| up.name())},
            "seconds": self.seconds,
        });
        format!("{answer}\n")
    }

    fn part(&self, part: &Part) -> Value {
        let mut value = json!({
            "type": self.kind(),
            "radii": part.shape.radii(),
            "exponents": part.shape.exponents(),
            "position": part.pose.translation.to_array(),
            "orientation": part.pose.rotation.to_array(),
            "convex": part.shape.is_convex(),
        });
        if self.tapered {
            value["taper"] = json!(part.shape.taper());
        }
        value
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("a string takes everything");
        text
    }

    fn write(&self, to: &mut String) -> std::fmt::Result {
        let points = self.target.points();
        let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let size = (high - low).to_array().map(short).join(" × ");
        let what = match self.target.mesh() {
            Some(mesh) => format!("mesh of {} vertices and {} triangles", self.vertices, mesh.triangles().len()),
            None => format!("{} points", self.vertices),
        };
        writeln!(to, "{}: {what}, {size}", self.name)?;
        writeln!(to, "unit and axes: {}", self.axes())?;
        let count = self.fit.parts.len();
        writeln!(to, "{count} {}{}, convex:", self.kind(), if count == 1 { "" } else { "s" })?;
        for part in &self.fit.parts {
            let list = |values: &[f64]| values.iter().map(|&v| short(v)).collect::<Vec<_>>().join(", ");
            write!(to, "  radii [{}]  exponents [{}]", list(&part.shape.radii()), list(&part.shape.exponents()))?;
            if self.tapered {
                write!(to, "  taper {}", short(part.shape.taper()[0]))?;
            }
            let (position, turn) = (part.pose.translation.to_array(), part.pose.rotation.to_array());
            writeln!(to, "  position [{}]  orientation [{}]", list(&position), list(&turn))?;
        }
        let row = |e: &Errors| format!("mean {}, 95 % {}, largest {}", short(e.mean), short(e.p95), short(e.max));
        writeln!(
            to,
            "distance of the points from the surface: median {}, {}",
            short(self.errors.median),
            row(&self.errors)
        )?;
        let Metrics { coverage, protrusion, chamfer, volume, .. } = &self.metrics;
        writeln!(to, "points inside: {:.1} %", 100.0 * coverage)?;
        let beyond = if self.target.mesh().is_some() {
            "protrusion beyond the mesh"
        } else {
            "distance of the surface from the points"
        };
        writeln!(to, "{beyond}: {}", row(protrusion))?;
        write!(to, "Chamfer distance: {}", short(*chamfer))?;
        match volume {
            Some(volume) => writeln!(to, "; volume ratio {:.3}; IoU {:.3}", volume.ratio, volume.iou)?,
            None => writeln!(to, "; volume ratio and IoU need a closed mesh")?,
        }
        if let Some(certificate) = self.fit.certificate {
            writeln!(
                to,
                "proved: all {} are on their side, {} of them by certified distances, the rest are clearly so",
                certificate.proved, certificate.by_distance
            )?;
        }
        writeln!(to, "fitted in {:.1} ms", 1e3 * self.seconds)
    }

    fn axes(&self) -> String {
        match (self.conventions.unit, self.conventions.up) {
            (None, None) => "as in the file, which does not say them".into(),
            (unit, up) => {
                let unit = unit.map_or("an unnamed unit".into(), |unit| format!("{} m", Legible(unit)));
                let up = up.map_or("an unnamed axis", |up| up.name());
                format!("the file has {unit} and {up} up; here metres and z up")
            }
        }
    }
}

/// Five digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    Legible(rounded).to_string()
}
