//! Penetration depth: the shortest translation that separates two overlapping convex bodies.
//!
//! The depth is the least `σ(n) = h_a(n) + h_b(-n) - n·c` over unit normals, a problem with several local minima. Many
//! directions are scored by `σ` itself ([`super::starts`]); the best are refined ([`super::descent`]), four at a time where
//! the CPU has vector lanes ([`super::search`]). Any direction gives an upper bound of the depth, so the answer is never
//! too small a translation; that it is the least one rests on the starts and is tested by sampling.

use super::candidate::Candidate;
use super::search::{GROUP, Search};
use super::starts::{MOST_STARTS, Starts};
use crate::lanes::V3;

/// Groups of starts that are looked into at most, and the score (as a multiple of the best depth so far) up to which a
/// group is worth it.
const MOST_GROUPS: usize = 6;
const WORTHWHILE_SCORE: f64 = 2.0;
/// Rounds for the best group, for a look into a further one, and for the winner.
const ROUGH: u32 = 8;
const GLANCE: u32 = 3;
pub(super) const FINE: u32 = 40;
/// After a glance, candidates up to this multiple of the best depth are followed further.
const PROMISING: f64 = 1.25;
/// Depths within this part of the size are taken for equal.
pub(super) const SAME_DEPTH: f64 = 1e-12;

/// A number that sorts starts by their scores: the bits of the score in ascending order, the last ones replaced by the
/// start's index. Sorting whole numbers takes half the time of sorting indices by what they stand for.
fn ascending_key(score: f64, start: usize) -> u64 {
    let bits = score.to_bits();
    let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    ascending & !START_BITS | start as u64
}

/// The start that a key belongs to.
fn start_of(key: u64) -> usize {
    (key & START_BITS) as usize
}

/// Bits of a key that hold a start's index.
const START_BITS: u64 = (MOST_STARTS.next_power_of_two() - 1) as u64;

/// The least translation among the local minima near the best starts.
pub(crate) fn deepest(search: &impl Search, starts: &Starts) -> Candidate {
    let mut scores = [f64::INFINITY; MOST_STARTS];
    let mut evaluations = 0.0;
    let mut first = 0;
    while first < starts.count {
        let known = starts.known[first];
        let same = (first..starts.count).take(GROUP).take_while(|&i| starts.known[i] == known).count();
        let normals: [_; GROUP] = std::array::from_fn(|i| starts.normals[first + i.min(same - 1)]);
        let partial = search.score(&normals, known);
        for (offset, score) in partial.into_iter().take(same).enumerate() {
            scores[first + offset] = score + starts.supports[first + offset];
        }
        evaluations += GROUP as f64;
        first += same;
    }
    let mut keys: [u64; MOST_STARTS] = std::array::from_fn(|i| ascending_key(scores[i], i));
    let order = &mut keys[..starts.count];
    order.sort_unstable();
    let normals_of = |keys: &[u64]| -> [V3<f64>; GROUP] {
        std::array::from_fn(|i| starts.normals[start_of(keys[i.min(keys.len() - 1)])])
    };
    let mut groups = order.chunks(GROUP);
    let mut best = Candidate {
        normal: starts.normals[start_of(order[0])],
        depth: f64::MAX,
        x_a: V3::splat(0.0),
        x_b: V3::splat(0.0),
        residual: f64::MAX,
        settled: false,
        evaluations: 0.0,
    };
    let mut offer = |best: &mut Candidate, found: Candidate| {
        evaluations += found.evaluations;
        // Depths that differ by less than rounding are equal; then the better common normal wins.
        let lead = best.depth - found.depth;
        if lead > SAME_DEPTH || (lead > -SAME_DEPTH && found.residual < best.residual) {
            *best = found;
        }
    };
    if let Some(group) = groups.next() {
        for found in search.refine(&normals_of(group), ROUGH) {
            offer(&mut best, found);
        }
    }
    let mut promising = [best; GROUP];
    let mut count = 0;
    for group in groups.take(MOST_GROUPS - 1) {
        if scores[start_of(group[0])] > WORTHWHILE_SCORE * best.depth {
            break;
        }
        for found in search.refine(&normals_of(group), GLANCE) {
            let same = promising[..count].iter().any(|other| other.normal.dot(found.normal) > 0.9999);
            if same || found.depth > PROMISING * best.depth {
                continue;
            }
            if count < GROUP {
                promising[count] = found;
                count += 1;
            } else if let Some(worst) = promising.iter_mut().max_by(|a, b| a.depth.total_cmp(&b.depth))
                && found.depth < worst.depth
            {
                *worst = found;
            }
        }
    }
    if count > 0 {
        let normals = std::array::from_fn(|i| promising[i.min(count - 1)].normal);
        for found in search.refine(&normals, ROUGH) {
            offer(&mut best, found);
        }
    }
    if !best.settled {
        let [polished, ..] = search.refine(&[best.normal; GROUP], FINE);
        offer(&mut best, polished);
    }
    Candidate { evaluations, ..best }
}
