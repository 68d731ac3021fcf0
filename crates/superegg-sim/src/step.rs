//! One step: the phases of paper 000 (figure 6 and section 4.2) in every substep.
//!
//! Prediction, position constraints, contacts, velocities. Where the paper finds contacts at every step anew and solves
//! them as velocities, here they are found once a step, before anything moves, with a margin for the way that can be made
//! until its end, and projected as positions in every substep, last, so that whatever else a substep leaves undone the
//! bodies are respected.

use glam::DVec3;
use superegg::InvalidInput;
use superegg::query::batch::Threads;

use crate::clock::{Clock, PhaseTimes, StopWatch};
use crate::constraint::packed::Packed;
use crate::{SimError, World};

/// How to make a step.
#[derive(Clone, Copy)]
pub struct StepOptions<'a> {
    /// Pieces that a step is cut into; each projects every constraint once.
    pub substeps: u32,
    /// Threads to share large worlds among. The result is the same.
    pub threads: Threads,
    /// Measures the phases, if given.
    pub clock: Option<&'a dyn Clock>,
}

impl Default for StepOptions<'_> {
    /// Five substeps on the calling thread.
    fn default() -> Self {
        StepOptions { substeps: 5, threads: Threads::One, clock: None }
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Seconds spent in each phase; zeros without a clock.
    pub times: PhaseTimes,
    /// Vertices that were held off a body in the last substep.
    pub contacts: usize,
    /// Pairs of features of cloth that were held apart in the last substep.
    pub self_contacts: usize,
    /// Pairs of features of cloth and of obstacles that were held apart in the last substep.
    pub obstacle_contacts: usize,
    /// The largest speed of a particle of cloth or a soft solid at the end.
    pub max_speed: f64,
}

/// Most substeps of a step.
const MOST_SUBSTEPS: u32 = 10_000;

/// Advances the world by `dt` seconds.
///
/// ```
/// use superegg_sim::{StepOptions, World, step};
/// let mut world = World::new();
/// step(&mut world, 0.01, &StepOptions::default())?;
/// assert_eq!(world.time, 0.01);
/// assert!(step(&mut world, f64::NAN, &StepOptions::default()).is_err());
/// # Ok::<(), superegg_sim::SimError>(())
/// ```
pub fn step(world: &mut World, dt: f64, options: &StepOptions) -> Result<StepReport, SimError> {
    InvalidInput::unless(dt > 0.0 && dt <= 1e3, "dt", dt, "]0, 1000]")?;
    let substeps = options.substeps;
    InvalidInput::unless((1..=MOST_SUBSTEPS).contains(&substeps), "substeps", f64::from(substeps), "[1, 10000]")?;
    if let Some(wind) = &world.wind {
        wind.validate()?;
    }
    let gravity = world.gravity;
    InvalidInput::unless(gravity.is_finite(), "gravity", gravity.length(), "the finite vectors")?;

    let mut report = StepReport::default();
    let times = &mut report.times;
    let mut watch = StopWatch::new(options.clock);
    let h = dt / f64::from(substeps);
    if let Some(wind) = world.wind {
        for part in &world.parts {
            wind.blow(&part.surface, &mut world.particles, world.time, dt);
        }
    }
    for part in world.parts.iter().filter(|part| part.internal_damping > 0.0) {
        part.elastic.damp(&mut world.particles, 1.0 - (-part.internal_damping * dt).exp());
    }
    watch.lap(&mut times.time_integration);
    world.surface_contacts.begin_step(&world.parts, &world.obstacles, &world.particles);
    world.detect(dt, options.threads)?;
    watch.lap(&mut times.collision_detection);
    for substep in 0..substeps {
        predict(world, h, f64::from(substeps - substep), f64::from(substeps));
        watch.lap(&mut times.time_integration);
        for part in &world.parts {
            part.elastic.project(&mut world.packed, h, options.threads);
        }
        for range in world.parts.iter().map(|part| part.surface.particles.clone()) {
            let ends = world.particles.position[range.clone()].iter_mut().zip(&world.packed[range]);
            ends.for_each(|(position, packed)| *position = packed.position());
        }
        watch.lap(&mut times.position_constraints);
        if world.outran_contacts() {
            // Faster than foreseen: look again from where the substep began, which is known to be clear.
            world.detect_again(h * f64::from(substeps - substep), h, options.threads)?;
        }
        world.detect_among_surfaces(h, dt);
        watch.lap(&mut times.collision_detection);
        let held = world.project_contacts(h, dt);
        (report.contacts, report.self_contacts, report.obstacle_contacts) = (held.bodies, held.cloth, held.obstacles);
        watch.lap(&mut times.velocity_constraints);
        update_velocities(world, h)?;
        watch.lap(&mut times.velocity_update);
    }
    world.bring_to_rest(dt);
    world.follow_cloths(options.threads);
    watch.lap(&mut times.velocity_update);
    let ranges = world.parts.iter().map(|part| part.surface.particles.clone());
    let velocities = ranges.flat_map(|range| &world.particles.velocity[range]);
    report.max_speed = velocities.map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
    for pin in &mut world.pins {
        pin.from = pin.target;
    }
    world.time += dt;
    Ok(report)
}

/// Moves bodies and obstacles by their velocities, and notes where particles would go; pins by their part of the way to their targets, in
/// the first of `left` substeps of `all`.
fn predict(world: &mut World, h: f64, left: f64, all: f64) {
    for body in &mut world.bodies {
        body.advance(h);
    }
    let fall = world.gravity * h;
    let particles = &mut world.particles;
    std::mem::swap(&mut particles.previous, &mut particles.position);
    for obstacle in &mut world.obstacles {
        obstacle.advance(particles, left, h);
    }
    particles.recovered.fill(DVec3::ZERO);
    world.packed.resize(particles.len(), Packed::default());
    for part in &world.parts {
        let keep = (-part.damping * h).exp();
        for p in part.surface.particles.clone() {
            let weight = particles.inverse_mass[p];
            let way = if weight > 0.0 { (particles.velocity[p] + fall) * (keep * h) } else { DVec3::ZERO };
            world.packed[p] = Packed::new(particles.previous[p] + way, weight);
        }
    }
    for pin in &world.pins {
        let start = particles.previous[pin.particle as usize];
        world.packed[pin.particle as usize] = Packed::new(pin.next(start, left, all, h), 0.0);
    }
}

/// Velocities from the way made.
fn update_velocities(world: &mut World, h: f64) -> Result<(), SimError> {
    let particles = &mut world.particles;
    let mut sound = true;
    let moved = world.obstacles.iter().filter(|obstacle| obstacle.has_moved()).map(|obstacle| &obstacle.surface);
    for range in world.parts.iter().map(|part| &part.surface).chain(moved).map(|surface| surface.particles.clone()) {
        let ends = particles.position[range.clone()].iter().zip(&particles.previous[range.clone()]);
        let ends = ends.zip(&particles.recovered[range.clone()]);
        for (velocity, ((&position, &previous), &recovered)) in particles.velocity[range].iter_mut().zip(ends) {
            let mut way = position - previous;
            if recovered != DVec3::ZERO {
                // Only as far as it was in fact made.
                let part = way.dot(recovered) / recovered.length_squared();
                way -= recovered * part.clamp(0.0, 1.0);
            }
            *velocity = way / h;
            sound &= velocity.length_squared() < f64::INFINITY;
        }
    }
    if !sound {
        let lost = particles.velocity.iter().position(|v| !v.length_squared().is_finite()).unwrap_or(0);
        return Err(SimError::NotFinite { particle: lost, position: particles.position[lost] });
    }
    Ok(())
}
