//! How far bodies are let go in a substep, so that none gets into another.
//!
//! Impulses from a few iterations are not exact. A body is therefore moved by a part of its way only where the whole would
//! overlap with another: first for the points of contact as they are, then, where bodies turn, for the points that would
//! be the lowest at the end. Velocities stay; a body that was held back is late by a part of a substep, and so is all that hangs
//! together with it, or its joints would come apart.

use glam::DVec3;

use super::body::State;
use super::contact::{Contact, Source};
use super::hold::Holds;
use super::piece::Piece;
use super::row::{Velocities, Velocity};
use super::world::SKIN;

/// How often bodies that turn are held back in turn.
const SWEEPS: usize = 12;
/// Deeper than this is too deep, in metres.
const ALLOWED: f64 = 1e-4;

/// Angle of a substep below which lowest points are known well enough to be contacts, in radians.
const SMALL: f64 = 0.02;

/// A point where bodies would meet that was not known as one: of which contact's pair, and where on both bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surprise {
    pub contact: u32,
    pub local_a: DVec3,
    pub local_b: DVec3,
}

/// A closest point of bodies that turn.
#[derive(Clone, Copy, Debug)]
struct Turning {
    contact: u32,
    ends: [u32; 2],
    /// With which fractions it was last found to do, and the points that are the lowest then.
    fractions: [f64; 2],
    lowest: [DVec3; 2],
}

/// What moves in a substep, and for how long.
#[derive(Clone, Copy)]
pub(super) struct Moving<'a> {
    pub pieces: &'a [Piece],
    pub bodies: &'a [State],
    /// Bodies that hang together.
    pub links: &'a [[u32; 2]],
    pub h: f64,
}

/// Notes how far bodies would go in a substep, and holds back those that would get into others. Returns where bodies would
/// have turned into each other: the velocities have to learn of it.
pub(super) fn limit(
    contacts: &mut [Contact],
    sources: &mut [Source],
    velocities: &mut Velocities,
    holds: &mut Holds,
    moving: &Moving,
) -> Vec<Surprise> {
    let &Moving { bodies, links, h, .. } = moving;
    let Velocities { list, fractions, .. } = velocities;
    holds.begin(list.len());
    for contact in contacts.iter_mut() {
        contact.foreseen = false;
        let (a, b) = (&list[contact.a as usize], &list[contact.b as usize]);
        contact.ways = contact.normal.speeds(a, b).map(|speed| speed * h);
        holds.add(contact, [a, b]);
    }
    holds.hold_all(list, fractions, links);

    // By how much each body will have turned since its points have followed.
    let angle = |body: u32| {
        let body = body as usize;
        bodies.get(body).map_or(0.0, |state| state.turned) + list[body].angular.length() * h * fractions[body]
    };
    let mut turning: Vec<Turning> = (0u32..)
        .zip(&*contacts)
        .filter(|(_, contact)| contact.certifies && contact.may_turn_into(fractions, angle))
        .map(|(number, contact)| Turning {
            contact: number,
            ends: [contact.a, contact.b],
            fractions: [f64::NAN; 2],
            lowest: [DVec3::ZERO; 2],
        })
        .collect();
    let mut surprises: Vec<Surprise> = Vec::new();
    for _ in 0..SWEEPS {
        let before = surprises.len();
        for Turning { contact, ends, fractions: known, lowest } in &mut turning {
            let now = ends.map(|end| fractions[end as usize]);
            if *known == now {
                continue;
            }
            match hold_back_turning(&sources[*contact as usize], moving, list, now) {
                Ok(points) => (*known, *lowest) = (now, points),
                Err(([local_a, local_b], factor)) => {
                    surprises.push(Surprise { contact: *contact, local_a, local_b });
                    for end in *ends {
                        if list[end as usize].inverse_mass > 0.0 {
                            fractions[end as usize] *= factor;
                            holds.changed(end);
                        }
                    }
                }
            }
        }
        if surprises.len() == before {
            break;
        }
        // What is held back is in the way of others.
        holds.hold(list, fractions, links);
    }
    for Turning { contact, ends, fractions: known, lowest } in turning {
        let slow = |end: u32| list[end as usize].angular.length_squared() * h * h < SMALL * SMALL;
        if known == ends.map(|end| fractions[end as usize]) && ends.into_iter().all(slow) {
            contacts[contact as usize].foreseen = true;
            sources[contact as usize].ahead = lowest;
        }
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

/// The lowest points of bodies that are let go by some fractions of their way; where they would turn into each other, as an
/// error, with the factor by which they are to be held back.
fn hold_back_turning(
    source: &Source,
    &Moving { pieces, bodies, h, .. }: &Moving,
    velocities: &[Velocity],
    fractions: [f64; 2],
) -> Result<[DVec3; 2], ([DVec3; 2], f64)> {
    let ends = source.bodies.map(|body| body as usize);
    let normal = source.point.normal;
    let at = |time: f64| {
        let [a, b] = ends.map(|end| (&bodies[end], &velocities[end]));
        let [piece_a, piece_b] = source.pieces.map(|piece| &pieces[piece as usize]);
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

/// The point of a piece that is farthest in a direction after a time, or where a known point of it is then: how far out that
/// is in the world, and the point's arm from the centre of mass as the body is now.
fn lowest(
    piece: &Piece,
    (body, velocity): (&State, &Velocity),
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
        None => piece.placed(body).support(seen) - body.centre,
    };
    (outwards.dot(body.centre + velocity.linear * time) + seen.dot(arm), arm)
}
