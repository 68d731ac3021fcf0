//! How far bodies are let go in a substep, so that none gets into another.
//!
//! Impulses from a few iterations are not exact. A body is therefore moved by a part of its way only where the whole would
//! overlap with another: first for the points of contact as they are, then, where bodies turn, for the points that would
//! be the lowest at the end. Velocities stay; a body that was held back is late by a part of a substep, and so is all that hangs
//! together with it, or its joints would come apart.

use glam::DVec3;

use super::body::State;
use super::contact::{Contact, Source};
use super::piece::Piece;
use super::row::{Velocities, Velocity};
use super::world::SKIN;

/// How often bodies are held back in turn.
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

/// Notes how far bodies would go in a substep, and holds back those that would get into others. Returns where bodies would
/// have turned into each other: the velocities have to learn of it.
pub(super) fn limit(
    contacts: &mut [Contact],
    sources: &[Source],
    pieces: &[Piece],
    bodies: &[State],
    velocities: &mut [Velocity],
    links: &[[u32; 2]],
    h: f64,
) -> Vec<Surprise> {
    let mut surprises: Vec<Surprise> = Vec::new();
    let mut hold = false;
    // Where bodies may get into each other, however far each is let go.
    let mut tight: Vec<u32> = Vec::new();
    for (number, contact) in (0u32..).zip(contacts.iter_mut()) {
        contact.ahead = None;
        let (a, b) = (&velocities[contact.a as usize], &velocities[contact.b as usize]);
        contact.ways = contact.normal.speeds(a, b).map(|speed| speed * h);
        if contact.deficit(f64::from(contact.ways[0] > 0.0), f64::from(contact.ways[1] < 0.0)) > 0.0 {
            tight.push(number);
            hold |= contact.deficit(a.fraction, b.fraction) > 0.0;
        }
    }
    hold |= !links.is_empty() && velocities.iter().any(|velocity| velocity.fraction < 1.0);
    hold_back_all(contacts, &tight, velocities, links, hold);
    // Only closest points: they are what certifies.
    let certifying = |number: &u32| {
        let point = &sources[*number as usize].point;
        point.probe_a == Some(point.normal)
            && contacts[*number as usize].may_turn_into(&sources[*number as usize], pieces, bodies, velocities, h)
    };
    let numbers = (0..contacts.len() as u32).filter(certifying);
    // With the fractions that were last found to do, and the points that are the lowest then.
    let mut turning: Vec<(u32, [f64; 2], [DVec3; 2])> =
        numbers.map(|number| (number, [f64::NAN; 2], [DVec3::ZERO; 2])).collect();
    for _ in 0..SWEEPS {
        let before = surprises.len();
        for (number, known, points) in &mut turning {
            let (contact, source) = (&contacts[*number as usize], &sources[*number as usize]);
            let fractions = [contact.a, contact.b].map(|body| velocities[body as usize].fraction);
            if *known == fractions {
                continue;
            }
            match contact.hold_back_turning(source, pieces, bodies, velocities, h) {
                Err([local_a, local_b]) => surprises.push(Surprise { contact: *number, local_a, local_b }),
                Ok(lowest) => (*known, *points) = (fractions, lowest),
            }
        }
        if surprises.len() == before {
            break;
        }
        // What is held back is in the way of others.
        hold_back_all(contacts, &tight, velocities, links, true);
    }
    for (number, known, points) in turning {
        let contact = &mut contacts[number as usize];
        let ends = [contact.a, contact.b].map(|body| &velocities[body as usize]);
        let slow = |end: &Velocity| end.angular.length_squared() * h * h < SMALL * SMALL;
        if known == ends.map(|end| end.fraction) && ends.into_iter().all(slow) {
            contact.ahead = Some(points);
        }
    }
    surprises
}

