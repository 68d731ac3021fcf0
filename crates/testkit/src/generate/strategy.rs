//! Proptest strategies: what the other modules draw from a seed, here as values that shrink.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use proptest::sample::select;
use superegg::shape::{Shape, Superellipsoid, Superovoid};

use super::known::{Construction, Facing};
use super::{Domain, largest_convex_taper};
use crate::KnownPair;
use crate::pair::largest_radius;

/// A unit vector.
pub fn direction() -> impl Strategy<Value = DVec3> {
    [-1.0..=1.0f64, -1.0..=1.0, -1.0..=1.0].prop_filter_map("too short to normalise", |v| {
        (DVec3::from(v).length() > 1e-3).then(|| DVec3::from(v).normalize())
    })
}

/// A rotation; the identity is what it shrinks to.
pub fn rotation() -> impl Strategy<Value = DQuat> {
    prop_oneof![
        1 => Just(DQuat::IDENTITY),
        4 => [-1.0..=1.0f64, -1.0..=1.0, -1.0..=1.0, 0.01..=1.0].prop_map(|q| DQuat::from_array(q).normalize()),
    ]
}

/// A number even in its logarithm.
pub fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..=high.ln()).prop_map(move |logarithm: f64| logarithm.exp().clamp(low, high))
}

/// An exponent of the domain: even over the range, or one of the values at which formulas change.
pub fn exponent(domain: &Domain) -> impl Strategy<Value = f64> + use<> {
    let range = domain.exponents.clone();
    let special: Vec<f64> = [1.0, *range.start(), *range.end(), 0.5, 1.5, 2.0 / 3.0]
        .into_iter()
        .filter(|value| range.contains(value))
        .collect();
    prop_oneof![1 => select(special), 3 => range]
}

/// Radii of the domain.
pub fn radii(domain: &Domain) -> impl Strategy<Value = [f64; 3]> + use<> {
    let (low, high) = (*domain.size.start(), *domain.size.end());
    let ratio = || log_uniform(1.0, domain.aspect);
    (log_uniform(low, high), ratio(), ratio(), 0..3usize).prop_map(|(largest, second, third, turns)| {
        let mut radii = [largest, largest / second, largest / third];
        radii.rotate_left(turns);
        radii
    })
}

/// A superellipsoid of the domain.
pub fn superellipsoid(domain: &Domain) -> impl Strategy<Value = Superellipsoid> + use<> {
    (radii(domain), [exponent(domain), exponent(domain)])
        .prop_map(|(radii, exponents)| Superellipsoid::new(radii, exponents).expect("the domain is accepted"))
}

/// A superovoid of the domain, convex or not.
pub fn superovoid(domain: &Domain) -> impl Strategy<Value = Superovoid> + use<> {
    let taper = || domain.taper.clone();
    (radii(domain), [exponent(domain), exponent(domain)], [taper(), taper()])
        .prop_map(|(radii, exponents, taper)| Superovoid::new(radii, exponents, taper).expect("the domain is accepted"))
}

/// A superovoid of the domain that is convex.
pub fn convex_superovoid(domain: &Domain) -> impl Strategy<Value = Superovoid> + use<> {
    (radii(domain), [exponent(domain), exponent(domain)], domain.taper.clone()).prop_map(|(radii, exponents, taper)| {
        let allowed = 0.999 * largest_convex_taper(exponents[1]);
        Superovoid::new(radii, exponents, [taper.clamp(-allowed, allowed); 2]).expect("the domain is accepted")
    })
}

/// A convex curved body of the domain.
pub fn convex_body(domain: &Domain) -> impl Strategy<Value = Shape> + use<> {
    prop_oneof![
        3 => superellipsoid(domain).prop_map(Shape::from),
        1 => convex_superovoid(domain).prop_map(Shape::from),
    ]
}

/// Which part of a body faces the other one.
pub fn facing() -> impl Strategy<Value = Facing> {
    let tau = std::f64::consts::TAU;
    prop_oneof![
        (0..3usize, any::<bool>()).prop_map(|(axis, positive)| Facing::Axis(axis, positive)),
        (0..3usize, any::<bool>(), log_uniform(1e-14, 0.3), 0.0..tau)
            .prop_map(|(axis, positive, tilt, around)| Facing::NearAxis(axis, positive, tilt, around)),
        (0..3usize, any::<bool>(), any::<bool>()).prop_map(|(axis, u, v)| Facing::Ridge(axis, u, v)),
        any::<[bool; 3]>().prop_map(|[x, y, z]| Facing::Corner(x, y, z)),
        direction().prop_map(Facing::Normal),
        direction().prop_map(Facing::Surface),
    ]
}

/// A separation from zero to a million times the size.
pub fn separation() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 2 => log_uniform(1e-12, 1e-6), 2 => log_uniform(1e-6, 1e-1), 2 => log_uniform(1e-1, 1e1), 1 => log_uniform(1e1, 1e6)]
}

/// A convex pair whose distance is known. The second body's size is within three decades of the first one's.
pub fn known_pair(domain: &Domain) -> impl Strategy<Value = KnownPair> + use<> {
    let unit = Domain { size: 1.0..=1.0, ..domain.clone() };
    let (low, high) = (*domain.size.start(), *domain.size.end());
    let bodies = (convex_body(&unit), convex_body(&unit), log_uniform(1e-3, 1e3), log_uniform(low, high));
    let pose = (
        facing(),
        facing(),
        rotation(),
        prop_oneof![Just(0.0), -3.0..=3.0],
        separation(),
        [-10.0..=10.0, -10.0..=10.0, -10.0..=10.0f64],
    );
    (bodies, pose).prop_map(
        move |((a, b, ratio, size), (facing_a, facing_b, rotation_a, twist, separation, position))| {
            let a = crate::pair::scaled_shape(&a, size);
            let b = crate::pair::scaled_shape(&b, (size * ratio).clamp(low, high));
            let total = largest_radius(&a) + largest_radius(&b);
            Construction {
                a,
                b,
                facing_a,
                facing_b,
                rotation_a,
                twist,
                separation: separation * total,
                position_a: DVec3::from(position) * total,
            }
            .build()
        },
    )
}
