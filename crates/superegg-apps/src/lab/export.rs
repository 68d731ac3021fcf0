//! Bodies as files of triangles for other programs, where they are in the world.

use superegg::{DVec3, Pose};
use superegg_io::obj::{Object, write_obj};
use superegg_picture::gltf::{Film, FilmError, State};
use superegg_picture::{Mesh, Paint};

use super::messages::{ExportFormat, Reply};
use super::world::World;
use crate::scene::tessellate;
use crate::session::{Slice, Step, Task};
use crate::wire::{ErrorKind, Refusal, base64};

/// A file on its way: one body at a time.
pub(super) struct Exporting {
    world: World,
    ids: Vec<u32>,
    format: ExportFormat,
    vertices: usize,
    made: Vec<Piece>,
    next: usize,
}

impl Exporting {
    pub fn new(world: World, ids: Vec<u32>, format: ExportFormat, vertices: usize) -> Exporting {
        Exporting { world, ids, format, vertices, made: vec![], next: 0 }
    }
}

/// A body in the world.
struct Piece {
    name: String,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Linear red, green and blue.
    colour: [f32; 3],
}

impl Task<Reply> for Exporting {
    fn step(&mut self, slice: &Slice) -> Result<Step<Reply>, Refusal> {
        let (placed, bodies) = (self.world.placed(), &self.world.scene().bodies);
        while let (Some(body), Some(named)) = (placed.get(self.next), bodies.get(self.next)) {
            self.next += 1;
            let wanted = if self.ids.is_empty() { !body.hidden } else { self.ids.contains(&body.id) };
            let mesh = if wanted { tessellate::of(&body.form, self.vertices) } else { Default::default() };
            if mesh.triangles.is_empty() {
                continue;
            }
            self.made.push(Piece {
                name: named.name.clone(),
                vertices: mesh.vertices.iter().map(|vertex| body.pose.transform_point(*vertex)).collect(),
                triangles: mesh.triangles,
                colour: named.colour.as_deref().and_then(read_colour).unwrap_or([0.8, 0.55, 0.2]),
            });
            if slice.spent() {
                return Ok(Step::More);
            }
        }
        if self.made.is_empty() {
            return Err(Refusal::whole(ErrorKind::InvalidInput, "nothing in this scene has a surface to export"));
        }
        let (bytes, end) = match self.format {
            ExportFormat::Obj => (as_obj(&self.made), "obj"),
            ExportFormat::Glb => (as_glb(&self.made), "glb"),
        };
        let bytes = bytes.map_err(|reason| Refusal::whole(ErrorKind::Unsupported, reason))?;
        Ok(Step::Done(Reply::File { name: format!("scene.{end}"), base64: base64::encode(&bytes) }, vec![]))
    }
}

fn as_obj(pieces: &[Piece]) -> Result<Vec<u8>, String> {
    let objects: Vec<Object> = pieces
        .iter()
        .map(|piece| Object { name: &piece.name, positions: &piece.vertices, triangles: &piece.triangles })
        .collect();
    let mut bytes = vec![];
    write_obj(&mut bytes, &objects).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn as_glb(pieces: &[Piece]) -> Result<Vec<u8>, String> {
    let mut film = Film::new("Superegg Studio", None);
    let made = |film: &mut Film| -> Result<(), FilmError> {
        for piece in pieces {
            let (positions, triangles) = (piece.vertices.clone(), piece.triangles.clone());
            let mesh = film.add_mesh(&Mesh { positions, triangles, paint: Paint::Plain(piece.colour) })?;
            film.add_rigid(&piece.name, mesh)?;
        }
        film.push_frame(0.0, &vec![State::Placed(Pose::IDENTITY); pieces.len()])
    };
    made(&mut film).map_err(|error| error.to_string())?;
    let mut bytes = vec![];
    film.write_glb(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// `#rrggbb` as linear light.
fn read_colour(text: &str) -> Option<[f32; 3]> {
    let part = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let linear = |part: u8| (f32::from(part) / 255.0).powf(2.2);
    Some([linear(part(1)?), linear(part(3)?), linear(part(5)?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!(read_colour("#ff0000"), Some([1.0, 0.0, 0.0]));
        assert_eq!(read_colour("#12"), None);
    }
}
