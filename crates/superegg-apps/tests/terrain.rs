//! Terrain Cloth as its clients know it: edits and hands in, a cloth that lies on its bodies out. Depths are certified.

use std::collections::BTreeMap;

use superegg::DVec3;
use superegg_apps::files::Files;
use superegg_apps::terrain::messages::{Clothespin, Edit, Hill, Landscape, Settings};
use superegg_apps::terrain::{TerrainCloth, gallery};
use superegg_apps::wire::{Control, Phase};
use superegg_apps::{App, Context, Open, Pace};

const DT: f64 = 1.0 / 60.0;
/// Depth that is allowed, at rest and while a body is on its way, in metres.
const DEEPEST: f64 = 1e-3;

/// A session and the numbers of its edits.
struct Table {
    session: TerrainCloth,
    edits: u32,
}

impl Table {
    fn open(landscape: &Landscape) -> Table {
        let mut table = Table { session: TerrainCloth::open(&Open::default()).0, edits: 0 };
        table.edit(Edit::Open { landscape: landscape.clone(), drape: None });
        table
    }

    fn edit(&mut self, edit: Edit) {
        self.edits += 1;
        let context = Context { files: &Files::default(), number: self.edits };
        self.session.edit(edit, &context).unwrap();
    }

    fn change(&mut self, to: &Landscape) {
        let now = self.session.document();
        let removed =
            now.hills.iter().map(|hill| hill.id).filter(|id| to.hills.iter().all(|hill| hill.id != *id)).collect();
        self.edit(Edit::Change {
            moment: to.moment,
            name: None,
            hills: to.hills.clone(),
            removed,
            settings: Some(to.settings.clone()),
        });
    }

    fn advance(&mut self, steps: u32) {
        for _ in 0..steps {
            self.session.advance(DT);
        }
    }

    /// Until nothing moves; how many steps that took.
    fn settle(&mut self, most: u32) -> u32 {
        for step in 0..most {
            if self.session.pace() == Pace::Idle {
                return step;
            }
            self.session.advance(DT);
        }
        panic!("not at rest after {most} steps");
    }

    fn depth(&self) -> f64 {
        self.session.penetration().unwrap()
    }

    fn hand(&mut self, control: u8, phase: Phase, object: u32, values: [f32; 6]) {
        self.session.input(&[Control { control, phase, flags: 0, object, values }]);
    }

    fn highest(&self) -> DVec3 {
        *self.session.positions().iter().max_by(|a, b| a.z.total_cmp(&b.z)).unwrap()
    }
}

fn random(seed: u64) -> Landscape {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut between = |low: f64, high: f64| low + (high - low) * random.f64();
    let count = between(1.0, 13.0) as u32;
    let hills = (1..=count).map(|id| Hill {
        id,
        position: [between(-0.8, 0.8), between(-0.8, 0.8)],
        radii: [between(0.08, 0.35), between(0.08, 0.35), between(0.1, 0.6)],
        exponents: [between(0.1, 1.9), between(0.1, 1.9)],
        turn: between(0.0, 6.0),
        lift: if between(0.0, 1.0) < 0.3 { 1.0 } else { 0.0 },
    });
    let hills = hills.collect();
    Landscape { name: format!("Random {seed}"), about: None, hills, ..gallery().remove(0) }
}

/// Drops the cloth over a landscape and waits until it rests.
fn check_settled(landscape: &Landscape) {
    let mut table = Table::open(landscape);
    let steps = table.settle(3600);
    let depth = table.depth();
    println!("{}: at rest after {:.1} s, {:.4} mm", landscape.name, f64::from(steps) * DT, 1e3 * depth);
    assert!(depth <= DEEPEST, "{}: {depth}", landscape.name);
    let top = landscape.hills.iter().map(|hill| (1.0 + hill.lift) * hill.radii[2]).fold(0.0, f64::max);
    assert!(table.highest().z > top - 0.1, "{}: the cloth is not on top", landscape.name);
}

#[test]
fn ready_landscapes_settle_without_depth() {
    let ready = gallery();
    assert_eq!(ready.len(), 5);
    ready.iter().for_each(check_settled);
}

