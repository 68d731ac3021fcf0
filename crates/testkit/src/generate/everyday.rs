//! Closed meshes of everyday things, from signed distances by marching tetrahedra.
//!
//! Every cube of a grid is cut into six tetrahedra along one diagonal; the surface within each is one or two triangles, and
//! neighbours share their vertices, so that the mesh is closed.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

/// A closed mesh with its name.
#[derive(Clone, Debug)]
pub struct Thing {
    /// What it is.
    pub name: &'static str,
    /// Vertices.
    pub positions: Vec<DVec3>,
    /// Triangles, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Grid cells along the longest side.
const CELLS: u32 = 56;

/// A mug's body, an egg, a die, a capsule, a finger's link and a chess knight, each about one unit long.
pub fn everyday_things() -> Vec<Thing> {
    vec![
        thing("mug body", 1.0, |p| rounded(cylinder(p, 0.38, 0.45), 0.05)),
        thing("egg", 1.0, |p| {
            let width = 1.0 - 0.25 * p.z;
            (DVec3::new(p.x / width, p.y / width, p.z / 1.35).length() - 0.4) * 0.6
        }),
        thing("die", 0.6, |p| rounded(cuboid(p, DVec3::splat(0.3)), 0.07)),
        thing("capsule", 1.0, |p| (p - DVec3::Z * p.z.clamp(-0.3, 0.3)).length() - 0.2),
        thing("finger link", 1.0, |p| {
            let lower = rounded(cuboid(p - DVec3::new(0.0, 0.0, -0.15), DVec3::new(0.11, 0.14, 0.35)), 0.05);
            let knuckle = rounded(cylinder(DVec3::new(p.y, p.z - 0.25, p.x), 0.17, 0.14), 0.03);
            smooth_min(lower, knuckle, 0.04)
        }),
        thing("chess knight", 1.0, knight),
    ]
}

/// A turned foot and neck, a bent head with a muzzle and a mane.
fn knight(p: DVec3) -> f64 {
    let foot = rounded(cylinder(p - DVec3::Z * -0.46, 0.28, 0.05), 0.02);
    let collar = ellipsoid(p - DVec3::Z * -0.33, DVec3::new(0.22, 0.22, 0.09));
    let neck = capsule(p, DVec3::new(-0.03, 0.0, -0.35), DVec3::new(-0.06, 0.0, 0.22), 0.14);
    let head = capsule(p, DVec3::new(-0.06, 0.0, 0.25), DVec3::new(0.22, 0.0, 0.08), 0.10);
    let ears = ellipsoid(p - DVec3::new(-0.07, 0.0, 0.38), DVec3::new(0.05, 0.07, 0.10));
    let body = smooth_min(smooth_min(foot, collar, 0.03), smooth_min(neck, head, 0.05), 0.03);
    smooth_min(body, ears, 0.02)
}

fn rounded(distance: f64, radius: f64) -> f64 {
    distance - radius
}

fn cylinder(p: DVec3, radius: f64, half_height: f64) -> f64 {
    let d = DVec2::new(p.truncate().length() - radius, p.z.abs() - half_height);
    d.max(DVec2::ZERO).length() + d.max_element().min(0.0)
}

fn cuboid(p: DVec3, half: DVec3) -> f64 {
    let d = p.abs() - half;
    d.max(DVec3::ZERO).length() + d.max_element().min(0.0)
}

fn capsule(p: DVec3, a: DVec3, b: DVec3, radius: f64) -> f64 {
    let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a + (b - a) * t) - radius
}

fn ellipsoid(p: DVec3, radii: DVec3) -> f64 {
    ((p / radii).length() - 1.0) * radii.min_element()
}

fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - 0.25 * h * h * width
}

fn thing(name: &'static str, half: f64, distance: impl Fn(DVec3) -> f64) -> Thing {
    let (positions, triangles) = surface(half, distance);
    Thing { name, positions, triangles }
}

/// The zero surface within the cube of this half side.
fn surface(half: f64, distance: impl Fn(DVec3) -> f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = CELLS + 1;
    // Off the middle by a little, so that flat faces do not fall on the grid, where triangles would have no area.
    let offset = DVec3::new(0.00131, 0.00171, 0.00113) * half;
    let place = |v: u32| {
        let (i, j, k) = (v % side, v / side % side, v / (side * side));
        (DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * (2.0 / f64::from(CELLS)) - 1.0) * half + offset
    };
    let values: Vec<f64> = (0..side * side * side).map(|v| distance(place(v))).collect();
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    // The six ways from one corner of a cube to the opposite one along its edges.
    const WAYS: [[u32; 2]; 6] = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
    for k in 0..CELLS {
        for j in 0..CELLS {
            for i in 0..CELLS {
                let corner = |bits: u32| (i + (bits & 1)) + side * ((j + (bits >> 1 & 1)) + side * (k + (bits >> 2)));
                for way in WAYS {
                    let tetrahedron = [0, way[0], way[1], 7].map(corner);
                    let inside: Vec<u32> = tetrahedron.into_iter().filter(|&v| values[v as usize] < 0.0).collect();
                    let outside: Vec<u32> = tetrahedron.into_iter().filter(|&v| values[v as usize] >= 0.0).collect();
                    let mut cut = |a: u32, b: u32| {
                        *numbers.entry((a.min(b), a.max(b))).or_insert_with(|| {
                            let (fa, fb) = (values[a as usize], values[b as usize]);
                            positions.push(place(a).lerp(place(b), fa / (fa - fb)));
                            positions.len() as u32 - 1
                        })
                    };
                    let polygon: Vec<u32> = match (&inside[..], &outside[..]) {
                        ([a], [b, c, d]) => vec![cut(*a, *b), cut(*a, *c), cut(*a, *d)],
                        ([b, c, d], [a]) => vec![cut(*a, *b), cut(*a, *c), cut(*a, *d)],
                        ([a, b], [c, d]) => vec![cut(*a, *c), cut(*a, *d), cut(*b, *d), cut(*b, *c)],
                        _ => continue,
                    };
                    let mean = |of: &[u32]| of.iter().map(|&v| place(v)).sum::<DVec3>() / of.len() as f64;
                    let outward = mean(&outside) - mean(&inside);
                    for t in 1..polygon.len() - 1 {
                        let [a, b, c] = [polygon[0], polygon[t], polygon[t + 1]];
                        triangles.push([a, b, c]);
                        let [pa, pb, pc] = [a, b, c].map(|v| positions[v as usize]);
                        if (pb - pa).cross(pc - pa).dot(outward) < 0.0 {
                            *triangles.last_mut().expect("just pushed") = [a, c, b];
                        }
                    }
                }
            }
        }
    }
    (positions, triangles)
}
