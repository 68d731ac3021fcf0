//! From a description to the tables of a file. Everything is written out, so that a change of a default changes no scene.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Core, Primitive, Shape};
use superegg_mesh::TriangleMesh;
use superegg_sim::{
    Axis, Bending, Body, Collider, Fabric, Friction, Groups, JointKind, Mass, Motion, RestLength, Servo, SoftSolid,
};
use superegg_world::geometry::Geometry;

use super::tables::{
    AxisTable, BendingName, BodyTable, CameraTable, ClothTable, ConeTable, File, FrameTable, HandTable, JointTable,
    JointType, MimicTable, MotionName, PushTable, ServoTable, ShapeType, SoftTable, SpringTable, TetherName, WindTable,
    WrinklesTable,
};
use crate::{ClothDescription, ClothMesh, Description, JointDescription};

/// The tables of a description.
pub(super) fn file(given: &Description) -> File {
    File {
        name: Some(given.name.clone()),
        seconds: Some(given.seconds),
        dt: Some(given.dt),
        substeps: Some(given.substeps),
        gravity: Some(given.gravity.to_array()),
        sleeping: Some(given.sleeping),
        wind: given.wind.map(|wind| WindTable {
            velocity: wind.velocity.to_array(),
            gusts: Some(wind.gusts),
            density: Some(wind.density),
        }),
        camera: given.camera.map(|camera| CameraTable {
            eye: camera.eye.to_array(),
            target: camera.target.to_array(),
            field_of_view: Some(camera.field_of_view),
        }),
        body: given.bodies.iter().map(body).collect(),
        joint: given.joints.iter().map(joint).collect(),
        cloth: given.cloths.iter().map(cloth).collect(),
        soft: given.soft_solids.iter().map(soft).collect(),
        hand: given
            .hands
            .iter()
            .map(|hand| HandTable {
                cloth: Some(hand.cloth),
                vertices: hand.vertices.clone(),
                path: hand.path.iter().map(|(time, d)| [*time, d.x, d.y, d.z]).collect(),
                until: Some(hand.until),
            })
            .collect(),
        push: given
            .pushes
            .iter()
            .map(|push| PushTable {
                at: push.at,
                body: push.body,
                arm: Some(push.arm.to_array()),
                impulse: push.impulse.to_array(),
            })
            .collect(),
    }
}

fn friction(of: Friction) -> Option<[f64; 2]> {
    Some([of.fixed, of.sliding])
}

fn groups(of: Groups) -> Option<[u32; 2]> {
    (of != Groups::ALL).then_some([of.member_of, of.collides_with])
}

fn position(of: &Pose) -> Option<[f64; 3]> {
    (of.translation != DVec3::ZERO).then_some(of.translation.to_array())
}

fn orientation(of: &Pose) -> Option<[f64; 4]> {
    (of.rotation != DQuat::IDENTITY).then_some(of.rotation.to_array())
}

/// Vertices and triangles as a table lists them.
type Lists = (Option<Vec<[f64; 3]>>, Option<Vec<[u32; 3]>>);

fn lists(of: &TriangleMesh) -> Lists {
    (Some(of.positions().iter().map(|p| p.to_array()).collect()), Some(of.triangles().to_vec()))
}

/// The keys of a shape.
fn shape(of: &Shape) -> BodyTable {
    let table = BodyTable::default();
    match of {
        Shape::Superellipsoid(egg) => BodyTable {
            kind: Some(ShapeType::Superellipsoid),
            radii: Some(egg.radii()),
            exponents: Some(egg.exponents()),
            ..table
        },
        Shape::Superovoid(egg) => BodyTable {
            kind: Some(ShapeType::Superovoid),
            radii: Some(egg.radii()),
            exponents: Some(egg.exponents()),
            taper: Some(egg.taper()),
            ..table
        },
        Shape::Plane(plane) => BodyTable {
            kind: Some(ShapeType::Plane),
            normal: Some(plane.normal().to_array()),
            offset: Some(plane.offset()),
            ..table
        },
        Shape::Primitive(own) => primitive(own),
        Shape::Hull(own) => BodyTable {
            kind: Some(ShapeType::Hull),
            points: Some(own.vertices().iter().map(|vertex| vertex.to_array()).collect()),
            rounding: (own.rounding() > 0.0).then_some(own.rounding()),
            ..table
        },
        // Nothing that collides, and what has no numbers to write.
        Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) | Shape::Custom(_) => table,
    }
}

