//! Whether the convex hull of a superovoid that is not convex touches the surface at a point, in lanes: the cheap part of
//! [`crate::shape::Profile::highest`], which decides nearly always.
//!
//! The point has the normal at hand, so that φ has a root of its slope at the point's height. If that lies above the band, it is the
//! maximum of φ there, where φ is concave; below the band φ is at most its value at the band's end if it rises there; and
//! within the band r lies below its tangents and M below its chord. The same upside down. Where that does not decide, the band is
//! narrowed to the heights about the equator between which φ bends inwards in the direction at hand, if it is concave on either side of
//! them. What is not decided then (points of hollows, planes that touch on both sides of one) is left to the whole search.

use crate::shape::BandRings;
use crate::solver::body::Body;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::pair::placement::Placement;
use crate::solver::params::Params;
#[cfg(target_arch = "x86_64")]
use crate::solver::simd::Lanes;
use crate::solver::simd::{Mask, Real, V3, exp2, log2};

/// Part of the tolerance by which the hull of a body may reach beyond a point of its surface.
pub(crate) const SLACK: f64 = 0.02;
/// Most Newton steps to a normal.
const MOST_STEPS: u32 = 2;
/// Part of the slack by which a normal may be off.
const SAME_NORMAL: f64 = 0.1;

/// How much wider than by its leading term the part about the equator is taken in which φ bends inwards, the part of other heights that it
/// is at most, and the least of it.
const EQUATOR_MARGIN: f64 = 1.2;
const WELL_WITHIN: f64 = 0.8;
const NARROWEST: f64 = 1e-9;
/// How far from a pole, in units of the height at which `|s|^p` has fallen by about the whole of it, radii are exact to 1e-12.
#[cfg(target_arch = "x86_64")]
const CLEAR_OF_POLE: f64 = 1e-3;
/// Margin, relative to its terms, by which G must be of one sign.
const SIGN_MARGIN: f64 = 1e-12;

/// Where a superquadric bends inwards, if it does; none where that reaches a pole, which is left to the whole search.
pub(crate) fn rings_of(params: &Params) -> Option<Option<BandRings>> {
    let rings = BandRings::new(&params.band, params.exponents[1]);
    rings.as_ref().is_none_or(BandRings::is_finite).then_some(rings)
}

/// The bands of bodies, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Bands<R: Real> {
    /// See [`BandRings::ends`]; any where the body is convex.
    ends: [[R; 4]; 2],
    convex: R::Mask,
}

impl<R: Real> Bands<R> {
    /// The same in every lane; none where the band reaches a pole.
    pub fn new(rings: Option<&BandRings>) -> Option<Bands<R>> {
        let convex = R::splat(if rings.is_some() { 1.0 } else { 0.0 }).lt(R::splat(0.5));
        let [low, high] = Self::ends(rings)?;
        let spread =
            |[s, radius, fall, power]: [f64; 4]| [R::splat(s), R::splat(radius), R::splat(fall), R::splat(power)];
        Some(Bands { ends: [spread(low), spread(high)], convex })
    }

    /// The ends of a band, of any band for a convex body; none where it reaches a pole.
    fn ends(rings: Option<&BandRings>) -> Option<[[f64; 4]; 2]> {
        match rings {
            None => Some([[-0.5, 0.5, 0.5, 0.5], [0.5, 0.5, -0.5, 0.5]]),
            Some(rings) => rings.is_finite().then(|| rings.ends()),
        }
    }
}

/// Heights of the ends of the band in which a superquadric may bend inwards, if it does; none where the lanes cannot tell the radius there:
/// next to a pole, where it is a root of a difference.
#[cfg(target_arch = "x86_64")]
pub(crate) fn band_of(params: &Params) -> Option<Option<[f64; 2]>> {
    if params.band.is_empty() {
        return Some(None);
    }
    let heights @ [low, high] = params.band.heights();
    let p = 2.0 / params.exponents[1];
    let clear = heights.iter().all(|s| *s != 0.0 && p * (1.0 - s.abs()) > CLEAR_OF_POLE);
    (clear && low < high).then_some(Some(heights))
}

