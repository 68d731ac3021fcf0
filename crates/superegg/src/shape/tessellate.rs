//! Closed triangle meshes (and, in the plane, polygons) inscribed in super-shapes.
//!
//! A grid of rings and segments between two poles. Axes of symmetry always carry vertices, so ridges stay sharp. The
//! steps are either even in the angles of the parametrisation, or adapted to curvature: a chord of length `ds` whose
//! normals turn by `dψ` misses the curve by about `ds dψ/8`, so steps of equal `∫ √(ds dψ)` spread that error evenly,
//! and rings and segments share the vertices so that both miss by the same. Even angles do nearly as well on round-ish
//! bodies of any exponent, because the second fundamental form is constant in them up to the normal's length; the gain
//! comes with long, flat and tapered bodies. Each quad is split along the diagonal that lies further out.

use std::f64::consts::FRAC_PI_2;

use glam::{DVec2, DVec3};

use super::coordinates::{SurfaceCoordinates, exact_at_axes, smooth_weights};
use super::superellipsoid::Superellipsoid;
use super::superovoid::Superovoid;
use crate::InvalidInput;

/// How vertices are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Even steps of the angles of the papers' parametrisation.
    Angles,
    /// Equal chord errors: dense where the surface bends, sparse on faces.
    Curvature,
}

/// Vertices and the triangles that join them, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexedTriangles {
    /// Positions in the body's frame.
    pub vertices: Vec<DVec3>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
}

/// Fewest vertices of a mesh: the octahedron of the axis points.
pub(crate) const FEWEST_VERTICES: usize = 6;
/// Most vertices of a mesh: the triangles' indices and the memory stay within reason.
pub(crate) const MOST_VERTICES: usize = 10_000_000;

impl Superovoid {
    /// A closed triangle mesh with its vertices on the surface: both poles, and rings of equally many vertices between
    /// them. It has at most `vertex_count` vertices, in [6, 10000000], and nearly as many.
    ///
    /// ```
    /// use superegg::shape::{Spacing, Superovoid};
    /// let egg = Superovoid::new([1.0, 1.0, 1.3], [1.0, 1.0], [0.2, 0.2])?;
    /// let mesh = egg.tessellate(290, Spacing::Angles)?;
    /// assert_eq!(mesh.vertices.len() - 2, mesh.triangles.len() / 2);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn tessellate(&self, vertex_count: usize, spacing: Spacing) -> Result<IndexedTriangles, InvalidInput> {
        of_superovoid(self, vertex_count, spacing)
    }
}

impl Superellipsoid {
    /// A closed triangle mesh of at most `vertex_count` vertices; see [`Superovoid::tessellate`].
    pub fn tessellate(&self, vertex_count: usize, spacing: Spacing) -> Result<IndexedTriangles, InvalidInput> {
        Superovoid::from(*self).tessellate(vertex_count, spacing)
    }
}

