//! Multibody Sketcher from outside: creatures drawn by strokes, taken away as robots and opened again, posed, played, and moved by physics.

use std::path::Path;

use glam::{DQuat, DVec2, DVec3};
use superegg_apps::sketcher::messages::*;
use superegg_apps::sketcher::{Sketcher, empty, file, gallery, import};
use superegg_apps::wire::{Control, Phase};
use superegg_apps::{App, Asked, Clock, Context, Open, Pace, Slice, Step};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::{ReadOptions, urdf};

const REACH: f64 = 0.04;

struct Still;
impl Clock for Still {
    fn now(&self) -> f64 {
        0.0
    }
}

/// A client that draws.
struct Client {
    session: Sketcher,
    number: u32,
}

impl Client {
    fn new(creature: Creature) -> Client {
        let mut client = Client { session: Sketcher::open(&Open::default()).0, number: 0 };
        client.edit(Edit::Open { creature });
        client
    }

    fn context<'a>(&mut self, files: &'a superegg_apps::files::Files) -> Context<'a> {
        self.number += 1;
        Context { files, number: self.number }
    }

    fn edit(&mut self, edit: Edit) {
        let files = Default::default();
        let context = self.context(&files);
        self.session.edit(edit, &context).unwrap();
        let slice = Slice { clock: &Still, until: 1.0, gone: &|| false };
        self.session.work(&slice);
    }

    fn ask(&mut self, ask: Ask) -> Reply {
        let files = Default::default();
        let context = self.context(&files);
        match self.session.ask(ask, &context).unwrap_or_else(|refusal| panic!("{refusal:?}")) {
            Asked::Now(reply) => reply,
            Asked::Later { mut task, .. } => loop {
                let slice = Slice { clock: &Still, until: 1.0, gone: &|| false };
                if let Step::Done(reply, _) = task.step(&slice).unwrap_or_else(|refusal| panic!("{refusal:?}")) {
                    break reply;
                }
            },
        }
    }

    /// Asks, and takes over what comes of it.
    fn draw(&mut self, ask: Ask) -> Option<String> {
        let Reply::Drawn { creature, hint, .. } = self.ask(ask) else { panic!("not a drawing") };
        if let Some(creature) = creature {
            self.edit(Edit::Open { creature });
        }
        hint
    }

    /// Shows how it stands.
    fn pose(&mut self, stance: Stance) {
        let (name, meshes, keys, mirror) = (None, None, None, None);
        let (joints, bones, hitboxes, removed) = (vec![], vec![], vec![], vec![]);
        self.edit(Edit::Change { name, joints, bones, hitboxes, removed, meshes, stance: Some(stance), keys, mirror });
        self.edit(Edit::Show { show: Show::Posed {} });
    }

    fn creature(&self) -> Creature {
        self.session.document()
    }
}

fn front(points: &[[f64; 2]]) -> Stroke {
    view([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], points)
}

fn view(right: [f64; 3], up: [f64; 3], points: &[[f64; 2]]) -> Stroke {
    let dense = |pair: &[[f64; 2]]| -> Vec<[f64; 2]> {
        (0..16).map(|k| DVec2::from(pair[0]).lerp(DVec2::from(pair[1]), f64::from(k) / 16.0).to_array()).collect()
    };
    let points = points.windows(2).flat_map(dense).chain(points.last().copied()).collect();
    Stroke { right, up, points, reach: REACH }
}

fn circle(center: [f64; 2], radius: f64) -> Stroke {
    let at = |k: i32| (DVec2::from(center) + radius * DVec2::from_angle(f64::from(k) * 0.2)).to_array();
    front(&(0..=31).map(at).collect::<Vec<_>>())
}

fn plain(mirror: bool) -> Client {
    Client::new(Creature { mirror, ..empty("Test") })
}

fn at(creature: &Creature, joint: u32) -> DVec3 {
    DVec3::from_array(creature.joints.iter().find(|other| other.id == joint).unwrap().position)
}

