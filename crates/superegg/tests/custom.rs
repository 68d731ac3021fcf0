//! Shapes of the caller's own by their support functions: a superellipsoid against the built-in one, a lens against closed forms, and
//! support functions that do not keep their word.

use fastrand::Rng;
use superegg::query::{Options, Outcome, Ray, Status, closest_point, distance, intersect, ray, second_derivatives};
use superegg::shape::{Convex, Custom, Hull, Point, Primitive, Shape, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use testkit::lens::Lens;

fn random_vector(rng: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.f64() - 1.0))
}

fn random_pose(rng: &mut Rng, spread: f64) -> Pose {
    let axis = random_vector(rng).normalize();
    Pose::new(DQuat::from_axis_angle(axis, 6.0 * rng.f64()).normalize(), random_vector(rng) * spread).unwrap()
}

fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Outcome {
    distance(a, pose_a, b, pose_b, &Options::DEFAULT).unwrap()
}

/// A superellipsoid that tells no more than its support points, about another point than its frame's origin.
struct Egg {
    shape: Superellipsoid,
    centre: DVec3,
}

impl Convex for Egg {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.centre + self.shape.support(direction)
    }

    fn reach(&self) -> f64 {
        Shape::from(self.shape).reach()
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }
}

#[test]
fn superellipsoid_by_its_support_points() {
    let mut rng = Rng::with_seed(1);
    let (mut overlaps, mut wide) = (0, 0);
    for round in 0..500 {
        let radii = std::array::from_fn(|_| 0.4 + 0.8 * rng.f64());
        let shape = Superellipsoid::new(radii, [0.4 + rng.f64(), 0.4 + rng.f64()]).unwrap();
        let centre = random_vector(&mut rng);
        let built_in: Shape = shape.into();
        let own: Shape = Custom::new(Egg { shape, centre }).unwrap().into();
        let other: Shape = match round % 5 {
            0 => Superellipsoid::new([0.5, 0.7, 0.4], [0.8, 1.2]).unwrap().into(),
            1 => Primitive::cuboid([0.3, 0.4, 0.5]).unwrap().into(),
            2 => Primitive::capsule(0.2, 0.5).unwrap().into(),
            3 => Point::new([DVec3::new(0.1, 0.2, 0.3)]).unwrap().into(),
            _ => Hull::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap().into(),
        };
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.2), random_pose(&mut rng, 1.2));
        let shifted = Pose { translation: pose_a.translation - pose_a.transform_vector(centre), ..pose_a };
        let (expected, found) = (ask(&built_in, &pose_a, &other, &pose_b), ask(&own, &shifted, &other, &pose_b));
        let (one, two) = (expected.bounds.unwrap(), found.bounds.unwrap());
        assert!(one.lower <= two.upper + 1e-14 && two.lower <= one.upper + 1e-14, "{round}: {expected:?} {found:?}");
        let width = two.upper - two.lower;
        wide += usize::from(found.status == Status::NotConverged || width > 1e-8);
        assert!((expected.distance - found.distance).abs() <= width + 1e-8, "{round}: {expected:?} {found:?}");
        overlaps += usize::from(found.distance < 0.0);
        if expected.distance.abs() > 1e-6 {
            assert_eq!(intersect(&own, &shifted, &other, &pose_b).unwrap(), expected.distance < 0.0, "{round}");
        }
    }
    assert!(overlaps > 100, "{overlaps}");
    // A depth that is the same along many normals may stay open within the budget; its bounds say so.
    assert!(wide <= 25, "{wide} of 500 wider than 1e-8");
}

