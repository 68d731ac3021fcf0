//! Multibody Sketcher as a session: it is live while the creature moves by itself.
//!
//! What is drawn is asked for: the answer is the creature after it, which the client takes over as an edit that can be undone. Control 0 pulls
//! the bone `object` from a place (press) to another (moves); control 1 twists what is held, about a direction by its length in radians.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;

use super::articulation::presets;
use super::clip::{duration, stance_at};
use super::contacts::Contacts;
use super::drawing::{Drawn, bones, hitbox, remove, split};
use super::export::Exporting;
use super::fitting::{Fitting, placed};
use super::gallery::{empty, gallery};
use super::import::import;
use super::limits::{
    EXPONENTS, FARTHEST, LONGEST, MOST_BONES, MOST_HITBOXES, MOST_KEYS, RADII, TAPER, check, check_stance,
};
use super::messages::{Ask, Backdrop, Contact, Creature, Edit, Event, Facts, Place, Reply, Show, State};
use super::physics::Physics;
use super::posing::{follow, reach, require_bone};
use super::robot::{Rig, Root};
use super::tree::index_of;
use crate::app::{App, Open, Outgoing};
use crate::files::Files;
use crate::scene::tessellate;
use crate::session::{Asked, Context, Pace, Slice, Work};
use crate::wire::geometry::{self, FrameKind};
use crate::wire::state_frame::Block;
use crate::wire::{Control, Phase, Refusal};

/// Seconds of a step.
const DT: f64 = 1.0 / 60.0;
/// Objects of frames: the bones, what is close, and how far a clip has come.
const BONES: u32 = 1;
const CLOSE: u32 = 2;
const CLOCK: u32 = 3;
/// Places told of at most, in a frame.
const MOST_TOLD: usize = 60;

/// What moves by itself.
enum Motion {
    None,
    Playing(f64),
    Physics(Box<Physics>),
}

/// One client's creature.
pub struct Sketcher {
    creature: Creature,
    show: Show,
    motion: Motion,
    /// What follows from the creature; made anew when it is due.
    rig: Option<Rig>,
    contacts: Option<Contacts>,
    /// Where bones are, and which are close.
    places: Vec<Pose>,
    close: Vec<Contact>,
    meshes: Vec<(Backdrop, Arc<CollisionMesh>)>,
    /// Meshes that were not sent yet.
    unsent: Vec<usize>,
    due: bool,
    told: bool,
    halted: Option<String>,
    revision: u32,
}

impl Sketcher {
    /// Where bones are, moved from rest; for tests.
    pub fn places(&self) -> &[Pose] {
        &self.places
    }

    /// Angles of the joints while it is a body among others, each with its limits; for tests.
    pub fn angles(&self) -> Vec<(f64, [f64; 2])> {
        if let Motion::Physics(physics) = &self.motion { physics.angles() } else { vec![] }
    }

    fn take(&mut self, next: Creature, files: &Files) -> Result<(), Refusal> {
        check(&next)?;
        let same = |mesh: &Backdrop, (known, _): &(Backdrop, Arc<CollisionMesh>)| mesh == known;
        if !(next.meshes.len() == self.meshes.len() && next.meshes.iter().zip(&self.meshes).all(|(a, b)| same(a, b))) {
            let held = |mesh: &Backdrop| Some((mesh.clone(), files.mesh(&mesh.file)?.clone()));
            let meshes: Vec<_> = next.meshes.iter().filter_map(held).collect();
            let is_new = |k: &usize| !self.meshes.iter().any(|known| same(&meshes[*k].0, known));
            self.unsent = (0..meshes.len()).filter(is_new).collect();
            self.meshes = meshes;
        }
        // A body among others is what it was when it became one: another comes to rest.
        let (old, new) = (&self.creature, &next);
        let is_other = old.joints != new.joints || old.bones != new.bones || old.hitboxes != new.hitboxes;
        if is_other && matches!(self.motion, Motion::Physics(_)) {
            (self.motion, self.show) = (Motion::None, Show::Rest {});
        }
        self.creature = next;
        (self.rig, self.contacts) = (None, None);
        self.due = true;
        Ok(())
    }

    fn rig(&mut self) -> Result<&Rig, Refusal> {
        if self.rig.is_none() {
            self.rig = Some(Rig::new(&self.creature, Root::Held)?);
        }
        self.rig.as_ref().ok_or_else(crate::wire::defect)
    }

    fn begin(&mut self, show: Show) -> Result<(), Refusal> {
        self.motion = match show {
            Show::Rest {} | Show::Posed {} => Motion::None,
            Show::Playing { from } => Motion::Playing(from.clamp(0.0, LONGEST)),
            Show::Physics { hang } => Motion::Physics(Box::new(Physics::new(&self.creature, hang)?)),
        };
        (self.show, self.due) = (show, true);
        Ok(())
    }

