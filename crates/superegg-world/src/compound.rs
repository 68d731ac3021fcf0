//! Compound bodies: many smooth parts on one rigid frame, such as a finger or a molar.
//!
//! The distance of two compounds is the least over all pairs of parts. Branch and bound on certified lower bounds finds it
//! with few of the pairs' exact queries: hierarchies of boxes over the parts, then for a pair of parts the best of
//! balls, oriented boxes and, without taper, the plane across the line between the middles; the least bound first.

use glam::DVec3;
use superegg::query::{Options, Outcome, WarmStart, distance};
use superegg::shape::{Aabb, Shape, Sphere};
use superegg::{DMat3, InvalidInput, Pose};

use crate::WorldError;
use crate::bound::{Obb, gap_of_placed, is_tapered};
use crate::broad::Tree;
use crate::certificate::bounds;
use crate::contact::Contact;
use crate::placement::{normalised, placed};

/// A shape and where it sits on its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The shape: any but a plane.
    pub shape: Shape,
    /// Its frame in the body's.
    pub pose: Pose,
}

/// Parts that move as one.
///
/// ```
/// use superegg::query::Options;
/// use superegg::shape::Superellipsoid;
/// use superegg_world::compound::{Compound, Part};
/// use superegg_world::{DVec3, Pose};
/// let bead = |x: f64| -> Result<Part, superegg::InvalidInput> {
///     let shape = Superellipsoid::new([0.4; 3], [1.0; 2])?.into();
///     Ok(Part { shape, pose: Pose::from_translation(DVec3::X * x) })
/// };
/// let chain = Compound::new(vec![bead(0.0)?, bead(1.0)?, bead(2.0)?])?;
/// let beyond = Pose::from_translation(DVec3::X * 4.0);
/// let found = chain.distance(&Pose::IDENTITY, &chain, &beyond, &Options::default())?;
/// assert_eq!((found.contact.part_a, found.contact.part_b), (2, 0));
/// assert!((found.contact.outcome.distance - 1.2).abs() < 1e-8);
/// assert_eq!(found.queries, 1);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<Part>,
    /// Of each part, in the body's frame.
    bounds: Vec<PartBounds>,
    /// Over the parts' boxes in the body's frame.
    tree: Tree,
    reach: f64,
}

#[derive(Clone, Copy, Debug)]
struct PartBounds {
    ball: Sphere,
    obb: Obb,
}

/// The nearest parts of two compounds, and how many exact queries it took to find them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The parts and their distance.
    pub contact: Contact,
    /// Exact queries.
    pub queries: u32,
}

impl Compound {
    /// Refuses an empty list, planes, and poses that are not finite.
    pub fn new(parts: Vec<Part>) -> Result<Compound, WorldError> {
        if parts.is_empty() {
            return Err(WorldError::EmptyCompound);
        }
        let mut own = Vec::with_capacity(parts.len());
        let mut part_bounds = Vec::with_capacity(parts.len());
        for (index, part) in parts.into_iter().enumerate() {
            let pose = placed(&part.pose)?;
            let part = Part { pose, ..part };
            let Some(obb) = Obb::of(&part.shape, &part.pose) else {
                return Err(WorldError::Part { part: index, kind: part.shape.name() });
            };
            let ball = Sphere { center: part.pose.translation, radius: part.shape.reach() };
            part_bounds.push(PartBounds { ball, obb });
            own.push(part);
        }
        let boxes: Vec<Aabb> = own.iter().map(|part| part.shape.aabb(&part.pose)).collect();
        let reach = part_bounds.iter().map(|part| part.ball.center.length() + part.ball.radius).fold(0.0, f64::max);
        Ok(Compound { tree: Tree::over(&boxes)?, parts: own, bounds: part_bounds, reach })
    }

    /// A compound of one part.
    pub fn of(shape: Shape) -> Result<Compound, WorldError> {
        Compound::new(vec![Part { shape, pose: Pose::IDENTITY }])
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Radius of a ball about the origin of the body's frame that holds all parts.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.parts.capacity() * size_of::<Part>() + self.bounds.capacity() * size_of::<PartBounds>() + self.tree.bytes()
    }