#[cfg(target_arch = "x86_64")]
impl<R: Lanes> Bands<R> {
    /// A body in each lane, by the heights of [`band_of`].
    #[inline(always)]
    pub fn gather(body: &Superquadric<R, true>, heights: impl Fn(usize) -> Option<[f64; 2]>) -> Bands<R> {
        let hollow = R::gather(|lane| if heights(lane).is_some() { 1.0 } else { 0.0 });
        let low = R::gather(|lane| heights(lane).map_or(-0.5, |[low, _]| low));
        let high = R::gather(|lane| heights(lane).map_or(0.5, |[_, high]| high));
        Bands { ends: [ring(body, low), ring(body, high)], convex: hollow.lt(R::splat(0.5)) }
    }
}

/// An end of a band by its height; see [`BandRings::ends`].
#[inline(always)]
#[cfg(target_arch = "x86_64")]
fn ring<R: Real>(body: &Superquadric<R, true>, s: R) -> [R; 4] {
    let [radius, fall, power] = body.ring_at(s.abs());
    [s, radius, fall.copysign(-s), power]
}

/// What the hulls of two bodies prove along a normal.
#[derive(Clone, Copy)]
pub(crate) struct Gap<R: Real> {
    /// No two points of the bodies are closer along it, where `holds`.
    pub lower: R,
    pub normal: V3<R>,
    pub holds: R::Mask,
}

/// The gap between the hulls along the normal of a's point, for points of both surfaces, in a's frame, with about a common normal.
#[inline(always)]
pub(crate) fn gap<R: Real>(
    (body_a, bands_a): (&Superquadric<R, true>, &Bands<R>),
    (body_b, bands_b): (&Superquadric<R, true>, &Bands<R>),
    placement: &Placement<R>,
    (x_a, x_b): (V3<R>, V3<R>),
    normal: V3<R>,
    slack: R,
) -> Gap<R> {
    let a = body_a.place(x_a, normal);
    let in_b = -placement.rotation.apply_transposed(a.normal);
    let mut b = body_b.place(placement.rotation.apply_transposed(x_b - placement.centre), in_b);
    let near = R::splat(SAME_NORMAL) * slack / body_b.extent();
    for _ in 0..MOST_STEPS {
        if !(near * near).lt((in_b - b.normal).length_sq()).any() {
            break;
        }
        b = body_b.turned_to(&b, in_b);
    }
    let holds = touches(body_a, bands_a, (a.position, a.normal), slack)
        & touches(body_b, bands_b, (b.position, b.normal), slack);
    let highest_b = body_b.support_bound(&b, in_b);
    let lower = a.normal.dot(placement.centre) - a.position.dot(a.normal) - highest_b - slack - slack;
    Gap { lower, normal: a.normal, holds }
}

/// φ at an end of the band.
struct End<R> {
    s: R,
    radius: R,
    /// Slope of the radius.
    fall: R,
    /// `|s|^p`.
    power: R,
    /// M, and the part of it that is along x.
    width: R,
    part: R,
    value: R,
    slope: R,
}

