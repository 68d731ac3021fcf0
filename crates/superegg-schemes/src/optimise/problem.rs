//! Objective and constraints of paper 004 (equations 19 to 31) with their derivatives, and the linear system both methods
//! solve for a step.

use std::cell::Cell;

use superegg::{DMat3, DVec3};

use super::ConstraintSet;
use crate::couple::{Couple, Points};
use crate::linear::solve_leading;

/// Most constraints of any set: two surfaces, three of the cross product, one dot product.
pub(super) const MOST: usize = 6;
/// Unknowns and multipliers together.
const KKT: usize = 6 + MOST;

/// Two points as one vector.
pub(super) type Unknowns = [f64; 6];

pub(super) struct Problem<'a> {
    pub couple: &'a Couple<'a>,
    pub constraints: ConstraintSet,
    evaluations: Cell<u32>,
}

/// The problem at one place, to first order.
#[derive(Clone, Copy)]
pub(super) struct Model {
    pub objective: f64,
    pub gradient: Unknowns,
    pub count: usize,
    pub values: [f64; MOST],
    pub slopes: [Unknowns; MOST],
}

impl Model {
    /// Sum of the constraints' violations.
    pub fn violation(&self) -> f64 {
        self.values[..self.count].iter().map(|value| value.abs()).sum()
    }

    /// Gradient of the Lagrangian.
    pub fn lagrangian(&self, multipliers: &[f64; MOST]) -> Unknowns {
        let mut gradient = self.gradient;
        for (multiplier, slope) in multipliers.iter().zip(&self.slopes).take(self.count) {
            for k in 0..6 {
                gradient[k] += multiplier * slope[k];
            }
        }
        gradient
    }

    fn push(&mut self, value: f64, by_a: DVec3, by_b: DVec3) {
        self.values[self.count] = value;
        self.slopes[self.count] = join(by_a, by_b);
        self.count += 1;
    }
}

fn join(a: DVec3, b: DVec3) -> Unknowns {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// `(1 − n nᵀ)/length`: how a unit vector changes with the vector it belongs to.
fn projector(unit: DVec3, length: f64) -> DMat3 {
    let outer = DMat3::from_cols(unit * unit.x, unit * unit.y, unit * unit.z);
    (DMat3::IDENTITY - outer) * (1.0 / length)
}

impl<'a> Problem<'a> {
    pub fn new(couple: &'a Couple<'a>, constraints: ConstraintSet) -> Problem<'a> {
        Problem { couple, constraints, evaluations: Cell::new(0) }
    }

    /// How often the surfaces were evaluated.
    pub fn evaluations(&self) -> u32 {
        self.evaluations.get()
    }

    pub fn points(x: &Unknowns) -> Points {
        Points { a: DVec3::new(x[0], x[1], x[2]), b: DVec3::new(x[3], x[4], x[5]) }
    }

    pub fn unknowns(points: &Points) -> Unknowns {
        join(points.a, points.b)
    }

    pub fn model(&self, x: &Unknowns) -> Model {
        self.evaluations.set(self.evaluations.get() + 1);
        let Couple { a, b, rotation, .. } = self.couple;
        let points = Problem::points(x);
        let (at_a, at_b) = (a.derivatives(points.a), b.derivatives(points.b));
        let (length_a, length_b) = (at_a.gradient.length().max(1e-12), at_b.gradient.length().max(1e-12));
        let (normal_a, local_b) = (at_a.gradient / length_a, at_b.gradient / length_b);
        let normal_b = *rotation * local_b;
        let back = rotation.transpose();
        let turn_a = projector(normal_a, length_a) * at_a.hessian;
        let turn_b = *rotation * projector(local_b, length_b) * at_b.hessian;
        let apart = self.couple.placed(points.b) - points.a;
        let distance = apart.length().max(1e-9);
        let direction = apart / distance;
        let mut model = Model {
            objective: apart.length_squared(),
            gradient: join(apart * -2.0, back * apart * 2.0),
            count: 0,
            values: [0.0; MOST],
            slopes: [[0.0; 6]; MOST],
        };
        model.push(at_a.value, at_a.gradient, DVec3::ZERO);
        model.push(at_b.value, DVec3::ZERO, at_b.gradient);
        let set = self.constraints;
        if set.has_cross() {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                // axis · (na × nb) by either normal.
                let value = axis.dot(normal_a.cross(normal_b));
                let (by_normal_a, by_normal_b) = (normal_b.cross(axis), axis.cross(normal_a));
                model.push(value, turn_a.transpose() * by_normal_a, turn_b.transpose() * by_normal_b);
            }
        }
        if set.has_dot() {
            let value = normal_a.dot(normal_b) + 1.0;
            model.push(value, turn_a.transpose() * normal_b, turn_b.transpose() * normal_a);
        }
        let aside = projector(direction, distance);
        if set.has_along_a() {
            let by_apart = aside * normal_a;
            model.push(normal_a.dot(direction) - 1.0, turn_a.transpose() * direction - by_apart, back * by_apart);
        }
        if set.has_along_b() {
            let by_apart = aside * normal_b;
            model.push(normal_b.dot(direction) + 1.0, -by_apart, turn_b.transpose() * direction + back * by_apart);
        }
        model
    }
}

