//! Queries of compounds and meshes, and of bodies in motion.

use serde::Serialize;
use superegg::InvalidInput;
use superegg::query::{Options, Ray};
use superegg_world::WorldError;
use superegg_world::geometry::{Contact, Geometry, distance, intersect, ray};
use superegg_world::motion::{Impact, ToiOptions, time_of_impact};

use super::parts::{DistanceAnswer, HitAnswer};
use super::request::read_options;
use crate::json::geometry::{GeneralBody, is_general, is_surface, read_general_body, read_moving_body, refuse};
use crate::json::shape::vector;
use crate::json::{Field, Kind, Object, Refusal};

/// The answer to a query of this kind.
#[derive(Serialize)]
#[serde(untagged)]
pub enum GeneralAnswer {
    Distance(PartsAnswer),
    Intersect { intersect: bool },
    Hit(PartHit),
    Miss { hit: bool },
    Impact(Box<ImpactAnswer>),
}

/// A distance, and between which parts.
#[derive(Serialize)]
pub struct PartsAnswer {
    #[serde(flatten)]
    distance: DistanceAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_a: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_b: Option<u32>,
}

/// A hit, and of which part.
#[derive(Serialize)]
pub struct PartHit {
    #[serde(flatten)]
    hit: HitAnswer,
    part: u32,
}

/// What becomes of moving bodies.
#[derive(Serialize)]
pub struct ImpactAnswer {
    status: &'static str,
    /// Up to when they do not meet; null if they do not up to the horizon.
    time: Option<f64>,
    #[serde(flatten)]
    contact: Option<Touch>,
    queries: u32,
}

/// Where they meet.
#[derive(Serialize)]
struct Touch {
    distance: f64,
    point_a: [f64; 3],
    point_b: [f64; 3],
    normal: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    part_a: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_b: Option<u32>,
}

/// Answers the query if it is one of these.
pub fn answer(top: &Field) -> Result<Option<GeneralAnswer>, Refusal> {
    let object = top.object()?;
    let query = object.require("query")?;
    let name = query.text()?;
    let general = ["a", "b"].iter().any(|&name| object.get(name).is_some_and(|body| is_general(&body)));
    let surface = ["a", "b"].iter().any(|&name| object.get(name).is_some_and(|body| is_surface(&body)));
    match name {
        "time_of_impact" => impact(top, &object).map(Some),
        _ if !(general || surface && matches!(name, "intersect" | "ray")) => Ok(None),
        "distance" => {
            object.allow_only("a distance query", &["query", "a", "b", "options"])?;
            let options = object.get("options").map_or(Ok(Options::DEFAULT), |options| read_options(&options))?;
            let (a, b) = pair(&object)?;
            let found = distance(&a.form, &a.pose, &b.form, &b.pose, &options);
            let contact = found.map_err(|error| refuse(top, error))?.contact;
            let [part_a, part_b] = named_parts(&contact, &a.form, &b.form);
            Ok(Some(GeneralAnswer::Distance(PartsAnswer {
                distance: DistanceAnswer::new(&contact.outcome),
                part_a,
                part_b,
            })))
        }
        "intersect" => {
            object.allow_only("an intersect query", &["query", "a", "b"])?;
            let (a, b) = pair(&object)?;
            let found = intersect(&a.form, &a.pose, &b.form, &b.pose);
            let intersect = found.map_err(|error| refuse(top, error))?;
            Ok(Some(GeneralAnswer::Intersect { intersect }))
        }
        "ray" => {
            object.allow_only("a ray query", &["query", "a", "origin", "direction"])?;
            let (origin, direction) = (vector(&object.require("origin")?)?, vector(&object.require("direction")?)?);
            let line = Ray::new(origin, direction).map_err(|refused| Refusal::invalid(top, refused))?;
            let body = read_general_body(&object.require("a")?)?;
            let hit = ray(&body.form, &body.pose, &line).map_err(|error| refuse(top, error))?;
            Ok(Some(hit.map_or(GeneralAnswer::Miss { hit: false }, |(part, hit)| {
                GeneralAnswer::Hit(PartHit { hit: HitAnswer::new(&hit), part })
            })))
        }
        other => {
            let message = format!("a {other} query takes no compound and no mesh");
            Err(query.refuse(Kind::Unsupported, message))
        }
    }
}

fn pair(object: &Object) -> Result<(GeneralBody, GeneralBody), Refusal> {
    Ok((read_general_body(&object.require("a")?)?, read_general_body(&object.require("b")?)?))
}

/// The numbers of the parts, where a body has parts.
fn named_parts(contact: &Contact, a: &Geometry, b: &Geometry) -> [Option<u32>; 2] {
    let has_parts = |form: &Geometry| matches!(form, Geometry::Compound(_) | Geometry::Mesh(_));
    let named = |form: &Geometry, part: u32| has_parts(form).then_some(part);
    [named(a, contact.part_a), named(b, contact.part_b)]
}

fn impact(top: &Field, object: &Object) -> Result<GeneralAnswer, Refusal> {
    object.allow_only("a time_of_impact query", &["query", "a", "b", "horizon", "options"])?;
    let mut options = ToiOptions::within(object.require("horizon")?.number()?);
    if let Some(field) = object.get("options") {
        let given = field.object()?;
        given.allow_only("the options of a time_of_impact query", &["tolerance", "max_iterations", "separation"])?;
        if let Some(tolerance) = given.get("tolerance") {
            options.tolerance = tolerance.number()?;
        }
        if let Some(separation) = given.get("separation") {
            options.separation = separation.number()?;
        }
        if let Some(most) = given.get("max_iterations") {
            options.max_queries = most.count()?;
        }
    }
    let (a, motion_a) = read_moving_body(&object.require("a")?)?;
    let (b, motion_b) = read_moving_body(&object.require("b")?)?;
    let found = time_of_impact(&a, &motion_a, &b, &motion_b, &options).map_err(|error| match error {
        // The library's name for what the format calls like the cap of every other query.
        WorldError::Input(refused) if refused.field == "options.max_queries" => {
            Refusal::invalid("", InvalidInput { field: "options.max_iterations", ..refused })
        }
        WorldError::Input(refused) => Refusal::invalid("", refused),
        other => refuse(top, other),
    })?;
    let (status, time, contact) = match found.impact {
        Impact::None => ("none", None, None),
        Impact::Already(contact) => ("already", Some(0.0), Some(contact)),
        Impact::At(time, contact) => ("impact", Some(time), Some(contact)),
        Impact::Undecided(time) => ("not_converged", Some(time), None),
    };
    let touch = |contact: Contact| {
        let [part_a, part_b] = named_parts(&contact, &a, &b);
        let outcome = contact.outcome;
        Touch {
            distance: outcome.distance,
            point_a: outcome.point_a.to_array(),
            point_b: outcome.point_b.to_array(),
            normal: outcome.normal.to_array(),
            part_a,
            part_b,
        }
    };
    Ok(GeneralAnswer::Impact(Box::new(ImpactAnswer {
        status,
        time,
        contact: contact.map(touch),
        queries: found.queries,
    })))
}
