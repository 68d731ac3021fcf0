//! A million random pairs over the whole domain: every bound, every status and every answer is checked.
//!
//! `cargo run --release -p superegg-testkit --bin million [PAIRS] [SEED]` draws the pairs of several classes (see [`CLASSES`]) with
//! exponents in [0.05, 1.95], radii ratios to 100:1, sizes from 1e-6 to 1e6 and separations from 1e-12 to 1e6 of the
//! bodies' reach, prints a table and the histogram of iterations as Markdown, and ends with exit code 1 if an answer is
//! not converged, has a gap above 1e-9 of the size, or contradicts itself, its surfaces or a distance known by
//! construction. Those pairs are printed as Rust expressions and as lines for `superegg query`.
//!
//! Where coordinates are so large that their rounding (64 ulp) exceeds 1e-9 of the size, as a million sizes apart, that
//! rounding is what is allowed. No answer may be without bounds. A convex pair's are no wider than asked for, in overlap too, unless
//! many normals are about equally deep (one body about the middle of another that is nearly a ball) and the evaluations end
//! before the proof: those are counted as *open*, and their bounds say by how much. Of a pair that is not convex they may be wide, but the answer lies within, the points bound it from above, and b moved by the depth
//! along the normal no longer overlaps a.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use superegg::query::{Options, Outcome, Status, distance};
use testkit::generate::random::{Arrangement, Spacing, placed, superellipsoids};
use testkit::generate::{self, Domain, Rng, known};
use testkit::{KnownPair, Pair, check};

/// Pairs of one class that are drawn, solved and timed together.
const CHUNK: u64 = 500;
/// Failures that are printed.
const SHOWN: usize = 20;

/// A pair, and its distance if that is known.
struct Sample {
    pair: Pair,
    known: Option<KnownPair>,
}

impl From<Pair> for Sample {
    fn from(pair: Pair) -> Sample {
        Sample { pair, known: None }
    }
}

impl From<KnownPair> for Sample {
    fn from(known: KnownPair) -> Sample {
        Sample { pair: known.pair.clone(), known: Some(known) }
    }
}

type Draw = fn(&mut Rng) -> Sample;

/// Two superellipsoids apart, sizes within three decades of each other.
fn apart(rng: &mut Rng, arrangement: Arrangement) -> Sample {
    let (a, b) = (superellipsoid(rng), superellipsoid(rng));
    let scale = generate::log_uniform(rng, 1e-6..=1e6);
    placed(rng, a, b, arrangement, Spacing::Apart).scaled(scale).into()
}

fn superellipsoid(rng: &mut Rng) -> superegg::shape::Shape {
    generate::superellipsoid(rng, &Domain { size: 1e-3..=1.0, ..Domain::WIDE }).into()
}

fn superovoids(rng: &mut Rng) -> Sample {
    let domain = Domain { size: 1e-3..=1.0, ..Domain::WIDE };
    let (a, b) = (generate::convex_superovoid(rng, &domain).into(), generate::convex_superovoid(rng, &domain).into());
    let scale = generate::log_uniform(rng, 1e-6..=1e6);
    placed(rng, a, b, Arrangement::Random, Spacing::Apart).scaled(scale).into()
}

/// A superovoid of the papers' kind that is not convex.
fn nonconvex(rng: &mut Rng) -> superegg::shape::Shape {
    loop {
        let egg = generate::superovoid(rng, &Domain { exponents: 0.3..=1.1, ..Domain::MODERATE });
        if !egg.is_convex() {
            return egg.into();
        }
    }
}

fn is_convex(shape: &superegg::shape::Shape) -> bool {
    !matches!(shape, superegg::shape::Shape::Superovoid(egg) if !egg.is_convex())
}

/// What is drawn, in equal numbers.
const CLASSES: [(&str, Draw); 14] = [
    ("superellipsoids, random", |rng| apart(rng, Arrangement::Random)),
    ("superellipsoids, centre line", |rng| apart(rng, Arrangement::CentreLine)),
    ("superellipsoids, axis-aligned", |rng| apart(rng, Arrangement::AxisAligned)),
    ("superellipsoids, face to face", |rng| apart(rng, Arrangement::FaceToFace)),
    ("convex superovoids, random", superovoids),
    ("known distance, any facing", |rng| known::apart(rng, &Domain::WIDE, false).into()),
    ("known distance, axis-aligned", |rng| known::axis_aligned(rng, &Domain::WIDE, false).into()),
    ("known distance, point, segment, triangle", |rng| known::flat_apart(rng, &Domain::WIDE).into()),
    ("superellipsoids, shallow overlap", |rng| {
        superellipsoids(rng, &Domain::MODERATE, Arrangement::Random, Spacing::Shallow).into()
    }),
    ("superellipsoids, deep overlap", |rng| {
        superellipsoids(rng, &Domain::MODERATE, Arrangement::Random, Spacing::Deep).into()
    }),
    ("convex superovoids, overlapping", |rng| {
        let [a, b] = [0; 2].map(|_| generate::convex_superovoid(rng, &Domain::MODERATE).into());
        placed(rng, a, b, Arrangement::Random, Spacing::Shallow).into()
    }),
    ("superovoids not convex, apart", |rng| {
        let [a, b] = [nonconvex(rng), nonconvex(rng)];
        placed(rng, a, b, Arrangement::Random, Spacing::Apart).into()
    }),
    ("superovoids not convex, overlapping", |rng| {
        let [a, b] = [nonconvex(rng), nonconvex(rng)];
        placed(rng, a, b, Arrangement::Random, Spacing::Shallow).into()
    }),
    ("superovoid not convex, point, segment, triangle", |rng| {
        let (a, b) = (nonconvex(rng), generate::polytope(rng, 0.5));
        placed(rng, a, b, Arrangement::Random, Spacing::Apart).into()
    }),
];