#[test]
fn random_landscapes_settle_without_depth() {
    (0..5).for_each(|seed| check_settled(&random(seed)));
}

#[test]
#[ignore = "50 landscapes: a minute"]
fn fifty_random_landscapes_settle_without_depth() {
    (0..50).for_each(|seed| check_settled(&random(seed)));
}

/// How often the cloth is met on the way straight up from a place: an odd number of times if it covers it.
fn layers_above(positions: &[DVec3], place: DVec3) -> usize {
    let side = (positions.len() as f64).sqrt() as usize;
    let sheet = superegg_sim::Cloth::grid([side; 2], [2.0; 2], DVec3::ZERO).unwrap();
    let above = |corners: &&[u32; 3]| {
        let [a, b, c] = corners.map(|v| positions[v as usize] - place);
        let turn = |p: DVec3, q: DVec3| p.truncate().perp_dot(q.truncate());
        let [u, v, w] = [turn(b, c), turn(c, a), turn(a, b)];
        let within = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
        within && (a.z * u + b.z * v + c.z * w) / (u + v + w) > 0.0
    };
    sheet.mesh.triangles().iter().filter(above).count()
}

/// Carries a body to and fro under the cloth with a hand of a speed; the largest speed of the body. A cloth that is pinned at its corners
/// cannot fly off, so that it must cover the body all the time.
fn drag(speed: f64, exponents: [f64; 2], pinned: bool) -> f64 {
    let mut landscape = gallery().remove(0);
    if pinned {
        let pin = |id: u32, u: f64, v: f64| Clothespin { id, place: [u, v], at: [1.8 * u - 0.9, 1.8 * v - 0.9, 0.02] };
        landscape.settings.pins = vec![pin(1, 0.0, 0.0), pin(2, 1.0, 0.0), pin(3, 0.0, 1.0), pin(4, 1.0, 1.0)];
    }
    landscape.hills.truncate(1);
    landscape.hills[0] = Hill { exponents, position: [-0.6, 0.0], radii: [0.16, 0.16, 0.3], ..landscape.hills[0] };
    let mut table = Table::open(&landscape);
    table.settle(1800);
    let id = landscape.hills[0].id;
    let (mut deepest, mut fastest, mut behind) = (0.0f64, 0.0f64, 0.0f64);
    table.hand(0, Phase::Press, id, [-0.6, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for step in 0..45 {
        // From side to side, and across.
        let way = speed / 1f64.hypot(0.61) * DT * f64::from(step);
        let place = |way: f64| ((way + 0.6).rem_euclid(2.4) - 1.2).abs() - 0.6;
        let hand = [place(way), place(0.61 * way)];
        let before = table.session.bodies()[0].1;
        table.hand(0, Phase::Move, id, [hand[0] as f32, hand[1] as f32, 0.0, 0.0, 0.0, 0.0]);
        table.advance(1);
        let after = table.session.bodies()[0].1;
        fastest = fastest.max(after.distance(before) / DT);
        behind = behind.max(after.truncate().distance(hand.into()));
        let depth = table.depth();
        deepest = deepest.max(depth);
        assert!(depth <= DEEPEST, "{exponents:?}: {depth} in step {step}");
        let layers = layers_above(table.session.positions(), after);
        assert!(!pinned || layers % 2 == 1, "{exponents:?} in step {step}: {layers} layers");
        if step % 15 == 0 {
            assert_eq!(table.session.self_intersections(), 0, "{exponents:?} in step {step}");
        }
    }
    table.hand(0, Phase::Release, id, [0.0; 6]);
    table.settle(3600);
    let settled = table.depth();
    println!(
        "{speed} m/s, {exponents:?}: {fastest:.2} m/s, {behind:.3} m behind; {:.3} mm in passing, {:.4} mm settled",
        1e3 * deepest,
        1e3 * settled
    );
    assert!(settled <= DEEPEST, "{exponents:?}: {settled}");
    assert_eq!(table.session.self_intersections(), 0, "{exponents:?}");
    // A cloth that cannot fly off still lies over it: nothing has come through.
    assert!(!pinned || table.highest().z > 0.3, "{exponents:?}: {}", table.highest());
    fastest
}

#[test]
fn a_body_follows_a_hand_at_five_metres_a_second_and_never_gets_through() {
    let fastest = drag(5.0, [1.0, 1.0], false);
    assert!(fastest > 4.5, "the body is slow: {fastest}");
}

#[test]
fn a_pinned_cloth_covers_a_body_that_follows_a_hand_at_five_metres_a_second() {
    let fastest = drag(5.0, [1.0, 1.0], true);
    assert!(fastest > 2.0, "the body is slow: {fastest}");
}

#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn long_bodies_of_all_shapes_follow_a_hand_at_five_metres_a_second() {
    for exponents in [[1.0, 1.0], [0.2, 0.2], [1.0, 1.7]] {
        drag(5.0, exponents, false);
        drag(5.0, exponents, true);
    }
}

#[test]
fn a_body_rises_grows_changes_its_shape_and_goes_away() {
    let mut landscape = Landscape { hills: vec![], ..gallery().remove(0) };
    let mut table = Table::open(&landscape);
    table.settle(1800);
    assert!(table.highest().z < 0.03);
    let steps = [
        Hill { id: 7, position: [0.2, 0.1], radii: [0.2, 0.2, 0.3], exponents: [1.0, 1.0], turn: 0.0, lift: 0.0 },
        Hill { id: 7, position: [0.2, 0.1], radii: [0.35, 0.3, 0.6], exponents: [1.0, 1.0], turn: 0.0, lift: 0.0 },
        Hill { id: 7, position: [0.2, 0.1], radii: [0.35, 0.3, 0.6], exponents: [0.2, 0.3], turn: 1.0, lift: 0.0 },
        Hill { id: 7, position: [-0.2, 0.1], radii: [0.1, 0.3, 0.2], exponents: [1.6, 1.2], turn: 2.0, lift: 1.0 },
    ];
    let mut deepest = 0.0f64;
    for hill in steps {
        landscape = Landscape { hills: vec![hill], moment: landscape.moment + 1, ..landscape };
        table.change(&landscape);
        for _ in 0..40 {
            table.advance(3);
            deepest = deepest.max(table.depth());
        }
        table.settle(3600);
        assert!(table.depth() <= DEEPEST, "{hill:?}: {}", table.depth());
        assert!(table.highest().z > (1.0 + hill.lift) * hill.radii[2], "{hill:?}: {}", table.highest());
    }
    println!("deepest in passing {:.3} mm", 1e3 * deepest);
    assert!(deepest <= DEEPEST, "{deepest}");
    let before = table.highest().z;
    landscape = Landscape { hills: vec![], moment: landscape.moment + 1, ..landscape };
    table.change(&landscape);
    table.settle(3600);
    assert!(table.highest().z < before - 0.05, "{} {before}", table.highest());
}

#[test]
fn undo_brings_the_folds_back() {
    let first = gallery().remove(0);
    let mut table = Table::open(&first);
    table.settle(3600);
    let folds = table.session.positions().to_vec();
    let moved = Hill { position: [0.6, 0.6], ..first.hills[0] };
    let mut second = Landscape { moment: 1, ..first.clone() };
    second.hills[0] = moved;
    table.change(&second);
    table.settle(3600);
    let after = table.session.positions().to_vec();
    let apart = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart(&folds, &after) > 0.2);
    table.change(&first);
    assert!(apart(&folds, table.session.positions()) < 1e-6);
    table.settle(3600);
    // It lay at rest, and so it does again, but for the breath of falling asleep.
    assert!(apart(&folds, table.session.positions()) < 0.02, "{}", apart(&folds, table.session.positions()));
    table.change(&second);
    assert!(apart(&after, table.session.positions()) < 0.02);
    assert_eq!(table.session.document(), second);
    // Dropping and smoothing are undone alike.
    let mut dropped = Landscape { moment: 2, ..second.clone() };
    dropped.settings.drops += 1;
    table.change(&dropped);
    table.advance(1);
    assert!(table.session.positions().iter().all(|at| at.z > 0.5));
    table.change(&second);
    assert!(apart(&after, table.session.positions()) < 0.02);
}

