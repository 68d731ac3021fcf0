//! Closing a hand on an object: every joint moves until a link that it carries touches, or its limit is reached.
//!
//! Conservative advancement, one event after the other: every pair of parts knows how far the joints may go before it can touch, and only the pair whose time
//! has come is asked again. That is the longer of two safe times: its certified distance over the greatest speed of its points whatever
//! their direction, and, along the normal of its last query, the time until its points can have come as near by their speed in that direction and by their
//! acceleration, which is bounded (directional motion bounds: Zhang, Lee and Kim 2006). A contact stops the joints that carry
//! the link; joints farther out go on. So bodies stop at a gap of the wanted size, never in each other.

use superegg::query::{Options, WarmStart};
use superegg::{DVec3, Pose};

use crate::collide::{CollisionModel, Other, Twist};
use crate::error::RobotError;
use crate::model::Robot;
use crate::trajectory::SpeedBounds;

/// A hand and an object at the origin, whose parts are the obstacles of the model.
#[derive(Debug)]
pub struct Hand<'a> {
    /// The robot.
    pub robot: &'a Robot,
    /// Its shapes, and the object.
    pub model: CollisionModel,
    bounds: SpeedBounds,
    /// For every link, which numbers of the configuration move it.
    moved_by: Vec<Vec<usize>>,
}

/// How a hand is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloseOptions {
    /// Links as close as this touch, in metres.
    pub gap: f64,
    /// Most distance queries.
    pub queries: usize,
}

impl Default for CloseOptions {
    fn default() -> CloseOptions {
        CloseOptions { gap: 2e-5, queries: 4000 }
    }
}

/// A contact of a link and the object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandContact {
    /// The link.
    pub link: usize,
    /// On the object, in its frame.
    pub point: DVec3,
    /// Unit normal into the object.
    pub normal: DVec3,
    /// Certified lower bound of the distance; negative in penetration.
    pub distance: f64,
}

/// A closed hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// Where the joints stopped.
    pub configuration: Vec<f64>,
    /// Where links touch the object.
    pub contacts: Vec<HandContact>,
    /// Certified depth of the deepest penetration of the object, in metres; zero if there is none.
    pub depth: f64,
    /// Distance queries asked.
    pub queries: usize,
}

/// Prismatic joints without limits are thought to go this far, in metres.
const FAR: f64 = 10.0;

impl<'a> Hand<'a> {
    /// The model's obstacles are the object.
    pub fn new(robot: &'a Robot, model: CollisionModel) -> Hand<'a> {
        let kinematics = model.kinematics();
        let finite = |value: f64| if value.is_finite() { value } else { FAR };
        let ends = |pick: fn(&crate::kinematics::Freedom) -> f64| -> Vec<f64> {
            kinematics.freedoms().iter().map(|freedom| finite(pick(freedom))).collect()
        };
        let bounds = SpeedBounds::new(&model, &[ends(|f| f.lower), ends(|f| f.upper)]);
        let moved_by = (0..kinematics.link_count())
            .map(|link| {
                let moving = kinematics
                    .ancestors(link)
                    .flat_map(|joint| (0..joint.kind.freedoms()).map(move |i| joint.first + i));
                let mut numbers: Vec<usize> = moving.collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            })
            .collect();
        Hand { robot, model, bounds, moved_by }
    }

    /// Whether a pair stops joints: links with the object, and with what stands still. Fingers beside each other move together, so that bounds of their
    /// speeds say little; whether they touch in the end is for the caller to ask.
    fn is_followed(&self, a: usize, b: Other) -> bool {
        match b {
            Other::Obstacle(_) => true,
            Other::Link(b) => self.moved_by[a].is_empty() || self.moved_by[b].is_empty(),
        }
    }

    /// Which numbers of the configuration move a link.
    pub fn moved_by(&self, link: usize) -> &[usize] {
        &self.moved_by[link]
    }
}

/// A pair and how far it may go.
struct Track {
    a: usize,
    b: Other,
    /// Certified distance when it was last known.
    margin: f64,
    /// When that was.
    since: f64,
    speed: f64,
    warm: Option<(WarmStart, [usize; 2])>,
    /// The normal of the last query, from a to b.
    normal: Option<DVec3>,
    along: Along,
}

/// How a pair closes in along its normal: its distance there, the speed at which it shrinks, and by how much that speed can grow in unit time.
#[derive(Clone, Copy)]
struct Along {
    margin: f64,
    speed: f64,
    acceleration: f64,
}

impl Along {
    const UNKNOWN: Along = Along { margin: 0.0, speed: 0.0, acceleration: f64::INFINITY };

