//! Bodies that hang together, solved exactly: linear-time dynamics with Lagrange multipliers (Baraff, SIGGRAPH 1996).
//!
//! Bodies and joints form a forest once the joints that close loops are set aside. Eliminating it from the leaves, every
//! joint adds to its parent body the inertia of all that hangs below it; one pass down and one up then give all impulses, in
//! time proportional to the joints and whatever the masses, so that a chain of a hundred links does not stretch. Joints
//! that close loops are corrected in turn with the rest.
//!
//! Servos, springs and dampers are rows of their joints, soft by a compliance on the diagonal: so an arm of seven joints under a
//! load is held as stiffly as its servos are, each of which feels all that hangs below it. A servo whose row asks for more than it
//! can do becomes a constant effort, an axis that would leave its range is [stopped](super::stop), and the rest is solved again.

use glam::DVec3;

use super::axis_row::{AxisRow, drive, effort_at_stop, servo_effort};
use super::constraint_row::{Velocities, Velocity};
use super::equality::{Equalities, Equality, Role};
use super::state::{AXES, JointState};
use super::stop::Stop;
use crate::body::BodyState;
use crate::joint::Servo;

type Vec6 = [f64; 6];
type Mat6 = [[f64; 6]; 6];

/// How often joints that close loops are corrected in turn with the others.
const ROUNDS: usize = 8;

/// How often servos and stops are looked at again because others are at the end of their strength or range.
const PASSES: usize = 8;

/// A joint and the body below it.
#[derive(Clone, Debug)]
struct Node {
    joint: u32,
    child: u32,
    /// `None` for what nothing can push.
    parent: Option<u32>,
    ends: [u32; 2],
    /// Which end the child is.
    below: usize,
    held: Equalities,
    /// The joint's axes as they stand.
    axes: Vec<AxisRow>,
    /// Jacobians of child and parent.
    of_child: Mat6,
    of_parent: Mat6,
    /// Inverses of the inertia of child and all below it, and of what the joint feels; and what an impulse on the child does to the joint.
    inverse_inertia: Mat6,
    inverse: Mat6,
    response: Mat6,
    /// What the joint feels of what is below it, while a solution is found.
    felt: Vec6,
    /// Impulses since the joint was placed, those of axes since the substep began, and the sum of the sizes of those before.
    impulse: Vec6,
    sum: f64,
    /// The constant efforts of servos that are at the end of their strength, or zero.
    saturated: [f64; AXES],
    /// What servos did in the last substep.
    efforts: [f64; AXES],
    stops: [Stop; AXES],
}

/// All bodies that hang together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulation {
    /// Parents before children.
    nodes: Vec<Node>,
    /// Bodies above all others of their tree that are free.
    roots: Vec<(u32, Mat6)>,
    loops: Vec<Node>,
    /// Scratch, for each body: inertia, right-hand side and change of velocity.
    inertia: Vec<Mat6>,
    rest: Vec<Vec6>,
    change: Vec<Vec6>,
}

impl Articulation {
    /// Orders the joints of bodies that can be pushed.
    pub fn new(joints: &[Option<JointState>], bodies: &[BodyState], velocities: &Velocities) -> Articulation {
        let free = |body: u32| velocities.list[body as usize].inverse_mass > 0.0;
        let mut at: Vec<Vec<(u32, [u32; 2])>> = vec![Vec::new(); bodies.len() + 1];
        let mut anchored = Vec::new();
        for (number, joint) in (0u32..).zip(joints) {
            let Some(joint) = joint else { continue };
            let ends = joint.ends(bodies);
            match ends.map(free) {
                [false, false] => continue,
                [true, true] => {}
                _ => anchored.push((number, ends)),
            }
            for end in ends.into_iter().filter(|end| free(*end)) {
                at[end as usize].push((number, ends));
            }
        }
        let mut made = Articulation::default();
        let mut seen = vec![false; bodies.len() + 1];
        let mut used = vec![false; joints.len()];
        // From what is fixed first, then from any body.
        for &(number, ends) in &anchored {
            let below = usize::from(free(ends[1]));
            if !std::mem::replace(&mut seen[ends[below] as usize], true) {
                used[number as usize] = true;
                made.nodes.push(Node::new(number, ends, below, None));
                made.spread(ends[below], &at, &mut seen, &mut used);
            }
        }
        for body in 0..bodies.len() as u32 {
            if !at[body as usize].is_empty() && !std::mem::replace(&mut seen[body as usize], true) {
                made.roots.push((body, [[0.0; 6]; 6]));
                made.spread(body, &at, &mut seen, &mut used);
            }
        }
        for (number, ends) in at.iter().flatten().copied() {
            if !std::mem::replace(&mut used[number as usize], true) {
                let below = usize::from(free(ends[1]));
                let other = Some(ends[1 - below]).filter(|end| free(*end));
                made.loops.push(Node::new(number, ends, below, other));
            }
        }
        for node in made.nodes.iter_mut().chain(&mut made.loops) {
            node.stops = joints[node.joint as usize].as_ref().map_or([Stop::Free; AXES], |joint| joint.stops);
        }
        made.inertia = vec![[[0.0; 6]; 6]; bodies.len() + 1];
        made.rest = vec![[0.0; 6]; bodies.len() + 1];
        made.change = made.rest.clone();
        made
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.loops.is_empty()
    }

