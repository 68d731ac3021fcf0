//! Several parts for one target, or for a set of targets together.
//!
//! Enclosing parts are made top down, by planes ([`crate::cuts`]), up to a number; more of them, and parts that need not enclose, bottom up.
//! There, from many small regions to few parts, bottom up: points are clustered, each cluster is fitted, and of all pairs of neighbours those
//! are joined first whose joint fit costs least. A region's cost is what its points miss the surface by, and what its surface
//! protrudes from the points, in units of the wanted error and bounded, so that a part may ignore what others explain. Joining goes
//! on while it costs less than a part is worth, or down to the wanted number. Between, points move to the part that
//! explains them best and the parts are fitted again (expectation and maximisation with hard assignments). In the end the union as a
//! whole is what counts: a point belongs to the part it is deepest in, parts that are not missed are left out, and all parts move
//! towards their points under a loss that gets narrower.

use std::collections::HashMap;

use glam::DVec3;
use superegg::Pose;
use superegg::Threads;
use superegg::shape::Superovoid;

use crate::certify::Certificate;
use crate::cloud::{Cloud, spread};
use crate::cuts::{Encloser, Enclosure};
use crate::error::FitError;
use crate::errors::estimate;
use crate::model::Model;
use crate::nearest::Nearest;
use crate::one::{Containment, Family, Options, enclosing, fit};
use crate::part::Part;
use crate::search::{Depth, refined, search};
use crate::target::Target;

/// How many parts to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// As many as the wanted error needs.
    #[default]
    Auto,
    /// At most so many.
    Exactly(usize),
}

/// What to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartsOptions {
    /// Which shapes to look among.
    pub family: Family,
    /// On which side of the union's surface the target has to be; parts cannot be inscribed.
    pub containment: Containment,
    /// How many parts to use.
    pub count: Count,
    /// How far points may commonly be from the surface, a length; 0.6 % of half the target's length when left out. For enclosing
    /// parts, how far 95 % of their surface may protrude at most; 6 % when left out.
    pub max_error: Option<f64>,
    /// How many threads share the work. The result is the same.
    pub threads: Threads,
}

/// Fitted parts.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsFit {
    /// The parts, those of most points first.
    pub parts: Vec<Part>,
    /// What is proved of an enclosing union: every point, or every triangle, is inside one of the parts.
    pub certificate: Option<Certificate>,
}

/// Most parts that can be asked for.
pub const MOST_PARTS: usize = 256;
/// Points that take part in the segmentation.
const POINTS: usize = 3000;
/// Clusters to begin with, and a multiple of the wanted number.
const CLUSTERS: usize = 29;
/// Default of the wanted error, as a part of half the target's length.
const DEFAULT_ERROR: f64 = 0.006;
/// Default of the wanted protrusion of enclosing parts, as a part of half the target's length.
const DEFAULT_PROTRUSION: f64 = 0.06;
/// Most enclosing parts that are made by planes, and by themselves where their number is not given.
const MOST_CUT: usize = 24;
const MOST_AUTOMATIC: usize = 12;
/// Squared errors count up to this many times the wanted error's square.
const BOUND: f64 = 9.0;
/// What joining two regions may cost: this part of all points at the wanted error.
const WORTH: f64 = 0.006;
/// What leaving out a part may cost, likewise: a part that is kept explains some 1 % of the points, which would otherwise be missed.
const KEPT: f64 = 0.1;
/// Of the points of other regions, every so-manieth is looked at.
const SWALLOW_STEP: usize = 4;
/// Scales of the loss in wanted errors: in the rounds while parts are left out, and of the last refinement.
const WIDE: f64 = 3.0;
const REFINEMENTS: [f64; 8] = [2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.5, 0.5];
/// Fewest points of a region.
const FEWEST: usize = 16;

