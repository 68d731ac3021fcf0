//! Distances between links and to obstacles, with gradients by the configuration, and whether configurations are free.
//!
//! Link pairs that cannot or need not be checked are left out once. Every test before an exact query is a proof: balls around parts
//! that do not meet, capsules around parts that do not meet, a plane across the line of their middles, and balls inside parts that do meet. What is left is asked of
//! the distance core, whose bounds are certified.

use std::collections::HashSet;

use glam::DVec3;
use rayon::prelude::*;
use superegg::query::{Bounds, Options, Outcome, WarmStart, distance, intersect};
use superegg::shape::Shape;
use superegg::{Pose, Threads};
use superegg_world::bound::gap_along;

use crate::bounding_capsule::Capsule;
use crate::contact_geometry::{ContactGeometry, ContactPart};
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::model::Robot;

/// Pairs of links that may touch, each with the smaller link first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllowedCollisions {
    pairs: HashSet<(usize, usize)>,
}

impl AllowedCollisions {
    /// Links that are rigidly joined, and those that a joint joins.
    pub fn adjacent(robot: &Robot, kinematics: &Kinematics) -> AllowedCollisions {
        let mut made = AllowedCollisions::default();
        let rigid: Vec<usize> = (0..robot.links.len()).map(|link| kinematics.rigid_root(link)).collect();
        let mut groups = vec![Vec::new(); robot.links.len()];
        for (link, &group) in rigid.iter().enumerate() {
            groups[group].push(link);
        }
        let mut allow_all = |one: &[usize], other: &[usize]| {
            one.iter().for_each(|&a| other.iter().for_each(|&b| made.allow(a, b)));
        };
        for (group, members) in groups.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
            allow_all(members, members);
            if let Some(parent) = kinematics.parent(group) {
                allow_all(members, &groups[rigid[parent]]);
            }
        }
        made
    }

    /// The same, and links that come within a millimetre of each other where all joints are at rest: by the way they are made.
    pub fn at_rest(robot: &Robot, geometry: &ContactGeometry) -> Result<AllowedCollisions, RobotError> {
        let mut made = AllowedCollisions::adjacent(robot, &Kinematics::new(robot));
        let model = CollisionModel::new(robot, geometry, &made, &[])?;
        for pair in model.distances(&model.kinematics.neutral())? {
            if let (true, Other::Link(b)) = (pair.outcome.distance < 1e-3, pair.b) {
                made.allow(pair.a, b);
            }
        }
        Ok(made)
    }

    /// Lets two links touch.
    pub fn allow(&mut self, a: usize, b: usize) {
        if a != b {
            self.pairs.insert((a.min(b), a.max(b)));
        }
    }

    /// Whether two links may touch.
    pub fn allows(&self, a: usize, b: usize) -> bool {
        a == b || self.pairs.contains(&(a.min(b), a.max(b)))
    }
}

/// How a link moves: the velocity of a point of it, and its angular velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Twist {
    pub point: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
}

/// A part of a link or an obstacle with what is quicker to compare.
#[derive(Clone, Debug)]
struct Body {
    part: ContactPart,
    /// A capsule around it: middle, half its axis, radius; in the frame of the link, or of the world for obstacles.
    middle: DVec3,
    half_axis: DVec3,
    radius: f64,
    /// A ball around the capsule.
    reach: f64,
    /// A ball inside, about the part's own origin.
    inner: f64,
    link: usize,
}

/// A ball around a shape is larger than what is computed by less than this.
const ROUNDING: f64 = 1.0 + 1e-12;

impl Body {
    fn new(part: &ContactPart, link: usize) -> Result<Body, RobotError> {
        let Some(capsule) = Capsule::around(&part.shape) else {
            return Err(RobotError::Invalid(format!(
                "a {} has no end; only bounded shapes are compared",
                part.shape.name()
            )));
        };
        let radius = capsule.radius * ROUNDING;
        Ok(Body {
            part: part.clone(),
            middle: part.pose.transform_point(capsule.middle),
            half_axis: part.pose.transform_vector(capsule.half_axis),
            radius,
            reach: (capsule.half_axis.length() + radius) * ROUNDING,
            inner: inner_radius(&part.shape) / ROUNDING,
            link,
        })
    }
}

