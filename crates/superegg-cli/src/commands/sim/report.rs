//! The report of a simulation, for machines and for people.

use std::fmt;

use serde::Serialize;
use superegg_scene::Scene;
use superegg_sim::measure::Penetration;
use superegg_sim::{PhaseTimes, SimError, measure};
use superegg_world::geometry::Geometry;

/// Slower than this, everything is at rest, in metres a second.
const AT_REST: f64 = 0.02;

/// What adds up over the steps.
#[derive(Default)]
pub struct Tally {
    steps: usize,
    times: PhaseTimes,
    slowest: f64,
    deepest: f64,
    last: Penetration,
    contacts: usize,
    most_contacts: usize,
    /// Since when everything has been at rest.
    at_rest: Option<f64>,
}

/// The whole report.
#[derive(Serialize)]
pub struct Report {
    scene: String,
    steps: usize,
    dt: f64,
    substeps: u32,
    vertices: usize,
    bodies: usize,
    ms: Milliseconds,
    penetration: Depths,
    contacts: Contacts,
    /// Pairs of a triangle of cloth and one of a mesh that pass through each other at the end, if there are meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh_intersections: Option<usize>,
    at_rest_after: Option<f64>,
}

#[derive(Serialize)]
struct Milliseconds {
    time_integration: f64,
    position_constraints: f64,
    velocity_constraints: f64,
    collision_detection: f64,
    velocity_update: f64,
    total: f64,
    slowest: f64,
}

#[derive(Default, Serialize)]
pub struct Depths {
    pub max: f64,
    pub final_max: f64,
    pub final_count: usize,
}

#[derive(Default, Serialize)]
pub struct Contacts {
    pub mean: f64,
    pub max: usize,
}

impl Tally {
    /// Adds a step that was just made.
    pub fn add(&mut self, scene: &Scene, done: &superegg_sim::Report, depths: [Penetration; 2]) {
        let [cloth, bodies] = depths;
        let depth = Penetration { max: cloth.max.max(bodies.max), count: cloth.count + bodies.count };
        self.slowest = self.slowest.max(done.times.total());
        self.steps += 1;
        self.times.time_integration += done.times.time_integration;
        self.times.position_constraints += done.times.position_constraints;
        self.times.velocity_constraints += done.times.velocity_constraints;
        self.times.collision_detection += done.times.collision_detection;
        self.times.velocity_update += done.times.velocity_update;
        self.deepest = self.deepest.max(depth.max);
        self.last = depth;
        let contacts = done.contacts.cloth + done.contacts.cloth_mesh + done.contacts.bodies;
        self.contacts += contacts;
        self.most_contacts = self.most_contacts.max(contacts);
        self.at_rest = if done.max_speed < AT_REST { self.at_rest.or(Some(scene.world.time)) } else { None };
    }

    /// Milliseconds a step so far.
    pub fn mean_ms(&self) -> f64 {
        self.times.total() * 1e3 / self.steps.max(1) as f64
    }

    /// The report.
    pub fn report(&self, scene: &Scene) -> Result<Report, SimError> {
        let steps = self.steps.max(1) as f64;
        let ms = |seconds: f64| seconds * 1e3 / steps;
        let world = &scene.world;
        let vertices = world.surfaces().map(|surface| surface.particles().len()).sum();
        let mut meshes = false;
        for body in world.bodies() {
            for collider in world.body(body)?.colliders() {
                meshes |= matches!(world.collider(collider)?.geometry, Geometry::Mesh(_));
            }
        }
        let with_meshes = meshes && vertices > 0;
        Ok(Report {
            scene: scene.name.clone(),
            steps: self.steps,
            dt: scene.dt,
            substeps: scene.substeps,
            vertices,
            bodies: world.body_count(),
            ms: Milliseconds {
                time_integration: ms(self.times.time_integration),
                position_constraints: ms(self.times.position_constraints),
                velocity_constraints: ms(self.times.velocity_constraints),
                collision_detection: ms(self.times.collision_detection),
                velocity_update: ms(self.times.velocity_update),
                total: self.mean_ms(),
                slowest: 1e3 * self.slowest,
            },
            penetration: Depths { max: self.deepest, final_max: self.last.max, final_count: self.last.count },
            contacts: Contacts { mean: self.contacts as f64 / steps, max: self.most_contacts },
            mesh_intersections: if with_meshes { Some(measure::mesh_intersections(world)?) } else { None },
            at_rest_after: self.at_rest,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { scene, steps, dt, vertices, bodies, ms, penetration, contacts, .. } = self;
        writeln!(f, "{scene}: {bodies} bodies, {vertices} vertices of cloth, {steps} steps of {dt:.5} s")?;
        writeln!(f, "  {:.3} ms of processor time a step, {:.3} ms the slowest:", ms.total, ms.slowest)?;
        for (name, value) in [
            ("time integration", ms.time_integration),
            ("position constraints", ms.position_constraints),
            ("velocity constraints", ms.velocity_constraints),
            ("collision detection", ms.collision_detection),
            ("velocity update", ms.velocity_update),
        ] {
            writeln!(f, "    {name:22}{value:.3}")?;
        }
        if let Some(count) = self.mesh_intersections {
            writeln!(f, "  meshes: {count} pairs of triangles pass through each other")?;
        }
        write_end(f, penetration, contacts, self.at_rest_after)
    }
}

/// What the reports of cloth and of rigid bodies end with.
pub fn write_end(
    f: &mut fmt::Formatter<'_>,
    penetration: &Depths,
    contacts: &Contacts,
    at_rest_after: Option<f64>,
) -> fmt::Result {
    let (deepest, last) = (1e3 * penetration.max, 1e3 * penetration.final_max);
    writeln!(f, "  penetration: {deepest:.3} mm at most, {last:.3} mm at the end ({})", penetration.final_count)?;
    writeln!(f, "  contacts: {:.0} on average, {} at most", contacts.mean, contacts.max)?;
    match at_rest_after {
        Some(time) => writeln!(f, "  at rest after {time:.2} s"),
        None => writeln!(f, "  not at rest at the end"),
    }
}
