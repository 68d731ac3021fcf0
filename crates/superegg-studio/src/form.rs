//! What a body is made of: a single shape, several on one frame, or the triangles of a file. A body's fields are checked
//! here: those of its type and no others, within their domains.

use std::sync::Arc;

use superegg::shape::{Plane, Point, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, InvalidInput, Pose};
use superegg_schemes::{Body as Surface, Superquadric};
use superegg_world::WorldError;
use superegg_world::compound::{self, Compound};
use superegg_world::geometry::Geometry;
use superegg_world::obstacle::Obstacle;

use crate::limits::Limits;
use crate::protocol::{Body, ErrorKind, MeshFacts, Part, Quaternion, Refusal, ShapeType, Vector};

/// A body in its own frame. Compounds and meshes are shared, not copied.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Single(Surface),
    Compound(Arc<Compound>),
    Mesh(Arc<Obstacle>),
}

impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        match (self, other) {
            (Form::Single(one), Form::Single(other)) => one == other,
            (Form::Compound(one), Form::Compound(other)) => one.parts() == other.parts(),
            (Form::Mesh(one), Form::Mesh(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Form {
    /// As the queries of many parts take it; `None` for the superquadrics that only the schemes know.
    pub fn geometry(&self) -> Option<Geometry> {
        match self {
            Form::Single(surface) => surface.shape().map(|shape| Geometry::Shape(*shape)),
            Form::Compound(compound) => Some(Geometry::Compound(compound.clone())),
            Form::Mesh(mesh) => Some(Geometry::Mesh(mesh.clone())),
        }
    }

    /// The superquadric, where it is a single one.
    pub fn surface(&self) -> Option<Superquadric> {
        match self {
            Form::Single(surface) => surface.surface(),
            Form::Compound(_) | Form::Mesh(_) => None,
        }
    }

    /// The name of the type.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Single(surface) => surface.name(),
            Form::Compound(_) => "compound",
            Form::Mesh(_) => "mesh",
        }
    }

    /// Parts or triangles.
    pub fn pieces(&self) -> Option<u32> {
        match self {
            Form::Single(_) => None,
            Form::Compound(compound) => Some(compound.parts().len() as u32),
            Form::Mesh(mesh) => Some(mesh.topology().triangles().len() as u32),
        }
    }

    /// Triangles of a mesh; what is made of formulas has none.
    pub fn triangles(&self) -> usize {
        match self {
            Form::Mesh(mesh) => mesh.topology().triangles().len(),
            _ => 0,
        }
    }
}

impl From<Shape> for Form {
    fn from(shape: Shape) -> Form {
        Form::Single(shape.into())
    }
}

/// The meshes that one client has sent, by the names of their files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meshes(Vec<(String, Arc<Obstacle>)>);

impl Meshes {
    fn find(&self, file: &str) -> Option<&Arc<Obstacle>> {
        self.0.iter().find(|(name, _)| name == file).map(|(_, mesh)| mesh)
    }

    /// Holds one more. When that is too much, those that are not in use are given up, the oldest first.
    pub fn hold(
        &mut self,
        file: &str,
        mesh: Arc<Obstacle>,
        in_use: impl Fn(&Arc<Obstacle>) -> bool,
        limits: &Limits,
    ) -> Result<Vec<MeshFacts>, Refusal> {
        let triangles = |mesh: &Obstacle| mesh.topology().triangles().len();
        let mut kept: Vec<_> = self.0.iter().filter(|(name, _)| name != file).cloned().collect();
        kept.push((file.to_owned(), mesh));
        while kept.iter().map(|(_, mesh)| triangles(mesh)).sum::<usize>() > limits.total_triangles {
            let unused = kept[..kept.len() - 1].iter().position(|(_, mesh)| !in_use(mesh));
            let Some(unused) = unused else {
                let message = format!("all meshes together have at most {} triangles", limits.total_triangles);
                return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) });
            };
            kept.remove(unused);
        }
        self.0 = kept;
        let facts = |(file, mesh): &(String, Arc<Obstacle>)| MeshFacts {
            file: file.clone(),
            vertices: mesh.positions().len() as u32,
            triangles: triangles(mesh) as u32,
        };
        Ok(self.0.iter().map(facts).collect())
    }
}

/// Reads the file of a mesh.
pub(crate) fn read_mesh(file: &str, content: &[u8], limits: &Limits) -> Result<Arc<Obstacle>, Refusal> {
    let too_large = |message: String| Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) };
    if content.len() > limits.mesh_bytes {
        return Err(too_large(format!("{file} is larger than {} bytes", limits.mesh_bytes)));
    }
    let mesh =
        superegg_io::parse_mesh(file.as_ref(), content).map_err(|error| Refusal::at("mesh.file", error.to_string()))?;
    let triangles = mesh.triangles().len();
    if triangles > limits.mesh_triangles {
        let message = format!("{file} has {triangles} triangles; at most {} are taken", limits.mesh_triangles);
        return Err(too_large(message));
    }
    let mesh = Obstacle::new(mesh).map_err(|error| Refusal::at("mesh.file", format!("{file}: {error}")))?;
    Ok(Arc::new(mesh))
}

