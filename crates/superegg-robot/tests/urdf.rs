//! Reading and writing URDF: what is said about files, what is refused, and that what is written is read back to the same numbers.

mod support;

use std::path::Path;

use superegg_robot::model::{Geometry, JointKind};
use superegg_robot::urdf::{Loaded, ReadOptions, WriteOptions, read, read_file, write, write_file};
use superegg_robot::{Place, RobotError, Severity};
use support::{robots, shared};

fn parse(text: &str) -> Result<Loaded, RobotError> {
    read(Path::new("robot.urdf"), text, &ReadOptions::default())
}

/// A robot of two links with something in it.
fn with(link: &str, joint: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"a\">{link}</link>\n<link name=\"b\"/>\n<joint name=\"j\" type=\"revolute\">\n<parent link=\"a\"/><child link=\"b\"/>\n<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>\n{joint}\n</joint>\n</robot>"
    )
}

#[test]
fn everything_ignored_is_told_with_its_line() {
    let text = r#"<?xml version="1.0"?>
<robot name="arm" speed="3">
  <link name="a"> <origin xyz="0 0 0"/>
    <collision><geometry><box size="1 2 3"/></geometry><material name="x"/></collision>
  </link>
  <link name="b"/>
  <joint name="j" type="revolute">
    <parent link="a"/> <child link="b"/>
    <limit lower="1" upper="-1" effort="inf" velocity="2" jerk="4"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <transmission name="t"><type>simple</type></transmission>
  <gazebo reference="b"/>
</robot>"#;
    let loaded = parse(text).unwrap();
    let said: Vec<(u32, &str, Severity)> =
        loaded.diagnostics.iter().map(|d| (d.at.line, d.element.as_str(), d.severity)).collect();
    let expected = [
        (2, "robot", Severity::Ignored),
        (3, "origin", Severity::Ignored),
        (4, "material", Severity::Ignored),
        (9, "limit", Severity::Ignored),
        (9, "limit", Severity::Repaired),
        (9, "limit", Severity::Repaired),
        (10, "safety_controller", Severity::Ignored),
        (12, "transmission", Severity::Ignored),
        (13, "gazebo", Severity::Ignored),
    ];
    assert_eq!(said, expected);
    let strict = read(Path::new("robot.urdf"), text, &ReadOptions { strict: true, ..ReadOptions::default() });
    assert!(matches!(strict, Err(RobotError::Strict { count: 9, .. })));
    // Written and read again: the kept elements are still there, and said again.
    let again = write(&loaded.robot, &WriteOptions::default()).unwrap();
    assert!(again.contains("<type>simple</type>") && again.contains("k_velocity") && again.contains("<gazebo"));
    let second = parse(&again).unwrap();
    let strip = |mut robot: superegg_robot::model::Robot| {
        let surfaces = robot.links.iter_mut().flat_map(|link| link.visuals.iter_mut().chain(&mut link.collisions));
        surfaces.for_each(|surface| {
            surface.at = Place::default();
            surface.kept.iter_mut().for_each(|kept| kept.line = 0);
        });
        robot.kept.iter_mut().for_each(|kept| kept.line = 0);
        robot.links.iter_mut().flat_map(|l| &mut l.kept).for_each(|kept| kept.line = 0);
        robot.joints.iter_mut().flat_map(|j| &mut j.kept).for_each(|kept| kept.line = 0);
        robot
    };
    assert_eq!(strip(second.robot), strip(loaded.robot));
}

