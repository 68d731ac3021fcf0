//! Several convex parts around one target, top down: the piece that protrudes most is cut by a plane, and both sides are enclosed.
//!
//! Planes are looked for along 13 directions of the piece's own frame. All of them are tried on the outermost points with a few steps of
//! the search for the smallest shape; the best are then carried out: triangles are cut at the plane, so that no part has to
//! contain what is on the other side, both sides are enclosed with a certificate, and the union that protrudes least is kept.

use glam::DVec3;
use rayon::prelude::*;
use superegg::Threads;

use crate::certify::Certificate;
use crate::cloud::{Cloud, spread};
use crate::error::FitError;
use crate::errors::Errors;
use crate::model::Model;
use crate::one::{enclosing, judged};
use crate::part::Part;
use crate::protrusion::{Surroundings, union_of};
use crate::search::{Depth, search};
use crate::target::Target;
use crate::volume::{farthest, log_volume, roughly};

/// Where along a direction planes are tried: shares of the surface on one side, and the steps to either side of the best.
const SHARES: [f64; 5] = [0.2, 0.35, 0.5, 0.65, 0.8];
const SHARE_STEP: f64 = 0.07;
/// Planes that are carried out.
const CARRIED_OUT: usize = 3;
/// Points of the surface, and directions whose farthest points are looked at, while planes are tried.
const TRIED_POINTS: usize = 400;
const TRIED_DIRECTIONS: usize = 90;
/// Vertices and samples of a part's surface for the measured protrusion.
const VERTICES: usize = 400;
const SAMPLES: usize = 1500;

/// A piece of the target and the part around it.
#[derive(Clone, Debug)]
struct Piece {
    /// Triangles of a mesh, cut where planes went through them.
    triangles: Vec<[DVec3; 3]>,
    /// Points of the surface.
    surface: Vec<DVec3>,
    part: Part,
    certificate: Certificate,
}

/// Triangles and points of the surface on one side of a plane.
type Half = (Vec<[DVec3; 3]>, Vec<DVec3>);

/// Parts around a target.
#[derive(Clone, Debug)]
pub(crate) struct Enclosure {
    pieces: Vec<Piece>,
    /// How far the union protrudes.
    pub protrusion: Errors,
}

impl Enclosure {
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The parts, those of most surface first, and what is proved of them.
    pub fn into_parts(mut self) -> (Vec<Part>, Certificate) {
        self.pieces.sort_by_key(|piece| std::cmp::Reverse(piece.surface.len()));
        let mut total = Certificate { proved: 0, by_distance: 0 };
        for piece in &self.pieces {
            total.proved += piece.certificate.proved;
            total.by_distance += piece.certificate.by_distance;
        }
        (self.pieces.iter().map(|piece| piece.part).collect(), total)
    }
}

/// A plane: points with `normal · x < offset` are on its first side.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

/// A target that is to be enclosed.
pub(crate) struct Encloser<'a> {
    target: &'a Target,
    surroundings: Surroundings,
    tapered: bool,
    threads: Threads,
}

