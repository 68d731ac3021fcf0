//! Growth distances of boxes, frustums, capsules, hulls, shapes of one's own, simplices and planes: against closed forms, against the
//! defining property (scaled by the lower bound they do not overlap, scaled by the upper one they are not apart, by the certified distance of
//! shapes that were built anew at that scale), and derivatives against central differences.

use fastrand::Rng;
use superegg::query::{Growth, Options, QueryError, Status, distance, growth_distance};
use superegg::shape::{Convex, Custom, Hull, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Triangle};
use superegg::{DQuat, DVec3, Pose};

fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.f64() - 1.0))
}

fn pose(rng: &mut Rng, spread: f64) -> Pose {
    let axis = vector(rng).normalize();
    Pose::new(DQuat::from_axis_angle(axis, 6.0 * rng.f64()).normalize(), vector(rng) * spread).unwrap()
}

/// An ellipsoid about a point away from its frame's origin, by its support points alone.
#[derive(Clone, Copy)]
struct Pebble {
    radii: DVec3,
    centre: DVec3,
}

impl Convex for Pebble {
    fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = self.radii * direction;
        self.centre + self.radii * scaled / scaled.length()
    }

    fn reach(&self) -> f64 {
        self.radii.max_element()
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }
}

/// What a shape is built from, so that it can be built at another scale about its centre.
#[derive(Clone)]
enum Recipe {
    Egg([f64; 3], [f64; 2]),
    Primitive(Primitive),
    Hull(Vec<DVec3>, f64),
    Pebble(Pebble, f64),
    Corners(Vec<DVec3>),
}

impl Recipe {
    fn random(rng: &mut Rng, kind: usize) -> Recipe {
        let length = |rng: &mut Rng| 0.2 + 0.8 * rng.f64();
        let rounding = if rng.bool() { 0.2 * rng.f64() } else { 0.0 };
        let lengths = [length(rng), length(rng), length(rng)];
        let primitive = |shape: Primitive| Recipe::Primitive(shape.rounded(rounding).unwrap());
        match kind % 10 {
            0 => Recipe::Egg(lengths, [0.3 + rng.f64(), 0.3 + rng.f64()]),
            1 => primitive(Primitive::cuboid(lengths).unwrap()),
            2 => primitive(Primitive::cylinder(lengths[0], lengths[1]).unwrap()),
            3 => primitive(Primitive::cone(lengths[0], lengths[1]).unwrap()),
            4 => primitive(Primitive::frustum([lengths[0], lengths[1]], lengths[2]).unwrap()),
            5 => Recipe::Primitive(Primitive::capsule(lengths[0], lengths[1]).unwrap()),
            6 => Recipe::Primitive(Primitive::sphere(lengths[0]).unwrap()),
            7 => {
                let away = vector(rng);
                let corners = (0..8 + rng.usize(0..60)).map(|_| away + vector(rng).normalize()).collect();
                Recipe::Hull(corners, rounding)
            }
            8 => Recipe::Pebble(Pebble { radii: DVec3::from(lengths), centre: vector(rng) }, rounding),
            _ => Recipe::Corners((0..1 + rng.usize(0..3)).map(|_| vector(rng)).collect()),
        }
    }

    fn has_inside(&self) -> bool {
        !matches!(self, Recipe::Corners(_))
    }

    fn centre(&self) -> DVec3 {
        match self {
            Recipe::Egg(..) | Recipe::Primitive(_) => DVec3::ZERO,
            Recipe::Hull(corners, _) => Hull::new(corners).unwrap().centre(),
            Recipe::Pebble(pebble, _) => pebble.centre,
            Recipe::Corners(corners) => corners.iter().sum::<DVec3>() / corners.len() as f64,
        }
    }

    /// The shape scaled about its centre.
    fn build(&self, by: f64) -> Shape {
        let centre = self.centre();
        let grown = |corner: &DVec3| centre + (*corner - centre) * by;
        match self {
            Recipe::Egg(radii, exponents) => Superellipsoid::new(radii.map(|r| r * by), *exponents).unwrap().into(),
            Recipe::Primitive(shape) => shape.scaled(by).unwrap().into(),
            Recipe::Hull(corners, rounding) => {
                let corners: Vec<DVec3> = corners.iter().map(grown).collect();
                Hull::new(&corners).unwrap().rounded(rounding * by).unwrap().into()
            }
            Recipe::Pebble(pebble, rounding) => {
                let scaled = Pebble { radii: pebble.radii * by, centre };
                Custom::new(scaled).unwrap().rounded(rounding * by).unwrap().into()
            }
            Recipe::Corners(corners) => match corners.iter().map(grown).collect::<Vec<_>>()[..] {
                [a] => Point::new([a]).unwrap().into(),
                [a, b] => Segment::new([a, b]).unwrap().into(),
                [a, b, c, ..] => Triangle::new([a, b, c]).unwrap().into(),
                [] => unreachable!(),
            },
        }
    }
}

