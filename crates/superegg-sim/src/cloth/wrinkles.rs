//! Wrinkle meshes: detail that a coarse cloth carries (Müller and Chentanez 2010, "Wrinkle meshes", as told in the review of
//! paper 000).
//!
//! Every triangle of the cloth is divided into 4 or 16; the new mesh follows the cloth, each of its vertices within a small
//! reach of its own place on it. After each step a few static iterations bring its edges to their rest lengths and smooth it,
//! so that where the coarse cloth is pressed together the fine one lies in folds. It has no masses and no velocities, and
//! nothing of it acts upon the cloth.
//!
//! Where the paper projects fine vertices out of bodies one by one, here they stay above the planes that separate their
//! coarse triangle from bodies and from triangles of meshes. The place on the cloth lies above those planes, too, and a projection
//! onto a half-space leads no farther from any of its points; what several planes leave undone is undone on the way to that
//! place: so both bounds hold exactly, and fine triangles are clear of bodies and meshes as a whole.

use std::collections::HashMap;

use glam::{DMat3, DVec3};
use superegg::InvalidInput;
use superegg::Threads;
use superegg_mesh::Topology;

use crate::SimError;
use crate::cloth::elastic::bending::Isometric;
use crate::cloth::elastic::coloured::Coloured;
use crate::cloth::elastic::packed::Packed;
use crate::cloth::elastic::stretch::Stretch;
use crate::cloth::surface::Surface;

/// How fine a wrinkle mesh is, and how far it may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrinkles {
    /// How often each triangle is divided in four: 1, 2 or 3.
    pub level: u32,
    /// How far a vertex may be from its place on the cloth, in metres. Up to half the cloth's separation from itself, layers
    /// that keep it stay apart; up to a quarter of an edge looks natural.
    pub reach: f64,
}

impl Wrinkles {
    /// A reach that looks natural, as a part of the cloth's mean edge.
    pub const NATURAL_REACH: f64 = 0.25;

    fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::unless((1..=3).contains(&self.level), "wrinkles.level", f64::from(self.level), "{1, 2, 3}")?;
        let reach = self.reach;
        InvalidInput::unless(reach > 0.0 && reach.is_finite(), "wrinkles.reach", reach, "]0, ∞[")
    }
}

/// Most vertices of a wrinkle mesh.
const MOST_VERTICES: usize = 1 << 24;
/// Static iterations after each step; they go on from those of the step before.
const ITERATIONS: usize = 2;
/// Resistance to bending: the part of a bend that one iteration takes out is one over one more than this.
const SUPPLENESS: f64 = 6.0;
/// What keeps a mesh from being exactly flat, as a part of its reach: a flat one does not know where to give way.
const UNEVENNESS: f64 = 0.01;
/// Part of the cloth's distance from bodies that its wrinkles keep.
const CLEARANCE: f64 = 0.5;

/// What rounding may take of a height, in metres.
const ROUNDING: f64 = 1e-12;

/// A plane that a coarse triangle, and so all of its fine vertices, are above.
pub(crate) struct Separator {
    pub triangle: u32,
    pub normal: DVec3,
    pub level: f64,
}

/// A fine mesh on a cloth.
#[derive(Clone, Debug)]
pub(crate) struct WrinkleMesh {
    pub options: Wrinkles,
    pub triangles: Vec<[u32; 3]>,
    pub rest: Vec<DVec3>,
    pub positions: Vec<DVec3>,
    places: Vec<Place>,
    /// Fine vertices of each coarse triangle, all of one number.
    of_triangle: Vec<u32>,
    /// Where the vertices are from their places, in the frames of their coarse triangles.
    offsets: Vec<DVec3>,
    clearance: f64,
    stretch: Coloured<Stretch, 2>,
    bending: Coloured<Isometric, 4>,
    /// Scratch: where the places are, and the vertices as the constraints see them.
    attached: Vec<DVec3>,
    packed: Vec<Packed>,
    /// Scratch: by which part of their way from their places vertices are above all planes.
    parts: Vec<f64>,
}

/// A place on the cloth.
#[derive(Clone, Copy, Debug)]
struct Place {
    corners: [u32; 3],
    weights: [f64; 3],
}