    /// Whether any axis has a range.
    pub fn has_limits(&self) -> bool {
        let limited = |node: &Node| node.axes.iter().any(|row| row.axis.limits.is_some());
        self.nodes.iter().chain(&self.loops).any(limited)
    }

    /// With which impulse each joint has held its bodies together.
    pub fn forces(&self) -> impl Iterator<Item = (u32, f64)> {
        self.nodes.iter().chain(&self.loops).map(|node| (node.joint, node.pull()))
    }

    /// Adds everything below a body, the nearest first.
    fn spread(&mut self, body: u32, at: &[Vec<(u32, [u32; 2])>], seen: &mut [bool], used: &mut [bool]) {
        let mut open = std::collections::VecDeque::from([body]);
        while let Some(parent) = open.pop_front() {
            for &(number, ends) in &at[parent as usize] {
                let below = usize::from(ends[0] == parent);
                let child = ends[below];
                // What cannot be pushed has no joints of its own here, and is never below.
                if used[number as usize] || seen[child as usize] || at[child as usize].is_empty() {
                    continue;
                }
                used[number as usize] = true;
                seen[child as usize] = true;
                self.nodes.push(Node::new(number, ends, below, Some(parent)));
                open.push_back(child);
            }
        }
    }

    /// Works everything out from where the bodies are; joints are brought back in the first of two times, in substeps of the
    /// second.
    pub fn factor(&mut self, joints: &[Option<JointState>], bodies: &[BodyState], times: [f64; 2]) {
        for node in self.nodes.iter_mut().chain(&mut self.loops) {
            node.place(joints, bodies, times);
        }
        self.eliminate(bodies);
    }

    fn eliminate(&mut self, bodies: &[BodyState]) {
        let Articulation { nodes, roots, loops, inertia, .. } = self;
        for body in nodes.iter().map(|node| node.child).chain(roots.iter().map(|root| root.0)) {
            inertia[body as usize] = inertia_of(&bodies[body as usize]);
        }
        for node in nodes.iter_mut().rev() {
            node.inverse_inertia = inverse(&inertia[node.child as usize]);
            node.respond();
            node.invert(product_with_transposed(&node.response, &node.of_child));
            if let Some(parent) = node.parent {
                add_conjugate(&mut inertia[parent as usize], &node.of_parent, &node.inverse, node.held.count);
            }
        }
        for (body, inverted) in roots {
            *inverted = inverse(&inertia[*body as usize]);
        }
        for node in loops {
            node.inverse_inertia = inverse(&inertia_of(&bodies[node.child as usize]));
            node.respond();
            let mut felt = product_with_transposed(&node.response, &node.of_child);
            if let Some(parent) = node.parent {
                let inverted = inverse(&inertia_of(&bodies[parent as usize]));
                let half = node.of_parent.map(|row| of_symmetric(&inverted, &row));
                add(&mut felt, &product_with_transposed(&half, &node.of_parent));
            }
            node.invert(felt);
        }
    }