#[test]
fn the_cloth_is_pulled_falls_and_is_pinned() {
    let landscape = Landscape { hills: vec![], ..gallery().remove(0) };
    let mut table = Table::open(&landscape);
    table.settle(1800);
    let middle = 41 * 20 + 20;
    let triangles = superegg_sim::Cloth::grid([41, 41], [2.0; 2], DVec3::ZERO).unwrap();
    let (triangle, corners) = triangles.mesh.triangles().iter().enumerate().find(|(_, t)| t.contains(&middle)).unwrap();
    let part = |corner: usize| if corners[corner] == middle { 1.0 } else { 0.0 };
    table.hand(1, Phase::Press, triangle as u32, [0.0, 0.0, 0.0, part(1), part(2), 0.0]);
    table.hand(1, Phase::Move, triangle as u32, [0.1, 0.0, 0.5, 0.0, 0.0, 0.0]);
    table.advance(90);
    let held = table.session.positions()[middle as usize];
    assert!(held.distance(DVec3::new(0.1, 0.0, 0.5)) < 0.03, "{held}");
    table.hand(1, Phase::Release, triangle as u32, [0.0; 6]);
    table.settle(3600);
    assert!(table.highest().z < 0.35, "{}", table.highest());
    // Pinned, it stays in the air.
    let pin = Clothespin { id: 1, place: [0.5, 0.5], at: [0.1, 0.0, 0.6] };
    let settings = Settings { pins: vec![pin], ..landscape.settings.clone() };
    let pinned = Landscape { settings, moment: 1, ..landscape.clone() };
    table.change(&pinned);
    table.settle(3600);
    let held = table.session.positions()[middle as usize];
    assert!(held.distance(DVec3::from_array(pin.at)) < 1e-3, "{held}");
    // A body moved into the pin pushes it aside, and is not passed through.
    let hill =
        Hill { id: 3, position: [0.1, 0.0], radii: [0.2, 0.2, 0.7], exponents: [1.0, 1.0], turn: 0.0, lift: 0.0 };
    table.change(&Landscape { hills: vec![hill], moment: 2, ..pinned.clone() });
    table.settle(3600);
    assert!(table.depth() <= DEEPEST, "{}", table.depth());
    table.change(&Landscape { moment: 3, ..landscape });
    table.settle(3600);
    assert!(table.highest().z < 0.4, "{}", table.highest());
}

