//! The superellipsoid of Barr (1981): `(|x/a1|^(2/e1) + |y/a2|^(2/e1))^(e1/e2) + |z/a3|^(2/e2) = 1`.
//!
//! Convex for every exponent in ]0, 2[. Two planar norms nested in each other: x and y with e1 inside, their norm and z
//! with e2 outside.

use glam::{DMat3, DVec3};

use super::bounds::{Aabb, Sphere, farthest};
use super::coordinates::{SurfaceCoordinates, weights};
use super::implicit::Derivatives;
use super::norm::{norm, norm_gradient, scaled_gauge, scaled_hessian};
use super::{Direction, validate_radii_and_exponents};
use crate::{InvalidInput, Pose};

/// A superellipsoid, centred at the origin with its axes along x, y and z.
///
/// ```
/// use superegg::shape::Superellipsoid;
/// let egg = Superellipsoid::new([1.0, 1.0, 1.3], [1.0, 0.8])?;
/// assert_eq!(egg.radii(), [1.0, 1.0, 1.3]);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superellipsoid {
    radii: [f64; 3],
    exponents: [f64; 2],
}

impl Superellipsoid {
    /// `radii` along x, y, z in metres; `exponents` `[e1, e2]`: squareness in the xy plane and along z, in ]0, 2[.
    pub fn new(radii: [f64; 3], exponents: [f64; 2]) -> Result<Superellipsoid, InvalidInput> {
        validate_radii_and_exponents(&radii, &exponents)?;
        Ok(Superellipsoid { radii, exponents })
    }

    /// Parameters that another shape's constructor has checked.
    pub(crate) fn from_valid(radii: [f64; 3], exponents: [f64; 2]) -> Superellipsoid {
        Superellipsoid { radii, exponents }
    }

    /// Half the extent along x, y and z.
    pub fn radii(&self) -> [f64; 3] {
        self.radii
    }

    /// `[e1, e2]`.
    pub fn exponents(&self) -> [f64; 2] {
        self.exponents
    }