/// Lanes in which no point of the body is farther along the normal of a surface point x than that point by more than `slack`. The slack
/// has to be well above rounding (1e-14 of the body's size), which it makes up for.
#[inline(always)]
pub(crate) fn touches<R: Real>(
    body: &Superquadric<R, true>,
    bands: &Bands<R>,
    (x, normal): (V3<R>, V3<R>),
    slack: R,
) -> R::Mask {
    let n = normal.times(body.radii);
    let highest = x.dot(normal) + slack;
    let s = x.z / body.radii.z;
    // One by one: a closure would not be compiled for the CPU's vector lanes.
    let [low, high] = bands.ends;
    let (low, high) = (end(body, n, low), end(body, n, high));
    let decided = bands.convex | touches_beside(&low, &high, s, n.z, highest);
    if !(!decided).any() {
        return decided;
    }
    let (equator, found) = about_equator(body, &low, &high, s);
    let [radius, fall, power] = body.ring_at(equator);
    let (inner_low, inner_high) =
        (end(body, n, [-equator, radius, -fall, power]), end(body, n, [equator, radius, fall, power]));
    let [tx, ty] = body.taper;
    let concave = is_concave(body, [tx, ty], (inner_high.s, &inner_high), (high.s, &high))
        & is_concave(body, [-tx, -ty], (-inner_low.s, &inner_low), (-low.s, &low));
    decided | (found & concave & touches_beside(&inner_low, &inner_high, s, n.z, highest))
}

/// Lanes in which φ stays below `highest`, where its slope has a root at the height s, φ is concave beyond both heights.
#[inline(always)]
fn touches_beside<R: Real>(low: &End<R>, high: &End<R>, s: R, axial: R, highest: R) -> R::Mask {
    let zero = R::splat(0.0);
    let above = high.s.lt(s) | (!zero.lt(high.slope) & high.value.lt(highest));
    let below = s.lt(low.s) | (!low.slope.lt(zero) & low.value.lt(highest));
    above & below & bound_between(low, high, axial).lt(highest)
}

/// A height about the equator up to which φ bends inwards, about, but well within the band and below the height s; and whether there is one.
#[inline(always)]
fn about_equator<R: Real>(body: &Superquadric<R, true>, low: &End<R>, high: &End<R>, s: R) -> (R, R::Mask) {
    let (zero, one, two) = (R::splat(0.0), R::splat(1.0), R::splat(2.0));
    let [e1, e2] = body.exponents();
    let p = two / e2;
    let mixed = (low.part * (one - low.part)).max(high.part * (one - high.part));
    let difference = body.taper[0] - body.taper[1];
    let margin = (p - one).max(zero).sqrt().max(R::splat(EQUATOR_MARGIN));
    let bulge = margin * (e1 / (two - e1)) * mixed * difference * difference / (p - one);
    let flat = R::splat(2.01).lt(p);
    let power = one / R::select(flat, p - two, one);
    let equator = exp2(power * log2(bulge.max(R::splat(1e-200))));
    let equator = equator.min(R::splat(WELL_WITHIN) * s.abs().min(high.s).min(-low.s));
    let found = flat & R::splat(NARROWEST).lt(equator);
    (R::select(found, equator, R::splat(0.5)), found)
}

/// Whether φ is concave between two heights on one side of the equator, given with the tapers as seen from there: the same test as
/// `Profile::is_concave_between`, by the sign of the convexity test's G with each of its factors replaced by its range.
#[inline(always)]
fn is_concave<R: Real>(
    body: &Superquadric<R, true>,
    [tx, ty]: [R; 2],
    (s0, low): (R, &End<R>),
    (s1, high): (R, &End<R>),
) -> R::Mask {
    let (zero, half, one, two) = (R::splat(0.0), R::splat(0.5), R::splat(1.0), R::splat(2.0));
    let [e1, e2] = body.exponents();
    let p = two / e2;
    let pole = one - low.power;
    let (part0, part1) = (low.part.min(high.part), low.part.max(high.part));
    let (rate_x, rate_y) = (tx / (one + tx * s1), ty / (one + ty * s1));
    let slope = (part0 * rate_x + (one - part0) * rate_y).min(part1 * rate_x + (one - part1) * rate_y);
    let leverage = R::select(slope.lt(zero), s1 * pole, s0 * (one - high.power));
    let widening = two * slope * leverage;
    let either = (part0 * (one - part0)).max(part1 * (one - part1));
    let mixed = R::select(half.lt(part0) | part1.lt(half), either, R::splat(0.25));
    let narrow_x = (one + tx * s0).min(one + tx * s1);
    let narrow_y = (one + ty * s0).min(one + ty * s1);
    let difference = pole * (tx - ty) / (narrow_x * narrow_y);
    let bulge = e1 / (two - e1) * (s0 * (s0 / low.power)) * mixed * difference * difference;
    let margin = R::splat(SIGN_MARGIN) * (p + widening.abs() + bulge);
    margin.lt(p - one + widening - bulge)
}

