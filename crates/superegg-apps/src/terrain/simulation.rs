//! The simulation behind Terrain Cloth: the only place that knows how worlds are made and stepped.
//!
//! Bodies are kinematic. Each follows what a hand wants of it with a bounded speed, so that however fast the hand is, the cloth
//! is swept along and never passed through. A hand that pulls the cloth and a clothespin hold a vertex each, which goes to where it
//! is wanted with a bounded speed too, and yields to bodies.

use std::f64::consts::TAU;

use superegg::shape::{Plane, Superellipsoid};
use superegg::{DQuat, DVec2, DVec3, Pose};
use superegg_sim::{
    Bending, Body, BodyId, Cloth, ClothId, Collider, ColliderId, Fabric, Friction, PinId, RestLength, SimError,
    StepOptions, Wind, World, measure,
};

use super::messages::{Clothespin, FabricSettings, Hill, Landscape, Settings};

/// Half the edge of the table and of the cloth, in metres.
pub const REACH: f64 = 1.0;
/// The box in which the cloth is kept: its lowest corner and its size.
pub const BOX: [DVec3; 2] = [DVec3::new(-2.0, -2.0, -0.5), DVec3::splat(4.0)];
/// How far from the middle a body may be, in metres.
pub const FARTHEST: f64 = 1.3;
/// How fast bodies follow a hand over the table at most, and an edit, in metres a second.
const BY_HAND: f64 = 5.0;
const BY_EDIT: f64 = 0.9;
/// How fast their rims are while they turn, they themselves while they rise, and their surface while they grow, in metres a second;
/// their exponents, in units a second.
const TURNING: f64 = 0.9;
const RISING: f64 = 0.9;
const GROWING: f64 = 0.2;
const SHAPING: f64 = 0.5;
/// How fast a held vertex goes to its place, in metres a second.
const PIN_SPEED: f64 = 2.0;
/// How far to the side a hand pulls the cloth.
const PULLED: f64 = 1.6;
/// A body that the cloth holds up is farther than this from where it was to be, in metres, and gives up after so many steps of the world.
const HELD_UP: f64 = 1e-9;
const PATIENCE: u32 = 180;
/// Steps for which the cloth is ironed.
const IRONING: u32 = 90;
/// Most that folds of the cloth are kept apart, as a part of its shortest edge.
const FOLDED: f64 = 0.4;
/// Room between a body's top and a cloth that is about to fall on it, in metres.
const ABOVE: f64 = 0.08;
/// Steps of the world in one of the session, and pieces of each: bodies that push the cloth do so a little at a time.
const STEPS: u32 = 3;
const SUBSTEPS: u32 = 2;

/// Bodies, a cloth over them and what holds it.
pub struct Simulation {
    world: World,
    cloth: ClothId,
    hills: Vec<Standing>,
    pins: Vec<Held>,
    settings: Settings,
    pull: Option<Held>,
    /// Steps until the cloth is itself again after being smoothed.
    ironing: u32,
}

/// A body where it is, on its way to where it is wanted.
#[derive(Clone, Copy)]
struct Standing {
    wanted: Hill,
    now: Actual,
    body: BodyId,
    collider: ColliderId,
    /// How fast it may go over the table.
    speed: f64,
    /// For how many steps of the world the cloth has held it up: after some it gives up until it is wanted elsewhere.
    held_up: u32,
}

impl Standing {
    /// Whether it is where it is wanted, or cannot get there.
    fn stays(&self) -> bool {
        self.now == Actual::of(&self.wanted) || self.held_up > PATIENCE
    }
}

/// Where a body is, and how it is shaped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actual {
    /// Its middle.
    pub center: DVec3,
    pub turn: f64,
    pub radii: [f64; 3],
    pub exponents: [f64; 2],
}

impl Actual {
    fn of(hill: &Hill) -> Actual {
        let [x, y] = hill.position;
        let center = DVec3::new(x, y, hill.lift * hill.radii[2]);
        Actual { center, turn: hill.turn, radii: hill.radii, exponents: hill.exponents }
    }

    /// The same just below the table, from where it rises.
    fn below(self) -> Actual {
        Actual { center: self.center.with_z(-self.radii[2] - 0.01), ..self }
    }

    pub fn pose(&self) -> Pose {
        Pose { rotation: DQuat::from_rotation_z(self.turn), translation: self.center }
    }

    fn shape(&self) -> Result<Superellipsoid, SimError> {
        Ok(Superellipsoid::new(self.radii, self.exponents)?)
    }