#[test]
fn all_joints_and_shapes_are_read_back_to_the_same_numbers() {
    let shapes = [
        "<box size=\"0.1 0.25 1e-3\"/>",
        "<cylinder radius=\"0.3\" length=\"0.7\"/>",
        "<capsule radius=\"0.1\" length=\"0.33\"/>",
        "<sphere radius=\"0.123456789012345678\"/>",
        "<superellipsoid radii=\"0.1 0.2 0.30000000000000004\" exponents=\"0.5 1.25\"/>",
        "<superovoid radii=\"0.1 0.2 0.3\" exponents=\"0.5 1.2\" taper=\"0.1 -0.3\"/>",
    ];
    let surfaces: String = shapes
        .iter()
        .map(|s| format!("<collision name=\"c\"><origin xyz=\"0.1 0.2 0.3\" rpy=\"0.7 -1.1 2.9\"/><geometry>{s}</geometry></collision>"))
        .collect();
    let mut text = format!("<robot name=\"r\"><link name=\"l0\">{surfaces}</link>");
    for (number, kind) in JointKind::ALL.into_iter().enumerate() {
        let child = number + 1;
        text += &format!(
            "<link name=\"l{child}\"/><joint name=\"j{number}\" type=\"{}\"><parent link=\"l{number}\"/><child link=\"l{child}\"/>\
             <axis xyz=\"0.6 0 0.8\"/><limit lower=\"-1\" upper=\"0.1\" effort=\"3\" velocity=\"4\"/>\
             <dynamics damping=\"0.1\" friction=\"0.2\"/></joint>",
            kind.name()
        );
    }
    text += "<link name=\"x\"/><joint name=\"m\" type=\"revolute\"><parent link=\"l0\"/><child link=\"x\"/>\
             <limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/><mimic joint=\"j0\" multiplier=\"-0.5\" offset=\"0.25\"/></joint></robot>";
    let first = parse(&text).unwrap();
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    let lines = |mut robot: superegg_robot::model::Robot| {
        robot.links.iter_mut().flat_map(|l| &mut l.collisions).for_each(|s| s.at = Place::default());
        robot
    };
    let plain = parse(&write(&first.robot, &WriteOptions::default()).unwrap()).unwrap();
    let compat = parse(&write(&first.robot, &WriteOptions { compat: true, folder: None }).unwrap()).unwrap();
    assert_eq!(lines(plain.robot.clone()), lines(first.robot));
    assert_eq!(lines(compat.robot), lines(plain.robot));
}

#[test]
fn compatible_files_have_meshes_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let egg = "<collision><geometry><superovoid radii=\"0.1 0.2 0.3\" exponents=\"0.5 1.2\" taper=\"0.1 -0.3\"/></geometry></collision>";
    let robot = parse(&with(egg, "")).unwrap().robot;
    let path = folder.path().join("out.urdf");
    write_file(&robot, &path, &WriteOptions { compat: true, folder: None }).unwrap();
    // Another tool sees a mesh: without the comment it is one here too.
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = text.find("<!--").unwrap();
    let end = text.find("-->").unwrap() + 3;
    let bare = format!("{}{}", &text[..begin], &text[end..]);
    let seen = read(&path, &bare, &ReadOptions::default()).unwrap();
    assert!(seen.diagnostics.is_empty(), "{:?}", seen.diagnostics);
    let Geometry::Mesh(file) = &seen.robot.links[0].collisions[0].geometry else { panic!("no mesh") };
    let mesh = superegg_io::read_mesh(file.path.as_ref().unwrap()).unwrap();
    let Geometry::Superovoid(shape) = &robot.links[0].collisions[0].geometry else { panic!("no superovoid") };
    assert!(mesh.positions().iter().all(|p| (shape.gauge(*p) - 1.0).abs() < 1e-9));
}

/// What is refused, with the line and what to do.
#[test]
fn refusals_name_line_and_element() {
    let circle = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>\
        <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\
        <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>";
    let mimics = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\
        <joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><mimic joint=\"k\"/></joint>\
        <joint name=\"k\" type=\"continuous\"><parent link=\"a\"/><child link=\"c\"/><mimic joint=\"j\"/></joint></robot>";
    let laughs = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><robot name=\"&b;\"/>";
    let deep = format!("<robot name=\"r\">{}{}</robot>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let cases: Vec<(String, u32, &str)> = vec![
        (String::new(), 1, "well-formed"),
        ("<robot name=\"r\"><link name=\"a\"></robot>".into(), 1, "well-formed"),
        ("<robot name=\"r\"/>".into(), 1, "no <link>"),
        ("<mujoco/>".into(), 1, "MJCF"),
        ("<world/>".into(), 1, "not a robot"),
        (laughs.into(), 1, "DOCTYPE"),
        (deep, 1, "nested"),
        (circle.into(), 1, "circle"),
        (mimics.into(), 1, "circle"),
        (with("", "<axis xyz=\"0 0 0\"/>"), 7, "direction"),
        (with("", "<axis xyz=\"0 0 NaN\"/>"), 7, "finite"),
        (with("", "<axis xyz=\"0 0\"/>"), 7, "2 numbers"),
        (with("", "<origin xyz=\"0,5 1 2\"/>"), 7, "point"),
        (with("", "<origin xyz=\"${x} 1 2\"/>"), 7, "xacro"),
        (with("", "<mimic joint=\"J\"/>"), 4, "do you mean \"j\""),
        (with("<collision>\n<geometry><sphere radius=\"-1\"/></geometry></collision>", ""), 3, "positive"),
        (
            with(
                "<collision>\n<geometry><superellipsoid radii=\"1 1 1\" exponents=\"3 1\"/></geometry></collision>",
                "",
            ),
            3,
            "]0, 2[",
        ),
        (
            with("<collision>\n<geometry><mesh filename=\"a.obj\" scale=\"0 1 1\"/></geometry></collision>", ""),
            3,
            "flat",
        ),
        (with("<inertial><mass value=\"-1\"/></inertial>", ""), 2, "negative"),
        (with("", "").replace("child link=\"b\"", "child link=\"B\""), 4, "do you mean \"b\""),
        (with("", "").replace("name=\"b\"/>", "name=\"a\"/>"), 3, "already"),
        (with("", "").replace("revolute", "hinge"), 4, "known are"),
        (with("", "").replace("<child link=\"b\"/>", ""), 4, "<child"),
    ];
    for (text, line, word) in cases {
        match parse(&text) {
            Err(RobotError::Format { line: at, message, .. }) => {
                assert_eq!(at, line, "{message}");
                assert!(message.contains(word), "{message:?} does not say {word:?}");
            }
            other => panic!("{word}: {:?}", other.map(|loaded| loaded.diagnostics)),
        }
    }
}