/// Fits several parts. `progress` is told how much of the work is done, from 0 to 1.
///
/// ```
/// use superegg_fit::{DVec3, PartsOptions, Target, fit_parts};
/// // Two balls beside each other.
/// let ball = superegg::shape::Superellipsoid::new([1.0; 3], [1.0; 2])?;
/// let vertices = ball.tessellate(800, superegg::shape::Spacing::Angles)?.vertices;
/// let points = vertices.iter().flat_map(|p| [*p, *p + DVec3::X * 3.0]).collect();
/// let fit = fit_parts(&Target::from_points(points)?, &PartsOptions::default(), &mut |_| {})?;
/// assert_eq!(fit.parts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_parts(target: &Target, options: &PartsOptions, progress: &mut dyn FnMut(f64)) -> Result<PartsFit, FitError> {
    let one = Options { family: options.family, containment: options.containment };
    let range = |accepted, field, value, allowed| superegg::InvalidInput::unless(accepted, field, value, allowed);
    if let Count::Exactly(count) = options.count {
        range((1..=MOST_PARTS).contains(&count), "count", count as f64, "[1, 256]")?;
    }
    if let Some(error) = options.max_error {
        range(error > 0.0 && error <= 1e30, "max_error", error, "]0, 1e30]")?;
    }
    let single = options.containment == Containment::Inside || options.count == Count::Exactly(1);
    if single {
        let fit = fit(target, &one)?;
        return Ok(PartsFit { parts: vec![fit.part], certificate: fit.certificate });
    }
    let cloud = Cloud::new(target.points(), target.weights())?;
    if options.containment == Containment::Enclose && options.count <= Count::Exactly(MOST_CUT) {
        let enough = options.max_error.unwrap_or(DEFAULT_PROTRUSION * cloud.unit);
        return enclose(target, options, enough, progress);
    }
    let tolerance = options.max_error.map_or(DEFAULT_ERROR, |error| error / cloud.unit);
    let mut segmentation = Segmentation::new(&cloud, tolerance, options);
    segmentation.run(progress);
    let parts: Vec<Part> =
        segmentation.regions.iter().map(|region| in_world(&region.part, &cloud)).collect::<Result<_, _>>()?;
    match options.containment {
        Containment::Enclose => enclosed(target, parts, options.family),
        _ => Ok(PartsFit { parts, certificate: None }),
    }
}

/// Encloses a target by as many parts as are wanted, or as it takes.
fn enclose(
    target: &Target,
    options: &PartsOptions,
    enough: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<PartsFit, FitError> {
    let encloser = Encloser::new(target, options.family == Family::Superovoid, options.threads);
    let mut found = encloser.whole()?;
    let wanted = match options.count {
        Count::Auto => MOST_AUTOMATIC,
        Count::Exactly(count) => count,
    };
    while found.len() < wanted && (options.count != Count::Auto || found.protrusion.p95 > enough) {
        progress(found.len() as f64 / wanted as f64);
        match encloser.split(&found) {
            Some(more) => found = more,
            None => break,
        }
    }
    progress(1.0);
    Ok(PartsFit::from(found))
}

impl From<Enclosure> for PartsFit {
    fn from(enclosure: Enclosure) -> PartsFit {
        let (parts, certificate) = enclosure.into_parts();
        PartsFit { parts, certificate: Some(certificate) }
    }
}

/// How to enclose a set of targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetOptions {
    /// Which shapes to look among.
    pub family: Family,
    /// At most so many parts for all of them together, and at least one for each.
    pub parts: usize,
    /// How many threads share the work. The result is the same.
    pub threads: Threads,
}

