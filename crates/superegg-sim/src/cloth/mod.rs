//! Cloth: a mesh, what it is made of, and the constraints that follow from both.

pub(crate) mod elastic;
pub(crate) mod particles;
pub(crate) mod pin;
pub(crate) mod surface;
pub(crate) mod wind;
pub(crate) mod wrinkles;

use std::sync::Arc;

use glam::DVec3;
use superegg::InvalidInput;
use superegg::shape::Aabb;
use superegg_mesh::{Topology, TriangleMesh};

use crate::SimError;
use crate::body::{Friction, Groups};
use crate::error::{require_index, require_not_negative};
use elastic::Elastic;
use elastic::bending::{Dihedral, Isometric};
use elastic::coloured::Coloured;
use elastic::stretch::Stretch;
use elastic::tether::{Tether, geodesic_lengths};
pub use particles::Particles;
use surface::Surface;
pub use wind::Wind;
use wrinkles::WrinkleMesh;
pub use wrinkles::Wrinkles;

/// How bending is resisted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bending {
    /// Not at all.
    None,
    /// By the quadratic energy of a sheet that is flat at rest: the cheapest and smoothest.
    Isometric,
    /// By the angle at each edge, which need not be flat at rest.
    Dihedral,
}

/// How the length of a long-range attachment is measured at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestLength {
    /// In a straight line.
    Euclidean,
    /// Along the edges of the cloth.
    Geodesic,
}

/// What a cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass of an area, in kilograms a square metre.
    pub density: f64,
    /// Compliance of edges along the warp (x of the rest shape), the weft (y) and the diagonals, in metres a newton; edges
    /// in between get something in between. Zero does not stretch.
    pub compliance: [f64; 3],
    /// Compliance of edges that are shorter than at rest, in metres a newton, where that is larger: cloth is hard to stretch
    /// and easy to gather.
    pub compression_compliance: f64,
    /// Longest length of an edge as a part of its rest length, at least 1; infinite for none.
    pub strain_limit: f64,
    /// How bending is resisted.
    pub bending: Bending,
    /// One over the bending stiffness, in 1/(N m).
    pub bending_compliance: f64,
    /// How long-range attachments to pinned vertices are measured, if there are any.
    pub tethers: Option<RestLength>,
    /// How far the cloth stays away from bodies, in metres.
    pub offset: f64,
    /// How far the cloth's middle surface stays away from itself, in metres: its thickness. `None` lets it pass through
    /// itself.
    pub self_separation: Option<f64>,
    /// Against bodies and itself.
    pub friction: Friction,
    /// What it meets.
    pub groups: Groups,
    /// Part of the velocity lost in a second, as the rate of an exponential decay.
    pub damping: f64,
    /// Rate at which neighbouring vertices share their velocities: takes out ripples, leaves the motion at large.
    pub internal_damping: f64,
}

impl Default for Fabric {
    /// Cotton: hardly stretches, bends easily, meets bodies at 5 mm.
    fn default() -> Fabric {
        Fabric {
            density: 0.2,
            compliance: [1e-6, 1e-6, 1e-5],
            compression_compliance: 3e-3,
            strain_limit: 1.1,
            bending: Bending::Isometric,
            bending_compliance: 1e4,
            tethers: None,
            offset: 0.005,
            self_separation: None,
            friction: Friction::default(),
            groups: Groups::ALL,
            damping: 0.1,
            internal_damping: 10.0,
        }
    }
}

impl Fabric {
    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::unless(self.density > 0.0 && self.density.is_finite(), "density", self.density, "]0, ∞[")?;
        for (value, field) in self.compliance.into_iter().zip(["compliance[0]", "compliance[1]", "compliance[2]"]) {
            require_not_negative(field, value)?;
        }
        require_not_negative("compression_compliance", self.compression_compliance)?;
        InvalidInput::unless(self.strain_limit >= 1.0, "strain_limit", self.strain_limit, "[1, ∞]")?;
        require_not_negative("bending_compliance", self.bending_compliance)?;
        require_not_negative("offset", self.offset)?;
        if let Some(separation) = self.self_separation {
            InvalidInput::unless(separation > 0.0 && separation.is_finite(), "self_separation", separation, "]0, ∞[")?;
        }
        require_not_negative("damping", self.damping)?;
        require_not_negative("internal_damping", self.internal_damping)?;
        self.friction.validate()
    }

    /// Compliance of an edge by its direction in the rest shape: along x warp, along y weft, between them shear.
    fn compliance_along(&self, edge: DVec3) -> f64 {
        let [warp, weft, shear] = self.compliance;
        let (x_sq, y_sq) = (edge.x * edge.x, edge.y * edge.y);
        let sum = x_sq + y_sq;
        if sum == 0.0 {
            return warp;
        }
        // 0 along the axes, 1 on the diagonals.
        let diagonal = 4.0 * x_sq * y_sq / (sum * sum);
        (warp * x_sq + weft * y_sq) / sum * (1.0 - diagonal) + shear * diagonal
    }
}

