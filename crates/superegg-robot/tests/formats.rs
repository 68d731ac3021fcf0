//! MJCF and SDFormat: the same arm written in three formats is the same arm, what has no counterpart is told with its line, and damaged files do
//! no harm.

use std::path::Path;

use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::{Geometry, JointKind, Robot};
use superegg_robot::{DVec3, Loaded, Pose, ReadOptions, RobotError, Severity, read};

const URDF: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.3" rpy="0 0 0.5"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0.1 0.35" rpy="0.3 0 0"/><geometry><capsule radius="0.05" length="0.5"/></geometry></collision>
  </link>
  <link name="slider"><collision><geometry><ellipsoid radii="0.1 0.2 0.3"/></geometry></collision></link>
  <link name="finger"><collision><geometry><cylinder radius="0.01" length="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0.1 0 0.5" rpy="0 0.7853981633974483 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="3"/><dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="slider"/><origin xyz="0 0 0.7"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.2" effort="10" velocity="1"/>
  </joint>
  <joint name="follow" type="prismatic">
    <parent link="slider"/><child link="finger"/><origin xyz="0.05 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><mimic joint="slide" multiplier="0.5" offset="0.01"/>
  </joint>
</robot>"#;

/// Joints off their bodies' origins, defaults in classes, degrees, frames.
const MJCF: &str = r#"<mujoco model="arm">
  <compiler autolimits="true"/>
  <default>
    <joint damping="9"/>
    <default class="arm"><joint axis="0 1 0" damping="0.5" frictionloss="0.1"/><geom type="capsule"/>
      <default class="sliding"><joint type="slide" axis="0 0 1" damping="0" frictionloss="0"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="box" size="0.1 0.2 0.3"/>
    <body name="upper" pos="0.02928932188134525 0 0.42928932188134524" euler="0 45 0" childclass="arm">
      <inertial pos="0 0 0.4" mass="2" diaginertia="0.1 0.2 0.25" euler="0 0 28.64788975654116"/>
      <joint name="shoulder" pos="0 0 0.1" range="-57.29577951308232 114.59155902616465" actuatorfrcrange="-30 30"/>
      <frame pos="0 0.1 0"><geom size="0.05 0.25" pos="0 0 0.45" euler="17.188733853924695 0 0"/></frame>
      <body name="slider" pos="0 0 0.8">
        <joint name="slide" class="sliding" range="0 0.2"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3"/>
        <body name="finger" pos="0.05 0 0">
          <joint name="follow" class="sliding" axis="1 0 0" range="-1 1"/>
          <geom type="cylinder" fromto="0 0 -0.05 0 0 0.05" size="0.01"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="follow" joint2="slide" polycoef="0.01 0.5 0 0 0"/></equality>
</mujoco>"#;

/// Everything in the model's frame, or relative to something.
const SDF: &str = r#"<sdf version="1.11"><model name="arm">
  <link name="base"><collision name="c"><geometry><box><size>0.2 0.4 0.6</size></box></geometry></collision></link>
  <link name="upper"><pose degrees="true">0.02928932188134525 0 0.42928932188134524 0 45 0</pose>
    <inertial><pose>0 0 0.4 0 0 0.5</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>
    <collision name="c"><pose>0 0.1 0.45 0.3 0 0</pose><geometry><capsule><radius>0.05</radius><length>0.5</length></capsule></geometry></collision>
  </link>
  <frame name="end" attached_to="upper"><pose>0 0 0.3 0 0 0</pose></frame>
  <link name="slider"><pose relative_to="end">0 0 0.5 0 0 0</pose>
    <collision name="c"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision></link>
  <link name="finger"><pose relative_to="slider">0.05 0 0 0 0 0</pose>
    <collision name="c"><geometry><cylinder><radius>0.01</radius><length>0.1</length></cylinder></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><pose>0 0 0.1 0 0 0</pose>
    <axis><xyz expressed_in="base">0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>3</velocity></limit>
      <dynamics><damping>0.5</damping><friction>0.1</friction></dynamics></axis></joint>
  <joint name="slide" type="prismatic"><parent>upper</parent><child>slider</child>
    <axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0.2</upper></limit></axis></joint>
  <joint name="follow" type="prismatic"><parent>slider</parent><child>finger</child>
    <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
      <mimic joint="slide"><multiplier>0.5</multiplier><offset>0.03</offset><reference>0.04</reference></mimic></axis></joint>
</model></sdf>"#;

fn parse(text: &str) -> Result<Loaded, RobotError> {
    read(Path::new("robot.xml"), text, &ReadOptions::default())
}

/// Places of all collision shapes and centres of mass in a configuration of the two joints that lead.
fn places(robot: &Robot, shoulder: f64, slide: f64) -> Vec<Pose> {
    let kinematics = Kinematics::new(robot);
    let named = [("shoulder", shoulder), ("slide", slide)];
    let poses = kinematics.link_poses(&kinematics.configuration(robot, named).unwrap(), &Pose::IDENTITY);
    let mut found = Vec::new();
    for name in ["base", "upper", "slider", "finger"] {
        let link = robot.link(name).unwrap_or_else(|| robot.link("world").unwrap());
        found.extend(robot.links[link].collisions.iter().map(|s| poses[link].compose(&s.origin.pose())));
        found.extend(robot.links[link].inertial.map(|inertial| poses[link].compose(&inertial.origin.pose())));
    }
    found
}

