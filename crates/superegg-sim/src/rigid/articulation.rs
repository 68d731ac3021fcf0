//! Bodies that hang together, solved exactly: linear-time dynamics with Lagrange multipliers (Baraff, SIGGRAPH 1996).
//!
//! Bodies and joints form a forest once the joints that close loops are set aside. Eliminating it from the leaves, every
//! joint adds to its parent body the inertia of all that hangs below it; one pass down and one up then give all impulses, in
//! time proportional to the joints and whatever the masses, so that a chain of a hundred links does not stretch. Joints
//! that close loops are corrected in turn with the rest.

use glam::DVec3;

use super::body::State;
use super::linkage::Linkage;
use super::row::{Velocities, Velocity};

type Vec6 = [f64; 6];
type Mat6 = [[f64; 6]; 6];

/// How often joints that close loops are corrected in turn with the others.
const ROUNDS: usize = 8;

/// One direction that a joint holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Equality {
    direction: DVec3,
    arms: [DVec3; 2],
    bias: f64,
}

impl Equality {
    /// Along a direction, at points given from the centres of mass along the world's axes.
    pub fn along(direction: DVec3, arms: [DVec3; 2], bias: f64) -> Equality {
        Equality { direction, arms: arms.map(|arm| arm.cross(direction)), bias }
    }

    /// About an axis.
    pub fn about(axis: DVec3, bias: f64) -> Equality {
        Equality { direction: DVec3::ZERO, arms: [axis; 2], bias }
    }
}

/// Everything that a joint holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Equalities {
    list: [Equality; 6],
    count: usize,
}

impl Equalities {
    /// Adds one of at most six.
    pub fn push(&mut self, equality: Equality) {
        self.list[self.count] = equality;
        self.count += 1;
    }

    /// How the speeds of the equalities depend on the velocity of an end; rows that are not used are zero.
    fn jacobian(&self, end: usize) -> Mat6 {
        let sign = [-1.0, 1.0][end];
        self.list.map(|row| {
            let (d, arm) = (row.direction * sign, row.arms[end] * sign);
            [d.x, d.y, d.z, arm.x, arm.y, arm.z]
        })
    }
}

/// A joint and the body below it.
#[derive(Clone, Debug)]
struct Node {
    linkage: u32,
    child: u32,
    /// `None` for what nothing can push.
    parent: Option<u32>,
    ends: [u32; 2],
    /// Which end the child is.
    below: usize,
    held: Equalities,
    /// Jacobians of child and parent.
    of_child: Mat6,
    of_parent: Mat6,
    /// Inverses of the inertia of child and all below it, and of what the joint feels.
    inverse_inertia: Mat6,
    inverse: Mat6,
    /// Impulses since the joint was placed, and the sum of the sizes of those before.
    impulse: Vec6,
    sum: f64,
}

