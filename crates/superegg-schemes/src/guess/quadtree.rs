//! The quadtree guess (paper 001 table 7): both surfaces' angles are quartered level by level, and of the 16 pairs of cells
//! the one with the closest centres is kept.
//!
//! A quarter's four centres lie on two rings and two meridians, so that a level costs eight powers a surface, not sixteen.

use superegg::DVec3;

use crate::couple::{Couple, Points};
use crate::trace::{Cell, Recorder};
use superegg_world::superquadric::Superquadric;

/// A cell of one surface's angles.
struct Quarters {
    centre: [f64; 2],
    half: [f64; 2],
}

impl Quarters {
    fn whole(surface: &Superquadric) -> Quarters {
        let [[u0, u1], [v0, v1]] = surface.domain();
        Quarters { centre: [0.5 * (u0 + u1), 0.5 * (v0 + v1)], half: [0.5 * (u1 - u0), 0.5 * (v1 - v0)] }
    }

    /// Centres of the four quarters, as angles and as points.
    fn candidates(&self, surface: &Superquadric) -> [([f64; 2], DVec3); 4] {
        let [u, v] = self.centre;
        let (du, dv) = (0.5 * self.half[0], 0.5 * self.half[1]);
        let meridians = [u - du, u + du].map(|u| (u, surface.direction(u)));
        let rings = [v - dv, v + dv].map(|v| (v, surface.ring(v)));
        let mut found = [([0.0; 2], DVec3::ZERO); 4];
        for (i, (u, direction)) in meridians.into_iter().enumerate() {
            for (j, (v, ring)) in rings.iter().enumerate() {
                found[2 * i + j] = ([u, *v], surface.on_ring(ring, direction));
            }
        }
        found
    }

    fn choose(&mut self, centre: [f64; 2]) {
        self.centre = centre;
        self.half = self.half.map(|half| 0.5 * half);
    }
}

pub(super) fn closest(couple: &Couple, levels: u32, recorder: &mut Recorder) -> Points {
    let (mut cell_a, mut cell_b) = (Quarters::whole(&couple.a), Quarters::whole(&couple.b));
    let mut points = Points { a: DVec3::ZERO, b: DVec3::ZERO };
    for level in 1..=levels {
        let (from_a, from_b) = (cell_a.candidates(&couple.a), cell_b.candidates(&couple.b));
        let placed = from_b.map(|(_, point)| couple.placed(point));
        let mut least_sq = f64::INFINITY;
        let (mut best_a, mut best_b) = (0, 0);
        for (i, (_, point)) in from_a.iter().enumerate() {
            for (j, other) in placed.iter().enumerate() {
                let distance_sq = point.distance_squared(*other);
                if distance_sq < least_sq {
                    (least_sq, best_a, best_b) = (distance_sq, i, j);
                }
            }
        }
        cell_a.choose(from_a[best_a].0);
        cell_b.choose(from_b[best_b].0);
        points = Points { a: from_a[best_a].1, b: from_b[best_b].1 };
        for (body, cell) in [&cell_a, &cell_b].into_iter().enumerate() {
            recorder.cell(|| Cell::Angles { body, level, centre: cell.centre, half: cell.half });
        }
    }
    points
}
