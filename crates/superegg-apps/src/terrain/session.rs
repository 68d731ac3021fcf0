//! Terrain Cloth as a live session.
//!
//! Control 0 moves the body `object` over the table; control 1 takes hold of the triangle `object` of the cloth (a place in the
//! world, and the weights of its second and third corner) and pulls it; control 2 is the walker's stick and look (to the right,
//! ahead, yaw, pitch, distance of the camera); control 3 makes it jump.
//!
//! A document has a moment. When an edit leads to another moment, how the cloth lies is kept for the old one; when it leads back to a
//! moment that is kept, the cloth is laid as it was. So undo needs nothing else: documents go back, and the folds with them.

use std::collections::VecDeque;

use superegg::{DQuat, DVec2, DVec3};
use superegg_sim::SimError;

use super::drape;
use super::export::{Exporting, Surface};
use super::gallery::gallery;
use super::limits::{EXPONENTS, FRICTION, MOST_HILLS, MOST_PINS, RADII, SIDES, THICKNESS, WIND, check};
use super::messages::{Ask, Edit, Event, Facts, Landscape, Reply, State};
use super::simulation::{BOX, FARTHEST, Kept, Lay, REACH, Simulation, resampled};
use super::walker::{HEIGHT, Intent, SCALE, Walker};
use crate::app::{App, Open, Outgoing};
use crate::session::{Asked, Context, Pace};
use crate::wire::geometry::{self, FrameKind, Mesh};
use crate::wire::state_frame::Block;
use crate::wire::{Control, ErrorKind, Phase, Refusal};

/// What is wrong with a drape that cannot be read.
const DRAPE: &str = "this does not tell where the vertices of a cloth are, as many along each side, in base 64";
/// Seconds of a step.
const DT: f64 = 1.0 / 60.0;
/// Bytes of all moments that are kept.
const MOST_KEPT: usize = 24 << 20;
/// Steps after which the cloth is kept as one to come back to if the next ones fail.
const SOUND: u32 = 60;
/// Objects of frames and geometry: the cloth, the bodies (poses, and numbers: id, radii, exponents), the walker and its camera.
const CLOTH: u32 = 1;
const HILLS: u32 = 2;
const WALKER: u32 = 3;
const CAMERA: u32 = 4;

/// One client's landscape.
pub struct TerrainCloth {
    landscape: Landscape,
    simulation: Option<Simulation>,
    walker: Option<Walker>,
    /// How the cloth lay, the oldest first.
    moments: VecDeque<(u32, Kept)>,
    /// The last state that was sound, and steps since.
    sound: Option<Kept>,
    steps: u32,
    halted: Option<String>,
    revision: u32,
    told: Option<State>,
    /// The topology was not sent yet.
    fresh: bool,
}

impl TerrainCloth {
    /// The largest depth of a triangle of the cloth in a body or the table, in metres, by certified distances.
    pub fn penetration(&self) -> Result<f64, SimError> {
        self.simulation.as_ref().map_or(Ok(0.0), Simulation::penetration)
    }

    /// How many pairs of an edge and a triangle of the cloth go through each other.
    pub fn self_intersections(&self) -> usize {
        self.simulation.as_ref().map_or(0, Simulation::self_intersections)
    }

    /// Where the middles of the bodies are, by their numbers.
    pub fn bodies(&self) -> Vec<(u32, DVec3)> {
        self.simulation.iter().flat_map(Simulation::actual).map(|(id, actual)| (id, actual.center)).collect()
    }

    /// Where the cloth's vertices are.
    pub fn positions(&self) -> &[DVec3] {
        self.simulation.as_ref().map_or(&[], Simulation::positions)
    }

    /// Whether nothing moves.
    pub fn rests(&self) -> bool {
        self.walker.is_none()
            && self.simulation.as_ref().is_none_or(|simulation| self.landscape.settings.frozen || simulation.rests())
    }

    /// Where the walker's feet are, whether it stands, and whether it and its camera are above the ground.
    pub fn walking(&self) -> Option<(DVec3, bool, bool)> {
        self.walker
            .as_ref()
            .map(|walker| (walker.feet(), walker.is_standing(), walker.is_above_ground() && walker.camera_is_clear()))
    }

    fn state(&self) -> State {
        State { resting: self.rests(), walking: self.walker.is_some(), halted: self.halted.clone() }
    }

