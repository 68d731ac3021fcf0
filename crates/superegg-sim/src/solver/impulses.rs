//! What is solved in a step: impulses at points of contact, and how far bodies go.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use superegg::Threads;

use super::clamp_rounds::{ClampRounds, Moving};
use super::contact::{Contact, Source, softness};
use super::groups::{Group, Groups};
use super::mesh_clamp::{MeshClamp, MeshSurprise};
use super::motion_clamp::{Surprise, limit};
use crate::SimError;
use crate::body::BodyState;
use crate::contact::SKIN;
use crate::contact::broad::{Listed, Pair, Pairs, Standing};
use crate::contact::manifold::Point;
use crate::contact::separation_bound::Trajectory;
use crate::joint::JointSolver;
use crate::joint::constraint_row::{Masses, SharedVelocities, Velocities, Velocity};
use crate::joint::state::JointState;

/// Angle after which a body's points of contact follow its surface, in radians.
const TURNED: f64 = 0.005;
/// Contacts of a substep are solved again, so many times at most, while bodies would otherwise get deeper into each other
/// than this, in metres.
const ITERATIONS: usize = 4;
const SETTLED: f64 = 3e-4;
/// Bodies that have come this part of their size since their contact was found, and meet now, are asked again.
const STALE: f64 = 0.05;
/// Bodies that have come so much farther than the nearest triangle of a mesh was, in metres, may have met another one.
const UNSEEN: f64 = 0.02;
/// Points of contact closer to each other than this part of a proxy's size are one.
const CLOSE: f64 = 0.05;
/// Cosine of the angle between normals of contacts that do the same.
const ALIKE: f64 = 0.98;
/// Most points of a pair.
const MOST_POINTS: usize = 32;
/// Bodies, and pairs, that a thread takes at a time.
const CHUNK: usize = 512;

/// What a step works on.
#[derive(Clone, Debug)]
pub(crate) struct Impulses {
    pub velocities: Velocities,
    groups: Groups,
    holds: ClampRounds,
    /// Pairs that may meet, but not in the next substeps.
    waiting: Vec<u32>,
    /// Pairs of meshes whose triangles may meet.
    guarded: Vec<u32>,
    threads: Threads,
    /// Whether contacts are to tell what they pushed.
    pub reports: bool,
    /// Bodies with a target, and those that a force acts on.
    aimed: Vec<u32>,
    forced: Vec<u32>,
    /// Travels of the bodies when the step began.
    begun: Vec<f64>,
    /// By how much each body has turned before its points had to follow; zero if they need not.
    turned: Vec<f64>,
}

impl Default for Impulses {
    fn default() -> Impulses {
        Impulses {
            velocities: Velocities::default(),
            groups: Groups::default(),
            holds: ClampRounds::default(),
            waiting: Vec::new(),
            guarded: Vec::new(),
            threads: Threads::One,
            reports: false,
            aimed: Vec::new(),
            forced: Vec::new(),
            begun: Vec::new(),
            turned: Vec::new(),
        }
    }
}

/// Makes a contact of a point and adds it to a group.
fn add_contact(group: &mut Group, bodies: &[BodyState], masses: &Masses, pairs: &Pairs, mut source: Source) {
    let number = group.contacts.len() as u32;
    let (mut contact, rolling) = Contact::new(bodies, &pairs.proxies, masses, &source, number);
    let of_meshes = source.proxies.iter().all(|&proxy| pairs.proxies[proxy as usize].is_mesh());
    let small = || {
        let [a, b] = source.bodies.map(|body| bodies[body as usize].reach);
        STALE * a.min(b)
    };
    if source.point.watch {
        contact.lasting = -1.0;
    } else if of_meshes {
        (contact.partial, contact.lasting) = (true, small());
    } else if pairs.proxies[source.proxies[1] as usize].is_mesh() {
        // Triangles that were not the nearest were not all listed, but none was closer than the nearest.
        contact.partial = true;
        contact.lasting = UNSEEN + pairs.list[source.pair as usize].pair.lower.max(0.0);
    } else {
        contact.lasting = small();
    }
    group.springy |= contact.is_springy();
    source.rolling = rolling.is_some().then_some(group.rolling.len() as u32);
    group.rolling.extend(rolling);
    group.contacts.push(contact);
    group.sources.push(source);
}

