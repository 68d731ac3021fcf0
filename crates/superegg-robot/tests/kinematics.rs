//! Forward kinematics against products of homogeneous matrices and, where it is installed, against yourdfpy; Jacobians against finite
//! differences.

mod support;

use std::path::Path;
use std::process::Command;

use glam::{DMat4, DQuat, DVec3};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::{JointKind, Robot};
use superegg_robot::urdf::{ReadOptions, read, read_file};
use superegg_robot::{Pose, Threads};
use support::robots;

/// A tree with every kind of joint, mimics of mimics, and frames that are turned.
fn everything() -> Robot {
    let mut text = String::from("<robot name=\"r\"><link name=\"l0\"/>");
    let kinds = ["revolute", "prismatic", "planar", "continuous", "floating", "fixed", "revolute", "prismatic"];
    for (number, kind) in kinds.iter().enumerate() {
        let (parent, child) = (number / 2, number + 1);
        let mimic = match number {
            6 => "<mimic joint=\"j0\" multiplier=\"-0.7\" offset=\"0.3\"/>",
            7 => "<mimic joint=\"j6\" multiplier=\"0.4\" offset=\"-0.1\"/>",
            _ => "",
        };
        text += &format!(
            "<link name=\"l{child}\"/><joint name=\"j{number}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{child}\"/>\
             <origin xyz=\"0.1 {} 0.3\" rpy=\"{} 0.4 -0.9\"/><axis xyz=\"0.48 0.6 0.64\"/>\
             <limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/>{mimic}</joint>",
            0.1 * number as f64,
            0.2 * number as f64
        );
    }
    text += "</robot>";
    read(Path::new("r.urdf"), &text, &ReadOptions::default()).unwrap().robot
}

/// The position of a joint, by following mimics one by one.
fn position(robot: &Robot, kinematics: &Kinematics, joint: usize, component: usize, q: &[f64]) -> f64 {
    if let Some(mimic) = robot.joints[joint].mimic {
        return mimic.multiplier * position(robot, kinematics, mimic.joint, component, q) + mimic.offset;
    }
    let index = kinematics.freedoms().iter().position(|f| f.joint == joint && f.component == component).unwrap();
    q[index]
}

/// Link by link from the root with four-by-four matrices: nothing is shared with the library but the model.
fn by_matrices(robot: &Robot, kinematics: &Kinematics, link: usize, q: &[f64]) -> DMat4 {
    let Some(number) = robot.joints.iter().position(|joint| joint.child == link) else { return DMat4::IDENTITY };
    let joint = &robot.joints[number];
    let at = |component| position(robot, kinematics, number, component, q);
    let rpy = joint.origin.rpy;
    let origin = DMat4::from_translation(joint.origin.xyz)
        * DMat4::from_rotation_z(rpy.z)
        * DMat4::from_rotation_y(rpy.y)
        * DMat4::from_rotation_x(rpy.x);
    let own = match joint.kind {
        JointKind::Fixed => DMat4::IDENTITY,
        JointKind::Revolute | JointKind::Continuous => DMat4::from_axis_angle(joint.axis, at(0)),
        JointKind::Prismatic => DMat4::from_translation(joint.axis * at(0)),
        JointKind::Planar => {
            let u = DVec3::Z.cross(joint.axis).normalize();
            let v = joint.axis.cross(u);
            DMat4::from_translation(u * at(0) + v * at(1)) * DMat4::from_axis_angle(joint.axis, at(2))
        }
        JointKind::Floating => {
            let turn = DQuat::from_scaled_axis(DVec3::new(at(3), at(4), at(5)));
            DMat4::from_translation(DVec3::new(at(0), at(1), at(2))) * DMat4::from_quat(turn)
        }
    };
    by_matrices(robot, kinematics, joint.parent, q) * origin * own
}

fn all_robots() -> Vec<Robot> {
    let mut found = vec![everything()];
    found.extend(robots().iter().map(|path| read_file(path, &ReadOptions::default()).unwrap().robot));
    found
}

#[test]
fn poses_agree_with_products_of_matrices() {
    let mut random = fastrand::Rng::with_seed(2);
    for robot in all_robots() {
        let kinematics = Kinematics::new(&robot);
        let mut many = Vec::new();
        let base = Pose::new(DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9), DVec3::new(1.0, 2.0, 3.0)).unwrap();
        for _ in 0..40 {
            let q = kinematics.random(&robot, &mut random);
            let poses = kinematics.link_poses(&q, &base);
            for (link, pose) in poses.iter().enumerate() {
                let reference = DMat4::from_rotation_translation(base.rotation, base.translation)
                    * by_matrices(&robot, &kinematics, link, &q);
                for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                    // Both round a few dozen products of numbers of order one.
                    assert!(
                        reference.transform_point3(point).distance(pose.transform_point(point)) < 1e-12,
                        "{}",
                        robot.links[link].name
                    );
                }
            }
            many.extend(q);
        }
        let one = kinematics.batch(&many, &base, Threads::One).unwrap();
        assert_eq!(one, kinematics.batch(&many, &base, Threads::All).unwrap());
        let freedoms = kinematics.freedoms().len();
        assert_eq!(one[..robot.links.len()], kinematics.link_poses(&many[..freedoms], &base));
        assert!(kinematics.batch(&many[1..], &base, Threads::One).is_err());
    }
}

