//! Nearest points of boxes, frustums and segments, inside and out, in closed form.
//!
//! The nearest point of a convex body to a point outside it, together with the direction there, is a point of the body and an
//! outward normal at it: that is how a solver moves along bodies with faces, edges and corners, which have no normals of
//! their own there.

use glam::{DVec2, DVec3};

use super::{Core, Primitive};

/// Part of a length within which a point counts as lying on a face.
const ON_FACE: f64 = 1e-12;

/// Part of the reach below which a point outside counts as lying on the surface.
const ON_SURFACE: f64 = 4.0 * f64::EPSILON;

/// A surface point with its outward normal and the signed distance of the point that it is nearest to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footing {
    pub point: DVec3,
    pub normal: DVec3,
    pub distance: f64,
}

/// How a support point moves as its normal turns: by `radius` along each unit `direction`. Infinite along faces and edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Both radii of curvature; zero at a corner.
    pub radii: [f64; 2],
    /// Unit vectors across the normal and each other; zero where the radius is.
    pub directions: [DVec3; 2],
}

impl Primitive {
    /// Whether a point lies in the body or on it, up to rounding.
    pub fn contains(&self, point: DVec3) -> bool {
        self.core.project(point).distance_squared(point) <= self.rounding * self.rounding
    }

    /// The nearest point of the surface.
    pub(crate) fn footing(&self, point: DVec3) -> Footing {
        let Footing { point, normal, distance } = self.core.footing(point);
        Footing { point: point + normal * self.rounding, normal, distance: distance - self.rounding }
    }
}

/// The section of a frustum through its axis, in coordinates (distance from the axis, z).
struct Section {
    bottom: f64,
    top: f64,
    half_height: f64,
    /// Unit vector up the side.
    up: DVec2,
    /// Length of the side.
    side: f64,
}

impl Section {
    fn new([bottom, top]: [f64; 2], half_height: f64) -> Section {
        let along = DVec2::new(top - bottom, 2.0 * half_height);
        let side = along.length();
        Section { bottom, top, half_height, up: along / side, side }
    }

    /// Unit vector out of the side.
    fn outward(&self) -> DVec2 {
        DVec2::new(self.up.y, -self.up.x)
    }

    /// Height along the side, and height above it.
    fn by_side(&self, p: DVec2) -> (f64, f64) {
        let from_bottom = p - DVec2::new(self.bottom, -self.half_height);
        (from_bottom.dot(self.up), from_bottom.dot(self.outward()))
    }

    /// The nearest point of the section and the way from there, each exact to its own last digits; none for a point inside.
    fn project(&self, p: DVec2) -> Option<(DVec2, DVec2)> {
        let half = self.half_height;
        let (along, above) = self.by_side(p);
        if p.y.abs() <= half && above <= 0.0 {
            return None;
        }
        let rim = if p.y > 0.0 { DVec2::new(self.top, half) } else { DVec2::new(self.bottom, -half) };
        if p.y.abs() > half && p.x <= rim.x {
            return Some((DVec2::new(p.x, rim.y), DVec2::new(0.0, p.y - rim.y)));
        }
        let foot = DVec2::new(self.bottom, -half);
        if along > 0.0 && along < self.side {
            return Some((foot + self.up * along, self.outward() * above));
        }
        let rim = if along > 0.0 { DVec2::new(self.top, half) } else { foot };
        Some((rim, p - rim))
    }
}

/// Unit vector from the axis to a point, and the point's distance from it.
fn from_axis(point: DVec3) -> (DVec3, f64) {
    let across = DVec3::new(point.x, point.y, 0.0);
    let distance = across.length();
    (if distance > 0.0 { across / distance } else { DVec3::X }, distance)
}

impl Core {
    /// The nearest point of the core, the point itself where it lies inside.
    pub(crate) fn project(&self, point: DVec3) -> DVec3 {
        self.nearest_and_way(point).0
    }

    /// The nearest point of the core, and the way from there to the point, each exact to its own last digits.
    fn nearest_and_way(&self, point: DVec3) -> (DVec3, DVec3) {
        match *self {
            Core::Segment { half_height } => {
                let nearest = DVec3::new(0.0, 0.0, point.z.clamp(-half_height, half_height));
                (nearest, point - nearest)
            }
            Core::Cuboid { half_extents } => {
                let half = DVec3::from(half_extents);
                let nearest = point.clamp(-half, half);
                (nearest, point - nearest)
            }
            Core::Frustum { radii, half_height } => {
                let (outward, distance) = from_axis(point);
                let there = DVec2::new(distance, point.z);
                let in_space = |p: DVec2| outward * p.x + DVec3::Z * p.y;
                let nearest = Section::new(radii, half_height).project(there);
                nearest.map_or((point, DVec3::ZERO), |(nearest, way)| (in_space(nearest), in_space(way)))
            }
        }
    }

    /// The nearest point of the core's surface. Of a segment, which has no inside, the normal on it is across it.
    pub(crate) fn footing(&self, point: DVec3) -> Footing {
        let (nearest, away) = self.nearest_and_way(point);
        let distance = away.length();
        // Scaled first: the square of a tiny vector vanishes.
        let normal = (away / away.abs().max_element()).normalize_or_zero();
        // So close to an edge rounding would make up the normal.
        if distance > ON_SURFACE * self.reach() || (distance > 0.0 && matches!(self, Core::Segment { .. })) {
            return Footing { point: nearest, normal, distance };
        }
        self.footing_from_inside(point)
    }

