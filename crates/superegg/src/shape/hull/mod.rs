//! The convex hull of points, exactly, with or without a radius of rounding around it.
//!
//! Small hulls find their farthest corner by looking at all of them, large ones by walking along edges from a corner that
//! was farthest in a similar direction. The walk ends where no neighbour is farther, which rounding may make a little too
//! early: [`Hull::support_error`] bounds how much.

pub(super) mod build;
mod mass;
pub(super) mod tessellate;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::{Aabb, Convex, MassProperties, Nearest, RADIUS_ALLOWED, RADIUS_RANGE, Sphere, nearest_point};
use crate::{InvalidInput, Pose};

/// Corners up to which all of them are looked at.
const FEW: usize = 48;
/// Part of the reach that a walk along edges may fall short of; hulls that are too flat somewhere for that look at all corners.
const MOST_SHORT: f64 = 1e-11;
/// Rounding of a product of three terms, as a part of the lengths, and that of moving a corner to the hull's centre: three and one
/// units in the last place, with some to spare.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The convex hull of points, with rounded or sharp edges. Copies share their corners.
///
/// ```
/// use superegg::DVec3;
/// use superegg::shape::Hull;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.2, 0.2]];
/// let wedge = Hull::new(&corners.map(DVec3::from))?;
/// assert_eq!(wedge.vertices().len(), 4); // the last point lies within
/// assert!((wedge.mass_properties().volume - 1.0 / 6.0).abs() < 1e-15);
/// assert_eq!(wedge.support(DVec3::ONE * 2.0 + DVec3::Z), DVec3::Z);
/// let flat = Hull::new(&corners.map(|[x, y, _]| DVec3::new(x, y, 0.0))).unwrap_err();
/// assert_eq!(flat.to_string(), "points: 5 is outside the counts of points that span a volume");
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone)]
pub struct Hull {
    solid: Arc<Polyhedron>,
    rounding: f64,
}

/// A face's outward unit normal, and its height above the centre along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub normal: DVec3,
    pub offset: f64,
}

struct Polyhedron {
    /// As they were given.
    vertices: Vec<DVec3>,
    /// About the centre.
    local: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<Face>,
    centre: DVec3,
    /// Of a ball about the centre.
    reach: f64,
    /// Neighbours of each corner along edges, one after the other, and where those of each begin.
    neighbours: Vec<u32>,
    begins: Vec<u32>,
    /// For each of the directions of [`start_cell`], a corner that is farthest along its middle; empty where all are looked at.
    starts: Vec<u32>,
    support_error: f64,
    mass: MassProperties,
    /// Half the sides of the box along the axes that holds the corners.
    half_extents: DVec3,
}

impl Hull {
    /// Of at least four points that do not lie in one plane, in any order; points within the hull, on its faces and edges, and
    /// those given twice are left out.
    ///
    /// Refuses coordinates outside [-1e60, 1e60], fewer than four points, and clouds that are thinner than 1e-10 of their length. The
    /// time is that of sorting, not quadratic: 100,000 points on a sphere take about a second.
    pub fn new(points: &[DVec3]) -> Result<Hull, InvalidInput> {
        for point in points {
            for (value, field) in point.to_array().into_iter().zip(["points[..][0]", "points[..][1]", "points[..][2]"])
            {
                InvalidInput::unless_coordinate(field, value)?;
            }
        }
        let count = points.len() as f64;
        InvalidInput::unless((4..=u32::MAX as usize / 8).contains(&points.len()), "points", count, "[4, 500000000]")?;
        let flat = InvalidInput { field: "points", value: count, allowed: "the counts of points that span a volume" };
        let surface = build::convex_hull(points).ok_or(flat)?;
        let vertices: Vec<DVec3> = surface.corners.iter().map(|&index| points[index as usize]).collect();
        Polyhedron::new(vertices, surface.triangles)
            .map(|solid| Hull { solid: Arc::new(solid), rounding: 0.0 })
            .ok_or(flat)
            .and_then(|hull| {
                let reach = hull.solid.reach;
                let allowed = (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&reach);
                InvalidInput::unless(allowed, "points", reach, RADIUS_ALLOWED).map(|()| hull)
            })
    }

    /// The same with everything within `radius` of it, zero or more.
    pub fn rounded(&self, radius: f64) -> Result<Hull, InvalidInput> {
        let rounding = self.rounding + radius;
        let allowed = |value: f64| value == 0.0 || (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&value);
        InvalidInput::unless(allowed(radius) && allowed(rounding), "rounding", radius, "0 and [1e-60, 1e60]")?;
        Ok(Hull { solid: self.solid.clone(), rounding })
    }

