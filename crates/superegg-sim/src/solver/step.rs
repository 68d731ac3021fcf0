//! One step of everything.
//!
//! Bodies move first, held back where they would get into each other; then cloth and soft solids are projected against the poses
//! that the bodies really reached, and what keeps their particles out of a body is given back to it as an impulse before the
//! next substep, so that momentum is kept to rounding. A body's place answers the cloth one substep late, which is stable as long
//! as it is heavier than the part of the cloth that touches it.
//!
//! Joints may need more substeps than were asked for: bodies then take several in each of the cloth's.

use glam::{DQuat, DVec3};
use superegg::InvalidInput;
use superegg::shape::Aabb;
use superegg_world::bound::Bound;

use super::bodies::{Bodies, BodyStep};
use super::islands::WAKING;
use super::options::{MOST_SUBSTEPS, Report, StepOptions};
use super::surfaces::{Held, Surfaces};
use crate::SimError;
use crate::clock::{Clock, PhaseTimes, StopWatch};
use crate::cloth::Wind;
use crate::contact::cloth_body::smooth::SmoothBody;

/// The part of an edge of cloth that a body may go in a substep, if that takes not more than [`FINEST`] times the substeps.
const SWEPT: f64 = 0.25;
/// Most substeps for each that was asked for, for the sake of fast bodies.
const FINEST: u32 = 8;

/// What is common to all of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    pub gravity: DVec3,
    pub wind: Option<Wind>,
    pub time: f64,
    pub sleeping: bool,
}

/// Refuses steps that cannot be made.
fn validate(surroundings: &Surroundings, dt: f64, options: &StepOptions) -> Result<(), SimError> {
    InvalidInput::unless(dt > 0.0 && dt <= 1e3, "dt", dt, "]0, 1000]")?;
    let substeps = options.substeps;
    InvalidInput::unless((1..=MOST_SUBSTEPS).contains(&substeps), "substeps", f64::from(substeps), "[1, 10000]")?;
    if let Some(wind) = &surroundings.wind {
        wind.validate()?;
    }
    crate::error::require_finite("gravity", surroundings.gravity)?;
    if let Some(budget) = options.budget {
        let accepted = budget >= 0.0 && options.clock.is_some();
        InvalidInput::unless(accepted, "budget", budget, "[0, ∞[, together with a clock")?;
    }
    Ok(())
}

/// Advances bodies and surfaces.
pub(crate) fn step(
    bodies: &mut Bodies,
    surfaces: &mut Surfaces,
    surroundings: &Surroundings,
    dt: f64,
    options: &StepOptions,
) -> Result<Report, SimError> {
    validate(surroundings, dt, options)?;
    let Surroundings { gravity, wind, sleeping, .. } = *surroundings;
    let mut report = Report::default();
    let mut times = PhaseTimes::default();
    let mut watch = StopWatch::new(options.clock);
    let begun = options.clock.map_or(0.0, Clock::now);
    surfaces.list_bodies(&bodies.pairs.proxies, &bodies.list)?;
    surfaces.place_bodies(&bodies.pairs.proxies, &bodies.list);
    bodies.list.iter_mut().for_each(|body| body.aim(1.0, dt));
    wake_surfaces(bodies, surfaces, wind.is_some() || !sleeping, dt);
    let with_cloth = !surfaces.are_asleep();
    let finer = if with_cloth { finer_substeps(bodies, surfaces, dt, options.substeps) } else { 1 };
    let mut making = begin(bodies, surfaces, surroundings, dt, (finer, options), (&mut watch, &mut times))?;
    let substeps = match &making {
        Some(making) if !with_cloth => making.substeps,
        _ => options.substeps * finer,
    };
    let inner = making.as_ref().map_or(1, |making| making.substeps / substeps);
    let h = dt / f64::from(substeps);
    let (mut held, mut made) = (Held::default(), 0);
    for index in 0..substeps {
        let before = options.clock.map_or(0.0, Clock::now);
        let start: Vec<(DVec3, DQuat)> = match with_cloth {
            true => bodies.list.iter().map(|body| (body.center, body.rotation)).collect(),
            false => Vec::new(),
        };
        for part in 0..inner {
            let left = f64::from((substeps - index) * inner - part);
            match &mut making {
                Some(making) => {
                    bodies.substep(making, left, h / f64::from(inner), gravity, (&mut watch, &mut times))?
                }
                None => bodies.advance_unmoved(left, h),
            }
        }
        if with_cloth {
            let placed = (&bodies.pairs.proxies[..], &bodies.list[..]);
            let count = (index, substeps);
            held = surfaces.substep(placed, count, h, gravity, options.threads, (&mut watch, &mut times))?;
            answer_cloth(bodies, surfaces, &start, &mut report.held_up);
        }
        made = index + 1;
        if let (Some(budget), Some(clock)) = (options.budget, options.clock) {
            let now = clock.now();
            if now - begun + (now - before) > budget {
                break;
            }
        }
    }
    report.substeps = made;
    report.advanced = if made == substeps { dt } else { h * f64::from(made) };
    report.contacts.bodies = bodies.end_step(making, report.advanced)?;
    (report.contacts.cloth, report.contacts.cloth_cloth, report.contacts.cloth_mesh) =
        (held.bodies, held.cloth, held.meshes);
    if with_cloth {
        report.max_speed = surfaces.end_step(report.advanced, options.threads)?;
    }
    for body in bodies.list.iter().filter(|body| body.is_dynamic() && body.is_moving()) {
        report.awake += 1;
        report.max_speed = report.max_speed.max(body.speed());
    }
    if sleeping {
        bodies.fall_asleep(surfaces, wind.is_some(), report.advanced);
    }
    watch.lap(&mut times.velocity_update);
    report.times = times;
    Ok(report)
}

