//! A world as a whole: handles, picking, drags, snapshots, budgets, and a long run of random operations against a world that is made
//! anew from what was done to it.

use std::cell::Cell;

use superegg::query::Ray;
use superegg::shape::{Plane, Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::{
    Body, BodyId, Clock, Cloth, ClothId, Collider, DragId, Fabric, Friction, Groups, Mass, Material, Motion, PinId,
    Place, SimError, StepOptions, World, measure,
};
use superegg_world::collision_mesh::CollisionMesh;

const DT: f64 = 1.0 / 60.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 4, ..StepOptions::default() }
}

fn egg(radii: [f64; 3]) -> Superellipsoid {
    Superellipsoid::new(radii, [0.8, 0.9]).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn floor() -> Body {
    Body::fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)
}

/// A cube as a mesh.
fn block(half: f64) -> CollisionMesh {
    let corner = |i: usize| DVec3::from_array(std::array::from_fn(|a| if i >> a & 1 == 1 { half } else { -half }));
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    CollisionMesh::new(TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()).unwrap()
}

/// All that tells how a world stands, as bits.
fn bits(world: &World) -> Vec<u64> {
    let mut all = Vec::new();
    let mut add = |v: DVec3| all.extend(v.to_array().map(f64::to_bits));
    for body in world.bodies() {
        let body = world.body(body).unwrap();
        let pose = body.pose();
        add(pose.translation);
        add(pose.rotation.xyz());
        body.velocities().into_iter().for_each(&mut add);
    }
    for cloth in world.cloths() {
        world.cloth_positions(cloth).unwrap().iter().copied().for_each(&mut add);
        world.cloth_velocities(cloth).unwrap().iter().copied().for_each(&mut add);
    }
    all.push(world.time.to_bits());
    all
}

/// Something done to a world; what it names is counted among the living, modulo their number.
#[derive(Clone, Copy, Debug)]
enum Operation {
    AddBody(u64),
    RemoveBody(u64),
    AddCloth(u64),
    RemoveCloth(u64),
    Drag(u64),
    MoveDrag(u64),
    Release(u64),
    Pin(u64),
    Unpin(u64),
    Push(u64),
    Step,
}

/// A world and the handles of what is in it.
#[derive(Clone)]
struct Run {
    world: World,
    bodies: Vec<BodyId>,
    cloths: Vec<ClothId>,
    drags: Vec<DragId>,
    pins: Vec<PinId>,
}

impl Run {
    fn new() -> Run {
        let mut world = World::new();
        world.add_body(floor()).unwrap();
        Run { world, bodies: Vec::new(), cloths: Vec::new(), drags: Vec::new(), pins: Vec::new() }
    }

    fn place(number: u64) -> DVec3 {
        let mut random = fastrand::Rng::with_seed(number);
        DVec3::new(random.f64() - 0.5, random.f64() - 0.5, 0.4 + 1.2 * random.f64())
    }

    fn choose<T: Copy>(list: &[T], number: u64) -> Option<T> {
        (!list.is_empty()).then(|| list[number as usize % list.len()])
    }

    /// Drops the handles of what went with something else.
    fn tidy(&mut self) {
        let alive: Vec<DragId> = self.world.drags().collect();
        self.drags.retain(|drag| alive.contains(drag));
        let world = &mut self.world;
        let cloths = self.cloths.iter();
        let alive: Vec<PinId> = cloths.flat_map(|cloth| world.pins(*cloth).unwrap()).map(|(pin, _)| pin).collect();
        self.pins.retain(|pin| alive.contains(pin));
    }