    fn open_landscape(&mut self, landscape: Landscape, drape: Option<&str>) -> Result<(), Refusal> {
        check(&landscape).map_err(|refusal| refusal.within("open.landscape"))?;
        let side = landscape.settings.side;
        let lay = match drape {
            None => Lay::Dropped,
            // Links carry a coarser cloth than the landscape's may be.
            Some(text) => match drape::read(text) {
                Some((of, places)) => Lay::At(resampled(&places, of, side)),
                None => return Err(Refusal::at("open.drape", DRAPE.to_owned())),
            },
        };
        let made = Simulation::new(&landscape, lay).map_err(|error| defect(&error))?;
        (self.simulation, self.walker, self.landscape) = (Some(made), None, landscape);
        self.moments.clear();
        (self.sound, self.fresh) = (None, true);
        Ok(())
    }

    fn change(&mut self, next: Landscape) -> Result<(), Refusal> {
        check(&next).map_err(|refusal| refusal.within("change"))?;
        let Some(simulation) = &mut self.simulation else {
            return Err(Refusal::whole(ErrorKind::InvalidInput, "there is no landscape yet: open one first"));
        };
        let leaves = next.moment != self.landscape.moment;
        let known = if leaves {
            self.moments.iter().find(|(moment, _)| *moment == next.moment).map(|(_, kept)| kept.clone())
        } else {
            None
        };
        if leaves {
            let (moment, kept) = (self.landscape.moment, simulation.kept());
            self.moments.retain(|(other, _)| *other != moment);
            self.moments.push_back((moment, kept));
            while self.moments.len() > 1 && self.moments.iter().map(|(_, kept)| kept.size()).sum::<usize>() > MOST_KEPT
            {
                self.moments.pop_front();
            }
        }
        let lay = known.as_ref().map_or(Lay::On, Lay::As);
        simulation.follow(&next, lay).map_err(|error| defect(&error))?;
        self.fresh |= next.settings.side != self.landscape.settings.side;
        self.landscape = next;
        Ok(())
    }
}

fn defect(error: &SimError) -> Refusal {
    Refusal::whole(ErrorKind::InvalidInput, format!("this cannot be simulated: {error}"))
}

impl App for TerrainCloth {
    const NAME: &'static str = "terrain-cloth";
    const VERSION: u32 = 1;
    type Facts = Facts;
    type Document = Landscape;
    type State = State;
    type Answer = Reply;
    type Event = Event;
    type Edit = Edit;
    type Ask = Ask;

    fn open(_open: &Open) -> (TerrainCloth, Facts) {
        let gallery = gallery();
        let landscape = gallery[0].clone();
        let session = TerrainCloth {
            landscape,
            simulation: None,
            walker: None,
            moments: VecDeque::new(),
            sound: None,
            steps: 0,
            halted: None,
            revision: 0,
            told: None,
            fresh: false,
        };
        let facts = Facts {
            gallery,
            reach: REACH,
            farthest: FARTHEST,
            most_hills: MOST_HILLS as u32,
            most_pins: MOST_PINS as u32,
            radii: RADII,
            exponents: EXPONENTS,
            sides: SIDES,
            friction: FRICTION,
            thickness: THICKNESS,
            wind: WIND,
            r#box: BOX.map(|corner| corner.to_array()),
            walker: HEIGHT / SCALE,
        };
        (session, facts)
    }

    fn edit(&mut self, edit: Edit, context: &Context) -> Result<(), Refusal> {
        match edit {
            Edit::Open { landscape, drape } => self.open_landscape(landscape, drape.as_deref())?,
            Edit::Change { moment, name, hills, removed, settings } => {
                let mut next = Landscape { moment, ..self.landscape.clone() };
                next.name = name.unwrap_or(next.name);
                next.settings = settings.unwrap_or(next.settings);
                next.hills.retain(|hill| !removed.contains(&hill.id));
                for hill in hills {
                    match next.hills.iter_mut().find(|other| other.id == hill.id) {
                        Some(other) => *other = hill,
                        None => next.hills.push(hill),
                    }
                }
                self.change(next)?;
            }
            Edit::Walk { walking } => {
                if let Some(simulation) = &mut self.simulation {
                    simulation.release();
                    self.walker = walking.then(|| Walker::new(simulation.positions(), simulation.triangles()));
                }
            }
        }
        self.halted = None;
        // Told even when nothing changed: it answers the edit.
        self.told = None;
        self.revision = context.number;
        Ok(())
    }

