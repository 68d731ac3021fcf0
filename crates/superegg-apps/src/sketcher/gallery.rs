//! Ready creatures, drawn with the tool itself: strokes of the front and the side view in mirror mode, ellipses over the bones, ready kinds
//! of joints.

use glam::{DQuat, DVec2, DVec3};

use super::articulation::ranges_of;
use super::drawing::{bones, hitbox};
use super::messages::{Creature, Keyframe, Stance, Stroke, Turn};

/// Seen from the front: x to the right, z up. From the right side: y to the right. From above: x to the right, y up.
#[derive(Clone, Copy)]
enum Side {
    Front,
    Right,
    Top,
}

impl Side {
    fn axes(self) -> [DVec3; 2] {
        match self {
            Side::Front => [DVec3::X, DVec3::Z],
            Side::Right => [DVec3::Y, DVec3::Z],
            Side::Top => [DVec3::X, DVec3::Y],
        }
    }
}

/// A finger's reach on the drawings below, in metres.
const REACH: f64 = 0.035;

/// How a creature stands at rest.
pub fn at_rest() -> Stance {
    Stance { position: [0.0; 3], orientation: [0.0, 0.0, 0.0, 1.0], turns: vec![] }
}

/// Nothing yet, drawn on both sides at once.
pub fn empty(name: &str) -> Creature {
    Creature {
        name: name.to_owned(),
        about: None,
        joints: vec![],
        bones: vec![],
        hitboxes: vec![],
        meshes: vec![],
        stance: at_rest(),
        keys: vec![],
        mirror: true,
    }
}

/// Somebody who draws.
struct Sketch(Creature);

impl Sketch {
    fn new(name: &str, about: &str) -> Sketch {
        Sketch(Creature { about: Some(about.to_owned()), ..empty(name) })
    }

    fn stroke(side: Side, points: Vec<[f64; 2]>) -> Stroke {
        let [right, up] = side.axes().map(|axis| axis.to_array());
        Stroke { right, up, points, reach: REACH }
    }

    /// A chain of bones along a line of places, which are called by their names from the first bone on.
    fn bones(&mut self, side: Side, line: &[[f64; 2]], names: &[&str]) {
        let before = self.0.bones.len();
        let dense: Vec<[f64; 2]> = line
            .windows(2)
            .flat_map(|pair| {
                (0..20).map(|k| DVec2::from(pair[0]).lerp(DVec2::from(pair[1]), f64::from(k) / 20.0).to_array())
            })
            .chain(line.last().copied())
            .collect();
        if let Ok(super::drawing::Drawn { creature: Some(made), .. }) = bones(&self.0, &Sketch::stroke(side, dense)) {
            self.0 = made;
        }
        self.name(before, names);
    }

    /// Names the bones that were drawn last, in their order; those of both sides get one name each. Pieces of bones that were cut for them
    /// come before, and keep theirs.
    fn name(&mut self, before: usize, names: &[&str]) {
        let split = |name: &str| match name.rsplit_once('_') {
            Some((stem, side @ ("left" | "right"))) => (stem.to_owned(), format!("_{side}")),
            _ => (name.to_owned(), String::new()),
        };
        let mut stems: Vec<String> = self.0.bones[before..].iter().map(|bone| split(&bone.name).0).collect();
        let mut known = std::collections::BTreeSet::new();
        stems.retain(|stem| known.insert(stem.clone()));
        let first = stems.len().saturating_sub(names.len());
        for bone in &mut self.0.bones[before..] {
            let (stem, side) = split(&bone.name);
            let number = stems.iter().position(|other| *other == stem).and_then(|at| at.checked_sub(first));
            if let Some(name) = number.and_then(|number| names.get(number)) {
                bone.name = format!("{name}{side}");
            }
        }
    }