impl Place {
    fn on(&self, base: &[DVec3]) -> DVec3 {
        let [a, b, c] = self.corners.map(|v| base[v as usize]);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2]
    }

    /// A frame that goes with the triangle, normal last; none where it has no area.
    fn frame(&self, base: &[DVec3]) -> DMat3 {
        let [a, b, c] = self.corners.map(|v| base[v as usize]);
        let along = (b - a).normalize_or_zero();
        let normal = (b - a).cross(c - a).normalize_or_zero();
        DMat3::from_cols(along, normal.cross(along), normal)
    }
}

/// A number in [-1, 1] for each index, always the same.
fn uneven(index: usize) -> f64 {
    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
    let mut x = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

impl WrinkleMesh {
    /// Divides a cloth with the given rest shape whose first particle is `first`.
    pub fn new(surface: &Surface, first: u32, base: &[DVec3], options: Wrinkles) -> Result<WrinkleMesh, SimError> {
        options.validate()?;
        let n = 1u32 << options.level;
        let count = surface.triangles.len().saturating_mul((n * n) as usize);
        InvalidInput::unless(count <= MOST_VERTICES, "wrinkles.level", f64::from(options.level), "fewer triangles")?;
        let mut places: Vec<Place> =
            (0..base.len() as u32).map(|v| Place { corners: [v; 3], weights: [1.0, 0.0, 0.0] }).collect();
        let mut on_edges: HashMap<(u32, u32, u32), u32> = HashMap::new();
        let (mut triangles, mut of_triangle) = (Vec::with_capacity(count), Vec::new());
        for corners in surface.triangles.iter().map(|corners| corners.map(|p| p - first)) {
            let start = of_triangle.len();
            // Row by row from corner 0 to the opposite side: row i has i + 1 vertices.
            for i in 0..=n {
                for j in 0..=i {
                    let parts = [n - i, i - j, j];
                    let place = Place { corners, weights: parts.map(|part| f64::from(part) / f64::from(n)) };
                    of_triangle.push(fine_vertex(place, parts, &mut places, &mut on_edges));
                }
            }
            let at = |i: u32, j: u32| of_triangle[start + (i * (i + 1) / 2 + j) as usize];
            for i in 0..n {
                for j in 0..=i {
                    triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                    if j < i {
                        triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
                    }
                }
            }
        }
        let rest: Vec<DVec3> = places.iter().map(|place| place.on(base)).collect();
        // Corners of the cloth go with one of their triangles.
        for corners in surface.triangles.iter().map(|corners| corners.map(|p| p - first)) {
            for i in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|k| corners[(i + k) % 3]);
                places[a as usize].corners = [a, b, c];
            }
        }
        let topology = Topology::new(rest.len(), triangles.clone())?;
        Ok(WrinkleMesh {
            options,
            positions: rest.clone(),
            offsets: vec![DVec3::ZERO; rest.len()],
            clearance: CLEARANCE * surface.offset,
            stretch: Coloured::new(stretch(&topology, &rest)),
            bending: Coloured::new(bending(&topology, &rest)),
            attached: Vec::new(),
            packed: Vec::new(),
            parts: Vec::new(),
            triangles,
            rest,
            places,
            of_triangle,
        })
    }

    /// Follows the cloth to where its vertices are now, above the planes between it and the bodies.
    pub fn follow(&mut self, base: &[DVec3], separators: &[Separator], threads: Threads) {
        let reach = self.options.reach;
        self.attached.clear();
        self.attached.extend(self.places.iter().map(|place| place.on(base)));
        self.packed.clear();
        for (index, place) in self.places.iter().enumerate() {
            let mut offset = self.offsets[index];
            if offset.z.abs() < UNEVENNESS * reach {
                offset.z += UNEVENNESS * reach * uneven(index);
            }
            self.packed.push(Packed::new(self.attached[index] + place.frame(base) * offset, 1.0));
        }
        for _ in 0..ITERATIONS {
            self.bending.project(&mut self.packed, 1.0, threads);
            self.stretch.project(&mut self.packed, 1.0, threads);
            for (packed, &attached) in self.packed.iter_mut().zip(&self.attached) {
                let away = packed.position() - attached;
                if away.length_squared() > reach * reach {
                    packed.set_position(attached + away.clamp_length_max(reach));
                }
            }
            self.keep_above(separators);
        }
        for (index, place) in self.places.iter().enumerate() {
            self.positions[index] = self.packed[index].position();
            self.offsets[index] = place.frame(base).transpose() * (self.positions[index] - self.attached[index]);
        }
    }

    /// Moves vertices above the planes of their coarse triangles, or as high as their places are.
    fn keep_above(&mut self, separators: &[Separator]) {
        let each = self.vertices_of_a_triangle();
        self.parts.clear();
        self.parts.resize(self.packed.len(), 1.0);
        let WrinkleMesh { of_triangle, packed, attached, parts, clearance, .. } = self;
        for Separator { triangle, normal, level } in separators {
            let first = *triangle as usize * each;
            for &vertex in &of_triangle[first..first + each] {
                let packed = &mut packed[vertex as usize];
                let least = (level + *clearance).min(normal.dot(attached[vertex as usize]));
                let depth = least - normal.dot(packed.position());
                if depth > 0.0 {
                    packed.set_position(packed.position() + *normal * depth);
                }
            }
        }
        // A later plane may have led below an earlier one.
        for Separator { triangle, normal, level } in separators {
            let first = *triangle as usize * each;
            for &vertex in &of_triangle[first..first + each] {
                let place = normal.dot(attached[vertex as usize]);
                let least = (level + *clearance).min(place);
                let height = normal.dot(packed[vertex as usize].position());
                if height < least - ROUNDING {
                    let part = ((place - least) / (place - height)).clamp(0.0, 1.0);
                    parts[vertex as usize] = parts[vertex as usize].min(part);
                }
            }
        }
        for ((packed, &attached), &part) in
            packed.iter_mut().zip(&*attached).zip(&*parts).filter(|(_, part)| **part < 1.0)
        {
            packed.set_position(attached.lerp(packed.position(), part));
        }
    }

    fn vertices_of_a_triangle(&self) -> usize {
        let n = 1usize << self.options.level;
        (n + 1) * (n + 2) / 2
    }

    /// Where the vertices would be without folds.
    pub fn flat(&self, base: &[DVec3]) -> Vec<DVec3> {
        self.places.iter().map(|place| place.on(base)).collect()
    }

    /// Forgets its folds.
    pub fn flatten(&mut self) {
        self.offsets.fill(DVec3::ZERO);
    }
}

