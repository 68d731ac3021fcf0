//! What files of other people's robots have in them, each in a small file of our own: every one of these was met in a public collection.

use std::path::Path;

use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::Geometry;
use superegg_robot::{DVec3, Loaded, Pose, ReadOptions, RobotError, Severity, read, read_file};

fn parse(text: &str) -> Result<Loaded, RobotError> {
    read(Path::new("robot.xml"), text, &ReadOptions::default())
}

/// Writes files into a folder and reads the first one.
fn read_files(files: &[(&str, &str)]) -> Result<Loaded, RobotError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    read_file(&folder.path().join(files[0].0), &ReadOptions::default())
}

fn said(loaded: &Loaded) -> Vec<(u32, Severity)> {
    loaded.diagnostics.iter().map(|d| (d.at.line, d.severity)).collect()
}

fn place(loaded: &Loaded, link: &str) -> DVec3 {
    let kinematics = Kinematics::new(&loaded.robot);
    let poses = kinematics.link_poses(&kinematics.neutral(), &Pose::IDENTITY);
    poses[loaded.robot.links.iter().position(|l| l.name == link).unwrap()].translation
}

/// Boxes of size zero and spheres of radius zero stand for nothing; the rest of the robot is read.
#[test]
fn shapes_without_extent_are_left_out() {
    let loaded = parse(
        "<robot name=\"r\"><link name=\"a\">\n<collision><geometry><sphere radius=\"0\"/></geometry></collision>\n\
         <collision><geometry><box size=\"0 0 0\"/></geometry></collision>\n\
         <collision><geometry><capsule radius=\"0.1\" length=\"0\"/></geometry></collision></link></robot>",
    )
    .unwrap();
    assert_eq!(said(&loaded), [(2, Severity::Error), (3, Severity::Error), (4, Severity::Repaired)]);
    assert_eq!(loaded.robot.links[0].collisions.len(), 1);
    assert_eq!(loaded.robot.links[0].collisions[0].geometry, Geometry::Sphere { radius: 0.1 });
    let mjcf = parse("<mujoco><worldbody>\n<geom size=\"0\"/></worldbody></mujoco>").unwrap();
    assert_eq!(said(&mjcf), [(2, Severity::Error)]);
    let sdf = "<sdf><model name=\"m\"><link name=\"a\"><collision name=\"c\"><geometry>\n<sphere><radius>0</radius></sphere>\
               </geometry></collision></link></model></sdf>";
    assert_eq!(said(&parse(sdf).unwrap()), [(2, Severity::Error)]);
}

/// Prefixes without a name space, comments with two hyphens, and a declaration after a comment: lines stay where they were.
#[test]
fn text_that_is_not_quite_xml_is_read() {
    let loaded = parse(
        "<!-- a robot -->\n<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<!-- links -- all of them --->\n<link name=\"a\"/>\n\
         <sensor:camera name=\"eye\"/>\n<drake:joint/>\n<gravity/></robot>",
    )
    .unwrap();
    let expected = [
        (2, Severity::Repaired),
        (4, Severity::Repaired),
        (6, Severity::Repaired),
        (6, Severity::Ignored),
        (7, Severity::Repaired),
        (7, Severity::Ignored),
        (8, Severity::Ignored),
    ];
    assert_eq!(said(&loaded), expected);
    let text = superegg_robot::urdf::write(&loaded.robot, &superegg_robot::urdf::WriteOptions::default()).unwrap();
    assert!(text.contains("sensor:camera") && parse(&text).is_ok(), "{text}");
    let refused = parse("<robot name=\"r\"><xacro:macro/></robot>").unwrap_err().to_string();
    assert!(refused.contains("expand it first"), "{refused}");
}

