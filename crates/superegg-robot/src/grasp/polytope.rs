//! A polytope of wrenches around the origin in six dimensions that grows point by point.
//!
//! The double description method with adjacency: a facet is its dual point y, with y·w = 1 on it, and its distance from the origin is 1/|y|. Adding a point removes
//! the facets that see it (y·w > 1, exactly: with a tolerance the interpolation below leaves its range) and joins it to their
//! horizon; the dual point of a new facet lies between those of the two facets at its ridge, so that no system is solved.
//! Points are moved inward by a random 1e-8, which keeps bounds valid and the polytope simplicial.

use std::collections::BinaryHeap;

use super::linear::{M6, V6, dot, inverse, plus};

#[derive(Clone, Debug)]
struct Facet {
    y: V6,
    norm_sq: f64,
    /// In increasing order.
    vertices: [u16; 6],
    /// Across the ridge that misses the vertex of the same place.
    neighbors: [u32; 6],
    /// y·w - 1 for the point of the last visit.
    value: f64,
    visit: u32,
    alive: bool,
}

/// A growing polytope.
#[derive(Clone, Debug)]
pub(super) struct Polytope {
    points: Vec<V6>,
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// Facets by |y|², the nearest to the origin first; dead ones are skipped.
    nearest: BinaryHeap<(u64, u32)>,
    visit: u32,
    random: u64,
    // Scratch.
    visible: Vec<u32>,
    fresh: Vec<u32>,
    table: Vec<(u64, u32)>,
}

/// How far points are moved inward, as a part of their distance from the first ones.
const JOGGLE: f64 = 1e-8;
/// Most points.
const MOST_POINTS: usize = 60_000;

impl Polytope {
    /// A simplex with the origin inside; `None` if it is flat.
    pub fn new(simplex: &[V6; 7]) -> Option<Polytope> {
        let mut made = Polytope {
            points: simplex.to_vec(),
            facets: Vec::with_capacity(256),
            free: Vec::new(),
            nearest: BinaryHeap::with_capacity(256),
            visit: 0,
            random: 0x2545_f491_4f6c_dd1d,
            visible: Vec::with_capacity(64),
            fresh: Vec::with_capacity(128),
            table: Vec::new(),
        };
        for missing in 0..7u16 {
            let vertices: [u16; 6] = std::array::from_fn(|i| i as u16 + u16::from(i as u16 >= missing));
            let rows: M6 = vertices.map(|v| simplex[v as usize]);
            let inverse = inverse(&rows)?;
            let y: V6 = std::array::from_fn(|i| inverse[i].iter().sum());
            // The origin has to be on the same side as the vertex that is missing.
            let inside = dot(&y, &simplex[missing as usize]) < 1.0;
            if !inside || !y.iter().all(|v| v.is_finite()) {
                return None;
            }
            // The facet without vertex v is number v.
            let neighbors = vertices.map(u32::from);
            made.add_facet(Facet { y, norm_sq: dot(&y, &y), vertices, neighbors, value: 0.0, visit: 0, alive: true });
        }
        Some(made)
    }

    fn add_facet(&mut self, facet: Facet) -> u32 {
        let norm = facet.norm_sq.to_bits();
        let index = match self.free.pop() {
            Some(index) => {
                self.facets[index as usize] = facet;
                index
            }
            None => {
                self.facets.push(facet);
                self.facets.len() as u32 - 1
            }
        };
        self.nearest.push((norm, index));
        index
    }

    /// The facet that is nearest to the origin, and its dual point.
    pub fn nearest(&mut self) -> Option<(u32, V6)> {
        while let Some(&(norm, index)) = self.nearest.peek() {
            let facet = &self.facets[index as usize];
            if facet.alive && facet.norm_sq.to_bits() == norm {
                return Some((index, facet.y));
            }
            self.nearest.pop();
        }
        None
    }