    /// The smallest box along the world's axes that holds the posed body.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = normalised(pose);
        let nothing = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        self.parts.iter().fold(nothing, |aabb, part| {
            let own = part.shape.aabb(&pose.compose(&part.pose));
            Aabb { min: aabb.min.min(own.min), max: aabb.max.max(own.max) }
        })
    }

    /// The nearest parts of two bodies, or the deepest in each other.
    pub fn distance(
        &self,
        pose: &Pose,
        other: &Compound,
        other_pose: &Pose,
        options: &Options,
    ) -> Result<Nearest, WorldError> {
        let pair = CompoundPair::new(self, pose, other, other_pose)?;
        let mut failure = None;
        let mut nearest: Option<Contact> = None;
        let mut lower = Some(f64::INFINITY);
        let mut queries = 0;
        self.tree.nearest_pair(
            &other.tree,
            |a, b| pair.gap_of_boxes(a, b),
            |a, b| pair.gap_of_parts(a, b),
            |part_a, part_b| {
                queries += 1;
                match pair.exact(part_a, part_b, options) {
                    Ok(outcome) => {
                        lower = outcome.bounds.and_then(|bounds| Some(lower?.min(bounds.lower)));
                        if nearest.is_none_or(|contact| outcome.distance < contact.outcome.distance) {
                            nearest = Some(Contact { part_a, part_b, outcome });
                        }
                        outcome.distance
                    }
                    Err(error) => {
                        failure = Some(error);
                        f64::NEG_INFINITY
                    }
                }
            },
        );
        match (failure, nearest) {
            (Some(error), _) => Err(error),
            (None, Some(mut contact)) => {
                // What was left out is farther away than this pair; what was asked may reach a little below it.
                let own = contact.outcome.bounds;
                contact.outcome.bounds = own.and_then(|own| Some(bounds(own.lower.min(lower?), own.upper)));
                Ok(Nearest { contact, queries })
            }
            (None, None) => Err(WorldError::EmptyCompound),
        }
    }

    /// All pairs of parts within a margin, sorted by parts; `warm` may know where to start a pair.
    pub fn contacts(
        &self,
        pose: &Pose,
        other: &Compound,
        other_pose: &Pose,
        margin: f64,
        options: &Options,
        warm: impl Fn(u32, u32) -> Option<WarmStart>,
    ) -> Result<Vec<Contact>, WorldError> {
        crate::error::require_length("margin", margin)?;
        let pair = CompoundPair::new(self, pose, other, other_pose)?;
        let mut near = Vec::new();
        self.tree.descend_pairs(
            &other.tree,
            |a, b| pair.gap_of_boxes(a, b) <= margin,
            |a, b| {
                if pair.gap_of_parts(a, b) <= margin {
                    near.push((a, b));
                }
            },
        );
        near.sort_unstable();
        let mut contacts = Vec::with_capacity(near.len());
        for (part_a, part_b) in near {
            let options = Options { warm_start: warm(part_a, part_b), ..*options };
            let outcome = pair.exact(part_a, part_b, &options)?;
            if outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower) <= margin {
                contacts.push(Contact { part_a, part_b, outcome });
            }
        }
        Ok(contacts)
    }
}

/// Two placed compounds.
struct CompoundPair<'a> {
    a: &'a Compound,
    b: &'a Compound,
    pose_a: Pose,
    pose_b: Pose,
    turn_a: DMat3,
    turn_b: DMat3,
    /// What the rounding of poses may add to a gap.
    slack: f64,
}

impl<'a> CompoundPair<'a> {
    fn new(a: &'a Compound, pose_a: &Pose, b: &'a Compound, pose_b: &Pose) -> Result<CompoundPair<'a>, InvalidInput> {
        let pose_a = placed(pose_a)?;
        let pose_b = placed(pose_b)?;
        let far = pose_a.translation.length() + pose_b.translation.length() + a.reach + b.reach;
        let (turn_a, turn_b) = (pose_a.rotation_matrix(), pose_b.rotation_matrix());
        Ok(CompoundPair { a, b, pose_a, pose_b, turn_a, turn_b, slack: 1e-14 * far })
    }

    /// A lower bound of the signed distance of anything in a box of a's frame and one of b's.
    fn gap_of_boxes(&self, box_a: &Aabb, box_b: &Aabb) -> f64 {
        let placed = |aabb: &Aabb, pose: &Pose, axes: DMat3| Obb {
            center: pose.transform_point(0.5 * (aabb.min + aabb.max)),
            axes,
            half: 0.5 * (aabb.max - aabb.min),
        };
        placed(box_a, &self.pose_a, self.turn_a).gap(&placed(box_b, &self.pose_b, self.turn_b)) - self.slack
    }

    /// A sharper one for two parts.
    fn gap_of_parts(&self, part_a: u32, part_b: u32) -> f64 {
        let (a, b) = (&self.a.bounds[part_a as usize], &self.b.bounds[part_b as usize]);
        let placed = |obb: &Obb, pose: &Pose, turn: DMat3| Obb {
            center: pose.transform_point(obb.center),
            axes: turn * obb.axes,
            half: obb.half,
        };
        let boxes = placed(&a.obb, &self.pose_a, self.turn_a).gap(&placed(&b.obb, &self.pose_b, self.turn_b));
        let line = self.pose_b.transform_point(b.ball.center) - self.pose_a.transform_point(a.ball.center);
        let length = line.length();
        let balls = length - a.ball.radius - b.ball.radius;
        // Two support values of tapered shapes cost nearly as much as the exact query.
        let cheap =
            !(is_tapered(&self.a.parts[part_a as usize].shape) || is_tapered(&self.b.parts[part_b as usize].shape));
        let plane = if length > 0.0 && cheap {
            let (shape_a, pose_a) = self.part_a(part_a);
            let (shape_b, pose_b) = self.part_b(part_b);
            gap_of_placed(line / length, shape_a, &pose_a, shape_b, &pose_b)
        } else {
            f64::NEG_INFINITY
        };
        boxes.max(balls).max(plane) - self.slack
    }

    fn part_a(&self, part: u32) -> (&Shape, Pose) {
        let part = &self.a.parts[part as usize];
        (&part.shape, self.pose_a.compose(&part.pose))
    }

    fn part_b(&self, part: u32) -> (&Shape, Pose) {
        let part = &self.b.parts[part as usize];
        (&part.shape, self.pose_b.compose(&part.pose))
    }

    fn exact(&self, part_a: u32, part_b: u32, options: &Options) -> Result<Outcome, WorldError> {
        let (shape_a, pose_a) = self.part_a(part_a);
        let (shape_b, pose_b) = self.part_b(part_b);
        Ok(distance(shape_a, &pose_a, shape_b, &pose_b, options)?)
    }
}