/// A comma after each number, macros that were not expanded, and a world that is taken for granted.
#[test]
fn numbers_macros_and_the_world() {
    let joint = |origin: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"world\"/><child link=\"a\"/>\n\
             <origin xyz=\"{origin}\"/></joint></robot>"
        )
    };
    let loaded = parse(&joint("1, 2, 3")).unwrap();
    assert_eq!(said(&loaded), [(1, Severity::Repaired), (3, Severity::Repaired)]);
    assert_eq!(place(&loaded, "a"), DVec3::new(1.0, 2.0, 3.0));
    let refused = parse(&joint("$(optenv X 0.1 0 0)")).unwrap_err().to_string();
    assert!(refused.contains("line 3") && refused.contains("xacro"), "{refused}");
}

/// Packages that are named otherwise, begin elsewhere, or have three slashes.
#[test]
fn packages_that_begin_elsewhere() {
    let robot = "<robot name=\"r\"><link name=\"a\">\n<visual><geometry><mesh filename=\"package:///arm/meshes/a.stl\"/></geometry></visual>\n\
         <visual><geometry><mesh filename=\"package://drake/models/arm/meshes/a.stl\"/></geometry></visual></link></robot>";
    let loaded = read_files(&[("arm/urdf/robot.urdf", robot), ("arm/meshes/a.stl", "solid")]).unwrap();
    assert_eq!(said(&loaded), [(3, Severity::Repaired)]);
}

/// Classes of defaults four deep, empty attributes, capsules made to fit a mesh, and bodies that are joined to a loop.
#[test]
fn defaults_and_loops_of_mjcf() {
    let loaded = parse(
        "<mujoco><default><default class=\"robot\"><default class=\"collision\"><geom group=\"3\"/><default class=\"foot\">\
         <geom type=\"capsule\" size=\".014\"/><default class=\"heel\"><geom fromto=\"0 0 0 0 0 .1\"/></default></default></default>\
         </default></default>\n<asset><mesh name=\"m\" file=\"gone.stl\"/></asset>\n<worldbody><body name=\"b\"><geom class=\"heel\"/>\n\
         <geom size=\"1\" rgba=\"\"/>\n<geom type=\"capsule\" mesh=\"m\"/></body></worldbody>\n\
         <equality><connect body1=\"b\" body2=\"world\"/></equality></mujoco>",
    )
    .unwrap();
    assert_eq!(said(&loaded), [(2, Severity::Missing), (5, Severity::Repaired), (6, Severity::Ignored)]);
    let shapes: Vec<&Geometry> = loaded.robot.links[1].collisions.iter().map(|surface| &surface.geometry).collect();
    assert_eq!(*shapes[0], Geometry::Capsule { radius: 0.014, length: 0.1 });
    assert!(matches!(shapes[2], Geometry::Mesh(_)));
}

/// Scenes include robots, which include their parts; places are those of the files, and so are the lines of what is said.
#[test]
fn mjcf_includes_other_files() {
    let scene = "<mujoco><include file=\"robot.xml\"/>\n<worldbody>\n<light/></worldbody></mujoco>";
    let robot = "<mujoco>\n<compiler angle=\"radian\"/><default><joint damping=\"2\"/></default><include file=\"parts/assets.xml\"/>\n\
         <worldbody><body name=\"arm\" pos=\"0 0 1\">\n<site/><joint name=\"j\" range=\"-1 1\"/><include file=\"parts/tip.xml\"/></body></worldbody></mujoco>";
    let assets = "<mujoco><asset>\n<mesh name=\"m\" file=\"../meshes/m.stl\"/>\n<texture/></asset></mujoco>";
    let tip =
        "<mujocoinclude>\n\n<body name=\"tip\" pos=\"1 0 0\"><geom type=\"mesh\" mesh=\"m\"/></body></mujocoinclude>";
    let files = [
        ("scene.xml", scene),
        ("robot.xml", robot),
        ("parts/assets.xml", assets),
        ("parts/tip.xml", tip),
        ("meshes/m.stl", ""),
    ];
    let loaded = read_files(&files).unwrap();
    let told: Vec<(Option<String>, u32)> = loaded
        .diagnostics
        .iter()
        .map(|d| (d.at.file.as_ref().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()), d.at.line))
        .collect();
    assert_eq!(told, [(None, 3), (Some("assets.xml".into()), 3), (Some("robot.xml".into()), 4)]);
    assert_eq!(place(&loaded, "tip"), DVec3::new(1.0, 0.0, 1.0));
    assert_eq!(loaded.robot.joints[0].limits.unwrap().upper, 1.0);
    assert_eq!(loaded.robot.joints[0].dynamics.unwrap().damping, 2.0);
    let wrong = robot.replace("range=\"-1 1\"", "range=\"x\"");
    let refused = read_files(&[files[0], ("robot.xml", &wrong), files[2], files[3]]).unwrap_err().to_string();
    assert!(refused.contains("robot.xml: line 4"), "{refused}");
    let circle = "<mujoco><include file=\"b.xml\"/><worldbody/></mujoco>";
    let refused = read_files(&[("a.xml", circle), ("b.xml", circle)]).unwrap_err().to_string();
    assert!(refused.contains("includes itself"), "{refused}");
    let gone = parse("<mujoco>\n<include file=\"gone.xml\"/><worldbody/></mujoco>").unwrap();
    assert_eq!(said(&gone), [(2, Severity::Missing)]);
}

