//! A hundred thousand penetration depths: none is missed, no bound is wrong.
//!
//! `cargo xtask long`, or `cargo test --release -p superegg --test depth_many -- --ignored --nocapture`. Each answer is
//! compared with the best of 400 sampled normals and two climbs from the best of them, by support functions of the testkit's
//! own, which never exceed the true signed distance by more than rounding. What they find above the answer is a miss, what
//! they find above the upper bound a wrong bound; the lower bound is evaluated anew along the witness normal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use superegg::query::{Options, Status, distance};
use superegg::shape::{Point, Segment, Shape, Triangle};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, known};
use testkit::oracle::sampling::{climb_for, lattice};
use testkit::oracle::support::Separation;

const COUNT: u64 = 100_000;
const NORMALS: usize = 400;
/// Gain below which a climb ends, in units of the size: a hundredth of what counts as a miss.
const LEAST_GAIN: f64 = 1e-11;

/// The shapes of a pair, by class.
fn shapes(rng: &mut Rng, class: u64) -> [Shape; 2] {
    let slender = Domain { exponents: 0.02..=1.98, aspect: 100.0, ..Domain::MODERATE };
    let ordinary = Domain { aspect: 4.0, ..Domain::MODERATE };
    match class {
        0 | 1 => [0; 2].map(|_| generate::superellipsoid(rng, &Domain { aspect: 4.0, ..Domain::PAPER }).into()),
        2 | 3 => [0; 2].map(|_| generate::superellipsoid(rng, &Domain::MODERATE).into()),
        4 => [0; 2].map(|_| generate::superellipsoid(rng, &slender).into()),
        5 | 6 => [0; 2].map(|_| generate::convex_superovoid(rng, &ordinary).into()),
        _ => {
            let body = known::convex_body(rng, &ordinary, false);
            let mut vertex = || generate::direction(rng) * 0.1;
            let simplex: Shape = match class {
                7 => Point::new([vertex()]).unwrap().into(),
                8 => Segment::new([vertex(), vertex()]).unwrap().into(),
                _ => Triangle::new([vertex(), vertex(), vertex()]).unwrap().into(),
            };
            [body, simplex]
        }
    }
}

#[derive(Default)]
struct Tally {
    overlapping: AtomicU64,
    open: AtomicU64,
    evaluations: AtomicU64,
    /// Widest bracket of those that stay open, in units of 1e-15 of the size.
    widest: AtomicU64,
}

fn check(seed: u64, tally: &Tally) -> Option<String> {
    let mut rng = generate::seeded(seed);
    let [a, b] = shapes(&mut rng, seed % 10);
    let spacing = [Spacing::Shallow, Spacing::Deep][(seed / 10) as usize % 2];
    let pair = placed(&mut rng, a, b, Arrangement::ALL[(seed / 20) as usize % 4], spacing);
    let outcome = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair");
    let bounds = outcome.bounds.expect("convex");
    let (size, rounding) = (pair.size(), 64.0 * pair.rounding());
    let count = |counter: &AtomicU64, by: u64| counter.fetch_add(by, Ordering::Relaxed);
    count(&tally.overlapping, u64::from(outcome.distance < 0.0));
    count(&tally.evaluations, u64::from(outcome.iterations));
    let separation = Separation::new(&pair);
    let mut samples: Vec<_> = lattice(NORMALS)
        .chain(separation.special_directions())
        .map(|normal| (separation.along(normal).value, normal))
        .collect();
    samples.sort_by(|p, q| q.0.total_cmp(&p.0));
    let climbs = samples[..2].iter().map(|start| climb_for(&separation, start.1, 0.05, LEAST_GAIN * size).1);
    let best = climbs.fold(samples[0].0, f64::max);
    let at_witness = separation.along(outcome.witness).value;
    let mut wrong = Vec::new();
    let mut expect = |right: bool, what: &str| {
        if !right {
            wrong.push(what.to_owned());
        }
    };
    expect(best <= bounds.upper + rounding, "the upper bound is too low");
    expect(at_witness >= bounds.lower - rounding, "the lower bound is too high");
    expect(best <= outcome.distance + 1e-9 * size + rounding, "not the least depth");
    expect(bounds.lower - rounding <= outcome.distance && outcome.distance <= bounds.upper + rounding, "not in bounds");
    let width = bounds.upper - bounds.lower;
    if outcome.status == Status::NotConverged || outcome.iterations + 120 >= Options::DEFAULT.max_iterations {
        count(&tally.open, 1);
        tally.widest.fetch_max((1e15 * width / size) as u64, Ordering::Relaxed);
    } else {
        expect(width <= 1e-9 * size + 2.0 * rounding, "wider than asked for");
    }
    (!wrong.is_empty())
        .then(|| format!("seed {seed}: {}, {best:e} in {bounds:?}: {}", wrong.join(", "), pair.to_rust()))
}

#[test]
#[ignore = "minutes"]
fn a_hundred_thousand_depths_are_the_least() {
    let tally = Tally::default();
    let (next, begin) = (AtomicU64::new(0), Instant::now());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut wrong = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= COUNT {
                    return wrong;
                }
                if seed.is_multiple_of(COUNT / 20) {
                    eprintln!("{seed} of {COUNT} pairs after {:.0} s", begin.elapsed().as_secs_f64());
                }
                let found = check(seed, &tally);
                found.iter().for_each(|found| eprintln!("{found}"));
                wrong.extend(found);
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    println!(
        "{COUNT} pairs, {} in overlap, {:.1} evaluations each; {} stay open, by up to {:.1e} of the size",
        read(&tally.overlapping),
        read(&tally.evaluations) as f64 / COUNT as f64,
        read(&tally.open),
        1e-15 * read(&tally.widest) as f64
    );
    assert!(wrong.is_empty(), "{} wrong, such as\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    assert!(read(&tally.overlapping) > COUNT * 8 / 10 && read(&tally.open) * 200 <= COUNT);
}

/// A sample of it in every run.
#[test]
fn a_thousand_depths_are_the_least() {
    let tally = Tally::default();
    let wrong: Vec<String> = (COUNT..COUNT + 1_000).filter_map(|seed| check(seed, &tally)).collect();
    assert!(wrong.is_empty(), "{} wrong, such as\n{}", wrong.len(), wrong.join("\n"));
}