    /// A hitbox where an ellipse is drawn; exponents and taper of what comes of it.
    fn hitbox(&mut self, side: Side, center: [f64; 2], radii: [f64; 2], tilt: f64, form: ([f64; 2], f64)) {
        let at = |k: i32| {
            let angle = f64::from(k) * std::f64::consts::TAU / 48.0;
            let own = DVec2::new(radii[0] * angle.cos(), radii[1] * angle.sin());
            (DVec2::from(center) + DVec2::from_angle(tilt.to_radians()).rotate(own)).to_array()
        };
        let drawn = hitbox(&self.0, &Sketch::stroke(side, (0..=48).map(at).collect()));
        if let Ok(super::drawing::Drawn { creature: Some(made), hitboxes, .. }) = drawn {
            self.0 = made;
            for hitbox in self.0.hitboxes.iter_mut().filter(|hitbox| hitboxes.contains(&hitbox.id)) {
                (hitbox.exponents, hitbox.taper) = (form.0, [form.1; 2]);
            }
        }
    }

    /// The kind of all joints whose bones' names begin so; elbows bend the other way if `back`.
    fn joints(&mut self, begins: &str, kind: &str, back: bool) {
        let Some(ranges) = ranges_of(kind) else { return };
        for bone in self.0.bones.iter_mut().filter(|bone| bone.name.starts_with(begins)) {
            bone.articulation.ranges = ranges;
            if back {
                bone.articulation.ranges[0] = [-ranges[0][1], -ranges[0][0]];
            }
            // Bends forwards and backwards: the hinge runs from side to side.
            let along = DQuat::from_array(bone.articulation.axes) * DVec3::Z;
            let hinge = if along.x.abs() > 0.9 { DVec3::Y } else { DVec3::X };
            bone.articulation.axes = super::articulation::frame(along, hinge).to_array();
        }
    }

    /// A keyframe: how some bones are turned.
    fn key(&mut self, time: f64, turns: &[(&str, [f64; 3])]) {
        let turn = |(name, degrees): &(&str, [f64; 3])| {
            let bone = self.0.bones.iter().find(|bone| bone.name == *name)?.id;
            Some(Turn { bone, angles: degrees.map(f64::to_radians) })
        };
        let turns = turns.iter().filter_map(turn).collect();
        self.0.keys.push(Keyframe { time, stance: Stance { turns, ..at_rest() } });
    }
}

/// All of them.
pub fn gallery() -> Vec<Creature> {
    vec![humanoid(), horse(), hand(), spider()]
}

fn humanoid() -> Creature {
    let mut sketch =
        Sketch::new("Humanoid", "Twelve strokes: a spine, arms and legs, a hitbox for every bone. It waves.");
    sketch.bones(Side::Front, &[[0.0, 0.95], [0.0, 1.2]], &["torso"]);
    sketch.bones(Side::Front, &[[0.0, 1.2], [0.0, 1.45]], &["chest"]);
    sketch.bones(Side::Front, &[[0.0, 1.45], [0.0, 1.72]], &["head"]);
    sketch.bones(Side::Front, &[[0.0, 1.45], [0.2, 1.43]], &["collar"]);
    sketch.bones(Side::Front, &[[0.2, 1.43], [0.47, 1.38]], &["upper_arm"]);
    sketch.bones(Side::Front, &[[0.47, 1.38], [0.73, 1.33]], &["forearm"]);
    sketch.bones(Side::Front, &[[0.73, 1.33], [0.88, 1.3]], &["palm"]);
    sketch.bones(Side::Front, &[[0.0, 0.95], [0.11, 0.9]], &["hip"]);
    sketch.bones(Side::Front, &[[0.11, 0.9], [0.13, 0.49]], &["thigh"]);
    sketch.bones(Side::Front, &[[0.13, 0.49], [0.14, 0.09]], &["shin"]);
    // Feet point forwards, as one sees from the side.
    sketch.bones(Side::Right, &[[0.0, 0.09], [-0.17, 0.05]], &["foot"]);
    for (name, kind, back) in [
        ("collar", "fixed", false),
        ("hip", "fixed", false),
        ("chest", "ball", false),
        ("head", "ball", false),
        ("upper_arm", "ball", false),
        ("forearm", "elbow", false),
        ("palm", "ball", false),
        ("thigh", "ball", false),
        ("shin", "elbow", false),
        ("foot", "hinge", false),
    ] {
        sketch.joints(name, kind, back);
    }
    sketch.hitbox(Side::Front, [0.0, 1.05], [0.13, 0.16], 0.0, ([0.8, 0.7], 0.0));
    sketch.hitbox(Side::Front, [0.0, 1.33], [0.16, 0.17], 0.0, ([0.8, 0.8], 0.12));
    sketch.hitbox(Side::Front, [0.0, 1.63], [0.09, 0.125], 0.0, ([1.0, 1.0], 0.12));
    sketch.hitbox(Side::Front, [0.33, 1.405], [0.15, 0.05], -10.0, ([1.0, 0.8], -0.15));
    sketch.hitbox(Side::Front, [0.6, 1.355], [0.145, 0.042], -10.0, ([1.0, 0.8], -0.2));
    sketch.hitbox(Side::Front, [0.81, 1.315], [0.09, 0.05], -10.0, ([0.7, 0.7], 0.0));
    sketch.hitbox(Side::Front, [0.12, 0.7], [0.075, 0.22], 3.0, ([1.0, 0.8], -0.2));
    sketch.hitbox(Side::Front, [0.135, 0.29], [0.055, 0.21], 1.0, ([1.0, 0.8], -0.2));
    sketch.hitbox(Side::Right, [-0.06, 0.055], [0.13, 0.05], 10.0, ([0.6, 0.6], 0.0));
    let wave = |bend: f64, lift: f64| -> Vec<(&str, [f64; 3])> {
        vec![
            ("upper_arm_left", [0.0, -lift, 0.0]),
            ("forearm_left", [bend, 0.0, 0.0]),
            ("upper_arm_right", [0.0, 20.0, 0.0]),
            ("head", [0.0, 0.1 * lift, 10.0]),
        ]
    };
    for (time, bend, lift) in
        [(0.0, 5.0, 0.0), (0.8, 70.0, 30.0), (1.2, 110.0, 35.0), (1.6, 70.0, 30.0), (2.0, 110.0, 35.0), (3.0, 5.0, 0.0)]
    {
        sketch.key(time, &wave(bend, lift));
    }
    sketch.0
}

