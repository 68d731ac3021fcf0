//! The classes of pairs: kinds of bodies, how far apart they are, and their parameters as numbers.

use std::fmt;
use std::str::FromStr;

use glam::{DQuat, DVec3};
use rand::RngExt;
use superegg::Pose;
use superegg::shape::{Core, Hull, Point, Primitive, Shape, Superellipsoid, Superovoid, Triangle};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing as Gap, placed};
use testkit::generate::{Domain, Rng, convex_superovoid, direction, log_uniform, superellipsoid};

/// Corners of a hull.
pub(super) const CORNERS: usize = 16;

/// Bodies of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two superellipsoids, exponents from 0.1 to 1.9.
    Superellipsoids,
    /// Two ellipsoids.
    Ellipsoids,
    /// Two convex superovoids.
    Superovoids,
    /// Two superovoids of paper 003, convex or not.
    Papers,
    /// Two of box, cylinder, cone, frustum, capsule and sphere, some of them rounded.
    Primitives,
    /// Two hulls of 16 points.
    Hulls,
    /// A superellipsoid and a point.
    Points,
    /// A superellipsoid and a triangle.
    Triangles,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Superellipsoids,
        Kind::Ellipsoids,
        Kind::Superovoids,
        Kind::Papers,
        Kind::Primitives,
        Kind::Hulls,
        Kind::Points,
        Kind::Triangles,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Superellipsoids => "superellipsoids",
            Kind::Ellipsoids => "ellipsoids",
            Kind::Superovoids => "superovoids",
            Kind::Papers => "papers",
            Kind::Primitives => "primitives",
            Kind::Hulls => "hulls",
            Kind::Points => "points",
            Kind::Triangles => "triangles",
        }
    }

    fn draw(self, rng: &mut Rng) -> [Shape; 2] {
        let egg = |rng: &mut Rng| -> Shape { superellipsoid(rng, &Domain::MODERATE).into() };
        let corner = |rng: &mut Rng| direction(rng) * rng.random_range(0.1..1.0);
        match self {
            Kind::Superellipsoids => [egg(rng), egg(rng)],
            Kind::Ellipsoids => std::array::from_fn(|_| {
                let radii = superellipsoid(rng, &Domain::MODERATE).radii();
                Superellipsoid::new(radii, [1.0; 2]).expect("within the domain").into()
            }),
            Kind::Superovoids => std::array::from_fn(|_| convex_superovoid(rng, &Domain::MODERATE).into()),
            Kind::Papers => {
                let Pair { a, b, .. } = testkit::generate::battery::superovoid_pair(rng);
                [a, b]
            }
            Kind::Primitives => std::array::from_fn(|_| primitive(rng).into()),
            Kind::Hulls => std::array::from_fn(|_| hull(rng).into()),
            Kind::Points => [egg(rng), Point::new([DVec3::ZERO]).expect("a coordinate").into()],
            Kind::Triangles => {
                let corners = [corner(rng), corner(rng), corner(rng)];
                [egg(rng), Triangle::new(corners).expect("coordinates").into()]
            }
        }
    }

    /// The parameters of a and of b, by name and count.
    pub(super) fn parameters(self) -> [(&'static str, usize); 2] {
        let egg = 5;
        match self {
            Kind::Superellipsoids | Kind::Ellipsoids => [("a_radii_exponents", egg), ("b_radii_exponents", egg)],
            Kind::Superovoids | Kind::Papers => [("a_radii_exponents_taper", 7), ("b_radii_exponents_taper", 7)],
            Kind::Primitives => [("a_primitive", 5), ("b_primitive", 5)],
            Kind::Hulls => [("a_corners", 3 * CORNERS), ("b_corners", 3 * CORNERS)],
            Kind::Points => [("a_radii_exponents", egg), ("b_corners", 3)],
            Kind::Triangles => [("a_radii_exponents", egg), ("b_corners", 9)],
        }
    }
}

fn primitive(rng: &mut Rng) -> Primitive {
    let mut length = || log_uniform(rng, 0.1..=1.0);
    let (r, s, h) = (length(), length(), length());
    let sharp = match rng.random_range(0..6) {
        0 => Primitive::cuboid([r, s, h]),
        1 => Primitive::cylinder(r, h),
        2 => Primitive::cone(r, h),
        3 => Primitive::frustum([r, s], h),
        4 => Primitive::capsule(r, h),
        _ => Primitive::sphere(r),
    };
    let rounding = if rng.random_range(0..3) == 0 { 0.1 * r } else { 0.0 };
    sharp.and_then(|sharp| sharp.rounded(rounding)).expect("lengths in range")
}

/// Of points on an ellipsoid, all of which are corners.
fn hull(rng: &mut Rng) -> Hull {
    let stretch = DVec3::new(log_uniform(rng, 0.2..=1.0), log_uniform(rng, 0.2..=1.0), log_uniform(rng, 0.2..=1.0));
    loop {
        let points: [DVec3; CORNERS] = std::array::from_fn(|_| direction(rng) * stretch);
        if let Ok(hull) = Hull::new(&points)
            && hull.vertices().len() == CORNERS
        {
            return hull;
        }
    }
}

/// How far apart or how deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// A half to twice of the bodies' reach towards each other.
    Far,
    /// 1e-4 to 0.1 of it.
    Near,
    /// Overlapping by 1e-4 to 0.1 of it, along the line between the centres.
    Shallow,
    /// Overlapping by 0.2 to 0.8 of it.
    Deep,
}