/// Encloses each of several targets, such as the links of a robot, with so many parts in all: each further part goes where it takes most
/// from the protrusion (95 %). `progress` is told how much of the work is done, from 0 to 1.
///
/// ```
/// use superegg_fit::{DVec3, Family, SetOptions, Target, Threads, enclose_all};
/// // A ball, and two balls that are one target.
/// let ball = superegg::shape::Superellipsoid::new([1.0; 3], [1.0; 2])?.tessellate(300, superegg::shape::Spacing::Angles)?;
/// let pair = ball.vertices.iter().flat_map(|p| [*p, *p + DVec3::X * 3.0]).collect();
/// let targets = [Target::from_points(ball.vertices)?, Target::from_points(pair)?];
/// let options = SetOptions { family: Family::Superellipsoid, parts: 3, threads: Threads::All };
/// let fits = enclose_all(&targets, &options, &mut |_| {})?;
/// assert_eq!([fits[0].parts.len(), fits[1].parts.len()], [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn enclose_all(
    targets: &[Target],
    options: &SetOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<PartsFit>, FitError> {
    let accepted = (targets.len()..=targets.len().max(1) * MOST_PARTS).contains(&options.parts);
    superegg::InvalidInput::unless(accepted, "parts", options.parts as f64, "[number of targets, 256 for each]")?;
    let tapered = options.family == Family::Superovoid;
    let enclosers: Vec<Encloser> =
        targets.iter().map(|target| Encloser::new(target, tapered, options.threads)).collect();
    let mut found: Vec<Enclosure> = match options.threads {
        Threads::One => enclosers.iter().map(Encloser::whole).collect::<Result<_, _>>()?,
        Threads::All => {
            use rayon::prelude::*;
            enclosers.par_iter().map(Encloser::whole).collect::<Result<_, _>>()?
        }
    };
    // What one part more would be, once that was asked; nothing if it does not help.
    let mut next: Vec<Option<Option<Enclosure>>> = vec![None; targets.len()];
    for count in targets.len()..options.parts {
        progress(count as f64 / options.parts as f64);
        // No gain is larger than what protrudes, so that most are never asked.
        let mut order: Vec<usize> = (0..targets.len()).collect();
        order.sort_by(|&a, &b| found[b].protrusion.p95.total_cmp(&found[a].protrusion.p95));
        let mut best: Option<(f64, usize)> = None;
        for at in order {
            let now = found[at].protrusion.p95;
            if best.is_some_and(|(gain, _)| gain >= now) {
                break;
            }
            let more = next[at].get_or_insert_with(|| enclosers[at].split(&found[at]));
            let gain = more.as_ref().map_or(0.0, |more| now - more.protrusion.p95);
            if gain > best.map_or(0.0, |(gain, _)| gain) {
                best = Some((gain, at));
            }
        }
        let Some((_, at)) = best else { break };
        if let Some(more) = next[at].take().flatten() {
            found[at] = more;
        }
    }
    progress(1.0);
    Ok(found.into_iter().map(PartsFit::from).collect())
}

/// A part of the cloud's frame in the world.
fn in_world(part: &Part, cloud: &Cloud) -> Result<Part, FitError> {
    let radii = part.shape.radii().map(|r| r * cloud.unit);
    let shape = Superovoid::new(radii, part.shape.exponents(), part.shape.taper())?;
    let rotation = cloud.frame.rotation * part.pose.rotation;
    Ok(Part { shape, pose: Pose::new(rotation, cloud.frame.transform_point(part.pose.translation * cloud.unit))? })
}

/// Points that are explained by one part.
#[derive(Clone, Debug)]
struct Region {
    points: Vec<u32>,
    part: Part,
    cost: f64,
}

struct Segmentation<'a> {
    points: Vec<DVec3>,
    nearest: Nearest,
    /// Typical distance of neighbouring points.
    spacing: f64,
    tolerance: f64,
    options: &'a PartsOptions,
    regions: Vec<Region>,
}

