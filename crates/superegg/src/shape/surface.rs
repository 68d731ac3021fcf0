//! A superovoid's surface at given coordinates: position, normal, tangents and curvatures.
//!
//! Superellipsoid before the taper (paper 001 equations 7 and 8), with `c1, s1, c2, s2` the cosines and sines and `^`
//! the signed power: position `X = (a1 c1^e1 c2^e2, a2 s1^e1 c2^e2, a3 s2^e2)`, covector
//! `n = (c1^(2-e1) c2^(2-e2)/a1, s1^(2-e1) c2^(2-e2)/a2, s2^(2-e2)/a3)` with `n·X = 1`. The derivatives by the angles are
//! infinite or zero on faces and ridges, but only by a common factor. Taking it out leaves tangents that are never zero,
//! `T1 = (-a1 s1^(2-e1), a2 c1^(2-e1), 0)` and `T2 = (-a1 c1^e1 s2^(2-e2), -a2 s1^e1 s2^(2-e2), a3 c2^(2-e2))`,
//! in which the second fundamental form is diagonal: with respect to n it is
//! `-(2-e1)/e1 |c1 s1|^(2-2e1) c2^(2-2e2)` along T1 and `-(2-e2)/e2 |c2 s2|^(2-2e2)` along T2.
//! The taper maps `X` to `(X f, Y g, Z)`: tangents follow by its derivative, n by the inverse transpose, and the second
//! form gains the taper's own second derivative, applied to the two tangents and the new n.
//!
//! The principal curvatures come from their product and sum, both free of cancellation on a superellipsoid.

use glam::DVec3;

use super::coordinates::SurfaceCoordinates;
use super::signed_power::{floored_power, signed_power};
use super::superellipsoid::Superellipsoid;
use super::superovoid::Superovoid;

/// A point of a surface with its first and second order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The point, in the body's frame.
    pub position: DVec3,
    /// Unit outward normal.
    pub normal: DVec3,
    /// Unit directions of growing azimuth and growing elevation. Both are defined everywhere; at a pole the first is
    /// the limit along the coordinates' own azimuth.
    pub tangents: [DVec3; 2],
    /// Lengths of the derivatives of the position by the two angles: the derivative is `speeds[i] * tangents[i]`.
    /// Infinite on the axes of an exponent below 1, zero on those of an exponent above 1.
    pub speeds: [f64; 2],
    /// Principal curvatures, the larger first: positive where the surface bends away from its normal, as on a sphere.
    /// Zero in the middle of a face (exponent below 1), infinite on a ridge (exponent above 1). At a pole of a
    /// surface with e2 = 1 and e1 ≠ 1 no curvature exists; these are then the limits along the coordinates' azimuth.
    pub curvatures: [f64; 2],
    /// Unit directions of the principal curvatures.
    pub directions: [DVec3; 2],
}

impl Superovoid {
    /// Position, normal, tangents and curvatures at these coordinates.
    ///
    /// ```
    /// use superegg::shape::{Superovoid, SurfaceCoordinates};
    /// let egg = Superovoid::new([1.0, 1.0, 1.3], [1.0, 1.0], [0.2, 0.2])?;
    /// let point = egg.surface_point(SurfaceCoordinates::from_angles(0.5, -0.7));
    /// assert!((egg.gauge(point.position) - 1.0).abs() < 1e-15);
    /// assert!(point.curvatures[0] >= point.curvatures[1] && point.curvatures[1] > 0.0);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn surface_point(&self, coordinates: SurfaceCoordinates) -> SurfacePoint {
        of_superovoid(self, coordinates)
    }
}

impl Superellipsoid {
    /// Position, normal, tangents and curvatures at these coordinates.
    pub fn surface_point(&self, coordinates: SurfaceCoordinates) -> SurfacePoint {
        Superovoid::from(*self).surface_point(coordinates)
    }
}