impl Encloser<'_> {
    pub fn new(target: &Target, tapered: bool, threads: Threads) -> Encloser<'_> {
        Encloser { target, surroundings: Surroundings::new(target), tapered, threads }
    }

    /// One part around everything.
    pub fn whole(&self) -> Result<Enclosure, FitError> {
        let triangles = self.target.mesh().map_or(Vec::new(), |mesh| {
            mesh.triangles().iter().map(|t| t.map(|v| mesh.positions()[v as usize])).collect()
        });
        let cloud = Cloud::new(self.target.points(), self.target.weights())?;
        let start = search(&cloud, self.tapered, Depth::Full).model;
        let (part, certificate) =
            enclosing(&cloud, &start, self.target.corners(), 0.0, self.tapered, Some(&self.surroundings))?;
        let piece = Piece { triangles, surface: self.target.points().to_vec(), part, certificate };
        self.measured(vec![piece])
    }

    fn measured(&self, pieces: Vec<Piece>) -> Result<Enclosure, FitError> {
        let parts: Vec<Part> = pieces.iter().map(|piece| piece.part).collect();
        let (protrusion, _) = self.surroundings.protrusion(&union_of(&parts, VERTICES)?, SAMPLES)?;
        Ok(Enclosure { pieces, protrusion })
    }

    /// The same with one part more, if that protrudes less: pieces are tried by what they protrude.
    pub fn split(&self, enclosure: &Enclosure) -> Option<Enclosure> {
        let mut order: Vec<(f64, usize)> = Vec::new();
        for (index, piece) in enclosure.pieces.iter().enumerate() {
            order.push((judged(&[piece.part], &self.surroundings).ok()?, index));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        order.iter().take(2).find_map(|&(_, index)| {
            let found = self.split_piece(enclosure, index)?;
            let value = |e: &Enclosure| e.protrusion.p95 + e.protrusion.mean;
            (value(&found) < value(enclosure)).then_some(found)
        })
    }

    fn split_piece(&self, enclosure: &Enclosure, index: usize) -> Option<Enclosure> {
        let piece = &enclosure.pieces[index];
        let carried_out = |plane: &Plane| -> Option<(f64, Vec<Piece>)> {
            let mut pieces = enclosure.pieces.clone();
            let [first, second] = self.cut(piece, plane);
            pieces[index] = self.enclosed(first)?;
            pieces.push(self.enclosed(second)?);
            let parts: Vec<Part> = pieces.iter().map(|piece| piece.part).collect();
            Some((judged(&parts, &self.surroundings).ok()?, pieces))
        };
        let planes = self.planes(piece);
        let found: Vec<(f64, Vec<Piece>)> = match self.threads {
            Threads::One => planes.iter().filter_map(carried_out).collect(),
            Threads::All => planes.par_iter().map(carried_out).collect::<Vec<_>>().into_iter().flatten().collect(),
        };
        let (_, pieces) = found.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        self.measured(pieces).ok()
    }

    /// The most promising planes, by the volumes of roughly fitted shapes on both sides.
    fn planes(&self, piece: &Piece) -> Vec<Plane> {
        let Ok(cloud) = Cloud::new(&piece.surface, None) else { return Vec::new() };
        let local = |p: &DVec3| cloud.frame.inverse_transform_point(*p) / cloud.unit;
        let surface: Vec<DVec3> = spread(piece.surface.len(), TRIED_POINTS)
            .into_iter()
            .map(|i| local(&piece.surface[i as usize]))
            .chain(self.outermost_corners(piece).iter().map(local))
            .collect();
        let tried = |&(direction, share): &(DVec3, f64)| {
            let mut along: Vec<f64> = surface.iter().map(|p| p.dot(direction)).collect();
            let at = ((along.len() - 1) as f64 * share) as usize;
            let offset = *along.select_nth_unstable_by(at, f64::total_cmp).1;
            let sides = |below: bool| -> Vec<DVec3> {
                surface.iter().copied().filter(|p| (p.dot(direction) < offset) == below).collect()
            };
            let volume = self.rough_volume(&sides(true))? + self.rough_volume(&sides(false))?;
            Some((volume, direction, share, offset))
        };
        let run = |tries: Vec<(DVec3, f64)>| -> Vec<(f64, DVec3, f64, f64)> {
            match self.threads {
                Threads::One => tries.iter().filter_map(&tried).collect(),
                Threads::All => tries.par_iter().map(&tried).collect::<Vec<_>>().into_iter().flatten().collect(),
            }
        };
        let directions = (14..27)
            .map(|k| DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1)).normalize());
        let mut found = run(directions.flat_map(|d| SHARES.map(|share| (d, share))).collect());
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The best of each direction, then its neighbours.
        let mut best: Vec<(f64, DVec3, f64, f64)> = Vec::new();
        for candidate in found {
            if best.iter().all(|other| other.1 != candidate.1) {
                best.push(candidate);
            }
        }
        best.truncate(CARRIED_OUT);
        let near = best.iter().flat_map(|b| [-SHARE_STEP, SHARE_STEP].map(|step| (b.1, b.2 + step))).collect();
        for candidate in run(near) {
            if let Some(same) = best.iter_mut().find(|other| other.1 == candidate.1 && other.0 > candidate.0) {
                *same = candidate;
            }
        }
        let plane = |&(_, direction, _, offset): &(f64, DVec3, f64, f64)| {
            let normal = cloud.frame.rotation * direction;
            Plane { normal, offset: offset * cloud.unit + normal.dot(cloud.frame.translation) }
        };
        best.iter().map(plane).collect()
    }

    fn outermost_corners(&self, piece: &Piece) -> Vec<DVec3> {
        let corners: Vec<DVec3> = piece.triangles.iter().flatten().copied().collect();
        farthest(&corners, TRIED_DIRECTIONS).into_iter().map(|i| corners[i as usize]).collect()
    }

    /// Volume of a shape around points, near to the smallest.
    fn rough_volume(&self, points: &[DVec3]) -> Option<f64> {
        let cloud = Cloud::new(points, None).ok()?;
        let start = Model::new(cloud.half_extents, [0.5; 2], 0.0, glam::DMat3::IDENTITY, DVec3::ZERO);
        let outermost = farthest(&cloud.points, TRIED_DIRECTIONS);
        let model = roughly(&start, &cloud.points, &outermost, self.tapered);
        Some(log_volume(&model).exp() * cloud.unit.powi(3))
    }

    /// Both sides of a piece.
    fn cut(&self, piece: &Piece, plane: &Plane) -> [Half; 2] {
        let mut sides: [Half; 2] = Default::default();
        for triangle in &piece.triangles {
            cut_triangle(triangle, plane, &mut sides);
        }
        for point in &piece.surface {
            sides[usize::from(plane.normal.dot(*point) >= plane.offset)].1.push(*point);
        }
        sides
    }

    /// Encloses one side.
    fn enclosed(&self, (triangles, surface): Half) -> Option<Piece> {
        let mut corners: Vec<DVec3> =
            if triangles.is_empty() { surface.clone() } else { triangles.iter().flatten().copied().collect() };
        corners.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        corners.dedup();
        let cloud = Cloud::new(&surface, None).or_else(|_| Cloud::new(&corners, None)).ok()?;
        let start = search(&cloud, self.tapered, Depth::Quick).model;
        // So much can rounding have moved the points where planes meet edges.
        let margin = 1e-15 * corners.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let (part, certificate) =
            enclosing(&cloud, &start, &corners, margin, self.tapered, Some(&self.surroundings)).ok()?;
        Some(Piece { triangles, surface, part, certificate })
    }
}

