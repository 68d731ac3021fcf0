//! How deep flat things reach into a superhyperboloid or supertoroid: the point of a triangle or mesh that is farthest from the
//! surface, among those inside.
//!
//! Branch and bound again, over the triangle this time: within a distance r of a point c, nothing is deeper than the depth of c
//! plus r, nor than r less the distance of c from the surface where c is outside. The deepest point found is then moved about
//! in its triangle by shrinking steps, in ever other directions: depths have ridges, along which few directions lead upwards.

use std::cmp::Reverse;

use superegg::DVec3;

use super::search::{Octant, nearest_to_point};
use crate::best_first::BestFirst;
use crate::superquadric::Superquadric;
use crate::triangle;

/// A point inside, the surface point nearest to it, and the distance between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deep {
    pub depth: f64,
    pub point: DVec3,
    pub surface_point: DVec3,
    /// The triangle that has the point.
    pub item: u32,
    /// The point is at least this deep.
    pub at_least: f64,
}

/// Pieces are split while they may be deeper by this part of the surface's grain than the deepest found,
const GAP: f64 = 5e-3;
/// and no triangle into more than this.
const PIECES: usize = 1000;

/// The deepest point so far.
pub(super) struct Deepest<'a> {
    surface: &'a Superquadric,
    octant: Octant<'a>,
    size: f64,
    grain: f64,
    best: Option<Deep>,
}

impl<'a> Deepest<'a> {
    pub fn new(surface: &'a Superquadric) -> Deepest<'a> {
        Deepest {
            surface,
            octant: Octant::new(surface),
            size: surface.largest_extent(),
            grain: surface.grain(),
            best: None,
        }
    }

    fn depth(&self) -> f64 {
        self.best.map_or(0.0, |deep| deep.depth)
    }

    /// How deep at most anything within a distance of a point is, negative where nothing is inside. A bound by samples that is
    /// as good as `enough` is not made sharper.
    fn bound(&self, mut point: DVec3, mut radius: f64, enough: f64) -> f64 {
        // Of what is beyond an open end only the part between the ends counts: that is around the point's foot on the end.
        let beyond = point.z.abs() - self.surface.height_limit();
        if beyond > radius {
            return f64::NEG_INFINITY;
        }
        if beyond > 0.0 {
            point.z = self.surface.height_limit().copysign(point.z);
            radius = (radius * radius - beyond * beyond).sqrt();
        }
        let inside = self.surface.contains(point);
        let [lower, upper] = self.octant.bounds(point);
        let bound = if inside { radius + upper } else { radius - lower };
        if bound <= enough {
            return bound;
        }
        let distance = point.distance(self.octant.nearest(point));
        if inside { radius + distance } else { radius - distance }
    }

    /// Keeps a point if it is deeper, after a closer look.
    fn offer(&mut self, point: DVec3, item: u32) {
        if !self.surface.contains(point) || self.octant.bounds(point)[1] <= self.depth() {
            return;
        }
        let surface_point = self.octant.nearest(point);
        let depth = point.distance(surface_point);
        if depth > self.depth() {
            self.best = Some(Deep { depth, point, surface_point, item, at_least: 0.0 });
        }
    }

    /// Whether something within a distance of a point may be deeper than the deepest point so far by more than the gap.
    pub fn may_be_deeper(&self, point: DVec3, radius: f64) -> bool {
        let enough = self.depth() + GAP * self.grain;
        self.bound(point, radius, enough) > enough
    }

    /// Looks for a deeper point in a triangle, which may be as thin as a line or a point.
    pub fn visit(&mut self, corners: [DVec3; 3], item: u32) {
        // The deepest first: bounds of depths are negative here.
        let mut queue = BestFirst::new();
        let mut waiting = vec![corners];
        let mut seen = 0;
        loop {
            for corners in waiting.drain(..) {
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let radius = corners.map(|corner| corner.distance(middle)).into_iter().fold(0.0, f64::max);
                self.offer(middle, item);
                let bound = self.bound(middle, radius, self.depth() + GAP * self.grain);
                queue.push(-bound, Reverse(seen), corners);
                seen += 1;
            }
            let Some((bound, _, corners)) = queue.pop() else { break };
            if -bound <= self.depth() + GAP * self.grain || seen >= PIECES {
                break;
            }
            waiting.extend(halves(corners));
        }
    }

    /// The deepest point, moved about in its triangle until it is deepest there; `None` where nothing is inside.
    pub fn settled(mut self, triangle_of: impl Fn(u32) -> [DVec3; 3]) -> Option<Deep> {
        const DIRECTIONS: u32 = 12;
        let item = self.best?.item;
        let corners = triangle_of(item);
        let along = (corners[1] - corners[0]).try_normalize().or_else(|| (corners[2] - corners[0]).try_normalize());
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize();
        let mut step = 4.0 * GAP * self.grain;
        let mut angle = 0.0f64;
        let mut moves = 0;
        while let Some(along) = along
            && step > 1e-8 * self.size
            && moves < 200
        {
            let before = self.depth();
            for _ in 0..DIRECTIONS {
                // The golden angle: no direction comes again.
                angle += 2.399_963_229_728_653;
                let (sin, cos) = angle.sin_cos();
                let direction = across.map_or(along * cos.signum(), |across| along * cos + across.cross(along) * sin);
                let from = self.best?.point;
                let point = triangle::nearest_to_point(&corners, from + step * direction);
                self.offer(point, item);
                if self.depth() > before {
                    break;
                }
            }
            if self.depth() > before {
                moves += 1;
            } else {
                step *= 0.5;
            }
        }
        let best = self.best?;
        let nearest = nearest_to_point(self.surface, best.point);
        let depth = best.point.distance(nearest.point);
        Some(Deep { depth, surface_point: nearest.point, at_least: nearest.lower.max(0.0), ..best })
    }
}

/// A triangle halved across its longest edge.
fn halves(corners: [DVec3; 3]) -> [[DVec3; 3]; 2] {
    let length_sq = |i: usize| corners[i].distance_squared(corners[(i + 1) % 3]);
    let longest = (1..3).fold(0, |best, i| if length_sq(i) > length_sq(best) { i } else { best });
    let [p, q, r] = [corners[longest], corners[(longest + 1) % 3], corners[(longest + 2) % 3]];
    let middle = 0.5 * (p + q);
    [[p, middle, r], [middle, q, r]]
}