fn of_superovoid(egg: &Superovoid, coordinates: SurfaceCoordinates) -> SurfacePoint {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    let ([c1, s1], [c2, s2]) = (coordinates.azimuth().to_array(), coordinates.elevation().to_array());
    let (planar_x, planar_y) = (a1 * signed_power(c1, e1), a2 * signed_power(s1, e1));
    let (radius, height) = (signed_power(c2, e2), signed_power(s2, e2));
    let (dual_c1, dual_s1) = (signed_power(c1, 2.0 - e1), signed_power(s1, 2.0 - e1));
    let (dual_c2, dual_s2) = (signed_power(c2, 2.0 - e2), signed_power(s2, 2.0 - e2));
    let stretch = DVec3::new(1.0 + tx * height, 1.0 + ty * height, 1.0);
    let (taper_x, taper_y) = (tx / a3, ty / a3);

    let straight = DVec3::new(planar_x * radius, planar_y * radius, a3 * height);
    // The taper's derivative: a step dz also widens the section.
    let tapered = |v: DVec3| v * stretch + DVec3::new(straight.x * taper_x * v.z, straight.y * taper_y * v.z, 0.0);
    let tangent_1 = DVec3::new(-a1 * dual_s1, a2 * dual_c1, 0.0);
    let tangent_2 = DVec3::new(-planar_x * dual_s2, -planar_y * dual_s2, a3 * dual_c2);
    let (bent_1, bent_2) = (tapered(tangent_1), tapered(tangent_2));

    let planar_normal = DVec3::new(dual_c1 * dual_c2 / a1, dual_s1 * dual_c2 / a2, 0.0) / stretch;
    let pull = taper_x * straight.x * planar_normal.x + taper_y * straight.y * planar_normal.y;
    let covector = planar_normal.with_z(dual_s2 / a3 - pull);
    let (normal, covector_length) = unit(covector);

    // The second form in the unit tangents, with the sign that makes a sphere's curvature positive.
    let ((unit_1, length_1), (unit_2, length_2)) = (unit(bent_1), unit(bent_2));
    let widening = |u: DVec3, v: DVec3| {
        taper_x * (u.x * v.z + u.z * v.x) * covector.x + taper_y * (u.y * v.z + u.z * v.y) * covector.y
    };
    let azimuth_bend = (2.0 - e1) / e1 * floored_power(c1 * s1, 2.0 - 2.0 * e1) * floored_power(c2, 2.0 - 2.0 * e2);
    let elevation_bend = (2.0 - e2) / e2 * floored_power(c2 * s2, 2.0 - 2.0 * e2);
    let second_form = SecondForm {
        tangents: [unit_1, unit_2],
        l: azimuth_bend / covector_length / length_1 / length_1,
        m: -widening(tangent_1, tangent_2) / covector_length / length_1 / length_2,
        n: (elevation_bend - widening(tangent_2, tangent_2)) / covector_length / length_2 / length_2,
    };
    let (mut curvatures, directions) = second_form.principal(normal);
    // Ridges: the floored powers above have kept the other curvature and the directions finite.
    let azimuth_ridge = e1 > 1.0 && (c1 == 0.0 || s1 == 0.0) && c2 != 0.0;
    let pole_ridge = e2 > 1.0 && c2 == 0.0;
    let elevation_ridge = e2 > 1.0 && s2 == 0.0;
    if azimuth_ridge || elevation_ridge || pole_ridge {
        curvatures[0] = f64::INFINITY;
    }
    if pole_ridge || (azimuth_ridge && elevation_ridge) {
        curvatures[1] = f64::INFINITY;
    }
    let speed = |c: f64, s: f64, e: f64, length: f64| e * (c * s).abs().powf(e - 1.0) * length;
    SurfacePoint {
        position: straight * stretch,
        normal,
        tangents: [unit_1, unit_2],
        speeds: [
            if radius == 0.0 { 0.0 } else { radius.abs() * speed(c1, s1, e1, length_1) },
            speed(c2, s2, e2, length_2),
        ],
        curvatures,
        directions,
    }
}

/// Direction and length, without overflow or underflow of the squares.
fn unit(vector: DVec3) -> (DVec3, f64) {
    let scale = vector.abs().max_element();
    let scaled = vector / scale;
    let length = scaled.length();
    (scaled / length, scale * length)
}

/// The second fundamental form in two unit tangents that need not be orthogonal.
struct SecondForm {
    tangents: [DVec3; 2],
    l: f64,
    m: f64,
    n: f64,
}

impl SecondForm {
    /// Principal curvatures, the larger first, with their unit directions.
    fn principal(&self, normal: DVec3) -> ([f64; 2], [DVec3; 2]) {
        let [u, v] = self.tangents;
        let cosine = u.dot(v);
        let area_sq = u.cross(v).length_squared();
        let mean = (self.l + self.n - 2.0 * cosine * self.m) / (2.0 * area_sq);
        let product = (self.l * self.n - self.m * self.m) / area_sq;
        // Half the difference of the two, in a form that does not cancel where they are equal: in the orthonormal frame
        // (u, n × u) the form is [[l, b], [b, d]].
        let sine = area_sq.sqrt();
        let b = (self.m - cosine * self.l) / sine;
        let d = (self.n - 2.0 * cosine * self.m + cosine * cosine * self.l) / area_sq;
        let half_gap = (0.5 * (self.l - d)).hypot(b);
        let steeper = if mean >= 0.0 { mean + half_gap } else { mean - half_gap };
        let other = if steeper != 0.0 { product / steeper } else { 0.0 };
        let larger = steeper.max(other);
        // Eigenvector of the larger eigenvalue of [[l, b], [b, d]] from the row that does not cancel.
        let across = normal.cross(u);
        let (x, y) = if self.l >= d { (0.5 * (self.l - d) + half_gap, b) } else { (b, 0.5 * (d - self.l) + half_gap) };
        let direction = if x == 0.0 && y == 0.0 { u } else { unit(u * x + across * y).0 };
        ([larger, steeper.min(other)], [direction, normal.cross(direction)])
    }
}