#[test]
fn strokes_become_bones_that_weld_and_branch() {
    let mut client = plain(false);
    client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.0, 1.0], [0.7, 1.0]]) });
    assert_eq!((client.creature().bones.len(), client.creature().joints.len()), (2, 3));
    // From near the last joint on: welded. Onto the middle of the first bone: it is split there.
    client.draw(Ask::Bones { stroke: front(&[[0.72, 0.98], [1.2, 0.6]]) });
    client.draw(Ask::Bones { stroke: front(&[[-0.8, 0.5], [-0.02, 0.5]]) });
    let creature = client.creature();
    assert_eq!((creature.bones.len(), creature.joints.len()), (5, 6));
    // All hangs together: one bone more than there would be joints of a tree.
    let hint = client.draw(Ask::Bones { stroke: front(&[[1.2, 0.6], [0.8, 0.0], [0.01, 0.01]]) });
    assert!(hint.unwrap().contains("ring"));
    // In the side view a stroke lands at the depth of the joint that it begins at.
    let tip = at(&creature, creature.bones[2].to);
    client.draw(Ask::Bones { stroke: view([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], &[[0.0, tip.z], [0.5, tip.z]]) });
    let last = client.creature().bones.last().unwrap().clone();
    let end = at(&client.creature(), last.to);
    assert!((end.x - tip.x).abs() < 1e-9 && (end.y - 0.5).abs() < 1e-9, "{end}");
    assert!(client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.01, 0.0]]) }).unwrap().contains("short"));
}

#[test]
fn bones_are_split_and_taken_away() {
    let mut client = plain(false);
    client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.0, 1.0]]) });
    client.draw(Ask::Hitbox { stroke: circle([0.0, 0.8], 0.1) });
    let bone = client.creature().bones[0].id;
    client.draw(Ask::Split { bone, at: [0.3, 0.0, 0.5] });
    let creature = client.creature();
    assert_eq!(creature.bones.len(), 2);
    assert!((at(&creature, creature.bones[1].from).z - 0.5).abs() < 1e-9);
    // The hitbox is on the upper half now.
    assert_eq!(creature.hitboxes[0].bone, creature.bones[1].id);
    client.draw(Ask::Remove { joints: vec![], bones: vec![creature.bones[1].id] });
    let creature = client.creature();
    assert_eq!((creature.bones.len(), creature.joints.len(), creature.hitboxes.len()), (1, 2, 0));
}

#[test]
fn the_mirror_draws_on_both_sides() {
    let mut client = plain(true);
    client.draw(Ask::Bones { stroke: front(&[[0.01, 0.0], [0.0, 1.0]]) });
    client.draw(Ask::Bones { stroke: front(&[[0.0, 1.0], [0.5, 1.0], [0.5, 0.4]]) });
    client.draw(Ask::Hitbox { stroke: circle([0.5, 0.7], 0.1) });
    let creature = client.creature();
    assert_eq!((creature.bones.len(), creature.joints.len(), creature.hitboxes.len()), (5, 6, 2));
    for joint in &creature.joints {
        let [x, y, z] = joint.position;
        assert!(
            creature.joints.iter().any(|other| DVec3::from_array(other.position).distance(DVec3::new(-x, y, z)) < 1e-9)
        );
    }
    assert_eq!(creature.hitboxes[0].position[0], -creature.hitboxes[1].position[0]);
    assert!(creature.bones.iter().any(|bone| bone.name.ends_with("_left")));
    // What is taken away on one side goes on the other.
    let arm =
        creature.bones.iter().find(|bone| at(&creature, bone.to).x > 0.4 && at(&creature, bone.to).z < 0.5).unwrap().id;
    client.draw(Ask::Remove { joints: vec![], bones: vec![arm] });
    assert_eq!(client.creature().bones.len(), 3);
}

#[test]
fn hints_say_what_is_wrong_with_an_ellipse() {
    let mut client = plain(false);
    client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.0, 1.0]]) });
    assert!(client.draw(Ask::Hitbox { stroke: front(&[[0.2, 0.0], [0.3, 1.0]]) }).unwrap().contains("line"));
    assert!(client.draw(Ask::Hitbox { stroke: circle([0.8, 0.5], 0.2) }).unwrap().contains("over a bone"));
    assert_eq!(client.creature().hitboxes.len(), 0);
}