/// The number of the vertex at a place of a coarse triangle, which neighbours may have numbered already.
fn fine_vertex(
    place: Place,
    parts: [u32; 3],
    places: &mut Vec<Place>,
    on_edges: &mut HashMap<(u32, u32, u32), u32>,
) -> u32 {
    let mut add = || {
        places.push(place);
        places.len() as u32 - 1
    };
    let held: Vec<usize> = (0..3).filter(|&i| parts[i] > 0).collect();
    match held[..] {
        [corner] => place.corners[corner],
        [one, other] => {
            let (a, b) = (place.corners[one], place.corners[other]);
            let key = if a < b { (a, b, parts[one]) } else { (b, a, parts[other]) };
            *on_edges.entry(key).or_insert_with(add)
        }
        _ => add(),
    }
}

/// Every edge at its rest length.
fn stretch(topology: &Topology, rest: &[DVec3]) -> Vec<Stretch> {
    let edge = |&[a, b]: &[u32; 2]| Stretch {
        particles: [a, b],
        rest: rest[a as usize].distance(rest[b as usize]),
        compliance: 0.0,
        compression: 0.0,
        longest: f64::INFINITY,
    };
    topology.edges().iter().map(edge).collect()
}

/// Every inner edge as flat as it is easy.
fn bending(topology: &Topology, rest: &[DVec3]) -> Vec<Isometric> {
    let bend = |(edge, &[a, b]): (u32, &[u32; 2])| {
        let &[one, other] = topology.triangles_of_edge(edge) else { return None };
        let opposite = |triangle: u32| topology.corners(triangle).into_iter().find(|&v| v != a && v != b);
        let particles = [a, b, opposite(one)?, opposite(other)?];
        let mut bend = Isometric::new(particles, particles.map(|v| rest[v as usize]), 0.0)?;
        let [c1, c2, c3] = bend.weights;
        let c0 = c1 + c2 + c3;
        bend.compliance = SUPPLENESS as f32 * (c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3);
        Some(bend)
    };
    (0u32..).zip(topology.edges()).filter_map(bend).collect()
}
