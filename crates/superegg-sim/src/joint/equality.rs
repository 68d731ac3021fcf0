//! What a joint holds at all times, and what drives it, as rows.

use glam::DVec3;

/// A row that no axis drives.
pub(crate) const HELD: u8 = u8::MAX;

/// One direction that a joint holds or drives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equality {
    pub direction: DVec3,
    pub arms: [DVec3; 2],
    pub bias: f64,
    /// The bias that it had when its impulse was found.
    pub bias_before: f64,
    /// How much it gives way to a unit of impulse; zero for what is held.
    pub compliance: f64,
    /// Which axis drives it.
    pub axis: u8,
}

impl Default for Equality {
    fn default() -> Equality {
        Equality::about(DVec3::ZERO, 0.0)
    }
}

impl Equality {
    /// Along a direction, at points given from the centers of mass along the world's axes.
    pub fn along(direction: DVec3, arms: [DVec3; 2], bias: f64) -> Equality {
        Equality { direction, arms: arms.map(|arm| arm.cross(direction)), ..Equality::about(DVec3::ZERO, bias) }
    }

    /// The same as the drive of an axis.
    pub fn driven(self, axis: u8, bias: f64, compliance: f64) -> Equality {
        Equality { axis, bias, bias_before: bias, compliance, ..self }
    }

    /// About an axis.
    pub fn about(axis: DVec3, bias: f64) -> Equality {
        let direction = DVec3::ZERO;
        Equality { direction, arms: [axis; 2], bias, bias_before: bias, compliance: 0.0, axis: HELD }
    }
}

/// Everything that a joint holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Equalities {
    pub list: [Equality; 6],
    pub count: usize,
}

impl Equalities {
    /// Adds one of at most six.
    pub fn push(&mut self, equality: Equality) {
        if self.count < self.list.len() {
            self.list[self.count] = equality;
            self.count += 1;
        }
    }

    /// The rows that are driven: their places and axes.
    pub fn drives(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let axes = self.list.map(|row| row.axis);
        (0..self.count).filter(move |&i| axes[i] != HELD).map(move |i| (i, usize::from(axes[i])))
    }

    /// How the speeds of the equalities depend on the velocity of an end; rows that are not used are zero.
    pub fn jacobian(&self, end: usize) -> [[f64; 6]; 6] {
        let sign = [-1.0, 1.0][end];
        self.list.map(|row| {
            let (d, arm) = (row.direction * sign, row.arms[end] * sign);
            [d.x, d.y, d.z, arm.x, arm.y, arm.z]
        })
    }
}