    /// Works out where everything is, and what is close.
    fn refresh(&mut self) -> Result<(), Refusal> {
        let stance = match (&self.show, &self.motion) {
            (Show::Posed {}, _) => Some(self.creature.stance.clone()),
            (_, Motion::Playing(time)) => stance_at(&self.creature.keys, *time),
            _ => None,
        };
        self.places = match (&self.motion, stance) {
            (Motion::Physics(physics), _) => physics.places(),
            (_, Some(stance)) => {
                let rig = self.rig()?;
                let (configuration, base) = rig.configuration(&stance);
                rig.places(&configuration, &base)
            }
            (_, None) => vec![Pose::IDENTITY; self.creature.bones.len()],
        };
        let contacts = self.contacts.get_or_insert_with(|| Contacts::new(&self.creature));
        self.close = contacts.find(&self.places, MOST_TOLD);
        Ok(())
    }

    fn drawn(&self, Drawn { creature, hitboxes, hint }: Drawn) -> Result<Asked<Reply>, Refusal> {
        if let Some(creature) = &creature {
            check(creature)?;
        }
        Ok(Asked::Now(Reply::Drawn { creature, hitboxes, hint }))
    }

    fn state(&self) -> State {
        let place = |(bone, pose): (&super::messages::Bone, &Pose)| Place {
            bone: bone.id,
            position: pose.translation.to_array(),
            orientation: pose.rotation.to_array(),
        };
        let still = matches!(self.motion, Motion::None);
        State {
            show: self.show,
            places: if still { self.creature.bones.iter().zip(&self.places).map(place).collect() } else { vec![] },
            contacts: self.close.clone(),
            halted: self.halted.clone(),
        }
    }

    fn send_meshes(&mut self, out: &mut Outgoing<Sketcher>) {
        for index in std::mem::take(&mut self.unsent) {
            let Some((described, mesh)) = self.meshes.get(index) else { continue };
            let mut drawn = tessellate::of(&Geometry::Mesh(mesh.clone()), 0);
            let turn = DQuat::from_array(described.orientation).normalize();
            drawn.vertices.iter_mut().for_each(|at| *at = placed(described, *at));
            drawn.normals.iter_mut().for_each(|normal| *normal = turn * *normal);
            let mut bytes = vec![];
            geometry::write(FrameKind::Body { id: described.id, revision: self.revision }, &drawn, &mut bytes);
            out.geometry.push(bytes);
        }
    }
}

/// What an edit changes, by ids.
fn replace<T: Clone>(list: &mut Vec<T>, changed: Vec<T>, id: impl Fn(&T) -> u32) {
    for new in changed {
        match list.iter_mut().find(|old| id(old) == id(&new)) {
            Some(old) => *old = new,
            None => list.push(new),
        }
    }
}

impl App for Sketcher {
    const NAME: &'static str = "multibody-sketcher";
    const VERSION: u32 = 1;
    type Facts = Facts;
    type Document = Creature;
    type State = State;
    type Answer = Reply;
    type Event = Event;
    type Edit = Edit;
    type Ask = Ask;

    fn open(_open: &Open) -> (Sketcher, Facts) {
        let session = Sketcher {
            creature: empty("Untitled"),
            show: Show::Rest {},
            motion: Motion::None,
            rig: None,
            contacts: None,
            places: vec![],
            close: vec![],
            meshes: vec![],
            unsent: vec![],
            due: false,
            told: true,
            halted: None,
            revision: 0,
        };
        let facts = Facts {
            gallery: gallery(),
            presets: presets(),
            most_bones: MOST_BONES as u32,
            most_hitboxes: MOST_HITBOXES as u32,
            most_keys: MOST_KEYS as u32,
            longest: LONGEST,
            radii: RADII,
            exponents: EXPONENTS,
            taper: TAPER,
            farthest: FARTHEST,
        };
        (session, facts)
    }

    fn edit(&mut self, edit: Edit, context: &Context) -> Result<(), Refusal> {
        match edit {
            Edit::Open { creature } => {
                self.take(creature, context.files).map_err(|refusal| refusal.within("open.creature"))?
            }
            Edit::Change { name, joints, bones, hitboxes, removed, meshes, stance, keys, mirror } => {
                let mut next = self.creature.clone();
                replace(&mut next.joints, joints, |joint| joint.id);
                replace(&mut next.bones, bones, |bone| bone.id);
                next.hitboxes.retain(|hitbox| !removed.contains(&hitbox.id));
                replace(&mut next.hitboxes, hitboxes, |hitbox| hitbox.id);
                next.name = name.unwrap_or(next.name);
                next.meshes = meshes.unwrap_or(next.meshes);
                next.stance = stance.unwrap_or(next.stance);
                next.keys = keys.unwrap_or(next.keys);
                next.mirror = mirror.unwrap_or(next.mirror);
                self.take(next, context.files).map_err(|refusal| refusal.within("change"))?;
            }
            Edit::Show { show } => self.begin(show)?,
        }
        self.halted = None;
        self.revision = context.number;
        Ok(())
    }

