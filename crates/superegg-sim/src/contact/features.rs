//! A vertex and a face, two edges: how far apart, on which side, and how to push them.

use glam::DVec3;
use superegg_mesh::ccd::elementary::{Margin, edge_edge, vertex_face};

/// Two kinds of pairs of features with four points between them. Both are seen as a combination `Σ g_i x_i` of the points
/// that is to keep a length along a normal.
pub(crate) trait Features {
    /// How many of the points are of the first feature.
    const FIRST: usize;
    /// The vector normal to both features; its length is of no account, zero where there is none.
    fn normal(points: &[DVec3; 4]) -> DVec3;
    /// From a point of one feature to a point of the other.
    fn between(points: &[DVec3; 4]) -> DVec3;
    /// The weights of the points in the vector from one feature to the other where they cross, seen along the normal;
    /// `None` when they pass beside each other.
    fn crossing(points: &[DVec3; 4], normal: DVec3) -> Option<[f64; 4]>;
    /// When they first meet between two states, as a part of the time between them.
    fn meet(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64>;
    /// The shortest vector from the second feature to the first; infinitely long if one has no extent that it ought to have.
    fn shortest(points: &[DVec3; 4]) -> DVec3;
}

/// Point 0 and the triangle of the others.
pub(crate) struct VertexFace;

impl Features for VertexFace {
    const FIRST: usize = 1;

    #[inline(always)]
    fn normal(&[_, a, b, c]: &[DVec3; 4]) -> DVec3 {
        (b - a).cross(c - a)
    }

    #[inline(always)]
    fn between(&[v, a, ..]: &[DVec3; 4]) -> DVec3 {
        v - a
    }

    fn crossing(&[v, a, b, c]: &[DVec3; 4], normal: DVec3) -> Option<[f64; 4]> {
        let area_sq = normal.length_squared();
        let at_a = (c - b).cross(v - b).dot(normal) / area_sq;
        let at_b = (a - c).cross(v - c).dot(normal) / area_sq;
        let at_c = 1.0 - at_a - at_b;
        (at_a >= 0.0 && at_b >= 0.0 && at_c >= 0.0).then_some([1.0, -at_a, -at_b, -at_c])
    }

    fn meet(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
        vertex_face(start, end, Margin::EXACT)
    }

    fn shortest(&[v, a, b, c]: &[DVec3; 4]) -> DVec3 {
        // Ericson, Real-Time Collision Detection, section 5.1.5: by the regions of the triangle's features.
        let (ab, ac, av) = (b - a, c - a, v - a);
        let (d1, d2) = (ab.dot(av), ac.dot(av));
        if d1 <= 0.0 && d2 <= 0.0 {
            return av;
        }
        let bv = v - b;
        let (d3, d4) = (ab.dot(bv), ac.dot(bv));
        if d3 >= 0.0 && d4 <= d3 {
            return bv;
        }
        let cv = v - c;
        let (d5, d6) = (ab.dot(cv), ac.dot(cv));
        if d6 >= 0.0 && d5 <= d6 {
            return cv;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return av - ab * (d1 / (d1 - d3));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return av - ac * (d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return bv - (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let normal = ab.cross(ac);
        normal * (normal.dot(av) / normal.length_squared())
    }
}

/// The edge of points 0 and 1 and the edge of points 2 and 3.
pub(crate) struct EdgeEdge;

/// Edges at a smaller angle than this (its squared sine) have no normal worth the name.
const PARALLEL: f64 = 1e-6;

impl Features for EdgeEdge {
    const FIRST: usize = 2;

    #[inline(always)]
    fn normal(&[a, b, c, d]: &[DVec3; 4]) -> DVec3 {
        let (u, v) = (b - a, d - c);
        let normal = u.cross(v);
        let sizes = u.length_squared() * v.length_squared();
        if normal.length_squared() > PARALLEL * sizes { normal } else { DVec3::ZERO }
    }

    #[inline(always)]
    fn between(&[a, _, c, _]: &[DVec3; 4]) -> DVec3 {
        a - c
    }

    fn crossing(&[a, b, c, d]: &[DVec3; 4], normal: DVec3) -> Option<[f64; 4]> {
        let area_sq = normal.length_squared();
        let (u, v, w) = (b - a, d - c, c - a);
        let s = w.cross(v).dot(normal) / area_sq;
        let t = w.cross(u).dot(normal) / area_sq;
        let within = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
        within.then_some([1.0 - s, s, t - 1.0, -t])
    }

    fn meet(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
        edge_edge(start, end, Margin::EXACT)
    }

    fn shortest(&[a, b, c, d]: &[DVec3; 4]) -> DVec3 {
        // Ericson, section 5.1.9.
        let (u, v, r) = (b - a, d - c, a - c);
        let (uu, vv, vr) = (u.length_squared(), v.length_squared(), v.dot(r));
        if uu == 0.0 || vv == 0.0 {
            return DVec3::INFINITY;
        }
        let (ur, uv) = (u.dot(r), u.dot(v));
        let det = uu * vv - uv * uv;
        let mut s = if det > 0.0 { ((uv * vr - ur * vv) / det).clamp(0.0, 1.0) } else { 0.0 };
        let mut t = (uv * s + vr) / vv;
        if t < 0.0 {
            (s, t) = ((-ur / uu).clamp(0.0, 1.0), 0.0);
        } else if t > 1.0 {
            (s, t) = (((uv - ur) / uu).clamp(0.0, 1.0), 1.0);
        }
        r + u * s - v * t
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg::Pose;
    use superegg::query::{Options, distance};
    use superegg::shape::{Point, Segment, Shape, Triangle};

    fn random_points(random: &mut fastrand::Rng) -> [DVec3; 4] {
        std::array::from_fn(|_| DVec3::new(random.f64(), random.f64(), random.f64()))
    }

    #[test]
    fn distances_agree_with_the_library() {
        let mut random = fastrand::Rng::with_seed(21);
        for _ in 0..2000 {
            let points = random_points(&mut random);
            let [a, b, c, d] = points;
            let of = |one: Shape, other: Shape| {
                distance(&one, &Pose::IDENTITY, &other, &Pose::IDENTITY, &Options::DEFAULT).unwrap().distance
            };
            let face = of(Point::new([a]).unwrap().into(), Triangle::new([b, c, d]).unwrap().into());
            assert!((VertexFace::shortest(&points).length() - face).abs() < 1e-9);
            let edges = of(Segment::new([a, b]).unwrap().into(), Segment::new([c, d]).unwrap().into());
            assert!((EdgeEdge::shortest(&points).length() - edges).abs() < 1e-9);
        }
    }

    #[test]
    fn crossing_weights_give_the_height() {
        fn check<F: Features>(points: &[DVec3; 4]) -> usize {
            let normal = F::normal(points);
            let Some(weights) = F::crossing(points, normal) else { return 0 };
            let across: DVec3 = points.iter().zip(weights).map(|(p, w)| *p * w).sum();
            let unit = normal.normalize();
            assert!((across - unit * F::between(points).dot(unit)).length() < 1e-9);
            assert!(across.distance(F::shortest(points)) < 1e-9);
            1
        }
        let mut random = fastrand::Rng::with_seed(22);
        let mut crossing = [0, 0];
        for _ in 0..2000 {
            let points = random_points(&mut random);
            crossing[0] += check::<VertexFace>(&points);
            crossing[1] += check::<EdgeEdge>(&points);
        }
        assert!(crossing.iter().all(|&count| count > 100), "{crossing:?}");
    }
}