    /// Begins a substep: drives and stops start from nothing, with all their strength.
    pub fn begin(
        &mut self,
        joints: &[Option<JointState>],
        bodies: &[BodyState],
        velocities: &mut [Velocity],
        times: [f64; 2],
    ) {
        let spent = |node: &Node| node.saturated != [0.0; AXES];
        if self.nodes.iter().chain(&self.loops).any(spent) {
            self.nodes.iter_mut().chain(&mut self.loops).for_each(|node| node.saturated = [0.0; AXES]);
            self.factor(joints, bodies, times);
        }
        for node in self.nodes.iter_mut().chain(&mut self.loops) {
            node.begin(bodies, velocities, times[1]);
        }
    }

    /// What servos of joints did in the last substep, and the ends of their ranges that held them.
    pub fn of_axes(&self) -> impl Iterator<Item = (u32, &[f64; AXES], &[Stop; AXES])> {
        self.nodes.iter().chain(&self.loops).map(|node| (node.joint, &node.efforts, &node.stops))
    }

    /// Gives the bodies the velocities that the joints leave them; `with_bias` also brings back what is off. Returns whether servos or
    /// stops are others than before.
    pub fn solve(
        &mut self,
        joints: &[Option<JointState>],
        bodies: &[BodyState],
        velocities: &mut [Velocity],
        with_bias: bool,
        times: [f64; 2],
    ) -> bool {
        for pass in 0..PASSES {
            self.solve_once(bodies, velocities, with_bias);
            if !self.change(bodies, velocities, with_bias, times) {
                return pass > 0;
            }
            for node in self.nodes.iter_mut().chain(&mut self.loops) {
                // What axes did so far stays done: only the rows change.
                node.set_rows(joints, bodies, times);
                if with_bias {
                    for (i, _) in node.held.drives() {
                        node.held.list[i].bias_before = node.held.list[i].bias;
                    }
                }
            }
            self.eliminate(bodies);
        }
        self.solve_once(bodies, velocities, with_bias);
        true
    }

    /// Whether servos came to the end of their strength, or axes to the end of their range or away from it.
    fn change(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], with_bias: bool, times: [f64; 2]) -> bool {
        let mut any = false;
        for node in self.nodes.iter_mut().chain(&mut self.loops) {
            any |= with_bias && node.saturate(bodies, velocities, times[1]);
            any |= node.stop(bodies, velocities, with_bias, times);
        }
        any
    }

    fn solve_once(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], with_bias: bool) {
        self.solve_forest(velocities, with_bias);
        if !self.loops.is_empty() {
            for _ in 0..ROUNDS {
                for node in &mut self.loops {
                    node.solve_alone(bodies, velocities, with_bias);
                }
                self.solve_forest(velocities, with_bias);
            }
        }
    }

    fn solve_forest(&mut self, velocities: &mut [Velocity], with_bias: bool) {
        let Articulation { nodes, roots, rest, change, .. } = self;
        for body in nodes.iter().map(|node| node.child).chain(roots.iter().map(|root| root.0)) {
            rest[body as usize] = [0.0; 6];
        }
        for node in nodes.iter_mut().rev() {
            node.felt = node.feel(velocities, with_bias, &rest[node.child as usize]);
            if let Some(parent) = node.parent {
                let back = of_transposed(&node.of_parent, &of_symmetric(&node.inverse, &node.felt));
                (0..6).for_each(|i| rest[parent as usize][i] -= back[i]);
            }
        }
        for (body, inverted) in roots.iter() {
            change[*body as usize] = of_symmetric(inverted, &rest[*body as usize]);
        }
        for node in nodes.iter_mut() {
            let mut felt = node.felt;
            if let Some(parent) = node.parent {
                let above = times(&node.of_parent, &change[parent as usize]);
                (0..6).for_each(|i| felt[i] += above[i]);
            }
            let impulse = of_symmetric(&node.inverse, &felt).map(|part| -part);
            (0..6).for_each(|i| node.impulse[i] += impulse[i]);
            let mut push = of_transposed(&node.of_child, &impulse);
            (0..6).for_each(|i| push[i] += rest[node.child as usize][i]);
            change[node.child as usize] = of_symmetric(&node.inverse_inertia, &push);
        }
        for body in nodes.iter().map(|node| node.child).chain(roots.iter().map(|root| root.0)) {
            let velocity = &mut velocities[body as usize];
            let [vx, vy, vz, wx, wy, wz] = change[body as usize];
            velocity.linear += DVec3::new(vx, vy, vz);
            velocity.angular += DVec3::new(wx, wy, wz);
        }
    }
}

