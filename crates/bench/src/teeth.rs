//! Paper 003 sections 5.3 and 6.4, figures 13 and 14: two molars in a bite of 181 frames, as superovoids and as meshes.

use std::hint::black_box;

use cpu_time::ThreadTime;
use superegg::Pose;
use superegg::query::Options;
use superegg::shape::{IndexedTriangles, Shape, Spacing};
use superegg_robot::RobotError;
use superegg_robot::teeth::{Bite, TOUCHING};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::Compound;
use superegg_world::distance_of_meshes;

use crate::measure::{Summary, micro};
use crate::peers::present;
use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};

/// Of all distances, as a part of the size.
const TOLERANCE: f64 = 1e-6;
/// Triangles of a tooth's meshes in the paper.
const TRIANGLES: [usize; 2] = [6_200, 24_000];

/// Times in microseconds and distances in millimetres, frame by frame.
struct Track {
    name: String,
    micros: Vec<f64>,
    distances: Vec<f64>,
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, RobotError> {
    let bite = Bite::new()?;
    // As exact as the meshes' distances.
    let options = Options { tolerance: TOLERANCE, ..Options::DEFAULT };
    let repeats = if settings.quick { 1 } else { 5 };
    let mut tracks = Vec::new();
    let frames = bite.frames.len() as u64;
    let mut follow = |name: String, ask: &mut dyn FnMut(&Pose) -> Result<f64, RobotError>| -> Result<(), RobotError> {
        progress.begin(&format!("teeth: {name}"), frames);
        let mut track = Track { name, micros: Vec::new(), distances: Vec::new() };
        for pose in &bite.frames {
            let (mut least, mut found) = (f64::INFINITY, 0.0);
            for _ in 0..repeats {
                let start = ThreadTime::now();
                found = black_box(ask(pose)?);
                least = least.min(1e6 * start.elapsed().as_secs_f64());
            }
            track.micros.push(least);
            track.distances.push(1e3 * found);
            progress.advance(1);
        }
        tracks.push(track);
        Ok(())
    };
    follow(format!("superovoids ({} and {})", bite.lower.parts().len(), bite.upper.parts().len()), &mut |pose| {
        let found = bite.lower.distance(&Pose::IDENTITY, &bite.upper, pose, &options)?;
        Ok(found.contact.outcome.distance)
    })?;
    for triangles in TRIANGLES {
        let (lower, upper) = (mesh_of(&bite.lower, triangles)?, mesh_of(&bite.upper, triangles)?);
        let count = lower.triangles.len();
        let own = [collision_mesh(&lower)?, collision_mesh(&upper)?];
        follow(format!("mesh distance, {count} triangles"), &mut |pose| {
            let outcome = distance_of_meshes(&own[0], &Pose::IDENTITY, &own[1], pose, TOLERANCE).outcome;
            Ok(outcome.distance.max(0.0))
        })?;
        #[cfg(feature = "fcl")]
        {
            let fcl = [crate::peers::FclMesh::new(&lower), crate::peers::FclMesh::new(&upper)];
            follow(format!("FCL mesh distance, {count} triangles"), &mut |pose| {
                Ok(fcl[0].distance(&Pose::IDENTITY, &fcl[1], pose).0.max(0.0))
            })?;
        }
    }
    Ok(Report { name: "teeth", title: "The teeth".into(), sections: vec![section(&tracks)] })
}

fn section(tracks: &[Track]) -> Section {
    let mut table = Table::new(&[
        "contact geometry",
        "mean µs a frame",
        "longest µs",
        "µs apart",
        "µs touching",
        "deepest mm",
        "largest jump mm",
        "frames slower than superovoids",
    ]);
    let ours = &tracks[0];
    for track in tracks {
        let times = Summary::of(track.micros.iter().copied());
        let in_contact = |frame: usize| (TOUCHING[0]..=TOUCHING[1]).contains(&frame);
        let mean = |touching: bool| {
            let chosen = track.micros.iter().enumerate().filter(|(frame, _)| in_contact(*frame) == touching);
            Summary::of(chosen.map(|(_, micros)| *micros)).mean
        };
        let deepest = track.distances.iter().copied().fold(f64::INFINITY, f64::min);
        let jump = track.distances.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        let slower = track.micros.iter().zip(&ours.micros).filter(|(theirs, ours)| theirs > ours).count();
        table.push([
            track.name.clone(),
            micro(1e-6 * times.mean),
            micro(1e-6 * times.largest),
            micro(1e-6 * mean(false)),
            micro(1e-6 * mean(true)),
            format!("{deepest:.4}"),
            format!("{jump:.4}"),
            if std::ptr::eq(track, ours) { "–".into() } else { format!("{slower} of {}", track.micros.len()) },
        ]);
    }
    let plot = |name: &str, title: &str, y: Axis, values: &dyn Fn(&Track) -> Vec<f64>| Plot {
        name: name.into(),
        title: title.into(),
        x: Axis::linear("frame"),
        y,
        series: tracks
            .iter()
            .map(|track| Series {
                name: track.name.clone(),
                points: values(track).into_iter().enumerate().map(|(frame, value)| (frame as f64, value)).collect(),
                published: false,
            })
            .collect(),
    };
    Section {
        title: "A bite of 181 frames (paper 003 figures 13 and 14)".into(),
        text: format!(
            "The upper tooth comes down into the lower one and rises again; they touch between frames {} and {}. Meshes report zero \
             in penetration; superovoids report the depth of the deepest pair, with certified bounds. {}",
            TOUCHING[0],
            TOUCHING[1],
            present()
        ),
        tables: vec![("bite".into(), table)],
        plots: vec![
            plot("time", "Time a frame", Axis::log("µs"), &|track| track.micros.clone()),
            plot("distance", "Least distance, with penetration", Axis::linear("mm"), &|track| track.distances.clone()),
        ],
    }
}

/// The meshes of all parts together, of about so many triangles.
fn mesh_of(tooth: &Compound, triangles: usize) -> Result<IndexedTriangles, RobotError> {
    let vertices = triangles / tooth.parts().len() / 2 + 2;
    let mut all = IndexedTriangles { vertices: Vec::new(), triangles: Vec::new() };
    for part in tooth.parts() {
        let own = match &part.shape {
            Shape::Superellipsoid(egg) => egg.tessellate(vertices, Spacing::Curvature)?,
            Shape::Superovoid(egg) => egg.tessellate(vertices, Spacing::Curvature)?,
            _ => continue,
        };
        let first = all.vertices.len() as u32;
        all.vertices.extend(own.vertices.iter().map(|p| part.pose.transform_point(*p)));
        all.triangles.extend(own.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }
    Ok(all)
}

fn collision_mesh(soup: &IndexedTriangles) -> Result<CollisionMesh, RobotError> {
    let mesh = superegg_mesh::TriangleMesh::new(soup.vertices.clone(), soup.triangles.clone());
    Ok(CollisionMesh::new(mesh.map_err(|error| RobotError::Invalid(error.to_string()))?)?)
}