    /// The corners, in the order of the points that they were.
    pub fn vertices(&self) -> &[DVec3] {
        &self.solid.vertices
    }

    /// The surface as triangles of corners, counterclockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.solid.triangles
    }

    /// The radius around the hull, zero where edges are sharp.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// A point inside: the middle of the box along the axes that holds the corners, or near it.
    pub fn centre(&self) -> DVec3 {
        self.solid.centre
    }

    /// Radius of a ball about [`Hull::centre`] that holds the body, up to rounding the smallest.
    pub fn radius(&self) -> f64 {
        (self.solid.reach + self.rounding) * (1.0 + 4.0 * f64::EPSILON)
    }

    /// Radius of a ball about the origin of the frame that holds the body.
    pub fn reach(&self) -> f64 {
        let farthest = self.solid.vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max);
        (farthest + self.rounding) * (1.0 + 8.0 * f64::EPSILON)
    }

    /// Radius of the largest ball about [`Hull::centre`] that the body holds, up to rounding.
    pub fn inner_radius(&self) -> f64 {
        self.solid.faces.iter().map(|face| face.offset).fold(f64::INFINITY, f64::min) + self.rounding
    }

    /// A point of the body that is farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let direction = super::Direction::new(direction).unit_largest;
        let corner = self.solid.vertices[self.solid.farthest(direction) as usize];
        corner + direction.normalize_or_zero() * self.rounding
    }

    /// The support function: the largest `direction · x` over the body.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }

    /// How much a support value along a unit vector may be too small by rounding, in metres.
    pub fn support_error(&self) -> f64 {
        self.solid.support_error
    }

    /// Whether a point lies in the body or on it, up to rounding.
    pub fn contains(&self, point: DVec3) -> bool {
        let local = point - self.solid.centre;
        if self.rounding == 0.0 {
            return self.solid.faces.iter().all(|face| face.normal.dot(local) <= face.offset);
        }
        let nearest = self.nearest_about_centre(local, local);
        nearest.is_none_or(|nearest| nearest.point.distance(local) <= self.rounding)
    }

    /// The nearest point of the sharp hull to a point outside, both about the centre; `None` for a point inside or on the
    /// surface. The search begins at the farthest corner along a direction.
    pub(crate) fn nearest_about_centre(&self, point: DVec3, towards: DVec3) -> Option<Nearest> {
        nearest_point(|direction| self.farthest_about_centre(direction), towards, point, self.solid.reach)
    }

    /// The smallest box along the world's axes that holds the posed body.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let reach = |axis: DVec3| self.support_value(pose.inverse_transform_vector(axis)) + self.support_error();
        let upper = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let lower = DVec3::new(reach(DVec3::NEG_X), reach(DVec3::NEG_Y), reach(DVec3::NEG_Z));
        Aabb { min: pose.translation - lower, max: pose.translation + upper }
    }

    /// A sphere that holds the body, about its centre.
    pub fn bounding_sphere(&self) -> Sphere {
        Sphere { center: self.centre(), radius: self.radius() }
    }

    /// Volume, centroid and inertia at density one, in closed form.
    pub fn mass_properties(&self) -> MassProperties {
        if self.rounding == 0.0 { self.solid.mass } else { mass::rounded(&self.solid, self.rounding) }
    }

    /// The same body scaled about its origin; `None` where that leaves the range of lengths.
    pub fn scaled(&self, by: f64) -> Option<Hull> {
        let points: Vec<DVec3> = self.solid.vertices.iter().map(|vertex| *vertex * by).collect();
        (by > 0.0).then(|| Hull::new(&points).ok()?.rounded(self.rounding * by).ok()).flatten()
    }

    /// The corner about the centre that is farthest along a direction.
    pub(crate) fn farthest_about_centre(&self, direction: DVec3) -> DVec3 {
        self.solid.local[self.solid.farthest(direction) as usize]
    }

    /// The ways to its neighbours from the corner that is farthest along a direction.
    pub(crate) fn edges_at_farthest(&self, direction: DVec3) -> impl Iterator<Item = DVec3> + '_ {
        let corner = self.solid.farthest(direction);
        let from = self.solid.local[corner as usize];
        self.solid.neighbours_of(corner).iter().map(move |&next| self.solid.local[next as usize] - from)
    }

    /// The faces as triangles, by their planes about the centre.
    pub(crate) fn faces(&self) -> &[Face] {
        &self.solid.faces
    }

    /// Half the sides of the box along the axes that holds the corners.
    pub(crate) fn half_extents(&self) -> DVec3 {
        self.solid.half_extents
    }

    /// Of a ball about the centre that holds the corners.
    pub(crate) fn sharp_reach(&self) -> f64 {
        self.solid.reach
    }
}