    /// Dual points of the facets nearest to the origin that differ by some angle.
    pub fn nearest_directions(&self, count: usize, cosine: f64) -> Vec<V6> {
        let mut found: Vec<V6> = Vec::with_capacity(count);
        let mut limit = f64::INFINITY;
        while found.len() < count {
            let differs =
                |y: &V6, norm_sq: f64| found.iter().all(|f| dot(f, y) < cosine * (dot(f, f) * norm_sq).sqrt());
            let alive = self
                .facets
                .iter()
                .filter(|facet| facet.alive && facet.norm_sq < limit && differs(&facet.y, facet.norm_sq));
            let Some(next) = alive.max_by(|a, b| a.norm_sq.total_cmp(&b.norm_sq)) else { break };
            limit = next.norm_sq;
            found.push(next.y);
        }
        found
    }

    /// A facet that sees a point.
    pub fn facet_seeing(&self, point: &V6) -> Option<u32> {
        let seen = |facet: &Facet| facet.alive && dot(&facet.y, point) > 1.0 + 1e-7;
        self.facets.iter().position(seen).map(|index| index as u32)
    }

    fn next_random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Moves a point of the set towards a random place between the first points.
    fn joggled(&mut self, point: &V6) -> V6 {
        let mut moved = *point;
        for first in 0..7 {
            let weight = JOGGLE * (0.25 + self.next_random()) / 7.0;
            let target = self.points[first];
            moved = plus(&moved, &std::array::from_fn(|i| target[i] - point[i]), weight);
        }
        moved
    }

    /// Adds a point that a facet sees. False if that did not go through, and the polytope is no longer of use: its last bound stays.
    pub fn insert(&mut self, seed: u32, point: &V6) -> bool {
        let point = self.joggled(point);
        if self.points.len() >= MOST_POINTS {
            return false;
        }
        let id = self.points.len() as u16;
        self.visit += 1;
        if !self.find_visible(seed, &point) {
            return true;
        }
        self.points.push(point);
        self.fresh.clear();
        for number in 0..self.visible.len() {
            let inner = self.visible[number];
            for slot in 0..6 {
                let outer = self.facets[inner as usize].neighbors[slot];
                if self.facets[outer as usize].value <= 0.0 {
                    self.add_over_ridge(inner, slot, outer, id);
                }
            }
        }
        for number in 0..self.visible.len() {
            let index = self.visible[number];
            self.facets[index as usize].alive = false;
        }
        let linked = self.link();
        // Only now, so that no new facet took the place of a visible one.
        self.free.extend_from_slice(&self.visible);
        linked
    }

    /// Walks over all facets that see the point; the facets beyond them are visited too. False if not even the first does.
    fn find_visible(&mut self, seed: u32, point: &V6) -> bool {
        let visit = self.visit;
        let look = |facet: &mut Facet| {
            facet.visit = visit;
            facet.value = dot(&facet.y, point) - 1.0;
            facet.value > 0.0
        };
        self.visible.clear();
        if !look(&mut self.facets[seed as usize]) {
            return false;
        }
        self.visible.push(seed);
        let mut next = 0;
        while next < self.visible.len() {
            for neighbor in self.facets[self.visible[next] as usize].neighbors {
                let facet = &mut self.facets[neighbor as usize];
                if facet.visit != visit && look(facet) {
                    self.visible.push(neighbor);
                }
            }
            next += 1;
        }
        true
    }