/// Numbers are the same to rounding, names and structure exactly.
fn assert_same(one: &Creature, other: &Creature) {
    let name = |creature: &Creature, id: u32| creature.bones.iter().find(|bone| bone.id == id).unwrap().name.clone();
    assert_eq!(one.bones.len(), other.bones.len(), "{}", one.name);
    for bone in &one.bones {
        let twin = other.bones.iter().find(|twin| twin.name == bone.name).unwrap_or_else(|| panic!("no {}", bone.name));
        for (a, b) in [(bone.from, twin.from), (bone.to, twin.to)] {
            assert!(at(one, a).distance(at(other, b)) < 1e-9, "{}", bone.name);
        }
        // A root hangs on nothing: how it would turn is in no file.
        let is_root = bone.id == one.bones[0].id;
        for turn in if is_root { 0..0 } else { 0..3 } {
            for end in 0..2 {
                assert!(
                    (bone.articulation.ranges[turn][end] - twin.articulation.ranges[turn][end]).abs() < 1e-9,
                    "{}",
                    bone.name
                );
            }
        }
        let turned = DQuat::from_array(bone.articulation.axes).dot(DQuat::from_array(twin.articulation.axes));
        assert!(turned.abs() > 1.0 - 1e-12, "{}", bone.name);
    }
    assert_eq!(one.hitboxes.len(), other.hitboxes.len());
    for hitbox in &one.hitboxes {
        let near = |twin: &&Hitbox| {
            let far = DVec3::from_array(twin.position).distance(DVec3::from_array(hitbox.position));
            let turned = DQuat::from_array(hitbox.orientation).dot(DQuat::from_array(twin.orientation)).abs();
            far < 1e-9
                && turned > 1.0 - 1e-12
                && twin.radii == hitbox.radii
                && twin.exponents == hitbox.exponents
                && twin.taper == hitbox.taper
        };
        let twin = other.hitboxes.iter().find(near).unwrap_or_else(|| panic!("{hitbox:?}"));
        assert_eq!(name(one, hitbox.bone), name(other, twin.bone));
    }
}

#[test]
fn the_gallery_is_whole_and_robots_open_again_unchanged() {
    for creature in gallery() {
        // As any other document: checked as a whole.
        let client = Client::new(creature.clone());
        assert_eq!(client.creature(), creature);
        assert!(
            creature.bones.len() >= 10 && creature.hitboxes.len() >= 9 && creature.keys.len() >= 3,
            "{}",
            creature.name
        );
        let (bytes, end) = file(&creature, ExportFormat::Urdf).unwrap();
        assert_eq!(end, "urdf");
        let text = String::from_utf8(bytes).unwrap();
        let loaded =
            urdf::read(Path::new("x.urdf"), &text, &ReadOptions { strict: true, ..Default::default() }).unwrap();
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let (back, notes) = import(&text).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        let one_tree =
            creature.bones.iter().filter(|bone| creature.bones.iter().all(|other| other.to != bone.from)).count();
        assert!(one_tree >= 1);
        assert_same(&creature, &back);
        // And once more: the second file is the first.
        let again = String::from_utf8(file(&back, ExportFormat::Urdf).unwrap().0).unwrap();
        let robots =
            [&text, &again].map(|text| urdf::read(Path::new("x.urdf"), text, &ReadOptions::default()).unwrap().robot);
        assert_eq!(robots[0].freedoms(), robots[1].freedoms());
        assert_eq!(robots[0].links.len(), robots[1].links.len());
        // The same configuration puts every link to the same place.
        let kinematics = robots.each_ref().map(Kinematics::new);
        let mut random = fastrand::Rng::with_seed(4);
        let configuration = kinematics[0].random(&robots[0], &mut random);
        let names = |k: usize| {
            kinematics[k].freedoms().iter().map(|f| robots[k].joints[f.joint].name.clone()).collect::<Vec<_>>()
        };
        let values: Vec<(String, f64)> = names(0).into_iter().zip(configuration.clone()).collect();
        let second = kinematics[1]
            .configuration(&robots[1], values.iter().map(|(name, value)| (name.as_str(), *value)))
            .unwrap();
        let base = superegg_robot::Pose::IDENTITY;
        let poses = [kinematics[0].link_poses(&configuration, &base), kinematics[1].link_poses(&second, &base)];
        for (index, link) in robots[0].links.iter().enumerate() {
            let twin = robots[1].link(&link.name).unwrap();
            let off = poses[0][index].translation.distance(poses[1][twin].translation);
            assert!(off < 1e-9, "{} {}: {off}", creature.name, link.name);
        }
    }
}

#[test]
fn all_files_are_written_and_scenes_run() {
    for creature in gallery() {
        for format in [
            ExportFormat::UrdfCompat,
            ExportFormat::Mjcf,
            ExportFormat::Collada,
            ExportFormat::Glb,
            ExportFormat::Scene,
        ] {
            let (bytes, end) = file(&creature, format).unwrap();
            assert!(bytes.len() > 1000, "{end}");
            if format == ExportFormat::Scene {
                let text = String::from_utf8(bytes).unwrap();
                let scene = superegg_scene::file::parse(&text, "x.toml", Path::new(".")).unwrap();
                let mut scene = scene.build().unwrap();
                for _ in 0..40 {
                    scene.advance(&Default::default()).unwrap();
                }
            }
        }
    }
    // Bones without hitboxes are files, too; nothing is not.
    let mut client = plain(false);
    client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.0, 1.0], [0.5, 1.0]]) });
    for format in
        [ExportFormat::Urdf, ExportFormat::Mjcf, ExportFormat::Glb, ExportFormat::Collada, ExportFormat::Scene]
    {
        file(&client.creature(), format).unwrap();
    }
}