/// The step and multipliers that make a quadratic model with linear constraints stationary.
///
/// Constraints may depend on each other (a cross product has three components and rank two) or have no slope at the solution
/// (a dot product is extremal there). So the step is stabilised (Wright): a constraint may be missed by `compliance` times the
/// change of its multiplier, which vanishes as the multipliers settle.
pub(super) fn step(
    hessian: &[[f64; 6]; 6],
    gradient: &Unknowns,
    model: &Model,
    previous: &[f64; MOST],
    compliance: f64,
) -> Option<(Unknowns, [f64; MOST])> {
    let size = 6 + model.count;
    let mut matrix = [[0.0; KKT]; KKT];
    let mut right = [0.0; KKT];
    for row in 0..6 {
        matrix[row][..6].copy_from_slice(&hessian[row]);
        right[row] = -gradient[row];
        for k in 0..model.count {
            matrix[row][6 + k] = model.slopes[k][row];
            matrix[6 + k][row] = model.slopes[k][row];
        }
    }
    for k in 0..model.count {
        matrix[6 + k][6 + k] = -compliance;
        right[6 + k] = -model.values[k] - compliance * previous[k];
    }
    if !solve_leading(&mut matrix, &mut right, size) {
        return None;
    }
    let mut change = [0.0; 6];
    let mut multipliers = [0.0; MOST];
    change.copy_from_slice(&right[..6]);
    multipliers[..model.count].copy_from_slice(&right[6..size]);
    Some((change, multipliers))
}

/// The compliance that goes with the length of the last step.
pub(super) fn compliance(last_step: f64) -> f64 {
    (1e-3 * last_step).clamp(1e-8, 1e-4)
}

pub(super) fn dot(a: &Unknowns, b: &Unknowns) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn moved(x: &Unknowns, part: f64, change: &Unknowns) -> Unknowns {
    let mut next = *x;
    for (value, change) in next.iter_mut().zip(change) {
        *value += part * change;
    }
    next
}

#[cfg(test)]
mod tests {
    use superegg::shape::Superovoid;
    use superegg::{DQuat, Pose};

    use super::*;
    use superegg_world::geometry::Geometry;

    #[test]
    fn slopes_agree_with_central_differences() {
        let a = Geometry::from(Superovoid::new([1.0, 0.8, 1.2], [0.7, 0.9], [0.2, -0.1]).unwrap());
        let b = Geometry::from(Superovoid::new([0.9, 1.1, 1.0], [1.1, 0.6], [-0.3, 0.15]).unwrap());
        let pose = Pose { rotation: DQuat::from_rotation_x(0.8), translation: DVec3::new(0.3, 2.4, 0.5) };
        let couple = Couple::new(&a, &Pose::IDENTITY, &b, &pose).unwrap();
        let x = Problem::unknowns(&Points { a: DVec3::new(0.5, 0.7, 0.4), b: DVec3::new(-0.4, -0.8, 0.3) });
        for set in ConstraintSet::ALL {
            let problem = Problem::new(&couple, set);
            let here = problem.model(&x);
            for k in 0..6 {
                let mut change = [0.0; 6];
                change[k] = 1e-6;
                let (before, after) =
                    (problem.model(&moved(&x, -1.0, &change)), problem.model(&moved(&x, 1.0, &change)));
                assert!(((after.objective - before.objective) / 2e-6 - here.gradient[k]).abs() < 1e-7);
                for row in 0..here.count {
                    let slope = (after.values[row] - before.values[row]) / 2e-6;
                    let exact = here.slopes[row][k];
                    assert!((slope - exact).abs() < 1e-6 * (1.0 + exact.abs()), "{set:?} {row} {k}: {slope} {exact}");
                }
            }
        }
    }
}