#[test]
fn settings_keep_the_shape() {
    let first = gallery().remove(0);
    let mut table = Table::open(&first);
    table.settle(3600);
    let before = table.highest();
    for (moment, side) in [(1, 81), (2, 31), (3, 41)] {
        let settings = Settings { side, ..first.settings.clone() };
        table.change(&Landscape { settings, moment, ..first.clone() });
        assert_eq!(table.session.positions().len(), (side * side) as usize);
        assert!(table.highest().distance(before) < 0.08, "{side}: {} {before}", table.highest());
        table.settle(3600);
        assert!(table.depth() <= DEEPEST, "{side}: {}", table.depth());
    }
    for (moment, stiffness, friction, thickness) in [(4, 1.0, 0.0, 0.02), (5, 0.0, 1.5, 0.004)] {
        let mut next = Landscape { moment, ..first.clone() };
        (next.settings.fabric.stiffness, next.settings.fabric.friction) = (stiffness, friction);
        next.settings.fabric.thickness = thickness;
        table.change(&next);
        table.advance(240);
        assert!(table.depth() <= DEEPEST, "{stiffness}: {}", table.depth());
    }
    let mut windy = Landscape { moment: 6, ..first.clone() };
    (windy.settings.wind.speed, windy.settings.smooths) = (5.0, 1);
    table.change(&windy);
    table.advance(240);
    assert!(table.depth() <= DEEPEST && table.session.pace() != Pace::Idle);
    windy.settings.frozen = true;
    table.change(&windy);
    assert_eq!(table.session.pace(), Pace::Idle);
}