impl Segmentation<'_> {
    fn new<'a>(cloud: &Cloud, tolerance: f64, options: &'a PartsOptions) -> Segmentation<'a> {
        let points: Vec<DVec3> =
            spread(cloud.points.len(), POINTS).into_iter().map(|i| cloud.points[i as usize]).collect();
        let nearest = Nearest::of_points(&points);
        // Of points spread evenly over a surface like the box's.
        let h = cloud.half_extents;
        let area = 8.0 * (h.x * h.y + h.y * h.z + h.z * h.x);
        let spacing = (area / points.len() as f64).sqrt();
        Segmentation { points, nearest, spacing, tolerance, options, regions: Vec::new() }
    }

    fn run(&mut self, progress: &mut dyn FnMut(f64)) {
        let wanted = match self.options.count {
            Count::Auto => 1,
            Count::Exactly(count) => count,
        };
        let clusters = CLUSTERS.max(2 * wanted).min(self.points.len() / (2 * FEWEST)).max(1);
        self.regions = self.fitted(self.clusters(clusters));
        progress(0.3);
        self.join(wanted, progress);
        for round in 0..2 {
            self.reassign();
            self.join(wanted, &mut |_| {});
            progress(0.85 + 0.05 * f64::from(round));
        }
        self.refine(WIDE);
        if self.options.count == Count::Auto {
            while self.leave_out() {
                self.refine(WIDE);
                self.refine(WIDE);
            }
        }
        REFINEMENTS.iter().for_each(|&scale| self.refine(scale));
        self.regions.sort_by_key(|region| std::cmp::Reverse(region.points.len()));
        progress(1.0);
    }

    /// Lloyd's k-means, begun from points that are far from each other.
    fn clusters(&self, count: usize) -> Vec<Vec<u32>> {
        let mut centers = vec![self.points[0]];
        let mut distance_sq: Vec<f64> = self.points.iter().map(|p| p.distance_squared(centers[0])).collect();
        while centers.len() < count {
            let farthest = (0..self.points.len()).fold(0, |a, b| if distance_sq[b] > distance_sq[a] { b } else { a });
            let center = self.points[farthest];
            centers.push(center);
            for (d, p) in distance_sq.iter_mut().zip(&self.points) {
                *d = d.min(p.distance_squared(center));
            }
        }
        let mut members = vec![Vec::new(); count];
        for _ in 0..6 {
            members.iter_mut().for_each(Vec::clear);
            for (i, p) in (0u32..).zip(&self.points) {
                let mut best = (f64::INFINITY, 0);
                for (k, center) in centers.iter().enumerate() {
                    let d = p.distance_squared(*center);
                    if d < best.0 {
                        best = (d, k);
                    }
                }
                members[best.1].push(i);
            }
            for (center, members) in centers.iter_mut().zip(&members) {
                if !members.is_empty() {
                    *center = members.iter().map(|&i| self.points[i as usize]).sum::<DVec3>() / members.len() as f64;
                }
            }
        }
        members.retain(|members| !members.is_empty());
        members
    }

    /// Fits each set of points; sets that are too small or flat go to their neighbours at the next assignment.
    fn fitted(&self, sets: Vec<Vec<u32>>) -> Vec<Region> {
        let fit = |points: Vec<u32>| self.region(points);
        match self.options.threads {
            Threads::One => sets.into_iter().filter_map(fit).collect(),
            Threads::All => {
                use rayon::prelude::*;
                sets.into_par_iter().map(fit).collect::<Vec<_>>().into_iter().flatten().collect()
            }
        }
    }

    fn region(&self, points: Vec<u32>) -> Option<Region> {
        if points.len() < FEWEST {
            return None;
        }
        let places: Vec<DVec3> = points.iter().map(|&i| self.points[i as usize]).collect();
        let cloud = Cloud::new(&places, None).ok()?;
        let tapered = self.options.family == Family::Superovoid && points.len() >= 100;
        let found = search(&cloud, tapered, Depth::Quick);
        let (shape, pose) = found.model.placed(cloud.unit, &cloud.frame).ok()?;
        let part = Part { shape, pose };
        let cost = self.cost(&part, &points);
        Some(Region { points, part, cost })
    }

    /// What points miss a part's surface by, and what the surface protrudes from all points, where no other part covers it.
    fn cost(&self, part: &Part, points: &[u32]) -> f64 {
        let inverse = 1.0 / (self.tolerance * self.tolerance);
        // Points of others that are deep inside would not be on the union's surface.
        let mut others = vec![true; self.points.len()];
        points.iter().for_each(|&i| others[i as usize] = false);
        let widest = 1.0 + part.shape.taper()[0].abs();
        let reach = DVec3::from_array(part.shape.radii()) * DVec3::new(widest, widest, 1.0);
        let swallowed: f64 = (0..self.points.len())
            .step_by(SWALLOW_STEP)
            .filter(|&i| others[i])
            .filter(|&i| part.pose.inverse_transform_point(self.points[i]).abs().cmple(reach).all())
            .map(|i| (estimate(part, self.points[i]).min(0.0).powi(2) * inverse).min(BOUND))
            .sum();
        self.missed(part, points) + self.protruding(part, None) * points.len() as f64 + SWALLOW_STEP as f64 * swallowed
    }

    /// What points miss a part's surface by, in squares of wanted errors.
    fn missed(&self, part: &Part, points: &[u32]) -> f64 {
        let square = |&i: &u32| (estimate(part, self.points[i as usize]) / self.tolerance).powi(2).min(BOUND);
        points.iter().map(square).sum()
    }

    /// The mean of what a part's surface protrudes from all points where no other part covers it, in squares of wanted errors. `own` is the
    /// region that the part stands for.
    fn protruding(&self, part: &Part, own: Option<usize>) -> f64 {
        let mut sum = 0.0;
        for direction in DIRECTIONS {
            let surface = part.pose.transform_point(part.shape.support(DVec3::from_array(direction)));
            let gap = (self.nearest.distance(surface) - self.spacing).max(0.0);
            let covered = self.regions.iter().enumerate().any(|(index, other)| {
                own != Some(index)
                    && other.part != *part
                    && other.part.shape.gauge(other.part.pose.inverse_transform_point(surface)) < 1.0
            });
            if !covered {
                sum += (gap / self.tolerance).powi(2).min(BOUND);
            }
        }
        sum / DIRECTIONS.len() as f64
    }

    /// Joins neighbours, the cheapest pair first, while it is worth it and more are left than wanted.
    fn join(&mut self, wanted: usize, progress: &mut dyn FnMut(f64)) {
        let worth = WORTH * self.points.len() as f64;
        let begin = self.regions.len();
        let mut tried: Vec<(u64, u64, Option<Region>)> = Vec::new();
        let mut names: Vec<u64> = (0..self.regions.len() as u64).collect();
        let mut next_name = self.regions.len() as u64;
        let mut apart: HashMap<(u64, u64), f64> = HashMap::new();
        while self.regions.len() > wanted.max(1) {
            // Joint fits of neighbours that have not been tried yet.
            let mut new = Vec::new();
            for a in 0..self.regions.len() {
                for b in self.neighbours(a, &names, &mut apart) {
                    let key = (names[a.min(b)], names[a.max(b)]);
                    let known = tried.iter().any(|t| (t.0, t.1) == key)
                        || new.iter().any(|n: &(usize, usize)| *n == (a.min(b), a.max(b)));
                    if !known {
                        new.push((a.min(b), a.max(b)));
                    }
                }
            }
            let sets: Vec<Vec<u32>> =
                new.iter().map(|&(a, b)| [&self.regions[a].points[..], &self.regions[b].points[..]].concat()).collect();
            let fits = self.joint_fits(sets);
            tried.extend(new.iter().zip(fits).map(|(&(a, b), region)| (names[a], names[b], region)));
            let index = |name: u64| names.iter().position(|&n| n == name);
            let mut best: Option<(f64, usize, usize, usize)> = None;
            for (at, (first, second, region)) in tried.iter().enumerate() {
                let (Some(a), Some(b), Some(region)) = (index(*first), index(*second), region) else { continue };
                let change = region.cost - self.regions[a].cost - self.regions[b].cost;
                if best.is_none_or(|best| change < best.0) {
                    best = Some((change, a, b, at));
                }
            }
            let Some((change, a, b, at)) = best else { break };
            if self.options.count == Count::Auto && change > worth {
                break;
            }
            let Some(joined) = tried[at].2.take() else { break };
            self.regions[a] = joined;
            self.regions.remove(b);
            names[a] = next_name;
            names.remove(b);
            next_name += 1;
            tried.retain(|t| names.contains(&t.0) && names.contains(&t.1));
            progress(0.3 + 0.5 * (begin - self.regions.len()) as f64 / begin.max(1) as f64);
        }
    }

    fn joint_fits(&self, sets: Vec<Vec<u32>>) -> Vec<Option<Region>> {
        match self.options.threads {
            Threads::One => sets.into_iter().map(|set| self.region(set)).collect(),
            Threads::All => {
                use rayon::prelude::*;
                sets.into_par_iter().map(|set| self.region(set)).collect()
            }
        }
    }

    /// The regions whose points come nearest, four of them. Squared distances are kept by the regions' names.
    fn neighbours(&self, region: usize, names: &[u64], apart: &mut HashMap<(u64, u64), f64>) -> Vec<usize> {
        let mut distances: Vec<(f64, usize)> = Vec::new();
        for other in (0..self.regions.len()).filter(|other| *other != region) {
            let key = (names[region].min(names[other]), names[region].max(names[other]));
            let distance = *apart.entry(key).or_insert_with(|| self.distance_sq(region, other));
            distances.push((distance, other));
        }
        distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        distances.into_iter().take(4).map(|(_, other)| other).collect()
    }

    /// The squared distance between samples of two regions' points.
    fn distance_sq(&self, first: usize, second: usize) -> f64 {
        let sample = |region: usize| -> Vec<DVec3> {
            let own = &self.regions[region].points;
            spread(own.len(), 48).into_iter().map(|k| self.points[own[k as usize] as usize]).collect()
        };
        let (first, second) = (sample(first), sample(second));
        first.iter().flat_map(|p| second.iter().map(|q| p.distance_squared(*q))).fold(f64::INFINITY, f64::min)
    }

    /// Moves every point to the part that explains it best, and fits again; keeps what is better.
    fn reassign(&mut self) {
        let sets = self.assigned();
        let refitted = self.joint_fits(sets.clone());
        let mut regions = Vec::new();
        for ((new, set), old) in refitted.into_iter().zip(sets).zip(&self.regions) {
            if set.is_empty() {
                continue;
            }
            let kept = Region { cost: self.cost(&old.part, &set), points: set, part: old.part };
            regions.push(new.filter(|new| new.cost < kept.cost).unwrap_or(kept));
        }
        self.regions = regions;
    }

    /// Moves all parts a few steps towards the points at which they are the union's surface, or would have to be: of a point inside several
    /// parts that is the one it is deepest in. The loss is of so many wanted errors.
    fn refine(&mut self, scale: f64) {
        let mut sets = vec![Vec::new(); self.regions.len()];
        let misses = self.signed_misses();
        for i in 0..self.points.len() {
            let deepest = (0..misses.len()).fold(0, |a, b| if misses[b][i] < misses[a][i] { b } else { a });
            sets[deepest].push(i as u32);
        }
        for (index, set) in sets.into_iter().enumerate() {
            if set.len() < FEWEST {
                continue;
            }
            let old = self.regions[index].part;
            let tapered = self.options.family == Family::Superovoid && set.len() >= 100;
            let start = Model::new(
                DVec3::from_array(old.shape.radii()),
                old.shape.exponents(),
                old.shape.taper()[0],
                glam::DMat3::from_quat(old.pose.rotation),
                old.pose.translation,
            );
            let points = set.iter().map(|&i| self.points[i as usize]);
            let moved = refined(points, start, scale * self.tolerance, tapered).placed(1.0, &Pose::IDENTITY);
            if let Some(part) = moved.ok().map(|(shape, pose)| Part { shape, pose }) {
                // Points do not keep a part from growing where there are none.
                let grown =
                    (self.protruding(&part, Some(index)) - self.protruding(&old, Some(index))) * set.len() as f64;
                if grown <= 0.0 || grown < self.missed(&old, &set) - self.missed(&part, &set) {
                    self.regions[index].part = part;
                }
            }
            self.regions[index].points = set;
        }
    }

    /// First-order distances of all points from each part, negative inside, in wanted errors.
    fn signed_misses(&self) -> Vec<Vec<f64>> {
        let miss = |part: &Part, point: &DVec3| estimate(part, *point) / self.tolerance;
        self.regions.iter().map(|region| self.points.iter().map(|p| miss(&region.part, p)).collect()).collect()
    }

    /// The points that each part explains best.
    fn assigned(&self) -> Vec<Vec<u32>> {
        let mut sets = vec![Vec::new(); self.regions.len()];
        for (i, point) in (0u32..).zip(&self.points) {
            let mut best = (f64::INFINITY, 0);
            for (k, region) in self.regions.iter().enumerate() {
                let miss = estimate(&region.part, *point).abs();
                if miss < best.0 {
                    best = (miss, k);
                }
            }
            sets[best.1].push(i);
        }
        sets
    }

    /// Leaves out the part that the union misses least, if that costs less than a part is worth.
    fn leave_out(&mut self) -> bool {
        if self.regions.len() < 2 {
            return false;
        }
        let misses = self.signed_misses();
        // With and without each part: what counts at a point is the part it is deepest in, and the next.
        let mut losses = vec![0.0; misses.len()];
        for i in 0..self.points.len() {
            let (mut first, mut second, mut deepest) = (f64::INFINITY, f64::INFINITY, 0);
            for (k, misses) in misses.iter().enumerate() {
                if misses[i] < first {
                    (second, first, deepest) = (first, misses[i], k);
                } else {
                    second = second.min(misses[i]);
                }
            }
            losses[deepest] += (second * second).min(BOUND) - (first * first).min(BOUND);
        }
        let least = (0..losses.len()).fold(0, |a, b| if losses[b] < losses[a] { b } else { a });
        if losses[least] > KEPT * self.points.len() as f64 {
            return false;
        }
        self.regions.remove(least);
        true
    }
}

