//! The superellipse of Lamé, in the plane: `|x/a1|^(2/e) + |y/a2|^(2/e) = 1`.
//!
//! Paper 001 (equation 25) allows each term its own exponent; here, as in the section of a superellipsoid, both have
//! the same, which makes the curve one planar norm and its support function the dual one.

use glam::{DMat2, DVec2};

use super::bounds::farthest;
use super::coordinates::weights;
use super::mass::{unit_area, unit_second_moment};
use super::norm::{norm, norm_gradient, scaled_hessian};
use super::signed_power::{floored_power, signed_power};
use super::tessellate::{Quarter, Spacing, full_turn};
use super::{Direction, validate_radii_and_exponents};
use crate::{InvalidInput, Pose2};

/// A superellipse with its inside, centred at the origin with its axes along x and y. Convex for every exponent in
/// ]0, 2[.
///
/// ```
/// use superegg::{DVec2, shape::Superellipse};
/// let ball = Superellipse::new([2.0, 1.0], 0.5)?;
/// assert_eq!(ball.support(DVec2::new(-3.0, 0.0)), DVec2::new(-2.0, 0.0));
/// assert_eq!(ball.gauge(DVec2::new(0.0, 3.0)), 3.0);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superellipse {
    radii: [f64; 2],
    exponent: f64,
}

/// A planar function's value and first two derivatives at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarDerivatives {
    /// The value.
    pub value: f64,
    /// The first derivatives.
    pub gradient: DVec2,
    /// The second derivatives; where one is infinite, the one at 1e-30 of the size beside that place.
    pub hessian: DMat2,
}

/// A point of a curve with its first and second order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The point, in the shape's frame.
    pub position: DVec2,
    /// Unit outward normal.
    pub normal: DVec2,
    /// Unit direction of growing angle.
    pub tangent: DVec2,
    /// Length of the derivative of the position by the angle; infinite or zero on the axes unless the exponent is 1.
    pub speed: f64,
    /// Curvature, positive; zero or infinite on the axes unless the exponent is 1.
    pub curvature: f64,
}

/// A rectangle along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarAabb {
    /// Smallest coordinates.
    pub min: DVec2,
    /// Largest coordinates.
    pub max: DVec2,
}

impl Superellipse {
    /// `radii` along x and y in metres; `exponent` in ]0, 2[: 1 is an ellipse, less is squarer, more is spikier.
    pub fn new(radii: [f64; 2], exponent: f64) -> Result<Superellipse, InvalidInput> {
        validate_radii_and_exponents(&radii, &[])?;
        let accepted = exponent > 0.0 && exponent < 2.0;
        InvalidInput::unless(accepted, "exponent", exponent, super::EXPONENT_ALLOWED)?;
        Ok(Superellipse { radii, exponent })
    }

    /// Half the extent along x and y.
    pub fn radii(&self) -> [f64; 2] {
        self.radii
    }

    /// The exponent e.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// The point whose outward normal is `direction`, of any finite length: the farthest point that way. Closed form.
    /// The zero direction, which every point satisfies, gets the end of the x axis.
    pub fn support(&self, direction: DVec2) -> DVec2 {
        let scaled = Direction::new(direction.extend(0.0)).unit_largest.truncate() * DVec2::from(self.radii);
        let point = norm_gradient(scaled.x.abs(), scaled.y.abs(), self.exponent);
        (DVec2::new(point.u, point.v) * DVec2::from(self.radii)).copysign(direction)
    }

    /// The support function: the largest `direction · x` over the solid, a norm with the dual exponent `2/(2-e)`.
    pub fn support_value(&self, direction: DVec2) -> f64 {
        let direction = Direction::new(direction.extend(0.0));
        let scaled = direction.unit_largest.truncate().abs() * DVec2::from(self.radii);
        direction.scale * norm(scaled.x, scaled.y, self.exponent)
    }

    /// The inverse of [`support`](Self::support): the unit outward normal at a point of the curve. Elsewhere, that of
    /// the scaled copy of the curve through the point; at the centre, where there is none, +x.
    pub fn normal_at(&self, point: DVec2) -> DVec2 {
        let radii = DVec2::from(self.radii);
        let inverse_radii = radii.min_element() / radii;
        let scaled = Direction::new(point.extend(0.0)).unit_largest.truncate() * inverse_radii;
        let normal = self.scaled_normal(scaled) * inverse_radii;
        normal.copysign(point).normalize()
    }

