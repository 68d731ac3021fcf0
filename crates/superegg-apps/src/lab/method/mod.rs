//! The table of contact methods that a client can choose from. A method is one entry here: how people call it, what it
//! does, and the scheme behind it. Nothing else in the studio, server or browser, knows any method.

mod story;

use superegg::DVec3;
use superegg::query::{Bounds, Outcome, Status};
use superegg_schemes::{Answer, SchemeOptions};
use superegg_world::geometry::Geometry;

use crate::lab::messages::{MethodFacts, PairStatus};
use crate::lab::placed::Placed;
use crate::wire::{ErrorKind, Refusal};

pub(crate) use story::Story;

/// What a method found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solution {
    pub distance: f64,
    pub bounds: Option<Bounds>,
    pub point_a: DVec3,
    pub point_b: DVec3,
    pub normal: DVec3,
    pub status: PairStatus,
    pub iterations: u32,
}

/// A way of computing contacts.
pub(crate) struct Method {
    scheme: superegg_schemes::Method,
    title: &'static str,
    about: &'static str,
}

/// All of them; the first is what a new scene starts with.
pub(crate) static METHODS: &[Method] = &[
    Method {
        scheme: superegg_schemes::Method::Default,
        title: "Superegg",
        about: "Certified: a damped Newton iteration on the smoothest coordinates of each surface. Between convex bodies \
                the distance is proved by a lower and an upper bound.",
    },
    Method {
        scheme: superegg_schemes::Method::QuadImplicit,
        title: "quadImplicit",
        about: "Common normal of the implicit surfaces, six equations, from a quadtree guess over both bodies' angles \
                (paper 003).",
    },
    Method {
        scheme: superegg_schemes::Method::QuadParametric,
        title: "quadParametric",
        about: "Common normal of the parametric surfaces, four equations in the angles, from a quadtree guess (paper 003).",
    },
    Method {
        scheme: superegg_schemes::Method::NtbParametric,
        title: "ntbParametric",
        about: "The same with normals, tangents and bitangents of the implicit surface (paper 003).",
    },
    Method {
        scheme: superegg_schemes::Method::OctImplicit,
        title: "octImplicit",
        about: "Common normal of the implicit surfaces, from an octree guess around both bodies (papers 001 and 003).",
    },
    Method {
        scheme: superegg_schemes::Method::Geometric,
        title: "Geometric",
        about: "Between a point and an egg: a surface point corrected by averaged normals, with an adaptive step λ \
                (paper 000).",
    },
    Method {
        scheme: superegg_schemes::Method::InteriorPoint,
        title: "Interior point",
        about: "Constrained minimisation of the distance by an interior-point method (paper 004).",
    },
    Method {
        scheme: superegg_schemes::Method::Sqp,
        title: "SQP",
        about: "Constrained minimisation of the distance by sequential quadratic programming (paper 004).",
    },
    Method {
        scheme: superegg_schemes::Method::Mesh,
        title: "Triangle meshes",
        about: "Least distance of two triangle meshes, made anew for every query: what most programs do.",
    },
];

/// The method of this name.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name() == name)
}

impl Method {
    /// As in `superegg query`.
    pub fn name(&self) -> &'static str {
        self.scheme.name()
    }

    pub fn facts(&self) -> MethodFacts {
        MethodFacts {
            name: self.name().to_owned(),
            title: self.title.to_owned(),
            about: self.about.to_owned(),
            tolerance: self.scheme.options().tolerance,
        }
    }

    pub fn solve(&self, a: &Placed, b: &Placed, tolerance: f64) -> Result<Solution, Refusal> {
        let options = SchemeOptions { tolerance, ..self.scheme.options() };
        Ok(self.run(a, b, &options)?.outcome.into())
    }

    /// How the method comes to its answer.
    pub fn trace(&self, a: &Placed, b: &Placed, tolerance: f64) -> Result<Story, Refusal> {
        let options = SchemeOptions { tolerance, trace: true, ..self.scheme.options() };
        let end = self.run(a, b, &options)?;
        match end.trace {
            Some(trace) => Ok(story::of_trace(&trace, &end.outcome, [a, b])),
            None => {
                let after = |max_iterations| {
                    Ok(self.run(a, b, &SchemeOptions { max_iterations, trace: false, ..options })?.outcome)
                };
                story::by_budget(&end.outcome, after)
            }
        }
    }

    fn run(&self, a: &Placed, b: &Placed, options: &SchemeOptions) -> Result<Answer, Refusal> {
        let is_single = |form: &Geometry| matches!(form, Geometry::Shape(_) | Geometry::Superquadric(_));
        let by_default = self.scheme == superegg_schemes::Method::Default;
        if !(by_default || is_single(&a.form) && is_single(&b.form)) {
            let message = format!("{} takes single bodies; choose {}", self.title, METHODS[0].title);
            return Err(Refusal::whole(ErrorKind::Unsupported, message));
        }
        Ok(superegg_schemes::distance(self.scheme, &a.form, &a.pose, &b.form, &b.pose, options)?)
    }
}

impl From<Outcome> for Solution {
    fn from(outcome: Outcome) -> Solution {
        Solution {
            distance: outcome.distance,
            bounds: outcome.bounds,
            point_a: outcome.point_a,
            point_b: outcome.point_b,
            normal: outcome.normal,
            status: match outcome.status {
                Status::Separated => PairStatus::Separated,
                Status::Touching => PairStatus::Touching,
                Status::Penetrating => PairStatus::Penetrating,
                Status::NotConverged => PairStatus::NotConverged,
            },
            iterations: outcome.iterations,
        }
    }
}