    /// By the nearest face, for points inside or nearly on the surface.
    fn footing_from_inside(&self, point: DVec3) -> Footing {
        match *self {
            Core::Segment { .. } => Footing { point, normal: DVec3::X, distance: 0.0 },
            Core::Cuboid { half_extents } => {
                let half = DVec3::from(half_extents);
                let depths = half - point.abs();
                let axis = depths.min_position();
                let mut normal = DVec3::ZERO;
                normal[axis] = 1.0_f64.copysign(point[axis]);
                Footing { point: point + normal * depths[axis], normal, distance: -depths[axis] }
            }
            Core::Frustum { radii, half_height } => {
                let section = Section::new(radii, half_height);
                let (outward, distance) = from_axis(point);
                let (_, above) = section.by_side(DVec2::new(distance, point.z));
                let slope = section.outward();
                let faces = [
                    (half_height - point.z, DVec3::Z),
                    (half_height + point.z, DVec3::NEG_Z),
                    (-above, outward * slope.x + DVec3::Z * slope.y),
                ];
                let (depth, normal) = faces.into_iter().fold(faces[0], |a, b| if b.0 < a.0 { b } else { a });
                Footing { point: point + normal * depth, normal, distance: -depth }
            }
        }
    }

    /// How the support point moves as its normal turns, at a point of the core's surface with an outward normal.
    pub(crate) fn bend(&self, point: DVec3, normal: DVec3) -> Bend {
        const STILL: Bend = Bend { radii: [0.0; 2], directions: [DVec3::ZERO; 2] };
        let flat = |free: [bool; 3]| {
            let mut bend = STILL;
            let axes = DVec3::AXES.into_iter().zip(free).filter(|(_, free)| *free).map(|(axis, _)| axis);
            for (slot, axis) in axes.take(2).enumerate() {
                (bend.radii[slot], bend.directions[slot]) = (f64::INFINITY, axis);
            }
            bend
        };
        match *self {
            Core::Segment { half_height } => flat([false, false, point.z.abs() < half_height * (1.0 - ON_FACE)]),
            Core::Cuboid { half_extents: [x, y, z] } => {
                let free = |value: f64, half: f64| value.abs() < half * (1.0 - ON_FACE);
                flat([free(point.x, x), free(point.y, y), free(point.z, z)])
            }
            Core::Frustum { radii: [bottom, top], half_height } => {
                let (outward, distance) = from_axis(point);
                let within = |half: f64| point.z.abs() < half * (1.0 - ON_FACE);
                let rim = if point.z > 0.0 { top } else { bottom };
                if !within(half_height) && distance < rim * (1.0 - ON_FACE) {
                    return flat([true, true, false]);
                }
                // Around the axis the point moves on a circle, while only the part of the normal across the axis turns.
                let around = DVec3::Z.cross(outward);
                let part = normal.dot(outward);
                let radius = if part > 0.0 { distance / part } else { f64::INFINITY };
                let up = if within(half_height) {
                    let up = Section::new([bottom, top], half_height).up;
                    (f64::INFINITY, outward * up.x + DVec3::Z * up.y)
                } else {
                    (0.0, DVec3::ZERO)
                };
                Bend { radii: [if distance > 0.0 { radius } else { 0.0 }, up.0], directions: [around, up.1] }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores() -> [Core; 5] {
        [
            Core::Segment { half_height: 0.7 },
            Core::Cuboid { half_extents: [0.5, 1.0, 0.3] },
            Core::Frustum { radii: [0.8, 0.8], half_height: 0.4 },
            Core::Frustum { radii: [0.8, 0.2], half_height: 0.6 },
            Core::Frustum { radii: [0.0, 0.5], half_height: 0.9 },
        ]
    }

    /// The support function is independent of the projection: no point of the core lies beyond the plane through the nearest
    /// one across the way there.
    #[test]
    fn nearest_points_have_supporting_planes() {
        let mut rng = fastrand::Rng::with_seed(11);
        for core in cores() {
            for _ in 0..20_000 {
                let point = DVec3::from_array(std::array::from_fn(|_| 4.0 * rng.f64() - 2.0));
                let Footing { point: nearest, normal, distance } = core.footing(point);
                assert!((normal.length() - 1.0).abs() < 1e-14);
                let beyond = core.support(normal).dot(normal) - nearest.dot(normal);
                assert!(beyond.abs() < 1e-14, "{core:?} {point}: {beyond}");
                assert!((nearest + normal * distance - point).length() < 1e-14, "{core:?} {point}");
                // Inside, no other plane is nearer: 500 random ones.
                if distance < 0.0 {
                    for _ in 0..500 {
                        let n = DVec3::from_array(std::array::from_fn(|_| rng.f64() - 0.5)).normalize();
                        assert!(core.support(n).dot(n) - n.dot(point) >= -distance - 1e-14, "{core:?} {point}");
                    }
                }
            }
        }
    }

    /// Against differences of the support point along turning normals, where it is smooth: the rims and sides of frustums.
    #[test]
    fn bends_are_how_support_points_move() {
        let mut rng = fastrand::Rng::with_seed(5);
        for core in cores() {
            for _ in 0..2_000 {
                let normal = DVec3::from_array(std::array::from_fn(|_| rng.f64() - 0.5)).normalize();
                let point = core.support(normal);
                let turn = normal.cross(DVec3::from_array(std::array::from_fn(|_| rng.f64() - 0.5))) * 1e-6;
                let moved = (core.support(normal + turn) - core.support(normal - turn)) / 2.0;
                let Bend { radii, directions } = core.bend(point, normal);
                if radii.into_iter().any(f64::is_infinite) {
                    continue;
                }
                let expected: DVec3 = (0..2).map(|i| directions[i] * (radii[i] * directions[i].dot(turn))).sum();
                assert!((moved - expected).length() < 1e-9 * (1.0 + radii[0]), "{core:?} {normal}: {moved} {expected}");
            }
        }
    }
}