/// Doubling: each of thirty files includes the next one twice.
#[test]
fn includes_cannot_grow_without_bound() {
    let names: Vec<String> = (0..30).map(|n| format!("f{n}.xml")).collect();
    let texts: Vec<String> = (1..=30)
        .map(|n| format!("<mujoco><include file=\"f{n}.xml\"/><worldbody/><include file=\"f{n}.xml\"/></mujoco>"))
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let refused = read_files(&files).unwrap_err().to_string();
    assert!(refused.contains("deep"), "{refused}");
}

/// Models in models, by name and by address, at their poses; joints that close a loop; links and joints of the same name; empty poses; surfaces
/// placed relative to other frames.
#[test]
fn sdformat_nests_and_includes_models() {
    let arm = "<sdf version=\"1.6\"><model name=\"arm\"><link name=\"base\"><pose></pose></link>\n<include><uri>model://gripper</uri><name>hand</name>\
        <pose>0 0 1 0 0 0</pose>\n<static>0</static></include>\n<joint name=\"base\" type=\"fixed\"><parent>base</parent><child>hand::palm</child></joint>\n\
        <joint name=\"again\" type=\"fixed\"><parent>base</parent><child>hand::palm</child></joint>\n<include><uri>model://gone</uri></include></model></sdf>";
    let gripper = "<sdf version=\"1.6\">\n<model name=\"gripper\"><pose>5 5 5 0 0 0</pose><link name=\"palm\"/>\n<link name=\"finger\"><pose>0.1 0 0 0 0 0</pose>\n\
        <collision name=\"c\"><pose relative_to=\"palm\">0 0 0.5 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>\n<sensor/></link>\
        <joint name=\"finger\" type=\"revolute\"><parent>palm</parent><child>finger</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>";
    let config = "<?xml version=\"1.0\"?><model><sdf version=\"1.6\">gripper.sdf</sdf></model>";
    let files = [("arm/model.sdf", arm), ("gripper/gripper.sdf", gripper), ("gripper/model.config", config)];
    let loaded = read_files(&files).unwrap();
    let told: Vec<(bool, u32, Severity)> =
        loaded.diagnostics.iter().map(|d| (d.at.file.is_some(), d.at.line, d.severity)).collect();
    let expected = [
        (false, 3, Severity::Ignored),
        (false, 5, Severity::Error),
        (false, 6, Severity::Missing),
        (true, 5, Severity::Ignored),
    ];
    assert_eq!(told, expected, "{:?}", loaded.diagnostics);
    let names: Vec<&str> = loaded.robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["base", "hand::palm", "hand::finger"]);
    assert_eq!(place(&loaded, "hand::palm"), DVec3::Z);
    assert_eq!(place(&loaded, "hand::finger"), DVec3::new(0.1, 0.0, 1.0));
    assert_eq!(loaded.robot.links[2].collisions[0].origin.xyz, DVec3::new(-0.1, 0.0, 0.5));
}