#[test]
fn lens_and_point_by_closed_form() {
    let mut rng = Rng::with_seed(2);
    for round in 0..600 {
        let lens = Lens { radius: 1.0, offset: 0.2 + 0.6 * rng.f64(), bends: round % 2 == 0 };
        let own: Shape = Custom::new(lens).unwrap().into();
        let pose = random_pose(&mut rng, 1.0);
        let local = random_vector(&mut rng) * 3.0;
        let expected = lens.distance_outside(local);
        if expected < 1e-3 {
            continue;
        }
        let found = closest_point(&own, &pose, pose.transform_point(local), &Options::DEFAULT).unwrap();
        let bounds = found.bounds.unwrap();
        assert_ne!(found.status, Status::NotConverged, "{round}: {found:?}");
        assert!(bounds.lower <= expected + 1e-14 && expected - 1e-14 <= bounds.upper, "{round}: {expected} {found:?}");
        assert!((found.distance - expected).abs() < 3e-9, "{round}: {expected} {found:?}");
        assert!(!own.contains(local) && own.contains(local * (0.2 / local.length())));
    }
}

/// Two lenses of one axis, face to face; beside each other, rim to rim; crossed, face to rim.
#[test]
fn lenses_by_closed_form() {
    let lens = |bends: bool| Shape::from(Custom::new(Lens { radius: 1.0, offset: 0.6, bends }).unwrap());
    let here = Pose::IDENTITY;
    for bends in [true, false] {
        let (a, b) = (lens(bends), lens(!bends));
        let at = |v: DVec3| Pose::from_translation(v);
        let faces = ask(&a, &here, &b, &at(DVec3::Z * 1.5));
        assert!((faces.distance - 0.7).abs() < 2e-9, "{faces:?}");
        let rims = ask(&a, &here, &b, &at(DVec3::X * 2.0));
        assert!((rims.distance - 0.4).abs() < 2e-9, "{rims:?}");
        let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let crossed = ask(&a, &here, &b, &Pose::new(quarter, DVec3::Z * 2.0).unwrap());
        assert!((crossed.distance - (2.0 - 0.4 - 0.8)).abs() < 2e-9, "{crossed:?}");
        // Along the axis they overlap by 0.1, and no other way out is shorter.
        let deep = ask(&a, &here, &b, &at(DVec3::Z * 0.7));
        assert!((deep.distance + 0.1).abs() < 2e-9, "{deep:?}");
        assert_eq!(deep.status, Status::Penetrating);
        let bounds = deep.bounds.unwrap();
        assert!(bounds.lower <= -0.1 && -0.1 <= bounds.upper && bounds.upper - bounds.lower < 3e-9, "{deep:?}");
    }
}