fn horse() -> Creature {
    let mut sketch = Sketch::new("Horse", "Drawn from the side, with legs on both sides of the mirror. It trots.");
    sketch.bones(Side::Right, &[[-0.45, 1.2], [0.0, 1.16]], &["withers"]);
    sketch.bones(Side::Right, &[[0.0, 1.16], [0.5, 1.2]], &["rump"]);
    sketch.bones(Side::Right, &[[-0.45, 1.2], [-0.8, 1.6]], &["neck"]);
    sketch.bones(Side::Right, &[[-0.8, 1.6], [-1.12, 1.4]], &["head"]);
    sketch.bones(Side::Right, &[[0.5, 1.2], [0.7, 1.05], [0.78, 0.75]], &["tail_root", "tail"]);
    sketch.bones(Side::Front, &[[0.0, 1.2], [0.17, 1.1]], &["shoulder"]);
    // The hips are further back: a joint of the rump's end, seen from above.
    sketch.bones(Side::Top, &[[0.0, 0.5], [0.17, 0.47]], &["hip"]);
    for (at, names) in
        [(-0.45, ["foreleg", "fore_cannon", "fore_hoof"]), (0.47, ["hindleg", "hind_cannon", "hind_hoof"])]
    {
        let back = if at < 0.0 { 0.0 } else { 0.07 };
        let top = if at < 0.0 { 1.1 } else { 1.2 };
        sketch.leg(at, top, back, names);
    }
    for (name, kind) in [
        ("rump", "hinge"),
        ("neck", "ball"),
        ("head", "hinge"),
        ("tail", "ball"),
        ("shoulder", "fixed"),
        ("hip", "fixed"),
        ("foreleg", "ball"),
        ("fore_", "hinge"),
        ("hindleg", "ball"),
        ("hind_", "hinge"),
    ] {
        sketch.joints(name, kind, false);
    }
    sketch.hitbox(Side::Right, [-0.24, 1.14], [0.3, 0.26], 0.0, ([0.9, 0.8], -0.1));
    sketch.hitbox(Side::Right, [0.27, 1.13], [0.29, 0.25], 0.0, ([0.9, 0.8], 0.1));
    sketch.hitbox(Side::Right, [-0.64, 1.42], [0.28, 0.13], -49.0, ([1.0, 0.8], -0.35));
    sketch.hitbox(Side::Right, [-0.98, 1.5], [0.21, 0.09], 32.0, ([0.9, 0.9], -0.3));
    sketch.hitbox(Side::Right, [0.75, 0.9], [0.18, 0.05], 105.0, ([1.0, 1.0], 0.2));
    sketch.legs_hitboxes();
    let step = |fore: f64, hind: f64| -> Vec<(&str, [f64; 3])> {
        vec![
            ("foreleg_left", [fore, 0.0, 0.0]),
            ("fore_cannon_left", [-0.8 * fore.abs(), 0.0, 0.0]),
            ("foreleg_right", [-fore, 0.0, 0.0]),
            ("fore_cannon_right", [-0.4 * fore.abs(), 0.0, 0.0]),
            ("hindleg_left", [-hind, 0.0, 0.0]),
            ("hind_cannon_left", [0.5 * hind.abs(), 0.0, 0.0]),
            ("hindleg_right", [hind, 0.0, 0.0]),
            ("hind_cannon_right", [0.8 * hind.abs(), 0.0, 0.0]),
            ("neck", [0.15 * fore, 0.0, 0.0]),
            ("tail_root", [0.0, 0.5 * fore, 0.0]),
        ]
    };
    for (time, fore) in [(0.0, 28.0), (0.4, 0.0), (0.8, -28.0), (1.2, 0.0), (1.6, 28.0)] {
        sketch.key(time, &step(fore, fore));
    }
    sketch.0
}

