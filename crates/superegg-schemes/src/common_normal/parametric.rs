//! The common-normal system of two parametric surfaces: four equations for four angles (paper 003 equation 18).
//!
//! `quad_parametric` takes normals and tangents from the parametrisation, `ntb_parametric` from the implicit function and
//! Householder's reflection. Tangents are unit vectors here: the papers' own grow without bound on faces, where an exponent
//! below 1 makes the angles' speed infinite.

use superegg::DVec3;

use super::householder::Reflection;
use super::implicit::rows;
use super::newton::System;
use crate::Jacobian;
use crate::couple::{Couple, Points};
use superegg_world::superquadric::Patch;

/// Where normals and tangents come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    /// Derivatives of the parametrisation.
    Parametric,
    /// The implicit function's gradient and Householder's reflection.
    Implicit,
}

/// The four equations of a couple.
pub(crate) struct ParametricSystem<'a> {
    pub couple: &'a Couple<'a>,
    pub frames: Frames,
    pub jacobian: Jacobian,
}

/// Width of a forward difference, in radians.
const DIFFERENCE: f64 = 1e-7;

/// A direction and its derivatives by u and v.
#[derive(Clone, Copy)]
struct Turning {
    direction: DVec3,
    by: [DVec3; 2],
}

impl Turning {
    /// The direction of a vector with given derivatives.
    fn of(vector: DVec3, by: [DVec3; 2]) -> Turning {
        let length = vector.length();
        let direction = vector / length;
        Turning { direction, by: by.map(|change| (change - direction * direction.dot(change)) / length) }
    }

    fn tangents(patch: &Patch) -> [Turning; 2] {
        let ([u, v], [uu, uv, vv]) = (patch.first, patch.second);
        [Turning::of(u, [uu, uv]), Turning::of(v, [uv, vv])]
    }

    /// The normal across two tangents.
    fn across([t, b]: [Turning; 2]) -> Turning {
        let by = [0, 1].map(|k| t.by[k].cross(b.direction) + t.direction.cross(b.by[k]));
        Turning::of(t.direction.cross(b.direction), by)
    }
}

impl ParametricSystem<'_> {
    fn patches(&self, q: &[f64; 4]) -> [Patch; 2] {
        [self.couple.a.patch(q[0], q[1]), self.couple.b.patch(q[2], q[3])]
    }

    fn by_parametrisation(&self, q: &[f64; 4]) -> ([f64; 4], [[f64; 4]; 4]) {
        let [a, b] = self.patches(q);
        let rotation = &self.couple.rotation;
        let normal = Turning::across(Turning::tangents(&a));
        let tangents = Turning::tangents(&b);
        let apart = self.couple.placed(b.point) - a.point;
        let mut residual = [0.0; 4];
        let mut jacobian = [[0.0; 4]; 4];
        for (k, tangent) in tangents.iter().enumerate() {
            let direction = *rotation * tangent.direction;
            residual[k] = normal.direction.dot(direction);
            residual[2 + k] = apart.dot(direction);
            for angle in 0..2 {
                let turned = *rotation * tangent.by[angle];
                jacobian[k][angle] = normal.by[angle].dot(direction);
                jacobian[k][2 + angle] = normal.direction.dot(turned);
                jacobian[2 + k][angle] = -a.first[angle].dot(direction);
                jacobian[2 + k][2 + angle] = (*rotation * b.first[angle]).dot(direction) + apart.dot(turned);
            }
        }
        (residual, jacobian)
    }

    /// The implicit system's rows, led through the parametrisation by the chain rule.
    fn by_implicit(&self, q: &[f64; 4]) -> ([f64; 4], [[f64; 4]; 4]) {
        let [a, b] = self.patches(q);
        let rows = rows(self.couple, &Points { a: a.point, b: b.point });
        let jacobian = [0, 1, 2, 3].map(|row| {
            let (by_a, by_b) = (rows.by_a[row], rows.by_b[row]);
            [by_a.dot(a.first[0]), by_a.dot(a.first[1]), by_b.dot(b.first[0]), by_b.dot(b.first[1])]
        });
        (rows.residual, jacobian)
    }
}

impl System<4> for ParametricSystem<'_> {
    fn residual(&self, q: &[f64; 4]) -> [f64; 4] {
        let (normal, [t, b], apart) = match self.frames {
            Frames::Parametric => {
                let [patch_a, patch_b] = self.patches(q);
                let normal = patch_a.first[0].normalize().cross(patch_a.first[1].normalize()).normalize();
                let tangents = patch_b.first.map(|tangent| self.couple.rotation * tangent.normalize());
                (normal, tangents, self.couple.placed(patch_b.point) - patch_a.point)
            }
            Frames::Implicit => {
                let points = self.points(q);
                let (_, normal) = self.couple.a.gradient(points.a);
                let reflection = Reflection::new(self.couple.b.gradient(points.b).1);
                let tangents = reflection.tangents().map(|tangent| self.couple.rotation * tangent);
                (normal, tangents, self.couple.placed(points.b) - points.a)
            }
        };
        [normal.dot(t), normal.dot(b), apart.dot(t), apart.dot(b)]
    }

    fn linearised(&self, q: &[f64; 4]) -> ([f64; 4], [[f64; 4]; 4]) {
        match (self.jacobian, self.frames) {
            (Jacobian::Analytic, Frames::Parametric) => self.by_parametrisation(q),
            (Jacobian::Analytic, Frames::Implicit) => self.by_implicit(q),
            (Jacobian::FiniteDifference, _) => {
                let residual = self.residual(q);
                let mut jacobian = [[0.0; 4]; 4];
                for column in 0..4 {
                    let mut moved = *q;
                    moved[column] += DIFFERENCE;
                    let changed = self.residual(&moved);
                    for row in 0..4 {
                        jacobian[row][column] = (changed[row] - residual[row]) / DIFFERENCE;
                    }
                }
                (residual, jacobian)
            }
        }
    }

    fn points(&self, q: &[f64; 4]) -> Points {
        Points { a: self.couple.a.point(q[0], q[1]), b: self.couple.b.point(q[2], q[3]) }
    }

    fn unknowns(&self, points: &Points) -> [f64; 4] {
        let [u, v] = self.couple.a.angles_at(points.a);
        let [w, t] = self.couple.b.angles_at(points.b);
        [u, v, w, t]
    }
}