    /// One step on the way to another, over the table with a speed; whether the shape has changed.
    fn approach(&mut self, to: &Actual, speed: f64, dt: f64) -> bool {
        let across = (to.center - self.center).truncate();
        let way = across
            .clamp_length_max(speed * dt)
            .extend(approached(self.center.z, to.center.z, RISING * dt) - self.center.z);
        self.center += way;
        if across.length() <= speed * dt {
            (self.center.x, self.center.y) = (to.center.x, to.center.y);
        }
        // The short way round, with no point of the rim faster than a body may go.
        let angle = (to.turn - self.turn + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        let most = TURNING * dt / self.radii[0].hypot(self.radii[1]);
        self.turn = if angle.abs() <= most { to.turn } else { self.turn + angle.clamp(-most, most) };
        let before = (self.radii, self.exponents);
        self.radii = std::array::from_fn(|i| approached(self.radii[i], to.radii[i], GROWING * dt));
        self.exponents = std::array::from_fn(|i| approached(self.exponents[i], to.exponents[i], SHAPING * dt));
        before != (self.radii, self.exponents)
    }
}

fn approached(now: f64, to: f64, most: f64) -> f64 {
    if (to - now).abs() <= most { to } else { now + most.copysign(to - now) }
}

/// A vertex that a clothespin or a hand holds.
#[derive(Clone, Copy)]
struct Held {
    /// The clothespin's; 0 for a hand.
    id: u32,
    handle: PinId,
    vertex: usize,
    /// Where it is wanted.
    at: DVec3,
}

/// How a cloth lay and where the bodies were at some moment.
#[derive(Clone)]
pub struct Kept {
    positions: Vec<[f32; 3]>,
    hills: Vec<(u32, Actual)>,
    rested: bool,
}

impl Kept {
    /// Roughly, in bytes.
    pub fn size(&self) -> usize {
        12 * self.positions.len() + 96 * self.hills.len() + 64
    }
}

/// How the cloth is to lie in another landscape.
pub enum Lay<'a> {
    /// As it lies now, but for what is done to it.
    On,
    /// As it lay at a moment.
    As(&'a Kept),
    /// At these places.
    At(Vec<DVec3>),
    /// Falling from above.
    Dropped,
}

impl Simulation {
    /// A landscape, with its cloth in the air or as it is given.
    pub fn new(landscape: &Landscape, lay: Lay) -> Result<Simulation, SimError> {
        let mut world = World::new();
        world.add_body(Body::fixed(Plane::new(DVec3::Z, 0.0)?, Pose::IDENTITY))?;
        let settings = &landscape.settings;
        let cloth = world.add_cloth(&sheet(settings.side)?, &fabric(settings, 1.0))?;
        let mut made = Simulation {
            world,
            cloth,
            hills: vec![],
            pins: vec![],
            settings: settings.clone(),
            pull: None,
            ironing: 0,
        };
        made.follow(landscape, lay)?;
        Ok(made)
    }

    /// Goes over to another landscape.
    pub fn follow(&mut self, next: &Landscape, lay: Lay) -> Result<(), SimError> {
        self.follow_hills(&next.hills, &lay)?;
        let before = std::mem::replace(&mut self.settings, next.settings.clone());
        let Settings { fabric, side, wind, ref pins, drops, smooths, .. } = self.settings;
        let air = DVec2::from_angle(wind.direction).extend(0.0) * wind.speed;
        self.world.wind = (wind.speed > 0.0).then(|| Wind { velocity: air, gusts: 0.5, ..Wind::default() });
        let on = matches!(lay, Lay::On);
        let rested = matches!(lay, Lay::As(kept) if kept.rested);
        let positions = match lay {
            Lay::On => resampled(self.positions(), before.side, side),
            Lay::As(kept) => kept.positions.iter().map(|at| DVec3::from_array(at.map(f64::from))).collect(),
            Lay::At(positions) => positions,
            Lay::Dropped => self.in_the_air(side)?,
        };
        let places = |of: &[Clothespin]| of.iter().map(|pin| (pin.id, pin.place)).collect::<Vec<_>>();
        let same = on && fabric == before.fabric && side == before.side && places(pins) == places(&before.pins);
        if same {
            for held in &mut self.pins {
                let wanted = pins.iter().find(|pin| pin.id == held.id);
                held.at = wanted.map_or(held.at, |pin| DVec3::from_array(pin.at));
            }
        } else {
            let velocities = (on && side == before.side).then(|| self.velocities().to_vec());
            self.remake(&positions, velocities.as_deref())?;
            if rested && self.world.wind.is_none() && self.hills.iter().all(Standing::stays) {
                self.world.put_to_sleep(self.cloth)?;
            }
        }
        if on && drops != before.drops {
            self.drop_cloth()?;
        }
        if on && smooths != before.smooths {
            self.ironing = IRONING;
            self.wear()?;
        }
        Ok(())
    }