#[test]
fn what_is_no_landscape_is_refused_by_its_field_and_changes_nothing() {
    let good = gallery().remove(0);
    let mut table = Table::open(&good);
    let mut wrong: BTreeMap<&str, Landscape> = BTreeMap::new();
    let hill = |how: fn(&mut Hill)| {
        let mut landscape = good.clone();
        how(&mut landscape.hills[1]);
        landscape
    };
    wrong.insert("open.landscape.hills[1].radii[2]", hill(|hill| hill.radii[2] = f64::NAN));
    wrong.insert("open.landscape.hills[1].position[0]", hill(|hill| hill.position[0] = 3.0));
    wrong.insert("open.landscape.hills[1].exponents[1]", hill(|hill| hill.exponents[1] = 2.0));
    wrong.insert("open.landscape.hills", hill(|hill| hill.id = 1));
    let side = Settings { side: 500, ..good.settings.clone() };
    wrong.insert("open.landscape.settings.side", Landscape { settings: side, ..good.clone() });
    let context = Context { files: &Files::default(), number: 9 };
    for (field, landscape) in wrong {
        let refusal = table.session.edit(Edit::Open { landscape, drape: None }, &context).unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some(field));
    }
    let drape = Some("AAAA".to_owned());
    let refusal = table.session.edit(Edit::Open { landscape: good.clone(), drape }, &context).unwrap_err();
    assert_eq!(refusal.field.as_deref(), Some("open.drape"));
    assert_eq!(table.session.document(), good);
    // Hands on what is not there do nothing.
    table.hand(0, Phase::Move, 99, [9.0; 6]);
    table.hand(1, Phase::Press, u32::MAX, [9.0; 6]);
    table.hand(2, Phase::Move, 0, [9.0; 6]);
    table.advance(2);
}

/// Walks for some seconds by random sticks, looks and jumps.
fn walk(landscape: &Landscape, seconds: u32) {
    let mut table = Table::open(landscape);
    table.settle(3600);
    table.edit(Edit::Walk { walking: true });
    let mut random = fastrand::Rng::with_seed(7);
    let (mut stick, mut yaw, mut pitch) = ([0.0f32; 2], 1.5f32, -0.2f32);
    let mut air = 0;
    let (mut marked, mut farthest) = (table.session.walking().unwrap().0, 0.0f64);
    for step in 0..60 * seconds {
        if step % 90 == 0 {
            let angle = random.f32() * std::f32::consts::TAU;
            stick = if random.f32() < 0.9 { [angle.cos(), angle.sin()] } else { [0.0; 2] };
        }
        yaw += 0.05 * (random.f32() - 0.5);
        pitch = (pitch + 0.04 * (random.f32() - 0.5)).clamp(-1.4, 1.2);
        table.hand(2, Phase::Move, 0, [stick[0], stick[1], yaw, pitch, 5.0, 0.0]);
        if random.f32() < 0.01 {
            table.hand(3, Phase::Press, 0, [0.0; 6]);
        }
        table.advance(1);
        let (feet, standing, clear) = table.session.walking().unwrap();
        assert!(clear, "{} after {step} steps: the walker or its camera is in the ground at {feet}", landscape.name);
        air = if standing { 0 } else { air + 1 };
        assert!(air < 60 * 6, "{}: in the air for {air} steps at {feet}", landscape.name);
        farthest = farthest.max(feet.distance(marked));
        if step % (60 * 60) == 60 * 60 - 1 {
            // In a minute it has been somewhere else: a character's height is 0.04 m of the table.
            assert!(farthest > 0.1, "{}: stuck at {feet}", landscape.name);
            (marked, farthest) = (feet, 0.0);
        }
    }
    table.edit(Edit::Walk { walking: false });
    assert!(table.session.walking().is_none());
}

#[test]
fn the_walker_stays_on_every_landscape() {
    gallery().iter().for_each(|landscape| walk(landscape, 61));
}

#[test]
#[ignore = "ten minutes on every landscape"]
fn the_walker_stays_on_every_landscape_for_ten_minutes() {
    gallery().iter().for_each(|landscape| walk(landscape, 600));
}