    /// How long it takes at least until the distance is down to what is asked.
    fn lasts(&self, to: f64) -> f64 {
        let room = self.margin - to;
        if room <= 0.0 || !self.acceleration.is_finite() {
            return 0.0;
        }
        // The positive root of room = speed t + acceleration t² / 2, in the form that does not cancel.
        let root = (self.speed * self.speed + 2.0 * self.acceleration * room).sqrt();
        if self.speed > 0.0 || self.acceleration == 0.0 {
            let sum = self.speed + root;
            if sum > 0.0 { 2.0 * room / sum } else { f64::INFINITY }
        } else {
            (root - self.speed) / self.acceleration
        }
    }
}

impl Track {
    fn due(&self, gap: f64) -> f64 {
        if self.speed <= 0.0 {
            return f64::INFINITY;
        }
        let any = (self.margin - 0.5 * gap).max(0.0) / self.speed;
        self.since + any.max((1.0 - 1e-9) * self.along.lasts(0.5 * gap))
    }
}

/// Closes a hand from a start where nothing touches, at given speeds of the joints, the root being at `base` in the object's frame.
/// `None` if something touches at the start, or the cap on queries was reached.
pub fn close_hand(
    hand: &Hand,
    base: &Pose,
    start: &[f64],
    rates: &[f64],
    options: &CloseOptions,
) -> Result<Option<Closed>, RobotError> {
    let kinematics = hand.model.kinematics();
    kinematics.check(start)?;
    kinematics.check(rates)?;
    let mut configuration = start.to_vec();
    let mut rates = rates.to_vec();
    let (mut time, mut queries) = (0.0, 0usize);
    let mut poses = kinematics.link_poses(&configuration, base);
    let mut tracks = Vec::new();
    for (a, b) in hand.model.all_pairs().filter(|(a, b)| hand.is_followed(*a, *b)) {
        let margin = hand.model.quick_distance(a, b, &poses);
        let along = Along::UNKNOWN;
        tracks.push(Track { a, b, margin, since: 0.0, speed: 0.0, warm: None, normal: None, along });
    }
    set_speeds(hand, &mut tracks, &configuration, &rates);
    loop {
        let due = tracks.iter().enumerate().map(|(i, track)| (track.due(options.gap), i));
        let next = due.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((f64::INFINITY, usize::MAX));
        let limits = (0..rates.len()).filter(|&j| rates[j] != 0.0).map(|j| {
            let freedom = &kinematics.freedoms()[j];
            let end = if rates[j] > 0.0 { freedom.upper } else { freedom.lower };
            (time + ((end - configuration[j]) / rates[j]).max(0.0), j)
        });
        let limit = limits.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((f64::INFINITY, usize::MAX));
        let event = next.0.min(limit.0);
        if !event.is_finite() {
            break;
        }
        let step = event - time;
        configuration.iter_mut().zip(&rates).for_each(|(q, rate)| *q += rate * step);
        time = event;
        let mut stopped: Vec<usize> = Vec::new();
        if limit.0 <= next.0 {
            let freedom = &kinematics.freedoms()[limit.1];
            configuration[limit.1] = if rates[limit.1] > 0.0 { freedom.upper } else { freedom.lower };
            stopped.push(limit.1);
        } else {
            kinematics.place_links(&configuration, base, &mut poses);
            let track = &mut tracks[next.1];
            queries += 1;
            if queries > options.queries {
                return Ok(None);
            }
            track.margin = measured(&hand.model, track, &poses)?;
            track.since = time;
            track.along = closing(hand, track, &configuration, &poses, &rates);
            if track.margin <= options.gap {
                if time == 0.0 {
                    return Ok(None);
                }
                stopped.extend(&hand.moved_by[track.a]);
                if let Other::Link(link) = track.b {
                    // What carries both does not bring them together.
                    let (one, other) = (&hand.moved_by[track.a], &hand.moved_by[link]);
                    stopped = one
                        .iter()
                        .filter(|j| !other.contains(j))
                        .chain(other.iter().filter(|j| !one.contains(j)))
                        .copied()
                        .collect();
                }
            }
        }
        if !stopped.is_empty() {
            stopped.into_iter().for_each(|j| rates[j] = 0.0);
            kinematics.place_links(&configuration, base, &mut poses);
            for track in &mut tracks {
                track.margin -= track.speed * (time - track.since);
                track.since = time;
                track.along = closing(hand, track, &configuration, &poses, &rates);
            }
            set_speeds(hand, &mut tracks, &configuration, &rates);
        }
    }
    finish(hand, base, configuration, options, queries).map(Some)
}

fn set_speeds(hand: &Hand, tracks: &mut [Track], configuration: &[f64], rates: &[f64]) {
    let to: Vec<f64> = configuration.iter().zip(rates).map(|(q, rate)| q + rate).collect();
    for track in tracks {
        track.speed = hand.bounds.relative_speed(track.a, track.b, configuration, &to);
    }
}

/// How a pair closes in along the normal of its last query, from the present configuration on.
fn closing(hand: &Hand, track: &Track, configuration: &[f64], poses: &[Pose], rates: &[f64]) -> Along {
    let Some(normal) = track.normal else { return Along::UNKNOWN };
    let mut acceleration = 0.0;
    let mut motion = |link: usize| {
        if !hand.moved_by[link].iter().any(|&number| rates[number] != 0.0) {
            return Twist::default();
        }
        acceleration += hand.bounds.acceleration(link, rates);
        let point = poses[link].translation;
        let columns = hand.model.kinematics().jacobian(configuration, poses, link, point);
        let mut sum = Twist { point, ..Twist::default() };
        for (column, rate) in columns.iter().zip(rates) {
            sum.linear += column.linear * *rate;
            sum.angular += column.angular * *rate;
        }
        sum
    };
    let motions = [motion(track.a), if let Other::Link(b) = track.b { motion(b) } else { Twist::default() }];
    let [margin, speed] = hand.model.closing_along((track.a, track.b), poses, normal, motions);
    Along { margin: margin - ROUNDING, speed, acceleration }
}

/// By how much a distance along a direction can be less than what is computed, in metres.
const ROUNDING: f64 = 1e-12;

/// Distances above this are bounded by balls and capsules alone.
const NEAR: f64 = 0.004;

fn measured(model: &CollisionModel, track: &mut Track, poses: &[Pose]) -> Result<f64, RobotError> {
    let quick = model.quick_distance(track.a, track.b, poses);
    if quick > NEAR {
        track.normal = None;
        return Ok(quick);
    }
    let options = Options { tolerance: 1e-6, ..Options::DEFAULT };
    let (outcome, parts) = model.pair_distance_from(track.a, track.b, poses, &options, track.warm)?;
    track.warm = Some((outcome.warm_start, parts));
    track.normal = Some(outcome.normal);
    Ok(outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower).max(quick))
}

/// The contacts of a hand that has stopped.
fn finish(
    hand: &Hand,
    base: &Pose,
    configuration: Vec<f64>,
    options: &CloseOptions,
    queries: usize,
) -> Result<Closed, RobotError> {
    let poses = hand.model.kinematics().link_poses(&configuration, base);
    let (mut contacts, mut depth, mut queries) = (Vec::new(), 0f64, queries);
    for (a, b) in hand.model.all_pairs().filter(|(_, b)| matches!(b, Other::Obstacle(_))) {
        if hand.model.quick_distance(a, b, &poses) > 2.0 * options.gap {
            continue;
        }
        queries += 1;
        let (outcome, _) = hand.model.pair_distance(a, b, &poses, &Options::DEFAULT)?;
        let lower = outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower);
        depth = depth.max(-lower);
        if lower <= 2.0 * options.gap {
            contacts.push(HandContact { link: a, point: outcome.point_b, normal: outcome.normal, distance: lower });
        }
    }
    Ok(Closed { configuration, contacts, depth, queries })
}
