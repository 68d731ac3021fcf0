//! Smooth bodies as cloth meets them: a shape, where it is, and where it was when the substep began.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

use crate::body::{BodyState, Friction, Groups, Proxy};

/// A smooth shape on a body.
#[derive(Clone, Debug)]
pub(crate) struct SmoothBody {
    pub shape: Shape,
    pub friction: Friction,
    pub groups: Groups,
    /// The body that it is on, and its number among proxies.
    pub body: u32,
    pub proxy: u32,
    pub pose: Pose,
    /// Where it was when the running substep began.
    pub before: Pose,
    /// Whether it may move in this step.
    pub moves: bool,
    /// How far its surface may go in this step.
    pub reach: f64,
    /// Whether the running substep was taken back.
    pub held_up: bool,
}

impl SmoothBody {
    /// A proxy that is no mesh.
    pub fn of(number: u32, proxy: &Proxy, state: &BodyState) -> Option<SmoothBody> {
        let shape = proxy.shape()?.clone();
        let pose = proxy.placed(state).pose();
        Some(SmoothBody {
            shape,
            friction: proxy.material.friction,
            groups: proxy.groups,
            body: proxy.body,
            proxy: number,
            pose,
            before: pose,
            moves: false,
            reach: 0.0,
            held_up: false,
        })
    }

    /// Moves it to where its body is at the end of a substep.
    pub fn advance(&mut self, pose: Pose) {
        (self.before, self.pose, self.held_up) = (self.pose, pose, false);
    }

    /// Whether the running substep has moved it.
    pub fn has_moved(&self) -> bool {
        self.pose != self.before
    }

    /// Takes back the running substep.
    pub fn hold_up(&mut self) {
        self.held_up |= self.has_moved();
        self.pose = self.before;
    }

    /// Ends a step.
    pub fn end_step(&mut self) {
        self.before = self.pose;
    }

    /// Where a point of its material goes that is at a place when the substep begins.
    #[inline]
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.moves { self.pose.transform_point(self.before.inverse_transform_point(point)) } else { point }
    }

    /// The way that a point of its material has made that is at a place when the substep ends.
    #[inline]
    pub fn way_to(&self, point: DVec3) -> DVec3 {
        if self.moves {
            point - self.before.transform_point(self.pose.inverse_transform_point(point))
        } else {
            DVec3::ZERO
        }
    }
}