/// Both sides of a triangle, as triangles. The points where a plane meets an edge belong to both.
fn cut_triangle(triangle: &[DVec3; 3], plane: &Plane, sides: &mut [Half; 2]) {
    let heights = triangle.map(|p| plane.normal.dot(p) - plane.offset);
    let above = heights.map(|h| h >= 0.0);
    if above[0] == above[1] && above[1] == above[2] {
        sides[usize::from(above[0])].0.push(*triangle);
        return;
    }
    // The corner that is alone on its side comes first.
    let alone = (0..3).find(|&k| above[(k + 1) % 3] == above[(k + 2) % 3]).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| (alone + k) % 3);
    let meet = |to: usize| triangle[a].lerp(triangle[to], heights[a] / (heights[a] - heights[to]));
    let (ab, ac) = (meet(b), meet(c));
    sides[usize::from(above[a])].0.push([triangle[a], ab, ac]);
    let others = &mut sides[usize::from(above[b])].0;
    others.push([ab, triangle[b], triangle[c]]);
    others.push([ab, triangle[c], ac]);
}

#[cfg(test)]
mod tests {
    use testkit::generate::{direction, seeded};

    use super::*;

    #[test]
    fn both_sides_of_a_triangle_make_the_whole() {
        let mut rng = seeded(3);
        for _ in 0..500 {
            let triangle = [0; 3].map(|_| direction(&mut rng));
            let plane = Plane { normal: direction(&mut rng), offset: 0.2 * direction(&mut rng).x };
            let mut sides: [Half; 2] = Default::default();
            cut_triangle(&triangle, &plane, &mut sides);
            let area = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
            let sum: DVec3 = sides.iter().flat_map(|side| &side.0).map(area).sum();
            assert!((sum - area(&triangle)).length() < 1e-12);
            for (k, side) in sides.iter().enumerate() {
                let sign = if k == 0 { -1.0 } else { 1.0 };
                let all = side.0.iter().flatten().all(|p| sign * (plane.normal.dot(*p) - plane.offset) > -1e-12);
                assert!(all && side.0.iter().all(|t| area(t).dot(area(&triangle)) >= -1e-15));
            }
        }
    }
}
