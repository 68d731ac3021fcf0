//! Moving meshes to try collision detection on: the six kinds of scenes that the paper measures, made by formulas.
//!
//! After M. Tang and others, "ICCD", section VII.A, at its numbers of triangles: a cloth that folds over a rotating
//! ball, a dancer in a flowing skirt, hundreds of balls, letters that break in a bowl, a large body broken by another,
//! a dancer in ruffles. The paper's own scenes come from simulations; these are kinematic, with the same kinds of
//! contacts: many within a surface, many between objects, few, and topology that changes.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::TriangleMesh;

/// The kinds of scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// A cloth twisted into folds over a rotating ball, 92 thousand triangles.
    Cloth,
    /// A dancer in a flowing skirt who sits down, 40 thousand.
    Princess,
    /// A dancer in four tiers of ruffles, 49 thousand.
    Flamenco,
    /// 425 colliding balls, 34 thousand.
    Balls,
    /// Letters made of bars that fall into a bowl and break, 5 thousand.
    Letters,
    /// A knotted body that breaks under another, 253 thousand.
    Dragon,
}

/// Frames of every scene.
pub const FRAMES: usize = 60;

/// The frame from which on things are broken.
const BREAK: usize = 20;

impl Scene {
    /// All kinds, in the order of the paper's table of query times.
    pub const ALL: [Scene; 6] =
        [Scene::Cloth, Scene::Princess, Scene::Flamenco, Scene::Balls, Scene::Letters, Scene::Dragon];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Scene::Cloth => "cloth",
            Scene::Princess => "princess",
            Scene::Flamenco => "flamenco",
            Scene::Balls => "balls",
            Scene::Letters => "letters",
            Scene::Dragon => "dragon",
        }
    }

    /// One frame of the animation. `detail` is the wanted number of triangles as a part of the paper's, in `]0, 1]`;
    /// it is met roughly.
    ///
    /// ```
    /// use superegg_mesh::scene::Scene;
    /// let frame = Scene::Balls.frame(0, 1.0);
    /// assert_eq!(frame.triangles().len(), 34_000);
    /// ```
    pub fn frame(self, index: usize, detail: f64) -> TriangleMesh {
        let detail = detail.clamp(1e-4, 1.0);
        let time = index as f64 / FRAMES as f64;
        let parts = match self {
            Scene::Cloth => cloth(time, detail),
            Scene::Princess => princess(time, detail),
            Scene::Flamenco => flamenco(time, detail),
            Scene::Balls => balls(time, detail),
            Scene::Letters => letters(index, time, detail),
            Scene::Dragon => dragon(index, time, detail),
        };
        // Formulas over finite parameters, indices by construction.
        TriangleMesh::new(parts.positions, parts.triangles).expect("a well-formed scene")
    }
}

/// Vertices and triangles being put together.
#[derive(Clone, Default)]
struct Parts {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Parts {
    fn add(&mut self, other: Parts) {
        let shift = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + shift)));
    }

    fn moved(mut self, place: impl Fn(DVec3) -> DVec3) -> Parts {
        self.positions.iter_mut().for_each(|p| *p = place(*p));
        self
    }
}