    fn ask(&mut self, ask: Ask, _context: &Context) -> Result<Asked<Reply>, Refusal> {
        match ask {
            Ask::Creature {} => Ok(Asked::Now(Reply::Creature(self.creature.clone()))),
            Ask::Bones { stroke } => self.drawn(bones(&self.creature, &stroke)?),
            Ask::Hitbox { stroke } => self.drawn(hitbox(&self.creature, &stroke)?),
            Ask::Split { bone, at } => self.drawn(split(&self.creature, bone, DVec3::from_array(at))?),
            Ask::Remove { joints, bones } => self.drawn(remove(&self.creature, &joints, &bones)),
            Ask::Reach { joint, to, stance } => {
                check_stance("reach.stance", &stance)?;
                self.rig()?;
                let rig = self.rig.as_ref().ok_or_else(crate::wire::defect)?;
                let stance = reach(&self.creature, rig, &stance, joint, DVec3::from_array(to))?;
                Ok(Asked::Now(Reply::Stance { stance, hint: None }))
            }
            Ask::Follow { stroke, stance } => {
                check_stance("follow.stance", &stance)?;
                self.rig()?;
                let rig = self.rig.as_ref().ok_or_else(crate::wire::defect)?;
                let (stance, hint) = follow(&self.creature, rig, &stance, &stroke)?;
                Ok(Asked::Now(Reply::Stance { stance, hint }))
            }
            Ask::At { time } => {
                let stance = stance_at(&self.creature.keys, time.clamp(0.0, LONGEST));
                Ok(Asked::Now(Reply::Stance {
                    stance: stance.unwrap_or_else(|| self.creature.stance.clone()),
                    hint: None,
                }))
            }
            Ask::Fit { bone, hitbox } => {
                require_bone(&self.creature, "fit.bone", bone)?;
                let task = Fitting { creature: self.creature.clone(), meshes: self.meshes.clone(), bone, hitbox };
                Ok(Asked::Later { slot: "fit", task: Box::new(task) })
            }
            Ask::Import { text } => {
                let (creature, notes) = import(&text)?;
                check(&creature)?;
                Ok(Asked::Now(Reply::Imported { creature, notes }))
            }
            Ask::Export { format } => Ok(Asked::Later {
                slot: "export",
                task: Box::new(Exporting { creature: self.creature.clone(), format }),
            }),
        }
    }

    fn input(&mut self, controls: &[Control]) {
        let Motion::Physics(physics) = &mut self.motion else { return };
        for control in controls {
            let [x, y, z, ..] = control.values.map(f64::from);
            let at = DVec3::new(x, y, z);
            match (control.control, control.phase) {
                (0, Phase::Press) => {
                    if let Some(bone) = index_of(&self.creature, control.object) {
                        physics.grab(bone, at);
                    }
                }
                (0, Phase::Move) => physics.pull(at),
                (0, Phase::Release | Phase::Cancel) => physics.release(),
                (1, Phase::Press | Phase::Move) => physics.twist(at),
                (1, Phase::Release | Phase::Cancel) => physics.twist(DVec3::ZERO),
                _ => {}
            }
        }
    }

    fn pace(&self) -> Pace {
        match &self.motion {
            Motion::None => Pace::Idle,
            Motion::Playing(_) | Motion::Physics(_) => Pace::Live { dt: DT },
        }
    }

    fn advance(&mut self, dt: f64) {
        let end = duration(&self.creature.keys);
        match &mut self.motion {
            Motion::None => return,
            Motion::Playing(time) => {
                *time = if *time + dt > end { 0.0 } else { *time + dt };
            }
            Motion::Physics(physics) => {
                if let Err(error) = physics.advance(dt) {
                    self.halted = Some(format!("Physics was left: {error}"));
                    (self.motion, self.show, self.told) = (Motion::None, Show::Rest {}, false);
                }
            }
        }
        if let Err(refusal) = self.refresh() {
            self.halted = Some(refusal.message);
        }
    }

    fn work(&mut self, _slice: &Slice) -> Work {
        if std::mem::take(&mut self.due) {
            if let Err(refusal) = self.refresh() {
                self.halted = Some(refusal.message);
            }
            self.told = false;
        }
        Work::Done
    }

    fn frame(&mut self, out: &mut Outgoing<Sketcher>) {
        self.send_meshes(out);
        if !std::mem::replace(&mut self.told, true) {
            out.state = Some((self.revision, self.state()));
        }
        if matches!(self.motion, Motion::None) {
            return;
        }
        let pose = |(bone, pose): (&super::messages::Bone, &Pose)| (bone.id, pose.translation, pose.rotation);
        let poses: Vec<(u32, DVec3, DQuat)> = self.creature.bones.iter().zip(&self.places).map(pose).collect();
        let numbers: Vec<f64> = self
            .close
            .iter()
            .flat_map(|contact| {
                let [a, b] = contact.bones.map(f64::from);
                [a, b, contact.distance].into_iter().chain(contact.points.into_iter().flatten())
            })
            .collect();
        let clock = if let Motion::Playing(time) = self.motion { time } else { 0.0 };
        out.blocks =
            Some(vec![Block::poses(BONES, &poses), Block::scalars(CLOSE, &numbers), Block::scalars(CLOCK, &[clock])]);
    }

    fn document(&self) -> Creature {
        self.creature.clone()
    }
}
