//! A query as JSON.
//!
//! ```json
//! {"query":"distance","a":{…},"b":{…},"options":{"method":"default","tolerance":1e-9}}
//! ```

use superegg::query::{Options, Ray};

use superegg_schemes::{Method, SchemeOptions};

use super::scheme;
use crate::json::shape::{AnyBody, Body, read_any_body, read_body, vector};
use crate::json::{Field, Kind, Object, Refusal, unknown_name};

/// A question, ready to be answered.
#[derive(Clone, Debug)]
pub enum Request {
    /// How far apart are two bodies?
    Distance(DistanceRequest),
    /// Do two bodies share a point?
    Intersect(Body, Body),
    /// Where does a ray meet a body?
    Ray(Body, Ray),
    /// How does the distance change with the poses and the shapes?
    Gradient(Pair),
    /// How do the distance's derivatives, the points and the normal change with the poses?
    SecondDerivatives(Pair),
    /// By which factor have both bodies to be scaled to touch?
    Growth(Pair),
}

/// Two bodies, and by which method their distance is wanted.
#[derive(Clone, Debug)]
pub struct DistanceRequest {
    /// The first body.
    pub a: AnyBody,
    /// The second body.
    pub b: AnyBody,
    /// The method.
    pub method: Method,
    /// How it is run.
    pub options: SchemeOptions,
}

/// Two bodies, and how exact their distance has to be.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first body.
    pub a: Body,
    /// The second body.
    pub b: Body,
    /// How exact.
    pub options: Options,
}

const QUERIES: &[&str] =
    &["distance", "intersect", "ray", "gradient", "second_derivatives", "growth", "time_of_impact"];

impl Request {
    /// Reads a query.
    pub fn read(top: &Field) -> Result<Request, Refusal> {
        let object = top.object()?;
        let query = object.require("query")?;
        match query.text()? {
            "distance" => Ok(Request::Distance(read_distance(&object)?)),
            "gradient" => Ok(Request::Gradient(read_pair(&object, "a gradient query")?)),
            "second_derivatives" => {
                Ok(Request::SecondDerivatives(read_pair(&object, "a query for second derivatives")?))
            }
            "growth" => Ok(Request::Growth(read_pair(&object, "a growth query")?)),
            "intersect" => {
                object.allow_only("an intersect query", &["query", "a", "b", "options"])?;
                if let Some(options) = object.get("options") {
                    let options = options.object()?;
                    options.allow_only("the options of an intersect query", &["method"])?;
                    read_method(&options)?;
                }
                Ok(Request::Intersect(read_body(&object.require("a")?)?, read_body(&object.require("b")?)?))
            }
            "ray" => {
                object.allow_only("a ray query", &["query", "a", "origin", "direction"])?;
                let a = read_body(&object.require("a")?)?;
                let (origin, direction) = (vector(&object.require("origin")?)?, vector(&object.require("direction")?)?);
                let ray = Ray::new(origin, direction).map_err(|refused| Refusal::invalid(top, refused))?;
                Ok(Request::Ray(a, ray))
            }
            other => Err(refuse_name(&query, other, QUERIES, &[])),
        }
    }
}

fn read_pair(object: &Object, what: &str) -> Result<Pair, Refusal> {
    object.allow_only(what, &["query", "a", "b", "options"])?;
    let a = read_body(&object.require("a")?)?;
    let b = read_body(&object.require("b")?)?;
    let options = object.get("options").map_or(Ok(Options::DEFAULT), |options| read_options(&options))?;
    Ok(Pair { a, b, options })
}

fn read_distance(object: &Object) -> Result<DistanceRequest, Refusal> {
    object.allow_only("a distance query", &["query", "a", "b", "options"])?;
    let a = read_any_body(&object.require("a")?)?;
    let b = read_any_body(&object.require("b")?)?;
    let (method, options) = match object.get("options") {
        Some(field) => scheme::read(&field)?,
        None => (Method::Default, Method::Default.options()),
    };
    Ok(DistanceRequest { a, b, method, options })
}

/// Reads the options of a query that has but one method.
pub fn read_options(field: &Field) -> Result<Options, Refusal> {
    let object = field.object()?;
    object.allow_only("the options", &["method", "tolerance", "max_iterations"])?;
    read_method(&object)?;
    let mut options = Options::DEFAULT;
    if let Some(tolerance) = object.get("tolerance") {
        options.tolerance = tolerance.number()?;
    }
    if let Some(max_iterations) = object.get("max_iterations") {
        options.max_iterations = max_iterations.count()?;
    }
    Ok(options)
}

/// Accepts the one method that queries other than distance have.
fn read_method(options: &Object) -> Result<(), Refusal> {
    let Some(method) = options.get("method") else { return Ok(()) };
    match scheme::method(&method)? {
        Method::Default => Ok(()),
        other => {
            let message = format!("`{}` answers distance queries only; available: default", other.name());
            Err(method.refuse(Kind::Unsupported, message))
        }
    }
}

/// Tells a name that means nothing from one that is part of the format but has nothing behind it.
fn refuse_name(field: &Field, name: &str, available: &[&str], unsupported: &[&str]) -> Refusal {
    if unsupported.contains(&name) {
        let message = format!("`{name}` is not available; available: {}", available.join(", "));
        return field.refuse(Kind::Unsupported, message);
    }
    field.refuse(Kind::InvalidInput, unknown_name(name, &[available, unsupported].concat()))
}
