//! From the tables of a file to a description.

use std::path::Path;

use glam::{DMat3, DQuat, DVec3};
use superegg::shape::{Hull, Plane, Primitive, Shape, Superellipsoid, Superovoid};
use superegg::{InvalidInput, Pose};
use superegg_io::read_mesh;
use superegg_mesh::TriangleMesh;
use superegg_picture::Camera;
use superegg_sim::{
    Axis, Bending, Body, Collider, Cone, Fabric, Friction, Groups, JointKind, Mass, Material, Motion, RestLength,
    Servo, SimError, SoftSolid, Spring, Wind, Wrinkles,
};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Geometry;

use super::tables::{
    AxisTable, BendingName, BodyTable, ClothTable, File, FrameTable, JointTable, JointType, MotionName, ServoTable,
    ShapeType, SoftTable, TetherName,
};
use crate::{ClothDescription, ClothMesh, Description, Hand, JointDescription, Push};

/// Why a table was refused: which, the key to blame and what to say.
pub(super) struct Refusal {
    pub kind: &'static str,
    pub index: usize,
    pub key: String,
    pub message: String,
}

/// The same within a table.
struct Blame {
    key: String,
    message: String,
}

impl Blame {
    fn new(key: &str, message: String) -> Blame {
        Blame { key: key.to_owned(), message }
    }

    fn missing(key: &str, of: &str) -> Blame {
        Blame { key: String::new(), message: format!("{key} is missing: {of} needs it") }
    }

    fn surplus(key: &str, of: &str) -> Blame {
        Blame::new(key, format!("{key}: {of} has none"))
    }
}

impl From<InvalidInput> for Blame {
    fn from(refused: InvalidInput) -> Blame {
        let key = refused.field.split(['[', '.']).next().unwrap_or_default();
        // Keys that have another name here.
        let key = if key == "count" { "vertices" } else { key };
        Blame::new(key, refused.to_string())
    }
}

impl Refusal {
    /// What a world refused.
    pub fn sim(kind: &'static str, index: usize, error: SimError) -> Refusal {
        let Blame { key, message } = match error {
            SimError::InvalidInput(refused) => refused.into(),
            SimError::NoSuch { what: "vertex", .. } => Blame::new("pins", format!("pins: {error}")),
            SimError::NoSuch { what: "body", .. } if kind == "joint" => Blame::new("b", format!("a, b: {error}")),
            other => Blame::new("", other.to_string()),
        };
        Refusal { kind, index, key, message }
    }
}

/// Reads everything.
pub(super) fn description(file: &File, folder: &Path) -> Result<Description, Refusal> {
    let plain = Description::default();
    let at =
        |kind: &'static str, index: usize| move |Blame { key, message }: Blame| Refusal { kind, index, key, message };
    let mut read = Description {
        name: file.name.clone().unwrap_or(plain.name),
        dt: file.dt.unwrap_or(plain.dt),
        substeps: file.substeps.unwrap_or(plain.substeps),
        seconds: file.seconds.unwrap_or(plain.seconds),
        gravity: file.gravity.map_or(plain.gravity, DVec3::from),
        sleeping: file.sleeping.unwrap_or(plain.sleeping),
        ..Description::default()
    };
    if !read.gravity.is_finite() {
        return Err(at("", 0)(Blame::new("gravity", "gravity: only finite numbers are allowed".to_owned())));
    }
    if let Some(table) = &file.wind {
        let still = Wind::default();
        let velocity = DVec3::from(table.velocity);
        let (gusts, density) = (table.gusts.unwrap_or(0.0), table.density.unwrap_or(still.density));
        if !(velocity.is_finite() && gusts >= 0.0 && density >= 0.0) {
            let message = "wind: velocity must be finite, gusts and density not negative".to_owned();
            return Err(at("", 0)(Blame::new("wind", message)));
        }
        read.wind = Some(Wind { velocity, gusts, density });
    }
    read.camera = file.camera.as_ref().map(|table| Camera {
        eye: table.eye.into(),
        target: table.target.into(),
        field_of_view: table.field_of_view.unwrap_or(40.0),
    });
    for (index, table) in file.body.iter().enumerate() {
        read.bodies.push(body(table, folder).map_err(at("body", index))?);
    }
    for (index, table) in file.joint.iter().enumerate() {
        read.joints.push(joint(table).map_err(at("joint", index))?);
    }
    for (index, table) in file.cloth.iter().enumerate() {
        read.cloths.push(cloth(table, folder).map_err(at("cloth", index))?);
    }
    for (index, table) in file.soft.iter().enumerate() {
        read.soft_solids.push(soft(table, folder).map_err(at("soft", index))?);
    }
    for (index, table) in file.hand.iter().enumerate() {
        let path: Vec<(f64, DVec3)> = table.path.iter().map(|[t, x, y, z]| (*t, DVec3::new(*x, *y, *z))).collect();
        let sound = path.iter().all(|(t, d)| t.is_finite() && d.is_finite()) && path.is_sorted_by(|a, b| a.0 < b.0);
        if !sound {
            let message = "path: times must grow, and all numbers be finite".to_owned();
            return Err(at("hand", index)(Blame::new("path", message)));
        }
        let (cloth, until) = (table.cloth.unwrap_or(0), table.until.unwrap_or(f64::INFINITY));
        read.hands.push(Hand { cloth, vertices: table.vertices.clone(), path, until });
    }
    for table in &file.push {
        let arm = table.arm.map_or(DVec3::ZERO, DVec3::from);
        read.pushes.push(Push { at: table.at, body: table.body, arm, impulse: table.impulse.into() });
    }
    Ok(read)
}