    fn follow_hills(&mut self, wanted: &[Hill], lay: &Lay) -> Result<(), SimError> {
        let gone = |standing: &Standing| !wanted.iter().any(|hill| hill.id == standing.wanted.id);
        for standing in self.hills.extract_if(.., |standing| gone(standing)) {
            self.world.remove_body(standing.body)?;
        }
        for hill in wanted {
            let at = self.hills.iter().position(|standing| standing.wanted.id == hill.id);
            let start = match lay {
                Lay::On => None,
                Lay::As(kept) => kept.hills.iter().find(|(id, _)| *id == hill.id).map(|(_, actual)| *actual),
                Lay::At(_) | Lay::Dropped => Some(Actual::of(hill)),
            };
            if let Some(index) = at {
                let standing = &mut self.hills[index];
                if standing.wanted.position != hill.position {
                    standing.speed = BY_EDIT;
                }
                (standing.wanted, standing.held_up) = (*hill, 0);
                if let Some(start) = start {
                    self.put(index, start)?;
                }
            } else {
                let now = start.unwrap_or_else(|| Actual::of(hill).below());
                let made = Body::kinematic(now.shape()?, now.pose(), DVec3::ZERO, DVec3::ZERO);
                let body = self.world.add_body(made)?;
                if let Some(collider) = self.world.body(body)?.colliders().next() {
                    self.hills.push(Standing { wanted: *hill, now, body, collider, speed: BY_EDIT, held_up: 0 });
                }
            }
        }
        Ok(())
    }

    /// Puts a body somewhere at once.
    fn put(&mut self, index: usize, now: Actual) -> Result<(), SimError> {
        let Standing { body, collider, .. } = self.hills[index];
        self.world.set_collider(collider, Collider::new(now.shape()?))?;
        self.world.set_pose(body, now.pose())?;
        self.hills[index].now = now;
        Ok(())
    }

    /// Makes the cloth anew as the settings say, at these places.
    fn remake(&mut self, positions: &[DVec3], velocities: Option<&[DVec3]>) -> Result<(), SimError> {
        let Settings { side, pins, .. } = self.settings.clone();
        let vertices: Vec<usize> = pins.iter().map(|pin| vertex_at(pin.place, side)).collect();
        let mut pinned = vertices.clone();
        pinned.sort_unstable();
        pinned.dedup();
        let made = sheet(side)?.pinned(pinned);
        self.release();
        self.world.remove_cloth(self.cloth)?;
        self.ironing = 0;
        self.cloth = self.world.add_cloth(&made, &fabric(&self.settings, 1.0))?;
        self.world.place_cloth(self.cloth, positions)?;
        if let Some(velocities) = velocities {
            self.world.set_cloth_velocities(self.cloth, velocities)?;
        }
        let handles = self.world.pins(self.cloth)?;
        let held = pins.iter().zip(vertices).filter_map(|(pin, vertex)| {
            let (handle, _) = handles.iter().find(|(_, of)| *of == vertex)?;
            Some(Held { id: pin.id, handle: *handle, vertex, at: DVec3::from_array(pin.at) })
        });
        self.pins = held.collect();
        Ok(())
    }

    /// The fabric of the settings, or one that lies smoothly for a while.
    fn wear(&mut self) -> Result<(), SimError> {
        let limp = if self.ironing > 0 { 0.02 } else { 1.0 };
        self.world.set_fabric(self.cloth, &fabric(&self.settings, limp))
    }

    /// The flat cloth above all bodies.
    fn in_the_air(&self, side: u32) -> Result<Vec<DVec3>, SimError> {
        let tops = self.hills.iter().flat_map(|standing| [standing.now, Actual::of(&standing.wanted)]);
        let top = tops.map(|actual| actual.center.z + actual.radii[2]).fold(0.2, f64::max);
        Ok(sheet(side)?.mesh.positions().iter().map(|at| at.with_z(top + ABOVE)).collect())
    }