impl Node {
    fn new(joint: u32, ends: [u32; 2], below: usize, parent: Option<u32>) -> Node {
        let none = [[0.0; 6]; 6];
        Node {
            joint,
            child: ends[below],
            parent,
            ends,
            below,
            held: Equalities::default(),
            axes: Vec::new(),
            of_child: none,
            of_parent: none,
            inverse_inertia: none,
            inverse: none,
            response: none,
            felt: [0.0; 6],
            impulse: [0.0; 6],
            sum: 0.0,
            saturated: [0.0; AXES],
            efforts: [0.0; AXES],
            stops: [Stop::Free; AXES],
        }
    }

    /// The size of all impulses that moved the bodies, those that turned them apart.
    fn pull(&self) -> f64 {
        let own = |row: &Equality| row.direction != DVec3::ZERO && row.role == Role::Held;
        let rows = self.held.list.iter().zip(&self.impulse).filter(|(row, _)| own(row));
        self.sum + rows.map(|(_, impulse)| impulse * impulse).sum::<f64>().sqrt()
    }

    fn place(&mut self, joints: &[Option<JointState>], bodies: &[BodyState], times: [f64; 2]) {
        self.axes = joints[self.joint as usize].as_ref().map_or_else(Vec::new, |joint| joint.axes(bodies));
        self.set_rows(joints, bodies, times);
    }

    /// Works out the rows of what is held, driven and stopped.
    fn set_rows(&mut self, joints: &[Option<JointState>], bodies: &[BodyState], [back, h]: [f64; 2]) {
        self.sum = self.pull();
        // What axes did is needed until the next substep begins.
        let mut carried = [None; AXES];
        for (i, axis) in self.held.rows_of_axes() {
            carried[axis] = Some((self.held.list[i], self.impulse[i]));
        }
        self.impulse = [0.0; 6];
        if let Some(joint) = &joints[self.joint as usize] {
            self.held = joint.equalities(bodies, back);
        }
        for (which, row) in self.axes.iter().enumerate() {
            let drive = || {
                let (bias, compliance) = drive(row, h, self.saturated[which] == 0.0)?;
                Some(row.equality().driven(which as u8, bias, compliance))
            };
            if let Some(equality) = self.stops[which].row(which, row, [back, h]).or_else(drive) {
                self.held.push(equality);
            }
        }
        for (i, axis) in self.held.rows_of_axes() {
            if let Some((before, impulse)) = carried[axis] {
                self.impulse[i] = impulse;
                let now = &mut self.held.list[i];
                if before.role == now.role && now.role == Role::Drive(axis as u8) {
                    now.bias_before = before.bias_before;
                }
            }
        }
        self.of_child = self.held.jacobian(self.below);
        self.of_parent = self.held.jacobian(1 - self.below);
    }

    /// Works out what an impulse on the child does to the joint.
    fn respond(&mut self) {
        self.response = self.of_child.map(|row| of_symmetric(&self.inverse_inertia, &row));
    }

    /// Adds the compliances to what the joint feels, and inverts it.
    fn invert(&mut self, mut felt: Mat6) {
        for (i, row) in self.held.list[..self.held.count].iter().enumerate() {
            felt[i][i] += row.compliance;
        }
        self.inverse = inverse(&with_unit_diagonal(felt, self.held.count));
        for row in self.inverse.iter_mut().skip(self.held.count) {
            *row = [0.0; 6];
        }
    }

    /// How fast the ends part along a row.
    fn speed(&self, row: &Equality, velocities: &[Velocity]) -> f64 {
        let [a, b] = self.ends.map(|end| &velocities[end as usize]);
        row.direction.dot(b.linear - a.linear) + row.arms[1].dot(b.angular) - row.arms[0].dot(a.angular)
    }

    /// Pushes both ends along a direction.
    fn push(&self, row: &Equality, impulse: f64, bodies: &[BodyState], velocities: &mut [Velocity]) {
        for (end, sign) in [(0, -impulse), (1, impulse)] {
            let velocity = &mut velocities[self.ends[end] as usize];
            if velocity.inverse_mass > 0.0 {
                velocity.linear += row.direction * (sign * velocity.inverse_mass);
                velocity.angular += bodies[self.ends[end] as usize].inverse_inertia * row.arms[end] * sign;
            }
        }
    }