/// A pose, whose rotation keeps its bits if it is one already.
fn pose(position: Option<[f64; 3]>, orientation: Option<[f64; 4]>) -> Result<Pose, Blame> {
    let (rotation, translation) =
        (DQuat::from_array(orientation.unwrap_or([0.0, 0.0, 0.0, 1.0])), DVec3::from(position.unwrap_or([0.0; 3])));
    let checked = Pose::new(rotation, translation)?;
    let unit = (rotation.length_squared() - 1.0).abs() < 4.0 * f64::EPSILON;
    Ok(if unit { Pose { rotation, translation } } else { checked })
}

fn friction(given: Option<[f64; 2]>) -> Friction {
    given.map_or(Friction::default(), |[fixed, sliding]| Friction { fixed, sliding })
}

fn groups(given: Option<[u32; 2]>) -> Groups {
    given.map_or(Groups::ALL, |[member_of, collides_with]| Groups { member_of, collides_with })
}

/// Refuses keys that other kinds of bodies have.
fn refuse_surplus(table: &BodyTable, kind: ShapeType) -> Result<(), Blame> {
    use ShapeType::{Box, Capsule, Compound, Cone, Cylinder, Frustum, Hull, Mesh, Plane, Sphere};
    use ShapeType::{Superellipsoid, Superovoid};
    let smooth: &[ShapeType] = &[Superellipsoid, Superovoid];
    let keys: [(&str, bool, &[ShapeType]); 16] = [
        ("half_extents", table.half_extents.is_some(), &[Box]),
        ("radius", table.radius.is_some(), &[Sphere, Cylinder, Cone, Capsule]),
        ("end_radii", table.end_radii.is_some(), &[Frustum]),
        ("half_height", table.half_height.is_some(), &[Cylinder, Cone, Capsule, Frustum]),
        ("rounding", table.rounding.is_some(), &[Box, Sphere, Cylinder, Cone, Capsule, Frustum, Hull]),
        ("points", table.points.is_some(), &[Hull]),
        ("radii", table.radii.is_some(), smooth),
        ("exponents", table.exponents.is_some(), smooth),
        ("taper", table.taper.is_some(), &[Superovoid]),
        ("normal", table.normal.is_some(), &[Plane]),
        ("offset", table.offset.is_some(), &[Plane]),
        ("file", table.file.is_some(), &[Mesh]),
        ("scale", table.scale.is_some(), &[Mesh]),
        ("vertices", table.vertices.is_some(), &[Mesh]),
        ("triangles", table.triangles.is_some(), &[Mesh]),
        ("parts", !table.parts.is_empty(), &[Compound]),
    ];
    match keys.into_iter().find(|(_, given, of)| *given && !of.contains(&kind)) {
        Some((key, ..)) => Err(Blame::surplus(key, kind.name())),
        None => Ok(()),
    }
}

