//! A substep: pairs that are too close become rows.
//!
//! A pair is kept at its separation, or where it already was closer, no closer; a slow and gentle recovery of what is too
//! close gives no velocity. Where the sides have changed, continuous detection tells whether the features went through each
//! other or round each other. An mesh's particles have no mobility: all of a push goes to the cloth, and what it has
//! lost is won back slowly, too, but with whatever push that takes.

use glam::DVec3;

use super::super::features::{EdgeEdge, Features, VertexFace};
use super::super::half_space::HalfSpaceRow;
use super::super::mesh_vertices::MeshVertices;
use super::super::surface_tree::NEARBY;
use super::{NONE, Pair, Strayed, SurfaceContacts, round_up};
use crate::body::Friction;
use crate::cloth::Part;
use crate::cloth::Particles;
use crate::cloth::pin::Pin;

/// Rate at which features that are too close are let apart: by this part of what is missing in a second.
const RECOVERY: f64 = 2.0;
/// And the acceleration with which they are pushed for that, in m/s²: it lifts a few layers, and does not fight with what
/// presses them together.
const GENTLE: f64 = 20.0;

/// How many pairs pushed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushes {
    /// Among cloth.
    pub among: usize,
    /// Of cloth and meshes.
    pub with_meshes: usize,
}

impl SurfaceContacts {
    /// Makes rows of the pairs that are too close, or nearly so. Hands that move give way to them as other particles do: they do not
    /// stretch cloth that is in their way beyond all bounds. Those that stay do not.
    pub fn prepare(&mut self, parts: &[Part], particles: &Particles, pins: &[Pin], h: f64) -> &mut [HalfSpaceRow<4>] {
        self.rows.clear();
        if !(self.vertex_face.is_empty() && self.edge_edge.is_empty()) {
            self.stray(particles, h);
            self.mobility.clone_from(&particles.inverse_mass);
            for pin in pins.iter().filter(|pin| pin.moves(particles.previous[pin.particle as usize])) {
                self.mobility[pin.particle as usize] = pin.inverse_mass;
            }
            for part in parts.iter().filter(|part| part.sleep.asleep) {
                self.mobility[part.surface.particles.clone()].fill(0.0);
            }
            let (strayed, of, mobility, rows) = (&self.strayed, &self.mesh_of, &self.mobility, &mut self.rows);
            add_rows::<VertexFace>(&self.vertex_face, strayed, particles, of, mobility, h, rows);
            add_rows::<EdgeEdge>(&self.edge_edge, strayed, particles, of, mobility, h, rows);
        }
        &mut self.rows
    }

    /// Notes what the rows did, now that they are solved.
    pub fn finish(&mut self, meshes: &mut [MeshVertices], particles: &mut Particles, h: f64) -> Pushes {
        let mut pushes = Pushes::default();
        for row in self.rows.iter().filter(|row| row.pressed > 0.0) {
            row.note_recovery(&mut particles.recovered);
            let mesh = row.particles.map(|p| self.mesh_of[p as usize]).into_iter().find(|k| *k != NONE);
            let noted = match mesh {
                None => {
                    pushes.among += 1;
                    &mut self.pushed
                }
                Some(index) => {
                    pushes.with_meshes += 1;
                    let push = row.unit * row.pressed + row.grip;
                    let [impulse, moment] = &mut meshes[index as usize].impulse;
                    for (p, share) in row.particles.into_iter().zip(row.shares) {
                        let mobility = self.mobility[p as usize];
                        if mobility > 0.0 {
                            let back = push * (-share / (mobility * h));
                            *impulse += back;
                            *moment += particles.position[p as usize].cross(back);
                        }
                    }
                    if !meshes[index as usize].has_moved() {
                        continue;
                    }
                    &mut self.driven
                }
            };
            for p in row.particles {
                noted[p as usize] = true;
            }
        }
        pushes
    }
}