    fn ask(&mut self, ask: Ask, _context: &Context) -> Result<Asked<Reply>, Refusal> {
        match ask {
            Ask::Landscape {} => Ok(Asked::Now(Reply::Landscape(self.landscape.clone()))),
            Ask::Export { format } => {
                let Some(simulation) = &self.simulation else {
                    return Err(Refusal::whole(ErrorKind::InvalidInput, "there is no landscape yet: open one first"));
                };
                let (positions, triangles) = (simulation.positions().to_vec(), simulation.triangles().to_vec());
                let surface = Surface { positions, triangles, side: self.landscape.settings.side as usize };
                let task = Exporting::new(&self.landscape.name, surface, format);
                Ok(Asked::Later { slot: "export", task: Box::new(task) })
            }
        }
    }

    fn input(&mut self, controls: &[Control]) {
        for control in controls {
            let values = control.values.map(f64::from);
            let [x, y, z, u, v, _] = values;
            match (control.control, control.phase, &mut self.walker, &mut self.simulation) {
                (2, _, Some(walker), _) => {
                    let intent =
                        Intent { stick: DVec2::new(x, y), yaw: z, pitch: u, behind: v, jump: walker.intent.jump };
                    walker.intent = intent.clamped();
                }
                (3, Phase::Press, Some(walker), _) => walker.intent.jump = true,
                (0, Phase::Press | Phase::Move | Phase::Release, None, Some(simulation)) => {
                    simulation.aim(control.object, [x, y])
                }
                (1, Phase::Press, None, Some(simulation)) => simulation.grab(control.object, [u, v]),
                (1, Phase::Move, None, Some(simulation)) => simulation.pull(DVec3::new(x, y, z)),
                (1, Phase::Release | Phase::Cancel, _, Some(simulation)) => simulation.release(),
                _ => {}
            }
        }
    }

    fn pace(&self) -> Pace {
        if self.rests() { Pace::Idle } else { Pace::Live { dt: DT } }
    }

    fn advance(&mut self, dt: f64) {
        if let Some(walker) = &mut self.walker {
            walker.advance(dt);
            return;
        }
        let Some(simulation) = &mut self.simulation else { return };
        match simulation.advance(dt) {
            Ok(()) => {
                self.steps += 1;
                if self.steps.is_multiple_of(SOUND)
                    && simulation.positions().iter().all(|at| at.abs().max_element() < 4.0)
                {
                    self.sound = Some(simulation.kept());
                }
            }
            Err(error) => {
                let lay = self.sound.as_ref().map_or(Lay::Dropped, Lay::As);
                self.halted = Some(format!("The cloth was laid back to where it was: {error}"));
                self.simulation = Simulation::new(&self.landscape, lay).ok();
                self.fresh = true;
            }
        }
    }

    fn frame(&mut self, out: &mut Outgoing<TerrainCloth>) {
        let Some(simulation) = &self.simulation else { return };
        if std::mem::take(&mut self.fresh) {
            let vertices = simulation.positions().to_vec();
            let normals = vec![DVec3::Z; vertices.len()];
            let mesh = Mesh { vertices, normals, triangles: simulation.triangles().to_vec() };
            let mut bytes = vec![];
            geometry::write(FrameKind::Body { id: CLOTH, revision: self.revision }, &mesh, &mut bytes);
            out.geometry.push(bytes);
        }
        let state = self.state();
        if self.told.as_ref() != Some(&state) {
            out.state = Some((self.revision, state.clone()));
            self.told = Some(state);
        }
        if let Some(walker) = &self.walker {
            let pose = (WALKER, walker.feet(), DQuat::from_rotation_z(walker.facing));
            let [camera, target] = walker.camera();
            let mut numbers = [camera.to_array(), target.to_array()].concat();
            numbers.extend([f64::from(u8::from(walker.is_standing())), walker.pace()]);
            out.blocks = Some(vec![Block::poses(WALKER, &[pose]), Block::scalars(CAMERA, &numbers)]);
            return;
        }
        let poses: Vec<(u32, DVec3, DQuat)> =
            simulation.actual().map(|(id, actual)| (id, actual.center, actual.pose().rotation)).collect();
        let numbers: Vec<f64> = simulation
            .actual()
            .flat_map(|(id, actual)| [f64::from(id)].into_iter().chain(actual.radii).chain(actual.exponents))
            .collect();
        out.blocks = Some(vec![
            Block::positions(CLOTH, simulation.positions(), simulation.shortest()),
            Block::poses(HILLS, &poses),
            Block::scalars(HILLS, &numbers),
        ]);
    }

    fn document(&self) -> Landscape {
        self.landscape.clone()
    }
}