/// Refuses what only bodies have.
fn refuse_body_keys(table: &BodyTable, of: &str) -> Result<(), Blame> {
    let keys = [
        ("motion", table.motion.is_some()),
        ("velocity", table.velocity.is_some()),
        ("angular_velocity", table.angular_velocity.is_some()),
        ("density", table.density.is_some()),
        ("mass", table.mass.is_some()),
        ("center", table.center.is_some()),
        ("inertia", table.inertia.is_some()),
        ("collider", !table.collider.is_empty()),
    ];
    match keys.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(Blame::surplus(key, of)),
        None => Ok(()),
    }
}

fn shape(table: &BodyTable, kind: ShapeType) -> Result<Shape, Blame> {
    let need = |key: &str| Blame::missing(key, kind.name());
    if let ShapeType::Plane = kind {
        let normal = table.normal.ok_or_else(|| need("normal"))?;
        return Ok(Plane::new(DVec3::from(normal), table.offset.unwrap_or(0.0))?.into());
    }
    if let ShapeType::Hull = kind {
        let points = table.points.as_ref().ok_or_else(|| need("points"))?;
        let points: Vec<DVec3> = points.iter().map(|point| DVec3::from(*point)).collect();
        return Ok(Hull::new(&points)?.rounded(table.rounding.unwrap_or(0.0))?.into());
    }
    if let Some(primitive) = primitive(table, kind)? {
        return Ok(primitive.into());
    }
    let radii = table.radii.ok_or_else(|| need("radii"))?;
    let exponents = table.exponents.ok_or_else(|| need("exponents"))?;
    Ok(match kind {
        ShapeType::Superovoid => Superovoid::new(radii, exponents, table.taper.ok_or_else(|| need("taper"))?)?.into(),
        _ => Superellipsoid::new(radii, exponents)?.into(),
    })
}

/// A box, sphere, cylinder, cone, capsule or frustum; `None` for other kinds.
fn primitive(table: &BodyTable, kind: ShapeType) -> Result<Option<Primitive>, Blame> {
    let need = |key: &str| Blame::missing(key, kind.name());
    let radius = || table.radius.ok_or_else(|| need("radius"));
    let half_height = || table.half_height.ok_or_else(|| need("half_height"));
    let sharp = match kind {
        ShapeType::Box => Primitive::cuboid(table.half_extents.ok_or_else(|| need("half_extents"))?)?,
        ShapeType::Sphere => Primitive::sphere(radius()?)?,
        ShapeType::Cylinder => Primitive::cylinder(radius()?, half_height()?)?,
        ShapeType::Cone => Primitive::cone(radius()?, half_height()?)?,
        ShapeType::Capsule => Primitive::capsule(radius()?, half_height()?)?,
        ShapeType::Frustum => {
            let radii = table.end_radii.ok_or_else(|| need("end_radii"))?;
            Primitive::frustum(radii, half_height()?)?
        }
        ShapeType::Superellipsoid
        | ShapeType::Superovoid
        | ShapeType::Plane
        | ShapeType::Hull
        | ShapeType::Mesh
        | ShapeType::Compound => return Ok(None),
    };
    Ok(Some(sharp.rounded(table.rounding.unwrap_or(0.0))?))
}

/// Vertices and triangles that are listed in a table.
type Lists<'a> = (Option<&'a Vec<[f64; 3]>>, Option<&'a Vec<[u32; 3]>>);