    fn apply(&mut self, operation: Operation) {
        let world = &mut self.world;
        match operation {
            Operation::AddBody(n) => {
                let pose = Pose::new(DQuat::from_rotation_x(0.1 * (n % 30) as f64), Run::place(n)).unwrap();
                let body = match n % 4 {
                    3 => Body::dynamic(block(0.1), pose, 300.0),
                    0 => Body::dynamic(egg([0.1, 0.12, 0.14]), pose, 300.0),
                    1 => Body::dynamic(Superovoid::new([0.1, 0.1, 0.15], [1.0; 2], [0.2; 2]).unwrap(), pose, 300.0),
                    _ => Body::dynamic(egg([0.08; 3]), pose, 300.0)
                        .with_collider(Collider::new(egg([0.06; 3])).at(at(0.1, 0.0, 0.0))),
                };
                self.bodies.push(world.add_body(body).unwrap());
            }
            Operation::RemoveBody(n) => {
                if let Some(body) = Run::choose(&self.bodies, n) {
                    world.remove_body(body).unwrap();
                    self.bodies.retain(|other| *other != body);
                }
            }
            Operation::AddCloth(n) => {
                let corner = Run::place(n) + DVec3::new(-0.3, -0.3, 0.5);
                let sheet = Cloth::grid([6, 6], [0.6, 0.6], corner).unwrap();
                self.cloths.push(world.add_cloth(&sheet, &Fabric::default()).unwrap());
            }
            Operation::RemoveCloth(n) => {
                if let Some(cloth) = Run::choose(&self.cloths, n) {
                    world.remove_cloth(cloth).unwrap();
                    self.cloths.retain(|other| *other != cloth);
                }
            }
            Operation::Drag(n) => {
                let place = match (n % 2, Run::choose(&self.bodies, n), Run::choose(&self.cloths, n)) {
                    (0, Some(body), _) => Place::Body { body, point: DVec3::new(0.02, 0.0, 0.03) },
                    (_, _, Some(cloth)) => Place::Cloth { cloth, triangle: (n % 50) as u32, weights: [0.2, 0.3, 0.5] },
                    _ => return,
                };
                self.drags.push(world.drag(place, 5.0).unwrap());
            }
            Operation::MoveDrag(n) => {
                if let Some(drag) = Run::choose(&self.drags, n) {
                    world.move_drag(drag, Run::place(n)).unwrap();
                }
            }
            Operation::Release(n) => {
                if let Some(drag) = Run::choose(&self.drags, n) {
                    world.release(drag).unwrap();
                    self.drags.retain(|other| *other != drag);
                }
            }
            Operation::Pin(n) => {
                if let Some(cloth) = Run::choose(&self.cloths, n) {
                    let pin = world.pin(cloth, (n % 36) as usize).unwrap();
                    if !self.pins.contains(&pin) {
                        self.pins.push(pin);
                    }
                }
            }
            Operation::Unpin(n) => {
                if let Some(pin) = Run::choose(&self.pins, n) {
                    world.unpin(pin).unwrap();
                    self.pins.retain(|other| *other != pin);
                }
            }
            Operation::Push(n) => {
                if let Some(body) = Run::choose(&self.bodies, n) {
                    let center = world.body(body).unwrap().center();
                    world.push(body, center, (Run::place(n) - DVec3::Z) * 0.2).unwrap();
                }
            }
            Operation::Step => {
                world.step(DT, &options()).unwrap();
            }
        }
        self.tidy();
    }
}

/// A thousand operations with snapshots and returns to them. "Made anew" is a world in which what was really done, without the ways
/// that a return took back, is done once.
#[test]
fn a_thousand_random_operations_end_as_a_world_made_anew() {
    (14..20).for_each(do_a_thousand_operations);
}

fn do_a_thousand_operations(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut run = Run::new();
    let mut log: Vec<Operation> = Vec::new();
    // Snapshots, each with its handles and how long the log was.
    let mut saved: Vec<(superegg_sim::Snapshot, Run, usize)> = Vec::new();
    let (mut restored, mut removed) = (0, 0);
    for _ in 0..1000 {
        let n = random.u64(..);
        match random.u32(..100) {
            0..4 => {
                saved.push((run.world.snapshot(), run.clone(), log.len()));
                continue;
            }
            4..8 if !saved.is_empty() => {
                // One of the last two, so that much of what was done stays done.
                let (snapshot, then, length) = &saved[saved.len() - 1 - (n as usize % 2).min(saved.len() - 1)];
                run.world.restore(snapshot).unwrap();
                let world = run.world.clone();
                run = Run { world, ..then.clone() };
                log.truncate(*length);
                let length = *length;
                saved.retain(|(.., of)| *of <= length);
                restored += 1;
                continue;
            }
            _ => {}
        }
        let operation = match random.u32(..100) {
            0..14 if run.bodies.len() < 8 => Operation::AddBody(n),
            14..22 => Operation::RemoveBody(n),
            22..28 if run.cloths.len() < 3 => Operation::AddCloth(n),
            28..31 => Operation::RemoveCloth(n),
            31..37 => Operation::Drag(n),
            37..43 => Operation::MoveDrag(n),
            43..48 => Operation::Release(n),
            48..52 => Operation::Pin(n),
            52..55 => Operation::Unpin(n),
            55..60 => Operation::Push(n),
            _ => Operation::Step,
        };
        removed += usize::from(matches!(operation, Operation::RemoveBody(_) | Operation::RemoveCloth(_)));
        run.apply(operation);
        log.push(operation);
    }
    assert!(
        restored > 10 && removed > 20 && log.len() > 100,
        "seed {seed}: {restored} returns, {removed} removals, {}",
        log.len()
    );
    let mut anew = Run::new();
    log.iter().for_each(|operation| anew.apply(*operation));
    assert!(bits(&run.world) == bits(&anew.world), "seed {seed}: other bits after {} operations", log.len());
    for _ in 0..30 {
        run.apply(Operation::Step);
        anew.apply(Operation::Step);
    }
    assert!(bits(&run.world) == bits(&anew.world), "seed {seed}: other bits half a second later");
    assert!(run.world.particles().position.iter().all(|p| p.is_finite()));
}