fn solve(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: &Options) -> Growth {
    growth_distance(a, pose_a, b, pose_b, options).unwrap()
}

#[test]
fn bounds_hold_for_all_kinds() {
    let mut open = 0;
    for seed in 0..1_500 {
        let mut rng = Rng::with_seed(seed);
        let (kind_a, kind_b) = (seed as usize % 10, seed as usize / 10 % 10);
        let (a, b) = (Recipe::random(&mut rng, kind_a), Recipe::random(&mut rng, kind_b));
        if !(a.has_inside() || b.has_inside()) {
            continue;
        }
        let spread = [0.3, 1.0, 3.0][seed as usize % 3];
        let (pose_a, pose_b) = (pose(&mut rng, spread), pose(&mut rng, spread));
        let found = solve(&a.build(1.0), &pose_a, &b.build(1.0), &pose_b, &Options::DEFAULT);
        let gap = |by: f64| {
            distance(&a.build(by), &pose_a, &b.build(by), &pose_b, &Options::DEFAULT).unwrap().bounds.unwrap()
        };
        let (lower, upper) = (found.bounds.lower, found.bounds.upper);
        assert!(lower <= found.growth && found.growth <= upper, "seed {seed}: {found:?}");
        assert!(lower < 1e-6 || gap(lower).upper >= 0.0, "seed {seed}: {found:?} {:?}", gap(lower));
        assert!(gap(upper).lower <= 0.0, "seed {seed}: {found:?} {:?}", gap(upper));
        if found.status == Status::NotConverged {
            open += 1;
            println!("seed {seed}: kinds {kind_a} {kind_b}, {:e} wide", upper - lower);
        } else {
            assert!(upper - lower <= 1e-9 * upper.max(1.0), "seed {seed}: {found:?}");
        }
        let back = solve(&b.build(1.0), &pose_b, &a.build(1.0), &pose_a, &Options::DEFAULT);
        assert!(
            (back.growth - found.growth).abs() <= 1e-8 * upper.max(1.0) || open > 0,
            "seed {seed}: {back:?} {found:?}"
        );
    }
    assert!(open <= 15, "{open} of 1,500 not converged");
}

/// Cubes along the axes touch when the largest coordinate between them is filled; a point does not grow.
#[test]
fn closed_forms() {
    let cube: Shape = Primitive::cuboid([0.5; 3]).unwrap().into();
    let there = Pose::from_translation(DVec3::new(3.0, 1.0, -2.0));
    let found = solve(&cube, &Pose::IDENTITY, &cube, &there, &Options::DEFAULT);
    assert!((found.growth - 3.0).abs() < 1e-9, "{found:?}");
    let point: Shape = Point::new([DVec3::ONE]).unwrap().into();
    let at = Pose::from_translation(DVec3::new(1.0, -0.5, -1.0));
    let found = solve(&cube, &Pose::IDENTITY, &point, &at, &Options::DEFAULT);
    assert!((found.growth - 4.0).abs() < 1e-9, "{found:?}");
    let capsule: Shape = Primitive::capsule(0.25, 1.0).unwrap().into();
    let beside = Pose::from_translation(DVec3::new(2.0, 0.0, 0.3));
    let found = solve(&capsule, &Pose::IDENTITY, &capsule, &beside, &Options::DEFAULT);
    assert!((found.growth - 4.0).abs() < 1e-9, "{found:?}");
    let triangle: Shape = Triangle::new([DVec3::X, DVec3::Y, -DVec3::X - DVec3::Y]).unwrap().into();
    let ball: Shape = Primitive::sphere(0.5).unwrap().into();
    let above = Pose::from_translation(DVec3::Z * 3.0);
    let found = solve(&triangle, &Pose::IDENTITY, &ball, &above, &Options::DEFAULT);
    assert!((found.growth - 6.0).abs() < 1e-9 && (found.normal - DVec3::Z).length() < 1e-9, "{found:?}");
}