impl Impulses {
    /// Takes over bodies and points of contact.
    pub fn begin(&mut self, bodies: &mut [BodyState], pairs: &mut Pairs, threads: Threads) {
        self.threads = threads;
        match self.has_many(bodies) {
            true => bodies.par_iter_mut().with_min_len(CHUNK).for_each(BodyState::refresh),
            false => bodies.iter_mut().for_each(BodyState::refresh),
        }
        self.velocities.load(bodies);
        self.begun.clear();
        self.begun.extend(bodies.iter().map(|body| body.travelled));
        self.turned.clear();
        self.turned.resize(bodies.len(), 0.0);
        self.aimed.clear();
        self.forced.clear();
        for (index, body) in (0u32..).zip(&*bodies) {
            if body.target.is_some() {
                self.aimed.push(index);
            }
            if body.force != DVec3::ZERO || body.torque != DVec3::ZERO {
                self.forced.push(index);
            }
        }
        self.groups.begin(bodies, &self.velocities.list);
        self.waiting.clear();
        self.guarded.clear();
        for (number, listed) in (0u32..).zip(&mut pairs.list) {
            listed.guarded = false;
            let awake = |body: &u32| self.velocities.list[*body as usize].inverse_mass > 0.0;
            if listed.standing == Standing::Apart || !listed.bodies.iter().any(awake) {
                continue;
            }
            if listed.standing == Standing::Waiting {
                self.waiting.push(number);
            } else {
                self.plan(number, listed);
            }
        }
        self.make_contacts(bodies, pairs);
    }

    /// Notes that a pair's points are to become contacts, and its triangles to be watched.
    fn plan(&mut self, number: u32, listed: &mut Listed) {
        if listed.pair.triangles.reference().is_some() && !std::mem::replace(&mut listed.guarded, true) {
            self.guarded.push(number);
        }
        self.groups.plan(number, listed.bodies, &mut listed.pair.contacts, listed.pair.points.len());
    }

    /// Whether there are bodies enough for more than one thread.
    fn has_many(&self, bodies: &[BodyState]) -> bool {
        self.threads == Threads::All && bodies.len() >= 2 * CHUNK
    }

    /// Makes contacts of the points of all pairs that are planned.
    fn make_contacts(&mut self, bodies: &[BodyState], pairs: &Pairs) {
        let (masses, shared) = (&self.velocities.masses, self.groups.is_worth_sharing(self.threads));
        self.groups.map(shared, |_, group| {
            for number in group.take_planned() {
                let pair = &*pairs.list[number as usize].pair;
                for point in &pair.points {
                    add_contact(group, bodies, masses, pairs, Source::new(pair, number, *point));
                }
            }
        });
    }

    /// Gravity's part of a substep of length `h`, and that of forces.
    pub fn accelerate(&mut self, bodies: &[BodyState], gravity: DVec3, h: f64) {
        let gain = gravity * h;
        let Velocities { list, masses, .. } = &mut self.velocities;
        for contact in self.groups.list.iter_mut().filter(|group| group.springy).flat_map(|group| &mut group.contacts) {
            contact.note_approach(list);
        }
        for velocity in list.iter_mut().filter(|velocity| velocity.inverse_mass > 0.0) {
            velocity.linear += gain;
        }
        for index in self.forced.iter().map(|&body| body as usize) {
            let (body, velocity) = (&bodies[index], &mut list[index]);
            velocity.linear += body.force * (velocity.inverse_mass * h);
            velocity.angular += masses.inverse_inertias[index] * body.torque * h;
        }
    }

    /// Pushes a body by an impulse and its moment about the world's origin.
    pub fn kick(&mut self, index: usize, body: &BodyState, [impulse, moment]: [DVec3; 2]) {
        let Velocities { list, masses, .. } = &mut self.velocities;
        let velocity = &mut list[index];
        velocity.linear += impulse * velocity.inverse_mass;
        velocity.angular += masses.inverse_inertias[index] * (moment - body.center.cross(impulse));
    }

