//! How far bodies with meshes are let go in a substep: triangles that are apart stay so.
//!
//! Every two triangles that are near each other have a plane between them ([`mesh_mesh`](crate::contact::mesh_mesh)). A body goes as far as
//! leaves all corners before their planes, by a little more than touching. Where a plane would be passed, a better one is
//! looked for first, which does for both ends of the way. Corners go on arcs: what these stray from straight ways is kept free as
//! well.

use glam::{DMat3, DVec3};

use super::clamp_rounds::{ClampRounds, Moving};
use crate::body::BodyState;
use crate::contact::SKIN;
use crate::contact::broad::Listed;
use crate::contact::mesh_mesh::{Frame, Meshes};
use crate::joint::constraint_row::Velocity;

/// Triangles are let come as close as this, in metres.
const CLOSEST: f64 = 0.1 * SKIN;
/// What rounding may take of a gap, in metres.
const ROUNDING: f64 = 1e-9;

/// A place where triangles would meet: of which pair, where on both bodies, and along which normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshSurprise {
    pub pair: u32,
    pub local_a: DVec3,
    pub local_b: DVec3,
    pub normal: DVec3,
}

/// Two meshes that would meet, and which bodies have to be held back by which factor.
struct Blocked {
    surprise: MeshSurprise,
    factors: [f64; 2],
}

/// Where the motion of a substep takes bodies.
struct Course<'a> {
    bodies: &'a [BodyState],
    velocities: &'a [Velocity],
    h: f64,
}

impl Course<'_> {
    /// Center and axes of a body that is let go by a part of its way.
    fn at(&self, body: u32, part: f64) -> (DVec3, DMat3) {
        let state = &self.bodies[body as usize];
        if part == 0.0 || !state.is_moving() {
            return (state.center, state.axes);
        }
        let Velocity { linear, angular, .. } = self.velocities[body as usize];
        let (center, rotation, _) = state.after(self.h * part, linear, angular);
        (center, if rotation == state.rotation { state.axes } else { DMat3::from_quat(rotation) })
    }
}

/// The pairs of meshes that may meet in a substep.
pub(crate) struct MeshClamp<'a> {
    /// The numbers of the pairs.
    guarded: &'a [u32],
    list: &'a mut [Listed],
    /// With which fractions each was last found to do.
    known: Vec<[f64; 2]>,
    /// Where meshes would have met.
    pub surprises: Vec<MeshSurprise>,
}

impl<'a> MeshClamp<'a> {
    /// Of the pairs with these numbers.
    pub fn new(guarded: &'a [u32], list: &'a mut [Listed]) -> MeshClamp<'a> {
        MeshClamp { guarded, list, known: vec![[f64::NAN; 2]; guarded.len()], surprises: Vec::new() }
    }

    /// Holds back bodies whose meshes would meet, or stops them; whether there were any.
    pub fn sweep(
        &mut self,
        (velocities, fractions): (&[Velocity], &mut [f64]),
        holds: &mut ClampRounds,
        moving: &Moving,
        stop: bool,
    ) -> bool {
        let course = Course { bodies: moving.bodies, velocities, h: moving.h };
        let mut any = false;
        for (&number, known) in self.guarded.iter().zip(&mut self.known) {
            let listed = &mut self.list[number as usize];
            let ends = listed.bodies;
            let now = ends.map(|end| fractions[end as usize]);
            if *known == now {
                continue;
            }
            let Some(Blocked { surprise, factors }) = blocked(number, listed, &course, moving, now) else {
                *known = now;
                continue;
            };
            if known[0].is_nan() {
                self.surprises.push(surprise);
                *known = [f64::INFINITY; 2];
            }
            for (end, factor) in ends.into_iter().zip(factors).filter(|(_, factor)| *factor < 1.0) {
                any |= fractions[end as usize] > 0.0;
                fractions[end as usize] *= if stop { 0.0 } else { factor };
                holds.changed(end);
            }
        }
        any
    }
}

/// The place where two meshes would meet first if their bodies were let go by some fractions.
fn blocked(number: u32, listed: &mut Listed, course: &Course, moving: &Moving, parts: [f64; 2]) -> Option<Blocked> {
    let pair = &mut *listed.pair;
    let [proxy_a, proxy_b] = pair.proxies.map(|proxy| &moving.proxies[proxy as usize]);
    let meshes = Meshes::of(proxy_a, proxy_b)?;
    let reference = *pair.triangles.reference()?;
    if pair.triangles.overlaps() {
        return None;
    }
    let [a, b] = pair.bodies;
    let frame = |parts: [f64; 2]| {
        let [(center_a, axes_a), (center_b, axes_b)] = [course.at(a, parts[0]), course.at(b, parts[1])];
        Frame::between(proxy_a.frame_at(center_a, axes_a), proxy_b.frame_at(center_b, axes_b))
    };
    let end = frame(parts);
    let (_, moved) = reference.way_to(&end, proxy_a.radius);
    let start = frame([0.0; 2]);
    let (angle, _) = start.way_to(&end, 0.0);
    let closest = CLOSEST + angle * angle * proxy_a.radius / 8.0;
    if pair.triangles.least - moved > closest {
        return None;
    }
    let mut worst: Option<(f64, Blocked)> = None;
    for triangles in pair.triangles.list.iter_mut() {
        if !triangles.may_be_within(closest, moved) {
            continue;
        }
        let mut gap = triangles.gap_at(&meshes, &start);
        let floor = |gap: f64| closest.min(gap) - ROUNDING;
        if gap >= 0.0 && triangles.gap_at(&meshes, &end) >= floor(gap) {
            continue;
        }
        let better = triangles.better(&meshes, [&start, &end], 0.5 * gap.clamp(0.0, closest));
        triangles.replace(better, &meshes, &reference);
        gap = triangles.gap_at(&meshes, &start);
        let then = triangles.gap_at(&meshes, &end);
        if then >= floor(gap) {
            continue;
        }
        // By how much each body closes the gap, and those that can be held back.
        let closing = [[parts[0], 0.0], [0.0, parts[1]]].map(|parts| gap - triangles.gap_at(&meshes, &frame(parts)));
        let held = [0, 1].map(|i| closing[i] > 0.0 && course.velocities[pair.bodies[i] as usize].inverse_mass > 0.0);
        let total: f64 = (0..2).filter(|&i| held[i]).map(|i| closing[i]).sum();
        let deficit = floor(gap) - then;
        if total <= 0.0 || worst.as_ref().is_some_and(|(most, _)| *most >= deficit) {
            continue;
        }
        let factor = (1.0 - deficit / total).clamp(0.0, 1.0 - 1e-3);
        let [corner, below] = triangles.touching(&meshes, &end);
        let [body_a, body_b] = [a, b].map(|body| &course.bodies[body as usize]);
        let [placed_a, placed_b] = [proxy_a.placed(body_a), proxy_b.placed(body_b)];
        let surprise = MeshSurprise {
            pair: number,
            local_a: body_a.local(placed_a.origin + placed_a.axes * corner),
            local_b: body_b.local(placed_b.origin + placed_b.axes * below),
            normal: placed_b.axes * triangles.normal,
        };
        worst = Some((deficit, Blocked { surprise, factors: held.map(|held| if held { factor } else { 1.0 }) }));
    }
    worst.map(|(_, blocked)| blocked)
}
