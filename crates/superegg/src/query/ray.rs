//! The first point where a ray meets a shape's surface.
//!
//! Superellipsoids and superovoids share one method, a Newton iteration that cannot step over the surface, convex or
//! not. In scaled coordinates the surface is `G(X) = 1`, where the gauge G is a norm and `X = (x/(a1 f), y/(a2 g), z/a3)`
//! with `f = 1 + tx z/a3`, `g = 1 + ty z/a3`. Along the ray f and g are linear, so each component of X is linear or the
//! quotient of two linear functions, whose derivative is a constant over f². A norm lies above its supporting planes:
//! with n the gradient at the current place, `G(X) ≥ n·X`, and each term of that lies above its tangent or its chord,
//! whichever is lower. So up to any chosen place ahead G lies above a straight line, and where that line reaches 1 is
//! the next place: everything before it is proved free. Without taper the line is the tangent of the convex function G,
//! and the iteration is Newton's from the outer side. It ends with a hit where `G - 1` is within rounding, and with a
//! miss where the lines show the rest of the bounding box to be free.
//!
//! From inside, a convex shape's only way out is found by Newton's method in a bracket; in a shape that is not convex the
//! ray is followed in steps proved to stay inside, as G exceeds the larger of its values at a step's ends by no more
//! than the gauge of X's deviation from its chord.
//!
//! The signed distance from a convex body is convex along a line: Newton's method from either side cannot step over the surface. From a
//! primitive it has a closed form; from a rounded hull or a shape of the caller's own it is asked for, to 1e-13 of the size. A sharp
//! hull is what lies below the planes of its faces.

use glam::DVec3;

use super::{ClosestPoint, Options, QueryError, closest_point};
use crate::shape::{Footing, Hull, Plane, Shape, Superovoid, bracketed_root, scaled_gauge};
use crate::{InvalidInput, Pose};

/// A half-line in the world.
///
/// ```
/// use superegg::query::{Ray, ray};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let superquadric = Superellipsoid::new([1.0, 1.0, 2.0], [1.0, 1.0])?.into();
/// let downwards = Ray::new(DVec3::new(0.0, 0.0, 10.0), DVec3::new(0.0, 0.0, -2.0))?;
/// let hit = ray(&superquadric, &Pose::IDENTITY, &downwards)?.expect("aimed at the centre");
/// assert_eq!((hit.t, hit.point, hit.normal), (4.0, DVec3::new(0.0, 0.0, 2.0), DVec3::Z));
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
}

impl Ray {
    /// Refuses an origin outside [-1e60, 1e60] and a direction that is not finite, zero, or whose largest component is
    /// outside [1e-60, 1e60]. The direction keeps its length.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Ray, InvalidInput> {
        for (value, field) in origin.to_array().into_iter().zip(["origin[0]", "origin[1]", "origin[2]"]) {
            InvalidInput::unless_coordinate(field, value)?;
        }
        let largest = direction.abs().max_element();
        // The shortest and longest keep t, a distance divided by the direction's length, finite and above zero.
        let accepted = direction.is_finite() && (1e-60..=1e60).contains(&largest);
        InvalidInput::unless(accepted, "direction", largest, "the vectors of length 1e-60 to 1e60")?;
        Ok(Ray { origin, direction })
    }

    /// Where it starts.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Where it goes, as given.
    pub fn direction(&self) -> DVec3 {
        self.direction
    }
}

/// Where a ray first meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct RayHit {
    /// `point = origin + t direction`, t ≥ 0.
    pub t: f64,
    /// The point, in world coordinates.
    pub point: DVec3,
    /// Unit outward normal there, in world coordinates. Of a triangle, the one that faces the ray; of a segment or
    /// point, which have none, the direction back.
    pub normal: DVec3,
    /// The ray starts inside the solid, and this is where it first leaves it.
    pub from_inside: bool,
}