#[test]
fn handles_are_stale_after_removal_and_foreign_elsewhere() {
    let mut world = World::new();
    let ball = || Body::dynamic(egg([0.1; 3]), at(0.0, 0.0, 1.0), 100.0);
    let first = world.add_body(ball()).unwrap();
    let snapshot = world.snapshot();
    world.remove_body(first).unwrap();
    let second = world.add_body(ball()).unwrap();
    assert_eq!(first.index(), second.index(), "slots are used again");
    assert_eq!(world.body(first).err(), Some(SimError::Stale { what: "body", index: 0 }));
    // What comes after a snapshot is stale when it is restored, also when its slot is taken once more.
    world.restore(&snapshot).unwrap();
    assert!(world.body(first).is_ok());
    assert_eq!(world.body(second).err(), Some(SimError::Stale { what: "body", index: 0 }));
    world.remove_body(first).unwrap();
    let third = world.add_body(ball()).unwrap();
    assert!(world.body(third).is_ok() && world.body(second).is_err() && world.body(first).is_err());
    let mut other = World::new();
    let stranger = other.add_body(ball()).unwrap();
    assert_eq!(world.remove_body(stranger), Err(SimError::Foreign { what: "body" }));
    assert_eq!(other.restore(&snapshot), Err(SimError::Foreign { what: "snapshot" }));
    // Colliders, joints and drags go with their body.
    let collider = world.body(third).unwrap().colliders().next().unwrap();
    let drag = world.drag(Place::Body { body: third, point: DVec3::ZERO }, 1.0).unwrap();
    world.remove_body(third).unwrap();
    assert!(matches!(world.collider(collider), Err(SimError::Stale { what: "collider", .. })));
    assert_eq!(world.release(drag), Err(SimError::Stale { what: "drag", index: 0 }));
}

#[test]
fn colliders_and_masses_change_between_steps() {
    let mut world = World::new();
    let body = world.add_body(Body::dynamic(egg([0.1; 3]), at(0.0, 0.0, 1.0), 500.0)).unwrap();
    let single = world.body(body).unwrap().mass();
    let second = world.add_collider(body, Collider::new(egg([0.1; 3])).at(at(0.4, 0.0, 0.0))).unwrap();
    assert!((world.body(body).unwrap().mass() - 2.0 * single).abs() < 1e-9 * single);
    let center = world.body(body).unwrap().center();
    assert!((center - DVec3::new(0.2, 0.0, 1.0)).length() < 1e-12, "{center}");
    world.remove_collider(second).unwrap();
    assert!((world.body(body).unwrap().center() - DVec3::Z).length() < 1e-12);
    let last = world.body(body).unwrap().colliders().next().unwrap();
    assert!(world.remove_collider(last).is_err(), "nothing would weigh nothing");
    // As given: a body without colliders falls as any other.
    let given =
        Mass::Given { mass: 2.0, center: DVec3::X, inertia: glam::DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5)) };
    let bare = Body { motion: Motion::Dynamic(given), colliders: Vec::new(), ..floor() };
    let bare = world.add_body(bare).unwrap();
    assert_eq!((world.body(bare).unwrap().mass(), world.body(bare).unwrap().center()), (2.0, DVec3::X));
    world.set_force(bare, DVec3::new(4.0, 0.0, 2.0 * 9.81), DVec3::ZERO).unwrap();
    for _ in 0..60 {
        world.step(DT, &options()).unwrap();
    }
    // Its weight is carried; 4 N on 2 kg for a second.
    let velocity = world.body(bare).unwrap().velocity();
    assert!((velocity - DVec3::X * 2.0).length() < 1e-9, "{velocity}");
    let flat = glam::DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0));
    let wrong = Mass::Given { mass: 1.0, center: DVec3::ZERO, inertia: flat };
    assert!(world.set_motion(bare, Motion::Dynamic(wrong)).unwrap_err().to_string().contains("inertia"));
}

