//! How bones turn: ready kinds of joints, and frames for them.

use glam::{DMat3, DQuat, DVec3};

use super::messages::{Articulation, Preset};

/// What the three turns are called, in files too.
pub const TURNS: [&str; 3] = ["bend", "sway", "twist"];

const fn degrees(angle: f64) -> f64 {
    angle * std::f64::consts::PI / 180.0
}

const STILL: [f64; 2] = [0.0, 0.0];

const fn both(angle: f64) -> [f64; 2] {
    [-degrees(angle), degrees(angle)]
}

const BALL: [[f64; 2]; 3] = [both(75.0), both(75.0), both(45.0)];

/// Turns in every way, in no frame in particular.
#[cfg(test)]
pub const FREE: Articulation = Articulation { axes: [0.0, 0.0, 0.0, 1.0], ranges: BALL };

/// What joints commonly are (figure 4.3 of paper 001, a ball and a rigid one).
pub fn presets() -> Vec<Preset> {
    [
        ("ball", BALL),
        ("hinge", [both(90.0), STILL, STILL]),
        ("pivot", [STILL, STILL, both(90.0)]),
        ("elbow", [[0.0, degrees(145.0)], STILL, both(45.0)]),
        ("fixed", [STILL; 3]),
    ]
    .map(|(name, ranges)| Preset { name: name.to_owned(), ranges })
    .to_vec()
}

/// The ranges of a ready kind.
pub fn ranges_of(name: &str) -> Option<[[f64; 2]; 3]> {
    presets().iter().find(|preset| preset.name == name).map(|preset| preset.ranges)
}

/// Which turns a bone makes.
pub fn freedoms(articulation: &Articulation) -> impl Iterator<Item = usize> + use<> {
    let ranges = articulation.ranges;
    (0..3).filter(move |&turn| ranges[turn][1] > ranges[turn][0])
}

/// A ball joint of a bone that was drawn across `toward`: bending stays in the plane of the drawing.
pub fn ball(along: DVec3, toward: DVec3) -> Articulation {
    Articulation { axes: frame(along, toward).to_array(), ranges: BALL }
}

/// The frame whose z runs along a bone and whose x is as near to `hinge` as that allows.
pub fn frame(along: DVec3, hinge: DVec3) -> DQuat {
    let z = along.normalize_or(DVec3::Z);
    let x = hinge.reject_from_normalized(z).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize()
}

/// The rotation of some angles, in the world at rest: by formula, where the product has it from the robot's kinematics.
#[cfg(test)]
pub fn rotation(axes: DQuat, angles: [f64; 3]) -> DQuat {
    let [bend, sway, twist] = angles;
    let own = DQuat::from_rotation_x(bend) * DQuat::from_rotation_y(sway) * DQuat::from_rotation_z(twist);
    (axes * own * axes.conjugate()).normalize()
}

/// The same on the other side of the plane x = 0: turns by the same angles move mirrored bones as mirror images, but for sway and twist,
/// whose signs change.
pub fn mirrored(articulation: &Articulation) -> Articulation {
    let [bend, sway, twist] = articulation.ranges;
    let turned = |[low, high]: [f64; 2]| [-high, -low].map(|angle| angle + 0.0);
    Articulation {
        axes: mirrored_frame(DQuat::from_array(articulation.axes)).to_array(),
        ranges: [bend, turned(sway), turned(twist)],
    }
}

/// The mirror image of a frame across x = 0, right-handed again by turning its own x round.
pub fn mirrored_frame(frame: DQuat) -> DQuat {
    let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    DQuat::from_mat3(&(mirror * DMat3::from_quat(frame.normalize()) * mirror)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_bones_turn_as_mirror_images() {
        let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let mut unit = || DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5);
            let (along, hinge, angles) = (unit(), unit(), unit().to_array());
            let one = ball(along, hinge);
            let other = mirrored(&one);
            let turned = rotation(DQuat::from_array(one.axes), angles) * along;
            let [bend, sway, twist] = angles;
            let image = rotation(DQuat::from_array(other.axes), [bend, -sway, -twist]) * mirror(along);
            assert!((mirror(turned) - image).length() < 1e-12);
            // Twisting leaves the bone where it is.
            assert!((rotation(DQuat::from_array(one.axes), [0.0, 0.0, 1.0]) * along - along).length() < 1e-12);
        }
    }
}