/// All bodies that hang together.
#[derive(Clone, Debug, Default)]
pub(super) struct Articulation {
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
    pub fn new(linkages: &[Option<Linkage>], bodies: &[State], velocities: &Velocities) -> Articulation {
        let free = |body: u32| velocities.list[body as usize].inverse_mass > 0.0;
        let mut at: Vec<Vec<(u32, [u32; 2])>> = vec![Vec::new(); bodies.len() + 1];
        let mut anchored = Vec::new();
        for (number, linkage) in (0u32..).zip(linkages) {
            let Some(linkage) = linkage else { continue };
            let ends = linkage.ends(bodies);
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
        let mut used = vec![false; linkages.len()];
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
        made.inertia = vec![[[0.0; 6]; 6]; bodies.len() + 1];
        made.rest = vec![[0.0; 6]; bodies.len() + 1];
        made.change = made.rest.clone();
        made
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.loops.is_empty()
    }

    /// With which impulse each joint has held its bodies together.
    pub fn pulls(&self) -> impl Iterator<Item = (u32, f64)> {
        self.nodes.iter().chain(&self.loops).map(|node| (node.linkage, node.pull()))
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

    /// Works everything out from where the bodies are.
    pub fn factor(&mut self, linkages: &[Option<Linkage>], bodies: &[State], h: f64) {
        let Articulation { nodes, roots, loops, inertia, .. } = self;
        for body in nodes.iter().map(|node| node.child).chain(roots.iter().map(|root| root.0)) {
            inertia[body as usize] = inertia_of(&bodies[body as usize]);
        }
        for node in nodes.iter_mut().rev() {
            node.place(linkages, bodies, h);
            node.inverse_inertia = inverse(&inertia[node.child as usize]);
            let felt = conjugate(&node.of_child, &node.inverse_inertia);
            node.inverse = inverse(&with_unit_diagonal(felt, node.held.count));
            for row in node.inverse.iter_mut().skip(node.held.count) {
                *row = [0.0; 6];
            }
            if let Some(parent) = node.parent {
                let above = conjugate(&transposed(&node.of_parent), &node.inverse);
                add(&mut inertia[parent as usize], &above);
            }
        }
        for (body, inverted) in roots {
            *inverted = inverse(&inertia[*body as usize]);
        }
        for node in loops {
            node.place(linkages, bodies, h);
            node.inverse_inertia = inverse(&inertia_of(&bodies[node.child as usize]));
            let mut felt = conjugate(&node.of_child, &node.inverse_inertia);
            if let Some(parent) = node.parent {
                add(&mut felt, &conjugate(&node.of_parent, &inverse(&inertia_of(&bodies[parent as usize]))));
            }
            node.inverse = inverse(&with_unit_diagonal(felt, node.held.count));
            for row in node.inverse.iter_mut().skip(node.held.count) {
                *row = [0.0; 6];
            }
        }
    }

    /// Gives the bodies the velocities that the joints leave them; `with_bias` also brings back what is off.
    pub fn solve(&mut self, bodies: &[State], velocities: &mut [Velocity], with_bias: bool) {
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
        for node in nodes.iter().rev() {
            if let Some(parent) = node.parent {
                let felt = node.felt(velocities, with_bias, &rest[node.child as usize]);
                let impulse = times(&node.inverse, &felt);
                let back = times(&transposed(&node.of_parent), &impulse);
                (0..6).for_each(|i| rest[parent as usize][i] -= back[i]);
            }
        }
        for (body, inverted) in roots.iter() {
            change[*body as usize] = times(inverted, &rest[*body as usize]);
        }
        for node in nodes.iter_mut() {
            let mut felt = node.felt(velocities, with_bias, &rest[node.child as usize]);
            if let Some(parent) = node.parent {
                let above = times(&node.of_parent, &change[parent as usize]);
                (0..6).for_each(|i| felt[i] += above[i]);
            }
            let impulse = times(&node.inverse, &felt).map(|part| -part);
            (0..6).for_each(|i| node.impulse[i] += impulse[i]);
            let mut push = times(&transposed(&node.of_child), &impulse);
            (0..6).for_each(|i| push[i] += rest[node.child as usize][i]);
            change[node.child as usize] = times(&node.inverse_inertia, &push);
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
    fn new(linkage: u32, ends: [u32; 2], below: usize, parent: Option<u32>) -> Node {
        let none = [[0.0; 6]; 6];
        Node {
            linkage,
            child: ends[below],
            parent,
            ends,
            below,
            held: Equalities::default(),
            of_child: none,
            of_parent: none,
            inverse_inertia: none,
            inverse: none,
            impulse: [0.0; 6],
            sum: 0.0,
        }
    }

    /// The size of all impulses that moved the bodies, those that turned them apart.
    fn pull(&self) -> f64 {
        let rows = self.held.list.iter().zip(&self.impulse).filter(|(row, _)| row.direction != DVec3::ZERO);
        self.sum + rows.map(|(_, impulse)| impulse * impulse).sum::<f64>().sqrt()
    }

    fn place(&mut self, linkages: &[Option<Linkage>], bodies: &[State], h: f64) {
        (self.sum, self.impulse) = (self.pull(), [0.0; 6]);
        if let Some(linkage) = &linkages[self.linkage as usize] {
            self.held = linkage.equalities(bodies, h);
        }
        self.of_child = self.held.jacobian(self.below);
        self.of_parent = self.held.jacobian(1 - self.below);
    }

    /// How fast the joint comes apart, and what that which hangs below does to it.
    fn felt(&self, velocities: &[Velocity], with_bias: bool, rest: &Vec6) -> Vec6 {
        let below = times(&self.of_child, &times(&self.inverse_inertia, rest));
        let [a, b] = self.ends.map(|end| &velocities[end as usize]);
        let mut felt = [0.0; 6];
        for (i, row) in self.held.list[..self.held.count].iter().enumerate() {
            let speed =
                row.direction.dot(b.linear - a.linear) + row.arms[1].dot(b.angular) - row.arms[0].dot(a.angular);
            felt[i] = speed + if with_bias { row.bias } else { 0.0 } + below[i];
        }
        felt
    }

    /// Corrects this joint alone.
    fn solve_alone(&mut self, bodies: &[State], velocities: &mut [Velocity], with_bias: bool) {
        let impulse = times(&self.inverse, &self.felt(velocities, with_bias, &[0.0; 6])).map(|part| -part);
        (0..6).for_each(|i| self.impulse[i] += impulse[i]);
        for (body, jacobian) in [(Some(self.child), &self.of_child), (self.parent, &self.of_parent)] {
            let Some(body) = body else { continue };
            let push = times(&transposed(jacobian), &impulse);
            let (state, velocity) = (&bodies[body as usize], &mut velocities[body as usize]);
            velocity.linear += DVec3::new(push[0], push[1], push[2]) * state.inverse_mass;
            velocity.angular += state.inverse_inertia * DVec3::new(push[3], push[4], push[5]);
        }
    }
}

fn inertia_of(body: &State) -> Mat6 {
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
    matrix.map(|row| (0..6).map(|j| row[j] * vector[j]).sum())
}

fn transposed(matrix: &Mat6) -> Mat6 {
    let mut result = [[0.0; 6]; 6];
    for (i, row) in matrix.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            result[j][i] = *entry;
        }
    }
    result
}

fn add(matrix: &mut Mat6, other: &Mat6) {
    for (row, other) in matrix.iter_mut().zip(other) {
        for (entry, other) in row.iter_mut().zip(other) {
            *entry += other;
        }
    }
}

/// `j m jᵀ` of a symmetric m.
fn conjugate(j: &Mat6, m: &Mat6) -> Mat6 {
    let half = j.map(|row| times(m, &row));
    let mut result = [[0.0; 6]; 6];
    for (r, half) in half.iter().enumerate() {
        for (c, row) in j.iter().enumerate() {
            result[r][c] = (0..6).map(|k| half[k] * row[k]).sum();
        }
    }
    result
}

/// Rows that are not used get a one on the diagonal.
fn with_unit_diagonal(mut matrix: Mat6, used: usize) -> Mat6 {
    for (i, row) in matrix.iter_mut().enumerate().skip(used) {
        row[i] = 1.0;
    }
    matrix
}

/// The inverse of a positive definite matrix by Cholesky's factors.
fn inverse(matrix: &Mat6) -> Mat6 {
    let mut lower = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let sum = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            // Rounding must not make a pivot vanish.
            lower[i][j] = if i == j { sum.max(1e-14 * matrix[i][i]).sqrt() } else { sum / lower[j][j] };
        }
    }
    let mut result = [[0.0; 6]; 6];
    // The inverse is symmetric: its columns are its rows.
    for (column, row) in result.iter_mut().enumerate() {
        let mut x = [0.0; 6];
        for i in 0..6 {
            let unit = if i == column { 1.0 } else { 0.0 };
            x[i] = (unit - (0..i).map(|k| lower[i][k] * x[k]).sum::<f64>()) / lower[i][i];
        }
        for i in (0..6).rev() {
            x[i] = (x[i] - (i + 1..6).map(|k| lower[k][i] * x[k]).sum::<f64>()) / lower[i][i];
        }
        *row = x;
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
