//! Mass, center of mass and principal axes of what a body is made of.
//!
//! Eggs have closed forms. A compound is the sum of its parts, where parts overlap twice. A closed mesh is the sum of signed
//! tetrahedra to the origin (Blow and Binstock 2004). Principal axes come from Jacobi's rotations.

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;
use superegg::shape::MassProperties;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;

/// How heavy a body is, and where its principal axes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassFrame {
    pub mass: f64,
    /// In the body's frame.
    pub center: DVec3,
    /// Principal moments about the center, and the frame of their axes in the body's frame.
    pub inertia: DVec3,
    pub principal: DQuat,
}

impl MassFrame {
    /// Whether mass and moments are positive and finite, and so are their inverses.
    pub fn is_sane(&self) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_finite() && (1.0 / x).is_finite();
        positive(self.mass) && self.inertia.to_array().into_iter().all(positive) && self.center.is_finite()
    }
}

/// The mass that is given by a matrix about the center of mass.
pub(crate) fn of_matrix(mass: f64, center: DVec3, inertia: DMat3) -> MassFrame {
    let (inertia, principal) = principal_axes(inertia);
    MassFrame { mass, center, inertia, principal }
}

/// Parts of one density on one body; `None` if there are none.
pub(crate) fn sum_of(parts: &[(MassProperties, Pose)], density: f64) -> Option<MassFrame> {
    let whole = match parts {
        [] => return None,
        [(single, pose)] if *pose == Pose::IDENTITY => *single,
        _ => {
            let mut sum = Moments { volume: 0.0, first: DVec3::ZERO, inertia: DMat3::ZERO };
            parts.iter().for_each(|(part, pose)| sum.add(part, pose));
            sum.about_centroid()
        }
    };
    let (inertia, principal) = principal_axes(whole.inertia);
    Some(MassFrame { mass: density * whole.volume, center: whole.centroid, inertia: density * inertia, principal })
}

/// `None` for what has no inside, planes, points, segments, triangles, open meshes, and for superhyperboloids and supertoroids.
pub(crate) fn mass_of(geometry: &Geometry) -> Option<MassProperties> {
    Some(match geometry {
        Geometry::Shape(shape) => shape.mass_properties()?,
        Geometry::Compound(compound) => {
            let mut sum = Moments { volume: 0.0, first: DVec3::ZERO, inertia: DMat3::ZERO };
            for part in compound.parts() {
                sum.add(&part.shape.mass_properties()?, &part.pose);
            }
            sum.about_centroid()
        }
        Geometry::Mesh(mesh) => of_mesh(mesh)?,
        Geometry::Superquadric(_) => return None,
    })
}

/// Volume, first moment and inertia about the origin.
struct Moments {
    volume: f64,
    first: DVec3,
    inertia: DMat3,
}

/// Inertia about the origin of a unit mass at a point.
fn of_point(r: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(r.length_squared())) - DMat3::from_cols(r * r.x, r * r.y, r * r.z)
}

impl Moments {
    fn add(&mut self, part: &MassProperties, pose: &Pose) {
        let turn = pose.rotation_matrix();
        let center = pose.transform_point(part.centroid);
        self.volume += part.volume;
        self.first += center * part.volume;
        self.inertia += turn * part.inertia * turn.transpose() + of_point(center) * part.volume;
    }

    fn about_centroid(&self) -> MassProperties {
        let centroid = self.first / self.volume;
        MassProperties { volume: self.volume, centroid, inertia: self.inertia - of_point(centroid) * self.volume }
    }
}

fn of_mesh(mesh: &CollisionMesh) -> Option<MassProperties> {
    let topology = mesh.topology();
    let closed = (0..topology.edges().len() as u32).all(|edge| topology.triangles_of_edge(edge).len() == 2);
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let square = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    for corners in topology.triangles() {
        let [a, b, c] = corners.map(|vertex| mesh.positions()[vertex as usize]);
        let own = a.dot(b.cross(c)) / 6.0;
        volume += own;
        first += own * (a + b + c) / 4.0;
        // ∫ x xᵀ over a tetrahedron with one corner at the origin.
        second += (square(a) + square(b) + square(c) + square(a + b + c)) * (own / 20.0);
    }
    if !closed || volume == 0.0 || !volume.is_finite() {
        return None;
    }
    // Triangles that all face inwards enclose as much.
    let sign = volume.signum();
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - second) * sign;
    Some(Moments { volume: volume.abs(), first: first * sign, inertia }.about_centroid())
}

