//! No query allocates: a counting allocator watches them. In a binary of its own, as there is one allocator a process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use superegg::Pose2;
use superegg::query::{Options, Ray, distance, superellipse_segment};
use superegg::shape::Superellipse;
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, known};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches a thread-local cell that itself
// needs no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for seed in 0..4_000u64 {
        let mut rng = generate::seeded(seed);
        let a = match seed % 3 {
            0 => generate::superovoid(&mut rng, &Domain::MODERATE).into(),
            _ => known::convex_body(&mut rng, &Domain::WIDE, true),
        };
        let b = match seed % 5 {
            0 => superegg::shape::Plane::new(generate::direction(&mut rng), 0.1).unwrap().into(),
            1 => generate::superovoid(&mut rng, &Domain::MODERATE).into(),
            _ => known::convex_body(&mut rng, &Domain::WIDE, true),
        };
        if matches!(b, superegg::shape::Shape::Plane(_)) {
            let pose =
                superegg::Pose { rotation: generate::rotation(&mut rng), translation: generate::direction(&mut rng) };
            pairs.push(Pair { a, pose_a: pose, b, pose_b: superegg::Pose::IDENTITY });
        } else {
            let spacing = [Spacing::Apart, Spacing::Shallow, Spacing::Deep][seed as usize % 3];
            pairs.push(placed(&mut rng, a, b, Arrangement::ALL[seed as usize % 4], spacing));
        }
    }
    pairs
}

#[test]
fn queries_do_not_allocate() {
    let pairs = pairs();
    for pair in &pairs {
        let before = ALLOCATIONS.get();
        let outcome = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT);
        let used = ALLOCATIONS.get() - before;
        assert_eq!(used, 0, "{}", pair.to_rust());
        let warm = Options { warm_start: Some(outcome.expect("a valid pair").warm_start), ..Options::DEFAULT };
        let before = ALLOCATIONS.get();
        let outcome = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &warm);
        let used = ALLOCATIONS.get() - before;
        assert!(outcome.is_ok());
        assert_eq!(used, 0, "warm: {}", pair.to_rust());
    }
}

#[test]
fn rays_planar_queries_and_surface_evaluations_do_not_allocate() {
    let mut rng = generate::seeded(1);
    for seed in 0..500 {
        let egg = generate::superovoid(&mut rng, &Domain::WIDE);
        let [a1, a2, _] = egg.radii();
        let pose =
            superegg::Pose { rotation: generate::rotation(&mut rng), translation: generate::direction(&mut rng) };
        let ray = Ray::new(generate::direction(&mut rng) * 3.0, generate::direction(&mut rng)).unwrap();
        let ellipse = Superellipse::new([a1, a2], egg.exponents()[0]).unwrap();
        let ends = [0; 2].map(|_| generate::direction(&mut rng).truncate() * a1);
        let before = ALLOCATIONS.get();
        let _ = std::hint::black_box((
            superegg::query::ray(&egg.into(), &pose, &ray),
            superellipse_segment(&ellipse, &Pose2::IDENTITY, ends, &Options::DEFAULT),
            (egg.aabb(&pose), egg.bounding_sphere(), egg.mass_properties()),
            egg.surface_point(egg.coordinates_with_normal(ray.direction())),
        ));
        assert_eq!(ALLOCATIONS.get() - before, 0, "{seed} {egg:?}");
    }
}

/// The counter works: a vector is seen.
#[test]
fn allocations_are_counted() {
    let before = ALLOCATIONS.get();
    let vector = std::hint::black_box(vec![1u8; 100]);
    assert!(ALLOCATIONS.get() > before);
    drop(vector);
}