/// A mesh from a file beside the scene or from the lists in it.
fn mesh(
    folder: &Path,
    file: Option<&String>,
    scale: Option<f64>,
    (vertices, triangles): Lists,
) -> Result<TriangleMesh, Blame> {
    let scale = scale.unwrap_or(1.0);
    if !(scale > 0.0 && scale <= 1e6) {
        return Err(Blame::new("scale", format!("scale: {scale} is outside ]0, 1000000]")));
    }
    let (key, mut positions, triangles) = match (file, vertices, triangles) {
        (Some(file), None, None) => {
            let read = read_mesh(&folder.join(file)).map_err(|error| Blame::new("file", format!("file: {error}")))?;
            let (positions, triangles) = read.into_parts();
            ("file", positions, triangles)
        }
        (None, Some(vertices), Some(triangles)) => {
            ("triangles", vertices.iter().copied().map(DVec3::from).collect(), triangles.clone())
        }
        (Some(_), ..) => return Err(Blame::surplus("vertices", "a mesh from a file")),
        _ => return Err(Blame::missing("file", "a mesh")),
    };
    if scale != 1.0 {
        positions.iter_mut().for_each(|position| *position *= scale);
    }
    if triangles.is_empty() {
        return Err(Blame::new(key, format!("{key}: it has no triangles")));
    }
    let key = if scale == 1.0 { key } else { "scale" };
    TriangleMesh::new(positions, triangles).map_err(|error| Blame::new(key, format!("{key}: {error}")))
}

fn geometry(table: &BodyTable, kind: ShapeType, folder: &Path) -> Result<Geometry, Blame> {
    refuse_surplus(table, kind)?;
    Ok(match kind {
        ShapeType::Mesh => {
            let lists = (table.vertices.as_ref(), table.triangles.as_ref());
            let read = mesh(folder, table.file.as_ref(), table.scale, lists)?;
            let key = if table.file.is_some() { "file" } else { "triangles" };
            CollisionMesh::new(read).map_err(|error| Blame::new(key, format!("{key}: {error}")))?.into()
        }
        ShapeType::Compound => {
            let part = |table: &BodyTable| {
                refuse_body_keys(table, "a part of a compound")?;
                let kind = table.kind.ok_or_else(|| Blame::missing("type", "a part of a compound"))?;
                refuse_surplus(table, kind)?;
                Ok::<Part, Blame>(Part { shape: shape(table, kind)?, pose: pose(table.position, table.orientation)? })
            };
            let parts = table.parts.iter().map(part).collect::<Result<Vec<_>, _>>();
            let parts = parts.map_err(|blame| Blame::new("parts", format!("parts: {}", blame.message)))?;
            Compound::new(parts).map_err(|error| Blame::new("parts", format!("parts: {error}")))?.into()
        }
        _ => shape(table, kind)?.into(),
    })
}

fn collider(table: &BodyTable, kind: ShapeType, folder: &Path, place: Pose) -> Result<Collider, Blame> {
    let plain = Material::default();
    let material = Material {
        friction: friction(table.friction),
        restitution: table.restitution.unwrap_or(plain.restitution),
        rolling: table.rolling.unwrap_or(plain.rolling),
        spinning: table.spinning.unwrap_or(plain.spinning),
    };
    Ok(Collider { geometry: geometry(table, kind, folder)?, pose: place, material, groups: groups(table.groups) })
}

fn body(table: &BodyTable, folder: &Path) -> Result<Body, Blame> {
    let mut colliders = Vec::new();
    if let Some(kind) = table.kind {
        colliders.push(collider(table, kind, folder, Pose::IDENTITY)?);
    }
    for own in &table.collider {
        let inner = |blame: Blame| Blame::new("collider", format!("collider: {}", blame.message));
        let of = "a collider";
        refuse_body_keys(own, of).map_err(inner)?;
        let kind = own.kind.ok_or_else(|| inner(Blame::missing("type", of)))?;
        let place = pose(own.position, own.orientation).map_err(inner)?;
        colliders.push(collider(own, kind, folder, place).map_err(inner)?);
    }
    if colliders.is_empty() && table.mass.is_none() {
        return Err(Blame::missing("type", "a body"));
    }
    let velocity = table.velocity.map_or(DVec3::ZERO, DVec3::from);
    let angular_velocity = table.angular_velocity.map_or(DVec3::ZERO, DVec3::from);
    let weight = match (table.density, table.mass) {
        (Some(_), Some(_)) => return Err(Blame::new("mass", "density, mass: a body has one of them".to_owned())),
        (Some(density), None) => Some(Mass::Density(density)),
        (None, Some(mass)) => {
            let inertia = table.inertia.ok_or_else(|| Blame::missing("inertia", "a body with a mass"))?;
            let center = table.center.map_or(DVec3::ZERO, DVec3::from);
            Some(Mass::Given { mass, center, inertia: DMat3::from_cols_array_2d(&inertia) })
        }
        (None, None) => None,
    };
    let moves = velocity != DVec3::ZERO || angular_velocity != DVec3::ZERO;
    let motion = match (table.motion, weight) {
        (Some(MotionName::Dynamic), None) => return Err(Blame::missing("density", "a dynamic body")),
        (None | Some(MotionName::Dynamic), Some(mass)) => Motion::Dynamic(mass),
        (Some(MotionName::Fixed), _) => Motion::Fixed,
        (Some(MotionName::Kinematic), _) => Motion::Kinematic,
        (None, None) if moves => Motion::Kinematic,
        (None, None) => Motion::Fixed,
    };
    Ok(Body { pose: pose(table.position, table.orientation)?, velocity, angular_velocity, motion, colliders })
}

