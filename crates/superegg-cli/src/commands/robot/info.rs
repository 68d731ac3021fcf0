//! `superegg robot FILE info`: what is in a robot, and what was ignored.

use serde_json::{Value, json};
use superegg_robot::model::{Geometry, Joint, JointKind, Robot};

use super::input::Loaded;
use super::output::{diagnostics, print, print_json, table};
use crate::error::{CliError, Verdict};

/// List links, joints, meshes, and all that was ignored, repaired or missing
#[derive(clap::Args)]
pub struct Args {}

/// Runs the action.
pub fn run(_: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    if json {
        print_json(&summary(loaded))?
    } else {
        print(&text(loaded))?
    }
    Ok(Verdict::AllAnswered)
}

/// Mesh files that were found, how many, and the names of those that were not.
fn meshes(robot: &Robot) -> (usize, Vec<&str>) {
    let surfaces = robot.links.iter().flat_map(|link| link.visuals.iter().chain(&link.collisions));
    let (mut found, mut missing) = (0, Vec::new());
    for surface in surfaces {
        if let Geometry::Mesh(file) = &surface.geometry {
            match file.path {
                Some(_) => found += 1,
                None => missing.push(file.filename.as_str()),
            }
        }
    }
    missing.sort_unstable();
    missing.dedup();
    (found, missing)
}

/// The parts of the answer that all actions share.
pub fn summary(loaded: &Loaded) -> Value {
    let robot = &loaded.robot;
    let (found, missing) = meshes(robot);
    let joint = |joint: &Joint| {
        let number = |value: f64| if value.is_finite() { json!(value) } else { Value::Null };
        let limits = joint.limits.filter(|_| joint.kind != JointKind::Fixed);
        let mimic = joint.mimic.map(|mimic| {
            json!({"joint": robot.joints[mimic.joint].name, "multiplier": mimic.multiplier, "offset": mimic.offset})
        });
        json!({
            "name": joint.name,
            "type": joint.kind.name(),
            "parent": robot.links[joint.parent].name,
            "child": robot.links[joint.child].name,
            "lower": limits.map(|l| number(l.lower)),
            "upper": limits.map(|l| number(l.upper)),
            "effort": limits.map(|l| number(l.effort)),
            "velocity": limits.map(|l| number(l.velocity)),
            "mimic": mimic,
        })
    };
    json!({
        "name": robot.name,
        "links": robot.links.len(),
        "dof": robot.freedoms(),
        "joints": robot.joints.iter().map(joint).collect::<Vec<_>>(),
        "meshes": {"found": found, "missing": missing},
        "diagnostics": diagnostics(&loaded.diagnostics),
    })
}

/// For people.
fn text(loaded: &Loaded) -> String {
    let robot = &loaded.robot;
    let (found, missing) = meshes(robot);
    let mass: f64 = robot.links.iter().filter_map(|link| link.inertial).map(|inertial| inertial.mass).sum();
    let mut text = format!(
        "{}: {} links, {} joints, {} degrees of freedom, {mass:.3} kg, root {}\n",
        robot.name,
        robot.links.len(),
        robot.joints.len(),
        robot.freedoms(),
        robot.links[robot.root].name
    );
    let short = |value: f64| if value.is_finite() { format!("{:.4}", value) } else { "none".into() };
    let rows: Vec<Vec<String>> = robot
        .joints
        .iter()
        .map(|joint| {
            let limits = joint.limits.filter(|_| !matches!(joint.kind, JointKind::Fixed | JointKind::Continuous));
            let range = limits.map_or(String::new(), |l| format!("{} … {}", short(l.lower), short(l.upper)));
            let follows = joint.mimic.map_or(String::new(), |mimic| {
                format!("{} × {} + {}", mimic.multiplier, robot.joints[mimic.joint].name, mimic.offset)
            });
            let names = [joint.parent, joint.child].map(|link| robot.links[link].name.clone());
            vec![joint.name.clone(), joint.kind.name().into(), names[0].clone(), names[1].clone(), range, follows]
        })
        .collect();
    text += &table(&["joint", "type", "parent", "child", "range", "mimics"], &rows);
    text += &format!("meshes: {found} found, {} missing\n", missing.len());
    if loaded.diagnostics.is_empty() {
        return text + "everything in the file is used\n";
    }
    text += &format!("{} things to know:\n", loaded.diagnostics.len());
    for diagnostic in &loaded.diagnostics {
        text += &format!("  {diagnostic}\n");
    }
    text
}
