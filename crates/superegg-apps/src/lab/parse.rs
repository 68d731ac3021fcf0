//! Lines of `superegg query` as a scene.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::messages::{Scene, Solver};
use super::world::check_scene;
use crate::files::Files;
use crate::limits::Limits;
use crate::scene::Body;
use crate::wire::{ErrorKind, Refusal, read};

/// A line of `superegg query`; what other queries ask beside the bodies is left to them.
#[derive(Deserialize)]
struct Line {
    a: Map<String, Value>,
    b: Option<Map<String, Value>>,
    options: Option<LineOptions>,
}

#[derive(Deserialize)]
struct LineOptions {
    method: Option<String>,
    tolerance: Option<f64>,
}

/// Reads every line; a body that comes again, as in all pairs of some bodies, is one body.
pub(super) fn parse(text: &str, files: &Files, limits: &Limits) -> Result<Scene, Refusal> {
    let mut scene = Scene {
        name: "Pasted".to_owned(),
        about: String::new(),
        bodies: vec![],
        solver: Solver::default(),
        duration: 4.0,
        files: Default::default(),
    };
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let within = |refusal: Refusal| {
            let field = refusal.field.map_or(format!("line {number}"), |field| format!("line {number}: {field}"));
            Refusal { field: Some(field), ..refusal }
        };
        let line: Line = read(line).map_err(within)?;
        for (name, fields) in [("a", Some(line.a)), ("b", line.b)] {
            let Some(mut fields) = fields else { continue };
            if scene.bodies.len() > limits.bodies {
                break;
            }
            let id = scene.bodies.len() as u32 + 1;
            fields.insert("id".to_owned(), id.into());
            fields.entry("name").or_insert_with(|| format!("Body {id}").into());
            // What moves a body in other queries has no place in a scene.
            fields.remove("velocity");
            fields.remove("angular_velocity");
            let under = |refusal: Refusal| {
                let field = refusal.field.map_or(name.to_owned(), |field| format!("{name}.{field}"));
                within(Refusal { field: Some(field), ..refusal })
            };
            let body: Body = read(&Value::Object(fields).to_string()).map_err(under)?;
            let known =
                scene.bodies.iter().any(|other| Body { id: body.id, name: body.name.clone(), ..other.clone() } == body);
            if !known {
                scene.bodies.push(body);
            }
        }
        if let Some(options) = line.options {
            scene.solver.method = options.method.unwrap_or(scene.solver.method);
            scene.solver.tolerance = options.tolerance.unwrap_or(scene.solver.tolerance);
        }
    }
    if scene.bodies.is_empty() {
        return Err(Refusal::whole(ErrorKind::Parse, "there is no query in the text"));
    }
    check_scene("pasted", &scene, files, limits)?;
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALL: &str = r#"{"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1]}"#;

    #[test]
    fn lines_become_bodies_and_repeated_ones_are_one() {
        let point = r#"{"type":"point","position":[3,0,0]}"#;
        let other = r#"{"type":"point","position":[0,3,0]}"#;
        let text = format!(
            "{{\"query\":\"distance\",\"a\":{BALL},\"b\":{point},\"options\":{{\"tolerance\":1e-6}}}}\n\n\
             {{\"query\":\"distance\",\"a\":{BALL},\"b\":{other}}}\n{{\"query\":\"distance\",\"a\":{point},\"b\":{other}}}"
        );
        let scene = parse(&text, &Files::default(), &Limits::default()).unwrap();
        assert_eq!(scene.bodies.len(), 3);
        assert_eq!(scene.solver.tolerance, 1e-6);
        assert_eq!(scene.bodies.iter().map(|body| body.id).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn every_type_of_the_format_is_read_and_meshes_have_to_be_open() {
        let ring = r#"{"type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":3}"#;
        let pair = format!(r#"{{"type":"compound","parts":[{BALL},{{"type":"point","position":[0,0,2]}}]}}"#);
        let text = format!(
            r#"{{"query":"distance","a":{ring},"b":{BALL}}}
            {{"query":"distance","a":{pair},"b":{BALL}}}"#
        );
        let scene = parse(&text, &Files::default(), &Limits::default()).unwrap();
        assert_eq!(scene.bodies.len(), 3);
        assert_eq!(scene.bodies[2].parts.as_ref().unwrap().len(), 2);
        let mesh = r#"{"query":"distance","a":{"type":"mesh","file":"hand.stl"},"b":{"type":"point"}}"#;
        let refusal = parse(mesh, &Files::default(), &Limits::default()).unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some("pasted.bodies[0].file"));
    }

    #[test]
    fn complaints_name_line_and_field() {
        let bad = r#"{"query":"distance","a":{"type":"superellipsoid","radii":[1,1,"x"],"exponents":[1,1]}}"#;
        let refusal = parse(&format!("{{\"a\":{BALL}}}\n{bad}"), &Files::default(), &Limits::default()).unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some("line 2: a.radii[2]"));
        let refusal = parse(r#"{"a":{"type":"point","position":[0,0,1e99]}}"#, &Files::default(), &Limits::default())
            .unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some("pasted.bodies[0].position[2]"));
        assert_eq!(parse("  \n", &Files::default(), &Limits::default()).unwrap_err().kind, ErrorKind::Parse);
        assert_eq!(parse("{", &Files::default(), &Limits::default()).unwrap_err().kind, ErrorKind::Parse);
        assert!(parse(&"[".repeat(100_000), &Files::default(), &Limits::default()).is_err());
    }

    #[test]
    fn too_many_bodies_are_refused() {
        let lines: Vec<String> =
            (0..40).map(|k| format!(r#"{{"a":{{"type":"point","position":[{k},0,0]}}}}"#)).collect();
        assert_eq!(parse(&lines.join("\n"), &Files::default(), &Limits::default()).unwrap_err().kind, ErrorKind::Limit);
    }
}
