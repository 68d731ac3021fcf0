//! One client's bodies. Every edit is checked as a whole before anything changes, so a refused message leaves the world
//! as it was.

use superegg::{Legible, Pose};

use super::messages::{Edit, Placement, Scene, Solver};
use super::method;
use super::placed::Placed;
use crate::files::Files;
use crate::limits::Limits;
use crate::scene::form::{self, read_pose};
use crate::scene::{Body, Key};
use crate::wire::{ErrorKind, Refusal};

/// Longest name and description of a scene or body, in bytes.
const LONGEST_NAME: usize = 200;
/// Longest motion, in seconds.
const LONGEST_DURATION: f64 = 3600.0;

/// A scene and the shapes that its bodies stand for.
#[derive(Clone, Debug)]
pub(crate) struct World {
    scene: Scene,
    /// In the order of the scene's bodies.
    placed: Vec<Placed>,
    revision: u32,
}

impl World {
    pub fn empty() -> World {
        let scene = Scene {
            name: String::new(),
            about: String::new(),
            bodies: vec![],
            solver: Solver::default(),
            duration: 1.0,
            files: Default::default(),
        };
        World { scene, placed: vec![], revision: 0 }
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The body with this id, and where it stands in the list.
    pub fn find(&self, path: &str, id: u32) -> Result<usize, Refusal> {
        self.placed
            .iter()
            .position(|body| body.id == id)
            .ok_or_else(|| Refusal::at(path, format!("there is no body with id {id}")))
    }

    /// Carries out an edit.
    pub fn apply(&mut self, edit: Edit, revision: u32, files: &Files, limits: &Limits) -> Result<(), Refusal> {
        match edit {
            Edit::SetScene { scene } => {
                self.placed = check_scene("set_scene.scene", &scene, files, limits)?;
                self.scene = scene;
            }
            Edit::SetBody { body } => {
                let placed = check_body("set_body.body", &body, files, limits)?;
                let others = self.placed.iter().filter(|other| other.id != body.id);
                check_triangles("set_body.body.file", others.chain([&placed]), limits)?;
                match self.placed.iter().position(|other| other.id == body.id) {
                    Some(index) => {
                        self.scene.bodies[index] = *body;
                        self.placed[index] = placed;
                    }
                    None => {
                        check_count("set_body.body", self.placed.len() + 1, limits)?;
                        self.scene.bodies.push(*body);
                        self.placed.push(placed);
                    }
                }
            }
            Edit::Move { placements } => {
                let moved: Vec<(usize, Pose)> = placements
                    .iter()
                    .enumerate()
                    .map(|(index, placement)| {
                        let path = format!("move.placements[{index}]");
                        let Placement { id, position, orientation } = *placement;
                        Ok((self.find(&format!("{path}.id"), id)?, read_pose(&path, position, orientation)?))
                    })
                    .collect::<Result<_, Refusal>>()?;
                for ((index, pose), placement) in moved.into_iter().zip(placements) {
                    self.placed[index].pose = pose;
                    let body = &mut self.scene.bodies[index];
                    (body.position, body.orientation) = (placement.position, placement.orientation);
                }
            }
            Edit::Remove { id } => {
                let index = self.find("remove.id", id)?;
                self.scene.bodies.remove(index);
                self.placed.remove(index);
            }
            Edit::SetSolver { solver } => {
                check_solver("set_solver.solver", &solver)?;
                self.scene.solver = solver;
            }
        }
        self.revision = revision;
        Ok(())
    }

    /// The pose of a body at a time of the motion: between two keys the position changes evenly and the rotation takes
    /// the shorter way round; before the first and after the last it stays. A body without keys stays where it is.
    pub fn pose_at(&self, index: usize, time: f64) -> Pose {
        let keys = &self.scene.bodies[index].keys;
        let pose = |key: &Key| read_pose("", key.position, key.orientation).unwrap_or(Pose::IDENTITY);
        let after = keys.partition_point(|key| key.time <= time);
        match (after.checked_sub(1).map(|before| &keys[before]), keys.get(after)) {
            (None, None) => self.placed[index].pose,
            (Some(key), None) | (None, Some(key)) => pose(key),
            (Some(before), Some(next)) => {
                let part = (time - before.time) / (next.time - before.time);
                let (from, to) = (pose(before), pose(next));
                Pose {
                    rotation: from.rotation.slerp(to.rotation, part),
                    translation: from.translation.lerp(to.translation, part),
                }
            }
        }
    }
}

/// Checks a whole scene.
pub(crate) fn check_scene(path: &str, scene: &Scene, files: &Files, limits: &Limits) -> Result<Vec<Placed>, Refusal> {
    check_text(&format!("{path}.name"), &scene.name)?;
    check_text(&format!("{path}.about"), &scene.about)?;
    if scene.files.len() > limits.bodies {
        let message = format!("a scene names at most {} files", limits.bodies);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(format!("{path}.files"), message) });
    }
    for (name, hash) in &scene.files {
        check_text(&format!("{path}.files"), name)?;
        check_text(&format!("{path}.files"), hash)?;
    }
    check_solver(&format!("{path}.solver"), &scene.solver)?;
    if !(scene.duration > 0.0 && scene.duration <= LONGEST_DURATION) {
        let message = format!("{} is outside ]0, {LONGEST_DURATION}]", Legible(scene.duration));
        return Err(Refusal::at(format!("{path}.duration"), message));
    }
    check_count(&format!("{path}.bodies"), scene.bodies.len(), limits)?;
    let mut placed: Vec<Placed> = Vec::with_capacity(scene.bodies.len());
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("{path}.bodies[{index}]");
        if placed.iter().any(|other| other.id == body.id) {
            return Err(Refusal::at(format!("{path}.id"), format!("the id {} comes twice", body.id)));
        }
        placed.push(check_body(&path, body, files, limits)?);
    }
    check_triangles(&format!("{path}.bodies"), &placed, limits)?;
    Ok(placed)
}