impl Sketch {
    /// A horse's leg below a shoulder or hip: drawn from the side, so it lands at the depth of the joint that it begins at.
    fn leg(&mut self, at: f64, top: f64, back: f64, names: [&str; 3]) {
        self.bones(Side::Right, &[[at, top], [at + back, 0.66]], &names[..1]);
        self.bones(Side::Right, &[[at + back, 0.66], [at + back - 0.02, 0.26]], &names[1..2]);
        self.bones(Side::Right, &[[at + back - 0.02, 0.26], [at + back - 0.09, 0.05]], &names[2..]);
    }

    fn legs_hitboxes(&mut self) {
        for (at, back, top) in [(-0.45, 0.0, 0.86), (0.47, 0.07, 0.9)] {
            self.hitbox(
                Side::Right,
                [at + 0.5 * back, top],
                [0.09, 0.24],
                if back > 0.0 { 7.0 } else { 0.0 },
                ([1.0, 0.8], -0.3),
            );
            self.hitbox(Side::Right, [at + back - 0.01, 0.46], [0.05, 0.22], -3.0, ([1.0, 0.8], -0.1));
            self.hitbox(Side::Right, [at + back - 0.055, 0.14], [0.055, 0.13], -18.0, ([0.7, 0.6], 0.25));
        }
    }
}