#[test]
fn groups_and_ignored_pairs_do_not_meet() {
    let drop = |groups: Groups, ignore: bool| {
        let mut world = World::new();
        let ground = world.add_body(floor().with_groups(Groups { member_of: 1, collides_with: 1 })).unwrap();
        let ball = Body::dynamic(egg([0.1; 3]), at(0.0, 0.0, 0.3), 500.0).with_groups(groups);
        let ball = world.add_body(ball).unwrap();
        world.ignore_pair(ground, ball, ignore).unwrap();
        for _ in 0..60 {
            world.step(DT, &options()).unwrap();
        }
        world.body(ball).unwrap().center().z
    };
    assert!(drop(Groups { member_of: 1, collides_with: 3 }, false) > 0.09);
    assert!(drop(Groups { member_of: 2, collides_with: 3 }, false) < -1.0, "the floor does not meet its group");
    assert!(drop(Groups::ALL, true) < -1.0);
}

#[test]
fn contacts_tell_what_carries_a_weight() {
    let mut world = World::new();
    let material = Material { friction: Friction::NONE, ..Material::default() };
    let ground = world.add_body(floor().with_material(material)).unwrap();
    let block = Superellipsoid::new([0.3, 0.3, 0.1], [0.1; 2]).unwrap();
    let block = world.add_body(Body::dynamic(block, at(0.0, 0.0, 0.102), 500.0).with_material(material)).unwrap();
    world.sleeping = false;
    let told = StepOptions { contacts: true, ..options() };
    let mut impulse = DVec3::ZERO;
    for index in 0..120 {
        world.step(DT, &told).unwrap();
        let contacts = world.contacts();
        if index >= 60 {
            assert_eq!(contacts.len(), 1);
            let report = &contacts[0];
            let bodies = [report.a, report.b].map(|side| world.body_of(side.collider).unwrap());
            assert!(bodies == [block, ground] || bodies == [ground, block]);
            let sign = if bodies[1] == block { 1.0 } else { -1.0 };
            impulse += report.points.iter().map(|point| point.impulse).sum::<DVec3>() * sign;
        }
    }
    let weight = world.body(block).unwrap().mass() * 9.81 * 60.0 * DT;
    assert!((impulse / weight - DVec3::Z).length() < 0.01, "{impulse} for {weight}");
    world.step(DT, &options()).unwrap();
    assert!(world.contacts().is_empty(), "nothing is told that was not asked for");
}

#[test]
fn a_ray_picks_the_nearest_and_a_drag_takes_it_along() {
    let mut world = World::new();
    world.add_body(floor()).unwrap();
    let ball = world.add_body(Body::dynamic(egg([0.2; 3]), at(0.0, 0.0, 0.202), 100.0)).unwrap();
    let sheet = Cloth::grid([9, 9], [0.8, 0.8], DVec3::new(0.6, -0.4, 0.1)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    let pick = |world: &World, x: f64| world.pick(&Ray::new(DVec3::new(x, 0.03, 3.0), -DVec3::Z).unwrap(), Groups::ALL);
    let hit = pick(&world, 0.0).unwrap().unwrap();
    assert!(matches!(hit.place, Place::Body { body, .. } if body == ball), "{hit:?}");
    let lift = |world: &mut World, place: Place, start: DVec3, strength: f64| {
        let drag = world.drag(place, strength).unwrap();
        for index in 1..=90 {
            world.move_drag(drag, start + DVec3::Z * (0.01 * f64::from(index))).unwrap();
            world.step(DT, &options()).unwrap();
        }
        world.release(drag).unwrap();
    };
    let strength = 20.0 * world.body(ball).unwrap().mass();
    lift(&mut world, hit.place, hit.point, strength);
    assert!(world.body(ball).unwrap().center().z > 0.8, "{}", world.body(ball).unwrap().center());
    let hit = pick(&world, 1.0).unwrap().unwrap();
    assert!(matches!(hit.place, Place::Cloth { cloth: on, .. } if on == cloth), "{hit:?}");
    lift(&mut world, hit.place, hit.point, 20.0);
    let highest = world.cloth_positions(cloth).unwrap().iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest > 0.6, "{highest}");
    assert!(pick(&world, 9.0).unwrap().is_some_and(|hit| hit.point.z.abs() < 1e-9), "the floor is there for all");
}

