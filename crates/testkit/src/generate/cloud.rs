//! Point clouds of known shapes: even samples of a surface, with noise, outliers or one side missing.

use glam::DVec3;
use rand::RngExt;
use superegg::Pose;
use superegg::shape::{Spacing, Superovoid};

use super::{Rng, direction, rotation};

/// What a scanner does to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Nothing: points are exactly on the surface.
    Clean,
    /// Gaussian noise of 1 % of the largest radius along every axis.
    Noise,
    /// 40 % of all points are spread evenly through a box of twice the extents.
    Outliers,
    /// Only the half of the surface on one side of a plane through the centre.
    Half,
    /// The same with noise.
    HalfNoise,
}

impl Damage {
    /// All of them, mildest first.
    pub const ALL: [Damage; 5] = [Damage::Clean, Damage::Noise, Damage::Outliers, Damage::Half, Damage::HalfNoise];

    /// A short name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Damage::Clean => "clean",
            Damage::Noise => "1 % noise",
            Damage::Outliers => "40 % outliers",
            Damage::Half => "half missing",
            Damage::HalfNoise => "half missing, 1 % noise",
        }
    }
}

/// A scan of a known shape.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The shape.
    pub shape: Superovoid,
    /// Where it is.
    pub pose: Pose,
    /// What the scanner saw, in world coordinates.
    pub points: Vec<DVec3>,
    /// Where the points that belong to the shape would be without noise; they come first in `points`.
    pub inliers: Vec<DVec3>,
}

/// A superovoid to be scanned, somewhere: exponents in [0.1, 1.8], radii within a factor of four, a size within a factor of ten,
/// and in half of the cases a taper of up to 0.8 of what is convex.
pub fn scanned_shape(rng: &mut Rng) -> (Superovoid, Pose) {
    let size = super::log_uniform(rng, 0.1..=1.0);
    let mut radii = [1.0, rng.random_range(0.25..=1.0), rng.random_range(0.25..=1.0)].map(|r: f64| r * size);
    radii.rotate_left(rng.random_range(0..3));
    let exponents: [f64; 2] = [0; 2].map(|_| rng.random_range(0.1..=1.8));
    let limit = (0.5 * exponents[1]).exp2() * (1.0 - 0.5 * exponents[1]);
    let taper = if rng.random() { limit.min(1.0) * rng.random_range(-0.8..=0.8) } else { 0.0 };
    let shape = Superovoid::new(radii, exponents, [taper; 2]).expect("within the domain");
    let translation = direction(rng) * rng.random_range(0.0..=2.0);
    (shape, Pose { rotation: rotation(rng), translation })
}

/// `count` points spread evenly over a surface, in the body's frame: random points of a fine mesh's triangles, moved along the ray
/// from the centre.
pub fn surface_points(rng: &mut Rng, shape: &Superovoid, count: usize) -> Vec<DVec3> {
    let mesh = shape.tessellate(4000, Spacing::Curvature).expect("a valid count");
    let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices[v as usize]);
    let mut total = 0.0;
    let sums: Vec<f64> = mesh
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(t);
            total += (b - a).cross(c - a).length();
            total
        })
        .collect();
    (0..count)
        .map(|_| {
            let at = rng.random_range(0.0..total);
            let triangle = sums.partition_point(|&sum| sum < at).min(sums.len() - 1);
            let [a, b, c] = corners(&mesh.triangles[triangle]);
            let (mut u, mut v) = (rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let point = a + (b - a) * u + (c - a) * v;
            point - point.normalize_or_zero() * shape.radial_signed_distance(point)
        })
        .collect()
}

/// A normally distributed number, by Box and Muller's method.
pub fn gaussian(rng: &mut Rng) -> f64 {
    let u: f64 = rng.random_range(f64::MIN_POSITIVE..1.0);
    (-2.0 * u.ln()).sqrt() * rng.random_range(0.0..std::f64::consts::TAU).cos()
}

/// A scan of so many points of a random shape.
pub fn scan(rng: &mut Rng, damage: Damage, count: usize) -> Scan {
    let (shape, pose) = scanned_shape(rng);
    let size = shape.radii().into_iter().fold(0.0, f64::max);
    let seen = direction(rng);
    let wanted = if damage == Damage::Outliers { count * 3 / 5 } else { count };
    let mut inliers: Vec<DVec3> = Vec::with_capacity(wanted);
    while inliers.len() < wanted {
        let more = surface_points(rng, &shape, wanted);
        let half = matches!(damage, Damage::Half | Damage::HalfNoise);
        inliers.extend(more.into_iter().filter(|p| !half || p.dot(seen) > 0.0).map(|p| pose.transform_point(p)));
    }
    inliers.truncate(wanted);
    let mut points = inliers.clone();
    if matches!(damage, Damage::Noise | Damage::HalfNoise) {
        for point in &mut points {
            *point += DVec3::new(gaussian(rng), gaussian(rng), gaussian(rng)) * (0.01 * size);
        }
    }
    let low = inliers.iter().copied().reduce(DVec3::min).expect("points");
    let high = inliers.iter().copied().reduce(DVec3::max).expect("points");
    while points.len() < count {
        let unit = DVec3::from_array([0; 3].map(|_| rng.random_range(-1.0..=1.0)));
        points.push(0.5 * (low + high) + unit * (high - low));
    }
    Scan { shape, pose, points, inliers }
}