/// The first point where a ray meets the surface of a placed shape; `None` if it does not.
///
/// A ray that starts inside a solid is answered with the place where it first leaves it, and `from_inside` set. One that
/// starts on the surface of a solid, within rounding, counts as inside if it goes in; if it goes out, its start is no
/// hit. A ray that grazes a surface within rounding (1e-15 of the size, or of the distance to the origin) may count as
/// either. Segments and points are met when the ray passes them within rounding, a triangle seen edge-on likewise.
pub fn ray(shape: &Shape, pose: &Pose, ray: &Ray) -> Result<Option<RayHit>, QueryError> {
    let pose = &pose.normalized()?;
    let largest = ray.direction.abs().max_element();
    let scaled = ray.direction / largest;
    let length = scaled.length();
    let local = LocalRay {
        origin: pose.inverse_transform_point(ray.origin),
        direction: pose.inverse_transform_vector(scaled / length),
    };
    let hit = match shape {
        Shape::Superellipsoid(plain) => superquadric(&Superovoid::from(*plain), &local),
        Shape::Superovoid(shape) => superquadric(shape, &local),
        Shape::Primitive(body) => by_footing(DVec3::ZERO, body.reach(), 0.0, &local, |point| Some(body.footing(point))),
        Shape::Hull(hull) if hull.rounding() == 0.0 => polyhedron(hull, &local),
        Shape::Hull(hull) => by_distance(shape, hull.centre(), hull.radius(), &local),
        Shape::Custom(custom) => by_distance(shape, custom.body().centre(), custom.radius(), &local),
        Shape::Plane(plane) => half_space(plane, &local),
        Shape::Triangle(triangle) => self::triangle(triangle.points(), &local),
        Shape::Segment(segment) => self::segment(segment.points(), &local),
        Shape::Point(point) => self::segment(&[point.points()[0]; 2], &local),
    };
    Ok(hit.map(|hit| RayHit {
        t: hit.distance / length / largest,
        point: pose.transform_point(hit.point),
        normal: pose.transform_vector(hit.normal),
        from_inside: hit.from_inside,
    }))
}

/// The ray in the shape's frame, its direction a unit vector.
struct LocalRay {
    origin: DVec3,
    direction: DVec3,
}

struct LocalHit {
    distance: f64,
    point: DVec3,
    normal: DVec3,
    from_inside: bool,
}

/// Rounding of a computed gauge near 1.
const GAUGE_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Starts this close to the surface, in gauge, are on it.
const START_ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Rounding of a computed position, as a part of the coordinates involved.
const POSITION_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Far above the steps ever needed (about ten; sixty beside a grazed waist).
const MAX_STEPS: u32 = 1000;

/// By the signed distance from a convex body within `reach` of a centre, known to within `tolerance`.
fn by_footing(
    centre: DVec3,
    reach: f64,
    tolerance: f64,
    ray: &LocalRay,
    footing: impl Fn(DVec3) -> Option<Footing>,
) -> Option<LocalHit> {
    // From the place nearest to the centre, so that a far origin costs no more digits than it must.
    let origin = ray.origin - centre;
    let to_middle = -origin.dot(ray.direction);
    let middle = origin + ray.direction * to_middle;
    let (start, rounding) = (-to_middle, tolerance.max(POSITION_ROUNDING * (reach + origin.length())));
    if middle.length() > reach + rounding || start > reach + rounding {
        return None;
    }
    let middle = centre + middle;
    let at = |t: f64| footing(middle + ray.direction * t);
    let mut from_inside = false;
    if start > -reach - rounding {
        let first = at(start)?;
        let going_out = first.normal.dot(ray.direction) >= 0.0;
        from_inside = first.distance <= rounding;
        if from_inside && first.distance >= -rounding && going_out {
            return None;
        }
    }
    // Into the body from before it, out of it from behind it.
    let (mut t, sign) = if from_inside { (2.0 * reach, -1.0) } else { (start.max(-2.0 * reach), 1.0) };
    for _ in 0..MAX_STEPS {
        let foot = at(t)?;
        let slope = sign * foot.normal.dot(ray.direction);
        if foot.distance <= rounding {
            let point = middle + ray.direction * t;
            return Some(LocalHit { distance: (t - start).max(0.0), point, normal: foot.normal, from_inside });
        }
        if slope >= 0.0 {
            return None;
        }
        t -= sign * foot.distance / slope;
    }
    None
}

/// Part of the size to which distances are asked for along a ray.
const DISTANCE_TOLERANCE: f64 = 1e-13;

/// A convex body whose signed distance takes a query.
fn by_distance(shape: &Shape, centre: DVec3, radius: f64, ray: &LocalRay) -> Option<LocalHit> {
    let options = Options { tolerance: DISTANCE_TOLERANCE, max_iterations: 1000, ..Options::DEFAULT };
    by_footing(centre, radius, 10.0 * DISTANCE_TOLERANCE * radius, ray, |point| {
        let ClosestPoint { point, normal, distance, .. } =
            closest_point(shape, &Pose::IDENTITY, point, &options).ok()?;
        Some(Footing { point, normal, distance })
    })
}