fn check_count(path: &str, count: usize, limits: &Limits) -> Result<(), Refusal> {
    if count > limits.bodies {
        let message = format!("a scene holds at most {} bodies", limits.bodies);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(path, message) });
    }
    Ok(())
}

fn check_text(path: &str, text: &str) -> Result<(), Refusal> {
    if text.len() > LONGEST_NAME {
        return Err(Refusal::at(path, format!("longer than {LONGEST_NAME} bytes")));
    }
    Ok(())
}

fn check_solver(path: &str, solver: &Solver) -> Result<(), Refusal> {
    method::find(&solver.method).ok_or_else(|| {
        let known: Vec<&str> = method::METHODS.iter().map(method::Method::name).collect();
        Refusal::at(format!("{path}.method"), format!("there is no such method; there are {}", known.join(", ")))
    })?;
    if !(solver.tolerance > 0.0 && solver.tolerance <= 1.0) {
        return Err(Refusal::at(
            format!("{path}.tolerance"),
            format!("{} is outside ]0, 1]", Legible(solver.tolerance)),
        ));
    }
    Ok(())
}

/// Checks one body.
pub(crate) fn check_body(path: &str, body: &Body, files: &Files, limits: &Limits) -> Result<Placed, Refusal> {
    check_text(&format!("{path}.name"), &body.name)?;
    let form = form::read(path, body, files, limits)?;
    check_keys(path, &body.keys, limits)?;
    Ok(Placed { id: body.id, form, pose: read_pose(path, body.position, body.orientation)?, hidden: body.hidden })
}

/// Meshes cost their triangles once a body, however often they are used.
fn check_triangles<'a>(
    path: &str,
    bodies: impl IntoIterator<Item = &'a Placed>,
    limits: &Limits,
) -> Result<(), Refusal> {
    let triangles: usize = bodies.into_iter().map(|body| form::triangles(&body.form)).sum();
    if triangles > limits.total_triangles {
        let message = format!("the bodies of a scene have at most {} triangles", limits.total_triangles);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(path, message) });
    }
    Ok(())
}

