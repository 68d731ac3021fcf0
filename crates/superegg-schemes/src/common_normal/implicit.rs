//! The common-normal system of two implicit surfaces: six equations for two points (paper 001 equation 21, 003 equation 15).
//!
//! `Φ = (na·tb, na·bb, d·tb, d·bb, Fa, Fb)` with `n` the gradients, `tb`, `bb` the Householder tangents of the second
//! surface, `d` the vector between the points. The unknowns are the points in their own bodies' frames.

use superegg::DVec3;

use super::householder::Reflection;
use super::newton::System;
use crate::couple::{Couple, Points};
use superegg_world::superquadric::{Implicit, Superquadric};

use crate::Jacobian;

/// The six equations of a couple.
pub(crate) struct ImplicitSystem<'a> {
    pub couple: &'a Couple<'a>,
    pub jacobian: Jacobian,
}

/// What the equations need of the second surface, in the first one's frame.
struct Tangents {
    value: f64,
    directions: [DVec3; 2],
}

/// The first four equations by the coordinates of both points, and the two surfaces there.
pub(super) struct Rows {
    pub residual: [f64; 4],
    pub by_a: [DVec3; 4],
    pub by_b: [DVec3; 4],
    pub at_a: Implicit,
    pub at_b: Implicit,
}

/// The four equations that implicit and normal-tangent-bitangent systems share, with their derivatives.
pub(super) fn rows(couple: &Couple, points: &Points) -> Rows {
    let (at_a, at_b) = (couple.a.derivatives(points.a), couple.b.derivatives(points.b));
    let reflection = Reflection::new(at_b.gradient);
    let local = reflection.tangents();
    let tangents = local.map(|tangent| couple.rotation * tangent);
    let apart = couple.placed(points.b) - points.a;
    let into_b = couple.rotation.transpose();
    let by_normal = reflection.gradients(into_b * at_a.gradient);
    let by_apart = reflection.gradients(into_b * apart);
    Rows {
        residual: [
            at_a.gradient.dot(tangents[0]),
            at_a.gradient.dot(tangents[1]),
            apart.dot(tangents[0]),
            apart.dot(tangents[1]),
        ],
        by_a: [at_a.hessian * tangents[0], at_a.hessian * tangents[1], -tangents[0], -tangents[1]],
        by_b: [
            at_b.hessian * by_normal[0],
            at_b.hessian * by_normal[1],
            local[0] + at_b.hessian * by_apart[0],
            local[1] + at_b.hessian * by_apart[1],
        ],
        at_a,
        at_b,
    }
}

/// Width of a forward difference, in units of the couple.
const DIFFERENCE: f64 = 1e-7;

impl ImplicitSystem<'_> {
    fn tangents(&self, surface: &Superquadric, point: DVec3) -> Tangents {
        let (value, gradient) = surface.gradient(point);
        let directions = Reflection::new(gradient).tangents().map(|tangent| self.couple.rotation * tangent);
        Tangents { value, directions }
    }

    fn combined(&self, (value_a, normal_a): (f64, DVec3), b: &Tangents, apart: DVec3) -> [f64; 6] {
        let [t, s] = b.directions;
        [normal_a.dot(t), normal_a.dot(s), apart.dot(t), apart.dot(s), value_a, b.value]
    }

    fn by_differences(&self, points: &Points) -> ([f64; 6], [[f64; 6]; 6]) {
        let couple = self.couple;
        let (a, b) = (couple.a.gradient(points.a), self.tangents(&couple.b, points.b));
        let apart = couple.placed(points.b) - points.a;
        let residual = self.combined(a, &b, apart);
        let mut jacobian = [[0.0; 6]; 6];
        let mut fill = |column: usize, moved: [f64; 6]| {
            for row in 0..6 {
                jacobian[row][column] = (moved[row] - residual[row]) / DIFFERENCE;
            }
        };
        for (axis, direction) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
            let step = direction * DIFFERENCE;
            fill(axis, self.combined(couple.a.gradient(points.a + step), &b, apart - step));
            let moved_b = self.tangents(&couple.b, points.b + step);
            fill(3 + axis, self.combined(a, &moved_b, apart + couple.rotation * step));
        }
        (residual, jacobian)
    }
}

impl System<6> for ImplicitSystem<'_> {
    fn residual(&self, q: &[f64; 6]) -> [f64; 6] {
        let points = self.points(q);
        let b = self.tangents(&self.couple.b, points.b);
        self.combined(self.couple.a.gradient(points.a), &b, self.couple.placed(points.b) - points.a)
    }

    fn linearised(&self, q: &[f64; 6]) -> ([f64; 6], [[f64; 6]; 6]) {
        let points = self.points(q);
        if self.jacobian == Jacobian::FiniteDifference {
            return self.by_differences(&points);
        }
        let Rows { residual, by_a, by_b, at_a, at_b } = rows(self.couple, &points);
        let row = |a: DVec3, b: DVec3| [a.x, a.y, a.z, b.x, b.y, b.z];
        let jacobian = [
            row(by_a[0], by_b[0]),
            row(by_a[1], by_b[1]),
            row(by_a[2], by_b[2]),
            row(by_a[3], by_b[3]),
            row(at_a.gradient, DVec3::ZERO),
            row(DVec3::ZERO, at_b.gradient),
        ];
        let [r0, r1, r2, r3] = residual;
        ([r0, r1, r2, r3, at_a.value, at_b.value], jacobian)
    }

    fn points(&self, q: &[f64; 6]) -> Points {
        Points { a: DVec3::new(q[0], q[1], q[2]), b: DVec3::new(q[3], q[4], q[5]) }
    }

    fn unknowns(&self, points: &Points) -> [f64; 6] {
        let Points { a, b } = points;
        [a.x, a.y, a.z, b.x, b.y, b.z]
    }
}