    /// Takes a body's velocities away.
    pub fn stop(&mut self, index: usize) {
        let velocity = &mut self.velocities.list[index];
        (velocity.linear, velocity.angular) = (DVec3::ZERO, DVec3::ZERO);
    }

    /// Gives bodies with a target the velocities that take them there, in the first of `left` substeps of length `h`.
    pub fn aim(&mut self, bodies: &mut [BodyState], left: f64, h: f64) {
        for index in self.aimed.iter().map(|&body| body as usize) {
            bodies[index].aim(left, h);
            let velocity = &mut self.velocities.list[index];
            (velocity.linear, velocity.angular) = (bodies[index].velocity, bodies[index].turning);
        }
    }

    /// Finds the points of pairs anew that are about to touch after they have come far. Returns whether there were any.
    pub fn renew(&mut self, bodies: &[BodyState], pairs: &mut Pairs, h: f64) -> Result<bool, SimError> {
        let (velocities, shared) = (&self.velocities.list, self.groups.is_worth_sharing(self.threads));
        let list = &pairs.list;
        let stale = |_: u32, group: &mut Group| {
            let mut stale: Vec<u32> = Vec::new();
            for (contact, source) in group.contacts.iter().zip(&group.sources) {
                if !contact.may_be_stale(velocities, h) || stale.last() == Some(&source.pair) {
                    continue;
                }
                let [a, b] = source.bodies.map(|body| &bodies[body as usize]);
                let pair = &list[source.pair as usize].pair;
                if a.travelled + b.travelled - pair.travel > contact.lasting && pair.moved(a, b) > contact.lasting {
                    stale.push(source.pair);
                }
            }
            stale
        };
        let mut stale: Vec<u32> = self.groups.map(shared, stale).into_iter().flatten().collect();
        stale.sort_unstable();
        stale.dedup();
        if stale.is_empty() {
            return Ok(false);
        }
        for &number in &stale {
            self.store_impulses(&mut pairs.list[number as usize].pair);
        }
        self.find(bodies, pairs, &stale, h)?;
        Ok(true)
    }

    /// Gives the points of a pair the impulses of their contacts, which are dropped.
    fn store_impulses(&mut self, pair: &mut Pair) {
        let group = self.groups.of(pair.bodies) as usize;
        let group = &mut self.groups.list[group];
        for (point, &contact) in pair.points.iter_mut().zip(&pair.contacts) {
            let (contact, source) = (&mut group.contacts[contact as usize], &group.sources[contact as usize]);
            *point = contact.finished(&source.point);
            contact.disable();
        }
        pair.contacts.clear();
    }

