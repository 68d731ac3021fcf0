//! How far bodies are let go in a substep, so that none gets into another.
//!
//! Impulses from a few iterations are not exact. A body is therefore moved by a part of its way only where the whole would
//! overlap with another: first for the points of contact as they are, then, where bodies turn, for the points that would
//! be the lowest at the end. Velocities stay; a body that was held back is late by a part of a substep, and so is all that hangs
//! together with it, or its joints would come apart.

use glam::DVec3;
use rayon::prelude::*;

use super::clamp_rounds::{ClampRounds, Moving, Tight};
use super::contact::{Contact, Source};
use super::groups::{ContactId, Group, Groups};
use super::mesh_clamp::MeshClamp;
use crate::body::BodyState;
use crate::body::Proxy;
use crate::contact::SKIN;
use crate::joint::constraint_row::{Velocities, Velocity};

/// How often bodies that turn are held back in turn.
const SWEEPS: usize = 12;
/// Deeper than this is too deep, in metres.
const ALLOWED: f64 = 1e-4;

/// Points of contact that a thread takes at a time.
const CHUNK: usize = 32;
/// Angle of a substep below which lowest points are known well enough to be contacts, in radians.
const SMALL: f64 = 0.02;

/// A point where bodies would meet that was not known as one: of which contact's pair, and where on both bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surprise {
    pub contact: ContactId,
    pub local_a: DVec3,
    pub local_b: DVec3,
}

/// A closest point of bodies that turn.
#[derive(Clone, Copy, Debug)]
struct Turning {
    contact: ContactId,
    ends: [u32; 2],
    /// With which fractions it was last found to do, and the points that are the lowest then.
    fractions: [f64; 2],
    lowest: [DVec3; 2],
}

/// What comes of letting two bodies go by some fractions of their way: the points that are the lowest then; where they would
/// turn into each other, as an error, with the factor by which they are to be held back.
type Turned = Result<[DVec3; 2], ([DVec3; 2], f64)>;

/// Notes how far bodies would go in a substep, and holds back those that would get into others. Returns where bodies would
/// have turned into each other: the velocities have to learn of it.
pub(crate) fn limit(
    groups: &mut Groups,
    shared: bool,
    velocities: &mut Velocities,
    holds: &mut ClampRounds,
    meshes: &mut MeshClamp,
    moving: &Moving,
) -> Vec<Surprise> {
    let &Moving { bodies, links, h, .. } = moving;
    let Velocities { list, fractions, .. } = velocities;
    holds.begin(list.len());
    let tight = |_: u32, group: &mut Group| {
        let mut tight = Vec::new();
        for contact in &mut group.contacts {
            contact.foreseen = false;
            let (a, b) = (&list[contact.a as usize], &list[contact.b as usize]);
            contact.ways = contact.normal.speeds(a, b).map(|speed| speed * h);
            tight.extend(Tight::of(contact, [a, b]));
        }
        tight
    };
    groups.map(shared, tight).into_iter().for_each(|tight| holds.extend(tight));
    holds.hold_all(list, fractions, links);

    // By how much each body will have turned since its points have followed.
    let angle = |body: u32| {
        let body = body as usize;
        bodies.get(body).map_or(0.0, |state| state.turned) + list[body].angular.length() * h * fractions[body]
    };
    let turning = |number: u32, group: &mut Group| {
        let may_turn = |contact: &Contact| contact.certifies && contact.may_turn_into(fractions, angle);
        let chosen = (0u32..).zip(&group.contacts).filter(|(_, contact)| may_turn(contact));
        let turning = chosen.map(|(index, contact)| Turning {
            contact: ContactId { group: number, index },
            ends: [contact.a, contact.b],
            fractions: [f64::NAN; 2],
            lowest: [DVec3::ZERO; 2],
        });
        turning.collect::<Vec<Turning>>()
    };
    let mut turning: Vec<Turning> = groups.map(shared, turning).into_iter().flatten().collect();
    let surprises = hold_back_all_turning(groups, shared, &mut turning, velocities, holds, meshes, moving);
    let Velocities { list, fractions, .. } = velocities;
    for Turning { contact, ends, fractions: known, lowest } in turning {
        let slow = |end: u32| list[end as usize].angular.length_squared() * h * h < SMALL * SMALL;
        if known == ends.map(|end| fractions[end as usize]) && ends.into_iter().all(slow) {
            let group = &mut groups.list[contact.group as usize];
            group.contacts[contact.index as usize].foreseen = true;
            group.sources[contact.index as usize].ahead = lowest;
        }
    }
    surprises
}