/// Holds back bodies at some points of contact in turn, and what hangs together with them, until nothing more has to be.
fn hold_back_all(contacts: &[Contact], tight: &[u32], velocities: &mut [Velocity], links: &[[u32; 2]], mut hold: bool) {
    for _ in 0..SWEEPS {
        if !std::mem::take(&mut hold) {
            break;
        }
        for &number in tight {
            let contact = &contacts[number as usize];
            let (a, b) = Velocities::both(velocities, contact.a, contact.b);
            hold |= contact.hold_back(a, b);
        }
        for &[a, b] in links {
            let (a, b) = Velocities::both(velocities, a, b);
            if a.inverse_mass > 0.0 && b.inverse_mass > 0.0 && a.fraction != b.fraction {
                let least = a.fraction.min(b.fraction);
                (a.fraction, b.fraction) = (least, least);
                hold = true;
            }
        }
    }
}

impl Contact {
    /// By how much the bodies would be deeper in each other than touching, or than they are.
    #[inline]
    fn deficit(&self, fraction_a: f64, fraction_b: f64) -> f64 {
        let now = self.gap + SKIN;
        now.min(0.0) - (now + fraction_b * self.ways[1] - fraction_a * self.ways[0])
    }

    /// Holds back the bodies that approach each other. Returns whether it had to.
    fn hold_back(&self, a: &mut Velocity, b: &mut Velocity) -> bool {
        let [way_a, way_b] = self.ways;
        // What nothing can push goes on.
        let (held_a, held_b) = (way_a > 0.0 && a.inverse_mass > 0.0, way_b < 0.0 && b.inverse_mass > 0.0);
        let closing = if held_a { a.fraction * way_a } else { 0.0 } - if held_b { b.fraction * way_b } else { 0.0 };
        let deficit = self.deficit(a.fraction, b.fraction);
        if deficit <= 1e-9 || closing <= 0.0 {
            return false;
        }
        let factor = (1.0 - deficit / closing).max(0.0);
        if held_a {
            a.fraction *= factor;
        }
        if held_b {
            b.fraction *= factor;
        }
        true
    }

    /// Whether other points of the bodies than the contact's own could meet by turning.
    fn may_turn_into(
        &self,
        source: &Source,
        pieces: &[Piece],
        bodies: &[State],
        velocities: &[Velocity],
        h: f64,
    ) -> bool {
        let ends = [self.a, self.b].map(|body| body as usize);
        let moved = ends.map(|end| velocities[end].fraction);
        let swing = |i: usize| {
            let angle = bodies[ends[i]].turned + velocities[ends[i]].angular.length() * h * moved[i];
            if angle > 0.0 { angle * pieces[source.pieces[i] as usize].radius } else { 0.0 }
        };
        self.gap + SKIN + moved[1] * self.ways[1] - moved[0] * self.ways[0] <= swing(0) + swing(1) + self.unfollowed
    }

    /// Holds back bodies that would turn into each other. Returns their lowest points, as an error if they would.
    fn hold_back_turning(
        &self,
        source: &Source,
        pieces: &[Piece],
        bodies: &[State],
        velocities: &mut [Velocity],
        h: f64,
    ) -> Result<[DVec3; 2], [DVec3; 2]> {
        let ends = [self.a, self.b].map(|body| body as usize);
        let normal = source.point.normal;
        let at = |time: f64| {
            let [a, b] = ends.map(|end| (&bodies[end], &velocities[end]));
            let [piece_a, piece_b] = source.pieces.map(|piece| &pieces[piece as usize]);
            let on_a = lowest(piece_a, a, time, normal, None);
            let known = source.point.probe_b.is_none().then_some(source.point.local_b);
            let on_b = lowest(piece_b, b, time, -normal, known);
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
        let factor = ((now - floor) / (now - end)).clamp(0.0, 0.9);
        for end in ends {
            if velocities[end].inverse_mass > 0.0 {
                velocities[end].fraction *= factor;
            }
        }
        Err(points)
    }
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
    let time = time * velocity.fraction;
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