    fn add_over_ridge(&mut self, inner: u32, slot: usize, outer: u32, id: u16) {
        let (inside, outside) = (&self.facets[inner as usize], &self.facets[outer as usize]);
        let share = inside.value / (inside.value - outside.value);
        let y: V6 = std::array::from_fn(|i| inside.y[i] + share * (outside.y[i] - inside.y[i]));
        let mut vertices = [id; 6];
        let mut at = 0;
        for (place, vertex) in inside.vertices.iter().enumerate() {
            if place != slot {
                vertices[at] = *vertex;
                at += 1;
            }
        }
        let mut neighbors = [u32::MAX; 6];
        neighbors[5] = outer;
        let facet = Facet { y, norm_sq: dot(&y, &y), vertices, neighbors, value: 0.0, visit: 0, alive: true };
        let index = self.add_facet(facet);
        self.fresh.push(index);
        let back = self.facets[outer as usize].neighbors.iter().position(|&n| n == inner);
        if let Some(back) = back {
            self.facets[outer as usize].neighbors[back] = index;
        }
    }

    /// Joins the new facets with each other at ridges that contain the new point. False if a ridge is left over.
    fn link(&mut self) -> bool {
        let size = (self.fresh.len() * 8).next_power_of_two().max(64);
        self.table.clear();
        self.table.resize(size, (0, u32::MAX));
        let mut open = 0usize;
        for number in 0..self.fresh.len() {
            let index = self.fresh[number];
            for slot in 0..5 {
                let vertices = &self.facets[index as usize].vertices;
                let mut key = 1u64;
                for (place, vertex) in vertices[..5].iter().enumerate() {
                    if place != slot {
                        key = (key << 16) | u64::from(*vertex);
                    }
                }
                // Four ids of sixteen bits push the one out, but no two ridges have the same four.
                let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (size - 1);
                loop {
                    let (found, place) = self.table[at];
                    if place == u32::MAX {
                        self.table[at] = (key, index * 8 + slot as u32);
                        open += 1;
                        break;
                    }
                    if found == key {
                        let (other, other_slot) = (place / 8, place as usize % 8);
                        if self.facets[other as usize].neighbors[other_slot] != u32::MAX {
                            return false;
                        }
                        self.facets[other as usize].neighbors[other_slot] = index;
                        self.facets[index as usize].neighbors[slot] = other;
                        open -= 1;
                        break;
                    }
                    at = (at + 1) & (size - 1);
                }
            }
        }
        open == 0
    }

    /// Whether all points are within all facets, by this much; for tests.
    #[cfg(test)]
    pub fn worst_violation(&self) -> f64 {
        let alive = self.facets.iter().filter(|facet| facet.alive);
        alive
            .flat_map(|facet| self.points.iter().map(|point| dot(&facet.y, point) - 1.0))
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::closure::{Closure, closure};
    use super::super::wrench::{ContactSet, GraspContact, Hull, WrenchSet};
    use super::*;

    /// Every point stays within every facet while the polytope grows, and its nearest facet never comes nearer.
    #[test]
    fn polytopes_stay_convex() {
        let mut random = fastrand::Rng::with_seed(6);
        let mut grown = 0;
        for _ in 0..60 {
            let mut unit = || 2.0 * random.f64() - 1.0;
            let list: Vec<GraspContact> = (0..5)
                .map(|_| {
                    let point = DVec3::new(unit(), unit(), unit()).normalize_or(DVec3::X);
                    GraspContact { point, normal: -point, friction: 0.6 }
                })
                .collect();
            let contacts = ContactSet::new(&list, DVec3::ZERO, 1.0).unwrap();
            let Closure::Closed(simplex) = closure(&contacts) else { continue };
            let mut polytope = Polytope::new(&simplex).unwrap();
            let mut last = f64::INFINITY;
            for _ in 0..25 {
                let (facet, y) = polytope.nearest().unwrap();
                assert!(dot(&y, &y) <= last * (1.0 + 1e-7));
                last = dot(&y, &y);
                let (_, point) = Hull(&contacts).support(&y);
                if dot(&y, &point) < 1.0 + 1e-6 || !polytope.insert(facet, &point) {
                    break;
                }
                grown += 1;
            }
            assert!(polytope.worst_violation() < 1e-9, "{}", polytope.worst_violation());
        }
        assert!(grown > 300, "{grown}");
    }
}
