//! Constraints in colours: no two of one colour share a particle, so a colour may be projected in any order, four at a time
//! and by any number of threads, with the same result.
//!
//! Colours are given greedily in the order of the constraints. What does not fit into [`COLOURS`] of them, as around a
//! vertex of hundreds of edges, is projected one after the other.

use rayon::prelude::*;
use superegg::Threads;

use super::packed::Packed;

/// A constraint on `N` particles.
pub(crate) trait Constraint<const N: usize>: Copy + Send + Sync {
    /// Four constraints side by side, for CPUs with AVX2.
    type Quad: Copy + Send + Sync;

    /// The particles; always the same for one constraint.
    fn particles(&self) -> [u32; N];

    /// Moves the particles.
    fn project(&self, particles: &mut [Packed; N], inverse_h_sq: f64);

    /// Puts four side by side, if there is a vector form.
    fn quad(four: [Self; 4]) -> Option<Self::Quad>;

    /// Projects four at once, to the same bits as one by one.
    ///
    /// # Safety
    /// The CPU has AVX2; the particles exist, are distinct, and nobody else uses them meanwhile.
    #[cfg(target_arch = "x86_64")]
    unsafe fn project_quad(quad: &Self::Quad, particles: *mut Packed, inverse_h_sq: f64);
}

/// Most colours.
const COLOURS: u32 = 96;
/// Constraints that a thread takes at a time, a multiple of four; colours of fewer than two such pieces are not worth
/// sharing.
const CHUNK: usize = 2048;

/// Constraints sorted by colour.
#[derive(Clone, Debug)]
pub(crate) struct Coloured<C: Constraint<N>, const N: usize> {
    colours: Vec<Colour<C, C::Quad>>,
    /// Those without a colour.
    rest: Vec<C>,
    /// One more than the largest index.
    particles: usize,
}

#[derive(Clone, Debug)]
struct Colour<C, Q> {
    items: Vec<C>,
    /// The first items, four at a time; empty without a vector form or a CPU for it.
    quads: Vec<Q>,
}

impl<C: Constraint<N>, const N: usize> Coloured<C, N> {
    /// Sorts constraints by colour.
    pub fn new(constraints: Vec<C>) -> Coloured<C, N> {
        Coloured::with_lanes(constraints, has_lanes())
    }

    fn with_lanes(constraints: Vec<C>, lanes: bool) -> Coloured<C, N> {
        let particles = constraints.iter().flat_map(|c| c.particles()).max().map_or(0, |last| last as usize + 1);
        let mut taken = vec![u32::MAX; particles];
        let mut colours = Vec::new();
        let mut left = constraints;
        for colour in 0..COLOURS {
            if left.is_empty() {
                break;
            }
            let mut items = Vec::new();
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
            let four = |four: &[C]| C::quad([four[0], four[1], four[2], four[3]]);
            let quads = if lanes { items.chunks_exact(4).map_while(four).collect() } else { Vec::new() };
            colours.push(Colour { items, quads });
        }
        Coloured { colours, rest: left, particles }
    }

    /// All constraints, in the order in which they are projected but for the quads.
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.colours.iter().flat_map(|colour| &colour.items).chain(&self.rest)
    }

    /// Projects every constraint once.
    pub fn project(&self, particles: &mut [Packed], inverse_h_sq: f64, threads: Threads) {
        assert!(particles.len() >= self.particles, "constraints on particles that do not exist");
        let shared = Shared(particles.as_mut_ptr());
        // SAFETY: the indices are in range, as asserted above, and no other constraint of the same colour, on
        // this thread or another, has any of them: `new` saw to that, and the fields are private.
        let one = |constraint: &C| unsafe { shared.project(constraint, inverse_h_sq) };
        // SAFETY: as above, and quads exist only on CPUs with AVX2.
        #[cfg(target_arch = "x86_64")]
        let four = |quad: &C::Quad| unsafe { C::project_quad(quad, shared.pointer(), inverse_h_sq) };
        #[cfg(not(target_arch = "x86_64"))]
        let four = |_: &C::Quad| unreachable!("quads exist only on CPUs with AVX2");
        for Colour { items, quads } in &self.colours {
            let single = &items[4 * quads.len()..];
            if threads == Threads::All && items.len() >= 2 * CHUNK {
                quads.par_chunks(CHUNK / 4).for_each(|chunk| chunk.iter().for_each(four));
                single.par_chunks(CHUNK).for_each(|chunk| chunk.iter().for_each(one));
            } else {
                quads.iter().for_each(four);
                single.iter().for_each(one);
            }
        }
        self.rest.iter().for_each(one);
    }
}