    fn drop_cloth(&mut self) -> Result<(), SimError> {
        let positions = self.in_the_air(self.settings.side)?;
        self.remake(&positions, None)
    }

    /// One step of time.
    pub fn advance(&mut self, dt: f64) -> Result<(), SimError> {
        (0..STEPS).try_for_each(|_| self.advance_part(dt / f64::from(STEPS)))?;
        if self.ironing > 0 {
            self.ironing -= 1;
            if self.ironing == 0 {
                self.wear()?;
            }
        }
        Ok(())
    }

    fn advance_part(&mut self, dt: f64) -> Result<(), SimError> {
        for index in 0..self.hills.len() {
            let Standing { wanted, mut now, body, collider, speed, .. } = self.hills[index];
            if self.hills[index].stays() {
                continue;
            }
            if now.approach(&Actual::of(&wanted), speed, dt) {
                self.world.set_collider(collider, Collider::new(now.shape()?))?;
            }
            self.world.move_to(body, now.pose())?;
            self.hills[index].now = now;
        }
        let held: Vec<Held> = self.pins.iter().chain(&self.pull).copied().collect();
        for Held { handle, vertex, at, .. } in held {
            let from = self.positions()[vertex];
            let (way, most) = (at - from, PIN_SPEED * dt);
            let next = if way.length() <= most { at } else { from + way * (most / way.length()) };
            self.world.move_pin(handle, self.clear_of_hills(next))?;
        }
        self.world.step(dt, &StepOptions { substeps: SUBSTEPS, ..StepOptions::default() })?;
        for standing in &mut self.hills {
            // What the cloth holds up goes on from where it is.
            let place = self.world.body(standing.body)?.pose().translation;
            if place.distance(standing.now.center) > HELD_UP {
                standing.now.center = place;
                standing.held_up += 1;
            } else {
                standing.held_up = 0;
            }
        }
        Ok(())
    }

    /// The nearest place along a body's radius, if this one is within a body, and above the table.
    fn clear_of_hills(&self, place: DVec3) -> DVec3 {
        let thickness = self.settings.fabric.thickness;
        let mut clear = place.with_z(place.z.max(thickness));
        for Standing { now, .. } in &self.hills {
            let Ok(shape) = now.shape() else { continue };
            let local = now.pose().inverse_transform_point(clear);
            let gauge = shape.gauge(local);
            let surface = if gauge > 1e-6 { local / gauge } else { DVec3::Z * now.radii[2] };
            let outside = surface * (1.0 + 2.0 * thickness / surface.length());
            if local.length_squared() < outside.length_squared() {
                clear = now.pose().transform_point(outside);
            }
        }
        clear
    }

    /// Whether nothing moves, nor would.
    pub fn rests(&self) -> bool {
        let asleep = self.world.sleeps(self.cloth).unwrap_or(true);
        asleep && self.ironing == 0 && self.pull.is_none() && self.hills.iter().all(Standing::stays)
    }

    // Hands

    /// Where a hand wants a body.
    pub fn aim(&mut self, id: u32, [x, y]: [f64; 2]) {
        if let Some(standing) = self.hills.iter_mut().find(|standing| standing.wanted.id == id) {
            standing.wanted.position = [x, y].map(|part| part.clamp(-FARTHEST, FARTHEST));
            (standing.speed, standing.held_up) = (BY_HAND, 0);
        }
    }

    /// Takes hold of the cloth at the corner of a triangle that is nearest to a place of it, given by the weights of the second and
    /// the third.
    pub fn grab(&mut self, triangle: u32, [u, v]: [f64; 2]) {
        self.release();
        let Some(corners) = self.triangles().get(triangle as usize) else { return };
        let weights = [1.0 - u - v, u, v];
        let nearest = (0..3).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or(0);
        let vertex = corners[nearest] as usize;
        // A clothespin that is there is moved by what holds it.
        if self.pins.iter().all(|held| held.vertex != vertex) {
            let at = self.positions()[vertex];
            self.pull = self.world.pin(self.cloth, vertex).ok().map(|handle| Held { id: 0, handle, vertex, at });
        }
    }

    /// Pulls what is held towards a place.
    pub fn pull(&mut self, target: DVec3) {
        let (low, high) = (DVec3::new(-PULLED, -PULLED, 0.0), DVec3::new(PULLED, PULLED, 2.0));
        if let Some(held) = &mut self.pull {
            held.at = target.clamp(low, high);
        }
    }

