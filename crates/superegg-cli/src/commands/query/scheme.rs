//! The options of a distance query: the method and how it is run.

use superegg_schemes::{ConstraintSet, Fallback, Guess, Jacobian, Method, SchemeOptions};

use crate::json::{Field, Kind, Refusal, unknown_name};

/// Options that the library's own method has, and those that only the published schemes have.
const GENERAL: &[&str] = &["method", "tolerance", "max_iterations"];
const OF_SCHEMES: &[&str] =
    &["guess", "jacobian", "restarts", "fallback", "constraints", "curvature_aware", "mesh_vertices", "trace"];

const GUESSES: &[(&str, Guess)] = &[
    ("quadtree", Guess::Quadtree { levels: 6 }),
    ("octree", Guess::Octree { levels: 3 }),
    ("centre_line", Guess::CentreLine { delta: 0.45 }),
    ("surface", Guess::Surface),
    ("geometric", Guess::Geometric),
    ("support", Guess::Support),
];
const JACOBIANS: &[(&str, Jacobian)] =
    &[("analytic", Jacobian::Analytic), ("finite_difference", Jacobian::FiniteDifference)];
const FALLBACKS: &[(&str, Fallback)] =
    &[("none", Fallback::None), ("bisection", Fallback::Bisection), ("regula_falsi", Fallback::RegulaFalsi)];

/// Reads a method's name.
pub fn method(field: &Field) -> Result<Method, Refusal> {
    let name = field.text()?;
    let names = Method::ALL.map(Method::name);
    Method::from_name(name).ok_or_else(|| field.refuse(Kind::InvalidInput, unknown_name(name, &names)))
}

/// Reads the options of a distance query; what is left out is as the method's paper has it.
pub fn read(field: &Field) -> Result<(Method, SchemeOptions), Refusal> {
    let object = field.object()?;
    let method = object.get("method").map_or(Ok(Method::Default), |name| method(&name))?;
    if method == Method::Default {
        object.allow_only("the options of the default method", GENERAL)?;
    } else {
        object.allow_only("the options", &[GENERAL, OF_SCHEMES].concat())?;
    }
    let mut options = method.options();
    if let Some(tolerance) = object.get("tolerance") {
        options.tolerance = tolerance.number()?;
    }
    if let Some(max_iterations) = object.get("max_iterations") {
        options.max_iterations = max_iterations.count()?;
    }
    if let Some(guess) = object.get("guess") {
        options.guess = Some(one_of(&guess, GUESSES)?);
    }
    if let Some(jacobian) = object.get("jacobian") {
        options.jacobian = one_of(&jacobian, JACOBIANS)?;
    }
    if let Some(restarts) = object.get("restarts") {
        options.restarts = restarts.count()?;
    }
    if let Some(fallback) = object.get("fallback") {
        options.fallback = one_of(&fallback, FALLBACKS)?;
    }
    if let Some(constraints) = object.get("constraints") {
        options.constraints = one_of(&constraints, &ConstraintSet::ALL.map(|set| (set.name(), set)))?;
    }
    if let Some(curvature_aware) = object.get("curvature_aware") {
        options.curvature_aware = curvature_aware.truth()?;
    }
    if let Some(vertices) = object.get("mesh_vertices") {
        options.mesh_vertices = vertices.count()? as usize;
    }
    if let Some(trace) = object.get("trace") {
        options.trace = trace.truth()?;
    }
    Ok((method, options))
}

/// Reads a name out of a table.
fn one_of<T: Copy>(field: &Field, table: &[(&'static str, T)]) -> Result<T, Refusal> {
    let name = field.text()?;
    let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
    let found = table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| field.refuse(Kind::InvalidInput, unknown_name(name, &known)))
}