    fn scaled_normal(&self, scaled: DVec2) -> DVec2 {
        let normal = norm_gradient(scaled.x.abs(), scaled.y.abs(), 2.0 - self.exponent);
        DVec2::new(normal.u, normal.v).copysign(scaled)
    }

    /// The gauge: by which factor the curve must be scaled to pass through the point. 1 on the curve, 0 at the centre,
    /// of degree one and convex; the power e/2 of [`inside_outside`](Self::inside_outside).
    pub fn gauge(&self, point: DVec2) -> f64 {
        let size = (point / DVec2::from(self.radii)).abs();
        norm(size.x, size.y, 2.0 - self.exponent)
    }

    /// The gauge with its gradient and Hessian. At the centre, where the gauge has a corner, the gradient is that
    /// towards +x and the Hessian is zero.
    pub fn gauge_derivatives(&self, point: DVec2) -> PlanarDerivatives {
        let (value, gradient, scaled_hessian) = self.scaled_derivatives(point);
        let hessian = if value > 0.0 { scaled_hessian * (1.0 / value) } else { DMat2::ZERO };
        PlanarDerivatives { value, gradient, hessian }
    }

    /// The inside-outside function of paper 001 (equation 25, without its -1): below 1 inside, above 1 outside.
    pub fn inside_outside(&self, point: DVec2) -> f64 {
        self.gauge(point).powf(2.0 / self.exponent)
    }

    /// The inside-outside function with its gradient and Hessian.
    pub fn inside_outside_derivatives(&self, point: DVec2) -> PlanarDerivatives {
        let (gauge, gradient, scaled_hessian) = self.scaled_derivatives(point);
        let power = 2.0 / self.exponent;
        let outer = DMat2::from_cols(gradient * gradient.x, gradient * gradient.y);
        PlanarDerivatives {
            value: gauge.powf(power),
            gradient: gradient * (power * gauge.powf(power - 1.0)),
            hessian: (outer * (power - 1.0) + scaled_hessian) * (power * gauge.powf(power - 2.0)),
        }
    }

    /// Gauge, its gradient, and its Hessian times the gauge.
    fn scaled_derivatives(&self, point: DVec2) -> (f64, DVec2, DMat2) {
        let radii = DVec2::from(self.radii);
        let scaled = point / radii;
        let toward = if scaled == DVec2::ZERO { DVec2::X } else { scaled / scaled.abs().max_element() };
        let size = toward.abs().max(DVec2::splat(1e-30));
        let bend = scaled_hessian(size.x, size.y, 2.0 - self.exponent);
        let scale = DVec2::ONE.copysign(scaled) / radii;
        let hessian = DMat2::from_cols(
            DVec2::new(bend.uu, bend.uv) * scale * scale.x,
            DVec2::new(bend.uv, bend.vv) * scale * scale.y,
        );
        (self.gauge(point), self.scaled_normal(scaled) / radii, hessian)
    }

    /// Distance to the curve along the line through the centre, negative inside. At the centre: along x.
    pub fn radial_signed_distance(&self, point: DVec2) -> f64 {
        let gauge = self.gauge(point);
        if gauge > 0.0 { point.length() * (1.0 - 1.0 / gauge) } else { -self.radii[0] }
    }

    /// `(cos φ, sin φ)` of a point of the curve, `position = (a1 cos^e φ, a2 sin^e φ)` with signed powers; elsewhere, of
    /// its radial projection. Small exponents put whole sides within rounding of multiples of 90°, where the pair still
    /// tells points apart and the angle does not.
    pub fn coordinates_at(&self, point: DVec2) -> DVec2 {
        let radii = DVec2::from(self.radii);
        let scaled = Direction::new(point.extend(0.0)).unit_largest.truncate() * (radii.min_element() / radii);
        weights(scaled.x, scaled.y, 1.0 / self.exponent)
    }