/// The eigenvalues of a symmetric matrix and a rotation whose axes are its eigenvectors; the identity if it is diagonal.
fn principal_axes(mut matrix: DMat3) -> (DVec3, DQuat) {
    let mut axes = DMat3::IDENTITY;
    let size = matrix.to_cols_array().iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    // Each sweep squares what is off the diagonal: a handful reach rounding.
    for _ in 0..16 {
        let off = [(0, 1), (0, 2), (1, 2)];
        if off.iter().all(|&(i, j)| matrix.col(i)[j].abs() <= 1e-15 * size) {
            break;
        }
        for (i, j) in off {
            let entry = matrix.col(i)[j];
            if entry != 0.0 {
                let angle = 0.5 * f64::atan2(2.0 * entry, matrix.col(j)[j] - matrix.col(i)[i]);
                let (sine, cosine) = angle.sin_cos();
                let mut turn = DMat3::IDENTITY;
                turn.col_mut(i)[i] = cosine;
                turn.col_mut(j)[j] = cosine;
                turn.col_mut(j)[i] = sine;
                turn.col_mut(i)[j] = -sine;
                matrix = turn.transpose() * matrix * turn;
                axes *= turn;
            }
        }
    }
    let moments = DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z);
    (moments, if axes == DMat3::IDENTITY { DQuat::IDENTITY } else { DQuat::from_mat3(&axes).normalize() })
}

#[cfg(test)]
mod tests {
    use superegg::shape::Superellipsoid;
    use superegg_mesh::TriangleMesh;
    use superegg_world::compound::{Compound, Part};

    use super::*;

    #[test]
    fn principal_axes_give_the_matrix_back() {
        let turn = DMat3::from_quat(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize());
        for moments in [DVec3::new(1.0, 2.0, 3.0), DVec3::new(5.0, 5.0, 0.1), DVec3::ONE] {
            let matrix = turn * DMat3::from_diagonal(moments) * turn.transpose();
            let (found, axes) = principal_axes(matrix);
            let axes = DMat3::from_quat(axes);
            let back = axes * DMat3::from_diagonal(found) * axes.transpose();
            assert!(back.abs_diff_eq(matrix, 1e-12), "{back} for {matrix}");
        }
    }

    #[test]
    fn a_compound_of_two_halves_of_a_bar_and_a_mesh_agree_with_the_bar() {
        // A bar of 2 × 1 × 1 from two cubes, as good as superellipsoids of a small exponent are cubes, and from 12 triangles.
        let exact = DVec3::new(2.0 / 12.0 * 2.0, 5.0 * 2.0 / 12.0, 5.0 * 2.0 / 12.0);
        let cube: superegg::shape::Shape = Superellipsoid::new([0.5; 3], [0.01; 2]).unwrap().into();
        let turn = DQuat::from_rotation_z(0.6);
        let at = |x: f64| Part {
            shape: cube.clone(),
            pose: Pose::new(turn, turn * DVec3::new(x, 0.0, 0.0) + DVec3::Y).unwrap(),
        };
        let compound = mass_of(&Compound::new(vec![at(-0.5), at(0.5)]).unwrap().into()).unwrap();
        let corner =
            |i: u32| DVec3::new(f64::from(i & 1) * 2.0 - 1.0, f64::from(i >> 1 & 1) - 0.5, f64::from(i >> 2) - 0.5);
        let positions = (0..8).map(|i| turn * corner(i) + DVec3::Y).collect();
        let faces: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = CollisionMesh::new(TriangleMesh::new(positions, triangles).unwrap()).unwrap();
        let mesh = mass_of(&mesh.into()).unwrap();
        let turn = DMat3::from_quat(turn);
        let exact = turn * DMat3::from_diagonal(exact) * turn.transpose();
        for (mass, tolerance) in [(compound, 1e-3), (mesh, 1e-12)] {
            assert!((mass.volume - 2.0).abs() < 2.0 * tolerance, "{}", mass.volume);
            assert!((mass.centroid - DVec3::Y).length() < 1e-12);
            assert!(mass.inertia.abs_diff_eq(exact, tolerance), "{} for {exact}", mass.inertia);
        }
    }
}