/// Curvatures by differences are those in closed form.
#[test]
fn second_derivatives_do_not_need_a_closed_form() {
    let mut rng = Rng::with_seed(3);
    let mut checked = 0;
    for _ in 0..40 {
        let [told, found] = [true, false].map(|bends| {
            Shape::from(Custom::new(Lens { radius: 1.0, offset: 0.5, bends }).unwrap().rounded(0.1).unwrap())
        });
        let egg: Shape = Superellipsoid::new([0.5, 0.6, 0.4], [0.9, 1.1]).unwrap().into();
        let pose = random_pose(&mut rng, 2.0);
        let fine = Options { tolerance: 1e-13, ..Options::DEFAULT };
        let of = |lens: &Shape| second_derivatives(lens, &Pose::IDENTITY, &egg, &pose, &fine).unwrap();
        let (one, two) = (of(&told), of(&found));
        if one.gradient.outcome.distance < 0.05 {
            continue;
        }
        checked += 1;
        for (row, other) in one.hessian.iter().zip(&two.hessian) {
            for (x, y) in row.iter().zip(other) {
                assert!((x - y).abs() < 1e-4 * (1.0 + x.abs()), "{x} {y}");
            }
        }
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn rays_meet_the_lens() {
    let mut rng = Rng::with_seed(4);
    let lens = Lens { radius: 1.0, offset: 0.6, bends: false };
    let own: Shape = Custom::new(lens).unwrap().into();
    let mut hits = 0;
    for _ in 0..200 {
        let pose = random_pose(&mut rng, 1.0);
        let origin = random_vector(&mut rng) * 3.0;
        let target = pose.transform_point(random_vector(&mut rng) * DVec3::new(0.9, 0.9, 0.5));
        let line = Ray::new(origin, target - origin).unwrap();
        if own.contains(pose.inverse_transform_point(origin)) {
            continue;
        }
        // The line meets what both balls share: the later of both entries, before the earlier of both exits.
        let (o, d) = (pose.inverse_transform_point(origin), pose.inverse_transform_vector(target - origin).normalize());
        let of_ball = |z: f64| {
            let from = o - DVec3::Z * z;
            let (along, off) = (-from.dot(d), from.length_squared() - from.dot(d).powi(2));
            (off < 1.0).then(|| (along - (1.0 - off).sqrt(), along + (1.0 - off).sqrt()))
        };
        let expected = match (of_ball(0.6), of_ball(-0.6)) {
            (Some((in_a, out_a)), Some((in_b, out_b))) => {
                Some(in_a.max(in_b)).filter(|enter| *enter < out_a.min(out_b))
            }
            _ => None,
        };
        let found = ray(&own, &pose, &line).unwrap().map(|hit| hit.t * (target - origin).length());
        match (expected, found) {
            (Some(one), Some(two)) => {
                hits += 1;
                assert!((one - two).abs() < 1e-7, "{one} {two}");
            }
            (None, None) => {}
            (one, two) => panic!("{one:?} {two:?}"),
        }
    }
    assert!(hits > 50, "{hits}");
}

#[test]
fn rounding_adds_a_ball() {
    let own = Custom::new(Lens { radius: 1.0, offset: 0.6, bends: true }).unwrap();
    let there = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(1.0, 0.4, 1.5)).unwrap();
    let egg: Shape = Superellipsoid::new([0.5, 0.6, 0.4], [0.9, 1.1]).unwrap().into();
    let sharp = ask(&own.clone().into(), &Pose::IDENTITY, &egg, &there);
    let round = ask(&own.rounded(0.2).unwrap().into(), &Pose::IDENTITY, &egg, &there);
    assert!((sharp.distance - 0.2 - round.distance).abs() < 3e-9, "{sharp:?} {round:?}");
    assert_eq!(own.rounded(f64::INFINITY).unwrap_err().field, "rounding");
}

struct Broken(fn(DVec3) -> DVec3, f64);

impl Convex for Broken {
    fn support(&self, direction: DVec3) -> DVec3 {
        (self.0)(direction)
    }

    fn reach(&self) -> f64 {
        self.1
    }
}

#[test]
fn functions_that_do_not_keep_their_word_are_refused() {
    let refused = |support: fn(DVec3) -> DVec3, reach: f64| Custom::new(Broken(support, reach)).unwrap_err().field;
    assert_eq!(refused(|_| DVec3::NAN, 1.0), "support");
    assert_eq!(refused(|direction| direction * 2.0, 1.0), "support");
    assert_eq!(refused(|direction| -direction, 1.0), "support");
    assert_eq!(refused(|direction| direction, f64::NAN), "reach");
    assert_eq!(refused(|direction| direction, 0.0), "reach");
    assert!(Custom::new(Broken(|direction| direction, 1.0)).is_ok());
}

/// A function that fails only now and then still leaves bounds that hold, and no query panics.
#[test]
fn functions_that_fail_later_leave_honest_bounds() {
    let sometimes: fn(DVec3) -> DVec3 = |direction| {
        let hash = (direction.x * 1e7).fract().abs();
        if hash > 0.8 && direction.x != 0.0 && direction.abs().max_element() < 0.999 { DVec3::NAN } else { direction }
    };
    let mut rng = Rng::with_seed(5);
    let Ok(ball) = Custom::new(Broken(sometimes, 1.0)) else { return };
    let ball: Shape = ball.into();
    for _ in 0..200 {
        let place = random_vector(&mut rng) * 3.0;
        let egg: Shape = Primitive::sphere(0.3).unwrap().into();
        let found = ask(&ball, &Pose::IDENTITY, &egg, &Pose::from_translation(place));
        let truth = place.length() - 1.3;
        let bounds = found.bounds.unwrap();
        assert!(bounds.lower <= truth + 1e-12 && truth - 1e-12 <= bounds.upper, "{truth} {found:?}");
    }
}