#[test]
fn the_same_arm_in_three_formats() {
    let urdf = parse(URDF).unwrap();
    assert!(urdf.diagnostics.is_empty(), "{:?}", urdf.diagnostics);
    for text in [MJCF, SDF] {
        let other = parse(text).unwrap();
        assert!(other.diagnostics.is_empty(), "{:?}", other.diagnostics);
        assert_eq!((other.robot.name.as_str(), other.robot.freedoms()), ("arm", 2));
        for (shoulder, slide) in [(0.0, 0.0), (1.3, 0.15), (-0.8, 0.07)] {
            let (ours, theirs) = (places(&urdf.robot, shoulder, slide), places(&other.robot, shoulder, slide));
            assert_eq!(ours.len(), theirs.len());
            for (one, two) in ours.iter().zip(&theirs) {
                assert!((one.translation - two.translation).length() < 1e-12, "{one:?} {two:?}");
                assert!(one.rotation.dot(two.rotation).abs() > 1.0 - 1e-12, "{one:?} {two:?}");
            }
        }
        for joint in &urdf.robot.joints {
            let found = &other.robot.joints[other.robot.joint(&joint.name).unwrap()];
            assert_eq!((found.kind, found.mimic.is_some()), (joint.kind, joint.mimic.is_some()));
            let (a, b) = (found.limits.unwrap(), joint.limits.unwrap());
            assert!((a.lower - b.lower).abs() < 1e-12 && (a.upper - b.upper).abs() < 1e-12, "{a:?} {b:?}");
            let losses =
                |joint: &superegg_robot::model::Joint| joint.dynamics.map_or((0.0, 0.0), |d| (d.damping, d.friction));
            assert_eq!(losses(found), losses(joint), "{}", joint.name);
        }
        let shapes = |robot: &Robot| -> Vec<Geometry> {
            let all = robot.links.iter().flat_map(|link| &link.collisions);
            all.map(|surface| surface.geometry.clone()).collect()
        };
        assert_eq!(shapes(&other.robot), shapes(&urdf.robot));
        // It can be written as URDF and is still the same.
        let written = superegg_robot::urdf::write(&other.robot, &Default::default()).unwrap();
        let again = parse(&written).unwrap();
        assert_eq!(places(&again.robot, 0.4, 0.1).len(), 5);
    }
}

#[test]
fn several_joints_balls_and_free_bodies() {
    let text = r#"<mujoco><worldbody>
      <geom type="plane" size="0 0 1"/>
      <body name="ball"><freejoint/><geom size="0.1"/></body>
      <body name="wrist"><joint name="a" axis="1 0 0"/><joint name="b" axis="0 1 0" pos="0 0 0.2"/>
        <geom type="sphere" size="0.1" contype="0" conaffinity="0"/>
        <body><joint name="c" type="ball"/><geom type="box" size="1 1 1" group="3"/></body>
      </body></worldbody></mujoco>"#;
    let loaded = parse(text).unwrap();
    let robot = &loaded.robot;
    assert_eq!(robot.freedoms(), 6 + 2 + 3);
    let said: Vec<(u32, Severity)> = loaded.diagnostics.iter().map(|d| (d.at.line, d.severity)).collect();
    assert_eq!(said, [(2, Severity::Repaired), (6, Severity::Repaired)]);
    let wrist = &robot.links[robot.link("wrist").unwrap()];
    assert_eq!((wrist.visuals.len(), wrist.collisions.len()), (1, 0));
    let last = robot.links.last().unwrap();
    assert_eq!((last.visuals.len(), last.collisions.len()), (0, 1));
    // The second hinge turns about its anchor, 0.2 above the origin of the body.
    let kinematics = Kinematics::new(robot);
    let bent = kinematics.configuration(robot, [("b", std::f64::consts::FRAC_PI_2)]).unwrap();
    let pose = kinematics.link_poses(&bent, &Pose::IDENTITY)[robot.link("wrist").unwrap()];
    let origin = pose.compose(&wrist.visuals[0].origin.pose()).translation;
    assert!((origin - DVec3::new(-0.2, 0.0, 0.2)).length() < 1e-12, "{origin}");
    assert!(robot.joints.iter().any(|joint| joint.kind == JointKind::Floating));
    // The floor's top is the plane.
    let floor = &robot.links[robot.link("world").unwrap()].collisions[0];
    let Geometry::Box { size } = floor.geometry else { panic!("no box") };
    assert_eq!(floor.origin.xyz.z + 0.5 * size.z, 0.0);
}