#[test]
fn joints_are_drawn_to_places_within_their_limits() {
    let creature = gallery().remove(0);
    let mut client = Client::new(creature.clone());
    let palm = creature.bones.iter().find(|bone| bone.name == "palm_left").unwrap();
    let to = DVec3::new(0.45, -0.35, 1.3);
    let Reply::Stance { stance, .. } =
        client.ask(Ask::Reach { joint: palm.to, to: to.to_array(), stance: creature.stance.clone() })
    else {
        panic!()
    };
    for turn in &stance.turns {
        let bone = creature.bones.iter().find(|bone| bone.id == turn.bone).unwrap();
        for (angle, [low, high]) in turn.angles.into_iter().zip(bone.articulation.ranges) {
            assert!((low - 1e-12..=high + 1e-12).contains(&angle), "{}: {angle}", bone.name);
        }
    }
    client.pose(stance);
    let index = creature.bones.iter().position(|bone| bone.id == palm.id).unwrap();
    let there = client.session.places()[index].transform_point(at(&creature, palm.to));
    assert!(there.distance(to) < 0.02, "{there}");
    // Far beyond its arm: as near as it gets, and nothing breaks.
    let Reply::Stance { stance, .. } =
        client.ask(Ask::Reach { joint: palm.to, to: [30.0, 0.0, 0.0], stance: creature.stance.clone() })
    else {
        panic!()
    };
    assert!(stance.turns.iter().all(|turn| turn.angles.iter().all(|angle| angle.is_finite())));
}

#[test]
fn a_line_of_action_bends_a_chain() {
    let mut client = plain(false);
    // A straight tail of six bones.
    for k in 0..6 {
        let x = 0.3 * f64::from(k);
        client.draw(Ask::Bones { stroke: front(&[[x, 0.0], [x + 0.3, 0.0]]) });
    }
    let creature = client.creature();
    assert_eq!(creature.bones.len(), 6);
    // Up in an arc of 1.8 m.
    let arc = |k: i32| {
        let angle = f64::from(k) / 40.0 * 1.2;
        [1.5 * angle.sin(), 1.5 - 1.5 * angle.cos()]
    };
    let line: Vec<[f64; 2]> = (0..=40).map(arc).collect();
    let Reply::Stance { stance, hint } =
        client.ask(Ask::Follow { stroke: front(&line), stance: creature.stance.clone() })
    else {
        panic!()
    };
    assert_eq!(hint, None);
    client.pose(stance);
    // The root is not turned: the rest follows as well as it can.
    let tip = client.session.places()[5].transform_point(at(&creature, creature.bones[5].to));
    assert!(tip.z > 0.6 && tip.y.abs() < 1e-6, "{tip}");
}

#[test]
fn overlaps_are_told_between_bones_that_are_not_neighbours() {
    let mut client = plain(false);
    client.draw(Ask::Bones { stroke: front(&[[0.0, 0.0], [0.0, 1.0], [0.3, 1.0], [0.3, 0.0]]) });
    for (x, z) in [(0.0, 0.5), (0.3, 0.5), (0.15, 1.0)] {
        client.draw(Ask::Hitbox { stroke: circle([x, z], 0.18) });
    }
    let creature = client.creature();
    assert_eq!(creature.hitboxes.len(), 3);
    let mut out = superegg_apps::Outgoing::default();
    client.session.frame(&mut out);
    let (_, state) = out.state.unwrap();
    // The uprights overlap each other; each overlaps its neighbour above, which is no matter.
    assert_eq!(state.contacts.len(), 1, "{:?}", state.contacts);
    let contact = state.contacts[0];
    let [one, other] = [&creature.hitboxes[0], &creature.hitboxes[1]];
    let meant = 0.3 - one.radii[0] - other.radii[0];
    // The recogniser is exact on exact circles.
    assert!((contact.distance - meant).abs() < 1e-4, "{} {meant}", contact.distance);
}