/// A grid of `n` by `m` squares over the unit square, mapped by `place`; closed in either direction or not.
fn grid(n: usize, m: usize, closed: [bool; 2], place: impl Fn(f64, f64) -> DVec3) -> Parts {
    let (columns, rows) = (if closed[0] { n } else { n + 1 }, if closed[1] { m } else { m + 1 });
    let at = |i: usize, j: usize| ((j % rows) * columns + i % columns) as u32;
    let mut parts = Parts::default();
    for j in 0..rows {
        parts.positions.extend((0..columns).map(|i| place(i as f64 / n as f64, j as f64 / m as f64)));
    }
    for j in 0..m {
        for i in 0..n {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            parts.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    parts
}

/// A unit sphere of 20 · 4^level triangles.
fn sphere(level: u32) -> Parts {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut parts = Parts::default();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        parts.positions.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    // Faces are the triples of mutually nearest vertices, turned outwards.
    let near = |a: usize, b: usize| parts.positions[a].distance_squared(parts.positions[b]) < 4.1;
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [p, q, r] = [a, b, c].map(|v| parts.positions[v]);
                    let outward = (q - p).cross(r - p).dot(p) > 0.0;
                    let [a, b, c] = [a as u32, b as u32, c as u32];
                    parts.triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..level {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut finer = Vec::with_capacity(4 * parts.triangles.len());
        for [a, b, c] in std::mem::take(&mut parts.triangles) {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[p, q]| {
                *middles.entry([p.min(q), p.max(q)]).or_insert_with(|| {
                    parts.positions.push(parts.positions[p as usize] + parts.positions[q as usize]);
                    parts.positions.len() as u32 - 1
                })
            });
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        parts.triangles = finer;
    }
    parts.moved(DVec3::normalize)
}

/// The level of a sphere of about `triangles` triangles.
fn sphere_of(triangles: f64) -> Parts {
    sphere((triangles / 20.0).max(1.0).log(4.0).round() as u32)
}

/// A number of subdivisions, scaled by the square root of the detail.
fn steps(full: usize, detail: f64) -> usize {
    ((full as f64 * detail.sqrt()).round() as usize).max(2)
}

/// A number between 0 and 1 that looks random.
fn noise(seed: usize) -> f64 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

fn cloth(time: f64, detail: f64) -> Parts {
    let n = steps(213, detail);
    let ball = 0.3;
    let spin = 1.5 * TAU * time;
    let mut parts = grid(n, n, [false, false], |u, v| {
        let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
        let radius = x.hypot(y);
        let angle = y.atan2(x);
        let over = ball * 1.01;
        let bend = (radius / over).min(PI / 2.0);
        let hanging = (radius - over * PI / 2.0).max(0.0);
        // The hem lags behind the ball, and folds deepen until they meet.
        let turned = angle + spin * (-3.0 * hanging).exp();
        let folds = 1.0 + 4.0 * time * hanging * (9.0 * angle + 5.0 * hanging).sin();
        let out = (over * bend.sin() + 0.12 * hanging) * folds;
        DVec3::new(out * turned.cos(), out * turned.sin(), over * bend.cos() - hanging * (1.0 - 0.3 * time))
    });
    let (sine, cosine) = spin.sin_cos();
    parts.add(
        sphere_of(1280.0 * detail)
            .moved(|p| ball * DVec3::new(p.x * cosine - p.y * sine, p.x * sine + p.y * cosine, p.z)),
    );
    parts
}

/// A skirt: a cone around the z axis with pleats.
fn skirt(size: [usize; 2], top: f64, flare: f64, pleats: f64, depth: f64, phase: f64) -> Parts {
    grid(size[0], size[1], [true, false], |u, v| {
        let angle = TAU * u;
        let wave = (pleats * angle + phase + 2.0 * v).sin() + 0.4 * (2.0 * pleats * angle - phase).sin();
        let out = 0.12 + flare * v + depth * v * wave;
        let swing = angle + 0.5 * depth * v * (pleats * angle + 1.3 + phase).cos();
        DVec3::new(out * swing.cos(), out * swing.sin(), top - (0.7 - 0.4 * flare) * v + 0.05 * v * wave)
    })
}

/// Head, trunk and legs.
fn dancer(level: f64, lean: f64, drop: f64) -> Parts {
    let mut parts = Parts::default();
    for (triangles, centre, radii) in [
        (4.0, DVec3::new(0.0, 0.0, 1.1), DVec3::new(0.13, 0.1, 0.3)),
        (1.0, DVec3::new(0.0, 0.0, 1.55), DVec3::new(0.09, 0.09, 0.12)),
        (1.0, DVec3::new(0.07 + 0.1 * lean, 0.0, 0.5), DVec3::new(0.06, 0.06, 0.45)),
        (1.0, DVec3::new(-0.07, 0.1 * lean, 0.5), DVec3::new(0.06, 0.06, 0.45)),
    ] {
        parts.add(sphere_of(triangles * level).moved(|p| centre + p * radii - DVec3::new(0.0, 0.0, drop)));
    }
    parts
}

fn princess(time: f64, detail: f64) -> Parts {
    let sitting = 0.45 * (PI * time).sin();
    let mut parts = skirt([steps(180, detail), steps(86, detail)], 0.95, 0.35, 14.0, 0.05 + 0.2 * time, 9.0 * time)
        .moved(|p| DVec3::new(p.x, p.y, (p.z - sitting).max(0.02 * (40.0 * p.x).sin())));
    parts.add(dancer(1280.0 * detail, (7.0 * time).sin(), sitting));
    parts.add(grid(4, 4, [false, false], |u, v| DVec3::new(3.0 * u - 1.5, 3.0 * v - 1.5, -0.03)));
    parts
}

fn flamenco(time: f64, detail: f64) -> Parts {
    let mut parts = dancer(640.0 * detail, (9.0 * time).sin(), 0.0);
    for tier in 0..4 {
        let size = [steps(310, detail), steps(18, detail)];
        let phase = 12.0 * time + f64::from(tier);
        let ruffle = skirt(size, 0.0, 0.2 + 0.05 * f64::from(tier), 24.0, 0.12 + 0.1 * (PI * time).sin(), phase);
        parts.add(ruffle.moved(|p| DVec3::new(p.x * 1.4, p.y * 1.4, 0.4 * p.z + 0.95 - 0.17 * f64::from(tier))));
    }
    parts
}

fn balls(time: f64, detail: f64) -> Parts {
    let one = sphere(1);
    let mut parts = Parts::default();
    for ball in 0..((425.0 * detail).round() as usize).max(2) {
        let wave = |k: usize| (TAU * (noise(8 * ball + k) + (0.5 + noise(8 * ball + k + 3)) * time)).sin();
        let centre = DVec3::new(wave(0), wave(1), 0.5 * wave(2));
        parts.add(one.clone().moved(|p| centre + 0.07 * p));
    }
    parts
}

/// A bar: a box with its faces cut into squares.
fn bar(n: usize) -> Parts {
    // Wrapped around the long axis, closed at the ends by their middle points.
    let mut parts = grid(4 * n, 3 * n, [true, false], |u, v| {
        let angle = TAU * u + PI / 4.0;
        let (x, y) = (angle.cos(), angle.sin());
        let square = x.abs().max(y.abs());
        DVec3::new(x / square, y / square, 2.0 * v - 1.0)
    });
    let rim = 4 * n as u32;
    for (first, z, outward) in [(0, -1.0, false), (3 * n as u32 * rim, 1.0, true)] {
        let middle = parts.positions.len() as u32;
        parts.positions.push(DVec3::new(0.0, 0.0, z));
        for i in 0..rim {
            let (a, b) = (first + i, first + (i + 1) % rim);
            parts.triangles.push(if outward { [a, b, middle] } else { [b, a, middle] });
        }
    }
    parts
}

fn letters(index: usize, time: f64, detail: f64) -> Parts {
    let n = steps(3, detail);
    let bowl = grid(steps(24, detail), steps(10, detail), [true, false], |u, v| {
        let (sine, cosine) = (TAU * u).sin_cos();
        let depth = 0.15 + 0.4 * PI * v;
        1.4 * DVec3::new(depth.sin() * cosine, depth.sin() * sine, -depth.cos())
    });
    let mut parts = Parts::default();
    for letter in 0..9 {
        // An upright and a crossbar, tumbling down the bowl.
        let fall = (2.2 * time).min(1.0 + 0.2 * noise(letter));
        let spread = 0.6 * (1.0 - 0.5 * fall);
        let place = TAU * letter as f64 / 9.0 + 1.5 * time;
        let centre = DVec3::new(spread * place.cos(), spread * place.sin(), 0.9 - 1.5 * fall);
        let (sine, cosine) = (4.0 * time * (0.5 + noise(letter + 50))).sin_cos();
        for (along, at) in [(DVec3::new(0.05, 0.06, 0.3), DVec3::ZERO), (DVec3::new(0.05, 0.06, 0.2), DVec3::Z * 0.31)]
        {
            let crossbar = at != DVec3::ZERO;
            parts.add(bar(n).moved(|p| {
                let p = p * along;
                let p = if crossbar { DVec3::new(p.z, p.y, p.x) } else { p } + at;
                centre + DVec3::new(p.x * cosine - p.z * sine, p.y, p.x * sine + p.z * cosine)
            }));
        }
    }
    // Each bar breaks in the middle: its triangles lie in rows along it.
    let of_bar = parts.triangles.len() / 18;
    let parts = shatter(parts, index, |triangle| 2 * (triangle / of_bar) + usize::from(triangle % of_bar > of_bar / 2));
    let mut all = bowl;
    all.add(parts);
    all
}

fn dragon(index: usize, time: f64, detail: f64) -> Parts {
    let (n, m) = (steps(500, detail), steps(171, detail));
    // A tube with scales along a knot.
    let knot = |s: f64| {
        let (sine, cosine) = (3.0 * s).sin_cos();
        DVec3::new((1.0 + 0.4 * cosine) * (2.0 * s).cos(), (1.0 + 0.4 * cosine) * (2.0 * s).sin(), 0.4 * sine)
    };
    let body = grid(n, m, [true, true], |u, v| {
        let s = TAU * u;
        let middle = knot(s);
        let along = (knot(s + 1e-4) - knot(s - 1e-4)).normalize();
        let side = along.cross(DVec3::Z).normalize_or(DVec3::X);
        let (sine, cosine) = (TAU * v).sin_cos();
        let scales = 1.0 + 0.06 * (60.0 * s).sin() * (12.0 * TAU * v).sin() + 0.2 * (5.0 * s).sin();
        middle + 0.16 * scales * (side * cosine + side.cross(along) * sine)
    });
    // Broken into blocks of rows and columns.
    let broken = shatter(body, index, |triangle| {
        let (column, row) = (triangle / 2 % n, triangle / 2 / n);
        (column * 20 / n) * 3 + row * 3 / m
    });
    // What breaks it: a body with two bumps that comes down.
    let falling = 1.6 - 2.4 * time;
    let mut parts = sphere_of(81_920.0 * detail).moved(|p| {
        let ears = 0.5 * (8.0 * (p.dot(DVec3::new(0.4, 0.2, 0.89)) - 1.0)).exp()
            + 0.5 * (8.0 * (p.dot(DVec3::new(-0.4, 0.2, 0.89)) - 1.0)).exp();
        0.45 * p * (1.0 + ears + 0.03 * (9.0 * p.x).sin() * (9.0 * p.y).cos()) + DVec3::new(0.8, 0.0, falling)
    });
    parts.add(broken);
    parts
}

/// Breaks a mesh, from the frame [`BREAK`] on, into pieces that drift apart. Triangles keep their number, and corners
/// that a piece gets of its own come after the old vertices: what breaks is the last part of its scene.
fn shatter(mut parts: Parts, index: usize, piece: impl Fn(usize) -> usize) -> Parts {
    if index < BREAK {
        return parts;
    }
    let since = (index - BREAK) as f64 / FRAMES as f64;
    let mut owner = vec![usize::MAX; parts.positions.len()];
    let mut own: HashMap<(u32, usize), u32> = HashMap::new();
    let mut drift = Vec::new();
    for (triangle, corners) in parts.triangles.iter_mut().enumerate() {
        let piece = piece(triangle);
        for corner in corners {
            let vertex = *corner as usize;
            if owner[vertex] == usize::MAX {
                owner[vertex] = piece;
            }
            if owner[vertex] != piece {
                *corner = *own.entry((*corner, piece)).or_insert_with(|| {
                    parts.positions.push(parts.positions[vertex]);
                    drift.push(piece);
                    parts.positions.len() as u32 - 1
                });
            }
        }
    }
    for (position, piece) in parts.positions.iter_mut().zip(owner.into_iter().chain(drift)) {
        let away = DVec3::new(noise(3 * piece) - 0.5, noise(3 * piece + 1) - 0.5, noise(3 * piece + 2) - 0.7);
        *position += since * away;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    #[test]
    fn scenes_have_the_papers_numbers_of_triangles() {
        let wanted = [92_000.0, 40_000.0, 49_000.0, 34_000.0, 5_000.0, 253_000.0];
        for (scene, wanted) in Scene::ALL.into_iter().zip(wanted) {
            let count = scene.frame(0, 1.0).triangles().len() as f64;
            assert!((count / wanted - 1.0).abs() < 0.1, "{}: {count} triangles", scene.name());
        }
    }

    #[test]
    fn spheres_are_closed_and_turned_outwards() {
        let ball = sphere(2);
        assert_eq!(ball.triangles.len(), 320);
        let topology = Topology::new(ball.positions.len(), ball.triangles.clone()).unwrap();
        assert!((0..topology.edges().len() as u32).all(|e| topology.triangles_of_edge(e).len() == 2));
        for corners in &ball.triangles {
            let [a, b, c] = corners.map(|v| ball.positions[v as usize]);
            assert!((b - a).cross(c - a).dot(a) > 0.0);
        }
    }

    #[test]
    fn breaking_keeps_triangles_and_makes_objects() {
        for scene in [Scene::Letters, Scene::Dragon] {
            let [whole, broken] = [BREAK - 1, BREAK].map(|index| scene.frame(index, 0.02));
            assert_eq!(whole.triangles().len(), broken.triangles().len());
            assert!(broken.positions().len() > whole.positions().len());
            let objects = |mesh: &TriangleMesh| {
                Topology::new(mesh.positions().len(), mesh.triangles().to_vec()).unwrap().components().1
            };
            assert!(objects(&broken) > objects(&whole), "{}", scene.name());
        }
    }
}
