//! Snapshots: the state of a world, to be restored to the same bits.

use super::World;
use crate::SimError;

/// The state of a world at a moment.
#[derive(Clone, Debug)]
pub struct Snapshot(Box<World>);

impl Snapshot {
    /// The simulated time that it was taken at, in seconds.
    pub fn time(&self) -> f64 {
        self.0.time
    }
}

impl World {
    /// Everything that decides how the world goes on. Meshes and the constraints of cloth are shared, not copied.
    ///
    /// ```
    /// use superegg::shape::Superellipsoid;
    /// use superegg::{DVec3, Pose};
    /// use superegg_sim::{Body, StepOptions, World};
    /// let mut world = World::new();
    /// let ball = Superellipsoid::new([0.1; 3], [1.0; 2])?;
    /// let ball = world.add_body(Body::dynamic(ball, Pose::IDENTITY, 1000.0))?;
    /// let start = world.snapshot();
    /// world.step(0.1, &StepOptions::default())?;
    /// let first = world.body(ball)?.pose();
    /// world.restore(&start)?;
    /// world.step(0.1, &StepOptions::default())?;
    /// assert_eq!(world.body(ball)?.pose(), first);
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Box::new(self.clone()))
    }

    /// Goes back, or forward, to a snapshot of this world or of a clone of it. Handles of what was there then name it again; those of
    /// what came later are stale, and stay so.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimError> {
        if !snapshot.0.stamp.is_of_same_world(&self.stamp) {
            return Err(SimError::Foreign { what: "snapshot" });
        }
        let stamp = self.stamp.clone();
        self.clone_from(&snapshot.0);
        self.stamp = stamp;
        Ok(())
    }
}