/// A hand that pulls bones of a creature in physics: one after the other, each to places that have nothing to do with where it can go.
fn pull_about(client: &mut Client, creature: &Creature, random: &mut fastrand::Rng, mut look: impl FnMut(&Sketcher)) {
    let direction = |random: &mut fastrand::Rng| {
        let part = |random: &mut fastrand::Rng| 2.0 * random.f64() - 1.0;
        DVec3::new(part(random), part(random), part(random)).normalize_or(DVec3::X)
    };
    for _ in 0..4 {
        let index = random.usize(..creature.bones.len());
        let grabbed = &creature.bones[index];
        let control = |phase, at: DVec3| Control {
            control: 0,
            phase,
            flags: 0,
            object: grabbed.id,
            values: [at.x as f32, at.y as f32, at.z as f32, 0.0, 0.0, 0.0],
        };
        let start = client.session.places()[index].transform_point(at(creature, grabbed.to));
        client.session.input(&[control(Phase::Press, start)]);
        let mut target = start;
        for step in 0..45 {
            if step % 15 == 0 {
                target = start + direction(random) * (0.1 + 2.0 * random.f64());
            }
            client.session.input(&[control(Phase::Move, target)]);
            client.session.advance(1.0 / 60.0);
            look(&client.session);
        }
        client.session.input(&[control(Phase::Release, start)]);
    }
}

#[test]
fn physics_keeps_limits_and_is_taken_back() {
    for (creature, hang) in gallery().into_iter().flat_map(|creature| [(creature.clone(), true), (creature, false)]) {
        let mut worst: f64 = 0.0;
        for seed in 0..3 {
            let mut client = Client::new(creature.clone());
            client.edit(Edit::Show { show: Show::Physics { hang } });
            assert!(matches!(client.session.pace(), Pace::Live { .. }));
            pull_about(&mut client, &creature, &mut fastrand::Rng::with_seed(seed), |session| {
                for (angle, [low, high]) in session.angles() {
                    worst = worst.max(low - angle).max(angle - high);
                }
                for place in session.places() {
                    let sound = place.translation.is_finite() && place.translation.length() < 50.0;
                    assert!(sound, "{} {hang} {seed}: {place:?}", creature.name);
                }
            });
            client.edit(Edit::Show { show: Show::Rest {} });
            assert!(client.session.places().iter().all(|place| place.translation == DVec3::ZERO));
            assert_eq!(client.creature(), creature);
        }
        println!("{} {hang}: {worst:.4} rad beyond a limit at most", creature.name);
        assert!(worst < 0.02, "{} {hang}: {worst} rad beyond a limit", creature.name);
    }
}

#[test]
fn what_stands_on_free_joints_falls_and_comes_to_rest() {
    for creature in gallery().into_iter().filter(|creature| ["Humanoid", "Horse"].contains(&creature.name.as_str())) {
        let mut client = Client::new(creature.clone());
        client.edit(Edit::Show { show: Show::Physics { hang: false } });
        let heights = |client: &Client| -> Vec<f64> {
            let tip = |(bone, place): (&Bone, &superegg_robot::Pose)| place.transform_point(at(&creature, bone.to)).z;
            creature.bones.iter().zip(client.session.places()).map(tip).collect()
        };
        client.session.advance(1.0 / 60.0);
        let highest = |heights: &[f64]| heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let stood = highest(&heights(&client));
        for _ in 0..400 {
            client.session.advance(1.0 / 60.0);
        }
        let lies = heights(&client);
        assert!(highest(&lies) < 0.75 * stood, "{}: {} of {stood}", creature.name, highest(&lies));
        client.session.advance(1.0 / 60.0);
        let moved = heights(&client).iter().zip(&lies).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 2e-3, "{}: {moved} m in a step", creature.name);
    }
}

#[test]
fn ready_creatures_overlap_nowhere_but_at_their_joints() {
    for creature in gallery() {
        let mut client = Client::new(creature.clone());
        let mut out = superegg_apps::Outgoing::default();
        client.session.frame(&mut out);
        let (_, state) = out.state.unwrap();
        let name = |id: u32| &creature.bones.iter().find(|bone| bone.id == id).unwrap().name;
        let overlaps = state.contacts.iter().filter(|contact| contact.distance < 0.0);
        let said: Vec<String> = overlaps
            .map(|Contact { bones: [a, b], distance, .. }| {
                format!("{} {}: {:.1} mm", name(*a), name(*b), 1e3 * distance)
            })
            .collect();
        assert!(said.is_empty(), "{}: {}", creature.name, said.join(", "));
    }
}