    /// Lets axes begin anew, and applies constant efforts.
    fn begin(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], h: f64) {
        for (i, _) in self.held.rows_of_axes() {
            self.impulse[i] = 0.0;
        }
        for (i, _) in self.held.drives() {
            self.held.list[i].bias_before = self.held.list[i].bias;
        }
        for (which, row) in self.axes.iter().enumerate() {
            self.efforts[which] = 0.0;
            if let Servo::Effort(effort) = row.axis.servo {
                self.efforts[which] = effort;
                self.push(&row.equality(), effort * h, bodies, velocities);
            }
        }
    }

    /// Notes what servos do; those that ask for more than they can do become constant efforts. Returns whether any did.
    fn saturate(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], h: f64) -> bool {
        let mut any = false;
        for (i, axis) in self.held.drives() {
            let (row, drive) = (&self.axes[axis], self.held.list[i]);
            let most = match row.axis.servo {
                Servo::Position { effort, .. } | Servo::Velocity { effort, .. } => effort,
                Servo::Off | Servo::Effort(_) => continue,
            };
            if self.saturated[axis] != 0.0 {
                continue;
            }
            let effort = servo_effort(row, self.speed(&drive, velocities), self.impulse[i], h);
            self.efforts[axis] = effort.clamp(-most, most);
            if effort.abs() > most * (1.0 + 1e-9) {
                // Zero would say that it is not saturated.
                self.saturated[axis] = most.max(f64::MIN_POSITIVE).copysign(effort);
                self.push(&drive, self.efforts[axis] * h - self.impulse[i], bodies, velocities);
                self.impulse[i] = 0.0;
                any = true;
            }
        }
        any
    }

    /// Stops axes that would leave their ranges, and lets go of those whose stops would have to pull. Returns whether there were any.
    fn stop(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], with_bias: bool, times: [f64; 2]) -> bool {
        let mut any = false;
        for (which, row) in self.axes.iter().enumerate().filter(|(_, row)| row.axis.limits.is_some()) {
            let equality = row.equality();
            let speed = self.speed(&equality, velocities);
            if self.stops[which] == Stop::Free {
                // What has moved already is not stopped any more.
                if with_bias {
                    self.stops[which] = Stop::needed(row, speed, times);
                    any |= self.stops[which] != Stop::Free;
                }
                continue;
            }
            let Some((i, _)) = self.held.rows_of_axes().find(|(_, axis)| *axis == which) else { continue };
            let [drive, servo] = effort_at_stop(row, speed, self.saturated[which] == 0.0, times[1]);
            if self.stops[which].pushes(self.impulse[i] - drive * times[1]) {
                if self.saturated[which] == 0.0 && servo.is_finite() && !matches!(row.axis.servo, Servo::Effort(_)) {
                    self.efforts[which] = servo;
                }
                continue;
            }
            self.stops[which] = Stop::Free;
            self.push(&equality, -self.impulse[i], bodies, velocities);
            self.impulse[i] = 0.0;
            any = true;
        }
        any
    }

    /// How fast the joint comes apart, and what that which hangs below does to it.
    fn feel(&self, velocities: &[Velocity], with_bias: bool, rest: &Vec6) -> Vec6 {
        let below = times(&self.response, rest);
        let mut felt = [0.0; 6];
        for (i, row) in self.held.list[..self.held.count].iter().enumerate() {
            let bias = if with_bias { row.bias } else { row.bias_before };
            felt[i] = self.speed(row, velocities) + bias + row.compliance * self.impulse[i] + below[i];
        }
        felt
    }

    /// Corrects this joint alone.
    fn solve_alone(&mut self, bodies: &[BodyState], velocities: &mut [Velocity], with_bias: bool) {
        let felt = self.feel(velocities, with_bias, &[0.0; 6]);
        let impulse = of_symmetric(&self.inverse, &felt).map(|part| -part);
        (0..6).for_each(|i| self.impulse[i] += impulse[i]);
        for (body, jacobian) in [(Some(self.child), &self.of_child), (self.parent, &self.of_parent)] {
            let Some(body) = body else { continue };
            let push = of_transposed(jacobian, &impulse);
            let (state, velocity) = (&bodies[body as usize], &mut velocities[body as usize]);
            velocity.linear += DVec3::new(push[0], push[1], push[2]) * state.inverse_mass;
            velocity.angular += state.inverse_inertia * DVec3::new(push[3], push[4], push[5]);
        }
    }
}