/// Upper ends of the histogram's bins.
const BINS: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40, 100, u32::MAX];

#[derive(Clone, Default)]
struct Tally {
    pairs: u64,
    not_converged: u64,
    /// Overlaps of convex bodies whose evaluations were spent before the proof was complete.
    open: u64,
    failures: Vec<String>,
    failed: u64,
    /// Of the pairs whose rounding stays below the tolerance.
    worst_gap: f64,
    worst_error: f64,
    histogram: [u64; BINS.len()],
    most_iterations: u32,
    iterations: u64,
    time: Duration,
}

impl Tally {
    fn add(&mut self, sample: &Sample, outcome: &Outcome, options: &Options) {
        let pair = &sample.pair;
        self.pairs += 1;
        self.not_converged += u64::from(outcome.status == Status::NotConverged);
        let rounding = 64.0 * pair.rounding();
        if rounding < 0.1 * options.tolerance * pair.size()
            && outcome.distance >= 0.0
            && let Some(bounds) = outcome.bounds
        {
            self.worst_gap = self.worst_gap.max((bounds.upper - bounds.lower - rounding) / pair.size());
        }
        let convex = is_convex(&pair.a) && is_convex(&pair.b);
        let mut contradictions = match &sample.known {
            Some(known) => {
                let error = (outcome.distance - known.distance).abs() - known.error - rounding;
                self.worst_error = self.worst_error.max(error / pair.size());
                check::contradictions_to_known(known, outcome, options)
            }
            None if convex => check::contradictions(pair, outcome, options),
            None => nonconvex_contradictions(pair, outcome, options),
        };
        match outcome.bounds {
            None => contradictions.push("no bounds".into()),
            Some(bounds) if convex => {
                let (width, allowed) = (bounds.upper - bounds.lower, check::allowance(pair, options));
                if width > allowed && check::has_spent_its_evaluations(outcome, options) {
                    self.open += 1;
                } else if width > allowed && outcome.status != Status::NotConverged {
                    contradictions.push(format!("the bounds are {width:e} apart, allowed {allowed:e}"));
                }
            }
            Some(_) => {}
        }
        if !contradictions.is_empty() {
            self.failed += 1;
            if self.failures.len() < SHOWN {
                let reasons = contradictions.join("; ");
                self.failures.push(format!("- {reasons}\n\n  `{}`\n\n  `{}`\n", pair.to_rust(), pair.to_json()));
            }
        }
        let bin = BINS.iter().position(|&end| outcome.iterations <= end).expect("the last bin has no end");
        self.histogram[bin] += 1;
        self.iterations += u64::from(outcome.iterations);
        self.most_iterations = self.most_iterations.max(outcome.iterations);
    }

    fn merged(mut self, other: Tally) -> Tally {
        self.pairs += other.pairs;
        self.not_converged += other.not_converged;
        self.open += other.open;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.failures.truncate(SHOWN);
        self.worst_gap = self.worst_gap.max(other.worst_gap);
        self.worst_error = self.worst_error.max(other.worst_error);
        for (mine, theirs) in self.histogram.iter_mut().zip(other.histogram) {
            *mine += theirs;
        }
        self.most_iterations = self.most_iterations.max(other.most_iterations);
        self.iterations += other.iterations;
        self.time += other.time;
        self
    }
}