/// Radius of a ball about the origin of a shape's frame that is inside it.
fn inner_radius(shape: &Shape) -> f64 {
    // The ball reaches the surface where a plane first touches it: at most as far as the nearest of the tangent planes.
    // For exponents up to one, the superellipsoid contains the ellipsoid of its radii; beyond, and with tapers, no ball is claimed.
    match shape {
        Shape::Superellipsoid(egg) if egg.exponents().iter().all(|e| *e <= 1.0) => {
            egg.radii().into_iter().fold(f64::INFINITY, f64::min)
        }
        Shape::Superovoid(egg) if egg.exponents().iter().all(|e| *e <= 1.0) => {
            // The taper narrows sections by at most this factor.
            let narrow = egg.taper().into_iter().fold(1.0f64, |least, t| least.min(1.0 - t.abs()));
            let [x, y, z] = egg.radii();
            (x.min(y) * narrow).min(z).max(0.0)
        }
        Shape::Primitive(body) => body.inner_radius(),
        _ => 0.0,
    }
}

/// The distance between two links, or a link and an obstacle.
#[derive(Clone, Debug)]
pub struct LinkDistance {
    /// The first link.
    pub a: usize,
    /// The other link, or the number of the obstacle.
    pub b: Other,
    /// The nearest or deepest parts: which of each.
    pub parts: [usize; 2],
    /// Distance, points and normal; bounds hold for the true bodies.
    pub outcome: Outcome,
    /// Derivative of the distance by the configuration.
    pub gradient: Vec<f64>,
}

/// What a link is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Another link.
    Link(usize),
    /// An obstacle.
    Obstacle(usize),
}

/// A robot ready for questions about collisions.
#[derive(Clone, Debug)]
pub struct CollisionModel {
    kinematics: Kinematics,
    bodies: Vec<Body>,
    /// Where each link's bodies begin; one more than links.
    first: Vec<usize>,
    obstacles: Vec<Body>,
    /// Pairs of links that are checked.
    link_pairs: Vec<(usize, usize)>,
    /// Pairs of bodies that are checked.
    pairs: Vec<(u32, u32)>,
    base: Pose,
}

/// What a batch keeps between configurations.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    poses: Vec<Pose>,
    middles: Vec<DVec3>,
    axes: Vec<DVec3>,
    near: Vec<(u32, u32)>,
}

impl CollisionModel {
    /// Of a robot whose root is at the origin; obstacles stand still in the world. Links that may touch are not checked.
    pub fn new(
        robot: &Robot,
        geometry: &ContactGeometry,
        allowed: &AllowedCollisions,
        obstacles: &[ContactPart],
    ) -> Result<CollisionModel, RobotError> {
        let kinematics = Kinematics::new(robot);
        let mut bodies = Vec::new();
        let mut first = Vec::with_capacity(robot.links.len() + 1);
        for (link, parts) in geometry.links.iter().enumerate() {
            first.push(bodies.len());
            for part in parts {
                bodies.push(Body::new(part, link)?);
            }
        }
        first.push(bodies.len());
        let obstacles = obstacles.iter().map(|part| Body::new(part, usize::MAX)).collect::<Result<Vec<_>, _>>()?;
        let mut link_pairs = Vec::new();
        for a in 0..robot.links.len() {
            let others = a + 1..robot.links.len();
            let present = |link: usize| first[link + 1] > first[link];
            link_pairs.extend(others.filter(|&b| present(a) && present(b) && !allowed.allows(a, b)).map(|b| (a, b)));
        }
        let mut pairs = Vec::new();
        for &(a, b) in &link_pairs {
            for i in first[a]..first[a + 1] {
                pairs.extend((first[b]..first[b + 1]).map(|j| (i as u32, j as u32)));
            }
        }
        Ok(CollisionModel { kinematics, bodies, first, obstacles, link_pairs, pairs, base: Pose::IDENTITY })
    }

    /// The robot's tree.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }

    /// Puts the root elsewhere.
    pub fn set_base(&mut self, base: Pose) {
        self.base = base;
    }

    /// Middle of a link's shapes in its frame; `None` if it has none.
    pub fn link_middle(&self, link: usize) -> Option<DVec3> {
        let bodies = self.bodies_of(Other::Link(link));
        let sum: DVec3 = bodies.iter().map(|body| body.middle).sum();
        (!bodies.is_empty()).then(|| sum / bodies.len() as f64)
    }

    /// Where the root is.
    pub fn base(&self) -> &Pose {
        &self.base
    }

    /// Pairs of links that are checked.
    pub fn link_pairs(&self) -> &[(usize, usize)] {
        &self.link_pairs
    }

    /// How many parts the links have together.
    pub fn part_count(&self) -> usize {
        self.bodies.len()
    }

    /// How many obstacles there are.
    pub fn obstacle_count(&self) -> usize {
        self.obstacles.len()
    }

    /// All that is checked: pairs of links, then links with obstacles.
    pub fn all_pairs(&self) -> impl Iterator<Item = (usize, Other)> + '_ {
        let links = self.link_pairs.iter().map(|&(a, b)| (a, Other::Link(b)));
        let present = (0..self.first.len() - 1).filter(|&link| self.first[link + 1] > self.first[link]);
        let with_obstacles =
            present.flat_map(|link| (0..self.obstacles.len()).map(move |obstacle| (link, Other::Obstacle(obstacle))));
        links.chain(with_obstacles)
    }

    fn bodies_of(&self, other: Other) -> &[Body] {
        match other {
            Other::Link(link) => &self.bodies[self.first[link]..self.first[link + 1]],
            Other::Obstacle(number) => &self.obstacles[number..=number],
        }
    }

    /// The distance of a pair where the links are at `poses`.
    pub(crate) fn pair_distance(
        &self,
        a: usize,
        b: Other,
        poses: &[Pose],
        options: &Options,
    ) -> Result<(Outcome, [usize; 2]), RobotError> {
        let frame_b = if let Other::Link(link) = b { poses[link] } else { Pose::IDENTITY };
        nearest(self.bodies_of(Other::Link(a)), &poses[a], self.bodies_of(b), &frame_b, options)
    }

    /// The same with a start from an earlier, similar query on the nearest parts of that time.
    pub(crate) fn pair_distance_from(
        &self,
        a: usize,
        b: Other,
        poses: &[Pose],
        options: &Options,
        warm: Option<(WarmStart, [usize; 2])>,
    ) -> Result<(Outcome, [usize; 2]), RobotError> {
        if self.bodies_of(Other::Link(a)).len() == 1 && self.bodies_of(b).len() == 1 {
            let options = Options { warm_start: warm.map(|(start, _)| start), ..*options };
            return self.pair_distance(a, b, poses, &options);
        }
        self.pair_distance(a, b, poses, options)
    }

    /// A lower bound of a pair's distance from capsules around the parts; not negative.
    pub(crate) fn quick_distance(&self, a: usize, b: Other, poses: &[Pose]) -> f64 {
        let frame_b = if let Other::Link(link) = b { poses[link] } else { Pose::IDENTITY };
        let mut least = f64::INFINITY;
        for one in self.bodies_of(Other::Link(a)) {
            let (middle, axis) = (poses[a].transform_point(one.middle), poses[a].rotation * one.half_axis);
            for other in self.bodies_of(b) {
                let (to, axis_b) = (frame_b.transform_point(other.middle), frame_b.rotation * other.half_axis);
                let apart = segments_apart_sq(middle, axis, to, axis_b).sqrt();
                least = least.min(apart - (one.radius + other.radius) * ROUNDING - 1e-12);
            }
        }
        least.max(0.0)
    }

    /// How far a pair is apart along a direction from a to b, and how fast that shrinks when a link turns and shifts: at this moment, at most.
    pub(crate) fn closing_along(
        &self,
        pair: (usize, Other),
        poses: &[Pose],
        normal: DVec3,
        motions: [Twist; 2],
    ) -> [f64; 2] {
        let (a, b) = pair;
        let frame_b = if let Other::Link(link) = b { poses[link] } else { Pose::IDENTITY };
        let [mut gap, mut speed] = [0.0; 2];
        let sides = [(self.bodies_of(Other::Link(a)), poses[a], normal), (self.bodies_of(b), frame_b, -normal)];
        for ((bodies, frame, direction), motion) in sides.into_iter().zip(motions) {
            let (mut far, mut fast) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            let turn = direction.cross(motion.angular);
            for body in bodies {
                let pose = frame.compose(&body.part.pose);
                let support = body.part.shape.support_value(pose.inverse_transform_vector(direction));
                far = far.max(direction.dot(pose.translation) + support);
                // The speed of a point is linear in its place: greatest at the end of the capsule.
                let middle = frame.transform_point(body.middle) - motion.point;
                let end = turn.dot(frame.rotation * body.half_axis).abs() + body.radius * turn.length();
                fast = fast.max(direction.dot(motion.linear) + turn.dot(middle) + end);
            }
            gap -= far;
            speed += fast;
        }
        [gap, speed]
    }

    /// Distances of all pairs of links and obstacles, with gradients, in the order of [`all_pairs`](CollisionModel::all_pairs).
    pub fn distances(&self, configuration: &[f64]) -> Result<Vec<LinkDistance>, RobotError> {
        self.kinematics.check(configuration)?;
        let poses = self.kinematics.link_poses(configuration, &self.base);
        self.all_pairs()
            .map(|(a, b)| {
                let (outcome, parts) = self.pair_distance(a, b, &poses, &Options::DEFAULT)?;
                let gradient = self.gradient(configuration, &poses, a, b, &outcome);
                Ok(LinkDistance { a, b, parts, outcome, gradient })
            })
            .collect()
    }

    /// How a distance changes with the configuration: the normal velocity of one closest point relative to the other.
    fn gradient(&self, configuration: &[f64], poses: &[Pose], a: usize, b: Other, outcome: &Outcome) -> Vec<f64> {
        let mut gradient: Vec<f64> = self
            .kinematics
            .jacobian(configuration, poses, a, outcome.point_a)
            .iter()
            .map(|column| -outcome.normal.dot(column.linear))
            .collect();
        if let Other::Link(link) = b {
            let columns = self.kinematics.jacobian(configuration, poses, link, outcome.point_b);
            for (sum, column) in gradient.iter_mut().zip(columns) {
                *sum += outcome.normal.dot(column.linear);
            }
        }
        gradient
    }

    /// Whether nothing touches that must not. The configuration is not checked.
    pub fn is_free(&self, configuration: &[f64], scratch: &mut Scratch) -> Result<bool, RobotError> {
        Ok(self.first_contact(configuration, &self.base, scratch)?.is_none())
    }

    /// A pair that touches and must not, if there is one, with the root at `base`: the links, or the link and the obstacle.
    pub fn first_contact(
        &self,
        configuration: &[f64],
        base: &Pose,
        scratch: &mut Scratch,
    ) -> Result<Option<(usize, Other)>, RobotError> {
        scratch.poses.resize(self.kinematics.link_count(), Pose::IDENTITY);
        self.kinematics.place_links(configuration, base, &mut scratch.poses);
        let Scratch { poses, middles, axes, near } = scratch;
        middles.clear();
        axes.clear();
        near.clear();
        for body in &self.bodies {
            let pose = &poses[body.link];
            middles.push(pose.transform_point(body.middle));
            axes.push(pose.rotation * body.half_axis);
        }
        for &(i, j) in &self.pairs {
            let (a, b) = (&self.bodies[i as usize], &self.bodies[j as usize]);
            let between = middles[j as usize] - middles[i as usize];
            let reach = a.reach + b.reach;
            if between.length_squared() < reach * reach {
                near.push((i, j));
            }
        }
        let own = near.len();
        for (j, obstacle) in (0u32..).zip(&self.obstacles) {
            for (i, body) in (0u32..).zip(&self.bodies) {
                let between = obstacle.middle - middles[i as usize];
                let reach = body.reach + obstacle.reach;
                if between.length_squared() < reach * reach {
                    near.push((i, j));
                }
            }
        }
        for (number, &(i, j)) in near.iter().enumerate() {
            let a = &self.bodies[i as usize];
            let is_own = number < own;
            let b = if is_own { &self.bodies[j as usize] } else { &self.obstacles[j as usize] };
            let (middle_b, axis_b) =
                if is_own { (middles[j as usize], axes[j as usize]) } else { (b.middle, b.half_axis) };
            let reach = a.radius + b.radius;
            let apart_sq = segments_apart_sq(middles[i as usize], axes[i as usize], middle_b, axis_b);
            if apart_sq > reach * reach {
                continue;
            }
            let frame_b = if is_own { poses[b.link] } else { Pose::IDENTITY };
            if meet(a, &poses[a.link], b, &frame_b)? {
                let other = if is_own { Other::Link(b.link) } else { Other::Obstacle(j as usize) };
                return Ok(Some((a.link, other)));
            }
        }
        Ok(None)
    }

    /// Whether each of many configurations, one after the other, is free.
    pub fn are_free(&self, configurations: &[f64], threads: Threads) -> Result<Vec<bool>, RobotError> {
        let freedoms = self.kinematics.freedoms().len().max(1);
        if !configurations.len().is_multiple_of(freedoms) {
            let found = configurations.len();
            return Err(RobotError::Invalid(format!(
                "{found} numbers are no whole number of configurations of {freedoms}"
            )));
        }
        if let Some(bad) = configurations.iter().find(|value| !(-1e9..=1e9).contains(*value)) {
            return Err(RobotError::Invalid(format!("{bad} is in a configuration; allowed are [-1e9, 1e9]")));
        }
        let chunk = |chunk: &[f64]| {
            let mut scratch = Scratch::default();
            chunk.chunks(freedoms).map(|one| self.is_free(one, &mut scratch)).collect::<Result<Vec<bool>, RobotError>>()
        };
        match threads {
            Threads::One => chunk(configurations),
            Threads::All => {
                let parts = configurations.par_chunks(512 * freedoms).map(chunk).collect::<Result<Vec<_>, _>>()?;
                Ok(parts.concat())
            }
        }
    }

    /// Whether the balls around all parts of two links are apart.
    pub(crate) fn far_apart(&self, a: usize, b: usize, poses: &[Pose]) -> bool {
        let far = |one: &Body, other: &Body| {
            let between = poses[a].transform_point(one.middle).distance(poses[b].transform_point(other.middle));
            between > (one.reach + other.reach) * ROUNDING
        };
        let others = self.bodies_of(Other::Link(b));
        self.bodies_of(Other::Link(a)).iter().all(|one| others.iter().all(|other| far(one, other)))
    }

    /// How far the points of a link reach from the origin of its frame.
    pub(crate) fn link_reach(&self, link: usize) -> f64 {
        self.bodies_of(Other::Link(link)).iter().map(|body| body.middle.length() + body.reach).fold(0.0, f64::max)
    }
}

