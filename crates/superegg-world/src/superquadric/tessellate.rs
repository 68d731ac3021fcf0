//! Triangle meshes inscribed in superquadrics: a grid even in both angles, closed around z.

use superegg::shape::{IndexedTriangles, Spacing, Superovoid};
use superegg::{DVec3, InvalidInput};

use super::{Kind, Superquadric};

impl Superquadric {
    /// A mesh of at most `vertex_count` vertices. Superellipsoids and superovoids are closed, supertoroids too;
    /// superhyperboloids end at their rims.
    ///
    /// ```
    /// use superegg_world::superquadric::Superquadric;
    /// let ring = Superquadric::toroid([0.5; 3], [1.0; 2], 3.0)?;
    /// let mesh = ring.tessellate(600)?;
    /// assert!(mesh.vertices.len() <= 600);
    /// assert!(mesh.vertices.iter().all(|v| ring.value(*v).abs() < 1e-9));
    /// // Closed, of genus one: V - E + F = 0 with E = 3F/2.
    /// assert_eq!(2 * mesh.vertices.len(), mesh.triangles.len());
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn tessellate(&self, vertex_count: usize) -> Result<IndexedTriangles, InvalidInput> {
        if self.kind == Kind::Egg {
            let egg = Superovoid::new(self.radii, self.exponents, self.taper)?;
            return egg.tessellate(vertex_count, Spacing::Angles);
        }
        InvalidInput::unless(
            (24..=10_000_000).contains(&vertex_count),
            "vertex_count",
            vertex_count as f64,
            "[24, 10000000]",
        )?;
        let sheets = if self.kind == Kind::TwoSheets { 2 } else { 1 };
        // About as many rings as segments; an even number of each keeps vertices on the axes of symmetry.
        let side = ((vertex_count / sheets) as f64).sqrt() as usize;
        let segments = (side / 4 * 4).max(4);
        let rings = (vertex_count / sheets / segments).max(3);
        let mut mesh = IndexedTriangles::default();
        let [_, [low, high]] = self.domain();
        match self.kind {
            Kind::TwoSheets => {
                self.add_grid(&mut mesh, segments, rings, [low, -1e-12], false);
                self.add_grid(&mut mesh, segments, rings, [1e-12, high], false);
            }
            kind => self.add_grid(&mut mesh, segments, rings, [low, high], kind == Kind::Toroid),
        }
        Ok(mesh)
    }

    /// Rings of vertices over a range of v, joined by triangles whose normals point out of the body.
    fn add_grid(
        &self,
        mesh: &mut IndexedTriangles,
        segments: usize,
        rings: usize,
        [low, high]: [f64; 2],
        closed: bool,
    ) {
        let base = mesh.vertices.len();
        let intervals = if closed { rings } else { rings - 1 };
        for ring in 0..rings {
            let v = low + (high - low) * ring as f64 / intervals as f64;
            for segment in 0..segments {
                let u = -std::f64::consts::PI + std::f64::consts::TAU * segment as f64 / segments as f64;
                mesh.vertices.push(self.point(u, v));
            }
        }
        let index = |ring: usize, segment: usize| (base + ring % rings * segments + segment % segments) as u32;
        for ring in 0..intervals {
            for segment in 0..segments {
                let [a, b] = [index(ring, segment), index(ring, segment + 1)];
                let [d, c] = [index(ring + 1, segment), index(ring + 1, segment + 1)];
                for triangle in [[a, b, c], [a, c, d]] {
                    mesh.triangles.push(self.outward(&mesh.vertices, triangle));
                }
            }
        }
    }

    /// A triangle, turned so that its normal agrees with the surface's.
    fn outward(&self, vertices: &[DVec3], [a, b, c]: [u32; 3]) -> [u32; 3] {
        let [pa, pb, pc] = [a, b, c].map(|index| vertices[index as usize]);
        let (_, gradient) = self.gradient((pa + pb + pc) / 3.0);
        if (pb - pa).cross(pc - pa).dot(gradient) >= 0.0 { [a, b, c] } else { [a, c, b] }
    }
}