    /// The surface point whose outward normal is `direction`, of any finite length: the farthest point that way. Closed
    /// form. The zero direction, which every point satisfies, gets a pole of z.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Superellipsoid};
    /// let egg = Superellipsoid::new([1.0, 2.0, 3.0], [0.5, 1.5])?;
    /// assert_eq!(egg.support(DVec3::new(0.0, -4.0, 0.0)), DVec3::new(0.0, -2.0, 0.0));
    /// let normal = DVec3::new(1.0, 2.0, -3.0).normalize();
    /// assert!(egg.normal_at(egg.support(normal)).dot(normal) > 1.0 - 1e-15);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = Direction::new(direction).unit_largest * DVec3::from(self.radii);
        let [e1, e2] = self.exponents;
        let size = scaled.abs();
        let inner = norm_gradient(size.x, size.y, e1);
        // A zero direction falls through to the pole, as the gradient's first component belongs to z.
        let outer = norm_gradient(size.z, inner.norm, e2);
        let point = DVec3::new(outer.v * inner.u, outer.v * inner.v, outer.u);
        (point * DVec3::from(self.radii)).copysign(direction)
    }

    /// The support function: the largest `direction · x` over the solid, `‖(‖(a1 nx, a2 ny)‖, a3 nz)‖` with the dual
    /// exponents `2/(2-e1)` inside and `2/(2-e2)` outside.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        let direction = Direction::new(direction);
        let size = (direction.unit_largest * DVec3::from(self.radii)).abs();
        let [e1, e2] = self.exponents;
        direction.scale * norm(size.z, norm(size.x, size.y, e1), e2)
    }

    /// The inverse of [`support`](Self::support): the unit outward normal at a surface point. Elsewhere, the normal of
    /// the scaled copy of the surface through the point; at the centre, where there is none, +z.
    pub fn normal_at(&self, point: DVec3) -> DVec3 {
        Direction::new(self.normal_direction(point)).unit_largest.normalize()
    }

    /// A positive multiple of the gradient of the gauge, of order one; +z at the centre.
    pub(crate) fn normal_direction(&self, point: DVec3) -> DVec3 {
        let radii = DVec3::from(self.radii);
        let inverse_radii = radii.min_element() / radii;
        let (_, normal) = scaled_gauge(Direction::new(point).unit_largest * inverse_radii, self.exponents);
        normal.copysign(point) * inverse_radii
    }

    /// The gauge: by which factor the surface must be scaled to pass through the point. 1 on the surface, 0 at the
    /// centre, of degree one and convex; the power e2/2 of [`inside_outside`](Self::inside_outside).
    ///
    /// ```
    /// use superegg::{DVec3, shape::Superellipsoid};
    /// let box_like = Superellipsoid::new([1.0, 2.0, 3.0], [0.1, 0.1])?;
    /// assert_eq!(box_like.gauge(DVec3::new(0.0, 4.0, 0.0)), 2.0);
    /// assert_eq!(box_like.inside_outside(DVec3::new(0.0, 4.0, 0.0)), 2f64.powi(20));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn gauge(&self, point: DVec3) -> f64 {
        let size = (point / DVec3::from(self.radii)).abs();
        let [e1, e2] = self.exponents;
        norm(size.z, norm(size.x, size.y, 2.0 - e1), 2.0 - e2)
    }

    /// The gauge with its gradient and Hessian. At the centre, where the gauge has a corner, the gradient is that
    /// towards +z and the Hessian is zero.
    pub fn gauge_derivatives(&self, point: DVec3) -> Derivatives {
        let (value, gradient, scaled_hessian) = self.scaled_derivatives(point);
        let hessian = if value > 0.0 { scaled_hessian * (1.0 / value) } else { DMat3::ZERO };
        Derivatives { value, gradient, hessian }
    }

    /// The inside-outside function of the papers (001 equation 5): below 1 inside, 1 on the surface, above 1 outside.
    /// For small exponents it leaves the range of `f64` quickly; the gauge does not.
    pub fn inside_outside(&self, point: DVec3) -> f64 {
        self.gauge(point).powf(2.0 / self.exponents[1])
    }

    /// The inside-outside function with its gradient and Hessian.
    pub fn inside_outside_derivatives(&self, point: DVec3) -> Derivatives {
        let (gauge, gradient, scaled_hessian) = self.scaled_derivatives(point);
        Derivatives::of_power(gauge, gradient, scaled_hessian, 2.0 / self.exponents[1])
    }

    /// Gauge, its gradient, and its Hessian times the gauge.
    pub(crate) fn scaled_derivatives(&self, point: DVec3) -> (f64, DVec3, DMat3) {
        let [e1, e2] = self.exponents;
        let radii = DVec3::from(self.radii);
        let scaled = point / radii;
        let gradient = scaled_gauge(scaled, self.exponents).1 / radii;
        // Away from zero, so that second derivatives that are infinite there become large numbers.
        let toward = if scaled == DVec3::ZERO { DVec3::Z } else { Direction::new(scaled).unit_largest };
        let size = toward.abs().max(DVec3::splat(1e-30));
        let inner = norm_gradient(size.x, size.y, 2.0 - e1);
        let inner_bend = scaled_hessian(size.x, size.y, 2.0 - e1);
        let outer_slope = norm_gradient(inner.norm, size.z, 2.0 - e2);
        let outer_bend = scaled_hessian(inner.norm, size.z, 2.0 - e2);
        let along = outer_slope.u * (outer_slope.norm / inner.norm);
        let xx = outer_bend.uu * inner.u * inner.u + along * inner_bend.uu;
        let yy = outer_bend.uu * inner.v * inner.v + along * inner_bend.vv;
        let xy = outer_bend.uu * inner.u * inner.v + along * inner_bend.uv;
        let (xz, yz, zz) = (outer_bend.uv * inner.u, outer_bend.uv * inner.v, outer_bend.vv);
        let scale = DMat3::from_diagonal(DVec3::ONE.copysign(scaled) / radii);
        let hessian = DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
        (self.gauge(point), gradient, scale * hessian * scale)
    }

    /// Distance to the surface along the line through the centre (paper 000 equation 5), negative inside. A bound of the
    /// true distance from outside (and of the depth from inside) from above. At the centre: along z.
    pub fn radial_signed_distance(&self, point: DVec3) -> f64 {
        let gauge = self.gauge(point);
        if gauge > 0.0 { point.length() * (1.0 - 1.0 / gauge) } else { -self.radii[2] }
    }

    /// The coordinates of a surface point; elsewhere, of its radial projection onto the surface.
    pub fn coordinates_at(&self, point: DVec3) -> SurfaceCoordinates {
        let [e1, e2] = self.exponents;
        let radii = DVec3::from(self.radii);
        let scaled = Direction::new(point).unit_largest * (radii.min_element() / radii);
        let planar = norm(scaled.x.abs(), scaled.y.abs(), 2.0 - e1);
        SurfaceCoordinates::new(weights(scaled.x, scaled.y, 1.0 / e1), weights(planar, scaled.z, 1.0 / e2))
    }

    /// The coordinates of the surface point with this outward normal (paper 001 equation 9, without its angles).
    pub fn coordinates_with_normal(&self, direction: DVec3) -> SurfaceCoordinates {
        let [e1, e2] = self.exponents;
        let scaled = Direction::new(direction).unit_largest * DVec3::from(self.radii);
        let planar = norm(scaled.x.abs(), scaled.y.abs(), e1);
        SurfaceCoordinates::new(
            weights(scaled.x, scaled.y, 1.0 / (2.0 - e1)),
            weights(planar, scaled.z, 1.0 / (2.0 - e2)),
        )
    }

    /// The smallest box along the world's axes that holds the posed solid. Closed form.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let reach = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.support_value(pose.inverse_transform_vector(axis)));
        Aabb { min: pose.translation - DVec3::from(reach), max: pose.translation + DVec3::from(reach) }
    }

    /// The smallest sphere that holds the solid, in its own frame. It is centred, and closed form: the squares of the
    /// coordinates lie on a superellipsoid of twice the exponents, whose support function in the direction (1, 1, 1)
    /// is the largest squared distance.
    pub fn bounding_sphere(&self) -> Sphere {
        let [a1, a2, a3] = self.radii;
        let [e1, e2] = self.exponents;
        Sphere { center: DVec3::ZERO, radius: farthest(farthest(a1, a2, e1), a3, e2) }
    }
}
