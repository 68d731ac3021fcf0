//! What every distance query takes and gives: options, outcome, status, bounds, and the start for the next query.

use glam::DVec3;

use crate::InvalidInput;

/// How exact an answer has to be and how much work it may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Options {
    /// Largest accepted width of the certified interval `[lower, upper]`, as a part of the size of the pair (the sum of
    /// the two bodies' largest radii). Values below 1e-14 ask for more than `f64` holds.
    pub tolerance: f64,
    /// Largest number of surface evaluations before the answer is given as it stands, with status
    /// [`Status::NotConverged`].
    pub max_iterations: u32,
    /// Where to start: the outcome of an earlier, similar query on the same two shapes.
    pub warm_start: Option<WarmStart>,
}

impl Options {
    /// Certified to a billionth of the size.
    pub const DEFAULT: Options = Options { tolerance: 1e-9, max_iterations: 400, warm_start: None };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// What a query remembers for the next one on the same pair: the closest points and their outward normals, each in its
/// body's own frame, so that it stays useful when the bodies move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WarmStart {
    /// Closest point of a.
    pub point_a: DVec3,
    /// Outward normal of a there.
    pub normal_a: DVec3,
    /// Closest point of b.
    pub point_b: DVec3,
    /// Outward normal of b there.
    pub normal_b: DVec3,
}

/// How a distance query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Status {
    /// The bodies are apart: the distance is positive.
    Separated,
    /// Zero lies within the tolerance of the distance.
    Touching,
    /// The bodies overlap: the distance is minus the penetration depth.
    Penetrating,
    /// The iteration cap was reached; `bounds`, where present, still bracket the truth.
    NotConverged,
}

/// Certified interval that contains the true signed distance: proved by an error analysis of every operation between the
/// input and the bounds (docs/maths.md), not only tested.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Bounds {
    /// The distance is at least this.
    pub lower: f64,
    /// The distance is at most this.
    pub upper: f64,
}

impl Bounds {
    /// An interval that the caller has proved by other means, such as the least of several bodies' bounds.
    pub const fn new(lower: f64, upper: f64) -> Bounds {
        Bounds { lower, upper }
    }
}

/// The answer of a distance query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Outcome {
    /// Signed distance: positive apart, zero touching, negative penetrating.
    pub distance: f64,
    /// Closest (or deepest) point of a, in world coordinates.
    pub point_a: DVec3,
    /// Closest (or deepest) point of b, in world coordinates.
    pub point_b: DVec3,
    /// Unit normal from a to b, in world coordinates; `point_b - point_a = distance * normal`.
    pub normal: DVec3,
    /// How the query ended.
    pub status: Status,
    /// Surface evaluations spent.
    pub iterations: u32,
    /// Certified bounds: tight where the pair is convex, honest and possibly wide elsewhere; `None` where no certificate
    /// exists.
    pub bounds: Option<Bounds>,
    /// The witness normal: the unit normal from a to b, in world coordinates, along which `bounds.lower` was proved. No two
    /// points of the bodies (of their hulls, where they are not convex) are closer along it.
    pub witness: DVec3,
    /// False where other points are as close (as deep) to within the tolerance: parallel faces or edges.
    pub unique_points: bool,
    /// False where another normal gives the same distance to within the tolerance: on the medial axis, for concentric
    /// bodies, and for bodies without an inside that meet. Where both are unique, the distance is differentiable.
    pub unique_normal: bool,
    /// Start for the next query on the same two shapes.
    pub warm_start: WarmStart,
}

/// The status that belongs to a signed distance, by a tolerance in the same unit.
pub(crate) fn status_of(distance: f64, converged: bool, tolerance: f64) -> Status {
    if !converged {
        Status::NotConverged
    } else if distance.abs() <= tolerance {
        Status::Touching
    } else if distance > 0.0 {
        Status::Separated
    } else {
        Status::Penetrating
    }
}

impl Outcome {
    /// An answer without a certificate: no bounds, and no claim that points or normal are ambiguous.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg::query::{Outcome, Status, WarmStart};
    /// let start = WarmStart { point_a: DVec3::X, normal_a: DVec3::X, point_b: -DVec3::X, normal_b: -DVec3::X };
    /// let outcome = Outcome::uncertified(1.0, [DVec3::X, 2.0 * DVec3::X], DVec3::X, Status::Separated, 7, start);
    /// assert!(outcome.bounds.is_none() && outcome.is_differentiable());
    /// ```
    pub fn uncertified(
        distance: f64,
        [point_a, point_b]: [DVec3; 2],
        normal: DVec3,
        status: Status,
        iterations: u32,
        warm_start: WarmStart,
    ) -> Outcome {
        Outcome {
            distance,
            point_a,
            point_b,
            normal,
            status,
            iterations,
            bounds: None,
            witness: normal,
            unique_points: true,
            unique_normal: true,
            warm_start,
        }
    }

    /// Whether the distance has derivatives by the poses here, as far as is known: points and normal are unique.
    pub fn is_differentiable(&self) -> bool {
        self.unique_points && self.unique_normal
    }

    /// The answer to the same query with a and b exchanged.
    pub fn swapped(self) -> Outcome {
        Outcome {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            witness: -self.witness,
            warm_start: self.warm_start.swapped(),
            ..self
        }
    }
}

impl From<[DVec3; 4]> for WarmStart {
    fn from([point_a, normal_a, point_b, normal_b]: [DVec3; 4]) -> WarmStart {
        WarmStart { point_a, normal_a, point_b, normal_b }
    }
}

impl WarmStart {
    pub(crate) fn swapped(self) -> WarmStart {
        WarmStart { point_a: self.point_b, normal_a: self.normal_b, point_b: self.point_a, normal_b: self.normal_a }
    }

    pub(crate) fn is_usable(&self) -> bool {
        let (normal_a_sq, normal_b_sq) = (self.normal_a.length_squared(), self.normal_b.length_squared());
        let points_sq = self.point_a.length_squared() + self.point_b.length_squared();
        normal_a_sq > 0.5 && normal_b_sq > 0.5 && points_sq + (normal_a_sq + normal_b_sq) < f64::INFINITY
    }
}

impl Options {
    pub(crate) fn swapped(&self) -> Options {
        Options { warm_start: self.warm_start.map(WarmStart::swapped), ..*self }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        let accepted = self.tolerance > 0.0 && self.tolerance <= 1.0;
        InvalidInput::unless(accepted, "options.tolerance", self.tolerance, "]0, 1]")?;
        let cap = f64::from(self.max_iterations);
        InvalidInput::unless(self.max_iterations > 0, "options.max_iterations", cap, "[1, 4294967295]")
    }
}