/// Whether two bodies share a point.
fn meet(a: &Body, frame_a: &Pose, b: &Body, frame_b: &Pose) -> Result<bool, RobotError> {
    let place = |frame: &Pose, local: &Pose| Pose {
        rotation: frame.rotation * local.rotation,
        translation: frame.rotation * local.translation + frame.translation,
    };
    let (pose_a, pose_b) = (place(frame_a, &a.part.pose), place(frame_b, &b.part.pose));
    let line = pose_b.translation - pose_a.translation;
    let length = line.length();
    if length < a.inner + b.inner {
        return Ok(true);
    }
    if length > 0.0 && gap_along(line / length, &a.part.shape, &pose_a, &b.part.shape, &pose_b) > 1e-9 * length {
        return Ok(false);
    }
    Ok(intersect(&a.part.shape, &pose_a, &b.part.shape, &pose_b)?)
}

/// The squared distance of two segments by their middles and half axes, or a little less.
fn segments_apart_sq(middle_a: DVec3, axis_a: DVec3, middle_b: DVec3, axis_b: DVec3) -> f64 {
    let between = middle_a - middle_b;
    let (aa, bb, ab) = (axis_a.length_squared(), axis_b.length_squared(), axis_a.dot(axis_b));
    let (ar, br) = (axis_a.dot(between), axis_b.dot(between));
    let determinant = aa * bb - ab * ab;
    // The nearest pair of places s, t in [-1, 1] (Ericson, Real-Time Collision Detection, 5.1.9).
    let parallel = bb > 0.0 && determinant <= 1e-12 * aa * bb;
    let mut s = match (parallel, bb > 0.0) {
        (true, _) => 0.0,
        (false, true) => ((ab * br - bb * ar) / determinant).clamp(-1.0, 1.0),
        // The other one is a point.
        (false, false) => (-ar / aa.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0),
    };
    let mut t = if bb > 0.0 { (ab * s + br) / bb } else { 0.0 };
    if !(-1.0..=1.0).contains(&t) {
        t = t.clamp(-1.0, 1.0);
        s = if aa > 0.0 { ((ab * t - ar) / aa).clamp(-1.0, 1.0) } else { 0.0 };
    }
    let apart = between + axis_a * s - axis_b * t;
    if parallel {
        // They are within a millionth of a radian: elsewhere they may be that much closer.
        return (apart.length() - 2e-6 * aa.min(bb).sqrt()).max(0.0).powi(2);
    }
    apart.length_squared()
}