#[test]
fn what_has_no_counterpart_is_told_with_its_line() {
    let mjcf = "<mujoco>\n<option timestep=\"0.1\"/>\n<include file=\"other.xml\"/>\n<asset><mesh file=\"gone.stl\"/></asset>\n<worldbody>\n<light/>\n\
                <body name=\"a\"><joint stiffness=\"3\"/>\n<geom type=\"mesh\" mesh=\"gone\"/>\n<geom type=\"hfield\" hfield=\"h\"/>\n<site/></body>\n\
                </worldbody>\n<equality><weld body1=\"a\"/></equality>\n<actuator/></mujoco>";
    let sdf = "<sdf version=\"1.9\">\n<model name=\"m\"><static>1</static>\n<link name=\"a\"><sensor name=\"s\" type=\"camera\"/></link>\n<link name=\"b\"/>\n\
               <joint name=\"j\" type=\"screw\"><parent>a</parent><child>b</child>\n<physics/></joint>\n<plugin/></model>\n<model name=\"n\"/></sdf>";
    let lines = |text: &str| -> Vec<u32> { parse(text).unwrap().diagnostics.iter().map(|d| d.at.line).collect() };
    assert_eq!(lines(mjcf), [2, 3, 4, 6, 7, 9, 9, 10, 12, 13]);
    assert_eq!(lines(sdf), [2, 3, 5, 6, 7, 8]);
}

#[test]
fn refusals_name_line_and_element() {
    let body = |inside: &str| format!("<mujoco><worldbody>\n<body name=\"a\">{inside}</body></worldbody></mujoco>");
    let model =
        |inside: &str| format!("<sdf><model name=\"m\">\n<link name=\"a\"/><link name=\"b\"/>{inside}</model></sdf>");
    let joint = |inside: &str| model(&format!("\n<joint name=\"j\" type=\"revolute\">{inside}</joint>"));
    let cases = [
        ("<mujoco/>".to_owned(), 1, "worldbody"),
        (body("<joint axis=\"0 0 0\"/>"), 2, "direction"),
        (body("<joint axis=\"0 0 nan\"/>"), 2, "finite"),
        (body("<joint type=\"screw\"/>"), 2, "known are"),
        (body("<joint range=\"1 -1\"/>"), 2, "lower"),
        (body("<geom type=\"box\" size=\"1 1\"/>"), 2, "needs 3"),
        (body("<geom size=\"-1\"/>"), 2, "positive"),
        (body("<geom class=\"none\" size=\"1\"/>"), 2, "<default>"),
        (body("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"), 2, "length"),
        (body("<body name=\"a\"/>"), 2, "already"),
        (body("<inertial mass=\"-1\"/>"), 2, "negative"),
        ("<sdf/>".to_owned(), 1, "<model>"),
        ("<sdf><model name=\"m\"/></sdf>".to_owned(), 1, "<link>"),
        (joint("<parent>a</parent>"), 3, "<child>"),
        (joint("<parent>a</parent><child>c</child>"), 3, "\"c\""),
        (joint("<parent>a</parent><child>b</child><pose relative_to=\"j\">0 0 0 0 0 0</pose>"), 3, "itself"),
        (joint("<parent>a</parent><child>b</child><axis><xyz>0 0 0</xyz></axis>"), 3, "direction"),
        (joint("<parent>a</parent><child>b</child><pose>0 0 0</pose>"), 3, "3 numbers"),
    ];
    for (text, line, word) in cases {
        match parse(&text) {
            Err(RobotError::Format { line: at, message, .. }) => {
                assert_eq!(at, line, "{message}");
                assert!(message.contains(word), "{message:?} does not say {word:?}");
            }
            other => panic!("{text}: {:?}", other.map(|loaded| loaded.diagnostics)),
        }
    }
}

/// Random damage: no panic, no hang, and what is read has a place for every link.
#[test]
fn mutated_files_do_no_harm() {
    let mut random = fastrand::Rng::with_seed(23);
    let pieces =
        ["\"", "<", "/>", "nan", "1e999", "-1", "<body/>", "<joint/>", "0 0 0 0", "é", "a", "<frame>", "world"];
    let (mut read_count, mut refused) = (0, 0);
    for round in 0..1500 {
        let mut bytes = [MJCF, SDF][round % 2].as_bytes().to_vec();
        for _ in 0..random.usize(1..3) {
            let at = random.usize(0..bytes.len());
            match random.u8(0..3) {
                0 => bytes[at] = random.u8(32..127),
                1 => drop(bytes.drain(at..(at + random.usize(0..20)).min(bytes.len()))),
                _ => drop(bytes.splice(at..at, pieces[random.usize(0..pieces.len())].bytes())),
            }
        }
        match parse(&String::from_utf8_lossy(&bytes)) {
            Ok(loaded) => {
                read_count += 1;
                let kinematics = Kinematics::new(&loaded.robot);
                let poses = kinematics.link_poses(&kinematics.neutral(), &Pose::IDENTITY);
                assert!(poses.len() == loaded.robot.links.len() && poses.iter().all(|p| p.translation.is_finite()));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read_count > 100 && refused > 100, "{read_count} read, {refused} refused");
}