/// How many substeps are made for each that was asked for, so that no body that may meet cloth goes farther in one than a part of an
/// edge: cloth is swept along in small ways, which its contacts with itself can follow.
fn finer_substeps(bodies: &Bodies, surfaces: &Surfaces, dt: f64, substeps: u32) -> u32 {
    let mut finer = 1.0f64;
    for (proxy, body) in surfaces.met() {
        let way = bodies.list[body as usize].speed() * dt;
        let (reach, longest) = (bodies.reach_of(proxy, body, dt), SWEPT * f64::from(substeps));
        for (part, edge) in surfaces.parts.iter().map(|part| (part, part.surface.edge_length)) {
            if way > longest * edge && part.sleep.bounds.overlaps(&reach) {
                finer = finer.max((way / (longest * edge)).ceil());
            }
        }
    }
    let most = (MOST_SUBSTEPS / substeps).clamp(1, FINEST);
    finer.min(f64::from(most)) as u32
}

/// Begins a step of bodies, unless nothing can be pushed, and of surfaces, if any are awake.
fn begin(
    bodies: &mut Bodies,
    surfaces: &mut Surfaces,
    &Surroundings { gravity, wind, time, .. }: &Surroundings,
    dt: f64,
    (finer, options): (u32, &StepOptions),
    (watch, times): (&mut StopWatch, &mut PhaseTimes),
) -> Result<Option<BodyStep>, SimError> {
    let with_cloth = !surfaces.are_asleep();
    let making = match bodies.are_unmoved() {
        true => None,
        false => {
            let options = StepOptions { substeps: finer * options.substeps, ..*options };
            Some(bodies.begin_step(gravity, dt, &options, with_cloth, (watch, times))?)
        }
    };
    if with_cloth {
        let (margins, list) = (&bodies.pairs.margins, &bodies.list);
        let reach = |smooth: &SmoothBody| match making {
            None => list[smooth.body as usize].speed() * dt,
            Some(_) => margins[smooth.body as usize],
        };
        surfaces.begin_step(list, reach, (gravity, wind), (time, dt), options.threads, (watch, times))?;
        bodies.list.iter_mut().filter(|body| !body.asleep).for_each(|body| body.pushed_by_cloth = false);
    }
    Ok(making)
}

/// Gives back to bodies what cloth did to them in a substep; those that it held up return to where the substep began.
fn answer_cloth(bodies: &mut Bodies, surfaces: &mut Surfaces, start: &[(DVec3, DQuat)], held_up: &mut Vec<usize>) {
    surfaces.take_impulses(|body, impulse| {
        let state = &mut bodies.list[body as usize];
        if state.is_dynamic() {
            state.pushed_by_cloth = true;
            bodies.impulses.kick(body as usize, state, impulse);
        }
    });
    let held = surfaces.held_up();
    if !held.is_empty() {
        bodies.put_back(&held, start);
    }
    for body in held.into_iter().map(|body| body as usize) {
        bodies.list[body].give_up();
        if !held_up.contains(&body) {
            held_up.push(body);
        }
    }
}

/// Wakes surfaces that something stirs: wind, hands, drags, and bodies and other surfaces that move near them; and bodies that lie on
/// those that were woken.
fn wake_surfaces(bodies: &mut Bodies, surfaces: &mut Surfaces, always: bool, dt: f64) {
    if surfaces.parts.iter().any(|part| part.sleep.asleep) {
        let moving = surfaces.met().filter(|(_, body)| {
            let state = &bodies.list[*body as usize];
            state.is_moving() || state.target.is_some()
        });
        let of_bodies = moving.map(|(proxy, body)| bodies.reach_of(proxy, body, dt));
        let awake = surfaces.parts.iter().map(|part| &part.sleep).filter(|sleep| !sleep.asleep && sleep.speed > WAKING);
        let of_surfaces = awake.map(|sleep| {
            let way = sleep.speed * dt;
            Aabb { min: sleep.bounds.min - way, max: sleep.bounds.max + way }
        });
        let stirring: Vec<Aabb> = of_bodies.chain(of_surfaces).collect();
        for index in 0..surfaces.parts.len() {
            let sleep = &surfaces.parts[index].sleep;
            let stirred = || stirring.iter().any(|aabb| aabb.overlaps(&sleep.bounds));
            if sleep.asleep && (always || stirred() || surfaces.is_moved(index)) {
                surfaces.wake_part(index);
            }
        }
    }
    for bounds in std::mem::take(&mut surfaces.woken) {
        for (proxy, body) in surfaces.met() {
            if bodies.list[body as usize].pushed_by_cloth && bodies.reach_of(proxy, body, dt).overlaps(&bounds) {
                bodies.wake(body);
            }
        }
    }
}