/// What is wrong with an answer for surfaces that are not convex: the bounds need not be narrow, but must hold the answer and not
/// exceed what the points show; the shift by the depth must part the bodies.
fn nonconvex_contradictions(pair: &Pair, outcome: &Outcome, options: &Options) -> Vec<String> {
    // Without its bounds an answer is checked for all that does not rest on convexity.
    let mut plain = *outcome;
    plain.bounds = None;
    let mut found = check::contradictions(pair, &plain, options);
    let allowed = check::allowance(pair, options);
    if let Some(bounds) = outcome.bounds {
        let between = outcome.point_a.distance(outcome.point_b);
        if !(bounds.lower <= outcome.distance + allowed && outcome.distance <= bounds.upper + allowed) {
            found.push(format!("{:e} lies outside of [{:e}, {:e}]", outcome.distance, bounds.lower, bounds.upper));
        }
        if outcome.distance >= 0.0 && bounds.lower > between + allowed {
            found.push(format!("the lower bound exceeds the points' distance by {:e}", bounds.lower - between));
        }
    }
    if outcome.distance < -allowed {
        let moved = pair.with_b_moved(outcome.normal * (4.0 * allowed - outcome.distance));
        if check::sampled_overlap(&moved, 200) > 4.0 * allowed {
            found.push("b moved by the depth along the normal still overlaps".into());
        }
    }
    found
}

/// Draws, solves and checks one chunk; only solving is timed.
fn run_chunk(draw: Draw, seed: u64, count: u64) -> Tally {
    let mut rng = generate::seeded(seed);
    let samples: Vec<Sample> = (0..count).map(|_| draw(&mut rng)).collect();
    let options = Options::DEFAULT;
    let start = Instant::now();
    let outcomes: Vec<_> = (samples.iter())
        .map(|Sample { pair, .. }| distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &options))
        .collect();
    let mut tally = Tally { time: start.elapsed(), ..Tally::default() };
    for (sample, outcome) in samples.iter().zip(outcomes) {
        match outcome {
            Ok(outcome) => tally.add(sample, &outcome, &options),
            Err(error) => {
                tally.failed += 1;
                tally.failures.push(format!("- refused: {error}\n\n  `{}`\n", sample.pair.to_rust()));
            }
        }
    }
    tally
}

fn argument(position: usize, name: &str, default: u64) -> Result<u64, String> {
    match std::env::args().nth(position) {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| format!("{name} has to be a whole number, not {text}")),
    }
}

fn main() -> ExitCode {
    let arguments = argument(1, "PAIRS", 1_000_000).and_then(|pairs| Ok((pairs, argument(2, "SEED", 0)?)));
    let (pairs, seed) = match arguments {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\nusage: million [PAIRS] [SEED]");
            return ExitCode::from(2);
        }
    };
    let chunks = pairs.div_ceil(CHUNK);
    let of_chunk = |chunk: u64| {
        let class = (chunk % CLASSES.len() as u64) as usize;
        let count = CHUNK.min(pairs - chunk * CHUNK);
        (class, run_chunk(CLASSES[class].1, seed.wrapping_mul(1 << 32).wrapping_add(chunk), count))
    };
    let tallies: Vec<(usize, Tally)> = (0..chunks).into_par_iter().map(of_chunk).collect();
    let mut by_class = vec![Tally::default(); CLASSES.len()];
    for (class, tally) in tallies {
        by_class[class] = std::mem::take(&mut by_class[class]).merged(tally);
    }
    let total = by_class.iter().cloned().fold(Tally::default(), Tally::merged);

    println!("{pairs} pairs, seed {seed}, tolerance 1e-9 of the size, {} threads\n", rayon::current_num_threads());
    println!(
        "| class | pairs | not converged | open | contradictions | worst gap / size | worst error / size | mean evaluations | most | µs mean |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let rows = CLASSES.iter().map(|(name, _)| *name).zip(&by_class).chain([("**all**", &total)]);
    for (name, tally) in rows {
        let count = tally.pairs.max(1) as f64;
        println!(
            "| {name} | {} | {} | {} | {} | {:.1e} | {:.1e} | {:.2} | {} | {:.2} |",
            tally.pairs,
            tally.not_converged,
            tally.open,
            tally.failed,
            tally.worst_gap,
            tally.worst_error,
            tally.iterations as f64 / count,
            tally.most_iterations,
            tally.time.as_secs_f64() * 1e6 / count
        );
    }
    println!("\n| evaluations | pairs | part |\n|---|---|---|");
    let mut first = 0;
    for (end, count) in BINS.into_iter().zip(total.histogram) {
        let label = match end {
            u32::MAX => format!("more than {}", first - 1),
            _ if end <= first => format!("{end}"),
            _ => format!("{first}–{end}"),
        };
        println!("| {label} | {count} | {:.4} % |", 100.0 * count as f64 / total.pairs.max(1) as f64);
        first = end.saturating_add(1);
    }
    if total.failed == 0 && total.not_converged == 0 {
        return ExitCode::SUCCESS;
    }
    println!("\n{} of {pairs} pairs failed:\n", total.failed);
    for (index, tally) in by_class.iter().enumerate().filter(|(_, tally)| !tally.failures.is_empty()) {
        println!("### {}\n", CLASSES[index].0);
        tally.failures.iter().take(SHOWN / 4).for_each(|failure| println!("{failure}"));
    }
    ExitCode::FAILURE
}
