//! The world: everything that is simulated together, by handles.

mod bodies;
mod cloths;
mod joints;
mod pick;
mod snapshot;

use glam::DVec3;

use crate::SimError;
use crate::body::Collider;
use crate::cloth::Wind;
use crate::handle::{
    BodyKind, ClothKind, ColliderId, ColliderKind, DragKind, JointKindOf, PinKind, Slots, SoftKind, Stamp,
};
use crate::solver::bodies::Bodies;
use crate::solver::options::{Report, StepOptions};
use crate::solver::step::{Surroundings, step};
use crate::solver::surfaces::Surfaces;

pub use bodies::BodyRef;
pub use cloths::Flexible;
pub use pick::{Hit, Place};
pub use snapshot::Snapshot;

/// Bodies, joints, cloth and soft solids that meet each other.
///
/// Everything that is added is named by a handle, and can be changed, asked and removed at any time between steps. A handle of
/// something that was removed, or of another world, is refused by a typed error.
///
/// ```
/// use superegg::shape::{Plane, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// use superegg_sim::{Body, Cloth, Fabric, StepOptions, World};
/// let mut world = World::new();
/// world.add_body(Body::fixed(Plane::new(DVec3::Z, 0.0)?, Pose::IDENTITY))?;
/// let egg = Superellipsoid::new([0.3, 0.3, 0.4], [1.0, 0.8])?;
/// let egg = world.add_body(Body::dynamic(egg, Pose::from_translation(DVec3::Z), 1000.0))?;
/// let sheet = Cloth::grid([9, 9], [2.0, 2.0], DVec3::new(-1.0, -1.0, 2.0))?;
/// let cloth = world.add_cloth(&sheet, &Fabric::default())?;
/// for _ in 0..120 {
///     world.step(1.0 / 60.0, &StepOptions { substeps: 8, ..StepOptions::default() })?;
/// }
/// // The egg stands on its end, and the cloth lies on it.
/// let height = world.body(egg)?.center().z;
/// assert!((height - 0.4).abs() < 0.005, "{height}");
/// assert!((world.cloth_positions(cloth)?[40].z - 0.8).abs() < 0.03);
/// world.remove_body(egg)?;
/// assert!(world.body(egg).is_err());
/// # Ok::<(), superegg_sim::SimError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of everything that has mass, in m/s².
    pub gravity: DVec3,
    /// The air; `None` for a vacuum.
    pub wind: Option<Wind>,
    /// Simulated time, in seconds.
    pub time: f64,
    /// Whether what is still may fall asleep.
    pub sleeping: bool,
    stamp: Stamp,
    body_slots: Slots<BodyKind>,
    collider_slots: Slots<ColliderKind>,
    joint_slots: Slots<JointKindOf>,
    cloth_slots: Slots<ClothKind>,
    soft_slots: Slots<SoftKind>,
    pin_slots: Slots<PinKind>,
    drag_slots: Slots<DragKind>,
    /// Colliders by their slots, with their bodies and proxies.
    colliders: Vec<Option<ColliderEntry>>,
    bodies: Bodies,
    surfaces: Surfaces,
}

/// A collider in a world.
#[derive(Clone, Debug)]
struct ColliderEntry {
    body: u32,
    collider: Collider,
    proxies: Vec<u32>,
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The collider.
    pub collider: ColliderId,
    /// Which part of a compound it is; 0 otherwise.
    pub part: u32,
}

/// What two colliders did to each other in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactReport {
    /// One of them.
    pub a: Side,
    /// The other.
    pub b: Side,
    /// Where they touched.
    pub points: Vec<ContactPoint>,
}

/// A point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Where, in the world.
    pub point: DVec3,
    /// From a to b.
    pub normal: DVec3,
    /// Between the surfaces along the normal at the end of the step; bodies at rest stay 2 mm apart.
    pub distance: f64,
    /// What a did to b in the whole step, in newton seconds.
    pub impulse: DVec3,
}

impl World {
    /// An empty world with the gravity of the Earth.
    pub fn new() -> World {
        World {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            wind: None,
            time: 0.0,
            sleeping: true,
            stamp: Stamp::new(),
            body_slots: Slots::default(),
            collider_slots: Slots::default(),
            joint_slots: Slots::default(),
            cloth_slots: Slots::default(),
            soft_slots: Slots::default(),
            pin_slots: Slots::default(),
            drag_slots: Slots::default(),
            colliders: Vec::new(),
            bodies: Bodies::default(),
            surfaces: Surfaces::default(),
        }
    }

    /// Advances the world by `dt` seconds, or as far as a budget of time allows.
    ///
    /// ```
    /// use superegg_sim::{StepOptions, World};
    /// let mut world = World::new();
    /// assert_eq!(world.step(0.01, &StepOptions::default())?.advanced, 0.01);
    /// assert_eq!(world.time, 0.01);
    /// assert!(world.step(f64::NAN, &StepOptions::default()).is_err());
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn step(&mut self, dt: f64, options: &StepOptions) -> Result<Report, SimError> {
        let World { gravity, wind, time, sleeping, .. } = *self;
        let surroundings = Surroundings { gravity, wind, time, sleeping };
        let report = step(&mut self.bodies, &mut self.surfaces, &surroundings, dt, options)?;
        self.time += report.advanced;
        Ok(report)
    }

    /// What colliders did to each other in the last step, if that was made with [`StepOptions::contacts`].
    pub fn contacts(&self) -> Vec<ContactReport> {
        let mut reports: Vec<ContactReport> = Vec::new();
        let proxies = &self.bodies.pairs.proxies;
        let side = |number: u32| {
            let proxy = &proxies[number as usize];
            let collider = self.collider_slots.handle(proxy.collider as usize, &self.stamp)?;
            Some(Side { collider, part: proxy.part })
        };
        for (numbers, [point, normal, impulse], distance) in self.bodies.impulses.report(&self.bodies.list) {
            let (Some(a), Some(b)) = (side(numbers[0]), side(numbers[1])) else { continue };
            let point = ContactPoint { point, normal, distance, impulse };
            match reports.iter_mut().rev().find(|report| (report.a, report.b) == (a, b)) {
                Some(report) => report.points.push(point),
                None => reports.push(ContactReport { a, b, points: vec![point] }),
            }
        }
        reports
    }
}
