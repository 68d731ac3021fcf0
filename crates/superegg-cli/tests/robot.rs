//! `superegg robot`: every action on the built-in hand and on a small robot, and what is refused.

mod program;

use std::path::Path;

use program::{Ran, run, superegg};
use serde_json::Value;

const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><superellipsoid radii="0.1 0.1 0.05" exponents="1 0.4"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><capsule radius="0.04" length="0.2"/></geometry></collision></link>
  <link name="fore"><inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><box size="0.06 0.06 0.24"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.06"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.36"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
  <transmission name="t"/>
</robot>"#;

fn answered(arguments: &[&str]) -> Value {
    let Ran { code, out, err } = run(superegg(arguments), "");
    assert_eq!(code, Some(0), "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn info_tells_everything() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.urdf");
    std::fs::write(&file, ARM).unwrap();
    let value = answered(&["robot", text(&file), "info", "--json"]);
    assert_eq!(
        (value["name"].as_str(), value["links"].as_u64(), value["dof"].as_u64()),
        (Some("arm"), Some(3), Some(2))
    );
    assert_eq!(value["joints"][0]["effort"], 100.0);
    assert_eq!(value["meshes"]["found"], 0);
    let said = &value["diagnostics"][0];
    assert_eq!(
        (said["line"].as_u64(), said["element"].as_str(), said["severity"].as_str()),
        (Some(11), Some("transmission"), Some("ignored"))
    );
    let strict = run(superegg(&["robot", text(&file), "info", "--strict"]), "");
    assert_eq!(strict.code, Some(1));
    assert!(strict.err.contains("line 11"), "{}", strict.err);
    let people = run(superegg(&["robot", text(&file), "info"]), "");
    assert!(people.out.contains("2 degrees of freedom") && people.out.contains("transmission"), "{}", people.out);
}

#[test]
fn distances_trajectories_and_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.urdf");
    std::fs::write(&file, ARM).unwrap();
    let picture = folder.path().join("x.png");
    let value = answered(&["robot", text(&file), "distances", "--json", "--joints", "elbow=1.5", "-o", text(&picture)]);
    let pair = &value["pairs"][0];
    assert_eq!((pair["a"].as_str(), pair["b"].as_str()), (Some("base"), Some("fore")));
    assert!(pair["lower"].as_f64() <= pair["distance"].as_f64() && pair["distance"].as_f64() <= pair["upper"].as_f64());
    assert!(pair["gradient"]["elbow"].is_number());
    assert!(std::fs::metadata(&picture).unwrap().len() > 1000);
    let path = folder.path().join("path.csv");
    std::fs::write(&path, "shoulder,elbow\n0,0\n0,3\n").unwrap();
    let value = answered(&["robot", text(&file), "check", "--json", "--margin", "0.1", "--trajectory", text(&path)]);
    assert_eq!(value["clear"], false);
    let at = value["first_contact"]["sample"].as_f64().unwrap();
    assert!(at > 0.5 && at < 1.0, "{at}");
    assert_eq!(value["clearance"].as_array().unwrap().len(), 2);
    let value =
        answered(&["robot", text(&file), "sim", "--json", "--seconds", "1.5", "--joints", "shoulder=0.6,elbow=0.4"]);
    // Position servos under gravity sag by what they carry over their stiffness.
    assert!((value["joints_at_end"]["shoulder"].as_f64().unwrap() - 0.6).abs() < 0.2, "{}", value["joints_at_end"]);
    let srdf = folder.path().join("arm.srdf");
    let value = answered(&["robot", text(&file), "acm", "--json", "--samples", "500", "-o", text(&srdf)]);
    assert_eq!(value["disabled"].as_array().unwrap().len(), 2, "{}", value["disabled"]);
    assert!(std::fs::read_to_string(&srdf).unwrap().contains("disable_collisions"));
}