impl Convex for Hull {
    fn support(&self, direction: DVec3) -> DVec3 {
        Hull::support(self, direction)
    }

    fn centre(&self) -> DVec3 {
        Hull::centre(self)
    }

    fn reach(&self) -> f64 {
        self.radius()
    }

    fn support_error(&self) -> f64 {
        Hull::support_error(self) + ROUNDING * (self.reach() + self.rounding)
    }

    fn mass_properties(&self) -> Option<MassProperties> {
        Some(Hull::mass_properties(self))
    }

    fn name(&self) -> &'static str {
        "hull"
    }
}

impl fmt::Debug for Hull {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Hull").field("vertices", &self.vertices()).field("rounding", &self.rounding).finish()
    }
}

impl PartialEq for Hull {
    fn eq(&self, other: &Hull) -> bool {
        let same = Arc::ptr_eq(&self.solid, &other.solid) || self.solid.vertices == other.solid.vertices;
        same && self.rounding == other.rounding
    }
}

impl Polyhedron {
    /// `None` where the corners are so close that faces have no normal.
    fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Option<Polyhedron> {
        let (low, high) = vertices
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), vertex| (low.min(*vertex), high.max(*vertex)));
        let middle = low.midpoint(high);
        let about = |centre: DVec3| -> Vec<DVec3> { vertices.iter().map(|vertex| *vertex - centre).collect() };
        let local = about(middle);
        let length = (high - low).max_element();
        let faces = planes(&local, &triangles, length);
        // The middle of the box may lie outside of a slanted hull: then the mean of the corners.
        let inside = faces.iter().all(|face| face.offset > 1e-3 * length);
        let centre = if inside { middle } else { vertices.iter().sum::<DVec3>() / vertices.len() as f64 };
        let (local, faces) = if inside {
            (local, faces)
        } else {
            let local = about(centre);
            let faces = planes(&local, &triangles, length);
            (local, faces)
        };
        let reach = local.iter().map(|vertex| vertex.length()).fold(0.0, f64::max) * (1.0 + 4.0 * f64::EPSILON);
        if faces.iter().any(|face| face.offset <= 0.0 || !face.normal.is_finite()) {
            return None;
        }
        let (neighbours, begins) = neighbours(vertices.len(), &triangles);
        let mut solid = Polyhedron {
            mass: mass::sharp(centre, &local, &triangles),
            vertices,
            local,
            triangles,
            faces,
            centre,
            reach,
            neighbours,
            begins,
            starts: Vec::new(),
            support_error: ROUNDING * reach,
            half_extents: 0.5 * (high - low),
        };
        solid.prepare_walks();
        Some(solid)
    }

    fn neighbours_of(&self, corner: u32) -> &[u32] {
        let (begin, end) = (self.begins[corner as usize], self.begins[corner as usize + 1]);
        &self.neighbours[begin as usize..end as usize]
    }

    /// Index of the corner farthest along a direction, the first of several.
    fn farthest(&self, direction: DVec3) -> u32 {
        if self.starts.is_empty() { self.farthest_of_all(direction) } else { self.walk(direction) }
    }

    fn farthest_of_all(&self, direction: DVec3) -> u32 {
        let mut best = (0u32, f64::NEG_INFINITY);
        for (index, corner) in (0u32..).zip(&self.local) {
            let height = corner.dot(direction);
            if height > best.1 {
                best = (index, height);
            }
        }
        best.0
    }

    fn walk(&self, direction: DVec3) -> u32 {
        let mut at = self.starts[start_cell(direction)];
        let mut height = self.local[at as usize].dot(direction);
        loop {
            let before = at;
            for &next in self.neighbours_of(before) {
                let there = self.local[next as usize].dot(direction);
                if there > height {
                    (at, height) = (next, there);
                }
            }
            if at == before {
                return at;
            }
        }
    }

    /// Where walks begin, for hulls of many corners, if they end close enough to the farthest corner.
    ///
    /// Where no neighbour of a corner v is farther than by ε, let x be the farthest corner, G what it is farther and `L ≤ 2 reach` the
    /// length of the way to it. That way begins within the hull of v and its neighbours, and leaves it no nearer than ρ, the
    /// distance of v from the hull of its neighbours; what is gained until then, `ρ G/L`, is at most ε. So `G ≤ 2 ε reach/ρ`. A lower bound
    /// of ρ is the least height of v above its neighbours along any unit vector.
    fn prepare_walks(&mut self) {
        if self.local.len() <= FEW {
            return;
        }
        let mut upwards = vec![DVec3::ZERO; self.local.len()];
        for (triangle, face) in self.triangles.iter().zip(&self.faces) {
            for &corner in triangle {
                upwards[corner as usize] += face.normal;
            }
        }
        let mut least = f64::INFINITY;
        for (corner, up) in (0u32..).zip(upwards) {
            let up = up.normalize_or_zero();
            for &next in self.neighbours_of(corner) {
                least = least.min(up.dot(self.local[corner as usize] - self.local[next as usize]));
            }
        }
        let short = 2.0 * self.reach * self.support_error / least;
        if least > 0.0 && short <= MOST_SHORT * self.reach {
            self.support_error += short;
            self.starts = (0..CELLS).map(|cell| self.farthest_of_all(middle_of_cell(cell))).collect();
        }
    }
}