#[test]
fn mesh_paths_of_all_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("my_robot");
    std::fs::create_dir_all(package.join("urdf")).unwrap();
    std::fs::create_dir_all(package.join("Meshes")).unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n";
    std::fs::write(package.join("Meshes/Link.OBJ"), obj).unwrap();
    std::fs::write(package.join("package.xml"), "<package><name>my_robot_description</name></package>").unwrap();
    let file = package.join("urdf/robot.urdf");
    let absolute = package.join("Meshes/Link.OBJ").display().to_string();
    let cases = [
        ("../Meshes/Link.OBJ", true, false),
        ("../meshes/link.obj", true, true),
        ("..\\Meshes\\Link.OBJ", true, true),
        ("package://my_robot/Meshes/Link.OBJ", true, false),
        ("package://my_robot_description/Meshes/Link.OBJ", true, false),
        ("package://my_robot/meshes/LINK.obj", true, true),
        ("package://elsewhere/Meshes/Link.OBJ", true, true),
        (&absolute, true, false),
        (&format!("file://{absolute}"), true, false),
        ("../Meshes/missing.obj", false, true),
        ("http://example.com/link.obj", false, true),
        ("package://elsewhere/nothing.obj", false, true),
    ];
    for (name, found, told) in cases {
        let text = with(&format!("<visual><geometry><mesh filename=\"{name}\"/></geometry></visual>"), "");
        let loaded = read(&file, &text, &ReadOptions::default()).unwrap();
        let Geometry::Mesh(mesh) = &loaded.robot.links[0].visuals[0].geometry else { panic!("no mesh") };
        assert_eq!(mesh.path.is_some(), found, "{name}: {:?}", loaded.diagnostics);
        assert_eq!(!loaded.diagnostics.is_empty(), told, "{name}: {:?}", loaded.diagnostics);
    }
}

#[test]
fn xacro_is_expanded_or_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robot.urdf.xacro");
    std::fs::write(&path, "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:property name=\"n\" value=\"a\"/><link name=\"${n}\"/></robot>").unwrap();
    match read_file(&path, &ReadOptions::default()) {
        Ok(loaded) => {
            println!("xacro is installed: expanded");
            assert_eq!(loaded.robot.links[0].name, "a");
        }
        Err(error) => {
            println!("xacro is not installed: {error}");
            assert!(error.to_string().contains("xacro"), "{error}");
        }
    }
}

#[test]
fn robots_made_by_others_are_read_and_written() {
    let Some(folder) = shared("robots") else { return };
    let expected = [
        ("panda/panda.urdf", 7, 0),
        ("panda/smaller_panda_spherized.urdf", 0, 0),
        ("allegro_hand_right/allegro_hand_right.urdf", 16, 0),
        ("schunk_hand_right/schunk_svh_hand_right.urdf", 9, 11),
    ];
    for (name, freedoms, mimics) in expected {
        let path = folder.join(name);
        let loaded = read_file(&path, &ReadOptions::default()).unwrap();
        let robot = &loaded.robot;
        if freedoms > 0 {
            assert_eq!(robot.freedoms(), freedoms, "{name}");
            assert_eq!(
                robot.joints.iter().filter(|joint| joint.mimic.is_some()).count(),
                mimics.max(usize::from(freedoms == 8)),
                "{name}"
            );
        }
        let out = tempfile::tempdir().unwrap();
        let target = out.path().join("again.urdf");
        write_file(robot, &target, &WriteOptions::default()).unwrap();
        let again = read_file(&target, &ReadOptions::default()).unwrap().robot;
        assert_eq!(again.joints.len(), robot.joints.len());
        for (one, other) in again.joints.iter().zip(&robot.joints) {
            assert_eq!(
                (one.origin, one.axis, one.limits, one.mimic),
                (other.origin, other.axis, other.limits, other.mimic)
            );
        }
        for (one, other) in again.links.iter().zip(&robot.links) {
            assert_eq!(one.inertial, other.inertial, "{name}: {}", one.name);
            let found = |link: &superegg_robot::model::Link| {
                let surfaces = link.visuals.iter().chain(&link.collisions);
                surfaces.filter(|s| matches!(&s.geometry, Geometry::Mesh(m) if m.path.is_some())).count()
            };
            assert_eq!(found(one), found(other), "{name}: {}", one.name);
        }
    }
}