/// Holds back bodies that would turn into each other, and meshes that would meet, in turn: what is held back is in the way of others.
fn hold_back_all_turning(
    groups: &Groups,
    shared: bool,
    turning: &mut [Turning],
    velocities: &mut Velocities,
    holds: &mut ClampRounds,
    meshes: &mut MeshClamp,
    moving: &Moving,
) -> Vec<Surprise> {
    let Velocities { list, fractions, .. } = velocities;
    let list = &*list;
    let source = |id: ContactId| &groups.list[id.group as usize].sources[id.index as usize];
    let judge = |turning: &Turning, now: [f64; 2]| hold_back_turning(source(turning.contact), moving, list, now);
    // Several threads judge all of them beforehand, by the fractions of now; that holds while those stay.
    let known: Vec<([f64; 2], Turned)> = if shared {
        let fractions = &*fractions;
        let judged = turning.par_iter().with_min_len(CHUNK).map(|turning| {
            let now = turning.ends.map(|end| fractions[end as usize]);
            (now, judge(turning, now))
        });
        judged.collect()
    } else {
        Vec::new()
    };
    let mut surprises: Vec<Surprise> = Vec::new();
    for sweep in 0..SWEEPS {
        let before = surprises.len();
        for (index, turning) in turning.iter_mut().enumerate() {
            let now = turning.ends.map(|end| fractions[end as usize]);
            if turning.fractions == now {
                continue;
            }
            let judged = match known.get(index) {
                Some((fractions, turned)) if sweep == 0 && *fractions == now => *turned,
                _ => judge(turning, now),
            };
            match judged {
                Ok(points) => (turning.fractions, turning.lowest) = (now, points),
                Err(([local_a, local_b], factor)) => {
                    surprises.push(Surprise { contact: turning.contact, local_a, local_b });
                    for end in turning.ends {
                        if list[end as usize].inverse_mass > 0.0 {
                            fractions[end as usize] *= factor;
                            holds.changed(end);
                        }
                    }
                }
            }
        }
        if !meshes.sweep((list, &mut fractions[..]), holds, moving, false) && surprises.len() == before {
            break;
        }
        holds.hold(list, fractions, moving.links);
    }
    // Meshes that are still in the way after many turns stay where they are.
    while meshes.sweep((list, &mut fractions[..]), holds, moving, true) {
        holds.hold(list, fractions, moving.links);
    }
    surprises
}

impl Contact {
    /// Whether other points of the bodies than the contact's own could meet by turning.
    fn may_turn_into(&self, fractions: &[f64], angle: impl Fn(u32) -> f64) -> bool {
        let [a, b] = [self.a, self.b].map(|body| fractions[body as usize]);
        let gap = self.gap + SKIN + b * self.ways[1] - a * self.ways[0];
        gap <= self.swing([self.a, self.b].map(angle)) + self.unfollowed
    }
}

/// Lets bodies go by some fractions of their way.
fn hold_back_turning(
    source: &Source,
    &Moving { proxies, bodies, h, .. }: &Moving,
    velocities: &[Velocity],
    fractions: [f64; 2],
) -> Turned {
    let ends = source.bodies.map(|body| body as usize);
    let normal = source.point.normal;
    let at = |time: f64| {
        let [a, b] = ends.map(|end| (&bodies[end], &velocities[end]));
        let [piece_a, piece_b] = source.proxies.map(|proxy| &proxies[proxy as usize]);
        let on_a = lowest(piece_a, a, time * fractions[0], normal, None);
        let known = source.point.probe_b.is_none().then_some(source.point.local_b);
        let on_b = lowest(piece_b, b, time * fractions[1], -normal, known);
        (-on_b.0 - on_a.0, [a.0.axes.transpose() * on_a.1, b.0.axes.transpose() * on_b.1])
    };
    let (end, points) = at(h);
    if end >= -ALLOWED {
        return Ok(points);
    }
    let (now, _) = at(0.0);
    let floor = now.min(0.0) - ALLOWED;
    if end >= floor {
        return Ok(points);
    }
    Err((points, ((now - floor) / (now - end)).clamp(0.0, 0.9)))
}

/// The point of a proxy that is farthest in a direction after a time, or where a known point of it is then: how far out that
/// is in the world, and the point's arm from the center of mass as the body is now.
fn lowest(
    proxy: &Proxy,
    (body, velocity): (&BodyState, &Velocity),
    time: f64,
    outwards: DVec3,
    known: Option<DVec3>,
) -> (f64, DVec3) {
    // For angles of a substep the rotation to the second order will do; the direction turns back instead of the body.
    let turn = velocity.angular * time;
    let back = turn.cross(outwards);
    let seen = outwards - back + 0.5 * turn.cross(back);
    let arm = match known {
        Some(local) => body.axes * local,
        None => proxy.placed(body).support(seen) - body.center,
    };
    (outwards.dot(body.center + velocity.linear * time) + seen.dot(arm), arm)
}