fn hand() -> Creature {
    let mut sketch = Sketch::new("Hand", "Seen from above: a palm and five fingers of hinges. It closes.");
    sketch.0.mirror = false;
    sketch.bones(Side::Top, &[[0.0, -0.5], [0.0, -0.1]], &["wrist"]);
    sketch.bones(Side::Top, &[[0.0, -0.1], [0.0, 0.35]], &["palm"]);
    let fingers = [
        ("index", -0.3, 0.34, 0.30, 6.0),
        ("middle", -0.1, 0.4, 0.33, 1.0),
        ("ring", 0.1, 0.36, 0.3, -4.0),
        ("little", 0.28, 0.24, 0.24, -10.0),
    ];
    for (name, x, y, length, lean) in fingers {
        let way = DVec2::from_angle(f64::to_radians(90.0 + lean));
        let base = DVec2::new(x, y);
        let at = |part: f64| (base + way * length * part).to_array();
        let line = [at(0.0), at(1.0), at(1.75), at(2.3)];
        sketch.bones(Side::Top, &[[0.0, -0.1], line[0]], &[&format!("{name}_root")]);
        for (k, part) in ["proximal", "middle", "distal"].iter().enumerate() {
            sketch.bones(Side::Top, &line[k..k + 2], &[&format!("{name}_{part}")]);
            let ends = [DVec2::from(line[k]), DVec2::from(line[k + 1])];
            let (middle, thick) = (ends[0].midpoint(ends[1]), 0.075 - 0.008 * k as f64);
            let long = 0.5 * ends[0].distance(ends[1]) + 0.03;
            sketch.hitbox(Side::Top, middle.to_array(), [long, thick], 90.0 + lean, ([0.9, 0.8], -0.1));
        }
    }
    let thumb = [[0.0, -0.1], [-0.34, 0.02], [-0.52, 0.2], [-0.62, 0.4]];
    for (k, part) in ["thumb_root", "thumb_proximal", "thumb_distal"].iter().enumerate() {
        sketch.bones(Side::Top, &thumb[k..k + 2], &[part]);
    }
    for (k, long) in [(1, 0.15), (2, 0.13)] {
        let ends = [DVec2::from(thumb[k]), DVec2::from(thumb[k + 1])];
        let tilt = (ends[1] - ends[0]).to_angle().to_degrees();
        sketch.hitbox(Side::Top, ends[0].midpoint(ends[1]).to_array(), [long, 0.08], tilt, ([0.9, 0.8], -0.1));
    }
    sketch.hitbox(Side::Top, [0.0, 0.12], [0.36, 0.3], 90.0, ([0.5, 0.5], 0.1));
    if let Some(palm) = sketch.0.hitboxes.last_mut() {
        // A palm is flat.
        palm.radii[0] *= 0.32;
    }
    sketch.hitbox(Side::Top, [0.0, -0.36], [0.14, 0.2], 0.0, ([0.8, 0.6], 0.0));
    for bone in &mut sketch.0.bones {
        let along = DQuat::from_array(bone.articulation.axes) * DVec3::Z;
        // Fingers bend towards the palm, which faces down.
        bone.articulation.axes = super::articulation::frame(along, along.cross(DVec3::Z)).to_array();
        let curl = [0.0, 95f64.to_radians()];
        let still = [0.0, 0.0];
        bone.articulation.ranges = if bone.name.ends_with("_root") && bone.name != "thumb_root" || bone.name == "palm" {
            [still; 3]
        } else if bone.name == "thumb_root" {
            [[-0.3, 0.8], [-0.6, 0.6], [-0.8, 0.8]]
        } else {
            [[-0.2, curl[1]], still, still]
        };
        if bone.name == "palm" {
            bone.articulation.ranges = [[-1.0, 1.0], [-0.4, 0.4], still];
        }
    }
    let names: Vec<String> = sketch
        .0
        .bones
        .iter()
        .map(|bone| bone.name.clone())
        .filter(|name| name.contains("imal") || name.contains("_middle") || name.contains("distal"))
        .collect();
    for (time, angle) in [(0.0, 0.0), (1.0, -70.0), (1.5, -70.0), (2.5, 0.0)] {
        let turns: Vec<(&str, [f64; 3])> = names.iter().map(|name| (name.as_str(), [-0.8 * angle, 0.0, 0.0])).collect();
        sketch.key(time, &turns);
    }
    sketch.0
}

/// How high its body is above the ground, in metres.
const SPIDER_HEIGHT: f64 = 0.42;