#[test]
fn jacobians_agree_with_finite_differences() {
    let mut random = fastrand::Rng::with_seed(3);
    for robot in all_robots() {
        let kinematics = Kinematics::new(&robot);
        for _ in 0..4 {
            let q = kinematics.random(&robot, &mut random);
            let poses = kinematics.link_poses(&q, &Pose::IDENTITY);
            for link in 0..robot.links.len() {
                let local = DVec3::new(0.1, -0.2, 0.3);
                let point = poses[link].transform_point(local);
                let columns = kinematics.jacobian(&q, &poses, link, point);
                for (number, column) in columns.iter().enumerate() {
                    let h = 1e-6;
                    let moved = |by: f64| {
                        let mut q = q.clone();
                        q[number] += by;
                        kinematics.link_poses(&q, &Pose::IDENTITY)[link]
                    };
                    let (ahead, behind) = (moved(h), moved(-h));
                    let linear = (ahead.transform_point(local) - behind.transform_point(local)) / (2.0 * h);
                    let mut turn = ahead.rotation * behind.rotation.conjugate();
                    if turn.w < 0.0 {
                        turn = -turn;
                    }
                    let angular = turn.to_scaled_axis() / (2.0 * h);
                    // Central differences: h² and rounding over h, 1e-10 both.
                    assert!(linear.distance(column.linear) < 1e-8, "{linear} {}", column.linear);
                    assert!(angular.distance(column.angular) < 1e-8, "{angular} {}", column.angular);
                }
            }
        }
    }
}

#[test]
fn leaders_respect_the_limits_of_followers() {
    let text = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\
        <joint name=\"lead\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\
        <joint name=\"follow\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><limit lower=\"0\" upper=\"0.5\" effort=\"1\" velocity=\"1\"/>\
        <mimic joint=\"lead\" multiplier=\"2\" offset=\"0.1\"/></joint></robot>";
    let robot = read(Path::new("r.urdf"), text, &ReadOptions::default()).unwrap().robot;
    let freedom = Kinematics::new(&robot).freedoms()[0];
    assert!((freedom.lower + 0.05).abs() < 1e-15 && (freedom.upper - 0.2).abs() < 1e-15);
}

#[test]
fn configurations_by_name() {
    let robot = everything();
    let kinematics = Kinematics::new(&robot);
    let q = kinematics.configuration(&robot, [("j0", 0.5), ("j2/1", 0.25), ("j4/5", -0.1)]).unwrap();
    assert_eq!(q.len(), robot.freedoms());
    for (name, word) in [("j6", "follows j0"), ("j5", "fixed"), ("nobody", "there is no joint"), ("j2/9", "planar")] {
        let message = kinematics.configuration(&robot, [(name, 0.0)]).unwrap_err().to_string();
        assert!(message.contains(word) || message.contains("there is no joint"), "{message}");
    }
    assert!(kinematics.configuration(&robot, [("j0", f64::NAN)]).is_err());
}