    /// Finds the points of some pairs, and makes contacts of them. Those of two smooth that have none wait again.
    fn find(&mut self, bodies: &[BodyState], pairs: &mut Pairs, numbers: &[u32], h: f64) -> Result<(), SimError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let margins = std::mem::take(&mut pairs.margins);
        let begun = &self.begun;
        let left = |body: u32| {
            let gone = bodies[body as usize].travelled - begun[body as usize];
            (margins[body as usize] - gone).max(0.5 * SKIN)
        };
        let found = pairs.find(numbers, bodies, left, h, self.threads);
        pairs.margins = margins;
        found?;
        for &number in numbers {
            let listed = &mut pairs.list[number as usize];
            match listed.standing {
                Standing::Met => self.plan(number, listed),
                Standing::Waiting => self.waiting.push(number),
                Standing::Apart => {}
            }
        }
        self.make_contacts(bodies, pairs);
        Ok(())
    }

    /// Notes how far bodies would go in a substep.
    pub fn foresee(&mut self, bodies: &[BodyState], pairs: &mut Pairs, h: f64) {
        let many = self.has_many(bodies);
        let Velocities { list, fractions, .. } = &mut self.velocities;
        let (begun, margins) = (&self.begun, &pairs.margins);
        let foresee = |(index, (trajectory, fraction)): (usize, (&mut Trajectory, &mut f64))| {
            let (velocity, body) = (&list[index], &bodies[index]);
            trajectory.turn(velocity.linear, velocity.angular, body.reach);
            *fraction = 1.0;
            if velocity.inverse_mass > 0.0 {
                // Beyond its margin a body might meet what was not foreseen.
                let way = h * (velocity.linear.length() + trajectory.swinging);
                let room = margins[index] - (body.travelled - begun[index]);
                if way > room {
                    *fraction = room.max(0.0) / way;
                }
            }
        };
        let trajectories = &mut pairs.trajectories;
        match many {
            true => trajectories.par_iter_mut().zip(fractions).enumerate().with_min_len(CHUNK).for_each(foresee),
            false => trajectories.iter_mut().zip(fractions).enumerate().for_each(foresee),
        }
    }

    /// Finds the points of pairs that have waited and may meet now.
    pub fn meet(&mut self, bodies: &[BodyState], pairs: &mut Pairs, h: f64) -> Result<(), SimError> {
        let waits = |number: &u32| pairs.list[*number as usize].waits(&pairs.trajectories, h);
        let mut near: Vec<u32> = Vec::new();
        let mut keep = |number: u32, waits: bool| {
            if !waits {
                near.push(number);
            }
            waits
        };
        if self.has_many(bodies) {
            let known: Vec<bool> = self.waiting.par_iter().with_min_len(CHUNK).map(waits).collect();
            let mut known = known.into_iter();
            self.waiting.retain(|number| keep(*number, known.next().unwrap_or(true)));
        } else {
            self.waiting.retain(|number| keep(*number, waits(number)));
        }
        // Those that go on waiting are put back at the end.
        near.sort_unstable();
        self.find(bodies, pairs, &near, h)
    }

    /// The impulses of a substep.
    pub fn push(&mut self, bodies: &[BodyState], joints: &[Option<JointState>], jointed: &mut JointSolver, h: f64) {
        let shared = self.groups.is_worth_sharing(self.threads);
        let Impulses { velocities, groups, .. } = self;
        let Velocities { list, masses, .. } = velocities;
        // SAFETY: groups that are solved at the same time have no body in common that can be pushed.
        let pushed = unsafe { SharedVelocities::new(list) };
        groups.solve(shared, |group| {
            group.contacts.iter().for_each(|contact| contact.warm_start(pushed));
            for rolling in &mut group.rolling {
                rolling.warm_start(&group.contacts[rolling.contact as usize], pushed, &masses.inverse_inertias);
            }
            0.0
        });
        let soft = softness(h);
        jointed.begin(joints, bodies, velocities);
        for _ in 0..ITERATIONS {
            // SAFETY: as above.
            let pushed = unsafe { SharedVelocities::new(&mut velocities.list) };
            let slowed = groups.solve(shared, |group| {
                group
                    .contacts
                    .iter_mut()
                    .fold(0.0, |most: f64, contact| most.max(contact.solve(pushed, h, Some(&soft))))
            });
            let slowed = slowed.max(jointed.solve(joints, bodies, velocities, h, Some(&soft)));
            if slowed * h < SETTLED {
                break;
            }
        }
    }

    /// Moves the bodies, as far as they may go.
    pub fn advance(&mut self, bodies: &mut [BodyState], pairs: &mut Pairs, links: &[[u32; 2]], h: f64) {
        let (many, shared) = (self.has_many(bodies), self.groups.is_worth_sharing(self.threads));
        let Impulses { velocities, groups, holds, turned, guarded, .. } = self;
        let moving = Moving { proxies: &pairs.proxies, bodies, links, h };
        let mut meshes = MeshClamp::new(guarded, &mut pairs.list);
        let surprises = limit(groups, shared, velocities, holds, &mut meshes, &moving);
        let of_meshes = meshes.surprises;
        let Velocities { list, fractions, masses } = velocities;
        type Moved<'a> = ((&'a mut BodyState, &'a mut Velocity), (&'a mut Trajectory, (&'a mut f64, &'a mut DMat3)));
        let advance = |(index, ((body, velocity), (trajectory, (turned, inertia)))): (usize, Moved)| {
            *turned = 0.0;
            (body.velocity, body.turning) = (velocity.linear, velocity.angular);
            if body.is_moving() {
                body.advance(h * fractions[index]);
                velocity.angular = body.turning;
                (trajectory.center, trajectory.swung) = (body.center, body.swung);
                if body.turned > TURNED {
                    *turned = body.turned;
                    body.refresh();
                    if velocity.inverse_mass > 0.0 {
                        *inertia = body.inverse_inertia;
                    }
                }
            }
        };
        let (trajectories, inertias) = (&mut pairs.trajectories, &mut masses.inverse_inertias);
        match many {
            true => {
                let of_pairs = trajectories.par_iter_mut().zip(turned.par_iter_mut().zip(inertias));
                let all = bodies.par_iter_mut().zip(list).zip(of_pairs).enumerate();
                all.with_min_len(CHUNK).for_each(advance);
            }
            false => {
                let of_pairs = trajectories.iter_mut().zip(turned.iter_mut().zip(inertias));
                bodies.iter_mut().zip(list).zip(of_pairs).enumerate().for_each(advance);
            }
        }
        self.learn(bodies, pairs, &surprises);
        self.learn_of_meshes(bodies, pairs, &of_meshes);
    }

    /// Makes contacts where triangles of meshes would have met, unless there is one close by that pushes the same way.
    fn learn_of_meshes(&mut self, bodies: &[BodyState], pairs: &mut Pairs, surprises: &[MeshSurprise]) {
        for &MeshSurprise { pair: number, local_a, local_b, normal } in surprises {
            let pair = &mut *pairs.list[number as usize].pair;
            let close_sq = (CLOSE * pairs.proxies[pair.proxies[0] as usize].radius).powi(2);
            let known =
                |other: &Point| other.normal.dot(normal) > ALIKE && other.local_a.distance_squared(local_a) < close_sq;
            if pair.points.len() < MOST_POINTS && !pair.points.iter().any(known) {
                let group = self.groups.of(pair.bodies) as usize;
                let group = &mut self.groups.list[group];
                let point = Point::fixed(local_a, local_b, normal);
                pair.contacts.push(group.contacts.len() as u32);
                pair.points.push(point);
                let source = Source::new(pair, number, point);
                add_contact(group, bodies, &self.velocities.masses, pairs, source);
            }
        }
    }

    /// Makes contacts where bodies would have met that were not known to, or moves one there that is close by and does not
    /// follow the surface.
    fn learn(&mut self, bodies: &[BodyState], pairs: &mut Pairs, surprises: &[Surprise]) {
        for &Surprise { contact, local_a, local_b } in surprises {
            let group = &mut self.groups.list[contact.group as usize];
            let from = &group.sources[contact.index as usize];
            if from.point.watch {
                group.contacts[contact.index as usize].partial = true;
                continue;
            }
            let Source { pair: number, proxies, point, .. } = *from;
            let close_sq = (CLOSE * pairs.proxies[proxies[0] as usize].radius).powi(2);
            let pair = &mut *pairs.list[number as usize].pair;
            let near = |other: &Point| {
                let fixed = other.probe_a.is_none() && other.probe_b.is_none();
                fixed && other.local_a.distance_squared(local_a) < close_sq
            };
            let (impulse, none) = (0.0, DVec3::ZERO);
            let fixed = Point {
                local_a,
                local_b,
                probe_a: None,
                probe_b: None,
                impulse,
                friction: none,
                rolling: none,
                ..point
            };
            if let Some(index) = pair.points.iter().position(near) {
                pair.points[index] = fixed;
                let at = pair.contacts[index] as usize;
                group.sources[at].point = fixed;
                let masses = &self.velocities.masses;
                group.contacts[at].follow(&mut group.sources[at], &pairs.proxies, bodies, masses);
            } else if pair.points.len() < MOST_POINTS {
                pair.contacts.push(group.contacts.len() as u32);
                pair.points.push(fixed);
                let source = Source::new(pair, number, fixed);
                add_contact(group, bodies, &self.velocities.masses, pairs, source);
            }
        }
    }

    /// The impulses again where the bodies are now, without what undoes overlap.
    pub fn relax(
        &mut self,
        bodies: &[BodyState],
        pairs: &Pairs,
        joints: &[Option<JointState>],
        jointed: &mut JointSolver,
        h: f64,
    ) {
        let shared = self.groups.is_worth_sharing(self.threads);
        let Impulses { velocities, groups, turned, .. } = self;
        let Velocities { list, fractions, masses } = velocities;
        // SAFETY: groups that are solved at the same time have no body in common that can be pushed.
        let pushed = unsafe { SharedVelocities::new(list) };
        groups.solve(shared, |group| {
            for (contact, source) in group.contacts.iter_mut().zip(&mut group.sources) {
                if contact.is_disabled() {
                    continue;
                }
                contact.move_on(fractions);
                let angles = [contact.a, contact.b].map(|body| turned[body as usize]);
                if angles != [0.0; 2] && contact.has_to_follow(contact.swing(angles)) {
                    contact.follow(source, &pairs.proxies, bodies, masses);
                }
                contact.solve(pushed, h, None);
            }
            0.0
        });
        jointed.solve(joints, bodies, velocities, h, None);
        let Velocities { list, masses, .. } = velocities;
        // SAFETY: as above.
        let pushed = unsafe { SharedVelocities::new(list) };
        let reports = self.reports;
        groups.solve(shared, |group| {
            for rolling in &mut group.rolling {
                rolling.solve(&group.contacts[rolling.contact as usize], pushed, &masses.inverse_inertias);
            }
            if group.springy {
                group.contacts.iter_mut().for_each(|contact| contact.bounce(pushed));
            }
            if reports {
                let both = group.contacts.iter().zip(&mut group.sources);
                for (contact, source) in both.filter(|(contact, _)| !contact.is_disabled()) {
                    source.pushed += contact.pushed();
                }
            }
            0.0
        });
    }

    /// The contacts of the step, with what they pushed: proxies, place, normal from a to b, distance, impulse on b.
    pub fn report<'a>(&'a self, bodies: &'a [BodyState]) -> impl Iterator<Item = ([u32; 2], [DVec3; 3], f64)> + 'a {
        let all = self.groups.list.iter().flat_map(|group| group.contacts.iter().zip(&group.sources));
        let told = all.filter(|(contact, source)| !contact.is_disabled() && source.pushed != DVec3::ZERO);
        told.map(|(_, source)| {
            let [a, b] = source.bodies.map(|body| &bodies[body as usize]);
            let point = 0.5 * (a.place(source.point.local_a) + b.place(source.point.local_b));
            (source.proxies, [point, source.point.normal, source.pushed], source.point.separation(a, b))
        })
    }

    /// Hands back velocities and impulses. Returns how many points carry something.
    pub fn finish(&mut self, bodies: &mut [BodyState], pairs: &mut Pairs) -> usize {
        for (body, velocity) in bodies.iter_mut().zip(&self.velocities.list) {
            (body.velocity, body.turning) = (velocity.linear, velocity.angular);
        }
        let (groups, inverse_masses) = (&self.groups, &self.velocities.masses.inverse_masses);
        let finish = |listed: &mut Listed| {
            let awake = listed.bodies.iter().any(|body| inverse_masses[*body as usize] > 0.0);
            if listed.standing != Standing::Met || !awake {
                return 0;
            }
            let group = &groups.list[groups.of(listed.bodies) as usize];
            let Pair { points, contacts, .. } = &mut *listed.pair;
            let mut carrying = 0;
            for (point, &number) in points.iter_mut().zip(&*contacts) {
                let (contact, source) = (&group.contacts[number as usize], &group.sources[number as usize]);
                *point = contact.finished(&source.point);
                if let Some(rolling) = source.rolling {
                    point.rolling = group.rolling[rolling as usize].impulse;
                }
                carrying += usize::from(point.impulse > 0.0);
            }
            carrying
        };
        match self.groups.is_worth_sharing(self.threads) {
            true => pairs.list.par_iter_mut().with_min_len(CHUNK).map(finish).sum(),
            false => pairs.list.iter_mut().map(finish).sum(),
        }
    }
}