fn inertia_of(body: &BodyState) -> Mat6 {
    let mut matrix = [[0.0; 6]; 6];
    let turning = body.axes * glam::DMat3::from_diagonal(body.inertia) * body.axes.transpose();
    for i in 0..3 {
        matrix[i][i] = 1.0 / body.inverse_mass;
        for j in 0..3 {
            matrix[3 + i][3 + j] = turning.col(j)[i];
        }
    }
    matrix
}

fn times(matrix: &Mat6, vector: &Vec6) -> Vec6 {
    let mut result = [0.0; 6];
    for (entry, row) in result.iter_mut().zip(matrix) {
        *entry = dot(row, vector);
    }
    result
}

#[inline]
fn dot(a: &Vec6, b: &Vec6) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// The transposed matrix times a vector: a sum of its rows.
fn of_transposed(matrix: &Mat6, vector: &Vec6) -> Vec6 {
    let mut result = [0.0; 6];
    for (row, factor) in matrix.iter().zip(vector) {
        for (entry, part) in result.iter_mut().zip(row) {
            *entry += part * factor;
        }
    }
    result
}

/// A symmetric matrix times a vector.
fn of_symmetric(matrix: &Mat6, vector: &Vec6) -> Vec6 {
    of_transposed(matrix, vector)
}

fn add(matrix: &mut Mat6, other: &Mat6) {
    for (row, other) in matrix.iter_mut().zip(other) {
        for (entry, other) in row.iter_mut().zip(other) {
            *entry += other;
        }
    }
}

/// `a bᵀ`, which is known to be symmetric.
fn product_with_transposed(a: &Mat6, b: &Mat6) -> Mat6 {
    let mut result = [[0.0; 6]; 6];
    for r in 0..6 {
        for c in 0..=r {
            let entry = dot(&a[r], &b[c]);
            (result[r][c], result[c][r]) = (entry, entry);
        }
    }
    result
}

/// Adds `jᵀ m j` of a symmetric m, whose first rows alone are used.
fn add_conjugate(to: &mut Mat6, j: &Mat6, m: &Mat6, used: usize) {
    for (row, m) in j.iter().zip(m).take(used) {
        let half = of_transposed(j, m);
        for (entries, factor) in to.iter_mut().zip(row) {
            for (entry, part) in entries.iter_mut().zip(&half) {
                *entry += factor * part;
            }
        }
    }
}

/// Rows that are not used get a one on the diagonal.
fn with_unit_diagonal(mut matrix: Mat6, used: usize) -> Mat6 {
    for (i, row) in matrix.iter_mut().enumerate().skip(used) {
        row[i] = 1.0;
    }
    matrix
}

/// The inverse of a positive definite matrix: that of its Cholesky factor, times its own transposed.
fn inverse(matrix: &Mat6) -> Mat6 {
    let mut lower = [[0.0; 6]; 6];
    // The factor has the inverses of its diagonal there.
    for i in 0..6 {
        for j in 0..=i {
            let sum = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            // Rounding must not make a pivot vanish.
            lower[i][j] = if i == j { 1.0 / sum.max(1e-14 * matrix[i][i]).sqrt() } else { sum * lower[j][j] };
        }
    }
    // Its inverse, in place, column by column.
    for j in 0..6 {
        for i in j + 1..6 {
            lower[i][j] = -lower[i][i] * (j..i).map(|k| lower[i][k] * lower[k][j]).sum::<f64>();
        }
    }
    let mut result = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let entry = (i..6).map(|k| lower[k][i] * lower[k][j]).sum();
            (result[i][j], result[j][i]) = (entry, entry);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let mut matrix = [[0.0; 6]; 6];
        for (i, row) in matrix.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = 1.0 / (1.0 + (i + j) as f64) + if i == j { 0.5 } else { 0.0 };
            }
        }
        let inverted = inverse(&matrix);
        for i in 0..6 {
            let mut unit = [0.0; 6];
            unit[i] = 1.0;
            let back = times(&matrix, &times(&inverted, &unit));
            (0..6).for_each(|j| assert!((back[j] - unit[j]).abs() < 1e-12, "{back:?}"));
        }
    }
}