/// The peer: yourdfpy reads the same files and places the same links. Says whether it ran.
#[test]
fn poses_agree_with_yourdfpy_where_installed() {
    let script = r#"
import sys, json
import yourdfpy
path, names, values = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
robot = yourdfpy.URDF.load(path, load_meshes=False, build_scene_graph=True)
robot.update_cfg({n: v for n, v in zip(names, values) if n in robot.actuated_joint_names})
print(json.dumps({l: robot.get_transform(l).flatten().tolist() for l in robot.link_map}))
"#;
    let installed = Command::new("python3").args(["-c", "import yourdfpy"]).output().is_ok_and(|o| o.status.success());
    if !installed {
        println!("the peer did not run: yourdfpy is not installed (pip install yourdfpy)");
        return;
    }
    let mut random = fastrand::Rng::with_seed(4);
    let mut compared = 0;
    for path in robots() {
        let robot = read_file(&path, &ReadOptions::default()).unwrap().robot;
        let kinematics = Kinematics::new(&robot);
        let q = kinematics.random(&robot, &mut random);
        let names: Vec<String> = (0..q.len()).map(|n| format!("{:?}", kinematics.freedom_name(&robot, n))).collect();
        let values: Vec<String> = q.iter().map(f64::to_string).collect();
        let lists = [names, values].map(|list| format!("[{}]", list.join(",")));
        let output = Command::new("python3").args(["-c", script]).arg(&path).args(lists).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let poses = kinematics.link_poses(&q, &Pose::IDENTITY);
        for (link, pose) in robot.links.iter().zip(&poses) {
            let key = format!("{:?}: [", link.name);
            let at = text.find(&key).unwrap() + key.len();
            let numbers: Vec<f64> =
                text[at..].split(']').next().unwrap().split(',').map(|n| n.trim().parse().unwrap()).collect();
            for row in 0..3 {
                let ours = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.rotation * axis)[row]);
                for (column, own) in ours.into_iter().enumerate() {
                    assert!((own - numbers[4 * row + column]).abs() < 1e-9, "{}", link.name);
                }
                assert!((pose.translation[row] - numbers[4 * row + 3]).abs() < 1e-9, "{}", link.name);
            }
            compared += 1;
        }
    }
    println!("the peer ran: {compared} links agree with yourdfpy to 1e-9");
}

/// The peer: pinocchio's Jacobians of the same links, at the origins of their frames. It lets followers move by themselves, so that their columns go to
/// their leaders here. Says whether it ran.
#[test]
fn jacobians_agree_with_pinocchio_where_installed() {
    let script = r#"
import sys, json
import pinocchio as pin
import numpy as np
path, values = sys.argv[1], json.loads(sys.argv[2])
model = pin.buildModelFromUrdf(path)
data = model.createData()
v = np.zeros(model.nv)
for name, value in values.items():
    v[model.joints[model.getJointId(name)].idx_v] = value
q = pin.integrate(model, pin.neutral(model), v)
names = [None] * model.nv
for j in range(1, model.njoints):
    names[model.joints[j].idx_v] = model.names[j]
for frame in range(model.nframes):
    if model.frames[frame].type == pin.FrameType.BODY:
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        for c in range(model.nv):
            print(model.frames[frame].name, names[c], *J[:, c])
"#;
    let installed = Command::new("python3").args(["-c", "import pinocchio"]).output().is_ok_and(|o| o.status.success());
    if !installed {
        println!("the peer did not run: pinocchio is not installed (pip install pin)");
        return;
    }
    let mut random = fastrand::Rng::with_seed(5);
    let mut compared = 0;
    for path in robots() {
        let robot = read_file(&path, &ReadOptions::default()).unwrap().robot;
        let kinematics = Kinematics::new(&robot);
        let q = kinematics.random(&robot, &mut random);
        // A joint's leader in the end, and how it follows it.
        let followed = |mut joint: usize| {
            let (mut ratio, mut offset) = (1.0, 0.0);
            while let Some(mimic) = robot.joints[joint].mimic {
                offset += ratio * mimic.offset;
                ratio *= mimic.multiplier;
                joint = mimic.joint;
            }
            let name = &robot.joints[joint].name;
            ((0..q.len()).find(|n| kinematics.freedom_name(&robot, *n) == *name).unwrap(), ratio, offset)
        };
        let moving: Vec<usize> = (0..robot.joints.len()).filter(|j| robot.joints[*j].kind.freedoms() == 1).collect();
        let values = moving.iter().map(|j| {
            let (leader, ratio, offset) = followed(*j);
            format!("{:?}:{}", robot.joints[*j].name, ratio * q[leader] + offset)
        });
        let values = format!("{{{}}}", values.collect::<Vec<_>>().join(","));
        let output = Command::new("python3").args(["-c", script]).arg(&path).arg(values).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut theirs = vec![vec![[0.0; 6]; q.len()]; robot.links.len()];
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let link = robot.links.iter().position(|link| link.name == words[0]).unwrap();
            let joint = robot.joints.iter().position(|joint| joint.name == words[1]).unwrap();
            let (leader, ratio, _) = followed(joint);
            for (sum, word) in theirs[link][leader].iter_mut().zip(&words[2..]) {
                *sum += ratio * word.parse::<f64>().unwrap();
            }
        }
        let poses = kinematics.link_poses(&q, &Pose::IDENTITY);
        for (link, pose) in poses.iter().enumerate() {
            for (column, own) in theirs[link].iter().zip(kinematics.jacobian(&q, &poses, link, pose.translation)) {
                let found = [own.linear.to_array(), own.angular.to_array()].concat();
                let apart = column.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-9, "{}: {column:?} {found:?}", robot.links[link].name);
                compared += 1;
            }
        }
    }
    println!("the peer ran: {compared} columns agree with pinocchio to 1e-9");
}