fn check_keys(path: &str, keys: &[Key], limits: &Limits) -> Result<(), Refusal> {
    if keys.len() > limits.keys {
        let message = format!("a motion has at most {} keys", limits.keys);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(format!("{path}.keys"), message) });
    }
    let mut last = f64::NEG_INFINITY;
    for (index, key) in keys.iter().enumerate() {
        let path = format!("{path}.keys[{index}]");
        if !(0.0..=LONGEST_DURATION).contains(&key.time) {
            let message = format!("{} is outside [0, {LONGEST_DURATION}]", Legible(key.time));
            return Err(Refusal::at(format!("{path}.time"), message));
        }
        if key.time <= last {
            return Err(Refusal::at(format!("{path}.time"), format!("{} is not after the key before", key.time)));
        }
        last = key.time;
        read_pose(&path, key.position, key.orientation)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use superegg::{DQuat, DVec3};

    use super::*;
    use crate::wire::read;

    fn applied(world: &mut World, text: &str) -> Result<(), Refusal> {
        let revision = world.revision() + 1;
        world.apply(read(text)?, revision, &Files::default(), &Limits::default())
    }

    const EGG: &str =
        r#"{"id":1,"name":"egg","type":"superovoid","radii":[1,1,1.3],"exponents":[1,0.8],"taper":[0.2,0.2]}"#;

    #[test]
    fn edits_change_the_world_and_its_revision() {
        let mut world = World::empty();
        assert_eq!(applied(&mut world, &format!(r#"{{"set_body":{{"body":{EGG}}}}}"#)), Ok(()));
        let moved = r#"{"move":{"placements":[{"id":1,"position":[1,2,3],"orientation":[0,0,2,0]}]}}"#;
        assert_eq!(applied(&mut world, moved), Ok(()));
        assert_eq!(world.placed()[0].pose.translation, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(world.placed()[0].pose.rotation, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0));
        assert_eq!(world.scene().bodies[0].position, [1.0, 2.0, 3.0]);
        assert_eq!(applied(&mut world, r#"{"remove":{"id":1}}"#), Ok(()));
        assert_eq!((world.placed().len(), world.revision()), (0, 3));
    }

    #[test]
    fn refused_edits_name_their_field_and_change_nothing() {
        let mut world = World::empty();
        applied(&mut world, &format!(r#"{{"set_body":{{"body":{EGG}}}}}"#)).unwrap();
        let before = world.clone();
        let body = |changed: &str| format!(r#"{{"set_body":{{"body":{{"id":2,"name":"b",{changed}}}}}}}"#);
        for (text, field) in [
            (body(r#""type":"superellipsoid","radii":[1,-1,1],"exponents":[1,1]"#), "set_body.body.radii[1]"),
            (body(r#""type":"superellipsoid","radii":[1,1,1],"exponents":[1,2]"#), "set_body.body.exponents[1]"),
            (body(r#""type":"superellipsoid","radii":[1,1,1]"#), "set_body.body.exponents"),
            (body(r#""type":"superellipsoid","radii":[1,1,"x"],"exponents":[1,1]"#), "set_body.body.radii[2]"),
            (body(r#""type":"plane","normal":[0,0,1],"offset":0,"taper":[0,0]"#), "set_body.body.taper"),
            (body(r#""type":"segment","points":[[0,0,0]]"#), "set_body.body.points"),
            (body(r#""type":"point","position":[0,0,1e99]"#), "set_body.body.position[2]"),
            (body(r#""type":"point","orientation":[0,0,0,0]"#), "set_body.body.orientation"),
            (body(r#""type":"teapot""#), "set_body.body.type"),
            (body(r#""type":"supertoroid","radii":[1,1,1],"exponents":[1,1],"hole":0.5"#), "set_body.body.hole"),
            (body(r#""type":"supertoroid","radii":[1,1,1],"exponents":[1,1],"height":3"#), "set_body.body.height"),
            (
                body(r#""type":"superhyperboloid1","radii":[1,1,1],"exponents":[1,1],"height":-1"#),
                "set_body.body.height",
            ),
            (body(r#""type":"superhyperboloid2","radii":[1,1,1],"exponents":[1,1]"#), "set_body.body.height"),
            (body(r#""type":"box","half_extents":[1,0,1]"#), "set_body.body.half_extents[1]"),
            (body(r#""type":"box","half_extents":[1,1,1],"rounding":-1"#), "set_body.body.rounding"),
            (body(r#""type":"box","radii":[1,1,1]"#), "set_body.body.radii"),
            (body(r#""type":"sphere","radius":0"#), "set_body.body.radius"),
            (body(r#""type":"sphere","radius":1,"half_height":1"#), "set_body.body.half_height"),
            (body(r#""type":"cylinder","radius":1"#), "set_body.body.half_height"),
            (body(r#""type":"cone","radius":1,"half_height":0"#), "set_body.body.half_height"),
            (body(r#""type":"capsule","radius":1,"half_height":-1"#), "set_body.body.half_height"),
            (body(r#""type":"frustum","end_radii":[1,-1],"half_height":1"#), "set_body.body.end_radii[1]"),
            (body(r#""type":"hull","points":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]"#), "set_body.body.points"),
            (body(r#""type":"hull","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,"x"]]"#), "set_body.body.points[3][2]"),
            (body(&format!(r#""type":"hull","points":{:?}"#, vec![[0.5; 3]; 129])), "set_body.body.points"),
            (
                body(&format!(
                    r#""type":"compound","parts":[{0},{0}]"#,
                    format_args!(r#"{{"type":"hull","points":{:?}}}"#, vec![[0.5; 3]; 65])
                )),
                "set_body.body.parts",
            ),
            (body(r#""type":"mesh","file":"nowhere.obj""#), "set_body.body.file"),
            (body(r#""type":"compound","parts":[]"#), "set_body.body.parts"),
            (body(r#""type":"compound","parts":[{"type":"plane"}]"#), "set_body.body.parts[0].normal"),
            (body(r#""type":"compound","parts":[{"type":"point"},{"type":"mesh"}]"#), "set_body.body.parts[1].file"),
            (
                body(r#""type":"compound","parts":[{"type":"superellipsoid","radii":[1,0,1],"exponents":[1,1]}]"#),
                "set_body.body.parts[0].radii[1]",
            ),
            (body(r#""type":"point","colour":"red""#), "set_body.body.colour"),
            (r#"{"remove":{"id":5}}"#.into(), "remove.id"),
            (
                r#"{"move":{"placements":[{"id":1,"position":[9,9,9],"orientation":[0,0,0,1]},
                {"id":4,"position":[0,0,0],"orientation":[0,0,0,1]}]}}"#
                    .into(),
                "move.placements[1].id",
            ),
            (r#"{"set_solver":{"solver":{"method":"magic","tolerance":1e-6}}}"#.into(), "set_solver.solver.method"),
            (r#"{"set_solver":{"solver":{"method":"default","tolerance":0}}}"#.into(), "set_solver.solver.tolerance"),
        ] {
            let refusal = applied(&mut world, &text).unwrap_err();
            assert_eq!(refusal.field.as_deref(), Some(field), "{text}: {refusal:?}");
            assert_eq!((world.scene(), world.revision()), (before.scene(), 1), "{text}");
        }
    }

    #[test]
    fn the_number_of_bodies_is_limited() {
        let limits = Limits { bodies: 2, ..Limits::default() };
        let mut world = World::empty();
        for id in 0..3 {
            let text = format!(r#"{{"set_body":{{"body":{{"id":{id},"name":"p","type":"point"}}}}}}"#);
            let outcome = world.apply(read(&text).unwrap(), id, &Files::default(), &limits);
            assert_eq!(outcome.map_err(|refusal| refusal.kind), if id < 2 { Ok(()) } else { Err(ErrorKind::Limit) });
        }
    }

    #[test]
    fn motion_passes_through_its_keys_and_rests_beyond_them() {
        let mut world = World::empty();
        let keys = r#"[{"time":1,"position":[0,0,0],"orientation":[0,0,0,1]},
            {"time":3,"position":[2,0,0],"orientation":[0,0,0.7071067811865476,0.7071067811865476]}]"#;
        let text = format!(
            r#"{{"set_body":{{"body":{{"id":1,"name":"p","type":"point","position":[5,5,5],"keys":{keys}}}}}}}"#
        );
        applied(&mut world, &text).unwrap();
        let at = |time| world.pose_at(0, time);
        assert_eq!(at(0.0).translation, DVec3::ZERO);
        assert_eq!(at(9.0).translation, DVec3::new(2.0, 0.0, 0.0));
        let middle = at(2.0);
        assert!((middle.translation - DVec3::X).length() < 1e-15);
        assert!((middle.rotation.to_axis_angle().1 - std::f64::consts::FRAC_PI_4).abs() < 1e-12);
    }
}