fn spider() -> Creature {
    let mut sketch =
        Sketch::new("Spider", "Four legs drawn from above and bent from the front, four by the mirror. It creeps.");
    sketch.bones(Side::Top, &[[0.0, -0.22], [0.0, 0.2]], &["thorax"]);
    sketch.bones(Side::Top, &[[0.0, 0.2], [0.0, 0.85]], &["abdomen"]);
    // Before there are legs, whose beginnings an ellipse over the thorax could mean as well.
    sketch.hitbox(Side::Top, [0.0, -0.03], [0.19, 0.26], 0.0, ([0.9, 0.9], 0.0));
    sketch.hitbox(Side::Top, [0.0, 0.68], [0.24, 0.31], 0.0, ([1.0, 1.0], 0.25));
    for (k, (y, angle)) in [(-0.16, -52.0), (-0.05, -18.0), (0.06, 14.0), (0.15, 46.0)].into_iter().enumerate() {
        let way = DVec2::from_angle(f64::to_radians(angle));
        let at = |far: f64| (DVec2::new(0.0, y) + way * far).to_array();
        sketch.bones(Side::Top, &[at(0.0), at(0.24)], &[&format!("coxa{}", k + 1)]);
        sketch.bones(Side::Top, &[at(0.24), at(0.75)], &[&format!("femur{}", k + 1)]);
        sketch.bones(Side::Top, &[at(0.75), at(1.35)], &[&format!("tibia{}", k + 1)]);
    }
    // Each leg has cut the thorax, whose pieces stay one.
    let pieces = sketch.0.bones.iter_mut().filter(|bone| bone.name.starts_with("bone_") || bone.name == "thorax");
    for (number, piece) in (1..).zip(pieces) {
        piece.name = if number == 1 { "thorax".to_owned() } else { format!("thorax_{number}") };
        piece.articulation.ranges = [[0.0; 2]; 3];
    }
    // Legs rise to the knee and come down to the ground.
    for joint in &mut sketch.0.joints {
        let far = DVec2::new(joint.position[0], joint.position[1] * 0.8).length();
        joint.position[2] = match joint.position[0].abs() {
            x if x < 0.05 => SPIDER_HEIGHT,
            _ if far < 0.45 => SPIDER_HEIGHT,
            _ if far < 0.9 => 0.82,
            _ => 0.02,
        };
    }
    for hitbox in &mut sketch.0.hitboxes {
        hitbox.position[2] = SPIDER_HEIGHT;
    }
    let segments = super::tree::segments(&sketch.0);
    for (index, bone) in sketch.0.bones.clone().iter().enumerate() {
        let [from, to] = segments[index];
        let along = to - from;
        if bone.name.starts_with("thorax") || bone.name.starts_with("abdomen") {
            continue;
        }
        // Hinges lie flat, across the leg.
        let hinge = along.cross(DVec3::Z).normalize_or(DVec3::X) * if from.x + to.x > 0.0 { 1.0 } else { -1.0 };
        let articulation = &mut sketch.0.bones[index].articulation;
        articulation.axes = super::articulation::frame(along, hinge).to_array();
        articulation.ranges = if bone.name.starts_with("coxa") {
            [[-0.5, 0.5], [-0.6, 0.6], [0.0, 0.0]]
        } else {
            [[-1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
        };
        // Coxae begin in the thorax: only what is outside of it is seen and met.
        let (thick, from) = match &bone.name[..1] {
            "c" => (0.036, from.lerp(to, 0.4)),
            "f" => (0.05, from),
            _ => (0.036, from),
        };
        let hitbox = super::messages::Hitbox {
            id: 0,
            bone: bone.id,
            position: from.midpoint(to).to_array(),
            orientation: super::articulation::frame(along, hinge).to_array(),
            radii: [thick, thick, 0.5 * from.distance(to) + 0.01],
            exponents: [1.0, 0.8],
            taper: [-0.2; 2],
        };
        super::drawing::add_hitbox(&mut sketch.0, hitbox);
    }
    let names: Vec<String> =
        sketch.0.bones.iter().map(|bone| bone.name.clone()).filter(|name| name.starts_with("coxa")).collect();
    for (time, phase) in [(0.0, 1.0f64), (0.3, 0.0), (0.6, -1.0), (0.9, 0.0), (1.2, 1.0)] {
        let turn = |(k, name): (usize, &String)| -> (String, [f64; 3]) {
            let even = (k / 2 + k) % 2 == 0;
            let sign = if even { phase } else { -phase };
            (name.clone(), [6.0 * (1.0 - phase.abs()) * if even { 1.0 } else { -1.0 }, 16.0 * sign, 0.0])
        };
        let turns: Vec<(String, [f64; 3])> = names.iter().enumerate().map(turn).collect();
        let borrowed: Vec<(&str, [f64; 3])> = turns.iter().map(|(name, angles)| (name.as_str(), *angles)).collect();
        sketch.key(time, &borrowed);
    }
    sketch.0
}
