//! What surfaces do in a contact.

use superegg::InvalidInput;

use crate::error::require_not_negative;

/// Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coefficient up to which a contact sticks.
    pub fixed: f64,
    /// Coefficient of a contact that slides.
    pub sliding: f64,
}

impl Friction {
    /// None at all.
    pub const NONE: Friction = Friction { fixed: 0.0, sliding: 0.0 };

    /// Of two materials in contact: the geometric mean of theirs.
    pub(crate) fn between(self, other: Friction) -> Friction {
        Friction { fixed: (self.fixed * other.fixed).sqrt(), sliding: (self.sliding * other.sliding).sqrt() }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        require_not_negative("friction.static", self.fixed)?;
        let sliding = self.sliding;
        InvalidInput::unless(
            sliding >= 0.0 && sliding <= self.fixed,
            "friction.dynamic",
            sliding,
            "[0, friction.static]",
        )
    }
}

impl Default for Friction {
    /// Cotton on wood.
    fn default() -> Friction {
        Friction { fixed: 0.4, sliding: 0.3 }
    }
}

/// What a collider's surface does in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Against sliding; of two surfaces the geometric mean.
    pub friction: Friction,
    /// Part of the approaching speed that is given back, in [0, 1]; of two surfaces the larger.
    pub restitution: f64,
    /// Lever arm of the resistance against rolling, in metres; of two surfaces the larger.
    pub rolling: f64,
    /// Lever arm of the resistance against spinning about the normal, in metres; of two surfaces the larger.
    pub spinning: f64,
}

impl Default for Material {
    /// Friction of 0.5, nothing else.
    fn default() -> Material {
        Material { friction: Friction { fixed: 0.5, sliding: 0.5 }, restitution: 0.0, rolling: 0.0, spinning: 0.0 }
    }
}

impl Material {
    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        self.friction.validate()?;
        let accepted = (0.0..=1.0).contains(&self.restitution);
        InvalidInput::unless(accepted, "restitution", self.restitution, "[0, 1]")?;
        require_not_negative("rolling", self.rolling)?;
        require_not_negative("spinning", self.spinning)
    }

    /// Of two surfaces in contact.
    pub(crate) fn between(&self, other: &Material) -> Material {
        Material {
            friction: self.friction.between(other.friction),
            restitution: self.restitution.max(other.restitution),
            rolling: self.rolling.max(other.rolling),
            spinning: self.spinning.max(other.spinning),
        }
    }
}

/// Which groups something belongs to, and which it collides with, as bits. Two things meet if each collides with a group of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Its own groups.
    pub member_of: u32,
    /// Those that it meets.
    pub collides_with: u32,
}

impl Groups {
    /// Of all groups, meets all.
    pub const ALL: Groups = Groups { member_of: u32::MAX, collides_with: u32::MAX };

    /// Whether two things meet.
    pub fn meets(self, other: Groups) -> bool {
        self.member_of & other.collides_with != 0 && other.member_of & self.collides_with != 0
    }
}

impl Default for Groups {
    fn default() -> Groups {
        Groups::ALL
    }
}
