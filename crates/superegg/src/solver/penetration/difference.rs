//! The difference body `D = A - B` of a placed pair, by its support points.
//!
//! `D` holds the origin where the bodies overlap; its support function is `σ(n) = h_a(n) + h_b(-n) - n·c`, and the depth
//! is the distance of the origin from its surface. The support point of `D` along n is the difference of the support points
//! of a along n and of b against it.

use crate::solver::body::Body;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::{Superquadric, SurfacePoint};
use crate::solver::pair::placement::Placement;
use crate::solver::penetration::polytope::{Planes, Vertex};
use crate::solver::simd::{Real, V3};

/// A difference body.
pub(crate) trait Difference {
    /// Whether two support points take about as long as one.
    const TWO_AT_ONCE: bool;
    /// Whether slopes of points nearby are of use.
    const TAPERED: bool;
    /// The numbers in which facets are computed.
    type Facets: Planes;
    /// The support points along two unit normals, from the slopes of points nearby (see [`Vertex::slopes`]).
    fn support(&self, normals: [V3<f64>; 2], guesses: [[f64; 2]; 2]) -> [Vertex; 2];
    /// The point of the difference body that is a point of a less one of b in its own frame.
    fn point(&self, x_a: V3<f64>, in_b: V3<f64>) -> V3<f64>;
    /// Twice the middle of the body, where it is symmetric about a point.
    fn twice_middle(&self) -> Option<V3<f64>>;
    /// Radius of a ball that the body is the sum of with another convex body; zero where none is known.
    fn round_part(&self) -> f64;
    /// The support point along one unit normal.
    #[inline(always)]
    fn support_along(&self, normal: V3<f64>, guess: [f64; 2]) -> Vertex {
        self.support([normal; 2], [guess; 2])[0]
    }
}

/// No slopes.
pub(crate) const UNKNOWN: [f64; 2] = [f64::NAN; 2];
/// Change of a slope at which the next one is right to the square of it: support points then fall short by less than rounding.
const PRECISION: f64 = 1e-7;

/// Bodies of one kind of numbers, one support point after the other.
pub(crate) struct OneByOne<'a, A, B> {
    pub body_a: &'a A,
    pub body_b: &'a B,
    pub placement: &'a Placement<f64>,
    pub symmetric: bool,
    pub round_part: f64,
}

impl<A: Body<f64>, B: Body<f64>> Difference for OneByOne<'_, A, B> {
    const TWO_AT_ONCE: bool = false;
    const TAPERED: bool = false;
    type Facets = f64;

    fn support(&self, [first, second]: [V3<f64>; 2], guesses: [[f64; 2]; 2]) -> [Vertex; 2] {
        [self.support_along(first, guesses[0]), self.support_along(second, guesses[1])]
    }

    fn support_along(&self, normal: V3<f64>, _: [f64; 2]) -> Vertex {
        let x_a = A::position(&self.body_a.with_normal(normal));
        let in_b = B::position(&self.body_b.with_normal(-self.placement.a_to_b::<B>(normal)));
        Vertex { p: self.point(x_a, in_b), x_a, in_b, normal, slopes: UNKNOWN }
    }

    fn point(&self, x_a: V3<f64>, in_b: V3<f64>) -> V3<f64> {
        x_a - (self.placement.centre + self.placement.b_to_a::<B>(in_b))
    }

    fn round_part(&self) -> f64 {
        self.round_part
    }

    fn twice_middle(&self) -> Option<V3<f64>> {
        self.symmetric.then_some(-(self.placement.centre + self.placement.centre))
    }
}

/// The point of a superquadric with about a normal, and its slope if it is tapered.
#[inline(always)]
fn about_normal<R: Real, const TAPERED: bool>(
    body: &Superquadric<R, TAPERED>,
    normal: V3<R>,
    guess: R,
) -> (SurfacePoint<R>, R) {
    if TAPERED {
        let at = body.near_tapered_normal(normal, guess, PRECISION);
        (at, at.slope())
    } else {
        (body.with_untapered_normal(normal), guess)
    }
}

/// A superquadric in numbers of any kind against a point, segment or triangle, with facets in vector lanes: only to be used when
/// [`crate::solver::simd::avx2::available`].
#[cfg(target_arch = "x86_64")]
pub(crate) struct WithSimplex<'a, R: Real, const TAPERED: bool> {
    pub body: Superquadric<R, TAPERED>,
    pub simplex: &'a Simplex,
    pub placement: &'a Placement<f64>,
}