/// Directions to corners, edges and faces of a cube, of any length: where surfaces are looked at.
const DIRECTIONS: [[f64; 3]; 26] = {
    let mut directions = [[0.0; 3]; 26];
    let mut k = 0;
    let mut at = 0;
    while k < 27 {
        if k != 13 {
            directions[at] = [(k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64 - 1.0];
            at += 1;
        }
        k += 1;
    }
    directions
};

/// Grows each part until it contains what it stands for: its points, or all corners of its triangles. A convex part that contains a
/// triangle's corners contains the triangle.
fn enclosed(target: &Target, parts: Vec<Part>, family: Family) -> Result<PartsFit, FitError> {
    let nearest = |point: DVec3, parts: &[Option<Part>]| {
        let miss = |part: &Option<Part>| part.as_ref().map_or(f64::INFINITY, |part| estimate(part, point));
        (0..parts.len()).fold(0, |a, b| if miss(&parts[b]) < miss(&parts[a]) { b } else { a })
    };
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    'again: loop {
        let mut corners: Vec<Vec<DVec3>> = vec![Vec::new(); parts.len()];
        let mut surface: Vec<Vec<DVec3>> = vec![Vec::new(); parts.len()];
        target.points().iter().for_each(|&point| surface[nearest(point, &parts)].push(point));
        match target.mesh() {
            None => corners.clone_from(&surface),
            Some(mesh) => {
                for triangle in mesh.triangles() {
                    let places = triangle.map(|v| mesh.positions()[v as usize]);
                    let owner = nearest((places[0] + places[1] + places[2]) / 3.0, &parts);
                    corners[owner].extend(places);
                }
            }
        }
        let mut found = Vec::new();
        let mut certificate = Certificate { proved: 0, by_distance: 0 };
        for (index, corners) in corners.iter_mut().enumerate() {
            corners.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
            corners.dedup();
            if corners.is_empty() {
                continue;
            }
            match around(&surface[index], corners, family) {
                Ok((part, proved)) => {
                    found.push((corners.len(), part));
                    certificate.proved += proved.proved;
                    certificate.by_distance += proved.by_distance;
                }
                // Too few or flat: another part has to take them.
                Err(_) if parts.iter().flatten().count() > 1 => {
                    parts[index] = None;
                    continue 'again;
                }
                Err(error) => return Err(error),
            }
        }
        found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        return Ok(PartsFit {
            parts: found.into_iter().map(|(_, part)| part).collect(),
            certificate: Some(certificate),
        });
    }
}

/// Encloses corners, starting from a fit to the points of the surface between them.
fn around(surface: &[DVec3], corners: &[DVec3], family: Family) -> Result<(Part, Certificate), FitError> {
    let cloud = Cloud::new(surface, None).or_else(|_| Cloud::new(corners, None))?;
    let tapered = family == Family::Superovoid;
    let found = search(&cloud, tapered, Depth::Quick);
    enclosing(&cloud, &found.model, corners, 0.0, tapered, None)
}
