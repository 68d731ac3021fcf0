//! What a joint holds at all times, and what drives it, as rows.

use glam::DVec3;

/// What a row is for, with the axis that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Held at all times.
    Held,
    /// Servo, spring and damping of an axis.
    Drive(u8),
    /// The end of an axis' range, while it stands there; it takes the place of the axis' drive.
    Stop(u8),
}

/// One direction that a joint holds, drives or stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equality {
    pub direction: DVec3,
    pub arms: [DVec3; 2],
    pub bias: f64,
    /// The bias without what brings back that which is off: of a drive, the one that it had when its impulse was found.
    pub bias_before: f64,
    /// How much it gives way to a unit of impulse; zero for what is held.
    pub compliance: f64,
    pub role: Role,
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
        Equality { role: Role::Drive(axis), bias, bias_before: bias, compliance, ..self }
    }

    /// The same as the stop of an axis that is brought back by the first of two biases.
    pub fn stopped(self, axis: u8, [bias, bias_before]: [f64; 2]) -> Equality {
        Equality { role: Role::Stop(axis), bias, bias_before, ..self }
    }

    /// About an axis.
    pub fn about(axis: DVec3, bias: f64) -> Equality {
        let direction = DVec3::ZERO;
        Equality { direction, arms: [axis; 2], bias, bias_before: 0.0, compliance: 0.0, role: Role::Held }
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

    /// The rows of axes that are driven: their places and axes.
    pub fn drives(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.of_axes()
            .filter_map(|(i, role)| if let Role::Drive(axis) = role { Some((i, usize::from(axis))) } else { None })
    }

    /// The places of the rows of axes that are driven or stopped, and the axes.
    pub fn rows_of_axes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.of_axes().filter_map(|(i, role)| match role {
            Role::Drive(axis) | Role::Stop(axis) => Some((i, usize::from(axis))),
            Role::Held => None,
        })
    }

    fn of_axes(&self) -> impl Iterator<Item = (usize, Role)> + use<> {
        self.list.map(|row| row.role).into_iter().take(self.count).enumerate()
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