/// Planes of triangles whose corners are about a centre. The height is the largest of any corner of the triangle, so that
/// none lies above by more than a product's rounding.
fn planes(local: &[DVec3], triangles: &[[u32; 3]], length: f64) -> Vec<Face> {
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| local[corner as usize]);
        let across = ((b - a) / length).cross((c - a) / length);
        let normal = (across / across.abs().max_element()).normalize();
        Face { normal, offset: normal.dot(a).max(normal.dot(b)).max(normal.dot(c)) }
    };
    triangles.iter().map(of).collect()
}

/// Corners joined by edges: every edge is a side of two triangles, once in each sense.
fn neighbours(count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut begins = vec![0u32; count + 1];
    for &corner in triangles.as_flattened() {
        begins[corner as usize + 1] += 1;
    }
    for index in 0..count {
        begins[index + 1] += begins[index];
    }
    let mut filled = begins.clone();
    let mut neighbours = vec![0u32; triangles.len() * 3];
    for triangle in triangles {
        for side in 0..3 {
            let from = triangle[side] as usize;
            neighbours[filled[from] as usize] = triangle[(side + 1) % 3];
            filled[from] += 1;
        }
    }
    (neighbours, begins)
}

/// The triangles on both sides of each edge, by its corners in the sense of the first.
fn edges(triangles: &[[u32; 3]]) -> Vec<([u32; 2], [usize; 2])> {
    let mut open: HashMap<[u32; 2], usize> = HashMap::with_capacity(triangles.len());
    let mut edges = Vec::with_capacity(triangles.len() * 3 / 2);
    for (index, triangle) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = (triangle[side], triangle[(side + 1) % 3]);
            match open.remove(&[to, from]) {
                Some(other) => edges.push(([to, from], [other, index])),
                None => {
                    open.insert([from, to], index);
                }
            }
        }
    }
    edges
}

/// Cells on each side of the cube of directions, and of all its faces.
const CELLS_ALONG: usize = 4;
const CELLS: usize = 6 * CELLS_ALONG * CELLS_ALONG;

/// The cell on the faces of a cube that a direction points through.
fn start_cell(direction: DVec3) -> usize {
    let axis = direction.abs().max_position();
    let largest = direction[axis];
    if largest == 0.0 || !direction.is_finite() {
        return 0;
    }
    let cell = |part: f64| (((part / largest.abs() + 1.0) * 0.5 * CELLS_ALONG as f64) as usize).min(CELLS_ALONG - 1);
    let (u, v) = (direction[(axis + 1) % 3], direction[(axis + 2) % 3]);
    let face = 2 * axis + usize::from(largest < 0.0);
    (face * CELLS_ALONG + cell(u)) * CELLS_ALONG + cell(v)
}

fn middle_of_cell(cell: usize) -> DVec3 {
    let middle = |index: usize| (2 * index + 1) as f64 / CELLS_ALONG as f64 - 1.0;
    let (face, u, v) = (cell / (CELLS_ALONG * CELLS_ALONG), cell / CELLS_ALONG % CELLS_ALONG, cell % CELLS_ALONG);
    let mut direction = DVec3::ZERO;
    direction[face / 2] = if face % 2 == 0 { 1.0 } else { -1.0 };
    direction[(face / 2 + 1) % 3] = middle(u);
    direction[(face / 2 + 2) % 3] = middle(v);
    direction
}