#[inline(always)]
fn end<R: Real>(body: &Superquadric<R, true>, n: V3<R>, [s, radius, fall, power]: [R; 4]) -> End<R> {
    let [width, width_slope, part] = body.width_at(n, s);
    let slope = n.z + radius * width_slope + fall * width;
    End { s, radius, fall, power, width, part, value: n.z * s + radius * width, slope }
}

/// An upper bound of φ over the band: the product of M's chord and r's tangents, on either side of where these meet.
#[inline(always)]
fn bound_between<R: Real>(low: &End<R>, high: &End<R>, axial: R) -> R {
    let chord = (high.width - low.width) / (high.s - low.s);
    let meeting = (low.radius - high.radius - low.fall * low.s + high.fall * high.s) / (high.fall - low.fall);
    let meeting = R::select(low.s.lt(meeting) & meeting.lt(high.s), meeting, high.s);
    highest_before(low, chord, axial, meeting).max(highest_before(high, chord, axial, meeting))
}

/// The greatest of `(r + r' x)(M + chord x) + w (s + x)` between an end of the band and a height.
#[inline(always)]
fn highest_before<R: Real>(end: &End<R>, chord: R, axial: R, until: R) -> R {
    let (zero, two) = (R::splat(0.0), R::splat(2.0));
    let reach = until - end.s;
    let bend = end.fall * chord;
    let rise = end.fall * end.width + chord * end.radius + axial;
    // From the end's value on: rise x + bend x².
    let peak = -(rise / (two * bend));
    let inside = bend.lt(zero) & zero.lt(peak * reach) & peak.abs().lt(reach.abs());
    let at = |x: R| end.value + x * bend.mul_add(x, rise);
    let ends = end.value.max(at(reach));
    R::select(inside, ends.max(at(peak)), ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Superovoid;
    use crate::solver::convex::scaled;

    /// Wherever it says yes, none of the heights of the surface, computed from the shape's own parametric form, is above the plane; and it
    /// says yes for nearly all points that are not within the band.
    #[test]
    fn no_point_of_the_body_is_beyond_a_plane_that_touches() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut between = |low: f64, high: f64| low + (high - low) * random.f64();
        let (mut outside, mut decided) = (0, 0);
        for _ in 0..400 {
            let exponents = [between(0.2, 1.6), between(0.2, 1.6)];
            let taper = [between(-0.5, 0.5), between(-0.5, 0.5)];
            let shape = Superovoid::new([1.0, between(0.3, 1.0), between(0.3, 1.0)], exponents, taper).unwrap();
            let params = Params::from(&shape);
            let Some(Some(rings)) = rings_of(&params) else { continue };
            let Some(bands) = Bands::new(Some(&rings)) else { continue };
            let body = scaled::<f64, true>(&params, 1.0);
            for _ in 0..20 {
                let direction = V3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0));
                let at = body.place(direction, direction);
                let [low, high] = rings.ends().map(|[s, ..]| s);
                let s = at.position.z / body.radii.z;
                let is_outside = !(low..=high).contains(&s);
                let touches = touches(&body, &bands, (at.position, at.normal), 1e-11);
                outside += u32::from(is_outside);
                decided += u32::from(is_outside && touches);
                if !touches {
                    continue;
                }
                let height = shape.support_value(at.normal.into());
                let own = at.position.dot(at.normal);
                assert!(height <= own + 2e-11, "{shape:?}: {height} above {own}");
            }
        }
        println!("{decided} of {outside} decided");
        assert!(outside > 2000 && decided * 10 > outside * 9, "{decided} of {outside}");
    }
}