/// A sharp hull: the part of the line below the planes of all faces.
fn polyhedron(hull: &Hull, ray: &LocalRay) -> Option<LocalHit> {
    let origin = ray.origin - hull.centre();
    let to_middle = -origin.dot(ray.direction);
    let middle = origin + ray.direction * to_middle;
    let rounding = POSITION_ROUNDING * (hull.radius() + origin.length());
    let (mut entry, mut exit) = ((f64::NEG_INFINITY, DVec3::ZERO), (f64::INFINITY, DVec3::ZERO));
    for face in hull.faces() {
        let (slope, below) = (face.normal.dot(ray.direction), face.offset - face.normal.dot(middle));
        if slope.abs() <= f64::EPSILON {
            if below < -rounding {
                return None;
            }
        } else if slope < 0.0 {
            entry = if below / slope > entry.0 { (below / slope, face.normal) } else { entry };
        } else {
            exit = if below / slope < exit.0 { (below / slope, face.normal) } else { exit };
        }
    }
    let start = -to_middle;
    if entry.0 > exit.0 || exit.0 <= start + rounding {
        return None;
    }
    let from_inside = entry.0 < start + rounding;
    let (place, normal) = if from_inside { exit } else { entry };
    let point = hull.centre() + middle + ray.direction * place;
    Some(LocalHit { distance: place - start, point, normal, from_inside })
}

fn superquadric(shape: &Superovoid, ray: &LocalRay) -> Option<LocalHit> {
    // From the place nearest to the centre, so that a far origin costs no more digits than it must.
    let to_middle = -ray.origin.dot(ray.direction);
    let middle = ray.origin + ray.direction * to_middle;
    let line = ScaledLine::new(shape, middle, ray.direction);
    let (entry, exit) = line.box_interval()?;
    let start = -to_middle;
    if exit < start {
        return None;
    }
    let (mut from_inside, mut leaving) = (false, false);
    if entry <= start {
        let (gauge, slope) = line.gauge_and_slope(start);
        let on_surface = (gauge - 1.0).abs() <= START_ROUNDING;
        leaving = on_surface && slope >= 0.0;
        from_inside = if on_surface { slope < 0.0 } else { gauge < 1.0 };
    }
    let place = if from_inside { line.leave(start, exit) } else { line.enter(entry.max(start), exit, leaving)? };
    let point = middle + ray.direction * place;
    Some(LocalHit { distance: (place - start).max(0.0), point, normal: shape.normal_at(point), from_inside })
}

/// A line in coordinates divided by the radii, `at + along λ`, and the superovoid's parameters.
struct ScaledLine {
    exponents: [f64; 2],
    /// `(tx, ty, 0)`.
    taper: DVec3,
    convex: bool,
    at: DVec3,
    along: DVec3,
    /// Numerators of the derivatives of X: X' = numerator / stretch².
    numerator: DVec3,
    /// A step that still moves every place inside the box.
    resolution: f64,
}

impl ScaledLine {
    fn new(shape: &Superovoid, middle: DVec3, direction: DVec3) -> ScaledLine {
        let radii = DVec3::from(shape.radii());
        let taper = DVec3::new(shape.taper()[0], shape.taper()[1], 0.0);
        let (at, along) = (middle / radii, direction / radii);
        ScaledLine {
            exponents: shape.exponents(),
            taper,
            convex: shape.is_convex(),
            at,
            along,
            numerator: along * (1.0 + taper * at.z) - at * taper * along.z,
            // Places are measured from near the centre and stay within a few radii.
            resolution: 4.0 * f64::EPSILON * radii.max_element(),
        }
    }