    pub fn release(&mut self) {
        if let Some(held) = self.pull.take() {
            // A pin is there until it is taken off, so this is not refused.
            let _ = self.world.unpin(held.handle);
        }
    }

    // What there is to see

    pub fn positions(&self) -> &[DVec3] {
        self.world.cloth_positions(self.cloth).unwrap_or_default()
    }

    fn velocities(&self) -> &[DVec3] {
        self.world.cloth_velocities(self.cloth).unwrap_or_default()
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        self.world.cloth_triangles(self.cloth).unwrap_or_default()
    }

    /// Rest length of the shortest edge.
    pub fn shortest(&self) -> f64 {
        spacing(self.settings.side)
    }

    /// The bodies as they are.
    pub fn actual(&self) -> impl Iterator<Item = (u32, Actual)> + '_ {
        self.hills.iter().map(|standing| (standing.wanted.id, standing.now))
    }

    /// What it takes to come back to this.
    pub fn kept(&self) -> Kept {
        let positions = self.positions().iter().map(|at| at.to_array().map(|part| part as f32)).collect();
        Kept { positions, hills: self.actual().collect(), rested: self.rests() }
    }

    /// The largest depth of a triangle of the cloth in a body or the table, by certified distances.
    pub fn penetration(&self) -> Result<f64, SimError> {
        Ok(measure::cloth_penetration(&self.world)?.max)
    }

    /// How many pairs of an edge and a triangle of the cloth go through each other.
    pub fn self_intersections(&self) -> usize {
        measure::self_intersections(&self.world)
    }
}

/// Rest length of the shortest edge of a cloth with so many vertices on a side.
fn spacing(side: u32) -> f64 {
    2.0 * REACH / f64::from(side - 1)
}

/// The flat cloth over the table.
fn sheet(side: u32) -> Result<Cloth, SimError> {
    let count = side as usize;
    Cloth::grid([count, count], [2.0 * REACH; 2], DVec3::new(-REACH, -REACH, 0.0))
}

/// The vertex nearest to a place of the cloth.
fn vertex_at([u, v]: [f64; 2], side: u32) -> usize {
    let last = f64::from(side - 1);
    let nearest = |part: f64| (part.clamp(0.0, 1.0) * last).round() as usize;
    nearest(u) + side as usize * nearest(v)
}

/// What settings mean to the solver; `limp` below 1 for a cloth that is being ironed: stiff, and hardly rubbing. A fine cloth's folds
/// lie closer: farther apart than a part of an edge, features would keep those off that are next to their neighbours.
fn fabric(settings: &Settings, limp: f64) -> Fabric {
    let FabricSettings { stiffness, friction, thickness } = settings.fabric;
    let friction = friction * limp.sqrt();
    Fabric {
        bending: Bending::Isometric,
        bending_compliance: limp * 10f64.powf(5.0 - 3.5 * stiffness),
        tethers: Some(RestLength::Geodesic),
        offset: thickness,
        self_separation: Some(thickness.min(FOLDED * spacing(settings.side))),
        friction: Friction { fixed: friction, sliding: 0.8 * friction },
        damping: 0.5,
        ..Fabric::default()
    }
}

/// The places of a finer or coarser cloth's vertices on a cloth's triangles.
pub fn resampled(positions: &[DVec3], from: u32, to: u32) -> Vec<DVec3> {
    if from == to {
        return positions.to_vec();
    }
    let cells = from as usize - 1;
    let at = |i: usize, j: usize| positions[i + from as usize * j];
    let sample = |i: u32, j: u32| {
        let part = |k: u32| f64::from(k) * cells as f64 / f64::from(to - 1);
        let (x, y) = (part(i), part(j));
        let (ci, cj) = ((x as usize).min(cells - 1), (y as usize).min(cells - 1));
        let (u, v) = (x - ci as f64, y - cj as f64);
        let [a, b, c, d] = [at(ci, cj), at(ci + 1, cj), at(ci, cj + 1), at(ci + 1, cj + 1)];
        // Diagonals alternate, as in `Cloth::grid`.
        if (ci + cj) % 2 == 0 {
            if u >= v { a + (b - a) * u + (d - b) * v } else { a + (c - a) * v + (d - c) * u }
        } else if u + v <= 1.0 {
            a + (b - a) * u + (c - a) * v
        } else {
            d + (c - d) * (1.0 - u) + (b - d) * (1.0 - v)
        }
    };
    (0..to).flat_map(|j| (0..to).map(move |i| (i, j))).map(|(i, j)| sample(i, j)).collect()
}