/// The shape of a cloth before it enters a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Where its vertices are and how they are joined; lengths and angles here are at rest.
    pub mesh: TriangleMesh,
    /// Vertices that are pinned from the beginning.
    pub pins: Vec<usize>,
}

impl Cloth {
    /// A rectangle of `count[0]` × `count[1]` vertices (at least 2 each) and the given size in the plane z = corner.z,
    /// with diagonals that alternate so that no direction is favoured. Vertex `i + count[0]·j` is column i of row j.
    ///
    /// ```
    /// use superegg_sim::{Cloth, DVec3};
    /// assert_eq!(Cloth::grid([3, 4], [1.0, 1.0], DVec3::ZERO)?.mesh.positions().len(), 12);
    /// assert!(Cloth::grid([3, 4], [1.0, 1.0], DVec3::X * 1e31).is_err());
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn grid(count: [usize; 2], size: [f64; 2], corner: DVec3) -> Result<Cloth, SimError> {
        for (n, field) in count.into_iter().zip(["count[0]", "count[1]"]) {
            InvalidInput::unless((2..=4096).contains(&n), field, n as f64, "[2, 4096]")?;
        }
        for (length, field) in size.into_iter().zip(["size[0]", "size[1]"]) {
            InvalidInput::unless(length > 0.0 && length <= 1e30, field, length, "]0, 1e30]")?;
        }
        for (place, field) in corner.to_array().into_iter().zip(["corner[0]", "corner[1]", "corner[2]"]) {
            InvalidInput::unless(place.abs() <= 1e30, field, place, "[-1e30, 1e30]")?;
        }
        let [columns, rows] = count;
        let at = |i: usize, j: usize| {
            let (u, v) = (i as f64 / (columns - 1) as f64, j as f64 / (rows - 1) as f64);
            corner + DVec3::new(u * size[0], v * size[1], 0.0)
        };
        let positions = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))).map(|(i, j)| at(i, j)).collect();
        let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let [a, b] = [j, j + 1].map(|row| (i + columns * row) as u32);
                if (i + j) % 2 == 0 {
                    triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
                } else {
                    triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
                }
            }
        }
        Ok(Cloth { mesh: TriangleMesh::new(positions, triangles)?, pins: Vec::new() })
    }

    /// The same cloth, pinned at some vertices.
    pub fn pinned(mut self, vertices: impl IntoIterator<Item = usize>) -> Cloth {
        self.pins.extend(vertices);
        self
    }
}

/// What a part of a world's surfaces belongs to: the slot of a cloth or of a soft solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Cloth(u32),
    Soft(u32),
}

/// A cloth or soft solid as the solver sees it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub owner: Owner,
    pub elastic: Arc<Elastic>,
    pub surface: Surface,
    pub damping: f64,
    pub internal_damping: f64,
    /// Triangles and vertices as the mesh had them.
    pub triangles: Arc<Vec<[u32; 3]>>,
    pub rest: Arc<Vec<DVec3>>,
    /// Vertices that tethers run to.
    pub tethered: Arc<Vec<usize>>,
    /// The finer mesh that is seen in its place.
    pub wrinkles: Option<WrinkleMesh>,
    pub sleep: Sleep,
}

/// Whether a cloth or soft solid sleeps, and what tells whether it may.
#[derive(Clone, Debug)]
pub(crate) struct Sleep {
    pub asleep: bool,
    /// For how long it has been slow.
    pub still_for: f64,
    /// Of its fastest particle at the end of the last step.
    pub speed: f64,
    /// Where it was then, with what it keeps off.
    pub bounds: Aabb,
    /// The inverse masses of its particles while it sleeps: nothing may move them then.
    pub inverse_masses: Vec<f64>,
    /// Where its particles were when that was last looked at, how long ago, and whether they were there all the time before.
    home: Vec<DVec3>,
    since: f64,
    pub lingers: bool,
}

/// What trembles in its place rests: in so many seconds none of its particles has got farther than this, in metres.
const LINGERING: f64 = 1.0;
const NOWHERE: f64 = 0.002;

impl Sleep {
    /// Notes where the particles are at the end of a step.
    pub fn linger(&mut self, positions: &[DVec3], dt: f64) {
        self.since += dt;
        if self.since >= LINGERING {
            let stayed = |(at, was): (&DVec3, &DVec3)| at.distance_squared(*was) < NOWHERE * NOWHERE;
            self.lingers = self.home.len() == positions.len() && positions.iter().zip(&self.home).all(stayed);
            self.home.clear();
            self.home.extend_from_slice(positions);
            self.since = 0.0;
        }
    }