#[test]
fn fits_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    // A closed mesh: an octahedron.
    let obj = "v 0.1 0 0\nv -0.1 0 0\nv 0 0.1 0\nv 0 -0.1 0\nv 0 0 0.2\nv 0 0 -0.2\n\
               f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    std::fs::write(folder.path().join("m.obj"), obj).unwrap();
    let file = folder.path().join("one.urdf");
    std::fs::write(&file, "<robot name=\"one\"><link name=\"a\"><collision><geometry><mesh filename=\"m.obj\"/></geometry></collision></link></robot>").unwrap();
    let out = folder.path().join("smooth.urdf");
    let value = answered(&["robot", text(&file), "fit", "--json", "-o", text(&out)]);
    assert_eq!((value["parts"].as_u64(), value["fits"][0]["metrics"]["coverage"].as_f64()), (Some(1), Some(1.0)));
    let shape = &value["fits"][0]["parts"][0];
    let again = answered(&["robot", text(&out), "fit", "--json"]);
    assert_eq!(again["fits"].as_array().unwrap().len(), 0);
    let written = std::fs::read_to_string(&out).unwrap();
    let radii: Vec<String> =
        shape["radii"].as_array().unwrap().iter().map(|r| r.as_f64().unwrap().to_string()).collect();
    assert!(written.contains(&format!("radii=\"{}\"", radii.join(" "))), "{written}");
}

#[test]
fn grasps_of_the_built_in_hand() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("egg.json");
    std::fs::write(&object, r#"{"type":"superellipsoid","radii":[0.02,0.02,0.026],"exponents":[1,0.8]}"#).unwrap();
    let picture = folder.path().join("best.png");
    let value = answered(&[
        "robot",
        "right-hand",
        "grasp",
        "--json",
        "--object",
        text(&object),
        "--attempts",
        "600",
        "--count",
        "3",
        "-o",
        text(&picture),
    ]);
    let grasps = value["grasps"].as_array().unwrap();
    assert!(!grasps.is_empty());
    for grasp in grasps {
        assert_eq!(grasp["force_closure"], true);
        assert!(grasp["quality"]["lower"].as_f64().unwrap() > 0.0 && grasp["depth"].as_f64().unwrap() <= 1e-4);
        assert!(grasp["contacts"].as_array().unwrap().len() >= 2);
    }
    assert!(picture.exists());
}

/// A mesh that is missing, and one whose header promises two gigabytes: why there is nothing to work with, or what is missing of it, is said.
#[test]
fn meshes_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robot.urdf");
    let mut promise = vec![0u8; 80];
    promise.extend(43_000_000u32.to_le_bytes());
    std::fs::write(folder.path().join("huge.stl"), promise).unwrap();
    let write = |shape: &str| {
        let link = "<collision><geometry><mesh filename=\"MESH\"/></geometry></collision>";
        let meshes = ["gone.stl", "huge.stl"].map(|name| link.replace("MESH", name)).join("\n");
        std::fs::write(&path, format!("<robot name=\"r\"><link name=\"a\">\n{meshes}\n{shape}</link></robot>"))
            .unwrap();
    };
    write("");
    let nothing = run(superegg(&["robot", text(&path), "fit"]), "");
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.err.contains("gone.stl") && nothing.err.contains("huge.stl"), "{}", nothing.err);
    write("<collision><geometry><sphere radius=\"1\"/></geometry></collision>");
    let some = run(superegg(&["robot", text(&path), "distances"]), "");
    assert!(some.err.contains("line 3") && some.err.contains("huge.stl"), "{}", some.err);
}

#[test]
fn refusals_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("path.csv");
    std::fs::write(&csv, "nobody\n1\n").unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["robot", "no-such-file.urdf", "info"], "no-such-file.urdf"),
        (&["robot", "right-hand", "distances", "--joints", "thumb_joint_9=1"], "there is no joint"),
        (&["robot", "right-hand", "distances", "--joints", "thumb_joint_3=1"], "follows thumb_joint_2"),
        (&["robot", "right-hand", "distances", "--joints", "thumb_joint_1"], "joint=number"),
        (&["robot", "right-hand", "check", "--trajectory", text(&csv)], "line 1"),
        (&["robot", "right-hand", "fit", "-o", "x.step"], "--output"),
    ];
    for (arguments, word) in cases {
        let Ran { code, err, .. } = run(superegg(arguments), "");
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(err.contains(word), "{arguments:?}: {err}");
    }
}
