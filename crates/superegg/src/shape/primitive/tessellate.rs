//! Closed triangle meshes of primitives: rings around z from one end to the other, capped by flat faces.
//!
//! A rounded box is a ball that was cut along its planes of symmetry and pulled apart by the sides of the box, so that its rings
//! are those of a ball with every corner's own quarter; a body that turns about z has a circle for each point of its section.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec3;

use super::{Core, Primitive};
use crate::InvalidInput;
use crate::shape::IndexedTriangles;
use crate::shape::tessellate::{FEWEST_VERTICES, MOST_VERTICES};

impl Primitive {
    /// A closed triangle mesh of at most `vertex_count` vertices, in [6, 10000000], but for a box, which has 8. All vertices lie on the surface;
    /// flat faces and sharp edges are exact.
    ///
    /// ```
    /// use superegg::shape::Primitive;
    /// let die = Primitive::cuboid([1.0; 3])?.tessellate(300)?;
    /// assert_eq!((die.vertices.len(), die.triangles.len()), (8, 12));
    /// let can = Primitive::cylinder(1.0, 1.0)?.tessellate(300)?;
    /// assert!(can.vertices.len() <= 300 && can.triangles.len() == 2 * can.vertices.len() - 4);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn tessellate(&self, vertex_count: usize) -> Result<IndexedTriangles, InvalidInput> {
        let accepted = (FEWEST_VERTICES..=MOST_VERTICES).contains(&vertex_count);
        InvalidInput::unless(accepted, "vertex_count", vertex_count as f64, "[6, 10000000]")?;
        let rings = match self.core {
            Core::Cuboid { half_extents } => rings_of_box(half_extents, self.rounding, vertex_count),
            Core::Segment { half_height } => rings_of_revolution([0.0; 2], half_height, self.rounding, vertex_count),
            Core::Frustum { radii, half_height } => {
                rings_of_revolution(radii, half_height, self.rounding, vertex_count)
            }
        };
        Ok(join(&rings))
    }
}

/// Steps of a quarter turn such that `rings` of four quarters each stay within the count.
fn steps(vertex_count: usize, vertices: impl Fn(usize) -> usize) -> usize {
    let mut steps = 1;
    while steps < 2000 && vertices(steps + 1) <= vertex_count {
        steps += 1;
    }
    steps
}

fn rings_of_box(half: [f64; 3], rounding: f64, vertex_count: usize) -> Vec<Vec<DVec3>> {
    if rounding == 0.0 {
        return rings_of_corners(half, 0.0, 1);
    }
    rings_of_corners(half, rounding, steps(vertex_count, |steps| 8 + 8 * steps * (steps + 1)))
}

fn rings_of_corners(half: [f64; 3], rounding: f64, steps: usize) -> Vec<Vec<DVec3>> {
    let angle = |step: usize| FRAC_PI_2 * step as f64 / steps as f64;
    let half = DVec3::from(half);
    let ring = |z: f64, elevation: f64| {
        let mut ring = Vec::with_capacity(4 * (steps + 1));
        for quarter in 0..4 {
            let corner = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][quarter];
            let corner = DVec3::new(corner.0, corner.1, z) * half;
            for step in 0..=steps {
                let (sine, cosine) = exact(angle(step), step == 0, step == steps);
                let (x, y) = [(cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine)][quarter];
                let (up, out) = exact(elevation, elevation == 0.0, elevation.abs() == FRAC_PI_2);
                ring.push(corner + DVec3::new(x * out, y * out, up) * rounding);
            }
        }
        ring
    };
    let mut rings: Vec<Vec<DVec3>> = (0..=steps).map(|step| ring(-1.0, -angle(steps - step))).collect();
    rings.extend((0..=steps).map(|step| ring(1.0, angle(step))));
    rings
}

/// Sine and cosine, exact at zero and at a right angle.
fn exact(angle: f64, zero: bool, right: bool) -> (f64, f64) {
    if zero {
        (0.0, 1.0)
    } else if right {
        (1.0_f64.copysign(angle), 0.0)
    } else {
        angle.sin_cos()
    }
}