    /// It is stirred.
    pub fn stir(&mut self) {
        self.still_for = 0.0;
        (self.since, self.lingers) = (0.0, false);
        self.home.clear();
    }
}

impl Default for Sleep {
    /// Awake.
    fn default() -> Sleep {
        let nowhere = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        Sleep {
            asleep: false,
            still_for: 0.0,
            speed: 0.0,
            bounds: nowhere,
            inverse_masses: Vec::new(),
            home: Vec::new(),
            since: 0.0,
            lingers: false,
        }
    }
}

/// A cloth whose first particle has a number, and the masses of its vertices. Vertices of no area weigh nothing, and nothing can
/// hold them: they stay where they are.
pub(crate) fn part_of(
    owner: Owner,
    mesh: &TriangleMesh,
    pins: &[usize],
    fabric: &Fabric,
    first: usize,
) -> Result<(Part, Vec<f64>), SimError> {
    fabric.validate()?;
    let rest = mesh.positions();
    pins.iter().try_for_each(|&pin| require_index("vertex", pin, rest.len()))?;
    let topology = Topology::new(rest.len(), mesh.triangles().to_vec())?;
    let global = |corners: &[u32; 3]| corners.map(|v| v + first as u32);
    let triangles = topology.triangles().iter().map(global).collect();
    let mut surface = Surface::new(triangles, first..first + rest.len(), rest);
    surface.offset = fabric.offset;
    surface.friction = fabric.friction;
    surface.groups = fabric.groups;
    surface.separation = fabric.self_separation.map(|wanted| wanted.min(largest_separation(&topology, rest)));
    let part = Part {
        owner,
        elastic: Arc::new(elastic(&topology, rest, fabric, pins)),
        surface,
        damping: fabric.damping,
        internal_damping: fabric.internal_damping,
        triangles: Arc::new(topology.triangles().to_vec()),
        rest: Arc::new(rest.to_vec()),
        tethered: Arc::new(pins.to_vec()),
        wrinkles: None,
        sleep: Sleep::default(),
    };
    Ok((part, vertex_masses(&topology, rest, fabric.density)))
}

/// A third of each triangle's mass at each of its corners.
fn vertex_masses(topology: &Topology, rest: &[DVec3], density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; rest.len()];
    for &corners in topology.triangles() {
        let [a, b, c] = corners.map(|v| rest[v as usize]);
        let mass = density * 0.5 * (b - a).cross(c - a).length();
        for v in corners {
            masses[v as usize] += mass / 3.0;
        }
    }
    masses
}

/// Parts of a mesh that are no neighbours are hardly closer at rest than this: half the shortest edge.
fn largest_separation(topology: &Topology, rest: &[DVec3]) -> f64 {
    let length = |&[a, b]: &[u32; 2]| rest[a as usize].distance(rest[b as usize]);
    0.5 * topology.edges().iter().map(length).filter(|&length| length > 0.0).fold(f64::INFINITY, f64::min)
}

fn elastic(topology: &Topology, rest: &[DVec3], fabric: &Fabric, pins: &[usize]) -> Elastic {
    let at = |v: u32| rest[v as usize];
    let stretch = topology.edges().iter().map(|&[a, b]| {
        let length = at(a).distance(at(b));
        Stretch {
            particles: [a, b],
            rest: length,
            compliance: fabric.compliance_along(at(b) - at(a)),
            compression: fabric.compression_compliance.max(fabric.compliance_along(at(b) - at(a))),
            longest: length * fabric.strain_limit,
        }
    });
    let mut isometric = Vec::new();
    let mut dihedral = Vec::new();
    if fabric.bending != Bending::None {
        for (edge, &[a, b]) in (0u32..).zip(topology.edges()) {
            let &[one, other] = topology.triangles_of_edge(edge) else { continue };
            let opposite = |triangle: u32| topology.corners(triangle).into_iter().find(|&v| v != a && v != b);
            let (Some(c), Some(d)) = (opposite(one), opposite(other)) else { continue };
            let particles = [a, b, c, d];
            let places = particles.map(at);
            match fabric.bending {
                Bending::Isometric => isometric.extend(Isometric::new(particles, places, fabric.bending_compliance)),
                Bending::Dihedral => dihedral.extend(Dihedral::angle(&places).map(|rest| Dihedral {
                    particles,
                    rest,
                    compliance: fabric.bending_compliance,
                })),
                Bending::None => {}
            }
        }
    }
    Elastic {
        stretch: Coloured::new(stretch.collect()),
        isometric: Coloured::new(isometric),
        dihedral: Coloured::new(dihedral),
        tethers: fabric.tethers.map_or_else(Vec::new, |kind| tethers(topology, rest, kind, pins)),
        clusters: Vec::new(),
    }
}