impl Spacing {
    const ALL: [Spacing; 4] = [Spacing::Far, Spacing::Near, Spacing::Shallow, Spacing::Deep];

    fn name(self) -> &'static str {
        match self {
            Spacing::Far => "far",
            Spacing::Near => "near",
            Spacing::Shallow => "shallow",
            Spacing::Deep => "deep",
        }
    }

    fn draw(self, rng: &mut Rng) -> f64 {
        match self {
            Spacing::Far => rng.random_range(0.5..2.0),
            Spacing::Near => log_uniform(rng, 1e-4..=0.1),
            Spacing::Shallow => -log_uniform(rng, 1e-4..=0.1),
            Spacing::Deep => -rng.random_range(0.2..0.8),
        }
    }
}

/// A class of pairs, named as its files are: `hulls_near`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The bodies.
    pub kind: Kind,
    /// How far apart.
    pub spacing: Spacing,
}

impl Class {
    /// Every kind in every spacing.
    pub fn all() -> Vec<Class> {
        Kind::ALL.into_iter().flat_map(|kind| Spacing::ALL.map(|spacing| Class { kind, spacing })).collect()
    }

    /// Classes by their names, or by those of kinds or spacings alone.
    pub fn chosen(names: &[String]) -> Result<Vec<Class>, String> {
        if names.is_empty() {
            return Ok(Class::all());
        }
        let fits = |class: &Class, name: &str| {
            name == class.to_string() || name == class.kind.name() || name == class.spacing.name()
        };
        if let Some(name) = names.iter().find(|name| !Class::all().iter().any(|class| fits(class, name))) {
            let kinds = Kind::ALL.map(Kind::name).join(", ");
            return Err(format!(
                "there is no class {name}; a class is a kind ({kinds}), a spacing (far, near, shallow, deep), or both: hulls_near"
            ));
        }
        Ok(Class::all().into_iter().filter(|class| names.iter().any(|name| fits(class, name))).collect())
    }

    /// A random pair.
    pub(super) fn draw(&self, rng: &mut Rng) -> Pair {
        let [a, b] = self.kind.draw(rng);
        let gap = self.spacing.draw(rng);
        let pair = placed(rng, a, b, Arrangement::Random, Gap::Exactly(gap));
        pair.moved(&Pose { rotation: DQuat::IDENTITY, translation: direction(rng) })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}_{}", self.kind.name(), self.spacing.name())
    }
}

impl FromStr for Class {
    type Err = String;

    fn from_str(name: &str) -> Result<Class, String> {
        Class::all().into_iter().find(|class| class.to_string() == name).ok_or_else(|| format!("{name} is no class"))
    }
}

/// A shape's numbers.
pub(super) fn write_shape(shape: &Shape, to: &mut Vec<f64>) {
    let mut corners = |points: &[DVec3]| to.extend(points.iter().flat_map(|point| point.to_array()));
    match shape {
        Shape::Point(shape) => corners(shape.points()),
        Shape::Triangle(shape) => corners(shape.points()),
        Shape::Hull(shape) => corners(shape.vertices()),
        Shape::Superellipsoid(shape) => to.extend(shape.radii().into_iter().chain(shape.exponents())),
        Shape::Superovoid(shape) => {
            to.extend(shape.radii().into_iter().chain(shape.exponents()).chain(shape.taper()));
        }
        Shape::Primitive(shape) => {
            let (code, numbers) = match shape.core() {
                Core::Segment { half_height } => (0.0, [half_height, 0.0, 0.0]),
                Core::Cuboid { half_extents } => (1.0, half_extents),
                Core::Frustum { radii, half_height } => (2.0, [radii[0], radii[1], half_height]),
            };
            to.push(code);
            to.extend(numbers);
            to.push(shape.rounding());
        }
        Shape::Segment(_) | Shape::Plane(_) | Shape::Custom(_) => {}
    }
}

/// The shape of such numbers; `None` where they are no shape.
pub(super) fn read_shape(kind: Kind, is_a: bool, n: &[f64]) -> Option<Shape> {
    let corner = |index: usize| DVec3::from_slice(&n[3 * index..]);
    let egg = || Superellipsoid::new([n[0], n[1], n[2]], [n[3], n[4]]).map(Shape::from).ok();
    match kind {
        Kind::Superellipsoids | Kind::Ellipsoids => egg(),
        Kind::Superovoids | Kind::Papers => {
            Superovoid::new([n[0], n[1], n[2]], [n[3], n[4]], [n[5], n[6]]).map(Shape::from).ok()
        }
        Kind::Primitives => {
            let sharp = match n[0] {
                0.0 => return Primitive::capsule(n[4], n[1]).map(Shape::from).ok(),
                1.0 => Primitive::cuboid([n[1], n[2], n[3]]),
                _ => Primitive::frustum([n[1], n[2]], n[3]),
            };
            sharp.and_then(|sharp| sharp.rounded(n[4])).map(Shape::from).ok()
        }
        Kind::Hulls => Hull::new(&(0..CORNERS).map(corner).collect::<Vec<_>>()).map(Shape::from).ok(),
        Kind::Points if is_a => egg(),
        Kind::Triangles if is_a => egg(),
        Kind::Points => Point::new([corner(0)]).map(Shape::from).ok(),
        Kind::Triangles => Triangle::new([corner(0), corner(1), corner(2)]).map(Shape::from).ok(),
    }
}