/// A drag pulled no harder than the few grams of the corners that it held allowed for, whatever its strength.
#[test]
fn a_drag_lifts_a_whole_sheet_if_it_is_stronger_than_its_weight() {
    let mut world = World::new();
    world.add_body(floor()).unwrap();
    // 0.8 kg.
    let sheet = Cloth::grid([41, 41], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.02)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    (0..30).for_each(|_| drop(world.step(DT, &options()).unwrap()));
    let lowest =
        |world: &World| world.cloth_positions(cloth).unwrap().iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let highest = |world: &World| world.cloth_positions(cloth).unwrap().iter().map(|p| p.z).fold(0.0, f64::max);
    let hit = world.pick(&Ray::new(DVec3::new(0.01, 0.02, 3.0), -DVec3::Z).unwrap(), Groups::ALL).unwrap().unwrap();
    for (strength, lifted) in [(4.0, false), (12.0, true)] {
        let drag = world.drag(hit.place, strength).unwrap();
        for index in 1..=240 {
            world.move_drag(drag, hit.point + DVec3::Z * (2.5f64).min(0.02 * f64::from(index))).unwrap();
            world.step(DT, &options()).unwrap();
        }
        if lifted {
            assert!(lowest(&world) > 0.5, "{} N: {}", strength, lowest(&world));
            assert!((highest(&world) - hit.point.z - 2.5).abs() < 0.02, "{} N: {}", strength, highest(&world));
        } else {
            assert!(lowest(&world) < 0.05 && highest(&world) < 1.5, "{} N: {}", strength, highest(&world));
        }
        world.release(drag).unwrap();
        (0..120).for_each(|_| drop(world.step(DT, &options()).unwrap()));
        assert!(highest(&world) < 0.6, "it falls when it is let go: {}", highest(&world));
    }
}

/// A clock that goes on by a second whenever it is asked.
struct Ticking(Cell<f64>);

impl Clock for Ticking {
    fn now(&self) -> f64 {
        self.0.set(self.0.get() + 1.0);
        self.0.get()
    }
}

#[test]
fn a_budget_ends_a_step_early_and_says_where() {
    let make = || {
        let mut world = World::new();
        world.add_body(floor()).unwrap();
        world.add_body(Body::dynamic(egg([0.1; 3]), at(0.0, 0.0, 0.5), 100.0)).unwrap();
        world
    };
    let (mut world, clock) = (make(), Ticking(Cell::new(0.0)));
    let tight = StepOptions { substeps: 10, clock: Some(&clock), budget: Some(30.0), ..StepOptions::default() };
    let report = world.step(0.1, &tight).unwrap();
    assert!(report.substeps >= 1 && report.substeps < 10, "{report:?}");
    assert!((report.advanced - 0.01 * f64::from(report.substeps)).abs() < 1e-15 && world.time == report.advanced);
    // At least one substep is made, however tight it is.
    let none = StepOptions { budget: Some(0.0), ..tight };
    assert_eq!(world.step(0.1, &none).unwrap().substeps, 1);
    let refused = world.step(0.1, &StepOptions { clock: None, ..tight });
    assert!(refused.unwrap_err().to_string().contains("budget"));
}

#[test]
fn a_cloth_keeps_its_shape_in_another_resolution() {
    let mut world = World::new();
    let ball = Superellipsoid::new([0.3; 3], [1.0; 2]).unwrap();
    world.add_body(Body::fixed(ball, Pose::IDENTITY)).unwrap();
    let sheet = |n: usize| Cloth::grid([n, n], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.35)).unwrap();
    let cloth = world.add_cloth(&sheet(17).pinned([0]), &Fabric::default()).unwrap();
    for _ in 0..60 {
        world.step(DT, &options()).unwrap();
    }
    let before = world.cloth_positions(cloth).unwrap().to_vec();
    let pins = world.pins(cloth).unwrap();
    world.resample_cloth(cloth, &sheet(33).mesh, &Fabric::default()).unwrap();
    let after = world.cloth_positions(cloth).unwrap();
    // Vertices that both have are where they were, and so is the pin.
    for (i, j) in (0..17).flat_map(|i| (0..17).map(move |j| (i, j))) {
        let (old, new) = (before[i + 17 * j], after[2 * i + 33 * 2 * j]);
        assert!(old.distance(new) < 1e-9, "{old} is at {new}");
    }
    assert_eq!(world.pins(cloth).unwrap(), pins);
    for _ in 0..60 {
        world.step(DT, &options()).unwrap();
    }
    assert!(measure::cloth_penetration(&world).unwrap().max < 1e-3);
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.is_finite() && p.length() < 2.0));
    world.resample_cloth(cloth, &sheet(9).mesh, &Fabric::default()).unwrap();
    world.step(DT, &options()).unwrap();
    assert_eq!(world.cloth_positions(cloth).unwrap().len(), 81);
}