/// The fields that tell a shape, of a body or of a part of one.
#[derive(Clone, Copy)]
struct Fields<'a> {
    r#type: ShapeType,
    radii: Option<Vector>,
    exponents: Option<[f64; 2]>,
    taper: Option<[f64; 2]>,
    height: Option<f64>,
    hole: Option<f64>,
    points: Option<&'a [Vector]>,
    parts: Option<&'a [Part]>,
    file: Option<&'a str>,
    normal: Option<Vector>,
    offset: Option<f64>,
}

impl<'a> From<&'a Body> for Fields<'a> {
    fn from(body: &'a Body) -> Fields<'a> {
        Fields {
            r#type: body.r#type,
            radii: body.radii,
            exponents: body.exponents,
            taper: body.taper,
            height: body.height,
            hole: body.hole,
            points: body.points.as_deref(),
            parts: body.parts.as_deref(),
            file: body.file.as_deref(),
            normal: body.normal,
            offset: body.offset,
        }
    }
}

impl<'a> From<&'a Part> for Fields<'a> {
    fn from(part: &'a Part) -> Fields<'a> {
        Fields {
            r#type: part.r#type,
            radii: part.radii,
            exponents: part.exponents,
            taper: part.taper,
            height: None,
            hole: None,
            points: part.points.as_deref(),
            parts: None,
            file: None,
            normal: None,
            offset: None,
        }
    }
}

/// The form that a body's fields describe.
pub(crate) fn read(path: &str, body: &Body, meshes: &Meshes, limits: &Limits) -> Result<Form, Refusal> {
    let fields = Fields::from(body);
    check_fields(path, &fields)?;
    match body.r#type {
        ShapeType::Compound => read_compound(&format!("{path}.parts"), fields.parts.unwrap_or_default(), limits),
        ShapeType::Mesh => {
            let file = fields.file.unwrap_or_default();
            let unknown =
                || Refusal::at(format!("{path}.file"), format!("there is no mesh {file:?} here: open it first"));
            meshes.find(file).map(|mesh| Form::Mesh(mesh.clone())).ok_or_else(unknown)
        }
        _ => Ok(Form::Single(read_single(path, &fields)?)),
    }
}

/// A place in space, refused when it is not finite.
pub(crate) fn read_pose(path: &str, position: Vector, orientation: Quaternion) -> Result<Pose, Refusal> {
    Pose::new(DQuat::from_array(orientation), DVec3::from_array(position))
        .map_err(|refused| Refusal::invalid(path, refused))
}

/// The fields of the type and no others.
fn check_fields(path: &str, fields: &Fields) -> Result<(), Refusal> {
    let own: &[&str] = match fields.r#type {
        ShapeType::Superellipsoid => &["radii", "exponents"],
        ShapeType::Superovoid => &["radii", "exponents", "taper"],
        ShapeType::Superhyperboloid1 | ShapeType::Superhyperboloid2 => &["radii", "exponents", "height"],
        ShapeType::Supertoroid => &["radii", "exponents", "hole"],
        ShapeType::Plane => &["normal", "offset"],
        ShapeType::Point | ShapeType::Segment | ShapeType::Triangle => &["points"],
        ShapeType::Compound => &["parts"],
        ShapeType::Mesh => &["file"],
    };
    let type_name = fields.r#type.name();
    for (field, present) in [
        ("radii", fields.radii.is_some()),
        ("exponents", fields.exponents.is_some()),
        ("taper", fields.taper.is_some()),
        ("height", fields.height.is_some()),
        ("hole", fields.hole.is_some()),
        ("points", fields.points.is_some()),
        ("parts", fields.parts.is_some()),
        ("file", fields.file.is_some()),
        ("normal", fields.normal.is_some()),
        ("offset", fields.offset.is_some()),
    ] {
        let wanted = own.contains(&field);
        if present && !wanted {
            return Err(Refusal::at(format!("{path}.{field}"), format!("a {type_name} has no such field")));
        }
        if wanted && !present && fields.r#type != ShapeType::Point {
            return Err(Refusal::at(format!("{path}.{field}"), format!("this field of a {type_name} is missing")));
        }
    }
    Ok(())
}