    /// `(cos φ, sin φ)` of the point with this outward normal.
    pub fn coordinates_with_normal(&self, direction: DVec2) -> DVec2 {
        let scaled = Direction::new(direction.extend(0.0)).unit_largest.truncate() * DVec2::from(self.radii);
        weights(scaled.x, scaled.y, 1.0 / (2.0 - self.exponent))
    }

    /// Position, normal, tangent and curvature at `(cos φ, sin φ)`, a unit vector.
    ///
    /// ```
    /// use superegg::{DVec2, shape::Superellipse};
    /// let circle = Superellipse::new([2.0, 2.0], 1.0)?;
    /// let point = circle.curve_point(DVec2::from_angle(0.5));
    /// assert!((point.curvature - 0.5).abs() < 1e-15 && (point.speed - 2.0).abs() < 1e-15);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn curve_point(&self, coordinates: DVec2) -> CurvePoint {
        let ([a1, a2], e) = (self.radii, self.exponent);
        let [c, s] = coordinates.to_array();
        let (dual_c, dual_s) = (signed_power(c, 2.0 - e), signed_power(s, 2.0 - e));
        // As on the surfaces: the derivative by the angle without its factor e|cs|^(e-1) is never zero, and the second
        // form with respect to the covector is constant.
        let tangent = DVec2::new(-a1 * dual_s, a2 * dual_c);
        let covector = DVec2::new(dual_c / a1, dual_s / a2);
        let length = tangent.length();
        let bend = if e > 1.0 && (c == 0.0 || s == 0.0) {
            f64::INFINITY
        } else {
            (2.0 - e) / e * floored_power(c * s, 2.0 - 2.0 * e)
        };
        CurvePoint {
            position: DVec2::new(a1 * signed_power(c, e), a2 * signed_power(s, e)),
            normal: covector.normalize(),
            tangent: tangent / length,
            speed: e * (c * s).abs().powf(e - 1.0) * length,
            curvature: bend / covector.length() / length / length,
        }
    }

    /// The smallest rectangle along the world's axes that holds the posed solid.
    pub fn aabb(&self, pose: &Pose2) -> PlanarAabb {
        let reach = DVec2::new(
            self.support_value(pose.inverse_transform_vector(DVec2::X)),
            self.support_value(pose.inverse_transform_vector(DVec2::Y)),
        );
        PlanarAabb { min: pose.translation - reach, max: pose.translation + reach }
    }

    /// Radius of the smallest circle that holds the solid; its centre is the origin. Closed form.
    pub fn bounding_radius(&self) -> f64 {
        farthest(self.radii[0], self.radii[1], self.exponent)
    }

    /// Area, in Gamma functions.
    ///
    /// ```
    /// use superegg::shape::Superellipse;
    /// let ellipse = Superellipse::new([3.0, 2.0], 1.0)?;
    /// assert!((ellipse.area() - 6.0 * std::f64::consts::PI).abs() < 1e-13);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn area(&self) -> f64 {
        self.radii[0] * self.radii[1] * unit_area(self.exponent)
    }

    /// `∫ x² dA` and `∫ y² dA`; their sum is the polar moment. The centroid is the origin.
    pub fn second_moments(&self) -> [f64; 2] {
        let [a1, a2] = self.radii;
        let unit = a1 * a2 * unit_second_moment(self.exponent);
        [a1 * a1 * unit, a2 * a2 * unit]
    }

    /// A closed polygon inscribed in the curve, counter-clockwise from the end of the x axis, of the largest multiple of
    /// four not above `vertex_count`, in [4, 10000000]; the ends of the axes are always among them.
    pub fn polygon(&self, vertex_count: usize, spacing: Spacing) -> Result<Vec<DVec2>, InvalidInput> {
        let accepted = (4..=10_000_000).contains(&vertex_count);
        InvalidInput::unless(accepted, "vertex_count", vertex_count as f64, "[4, 10000000]")?;
        let quarter = Quarter::new(spacing, self.exponent, |weights| {
            let point = self.curve_point(weights);
            (point.position.extend(0.0), point.normal.extend(0.0))
        });
        let turn = full_turn(&quarter.steps(vertex_count / 4));
        Ok(turn.into_iter().map(|coordinates| self.curve_point(coordinates).position).collect())
    }
}