/// Whether four constraints can be projected at once.
fn has_lanes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Particles that several threads change at once, at different indices.
#[derive(Clone, Copy)]
struct Shared(*mut Packed);

// SAFETY: used only to reach disjoint elements from different threads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    #[cfg(target_arch = "x86_64")]
    fn pointer(&self) -> *mut Packed {
        self.0
    }

    /// # Safety
    /// The constraint's particles exist, and nobody else uses them meanwhile.
    #[inline(always)]
    unsafe fn project<C: Constraint<N>, const N: usize>(&self, constraint: &C, inverse_h_sq: f64) {
        let own = constraint.particles();
        // SAFETY: the caller's.
        let mut points = own.map(|p| unsafe { *self.0.add(p as usize) });
        constraint.project(&mut points, inverse_h_sq);
        for (p, point) in own.into_iter().zip(points) {
            // SAFETY: the caller's.
            unsafe { *self.0.add(p as usize) = point };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bending::Isometric;
    use super::super::stretch::Stretch;
    use super::*;
    use glam::DVec3;

    fn edge(a: u32, b: u32) -> Stretch {
        Stretch {
            particles: [a, b],
            rest: 0.4 + 0.1 * f64::from(a % 7),
            compliance: 1e-3 * f64::from(b % 3),
            compression: 1e-2,
            longest: 0.9,
        }
    }

    fn cloud(count: u32) -> Vec<Packed> {
        let at = |i: u32| DVec3::new(f64::from(i).sin(), f64::from(7 * i).cos(), f64::from(3 * i).sin());
        // Some without mass, some in one place.
        (0..count).map(|i| Packed::new(at(i - i % 11 / 10), f64::from(i % 5))).collect()
    }

    #[test]
    fn a_colour_names_no_particle_twice() {
        let mut random = fastrand::Rng::with_seed(5);
        // A star of more arms than there are colours, and random links.
        let links: Vec<Stretch> = (1..300)
            .map(|arm| edge(0, arm))
            .chain((0..2000).map(|_| edge(random.u32(0..400), random.u32(0..400))))
            .collect();
        let coloured = Coloured::new(links.clone());
        let count: usize = coloured.colours.iter().map(|colour| colour.items.len()).sum();
        assert_eq!(count + coloured.rest.len(), links.len());
        for colour in &coloured.colours {
            let mut seen = std::collections::HashSet::new();
            assert!(colour.items.iter().flat_map(|link| link.particles).all(|p| seen.insert(p)));
        }
        assert!(coloured.rest.len() > 200, "the star's last arms have no colour");
    }

    #[test]
    fn threads_and_lanes_change_no_bit() {
        let links: Vec<Stretch> =
            (0..30_000).map(|i| edge(i, (i * 7 + 1) % 30_000)).filter(|e| e.particles[0] != e.particles[1]).collect();
        let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.9, 0.0), DVec3::new(0.6, -0.7, 0.0)];
        let bends: Vec<Isometric> = (0..29_990)
            .filter_map(|i| Isometric::new([i, i + 1, i + 3, i + 7], rest, 1e-3 * f64::from(i % 4)))
            .collect();
        let run = |lanes: bool, threads: Threads| {
            let mut particles = cloud(30_000);
            Coloured::with_lanes(links.clone(), lanes).project(&mut particles, 1e2, threads);
            Coloured::with_lanes(bends.clone(), lanes).project(&mut particles, 1e2, threads);
            assert!(particles.iter().all(|p| p.position().is_finite()));
            particles
        };
        let plain = run(false, Threads::One);
        assert!(plain != cloud(30_000));
        assert!(plain == run(true, Threads::One), "lanes");
        assert!(plain == run(true, Threads::All), "threads");
    }
}