#[cfg(target_arch = "x86_64")]
impl<R: Real + Into<f64>, const TAPERED: bool> Difference for WithSimplex<'_, R, TAPERED> {
    const TWO_AT_ONCE: bool = false;
    const TAPERED: bool = TAPERED;
    type Facets = crate::solver::simd::avx2::F64x4;

    #[inline(always)]
    fn support(&self, [first, second]: [V3<f64>; 2], guesses: [[f64; 2]; 2]) -> [Vertex; 2] {
        [self.support_along(first, guesses[0]), self.support_along(second, guesses[1])]
    }

    #[inline(always)]
    fn support_along(&self, normal: V3<f64>, guess: [f64; 2]) -> Vertex {
        let (at, slope) = about_normal(&self.body, normal.spread(), R::splat(guess[0]));
        let x_a: V3<f64> = at.position.spread();
        let in_b = self.simplex.farthest(-normal);
        Vertex { p: self.point(x_a, in_b), x_a, in_b, normal, slopes: [slope.into(), f64::NAN] }
    }

    #[inline(always)]
    fn point(&self, x_a: V3<f64>, in_b: V3<f64>) -> V3<f64> {
        x_a - (self.placement.centre + in_b)
    }

    #[inline(always)]
    fn round_part(&self) -> f64 {
        self.body.round_part().into()
    }

    #[inline(always)]
    fn twice_middle(&self) -> Option<V3<f64>> {
        (!TAPERED && self.simplex.is_symmetric()).then_some(-(self.placement.centre + self.placement.centre))
    }
}

/// Two superquadrics in the lanes of a vector register: a and b along one normal, and along another.
#[cfg(target_arch = "x86_64")]
pub(crate) mod four_lanes {
    use super::*;
    use crate::solver::simd::avx2::F64x4;

    /// Only to be used when [`crate::solver::simd::avx2::available`].
    pub(crate) struct FourLanes<'a, const TAPERED: bool> {
        bodies: Superquadric<F64x4, TAPERED>,
        placement: &'a Placement<f64>,
        round_part: f64,
    }

    impl<'a, const TAPERED: bool> FourLanes<'a, TAPERED> {
        #[inline(always)]
        pub fn new(
            a: &Superquadric<f64, TAPERED>,
            b: &Superquadric<f64, TAPERED>,
            placement: &'a Placement<f64>,
        ) -> FourLanes<'a, TAPERED> {
            let both = |a: f64, b: f64| F64x4::from_array([a, b, a, b]);
            let radii = V3::new(both(a.radii.x, b.radii.x), both(a.radii.y, b.radii.y), both(a.radii.z, b.radii.z));
            let (e_a, e_b) = (a.exponents(), b.exponents());
            let exponents = [both(e_a[0], e_b[0]), both(e_a[1], e_b[1])];
            let taper = [both(a.taper[0], b.taper[0]), both(a.taper[1], b.taper[1])];
            let round_part = a.round_part() + b.round_part();
            FourLanes { bodies: Superquadric::new(radii, exponents, taper), placement, round_part }
        }
    }

    impl<const TAPERED: bool> Difference for FourLanes<'_, TAPERED> {
        const TWO_AT_ONCE: bool = true;
        const TAPERED: bool = TAPERED;
        type Facets = F64x4;

        #[inline(always)]
        fn support(&self, [first, second]: [V3<f64>; 2], guesses: [[f64; 2]; 2]) -> [Vertex; 2] {
            let Placement { rotation, .. } = self.placement;
            let (first_b, second_b) = (-rotation.apply_transposed(first), -rotation.apply_transposed(second));
            let normals = V3::new(
                F64x4::from_array([first.x, first_b.x, second.x, second_b.x]),
                F64x4::from_array([first.y, first_b.y, second.y, second_b.y]),
                F64x4::from_array([first.z, first_b.z, second.z, second_b.z]),
            );
            let [[guess_a, guess_b], [other_guess_a, other_guess_b]] = guesses;
            let guess = F64x4::from_array([guess_a, guess_b, other_guess_a, other_guess_b]);
            let (at, slopes) = about_normal(&self.bodies, normals, guess);
            let [a, b, other_a, other_b] = at.position.lanes();
            let slopes = slopes.to_array();
            let vertex = |x_a, in_b, normal, slopes| Vertex { p: self.point(x_a, in_b), x_a, in_b, normal, slopes };
            [vertex(a, b, first, [slopes[0], slopes[1]]), vertex(other_a, other_b, second, [slopes[2], slopes[3]])]
        }

        #[inline(always)]
        fn point(&self, x_a: V3<f64>, in_b: V3<f64>) -> V3<f64> {
            x_a - (self.placement.centre + self.placement.rotation.apply(in_b))
        }

        #[inline(always)]
        fn round_part(&self) -> f64 {
            self.round_part
        }

        #[inline(always)]
        fn twice_middle(&self) -> Option<V3<f64>> {
            (!TAPERED).then_some(-(self.placement.centre + self.placement.centre))
        }
    }
}
