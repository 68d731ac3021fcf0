//! Points of contact, and what is sought and found of a pair.

use glam::{DQuat, DVec3};
use superegg::query::WarmStart;

use super::SKIN;
use crate::body::{BodyState, Placed};

/// How far normals are tilted to find the rim of a face, in radians.
const TILT: f64 = 0.008;
/// Faces that are farther apart than this, in metres, meet at one point first.
pub(crate) const NEAR: f64 = 3.0 * SKIN;
/// How far apart points have to be to count as two, as a part of a body's size.
pub(crate) const WIDE: f64 = 0.1;

/// A point of contact between bodies a and b.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// On each body, from its center of mass along its own axes.
    pub local_a: DVec3,
    pub local_b: DVec3,
    /// From a to b, in the world.
    pub normal: DVec3,
    /// Directions in the world whose support points the two are; `None` for a point that does not move on its body.
    pub probe_a: Option<DVec3>,
    pub probe_b: Option<DVec3>,
    /// Whether it only says how far apart the bodies are at least: they do not push each other there.
    pub watch: bool,
    /// What the solver found: along the normal, across it, and about any axis.
    pub impulse: f64,
    pub friction: DVec3,
    pub rolling: DVec3,
}

/// What was found of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The bodies are at least this far apart.
    pub lower: f64,
    pub warm: Option<WarmStart>,
    pub points: Vec<Point>,
}

impl Point {
    pub fn new(a: &Placed, b: &Placed, normal: DVec3, on_a: DVec3, on_b: DVec3) -> Point {
        Point::fixed(a.body.local(on_a), b.body.local(on_b), normal)
    }

    /// A point that stays where it is on both bodies.
    pub fn fixed(local_a: DVec3, local_b: DVec3, normal: DVec3) -> Point {
        Point {
            local_a,
            local_b,
            normal,
            probe_a: None,
            probe_b: None,
            watch: false,
            impulse: 0.0,
            friction: DVec3::ZERO,
            rolling: DVec3::ZERO,
        }
    }

    /// A point that only watches a gap.
    pub fn watching(a: &Placed, b: &Placed, normal: DVec3, on_a: DVec3, on_b: DVec3) -> Point {
        Point { watch: true, ..Point::new(a, b, normal, on_a, on_b) }
    }

    /// Turns all directions.
    pub fn turn(&mut self, by: DQuat) {
        self.normal = by * self.normal;
        self.probe_a = self.probe_a.map(|probe| by * probe);
        self.probe_b = self.probe_b.map(|probe| by * probe);
        self.friction = by * self.friction;
        self.rolling = by * self.rolling;
    }

    /// The gap along the normal.
    #[inline]
    pub fn separation(&self, a: &BodyState, b: &BodyState) -> f64 {
        self.normal.dot(b.place(self.local_b) - a.place(self.local_a))
    }
}

/// What is sought of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'a> {
    /// Points up to here.
    pub margin: f64,
    /// The triangles of a mesh, and how far around the egg they are all listed.
    pub near: &'a [u32],
    pub known: f64,
    /// Points of contact at edges of a mesh even where bodies are far from touching, not only what watches the gap.
    pub closely: bool,
}

/// Takes over the impulses of the nearest old points.
pub(crate) fn inherit(new: &mut [Point], old: &[Point], reach: f64) {
    let near_sq = (WIDE * reach).powi(2);
    let mut taken = vec![false; old.len()];
    for point in new {
        let closest = (0..old.len())
            .filter(|&i| !taken[i] && old[i].normal.dot(point.normal) > 0.7)
            .map(|i| (old[i].local_a.distance_squared(point.local_a), i))
            .min_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((distance_sq, index)) = closest
            && distance_sq < near_sq
        {
            taken[index] = true;
            (point.impulse, point.friction, point.rolling) =
                (old[index].impulse, old[index].friction, old[index].rolling);
        }
    }
}

/// The corners of a face around its first point, with the directions that they are the farthest in.
pub(crate) fn rim(body: &Placed, outwards: DVec3, first: DVec3) -> impl Iterator<Item = (DVec3, DVec3)> {
    let body = *body;
    let axes = body.axes;
    let across = [axes.x_axis, axes.y_axis, axes.z_axis]
        .into_iter()
        .min_by(|s, t| s.dot(outwards).abs().total_cmp(&t.dot(outwards).abs()))
        .unwrap_or(DVec3::X);
    let side = (across - outwards * across.dot(outwards)).normalize();
    let up = outwards.cross(side);
    let wide_sq = (WIDE * body.radius()).powi(2);
    [side + up, up - side, -side - up, side - up].into_iter().filter_map(move |tilt| {
        let direction = outwards + tilt * (TILT * std::f64::consts::FRAC_1_SQRT_2);
        let corner = body.support(direction);
        (corner.distance_squared(first) > wide_sq).then_some((direction, corner))
    })
}