fn of_superovoid(egg: &Superovoid, vertex_count: usize, spacing: Spacing) -> Result<IndexedTriangles, InvalidInput> {
    let accepted = (FEWEST_VERTICES..=MOST_VERTICES).contains(&vertex_count);
    InvalidInput::unless(accepted, "vertex_count", vertex_count as f64, "[6, 10000000]")?;
    let [a1, a2, _] = egg.radii();
    let [e1, e2] = egg.exponents();
    let at = |azimuth: DVec2, elevation: DVec2| {
        let point = egg.surface_point(SurfaceCoordinates::new(azimuth, elevation));
        (point.position, point.normal)
    };
    let equator = Quarter::new(spacing, e1, |azimuth| at(azimuth, DVec2::X));
    let meridian = if a1 >= a2 { DVec2::X } else { DVec2::Y };
    let north = Quarter::new(spacing, e2, |elevation| at(meridian, elevation));
    let south = Quarter::new(spacing, e2, |elevation| at(meridian, DVec2::new(elevation.x, -elevation.y)));
    let (rings, segments) = grid(vertex_count, 2.0 * equator.cost() / north.cost().max(south.cost()));
    let quarter = equator.steps(segments / 4);
    let (south, north) = (south.steps(rings.div_ceil(2)), north.steps(rings.div_ceil(2)));
    let elevations: Vec<DVec2> =
        (south[1..south.len() - 1].iter().rev().map(|elevation| DVec2::new(elevation.x, -elevation.y)))
            .chain(north[..north.len() - 1].iter().copied())
            .collect();
    let azimuths = full_turn(&quarter);

    let pole = |sign: f64| egg.surface_point(SurfaceCoordinates::new(DVec2::X, DVec2::new(0.0, sign))).position;
    let mut vertices = Vec::with_capacity(2 + rings * segments);
    vertices.push(pole(-1.0));
    for &elevation in &elevations {
        vertices.extend(
            azimuths.iter().map(|&azimuth| egg.surface_point(SurfaceCoordinates::new(azimuth, elevation)).position),
        );
    }
    vertices.push(pole(1.0));

    let mut triangles = Vec::with_capacity(2 * rings * segments);
    let index = |ring: usize, segment: usize| (1 + ring * segments + segment % segments) as u32;
    let last = (vertices.len() - 1) as u32;
    for segment in 0..segments {
        triangles.push([0, index(0, segment + 1), index(0, segment)]);
    }
    for ring in 0..rings - 1 {
        for segment in 0..segments {
            let [a, b] = [index(ring, segment), index(ring, segment + 1)];
            let [d, c] = [index(ring + 1, segment), index(ring + 1, segment + 1)];
            let outwardness = |p: u32, q: u32| egg.gauge(0.5 * (vertices[p as usize] + vertices[q as usize]));
            if outwardness(a, c) >= outwardness(b, d) {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    for segment in 0..segments {
        triangles.push([last, index(rings - 1, segment), index(rings - 1, segment + 1)]);
    }
    Ok(IndexedTriangles { vertices, triangles })
}

/// Rings (odd, so that one is the equator) and segments (a multiple of four) of a mesh with at most this many vertices:
/// nearly all of them used, and nearly `aspect` segments for each ring and one more.
fn grid(vertex_count: usize, aspect: f64) -> (usize, usize) {
    let body = vertex_count - 2;
    let waste_and_stretch = |rings: usize| {
        let segments = body / rings / 4 * 4;
        let stretch = segments as f64 / (rings + 1) as f64 / aspect;
        let waste = 1.0 - (rings * segments) as f64 / body as f64;
        (waste + 0.1 * stretch.ln().abs(), rings, segments)
    };
    let best = (1..=body / 4).step_by(2).map(waste_and_stretch).min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or((1, 4), |(_, rings, segments)| (rings, segments))
}

/// Samples of a quarter on which curvature-adapted steps are based.
const SAMPLES: u32 = 512;

/// A quarter of a superellipse of exponent e, ready to be divided.
pub(crate) struct Quarter {
    e: f64,
    /// `∫ √(ds dψ)` up to each sample; empty for even angles.
    costs: Vec<f64>,
}

impl Quarter {
    /// `surface` gives position and normal from cosine and sine.
    pub fn new(spacing: Spacing, e: f64, surface: impl Fn(DVec2) -> (DVec3, DVec3)) -> Quarter {
        let mut costs = vec![];
        if spacing == Spacing::Curvature {
            let mut cost = 0.0;
            let (mut position, mut normal) = surface(DVec2::X);
            costs.push(cost);
            for k in 1..=SAMPLES {
                let (next_position, next_normal) =
                    surface(smooth_weights(FRAC_PI_2 * (f64::from(k) / f64::from(SAMPLES)), e));
                cost += ((next_position - position).length() * (next_normal - normal).length()).sqrt();
                costs.push(cost);
                (position, normal) = (next_position, next_normal);
            }
        }
        Quarter { e, costs }
    }

    /// The whole of what is shared out evenly; one for even angles.
    pub fn cost(&self) -> f64 {
        self.costs.last().map_or(1.0, |&cost| cost)
    }

    /// Cosines and sines at the ends of `count` steps, from exactly `(1, 0)` to exactly `(0, 1)`.
    pub fn steps(&self, count: usize) -> Vec<DVec2> {
        let mut sample = 0;
        let mut weights: Vec<DVec2> = (0..=count)
            .map(|k| {
                let part = k as f64 / count as f64;
                if self.costs.is_empty() {
                    return exact_at_axes(FRAC_PI_2 * part);
                }
                let wanted = self.cost() * part;
                while sample + 2 < self.costs.len() && self.costs[sample + 1] < wanted {
                    sample += 1;
                }
                let width = self.costs[sample + 1] - self.costs[sample];
                let within = if width > 0.0 { ((wanted - self.costs[sample]) / width).clamp(0.0, 1.0) } else { 0.0 };
                smooth_weights(FRAC_PI_2 * ((sample as f64 + within) / f64::from(SAMPLES)), self.e)
            })
            .collect();
        weights[0] = DVec2::X;
        weights[count] = DVec2::Y;
        weights
    }
}

/// Four mirrored quarters, each axis once.
pub(crate) fn full_turn(quarter: &[DVec2]) -> Vec<DVec2> {
    let open = &quarter[..quarter.len() - 1];
    let mut turn = Vec::with_capacity(4 * open.len());
    turn.extend(open.iter().copied());
    turn.extend(quarter[1..].iter().rev().map(|w| DVec2::new(-w.x, w.y)));
    turn.extend(open.iter().map(|w| -*w));
    turn.extend(quarter[1..].iter().rev().map(|w| DVec2::new(w.x, -w.y)));
    turn
}
