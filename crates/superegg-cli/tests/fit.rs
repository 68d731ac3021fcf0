//! `superegg fit`: what it says and writes, and what it refuses.

mod program;

use program::{Ran, run, superegg};
use serde_json::Value;

/// Points of an egg-shaped ellipsoid of radii 1, 2 and 3 about (10, 0, 0).
fn cloud() -> String {
    let mut text = String::new();
    for i in 1..40 {
        for j in 0..40 {
            let (u, v) = (f64::from(i) * 0.0785, f64::from(j) * 0.157);
            let (x, y, z) = (u.sin() * v.cos(), 2.0 * u.sin() * v.sin(), 3.0 * u.cos());
            text += &format!("{} {y} {z}\n", x + 10.0);
        }
    }
    text
}

/// A closed mesh.
const OCTAHEDRON: &str = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n\
    f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

#[test]
fn json_has_the_fields_people_script_against() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("cloud.xyz"), cloud()).unwrap();
    let Ran { code, out, err } = run(superegg(&["fit", &at("cloud.xyz"), "--json"]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&out).unwrap();
    let part = &answer["parts"][0];
    assert_eq!((&part["type"], &part["convex"]), (&"superovoid".into(), &true.into()));
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
    let mut radii = numbers(&part["radii"]);
    radii.sort_by(f64::total_cmp);
    assert!(radii.iter().zip([1.0, 2.0, 3.0]).all(|(found, wanted)| (found - wanted).abs() < 1e-6), "{radii:?}");
    assert!((numbers(&part["position"])[0] - 10.0).abs() < 1e-6);
    assert_eq!(
        (numbers(&part["exponents"]).len(), numbers(&part["taper"]).len(), numbers(&part["orientation"]).len()),
        (2, 2, 4)
    );
    for field in ["mean", "rms", "p95", "max"] {
        assert!(answer["errors"][field].as_f64().unwrap() < 1e-6);
    }
    assert_eq!(answer["points"], 1560);
    assert!(answer["seconds"].as_f64().is_some() && answer["metrics"]["iou"].is_null());
    // A part is a shape that `superegg query` takes.
    let query = format!("{{\"query\":\"distance\",\"a\":{part},\"b\":{{\"type\":\"point\",\"points\":[[10,0,9]]}}}}\n");
    let Ran { code, out, .. } = run(superegg(&["query"]), query);
    assert_eq!(code, Some(0), "{out}");
    assert!((serde_json::from_str::<Value>(&out).unwrap()["distance"].as_f64().unwrap() - 6.0).abs() < 1e-5);
}

#[test]
fn enclosing_and_inscribed_with_picture_and_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("o.obj"), OCTAHEDRON).unwrap();
    let Ran { code, out, err } =
        run(superegg(&["fit", &at("o.obj"), "--enclose", "-o", &at("o.png"), "-o", &at("fit.obj")]), "");
    // Six corners determine no shape; the points of the surface between them do.
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("proved: all 6 are on their side") && out.contains("points inside: 100.0 %"), "{out}");
    assert_eq!(&std::fs::read(at("o.png")).unwrap()[1..4], b"PNG");
    assert!(std::fs::read_to_string(at("fit.obj")).unwrap().starts_with("o fit\nv "));
    let Ran { code, out, .. } = run(superegg(&["fit", &at("o.obj"), "--inside", "--json"]), "");
    assert_eq!(code, Some(0));
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["certificate"]["proved"], 8);
    assert!(answer["metrics"]["iou"].as_f64().unwrap() > 0.5);
}

#[test]
fn refusals_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("flat.xyz"), (0..99).map(|i| format!("{} {} 0\n", i % 9, i / 9)).collect::<String>()).unwrap();
    std::fs::write(at("few.xyz"), "1 2 3\n4 5 6\n").unwrap();
    std::fs::write(at("o.obj"), OCTAHEDRON).unwrap();
    std::fs::write(at("w.txt"), "1\n2\n").unwrap();
    std::fs::write(at("bad.txt"), "1\n-2\n").unwrap();
    for (arguments, wanted) in [
        (vec![at("flat.xyz")], "in a plane"),
        (vec![at("few.xyz")], "2 points"),
        (vec![at("missing.ply")], "cannot read"),
        (vec![at("o.doc")], "unknown kind of mesh file"),
        (vec![at("o.obj"), "-o".into(), "x.gif".into()], "neither .png nor .obj"),
        (vec![at("o.obj"), "--parts".into(), "0".into()], "[1, 256]"),
        (vec![at("o.obj"), "--max-error".into(), "0".into()], "--max-error"),
        (vec![at("o.obj"), "--inside".into(), "--parts".into(), "auto".into()], "one part only"),
        (vec![at("o.obj"), "--weights".into(), at("w.txt")], "2 weights for 6 vertices"),
        (vec![at("o.obj"), "--weights".into(), at("bad.txt")], "line 2"),
    ] {
        let mut all = vec!["fit"];
        all.extend(arguments.iter().map(String::as_str));
        let Ran { code, err, .. } = run(superegg(&all), "");
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(err.contains(wanted), "{err}");
    }
}