/// Most pins a vertex is tethered to: the nearest ones say it all.
const TETHERS_A_VERTEX: usize = 4;

fn tethers(topology: &Topology, rest: &[DVec3], kind: RestLength, pins: &[usize]) -> Vec<Tether> {
    let mut of_vertex: Vec<Vec<(f64, usize)>> = vec![Vec::new(); rest.len()];
    for &pin in pins {
        let lengths = match kind {
            RestLength::Euclidean => rest.iter().map(|p| p.distance(rest[pin])).collect(),
            RestLength::Geodesic => geodesic_lengths(topology, rest, pin),
        };
        for (own, &length) in of_vertex.iter_mut().zip(&lengths) {
            if length > 0.0 && length.is_finite() {
                own.push((length, pin));
                own.sort_by(|a, b| a.0.total_cmp(&b.0));
                own.truncate(TETHERS_A_VERTEX);
            }
        }
    }
    let numbered = (0u32..).zip(of_vertex);
    let tether = |particle, (length, pin)| Tether { particle, anchor: pin as u32, length };
    numbered.flat_map(|(particle, own)| own.into_iter().map(move |one| tether(particle, one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of 9 × 9 vertices with a slot: the cells of its fifth column are cut out up to three quarters of its height.
    fn slotted() -> (Topology, Vec<DVec3>) {
        let sheet = Cloth::grid([9, 9], [8.0, 8.0], DVec3::ZERO).unwrap();
        let rest = sheet.mesh.positions().to_vec();
        let kept = |corners: &&[u32; 3]| {
            let center = corners.iter().map(|&v| rest[v as usize]).sum::<DVec3>() / 3.0;
            !((4.0..5.0).contains(&center.x) && center.y < 6.0)
        };
        let triangles: Vec<[u32; 3]> = sheet.mesh.triangles().iter().filter(kept).copied().collect();
        (Topology::new(rest.len(), triangles).unwrap(), rest)
    }

    /// Shortest paths between all vertices by Floyd and Warshall's algorithm, from the triangles alone.
    fn all_paths(topology: &Topology, rest: &[DVec3]) -> Vec<Vec<f64>> {
        let count = rest.len();
        let mut paths = vec![vec![f64::INFINITY; count]; count];
        for (v, own) in paths.iter_mut().enumerate() {
            own[v] = 0.0;
        }
        for corners in topology.triangles().iter().map(|corners| corners.map(|v| v as usize)) {
            for (a, b) in corners.into_iter().flat_map(|a| corners.map(|b| (a, b))) {
                paths[a][b] = rest[a].distance(rest[b]);
            }
        }
        for over in 0..count {
            for from in 0..count {
                for to in 0..count {
                    paths[from][to] = paths[from][to].min(paths[from][over] + paths[over][to]);
                }
            }
        }
        paths
    }

    #[test]
    fn tethers_are_as_long_as_their_kind_says() {
        let (topology, rest) = slotted();
        let paths = all_paths(&topology, &rest);
        // In the lower left corner, at the slot's left side, and on the right.
        let pins = [0, 4, 17];
        let mut longer = 0;
        for kind in [RestLength::Euclidean, RestLength::Geodesic] {
            let found = tethers(&topology, &rest, kind, &pins);
            // Every vertex to every pin but itself: there are fewer pins than tethers a vertex may have.
            assert_eq!(found.len(), pins.len() * (rest.len() - 1), "{kind:?}");
            for Tether { particle, anchor, length } in found {
                let (vertex, pin) = (particle as usize, anchor as usize);
                let straight = rest[vertex].distance(rest[pin]);
                let exact = if kind == RestLength::Euclidean { straight } else { paths[pin][vertex] };
                assert!((length - exact).abs() < 1e-12, "{kind:?}: {length} instead of {exact}");
                longer += usize::from(length > 1.5 * straight);
            }
        }
        assert!(longer > 40, "the slot makes {longer} ways much longer");
    }

    #[test]
    fn geodesic_tethers_go_round_a_slot() {
        let (topology, rest) = slotted();
        // From the slot's left side to its right, one metre apart, round its two inner corners. Paths along edges are not
        // shorter than the taut string, and on this grid longer by at most the factor √2.
        let lengths = geodesic_lengths(&topology, &rest, 4);
        let (left, right) = (DVec3::new(4.0, 6.0, 0.0), DVec3::new(5.0, 6.0, 0.0));
        for (vertex, &end) in rest.iter().enumerate().filter(|(_, p)| p.x >= 5.0 && p.y <= 6.0) {
            let taut = rest[4].distance(left) + left.distance(right) + right.distance(end);
            let length = lengths[vertex];
            assert!(length >= taut - 1e-12 && length <= std::f64::consts::SQRT_2 * taut, "{length} for {taut}");
        }
        assert_eq!(lengths[5], 13.0, "six up, one across, six down");
    }
}
