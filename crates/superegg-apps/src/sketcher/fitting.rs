//! A hitbox from a mesh: the superovoid that fits what of the meshes is nearer to a bone than to any other.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use superegg_fit::{Options, Target, fit};
use superegg_world::collision_mesh::CollisionMesh;

use super::drawing::{Drawn, add_hitbox};
use super::limits::{EXPONENTS, RADII, TAPER};
use super::messages::{Backdrop, Creature, Hitbox, Reply};
use super::tree::{index_of, segments};
use crate::session::{Slice, Step, Task};
use crate::wire::{ErrorKind, Refusal};

/// Points that are fitted at most: more make no difference that is seen.
const MOST_POINTS: usize = 3000;
/// Fewest points that tell a shape.
const FEWEST_POINTS: usize = 12;

/// Where a place of a mesh is at rest.
pub fn placed(mesh: &Backdrop, at: DVec3) -> DVec3 {
    let turn = DQuat::from_array(mesh.orientation).normalize();
    turn * (at * DVec3::from_array(mesh.scale)) + DVec3::from_array(mesh.position)
}

/// A fit on its way.
pub struct Fitting {
    pub creature: Creature,
    pub meshes: Vec<(Backdrop, Arc<CollisionMesh>)>,
    pub bone: u32,
    pub hitbox: Option<u32>,
}

impl Task<Reply> for Fitting {
    fn step(&mut self, _slice: &Slice) -> Result<Step<Reply>, Refusal> {
        let Drawn { creature, hitboxes, hint } = self.fitted()?;
        Ok(Step::Done(Reply::Drawn { creature, hitboxes, hint }, vec![]))
    }
}

impl Fitting {
    fn fitted(&self) -> Result<Drawn, Refusal> {
        let nothing = |hint: &str| Ok(Drawn { creature: None, hitboxes: vec![], hint: Some(hint.to_owned()) });
        let points = self.points();
        if points.len() < FEWEST_POINTS {
            return nothing("There is no mesh around this bone. Open one (File, Open a mesh) or choose another bone.");
        }
        let wrong = |error: superegg_fit::FitError| {
            Refusal::whole(ErrorKind::Unsupported, format!("the mesh cannot be fitted: {error}"))
        };
        let target = Target::from_points(points).map_err(wrong)?;
        let part = fit(&target, &Options::default()).map_err(wrong)?.part;
        let mut creature = self.creature.clone();
        let within = |values: [f64; 2], [low, high]: [f64; 2]| values.map(|value| value.clamp(low, high));
        let fitted = Hitbox {
            id: 0,
            bone: self.bone,
            position: part.pose.translation.to_array(),
            orientation: part.pose.rotation.normalize().to_array(),
            radii: part.shape.radii().map(|radius| radius.clamp(RADII[0], RADII[1])),
            exponents: within(part.shape.exponents(), EXPONENTS),
            taper: within(part.shape.taper(), [-TAPER, TAPER]),
        };
        let known = creature.hitboxes.iter_mut().find(|hitbox| Some(hitbox.id) == self.hitbox);
        let id = match known {
            Some(hitbox) => {
                *hitbox = Hitbox { id: hitbox.id, ..fitted };
                hitbox.id
            }
            None => add_hitbox(&mut creature, fitted),
        };
        Ok(Drawn { creature: Some(creature), hitboxes: vec![id], hint: None })
    }

    /// Vertices that are nearer to the bone than to any other, or on a mesh that is its own.
    fn points(&self) -> Vec<DVec3> {
        let ends = segments(&self.creature);
        let Some(own) = index_of(&self.creature, self.bone) else { return vec![] };
        let nearest = |at: DVec3| {
            let far = |[a, b]: &[DVec3; 2]| {
                let part = ((at - *a).dot(*b - *a) / (*b - *a).length_squared()).clamp(0.0, 1.0);
                a.lerp(*b, part).distance_squared(at)
            };
            (0..ends.len()).min_by(|&i, &j| far(&ends[i]).total_cmp(&far(&ends[j])))
        };
        let mut found = vec![];
        for (described, mesh) in &self.meshes {
            let vertices = mesh.positions().iter().map(|at| placed(described, *at));
            match described.bone {
                Some(bone) if bone == self.bone => found.extend(vertices),
                Some(_) => {}
                None => found.extend(vertices.filter(|at| nearest(*at) == Some(own))),
            }
        }
        let step = found.len().div_ceil(MOST_POINTS).max(1);
        found.into_iter().step_by(step).collect()
    }
}