fn read_single(path: &str, fields: &Fields) -> Result<Surface, Refusal> {
    let invalid = |refused: InvalidInput| Refusal::invalid(path, refused);
    let (radii, exponents) = (fields.radii.unwrap_or_default(), fields.exponents.unwrap_or_default());
    let (height, hole) = (fields.height.unwrap_or_default(), fields.hole.unwrap_or_default());
    let shape: Shape = match fields.r#type {
        ShapeType::Superhyperboloid1 => {
            return Ok(Superquadric::one_sheet(radii, exponents, height).map_err(invalid)?.into());
        }
        ShapeType::Superhyperboloid2 => {
            return Ok(Superquadric::two_sheets(radii, exponents, height).map_err(invalid)?.into());
        }
        ShapeType::Supertoroid => return Ok(Superquadric::toroid(radii, exponents, hole).map_err(invalid)?.into()),
        ShapeType::Superellipsoid => Superellipsoid::new(radii, exponents).map_err(invalid)?.into(),
        ShapeType::Superovoid => {
            Superovoid::new(radii, exponents, fields.taper.unwrap_or_default()).map_err(invalid)?.into()
        }
        ShapeType::Plane => {
            let normal = DVec3::from_array(fields.normal.unwrap_or_default());
            Plane::new(normal, fields.offset.unwrap_or_default()).map_err(invalid)?.into()
        }
        ShapeType::Point => {
            let points = if fields.points.is_some() { vertices(path, fields)? } else { [DVec3::ZERO] };
            Point::new(points).map_err(invalid)?.into()
        }
        ShapeType::Segment => Segment::new(vertices(path, fields)?).map_err(invalid)?.into(),
        ShapeType::Triangle => Triangle::new(vertices(path, fields)?).map_err(invalid)?.into(),
        ShapeType::Compound | ShapeType::Mesh => {
            let message = format!("a {} cannot be part of another body", fields.r#type.name());
            return Err(Refusal::at(format!("{path}.type"), message));
        }
    };
    Ok(shape.into())
}

fn read_compound(path: &str, parts: &[Part], limits: &Limits) -> Result<Form, Refusal> {
    if parts.len() > limits.parts {
        let message = format!("a compound has at most {} parts", limits.parts);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(path, message) });
    }
    let mut read = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let fields = Fields::from(part);
        check_fields(&path, &fields)?;
        let pose = read_pose(&path, part.position, part.orientation)?;
        let Surface::Plain(shape) = read_single(&path, &fields)? else {
            let message = format!("a {} cannot be part of another body", fields.r#type.name());
            return Err(Refusal::at(format!("{path}.type"), message));
        };
        read.push(compound::Part { shape, pose });
    }
    let compound = Compound::new(read).map_err(|error| match error {
        WorldError::Part { part, .. } => Refusal::at(format!("{path}[{part}].type"), error.to_string()),
        error => Refusal::at(path, error.to_string()),
    })?;
    Ok(Form::Compound(Arc::new(compound)))
}

fn vertices<const N: usize>(path: &str, fields: &Fields) -> Result<[DVec3; N], Refusal> {
    let points = fields.points.unwrap_or_default();
    let points: [Vector; N] = points.try_into().map_err(|_| {
        Refusal::at(format!("{path}.points"), format!("expected a list of {N} points, found {}", points.len()))
    })?;
    Ok(points.map(DVec3::from_array))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

    #[test]
    fn meshes_are_read_and_what_is_wrong_with_them_is_said() {
        let limits = Limits::default();
        let mesh = read_mesh("t.obj", TETRAHEDRON, &limits).unwrap();
        assert_eq!((mesh.positions().len(), mesh.topology().triangles().len()), (4, 4));
        for (file, content, wanted) in [
            ("t.txt", TETRAHEDRON, "unknown kind of mesh file"),
            ("t.obj", b"v 0 0 zero\n".as_slice(), "line 1"),
            ("t.obj", b"v 0 0 0\n", "no triangles"),
            ("t.obj", b"v 0 0 nan\nf 1 1 1\n", "finite"),
            ("t.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\n", "t.ply"),
            ("t.stl", b"\xff\x00", "t.stl"),
        ] {
            let refusal = read_mesh(file, content, &limits).unwrap_err();
            assert!(refusal.message.contains(wanted), "{}", refusal.message);
        }
        let few = Limits { mesh_triangles: 3, ..limits.clone() };
        assert_eq!(read_mesh("t.obj", TETRAHEDRON, &few).unwrap_err().kind, ErrorKind::Limit);
        let small = Limits { mesh_bytes: 10, ..limits };
        assert_eq!(read_mesh("t.obj", TETRAHEDRON, &small).unwrap_err().kind, ErrorKind::Limit);
    }

    #[test]
    fn meshes_that_nobody_needs_make_room() {
        let limits = Limits { total_triangles: 10, ..Limits::default() };
        let mesh = || read_mesh("t.obj", TETRAHEDRON, &limits).unwrap();
        let mut meshes = Meshes::default();
        let names = |facts: Vec<MeshFacts>| facts.into_iter().map(|fact| fact.file).collect::<Vec<_>>();
        meshes.hold("a.obj", mesh(), |_| false, &limits).unwrap();
        let used = meshes.find("a.obj").cloned().unwrap();
        meshes.hold("b.obj", mesh(), |_| false, &limits).unwrap();
        let held = meshes.hold("c.obj", mesh(), |mesh| Arc::ptr_eq(mesh, &used), &limits).unwrap();
        assert_eq!(names(held), ["a.obj", "c.obj"]);
        let refusal = meshes.hold("d.obj", mesh(), |_| true, &limits).unwrap_err();
        assert!(refusal.kind == ErrorKind::Limit && meshes.find("d.obj").is_none() && meshes.find("c.obj").is_some());
        // The same name again takes the place of the old content.
        assert_eq!(names(meshes.hold("c.obj", mesh(), |_| true, &limits).unwrap()), ["a.obj", "c.obj"]);
    }
}