/// Mutations of real and made-up files: no panic, no hang; whatever is read can be written and read again.
#[test]
fn mutated_files_do_no_harm() {
    let link = "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>";
    // A joint that follows itself, and two that are fine, one of them for the most part a remark.
    let remark = format!("<!-- {} -->", "a joint of an arm ".repeat(60));
    let mut texts: Vec<String> =
        vec![with(link, "<mimic joint=\"j\"/>"), with(link, "<dynamics damping=\"0.1\"/>"), with(link, &remark)];
    texts.extend(robots().iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    let mut random = fastrand::Rng::with_seed(19);
    let pieces = [
        "\"",
        "<",
        ">",
        "/>",
        "nan",
        "1e999",
        "-1",
        "",
        "<link name=\"x\"/>",
        "&lt;",
        "<!--",
        "]]>",
        "\u{0}",
        "é",
        "${a}",
        "0 0 0 0",
    ];
    let (mut read_count, mut refused) = (0, 0);
    for round in 0..600 {
        let mut bytes = texts[round % texts.len()].clone().into_bytes();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..bytes.len());
            match random.u8(0..4) {
                0 => bytes[at] = random.u8(..),
                1 => drop(bytes.drain(at..(at + random.usize(0..40)).min(bytes.len()))),
                2 => {
                    let piece = pieces[random.usize(0..pieces.len())].bytes();
                    bytes.splice(at..at, piece);
                }
                _ => {
                    let end = (at + random.usize(0..200)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random.usize(0..bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text) {
            Ok(loaded) => {
                read_count += 1;
                let again = write(&loaded.robot, &WriteOptions::default()).unwrap();
                let second = parse(&again).unwrap_or_else(|error| panic!("{error}\n{again}"));
                assert_eq!(second.robot.joints.len(), loaded.robot.joints.len());
                let kinematics = superegg_robot::kinematics::Kinematics::new(&loaded.robot);
                let poses = kinematics.link_poses(&kinematics.neutral(), &superegg_robot::Pose::IDENTITY);
                assert_eq!(poses.len(), loaded.robot.links.len());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read_count > 50 && refused > 50, "{read_count} read, {refused} refused");
}

#[test]
fn hostile_meshes_are_reported() {
    use superegg_robot::contact_geometry::{ContactGeometry, FitOptions};
    let folder = tempfile::tempdir().unwrap();
    // A binary STL whose header promises two gigabytes, one with NaN, one in millimetres.
    let mut claims = vec![0u8; 80];
    claims.extend(40_000_000u32.to_le_bytes());
    std::fs::write(folder.path().join("claims.stl"), &claims).unwrap();
    std::fs::write(folder.path().join("nan.obj"), "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let big = "v 0 0 0\nv 300 0 0\nv 0 300 0\nv 0 0 300\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n";
    std::fs::write(folder.path().join("millimetres.obj"), big).unwrap();
    for (name, word) in [("claims.stl", "claims.stl"), ("nan.obj", "nan.obj"), ("millimetres.obj", "unit")] {
        let text = with(&format!("<collision><geometry><mesh filename=\"{name}\"/></geometry></collision>"), "");
        let loaded = read(&folder.path().join("robot.urdf"), &text, &ReadOptions::default()).unwrap();
        let geometry = ContactGeometry::new(&loaded.robot, &FitOptions::default(), &mut |_| {}).unwrap();
        assert_eq!(geometry.diagnostics.len(), 1, "{name}");
        assert!(geometry.diagnostics[0].message.contains(word), "{:?}", geometry.diagnostics);
        assert!(geometry.parts().next().is_none());
    }
}
