//! Support values and farthest points of supertoroids and superhyperboloids against 77 digits, over the whole range of exponents:
//! what bounds of their distances allow for rounding rests on these. A support value may be off by 60 units of the unit roundoff,
//! a point may be off its surface by 100; the analysis beside `certificate::rounding_of_distance` says 40 and 41.

use fastrand::Rng;
use superegg::DVec3;
use superegg_world::superquadric::{Kind, Superquadric};
use testkit::oracle::precise::Real;

const UNIT: f64 = 0.5 * f64::EPSILON;

fn real(value: f64) -> Real {
    Real::new(value)
}

/// `(x^p + y^p)^(1/p)` of magnitudes.
fn norm(x: &Real, y: &Real, p: &Real) -> Real {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = if x.is_less(&y) { (y, x) } else { (x, y) };
    if large.is_zero() {
        return large;
    }
    let ratio = small / large.clone();
    large * (ratio.pow(p) + real(1.0)).pow(&(real(1.0) / p.clone()))
}

/// An exponent anywhere in its range, close to either end in every third case.
fn exponent(dice: &mut Rng) -> f64 {
    match dice.u32(..6) {
        0 => 10f64.powf(-3.0 * dice.f64()),
        1 => 2.0 - 10f64.powf(-9.0 * dice.f64()),
        _ => 0.05 + 1.9 * dice.f64(),
    }
}

/// A direction, often along an axis or nearly so.
fn direction(dice: &mut Rng) -> DVec3 {
    let mut component = || match dice.u32(..5) {
        0 => 0.0,
        1 => 10f64.powf(-12.0 * dice.f64()),
        _ => 2.0 * dice.f64() - 1.0,
    };
    DVec3::new(component(), component(), component()).normalize_or(DVec3::Z)
}

/// Width of the rim of a hyperboloid in radii.
fn rim(kind: Kind, e2: f64, height: f64, a3: f64) -> Real {
    let p = real(2.0) / real(e2);
    let power = (real(height) / real(a3)).pow(&p);
    let sum = if kind == Kind::OneSheet { power + real(1.0) } else { power - real(1.0) };
    sum.pow(&(real(1.0) / p))
}

#[test]
fn support_values_and_farthest_points_are_right_to_rounding() {
    let mut dice = Rng::with_seed(13);
    let mut worst = [0.0f64; 3];
    for index in 0..3000 {
        let [a1, a2, a3] = [0; 3].map(|_| 10f64.powf(2.0 * dice.f64() - 1.0));
        let [e1, e2] = [exponent(&mut dice), exponent(&mut dice)];
        let own = if dice.bool() { 1.0 + 10f64.powf(-5.5 * dice.f64()) } else { 1.5 + 20.0 * dice.f64() };
        let surface = match index % 3 {
            0 => Superquadric::one_sheet([a1, a2, a3], [e1, e2], own * a3),
            1 => Superquadric::two_sheets([a1, a2, a3], [e1, e2], own * a3),
            _ => Superquadric::toroid([a1, a2, a3], [e1, e2], own),
        }
        .expect("within the domain");
        let toward = direction(&mut dice);
        let what = format!("{surface:?} along {toward}");
        let dual = |e: f64| real(2.0) / (real(2.0) - real(e));
        let planar = norm(&(real(a1) * real(toward.x)), &(real(a2) * real(toward.y)), &dual(e1));
        let along = real(a3) * real(toward.z);
        let far = surface.farthest(toward);
        let gauge = norm(&(real(far.x) / real(a1)), &(real(far.y) / real(a2)), &(real(2.0) / real(e1)));
        let (support, off) = if surface.kind() == Kind::Toroid {
            let from_line = gauge - real(own);
            let tube = norm(&from_line, &(real(far.z) / real(a3)), &(real(2.0) / real(e2)));
            let support = real(own) * planar.clone() + norm(&planar, &along, &dual(e2));
            (support, (tube - real(1.0)).to_f64().abs() / (own + 1.0))
        } else {
            let height = own * a3;
            let width = rim(surface.kind(), e2, height, a3);
            let off = (gauge / width.clone() - real(1.0)).to_f64().abs().max((far.z.abs() / height - 1.0).abs());
            (width * planar + real(height) * real(toward.z.abs()), off)
        };
        let error = ((real(surface.support_value(toward)) - support.clone()) / support).to_f64().abs();
        worst[0] = worst[0].max(error / UNIT);
        worst[1] = worst[1].max(off / UNIT);
        assert!(error <= 60.0 * UNIT, "support off by {} units: {what}", error / UNIT);
        assert!(off <= 100.0 * UNIT, "point off the surface by {} units: {what}", off / UNIT);
        assert!(surface.largest_extent().is_finite() && surface.reach().is_finite(), "{what}");
        worst[2] = worst[2].max(1.0 - toward.dot(far) / surface.support_value(toward));
    }
    println!("support {:.1} u, point {:.1} u; points short of the support by {:.1e}", worst[0], worst[1], worst[2]);
}