/// The keys of a primitive. Capsules and frustums stand for what else they can be, so that nothing is lost.
fn primitive(of: &Primitive) -> BodyTable {
    let (table, rounding) = (BodyTable::default(), of.rounding());
    let around = (rounding > 0.0).then_some(rounding);
    match of.core() {
        Core::Segment { half_height } => BodyTable {
            kind: Some(ShapeType::Capsule),
            radius: Some(rounding),
            half_height: Some(half_height),
            ..table
        },
        Core::Cuboid { half_extents } => {
            BodyTable { kind: Some(ShapeType::Box), half_extents: Some(half_extents), rounding: around, ..table }
        }
        Core::Frustum { radii, half_height } => BodyTable {
            kind: Some(ShapeType::Frustum),
            end_radii: Some(radii),
            half_height: Some(half_height),
            rounding: around,
            ..table
        },
    }
}

fn collider(of: &Collider) -> BodyTable {
    let table = match &of.geometry {
        Geometry::Shape(own) => shape(own),
        Geometry::Compound(compound) => {
            let part = |part: &superegg_world::compound::Part| BodyTable {
                position: position(&part.pose),
                orientation: orientation(&part.pose),
                ..shape(&part.shape)
            };
            let parts = compound.parts().iter().map(part).collect();
            BodyTable { kind: Some(ShapeType::Compound), parts, ..BodyTable::default() }
        }
        Geometry::Mesh(mesh) => BodyTable {
            kind: Some(ShapeType::Mesh),
            vertices: Some(mesh.positions().iter().map(|p| p.to_array()).collect()),
            triangles: Some(mesh.topology().triangles().to_vec()),
            ..BodyTable::default()
        },
        // Refused as a collider.
        Geometry::Superquadric(_) => BodyTable::default(),
    };
    BodyTable {
        friction: friction(of.material.friction),
        restitution: Some(of.material.restitution),
        rolling: Some(of.material.rolling),
        spinning: Some(of.material.spinning),
        groups: groups(of.groups),
        ..table
    }
}

fn body(of: &Body) -> BodyTable {
    let mut own = of.colliders.iter();
    // The first collider is the body's own table if it is at its origin.
    let first = own.clone().next().filter(|collider| collider.pose == Pose::IDENTITY);
    let table = first.map_or_else(BodyTable::default, collider);
    if first.is_some() {
        own.next();
    }
    let further = own.map(|one| BodyTable {
        position: position(&one.pose),
        orientation: orientation(&one.pose),
        ..collider(one)
    });
    let vector = |v: DVec3| (v != DVec3::ZERO).then_some(v.to_array());
    let mut table = BodyTable {
        position: position(&of.pose),
        orientation: orientation(&of.pose),
        velocity: vector(of.velocity),
        angular_velocity: vector(of.angular_velocity),
        collider: further.collect(),
        ..table
    };
    match of.motion {
        Motion::Fixed => table.motion = Some(MotionName::Fixed),
        Motion::Kinematic => table.motion = Some(MotionName::Kinematic),
        Motion::Dynamic(Mass::Density(density)) => table.density = Some(density),
        Motion::Dynamic(Mass::Given { mass, center, inertia }) => {
            (table.mass, table.center) = (Some(mass), Some(center.to_array()));
            table.inertia = Some(inertia.to_cols_array_2d());
        }
    }
    table
}