/// A body above a plane has to grow by the height of its centre over its own: exact to rounding.
#[test]
fn planes_do_not_grow() {
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, seed as usize % 9);
        let (body, at) = (recipe.build(1.0), pose(&mut rng, 3.0));
        let plane = Plane::new(vector(&mut rng), rng.f64()).unwrap();
        let pose_plane = pose(&mut rng, 1.0);
        let found = solve(&plane.into(), &pose_plane, &body, &at, &Options::DEFAULT);
        let up = pose_plane.transform_vector(plane.normal());
        let centre = at.transform_point(recipe.centre());
        let height = up.dot(centre - pose_plane.translation) - plane.offset();
        if height <= 0.0 {
            assert_eq!((found.growth, found.status), (0.0, Status::Penetrating), "seed {seed}");
            continue;
        }
        let below = at.inverse_transform_vector(-up);
        let own = body.support_value(below) - recipe.centre().dot(below);
        assert!((found.growth - height / own).abs() <= 1e-12 * (1.0 + found.growth) * 10.0, "seed {seed}: {found:?}");
        assert!(found.bounds.lower <= height / own && height / own <= found.bounds.upper, "seed {seed}: {found:?}");
        let scaled = distance(&plane.into(), &pose_plane, &recipe.build(found.growth), &at, &Options::DEFAULT).unwrap();
        assert!(scaled.distance.abs() < 1e-9 * (1.0 + height), "seed {seed}: {scaled:?}");
        assert!((found.point - scaled.point_b).length() < 1e-6 || !found.is_differentiable, "seed {seed}");
        let swapped = solve(&body, &at, &plane.into(), &pose_plane, &Options::DEFAULT);
        assert_eq!((swapped.growth, swapped.normal, swapped.a), (found.growth, -found.normal, found.b));
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let options = Options { tolerance: 1e-13, ..Options::DEFAULT };
    let mut compared = 0;
    for seed in 0..150 {
        let mut rng = Rng::with_seed(900 + seed);
        let (a, b) = (Recipe::random(&mut rng, seed as usize % 10), Recipe::random(&mut rng, seed as usize / 10 % 9));
        let (a, b) = (a.build(1.0), b.build(1.0));
        let poses = [pose(&mut rng, 1.5), pose(&mut rng, 1.5)];
        let found = solve(&a, &poses[0], &b, &poses[1], &options);
        if !found.is_differentiable || found.growth > 20.0 || found.growth < 0.05 {
            continue;
        }
        for index in 0..12 {
            let (axis, body, turn) = (DVec3::AXES[index % 3], index / 6, index % 6 >= 3);
            let at = |step: f64| {
                let mut moved = poses;
                if turn {
                    moved[body].rotation = DQuat::from_scaled_axis(axis * step) * moved[body].rotation;
                } else {
                    moved[body].translation += axis * step;
                }
                solve(&a, &moved[0], &b, &moved[1], &options).growth
            };
            let central = |step: f64| (at(step) - at(-step)) / (2.0 * step);
            let (rough, fine) = (central(4e-5), central(1e-5));
            // Where a face, edge or corner gives way to another within the step, differences tell nothing.
            if (fine - rough).abs() > 1e-5 {
                continue;
            }
            let gradient = if body == 1 { found.b } else { found.a };
            let value = if turn { gradient.rotation } else { gradient.translation }[index % 3];
            compared += 1;
            assert!((value - fine).abs() <= 1e-5, "seed {seed}, {index}: {value} {fine}: {a:?} {b:?} {poses:?}");
        }
    }
    println!("{compared} compared");
    assert!(compared > 900, "{compared}");
}

#[test]
fn pairs_without_an_inside_are_refused() {
    let corners = [DVec3::X, DVec3::Y, DVec3::Z];
    let triangle: Shape = Triangle::new(corners).unwrap().into();
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    for (a, b) in [(&triangle, &triangle), (&triangle, &plane), (&plane, &triangle), (&plane, &plane)] {
        let answer = growth_distance(a, &Pose::IDENTITY, b, &Pose::from_translation(DVec3::Z), &Options::DEFAULT);
        assert!(matches!(answer, Err(QueryError::Unsupported { operation: "growth_distance", .. })), "{answer:?}");
    }
}