/// The nearest or deepest parts of two rigid sets of bodies.
fn nearest(
    a: &[Body],
    frame_a: &Pose,
    b: &[Body],
    frame_b: &Pose,
    options: &Options,
) -> Result<(Outcome, [usize; 2]), RobotError> {
    let mut candidates: Vec<(f64, usize, usize)> = Vec::with_capacity(a.len() * b.len());
    for (i, one) in a.iter().enumerate() {
        for (j, other) in b.iter().enumerate() {
            let between = frame_a.transform_point(one.middle).distance(frame_b.transform_point(other.middle));
            candidates.push((between - (one.reach + other.reach) * ROUNDING, i, j));
        }
    }
    candidates.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut best: Option<(Outcome, [usize; 2])> = None;
    let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
    for (bound, i, j) in candidates {
        if bound > upper {
            break;
        }
        let (one, other) = (&a[i], &b[j]);
        let (pose_a, pose_b) = (frame_a.compose(&one.part.pose), frame_b.compose(&other.part.pose));
        let found = distance(&one.part.shape, &pose_a, &other.part.shape, &pose_b, options)?;
        let bounds = found.bounds.unwrap_or(Bounds::new(f64::NEG_INFINITY, f64::INFINITY));
        (lower, upper) = (lower.min(bounds.lower), upper.min(bounds.upper));
        if best.as_ref().is_none_or(|(best, _)| found.distance < best.distance) {
            best = Some((found, [i, j]));
        }
    }
    let (mut outcome, parts) = best.ok_or_else(|| RobotError::Invalid("a link without contact geometry".into()))?;
    if lower < 0.0 && a.len() + b.len() > 2 {
        // Many parts may have to be moved farther than the deepest pair: as far as all of them along the normal.
        lower = -extent_along(a, frame_a, b, frame_b, outcome.normal);
    }
    outcome.bounds = Some(Bounds::new(lower, upper));
    Ok((outcome, parts))
}

/// By how much b has to be moved along a direction to be beyond all of a.
fn extent_along(a: &[Body], frame_a: &Pose, b: &[Body], frame_b: &Pose, normal: DVec3) -> f64 {
    let farthest = |bodies: &[Body], frame: &Pose, direction: DVec3| {
        let of = |body: &Body| {
            let pose = frame.compose(&body.part.pose);
            direction.dot(pose.translation) + body.part.shape.support_value(pose.inverse_transform_vector(direction))
        };
        bodies.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    };
    (farthest(a, frame_a, normal) + farthest(b, frame_b, -normal)).max(0.0) * ROUNDING
}