fn axis(table: &AxisTable) -> Axis {
    let servo = match table.servo {
        None => Servo::Off,
        Some(ServoTable::Position { target, velocity, stiffness, damping, effort }) => Servo::Position {
            target,
            velocity: velocity.unwrap_or(0.0),
            stiffness,
            damping: damping.unwrap_or(0.0),
            effort: effort.unwrap_or(f64::INFINITY),
        },
        Some(ServoTable::Velocity { target, effort }) => {
            Servo::Velocity { target, effort: effort.unwrap_or(f64::INFINITY) }
        }
        Some(ServoTable::Effort { effort }) => Servo::Effort(effort),
    };
    let spring = table.spring.map(|spring| Spring {
        rest: spring.rest.unwrap_or(0.0),
        stiffness: spring.stiffness,
        damping: spring.damping.unwrap_or(0.0),
    });
    Axis {
        limits: table.limits,
        servo,
        spring,
        friction: table.friction.unwrap_or(0.0),
        damping: table.damping.unwrap_or(0.0),
    }
}

fn joint(table: &JointTable) -> Result<JointDescription, Blame> {
    let most = match table.kind {
        JointType::Revolute | JointType::Continuous | JointType::Prismatic | JointType::Distance => 1,
        JointType::Planar => 3,
        JointType::Universal => 2,
        JointType::Fixed | JointType::Floating | JointType::Ball => 0,
    };
    if table.axis.len() > most {
        return Err(Blame::new("axis", format!("axis: {} are more than the {most} of its type", table.axis.len())));
    }
    if table.cone.is_some() && table.kind != JointType::Ball {
        return Err(Blame::surplus("cone", "a joint that is no ball joint"));
    }
    let of = |index: usize| table.axis.get(index).map_or_else(Axis::default, axis);
    let kind = match table.kind {
        JointType::Fixed => JointKind::Fixed,
        JointType::Revolute => JointKind::Revolute(of(0)),
        JointType::Continuous => JointKind::Continuous(of(0)),
        JointType::Prismatic => JointKind::Prismatic(of(0)),
        JointType::Planar => JointKind::Planar([of(0), of(1), of(2)]),
        JointType::Floating => JointKind::Floating,
        JointType::Ball => JointKind::Ball(table.cone.map(|cone| Cone { swing: cone.swing, twist: cone.twist })),
        JointType::Universal => JointKind::Universal([of(0), of(1)]),
        JointType::Distance => JointKind::Distance(table.axis.first().map(axis)),
    };
    let frame = |given: Option<FrameTable>, key: &str| {
        let FrameTable { position, orientation } = given.unwrap_or_default();
        pose(position, orientation).map_err(|blame| Blame::new(key, format!("{key}: {}", blame.message)))
    };
    Ok(JointDescription {
        a: table.a,
        b: table.b,
        frame_a: frame(table.frame_a, "frame_a")?,
        frame_b: frame(table.frame_b, "frame_b")?,
        kind,
        collide: table.collide.unwrap_or(false),
        mimic: table.mimic.map(|mimic| {
            (mimic.joint, mimic.axis.unwrap_or(0), mimic.ratio.unwrap_or(1.0), mimic.offset.unwrap_or(0.0))
        }),
    })
}

