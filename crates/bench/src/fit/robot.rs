//! The links of an arm, enclosed, beside the spheres that others put into them.

use std::path::Path;

use cpu_time::ThreadTime;
use glam::{DQuat, EulerRot};
use superegg_fit::{Family, FitError, Metrics, Part, SetOptions, Target, Threads, enclose_all, metrics};
use superegg_mesh::{DVec3, TriangleMesh};

use super::ball;
use crate::measure::tiny;
use crate::report::Section;
use crate::{Progress, Table};

/// A link with the spheres that stand for it.
struct Link {
    name: String,
    target: Target,
    spheres: Vec<Part>,
}

/// Parts for the whole arm: a quarter of the peer's 59 spheres.
const PARTS: usize = 14;

pub(super) fn panda(folder: &Path, progress: &dyn Progress) -> Result<Section, FitError> {
    let links = links(folder)?;
    let targets: Vec<Target> = links.iter().map(|link| link.target.clone()).collect();
    progress.begin("panda", 100);
    let options = SetOptions { family: Family::Superovoid, parts: PARTS.max(links.len()), threads: Threads::One };
    let mut told = 0;
    let start = ThreadTime::now();
    let fits = enclose_all(&targets, &options, &mut |share| {
        let percent = (100.0 * share) as u64;
        progress.advance(percent.saturating_sub(told));
        told = percent.max(told);
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let mut table = Table::new(&[
        "link",
        "spheres",
        "covered %",
        "95 % protrusion, mm",
        "largest, mm",
        "parts",
        "covered %",
        "95 % protrusion, mm",
        "largest, mm",
        "proved corners",
    ]);
    let mut sums = [0.0; 2];
    let mut rows = Vec::new();
    for (link, fit) in links.iter().zip(&fits) {
        let measured = [&link.spheres, &fit.parts].map(|parts| metrics(parts, &link.target, Threads::One));
        let [theirs, ours] = measured;
        let (theirs, ours) = (theirs?, ours?);
        sums[0] += theirs.protrusion.p95;
        sums[1] += ours.protrusion.p95;
        rows.push((link.name.clone(), theirs, ours, fit.certificate.map_or("none".into(), |c| c.proved.to_string())));
    }
    let spheres: Vec<&[Part]> = links.iter().map(|link| &link.spheres[..]).collect();
    let parts: Vec<&[Part]> = fits.iter().map(|fit| &fit.parts[..]).collect();
    let (theirs, ours) = (together(&links, &spheres)?, together(&links, &parts)?);
    rows.push(("all surfaces together".into(), theirs, ours, String::new()));
    for (name, theirs, ours, proved) in rows {
        let side = |m: &Metrics| {
            let millimetres = |m: f64| format!("{:.1}", 1e3 * m);
            let covered = format!("{:.1}", 100.0 * m.coverage);
            [m.count.to_string(), covered, millimetres(m.protrusion.p95), millimetres(m.protrusion.max)]
        };
        let [[a, b, c, d], [e, f, g, h]] = [side(&theirs), side(&ours)];
        table.push([name, a, b, c, d, e, f, g, h, proved]);
    }
    let count = links.len().max(1) as f64;
    let text = format!(
        "{} spheres with a mean 95 % protrusion of {} m, {} parts with {} m, fitted in {seconds:.2} s.",
        theirs.count,
        tiny(sums[0] / count),
        ours.count,
        tiny(sums[1] / count)
    );
    Ok(Section { title: "An arm, enclosed".into(), text, tables: vec![("panda".into(), table)], ..Section::default() })
}

/// Measures all links as one target: they stand so far apart that none is near another.
fn together(links: &[Link], parts: &[&[Part]]) -> Result<Metrics, FitError> {
    let (mut positions, mut triangles, mut placed) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (link, parts)) in links.iter().zip(parts).enumerate() {
        let shift = DVec3::X * (10.0 * index as f64);
        let Some(mesh) = link.target.mesh() else { continue };
        let first = positions.len() as u32;
        positions.extend(mesh.positions().iter().map(|p| *p + shift));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        placed.extend(parts.iter().map(|part| {
            let translation = part.pose.translation + shift;
            Part { pose: superegg::Pose { translation, ..part.pose }, ..*part }
        }));
    }
    let mesh = TriangleMesh::new(positions, triangles).map_err(|_| FitError::NoSurface)?;
    metrics(&placed, &Target::from_mesh(mesh)?, Threads::One)
}

/// The links that have both a mesh and spheres, in their own frames.
fn links(folder: &Path) -> Result<Vec<Link>, FitError> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let (meshes, spheres) = (read("panda.urdf"), read("smaller_panda_spherized.urdf"));
    let (Ok(meshes), Ok(spheres)) = (roxmltree::Document::parse(&meshes), roxmltree::Document::parse(&spheres)) else {
        return Ok(Vec::new());
    };
    let mut links = Vec::new();
    for link in meshes.descendants().filter(|node| node.has_tag_name("link")) {
        let Some(name) = link.attribute("name") else { continue };
        let mut shapes = collisions(link);
        let file = shapes.find_map(|(shape, origin)| Some((shape.attribute("filename")?.to_owned(), origin)));
        let Some((file, (turn, shift))) = file else { continue };
        let Ok(mesh) = superegg_io::read_mesh(&folder.join(file)) else { continue };
        let (positions, triangles) = mesh.into_parts();
        let positions = positions.iter().map(|p| turn * *p + shift).collect();
        let mesh = TriangleMesh::new(positions, triangles).map_err(|_| FitError::NoSurface)?;
        let theirs =
            spheres.descendants().find(|node| node.has_tag_name("link") && node.attribute("name") == Some(name));
        let mut balls = Vec::new();
        for (shape, (_, center)) in theirs.into_iter().flat_map(collisions) {
            if let Some(radius) = shape.attribute("radius").and_then(|r| r.parse().ok()) {
                balls.push(ball(center, radius)?);
            }
        }
        if !balls.is_empty() {
            links.push(Link { name: name.to_owned(), target: Target::from_mesh(mesh)?, spheres: balls });
        }
    }
    Ok(links)
}

/// The shapes of a link's collision elements, with their origins.
fn collisions<'a>(link: roxmltree::Node<'a, 'a>) -> impl Iterator<Item = (roxmltree::Node<'a, 'a>, (DQuat, DVec3))> {
    link.children().filter(|node| node.has_tag_name("collision")).filter_map(|collision| {
        let geometry = collision.children().find(|node| node.has_tag_name("geometry"))?;
        let shape = geometry.children().find(|node| node.is_element())?;
        let origin = collision.children().find(|node| node.has_tag_name("origin"));
        let vector = |name: &str| {
            let words = origin.and_then(|origin| origin.attribute(name)).unwrap_or("0 0 0");
            let values: Vec<f64> = words.split_whitespace().filter_map(|w| w.parse().ok()).collect();
            DVec3::new(values[0], values[1], values[2])
        };
        let rpy = vector("rpy");
        Some((shape, (DQuat::from_euler(EulerRot::ZYX, rpy.z, rpy.y, rpy.x), vector("xyz"))))
    })
}