/// Whether one of two features is an mesh's.
fn is_of_mesh(pair: &Pair, mesh_of: &[u32]) -> bool {
    let [first, .., last] = pair.particles;
    mesh_of[first as usize] != NONE || mesh_of[last as usize] != NONE
}

/// Adds a row for each listed pair that is within its separation or a little more, whenever it was listed.
fn add_rows<F: Features>(
    pairs: &[Pair],
    strayed: &Strayed,
    particles: &Particles,
    mesh_of: &[u32],
    mobility: &[f64],
    h: f64,
    rows: &mut Vec<HalfSpaceRow<4>>,
) {
    let near = pairs.iter().filter(|pair| {
        let nearby = round_up(NEARBY * f64::from(pair.separation));
        pair.may_be_within::<F>(nearby, strayed)
    });
    rows.extend(near.filter_map(|pair| row::<F>(pair, particles, mesh_of, mobility, h)));
}

fn sign(height: f64) -> f64 {
    if height >= 0.0 { 1.0 } else { -1.0 }
}

/// A push that holds two features apart: along a unit normal, with weights of their points.
struct Push {
    unit: DVec3,
    weights: [f64; 4],
}

/// How to hold two features apart, if they are near; what they already missed before comes back by a part of it.
fn row<F: Features>(
    pair: &Pair,
    particles: &Particles,
    mesh_of: &[u32],
    mobility: &[f64],
    h: f64,
) -> Option<HalfSpaceRow<4>> {
    let Particles { position, previous, .. } = particles;
    let own = pair.particles.map(|p| p as usize);
    let points = own.map(|p| position[p]);
    let normal = F::normal(&points);
    let height = F::between(&points).dot(normal);
    let separation = f64::from(pair.separation);
    let before = own.map(|p| previous[p]);
    let normal_before = F::normal(&before);
    let was = sign(F::between(&before).dot(normal_before));
    if sign(height) == was && height * height > (NEARBY * separation).powi(2) * normal.length_squared() {
        return None;
    }
    let Push { unit, weights } = judge::<F>(&before, &points, normal_before * was, normal * was)?;
    let anchor = combine(&before, weights);
    // The height of the same two points before the substep: it bounds what may be asked for now.
    let held = separation.min(anchor.dot(unit));
    let weight: f64 = own.iter().zip(weights).map(|(&p, w)| mobility[p] * w * w).sum();
    if weight <= 0.0 {
        return None;
    }
    let mut shares = weights;
    for (share, p) in shares.iter_mut().zip(own) {
        *share *= mobility[p] / weight;
    }
    let [fixed, sliding] = pair.friction.map(f64::from);
    let missing = separation - held;
    let gentle = if is_of_mesh(pair, mesh_of) { f64::INFINITY } else { GENTLE * h * h };
    Some(HalfSpaceRow {
        particles: pair.particles,
        weights,
        shares,
        unit,
        held,
        freed: missing * RECOVERY * h,
        gentle,
        anchor,
        friction: Friction { fixed, sliding },
        pressed: 0.0,
        grip: DVec3::ZERO,
    })
}

fn combine(points: &[DVec3; 4], weights: [f64; 4]) -> DVec3 {
    points[0] * weights[0] + points[1] * weights[1] + points[2] * weights[2] + points[3] * weights[3]
}

/// How to push features to the side on which they were, by normals that point to that side; `None` when they pass beside
/// each other.
fn judge<F: Features>(before: &[DVec3; 4], points: &[DVec3; 4], was: DVec3, now: DVec3) -> Option<Push> {
    if F::between(points).dot(now) >= 0.0 {
        let unit = now.try_normalize()?;
        return F::crossing(points, now).map(|weights| Push { unit, weights });
    }
    let time = F::meet(before, points)?;
    let meeting: [DVec3; 4] = std::array::from_fn(|i| before[i].lerp(points[i], time));
    let weights = F::crossing(before, was).or_else(|| F::crossing(&meeting, F::normal(&meeting)))?;
    Some(Push { unit: was.try_normalize()?, weights })
}
