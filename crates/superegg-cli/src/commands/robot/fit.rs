//! `superegg robot FILE fit`: every link's meshes to smooth parts.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use superegg_robot::contact_geometry::{ContactGeometry, LinkFit};
use superegg_robot::picture::{Drawing, LINKS};
use superegg_robot::urdf::{WriteOptions, write_file};
use superegg_robot::{DVec3, Pose};

use super::input::{Fitting, Loaded};
use super::output::{
    SIZE, allow_endings, diagnostics, extension, millimetres, part, print, print_json, table, write_picture,
};
use super::{info, refused};
use crate::error::{CliError, Verdict};

/// Fit the meshes of every link with smooth parts, with an error table
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    fitting: Fitting,
    /// Write meshes for tools that reject unknown elements, with the exact parameters in comments beside them
    #[arg(long)]
    compat: bool,
    /// The robot with smooth collision geometry (.urdf), or a picture (.png); may be repeated
    #[arg(short, long, value_name = "OUT.urdf|OUT.png")]
    output: Vec<PathBuf>,
}

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["urdf", "png"])?;
    let started = Instant::now();
    let geometry = args.fitting.fitted(loaded)?;
    let seconds = started.elapsed().as_secs_f64();
    for path in &args.output {
        if extension(path) == "png" {
            let poses = loaded.kinematics.link_poses(&loaded.kinematics.neutral(), &Pose::IDENTITY);
            let mut drawing = Drawing::new();
            drawing.add_links(&geometry, &poses, |link| LINKS[link % LINKS.len()]).map_err(refused)?;
            write_picture(&drawing.picture(SIZE, DVec3::new(0.8, -0.6, 0.35)), path)?;
        } else {
            let robot = geometry.applied_to(&loaded.robot, &args.fitting.options()?);
            let options = WriteOptions { compat: args.compat, folder: None };
            write_file(&robot, path, &options).map_err(|error| CliError::Usage(error.to_string()))?;
        }
    }
    if json {
        print_json(&answer(loaded, &geometry, seconds))?
    } else {
        print(&text(loaded, &geometry, seconds))?
    }
    let unusable = !geometry.diagnostics.is_empty();
    Ok(if unusable { Verdict::SomeRefused } else { Verdict::AllAnswered })
}

fn answer(loaded: &Loaded, geometry: &ContactGeometry, seconds: f64) -> Value {
    let errors = |e: &superegg_fit::Errors| json!({"mean": e.mean, "p95": e.p95, "max": e.max});
    let fit = |fit: &LinkFit| {
        json!({
            "link": loaded.robot.links[fit.link].name,
            "triangles": fit.triangles,
            "parts": fit.parts.iter().map(part).collect::<Vec<_>>(),
            "metrics": {
                "coverage": fit.metrics.coverage,
                "protrusion": errors(&fit.metrics.protrusion),
                "gap": errors(&fit.metrics.gap),
                "volume_ratio": fit.metrics.volume.map(|volume| volume.ratio),
            },
            "proved": fit.certificate.map(|certificate| certificate.proved),
        })
    };
    let mut value = info::summary(loaded);
    value["fits"] = Value::Array(geometry.fits.iter().map(fit).collect());
    value["parts"] = json!(geometry.parts().count());
    value["seconds"] = json!(seconds);
    if let (Value::Array(all), Value::Array(more)) = (&mut value["diagnostics"], diagnostics(&geometry.diagnostics)) {
        all.extend(more);
    }
    value
}

fn text(loaded: &Loaded, geometry: &ContactGeometry, seconds: f64) -> String {
    let rows: Vec<Vec<String>> = geometry
        .fits
        .iter()
        .map(|fit| {
            let metrics = &fit.metrics;
            vec![
                loaded.robot.links[fit.link].name.clone(),
                fit.triangles.to_string(),
                fit.parts.len().to_string(),
                format!("{:.1}", 100.0 * metrics.coverage),
                millimetres(metrics.protrusion.mean),
                millimetres(metrics.protrusion.p95),
                millimetres(metrics.protrusion.max),
                millimetres(metrics.gap.p95),
                metrics.volume.map_or("open".into(), |volume| format!("{:.2}", volume.ratio)),
                fit.certificate.map_or("no".into(), |certificate| format!("{} triangles", certificate.proved)),
            ]
        })
        .collect();
    let head = [
        "link",
        "triangles",
        "parts",
        "inside %",
        "protrusion mm",
        "95 %",
        "most",
        "gap 95 % mm",
        "volume ×",
        "proved inside",
    ];
    let mut text = table(&head, &rows);
    let exact = geometry.parts().count() - geometry.fits.iter().map(|fit| fit.parts.len()).sum::<usize>();
    text += &format!(
        "{} smooth parts, {exact} shapes kept as they are, {seconds:.2} s\n",
        geometry.parts().count() - exact
    );
    if !loaded.diagnostics.is_empty() {
        text += &format!("{} things to know about the file: `info` lists them\n", loaded.diagnostics.len());
    }
    for diagnostic in &geometry.diagnostics {
        text += &format!("  {diagnostic}\n");
    }
    text
}