    /// Where the line enters and leaves the box that holds the shape: wide enough for the taper, exact along z.
    fn box_interval(&self) -> Option<(f64, f64)> {
        let (mut entry, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in 0..3 {
            let (reach, at, along) = (1.0 + self.taper[axis].abs(), self.at[axis], self.along[axis]);
            if along == 0.0 {
                if at.abs() > reach {
                    return None;
                }
                continue;
            }
            let (a, b) = ((-reach - at) / along, (reach - at) / along);
            (entry, exit) = (entry.max(a.min(b)), exit.min(a.max(b)));
        }
        (entry <= exit).then_some((entry, exit))
    }

    /// `(f, g, 1)`, with z kept between the poles against rounding at the box's ends.
    fn stretch(&self, place: f64) -> DVec3 {
        let z = (self.at.z + self.along.z * place).clamp(-1.0, 1.0);
        1.0 + self.taper * z
    }

    /// Gauge and its gradient by X, and the stretch.
    fn gauge(&self, place: f64) -> (f64, DVec3, DVec3) {
        let stretch = self.stretch(place);
        let (gauge, gradient) = scaled_gauge((self.at + self.along * place) / stretch, self.exponents);
        (gauge, gradient, stretch)
    }

    /// Gauge and its derivative along the line.
    fn gauge_and_slope(&self, place: f64) -> (f64, f64) {
        let (gauge, gradient, stretch) = self.gauge(place);
        (gauge, (gradient * self.numerator / (stretch * stretch)).dot(DVec3::ONE))
    }

    /// The first place from `place`, outside, to `end` where the gauge is 1; `leaving` if it starts with 1 and rises.
    fn enter(&self, mut place: f64, end: f64, leaving: bool) -> Option<f64> {
        if leaving && self.convex {
            return None;
        }
        let mut skip = if leaving { self.resolution } else { 0.0 };
        for _ in 0..MAX_STEPS {
            let (gauge, gradient, stretch) = self.gauge(place);
            let excess = gauge - 1.0;
            if excess <= GAUGE_ROUNDING {
                if skip == 0.0 {
                    return Some(place);
                }
                (place, skip) = (place + skip, 2.0 * skip);
                if place > end {
                    return None;
                }
                continue;
            }
            skip = 0.0;
            // Slope of a line below G from here to a place ahead.
            let weight = gradient * self.numerator / stretch;
            let slope_until = |ahead: f64| (weight / stretch).min(weight / self.stretch(ahead)).dot(DVec3::ONE);
            let (tangent, whole) = ((weight / stretch).dot(DVec3::ONE), slope_until(end));
            if whole >= 0.0 || place - excess / whole >= end {
                return None;
            }
            // The nearer the place up to which the line holds, the flatter the line, by about so much per step: best
            // is the step at whose end the line just reaches 1.
            let bend = (tangent - whole) / (end - place);
            let ahead = place + 2.0 * excess / ((tangent * tangent + 4.0 * bend * excess).sqrt() - tangent);
            let ahead = ahead.min(end);
            let slope = slope_until(ahead);
            let next = if slope < 0.0 { (place - excess / slope).min(ahead) } else { ahead };
            if next - place <= self.resolution && tangent < 0.0 {
                return Some(place);
            }
            place = next.max(place + self.resolution);
        }
        Some(place)
    }

    /// The first place from `place`, inside, to `end`, on or beyond the surface, where the gauge is 1.
    fn leave(&self, place: f64, end: f64) -> f64 {
        if self.convex {
            return bracketed_root(place, end, end - self.resolution, self.resolution, |at| {
                let (gauge, slope) = self.gauge_and_slope(at);
                (gauge < 1.0, at - (gauge - 1.0) / slope)
            });
        }
        let (mut inside, mut outside) = (place, end);
        let mut gauge_inside = self.gauge(place).0;
        let mut stride = 0.25 * (end - place);
        for _ in 0..MAX_STEPS {
            if outside - inside <= self.resolution {
                break;
            }
            let ahead = if inside + stride < outside { inside + stride } else { 0.5 * (inside + outside) };
            let gauge_ahead = self.gauge(ahead).0;
            if gauge_ahead >= 1.0 {
                outside = ahead;
                stride = 0.5 * (ahead - inside);
            } else if gauge_ahead.max(gauge_inside) + self.deviation(inside, ahead) < 1.0
                || ahead - inside <= self.resolution
            {
                (inside, gauge_inside) = (ahead, gauge_ahead);
                stride *= 2.0;
            } else {
                stride = 0.5 * (ahead - inside);
            }
        }
        0.5 * (inside + outside.min(inside + self.resolution))
    }

    /// Gauge of a bound of X's deviation from its chord between two places: `|X''| ≤ 2 |numerator f'|/f³`.
    fn deviation(&self, from: f64, to: f64) -> f64 {
        let narrowest = self.stretch(from).min(self.stretch(to));
        let bend = 2.0 * (self.numerator * self.taper * self.along.z).abs() / (narrowest * narrowest * narrowest);
        scaled_gauge(bend * (0.125 * (to - from) * (to - from)), self.exponents).0
    }
}

fn half_space(plane: &Plane, ray: &LocalRay) -> Option<LocalHit> {
    let height = plane.normal().dot(ray.origin) - plane.offset();
    let rise = plane.normal().dot(ray.direction);
    let distance = -height / rise;
    // A start on the plane itself leaves or enters at once.
    (distance >= 0.0 && distance.is_finite()).then(|| LocalHit {
        distance,
        point: ray.origin + ray.direction * distance,
        normal: plane.normal(),
        from_inside: height < 0.0,
    })
}

/// Watertight: rays between two triangles that share an edge meet at least one of them (Woop, Benthin and Wald 2013).
/// Their sheared coordinates make the edge functions of a shared edge exact negatives of each other.
fn triangle(points: &[DVec3; 3], ray: &LocalRay) -> Option<LocalHit> {
    let size = ray.direction.abs();
    // The largest component of the direction goes last.
    let axis = if size.x > size.y && size.x > size.z {
        0
    } else if size.y > size.z {
        1
    } else {
        2
    };
    let (along, across, up) = (axis, (axis + 1) % 3, (axis + 2) % 3);
    let shear = ray.direction / ray.direction[along];
    let [a, b, c] = points.map(|point| point - ray.origin);
    let flat = |p: DVec3| (p[across] - shear[across] * p[along], p[up] - shear[up] * p[along]);
    let ([a2, b2, c2], edge) = ([flat(a), flat(b), flat(c)], |p: (f64, f64), q: (f64, f64)| q.0 * p.1 - q.1 * p.0);
    let (u, v, w) = (edge(b2, c2), edge(c2, a2), edge(a2, b2));
    let determinant = u + v + w;
    let rounding =
        POSITION_ROUNDING * [a, b, c, ray.origin].iter().fold(0.0f64, |largest, p| largest.max(p.abs().max_element()));
    if determinant.abs() <= rounding * (b - a).abs().max_element().max((c - a).abs().max_element()) {
        // Edge-on, or no triangle at all: the nearest of its edges that is met.
        let edges = [[points[0], points[1]], [points[1], points[2]], [points[2], points[0]]];
        let hits = edges.iter().filter_map(|edge| segment(edge, ray));
        return hits.min_by(|p, q| p.distance.total_cmp(&q.distance));
    }
    if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
        return None;
    }
    let distance = (u * a[along] + v * b[along] + w * c[along]) / determinant / ray.direction[along];
    let normal = (b - a).cross(c - a).normalize_or_zero();
    (distance >= 0.0).then(|| LocalHit {
        distance,
        point: (points[0] * u + points[1] * v + points[2] * w) / determinant,
        normal: if normal.dot(ray.direction) > 0.0 { -normal } else { normal },
        from_inside: false,
    })
}

/// The first point of a segment that the ray passes within rounding.
fn segment(ends: &[DVec3; 2], ray: &LocalRay) -> Option<LocalHit> {
    let [a, b] = ends.map(|end| end - ray.origin);
    let scale = a.abs().max(b.abs()).max(ray.origin.abs()).max_element();
    let rounding = 4.0 * POSITION_ROUNDING * scale;
    let across = |v: DVec3| v - ray.direction * v.dot(ray.direction);
    let (aside, along) = (across(a), across(b - a));
    // Where the segment passes nearest to the ray's line; anywhere if they are parallel, so both ends are tried too.
    let part = (-aside.dot(along) / along.length_squared()).clamp(0.0, 1.0);
    let parts = [if part.is_nan() { 0.0 } else { part }, 0.0, 1.0];
    let hits = parts.into_iter().filter_map(|part| {
        let place = a + (b - a) * part;
        let distance = place.dot(ray.direction);
        (across(place).length() <= rounding && distance >= -rounding).then_some((distance.max(0.0), place))
    });
    let (distance, place) = hits.min_by(|p, q| p.0.total_cmp(&q.0))?;
    Some(LocalHit { distance, point: place + ray.origin, normal: -ray.direction, from_inside: false })
}