fn rings_of_revolution([bottom, top]: [f64; 2], half: f64, rounding: f64, vertex_count: usize) -> Vec<Vec<DVec3>> {
    let quarter = if rounding == 0.0 {
        steps(vertex_count, |steps| 8 * steps).max(1)
    } else {
        steps(vertex_count, |steps| 8 * steps * (steps + 1) + 2)
    };
    let rise = if half > 0.0 { ((bottom - top) / (2.0 * half)).atan() } else { 0.0 };
    let mut section = Vec::new();
    if rounding == 0.0 {
        section.extend([(bottom, -half), (top, half)]);
    } else {
        let mut arc = |radius: f64, z: f64, from: f64, to: f64| {
            for step in 0..=quarter {
                let angle = from + (to - from) * step as f64 / quarter as f64;
                let (up, out) = exact(angle, angle == 0.0, angle.abs() == FRAC_PI_2);
                section.push((radius + rounding * out, z + rounding * up));
            }
        };
        arc(bottom, -half, -FRAC_PI_2, rise);
        arc(top, half, rise, FRAC_PI_2);
    }
    let around = 4 * quarter;
    let ring = |(radius, z): (f64, f64)| {
        (0..around)
            .map(|step| {
                let (sine, cosine) = (TAU * step as f64 / around as f64).sin_cos();
                DVec3::new(radius * cosine, radius * sine, z)
            })
            .collect()
    };
    section.into_iter().map(ring).collect()
}

/// Joins rings of equally many points, closes both ends, and merges points that coincide.
fn join(rings: &[Vec<DVec3>]) -> IndexedTriangles {
    let mut mesh = IndexedTriangles::default();
    let mut known = HashMap::new();
    let mut index = |point: &DVec3| {
        // Adding zero makes one number of both zeros.
        let bits = (*point + DVec3::ZERO).to_array().map(f64::to_bits);
        *known.entry(bits).or_insert_with(|| {
            mesh.vertices.push(*point);
            (mesh.vertices.len() - 1) as u32
        })
    };
    let rings: Vec<Vec<u32>> = rings.iter().map(|ring| ring.iter().map(&mut index).collect()).collect();
    let mut triangle = |a: u32, b: u32, c: u32| {
        if a != b && b != c && c != a {
            mesh.triangles.push([a, b, c]);
        }
    };
    for pair in rings.windows(2) {
        let (below, above) = (&pair[0], &pair[1]);
        for i in 0..below.len() {
            let next = (i + 1) % below.len();
            triangle(below[i], below[next], above[next]);
            triangle(below[i], above[next], above[i]);
        }
    }
    let (first, last) = (&rings[0], &rings[rings.len() - 1]);
    for i in 1..first.len() - 1 {
        triangle(first[0], first[i + 1], first[i]);
        triangle(last[0], last[i], last[i + 1]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn meshes_are_closed_and_hold_nearly_the_volume() {
        let bodies = [
            Primitive::cuboid([0.5, 0.8, 0.3]).unwrap(),
            Primitive::cuboid([0.5, 0.8, 0.3]).unwrap().rounded(0.2).unwrap(),
            Primitive::sphere(0.7).unwrap(),
            Primitive::capsule(0.3, 0.6).unwrap(),
            Primitive::frustum([0.7, 0.3], 0.5).unwrap().rounded(0.2).unwrap(),
            Primitive::frustum([0.0, 0.3], 0.5).unwrap(),
            Primitive::cone(0.9, 0.6).unwrap(),
            Primitive::cylinder(0.4, 0.7).unwrap(),
        ];
        for body in bodies {
            for count in [6, 100, 5_000] {
                let mesh = body.tessellate(count).unwrap();
                let mut open = HashSet::new();
                for &[a, b, c] in &mesh.triangles {
                    for (from, to) in [(a, b), (b, c), (c, a)] {
                        assert!(open.insert((from, to)), "{body:?} {count}");
                    }
                }
                assert!(open.iter().all(|&(from, to)| open.contains(&(to, from))), "{body:?} {count}");
                for vertex in &mesh.vertices {
                    assert!(body.footing(*vertex).distance.abs() < 1e-14, "{body:?} {vertex}");
                }
                let volume: f64 = (mesh.triangles.iter())
                    .map(|corners| corners.map(|corner| mesh.vertices[corner as usize]))
                    .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
                    .sum();
                let whole = body.mass_properties().volume;
                assert!(volume > 0.0 && volume <= whole * (1.0 + 1e-12), "{body:?} {count}");
                if count == 5_000 {
                    assert!(volume > 0.99 * whole && mesh.vertices.len() <= count, "{body:?} {volume} {whole}");
                }
            }
        }
    }
}
