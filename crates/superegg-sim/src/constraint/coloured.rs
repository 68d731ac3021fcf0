//! Constraints in colours: no two of one colour share a particle, so a colour may be projected in any order and by any
//! number of threads with the same result.
//!
//! Colours are given greedily in the order of the constraints. What does not fit into [`COLOURS`] of them, as around a
//! vertex of hundreds of edges, is projected one after the other.

use glam::DVec3;
use rayon::prelude::*;
use superegg::query::batch::Threads;

/// A constraint on `N` particles.
pub(crate) trait Constraint<const N: usize>: Copy + Sync {
    /// The particles; always the same for one constraint.
    fn particles(&self) -> [u32; N];
}

/// Most colours.
const COLOURS: u32 = 96;
/// Constraints that a thread takes at a time; colours of fewer than two such pieces are not worth sharing.
const CHUNK: usize = 2048;

/// Constraints sorted by colour.
#[derive(Clone, Debug)]
pub(crate) struct Coloured<C, const N: usize> {
    items: Vec<C>,
    /// Where each colour ends; what comes after the last is projected in turn.
    ends: Vec<usize>,
    /// One more than the largest index.
    particles: usize,
}

impl<C: Constraint<N>, const N: usize> Coloured<C, N> {
    /// Sorts constraints by colour.
    pub fn new(constraints: Vec<C>) -> Coloured<C, N> {
        let particles = constraints.iter().flat_map(|c| c.particles()).max().map_or(0, |last| last as usize + 1);
        let mut taken = vec![u32::MAX; particles];
        let mut items = Vec::with_capacity(constraints.len());
        let mut ends = Vec::new();
        let mut left = constraints;
        for colour in 0..COLOURS {
            if left.is_empty() {
                break;
            }
            left.retain(|constraint| {
                let own = constraint.particles();
                let clash = own.iter().any(|&p| taken[p as usize] == colour);
                let twice = (1..N).any(|i| own[..i].contains(&own[i]));
                if clash || twice {
                    return true;
                }
                for p in own {
                    taken[p as usize] = colour;
                }
                items.push(*constraint);
                false
            });
            ends.push(items.len());
        }
        items.extend(left);
        Coloured { items, ends, particles }
    }

    /// Calls `kernel` with each constraint and the positions of its particles, and takes over what it makes of them.
    pub fn project(&self, positions: &mut [DVec3], threads: Threads, kernel: impl Fn(&C, &mut [DVec3; N]) + Sync) {
        assert!(positions.len() >= self.particles, "constraints on particles that do not exist");
        let shared = Shared(positions.as_mut_ptr());
        let mut start = 0;
        for &end in &self.ends {
            let colour = &self.items[start..end];
            let run = |chunk: &[C]| {
                for constraint in chunk {
                    // SAFETY: the indices are in range, as asserted above, and no other constraint of this colour, on
                    // this thread or another, has any of them: `new` saw to that, and `items` is private.
                    unsafe { shared.project(constraint, &kernel) };
                }
            };
            match threads {
                Threads::All if colour.len() >= 2 * CHUNK => colour.par_chunks(CHUNK).for_each(run),
                Threads::All | Threads::One => run(colour),
            }
            start = end;
        }
        for constraint in &self.items[start..] {
            // SAFETY: in range as above, and one at a time.
            unsafe { shared.project(constraint, &kernel) };
        }
    }
}

/// Positions that several threads change at once, at different indices.
#[derive(Clone, Copy)]
struct Shared(*mut DVec3);

// SAFETY: used only to reach disjoint elements from different threads.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The constraint's particles exist, and nobody else uses them meanwhile.
    #[inline(always)]
    unsafe fn project<C: Constraint<N>, const N: usize>(&self, constraint: &C, kernel: &impl Fn(&C, &mut [DVec3; N])) {
        let own = constraint.particles();
        // SAFETY: the caller's.
        let mut points = own.map(|p| unsafe { *self.0.add(p as usize) });
        kernel(constraint, &mut points);
        for (p, point) in own.into_iter().zip(points) {
            // SAFETY: the caller's.
            unsafe { *self.0.add(p as usize) = point };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Link([u32; 2]);

    impl Constraint<2> for Link {
        fn particles(&self) -> [u32; 2] {
            self.0
        }
    }

    #[test]
    fn a_colour_names_no_particle_twice() {
        let mut random = fastrand::Rng::with_seed(5);
        // A star of more arms than there are colours, and random links.
        let star = (1..300).map(|arm| Link([0, arm]));
        let links = star.chain((0..2000).map(|_| Link([random.u32(0..400), random.u32(0..400)]))).collect::<Vec<_>>();
        let coloured = Coloured::new(links.clone());
        assert_eq!(coloured.items.len(), links.len());
        let mut start = 0;
        for &end in &coloured.ends {
            let mut seen = std::collections::HashSet::new();
            assert!(coloured.items[start..end].iter().flat_map(|link| link.0).all(|p| seen.insert(p)));
            start = end;
        }
        assert!(start < links.len(), "the star's last arms have no colour");
    }

    #[test]
    fn threads_change_nothing() {
        let links: Vec<_> = (0..20_000).map(|i| Link([i, i + 1])).collect();
        let coloured = Coloured::new(links);
        let start: Vec<DVec3> = (0..20_001).map(|i| DVec3::splat(f64::from(i).sin())).collect();
        let mix = |_: &Link, [a, b]: &mut [DVec3; 2]| (*a, *b) = (0.7 * *a + 0.3 * *b, 0.6 * *b + 0.4 * *a);
        let [mut one, mut all] = [start.clone(), start];
        coloured.project(&mut one, Threads::One, mix);
        coloured.project(&mut all, Threads::All, mix);
        assert_eq!(one, all);
    }
}