fn axis(of: &Axis) -> AxisTable {
    let servo = match of.servo {
        Servo::Off => None,
        Servo::Position { target, velocity, stiffness, damping, effort } => Some(ServoTable::Position {
            target,
            velocity: Some(velocity),
            stiffness,
            damping: Some(damping),
            effort: Some(effort),
        }),
        Servo::Velocity { target, effort } => Some(ServoTable::Velocity { target, effort: Some(effort) }),
        Servo::Effort(effort) => Some(ServoTable::Effort { effort }),
    };
    let spring = of.spring.map(|spring| SpringTable {
        rest: Some(spring.rest),
        stiffness: spring.stiffness,
        damping: Some(spring.damping),
    });
    AxisTable { limits: of.limits, friction: Some(of.friction), damping: Some(of.damping), spring, servo }
}

fn joint(of: &JointDescription) -> JointTable {
    let kind = match of.kind {
        JointKind::Fixed => JointType::Fixed,
        JointKind::Revolute(_) => JointType::Revolute,
        JointKind::Continuous(_) => JointType::Continuous,
        JointKind::Prismatic(_) => JointType::Prismatic,
        JointKind::Planar(_) => JointType::Planar,
        JointKind::Floating => JointType::Floating,
        JointKind::Ball(_) => JointType::Ball,
        JointKind::Universal(_) => JointType::Universal,
        JointKind::Distance(_) => JointType::Distance,
    };
    let cone = match of.kind {
        JointKind::Ball(Some(cone)) => Some(ConeTable { swing: cone.swing, twist: cone.twist }),
        _ => None,
    };
    let frame = |pose: &Pose| Some(FrameTable { position: position(pose), orientation: orientation(pose) });
    JointTable {
        kind,
        a: of.a,
        b: of.b,
        collide: Some(of.collide),
        frame_a: frame(&of.frame_a),
        frame_b: frame(&of.frame_b),
        cone,
        mimic: of.mimic.map(|(joint, axis, ratio, offset)| MimicTable {
            joint,
            axis: Some(axis),
            ratio: Some(ratio),
            offset: Some(offset),
        }),
        axis: of.kind.axes().iter().map(axis).collect(),
    }
}

fn cloth(of: &ClothDescription) -> ClothTable {
    let mut table = fabric(&of.fabric);
    match &of.mesh {
        ClothMesh::Grid { vertices, size, corner } => {
            (table.vertices, table.size, table.corner) = (Some(*vertices), Some(*size), Some(corner.to_array()));
        }
        ClothMesh::Mesh(mesh) => (table.rest, table.triangles) = lists(mesh),
    }
    table.places = of.places.as_ref().map(|places| places.iter().map(|p| p.to_array()).collect());
    (table.pins, table.held) = (of.pins.clone(), of.held.clone());
    table.wrinkles = of.wrinkles.map(|wrinkles| WrinklesTable { level: wrinkles.level, reach: Some(wrinkles.reach) });
    table
}

fn fabric(of: &Fabric) -> ClothTable {
    ClothTable {
        density: Some(of.density),
        compliance: Some(of.compliance),
        compression_compliance: Some(of.compression_compliance),
        strain_limit: Some(of.strain_limit),
        bending: Some(match of.bending {
            Bending::None => BendingName::None,
            Bending::Isometric => BendingName::Isometric,
            Bending::Dihedral => BendingName::Dihedral,
        }),
        bending_compliance: Some(of.bending_compliance),
        tethers: of.tethers.map(|kind| match kind {
            RestLength::Euclidean => TetherName::Euclidean,
            RestLength::Geodesic => TetherName::Geodesic,
        }),
        offset: Some(of.offset),
        self_separation: of.self_separation,
        friction: friction(of.friction),
        groups: groups(of.groups),
        damping: Some(of.damping),
        internal_damping: Some(of.internal_damping),
        ..ClothTable::default()
    }
}

fn soft(of: &SoftSolid) -> SoftTable {
    let (vertices, triangles) = lists(&of.mesh);
    SoftTable {
        file: None,
        vertices,
        triangles,
        mass: of.mass,
        compliance: Some(of.compliance),
        offset: Some(of.offset),
        friction: friction(of.friction),
        groups: groups(of.groups),
        damping: Some(of.damping),
    }
}