#[test]
fn refusals_name_the_field() {
    let mut session = Sketcher::open(&Open::default()).0;
    let files = Default::default();
    let context = Context { files: &files, number: 1 };
    type Spoil = fn(&mut Creature);
    let spoil: [(Spoil, &str); 6] = [
        (|c| c.bones[1].from = 999, "open.creature.bones[1].from"),
        (|c| c.bones[1].name = c.bones[0].name.clone(), "open.creature.bones[0].name"),
        (|c| c.hitboxes[2].radii[1] = -1.0, "open.creature.hitboxes[2].radii[1]"),
        (|c| c.bones[2].articulation.ranges[0] = [0.5, 1.0], "open.creature.bones[2].articulation.ranges[0][0]"),
        (|c| c.keys[1].time = 0.0, "open.creature.keys[1].time"),
        (|c| c.joints[0].position[0] = f64::NAN, "open.creature.joints[0].position[0]"),
    ];
    for (how, field) in spoil {
        let mut creature = gallery().remove(0);
        how(&mut creature);
        let refusal = session.edit(Edit::Open { creature }, &context).unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some(field), "{}", refusal.message);
    }
}

/// A spine with ribs: 100 bones, 200 hitboxes.
fn hundred() -> Creature {
    let mut creature = Creature { mirror: false, ..empty("Hundred") };
    let joint = |creature: &mut Creature, position: [f64; 3]| {
        let id = creature.joints.len() as u32 + 1;
        creature.joints.push(Joint { id, position });
        id
    };
    let bone = |creature: &mut Creature, from: u32, to: u32| {
        let id = creature.bones.len() as u32 + 1;
        let articulation = Articulation { axes: [0.0, 0.0, 0.0, 1.0], ranges: [[-0.5, 0.5], [-0.5, 0.5], [0.0, 0.0]] };
        creature.bones.push(Bone { id, name: format!("b{id}"), from, to, articulation });
        let (a, b) = (at(creature, from), at(creature, to));
        for part in [0.3, 0.7] {
            let id = creature.hitboxes.len() as u32 + 1;
            let position = a.lerp(b, part).to_array();
            let orientation = [0.0, 0.0, 0.0, 1.0];
            let bone = creature.bones.len() as u32;
            creature.hitboxes.push(Hitbox {
                id,
                bone,
                position,
                orientation,
                radii: [0.03; 3],
                exponents: [0.8, 0.9],
                taper: [0.1; 2],
            });
        }
    };
    let mut last = joint(&mut creature, [-2.0, 0.0, 1.0]);
    for k in 1..=34 {
        let x = -2.0 + 0.12 * f64::from(k);
        let next = joint(&mut creature, [x, 0.0, 1.0]);
        bone(&mut creature, last, next);
        last = next;
        for y in if k < 34 { vec![0.3, -0.3] } else { vec![] } {
            let rib = joint(&mut creature, [x, y, 0.8]);
            bone(&mut creature, last, rib);
        }
    }
    creature
}

#[test]
fn a_hundred_bones_are_edited_and_simulated() {
    let creature = hundred();
    assert_eq!((creature.bones.len(), creature.hitboxes.len()), (100, 200));
    let mut client = Client::new(creature.clone());
    let timed = |what: &str, count: u32, run: &mut dyn FnMut(u32)| {
        let start = std::time::Instant::now();
        (0..count).for_each(run);
        println!("{what}: {:.2} ms", start.elapsed().as_secs_f64() * 1e3 / f64::from(count));
    };
    timed("an edit of one hitbox, with all distances", 50, &mut |k| {
        let mut hitbox = creature.hitboxes[0];
        hitbox.position[2] += 0.0005 * f64::from(k);
        let (name, meshes, stance, keys, mirror) = (None, None, None, None, None);
        let (joints, bones, removed) = (vec![], vec![], vec![]);
        client.edit(Edit::Change {
            name,
            joints,
            bones,
            hitboxes: vec![hitbox],
            removed,
            meshes,
            stance,
            keys,
            mirror,
        });
    });
    for hang in [true, false] {
        client.edit(Edit::Show { show: Show::Physics { hang } });
        timed(if hang { "a step, hanging" } else { "a step, falling" }, 120, &mut |_| {
            client.session.advance(1.0 / 60.0)
        });
        assert!(
            client
                .session
                .places()
                .iter()
                .all(|place| place.translation.is_finite() && place.translation.length() < 50.0)
        );
    }
}