fn cloth(table: &ClothTable, folder: &Path) -> Result<ClothDescription, Blame> {
    let lists = table.rest.is_some() || table.triangles.is_some();
    let mesh = if table.mesh.is_some() || lists {
        if table.vertices.is_some() || table.size.is_some() {
            return Err(Blame::new("vertices", "vertices, size: a cloth with a mesh has none".to_owned()));
        }
        let blame =
            |blame: Blame| Blame::new(if lists { "rest" } else { "mesh" }, blame.message.replace("file:", "mesh:"));
        let given = (table.rest.as_ref(), table.triangles.as_ref());
        ClothMesh::Mesh(mesh(folder, table.mesh.as_ref(), None, given).map_err(blame)?)
    } else {
        let need = |key: &str| Blame::missing(key, "a cloth without a mesh");
        let vertices = table.vertices.ok_or_else(|| need("vertices"))?;
        let size = table.size.ok_or_else(|| need("size"))?;
        if vertices.iter().any(|n| !(2..=2000).contains(n)) {
            return Err(Blame::new("vertices", format!("vertices: {vertices:?} is outside [2, 2000] each way")));
        }
        if size.iter().any(|s| !(*s > 0.0 && *s <= 1e6)) {
            return Err(Blame::new("size", format!("size: {size:?} is outside ]0, 1000000] each way")));
        }
        ClothMesh::Grid { vertices, size, corner: DVec3::from(table.corner.unwrap_or([0.0; 3])) }
    };
    let cotton = Fabric::default();
    let fabric = Fabric {
        density: table.density.unwrap_or(cotton.density),
        compliance: table.compliance.unwrap_or(cotton.compliance),
        compression_compliance: table.compression_compliance.unwrap_or(cotton.compression_compliance),
        strain_limit: table.strain_limit.unwrap_or(cotton.strain_limit),
        bending: table.bending.map_or(cotton.bending, |name| match name {
            BendingName::None => Bending::None,
            BendingName::Isometric => Bending::Isometric,
            BendingName::Dihedral => Bending::Dihedral,
        }),
        bending_compliance: table.bending_compliance.unwrap_or(cotton.bending_compliance),
        tethers: table.tethers.map(|name| match name {
            TetherName::Euclidean => RestLength::Euclidean,
            TetherName::Geodesic => RestLength::Geodesic,
        }),
        offset: table.offset.unwrap_or(cotton.offset),
        self_separation: table.self_separation,
        friction: friction(table.friction),
        groups: groups(table.groups),
        damping: table.damping.unwrap_or(cotton.damping),
        internal_damping: table.internal_damping.unwrap_or(cotton.internal_damping),
    };
    let mut made = ClothDescription {
        mesh,
        pins: table.pins.clone(),
        held: table.held.clone(),
        fabric,
        places: table.places.as_ref().map(|places| places.iter().copied().map(DVec3::from).collect()),
        wrinkles: None,
    };
    if let Some(wrinkles) = table.wrinkles {
        let reach = match wrinkles.reach {
            Some(reach) => reach,
            None => natural_reach(&made)?,
        };
        made.wrinkles = Some(Wrinkles { level: wrinkles.level, reach });
    }
    Ok(made)
}

/// The reach of wrinkles that suits a cloth's edges.
fn natural_reach(cloth: &ClothDescription) -> Result<f64, Blame> {
    let mut world = superegg_sim::World::new();
    let blame = |error: SimError| {
        let Refusal { key, message, .. } = Refusal::sim("cloth", 0, error);
        Blame { key, message }
    };
    let added = cloth.cloth().and_then(|made| world.add_cloth(&made, &cloth.fabric)).map_err(blame)?;
    Ok(Wrinkles::NATURAL_REACH * world.edge_length(added).map_err(blame)?)
}

fn soft(table: &SoftTable, folder: &Path) -> Result<SoftSolid, Blame> {
    let lists = (table.vertices.as_ref(), table.triangles.as_ref());
    Ok(SoftSolid {
        mesh: mesh(folder, table.file.as_ref(), None, lists)?,
        mass: table.mass,
        compliance: table.compliance.unwrap_or(1e-4),
        offset: table.offset.unwrap_or(0.005),
        friction: friction(table.friction),
        groups: groups(table.groups),
        damping: table.damping.unwrap_or(1.0),
    })
}
