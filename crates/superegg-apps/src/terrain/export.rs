//! A landscape as files for other programs: the cloth as it lies (OBJ, GLB), a closed solid to be printed (STL), and heights seen
//! from above (PNG), which lose what lies under an overhang.

use superegg::{DVec3, Pose};
use superegg_io::obj::{Object, write_obj};
use superegg_io::stl::write_stl;
use superegg_picture::gltf::{Film, State};
use superegg_picture::{Mesh, Paint, write_heights};

use super::messages::{ExportFormat, Reply};
use super::simulation::REACH;
use crate::files::plain_name;
use crate::session::{Slice, Step, Task};
use crate::wire::{ErrorKind, Refusal, base64};

/// Thickness of the plate below a printed landscape, in metres of the table, and millimetres of the print in such a metre.
const PLATE: f64 = 0.03;
const PRINTED: f64 = 100.0;
/// Rows and columns of a heightmap.
const PIXELS: usize = 513;
/// Layers of cloth that are closer than this are one, in metres.
const LAYER: f64 = 0.002;

/// A cloth as it lies: a grid of vertices, row by row.
pub struct Surface {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Vertices along a side.
    pub side: usize,
}

/// A file on its way.
pub struct Exporting {
    name: String,
    surface: Surface,
    format: ExportFormat,
}

impl Exporting {
    pub fn new(name: &str, surface: Surface, format: ExportFormat) -> Exporting {
        Exporting { name: name.to_owned(), surface, format }
    }
}

impl Task<Reply> for Exporting {
    fn step(&mut self, _slice: &Slice) -> Result<Step<Reply>, Refusal> {
        let Exporting { name, surface, format } = self;
        let mut heights = Heights::default();
        let (bytes, end) = match format {
            ExportFormat::Obj => (as_obj(name, surface), "obj"),
            ExportFormat::Glb => (as_glb(name, surface), "glb"),
            ExportFormat::Stl => (as_stl(surface), "stl"),
            ExportFormat::Heightmap => {
                heights = Heights::of(surface);
                (heights.as_png(), "png")
            }
        };
        let bytes = bytes.map_err(|reason| Refusal::whole(ErrorKind::Unsupported, reason))?;
        let reply = Reply::File {
            name: format!("{}.{end}", plain_name(name, "landscape")),
            base64: base64::encode(&bytes),
            lost: heights.lost,
            heights: (*format == ExportFormat::Heightmap).then_some([heights.low, heights.high]),
        };
        Ok(Step::Done(reply, vec![]))
    }
}

fn as_obj(name: &str, surface: &Surface) -> Result<Vec<u8>, String> {
    let mut bytes = vec![];
    let object = Object { name, positions: &surface.positions, triangles: &surface.triangles };
    write_obj(&mut bytes, &[object]).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn as_glb(name: &str, surface: &Surface) -> Result<Vec<u8>, String> {
    let words = |error: superegg_picture::gltf::FilmError| error.to_string();
    let mut film = Film::new("Superegg Studio", None);
    let paint = Paint::Plain([0.35, 0.42, 0.25]);
    let mesh = Mesh { positions: surface.positions.clone(), triangles: surface.triangles.clone(), paint };
    let mesh = film.add_mesh(&mesh).map_err(words)?;
    film.add_rigid(name, mesh).map_err(words)?;
    film.push_frame(0.0, &[State::Placed(Pose::IDENTITY)]).map_err(words)?;
    let mut bytes = vec![];
    film.write_glb(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn as_stl(surface: &Surface) -> Result<Vec<u8>, String> {
    let (positions, triangles) = closed(surface);
    let mut bytes = vec![];
    write_stl(&mut bytes, &positions, &triangles).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The cloth with walls from its border down to a plate, in millimetres: every edge has two triangles.
fn closed(surface: &Surface) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let Surface { positions, triangles, side } = surface;
    let (side, last) = (*side, *side - 1);
    // Once round, counter-clockwise seen from above.
    let border: Vec<usize> = (0..last)
        .chain((0..last).map(|j| last + side * j))
        .chain((1..=last).rev().map(|i| i + side * last))
        .chain((1..=last).rev().map(|j| side * j))
        .collect();
    let mut vertices: Vec<DVec3> = positions.iter().map(|at| *at * PRINTED).collect();
    let first = vertices.len() as u32;
    let low = vertices.iter().fold(0.0f64, |low, at| low.min(at.z)) - PLATE * PRINTED;
    vertices.extend(border.iter().map(|vertex| (positions[*vertex] * PRINTED).with_z(low)));
    let middle = vertices.len() as u32;
    let sum: DVec3 = vertices[first as usize..].iter().sum();
    vertices.push(sum / border.len() as f64);
    let mut solid = triangles.clone();
    for (k, vertex) in border.iter().enumerate() {
        let next = (k + 1) % border.len();
        let (a, b) = (*vertex as u32, border[next] as u32);
        let (c, d) = (first + k as u32, first + next as u32);
        solid.extend([[a, c, d], [a, d, b], [middle, d, c]]);
    }
    (vertices, solid)
}

/// The uppermost heights over the table.
#[derive(Default)]
struct Heights {
    /// Rows from the far side, in metres.
    heights: Vec<f64>,
    low: f64,
    high: f64,
    /// Part of the cloth's area, seen from above, that lies under other cloth.
    lost: f64,
}

impl Heights {
    fn of(surface: &Surface) -> Heights {
        let mut heights = vec![0.0; PIXELS * PIXELS];
        surface.rasterise(|pixel, height| heights[pixel] = height.max(heights[pixel]));
        let (mut all, mut under) = (0usize, 0usize);
        surface.rasterise(|pixel, height| {
            all += 1;
            under += usize::from(height < heights[pixel] - LAYER);
        });
        let high = heights.iter().copied().fold(1e-6, f64::max);
        Heights { heights, low: 0.0, high, lost: under as f64 / all.max(1) as f64 }
    }

    fn as_png(&self) -> Result<Vec<u8>, String> {
        let grey = |height: &f64| ((height - self.low) / (self.high - self.low) * 65535.0).round() as u16;
        let mut bytes = vec![];
        let greys: Vec<u16> = self.heights.iter().map(grey).collect();
        write_heights(&mut bytes, PIXELS, &greys).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

impl Surface {
    /// Tells every pixel of the table that a triangle lies over, and the height there.
    fn rasterise(&self, mut tell: impl FnMut(usize, f64)) {
        let scale = (PIXELS - 1) as f64 / (2.0 * REACH);
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|vertex| {
                let DVec3 { x, y, z } = self.positions[vertex as usize];
                DVec3::new((x + REACH) * scale, (REACH - y) * scale, z)
            });
            let area = (b - a).truncate().perp_dot((c - a).truncate());
            let (low, high) =
                (a.min(b).min(c).ceil().max(DVec3::ZERO), a.max(b).max(c).min(DVec3::splat((PIXELS - 1) as f64)));
            if area == 0.0 || low.x > high.x || low.y > high.y {
                continue;
            }
            for row in low.y as usize..=high.y as usize {
                for column in low.x as usize..=high.x as usize {
                    let off = DVec3::new(column as f64, row as f64, 0.0).truncate() - a.truncate();
                    let s = off.perp_dot((c - a).truncate()) / area;
                    let t = (b - a).truncate().perp_dot(off) / area;
                    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
                        tell(column + PIXELS * row, a.z + s * (b.z - a.z) + t * (c.z - a.z));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cloth bent to a height at each place of the table.
    fn surface(side: usize, place: impl Fn(f64, f64) -> DVec3) -> Surface {
        let flat = superegg_sim::Cloth::grid([side, side], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.0)).unwrap();
        let positions = flat.mesh.positions().iter().map(|at| place(at.x, at.y)).collect();
        Surface { positions, triangles: flat.mesh.triangles().to_vec(), side }
    }

    #[test]
    fn the_printed_solid_is_closed_and_has_its_volume() {
        let dome = surface(21, |x, y| DVec3::new(x, y, 0.3 * (1.0 - x * x) * (1.0 - y * y)));
        let (vertices, triangles) = closed(&dome);
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
        edges.sort_unstable();
        // Every edge once in each direction.
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(edges.iter().all(|[a, b]| edges.binary_search(&[*b, *a]).is_ok()));
        let signed = |corners: &[u32; 3]| {
            let [p, q, r] = corners.map(|v| vertices[v as usize] / PRINTED);
            p.dot(q.cross(r)) / 6.0
        };
        let volume: f64 = triangles.iter().map(signed).sum();
        let exact = 0.3 * (4.0f64 / 3.0).powi(2) + 4.0 * PLATE;
        assert!((volume / exact - 1.0).abs() < 0.01, "{volume} {exact}");
    }

    #[test]
    fn heights_are_those_of_the_uppermost_cloth_and_overhangs_are_told() {
        let slope = surface(11, |x, y| DVec3::new(x, y, 0.5 + 0.25 * x));
        let heights = Heights::of(&slope);
        assert!(heights.lost < 1e-3, "{}", heights.lost);
        let middle = heights.heights[PIXELS * (PIXELS / 2) + PIXELS / 2];
        assert!((middle - 0.5).abs() < 1e-9 && (heights.high - 0.75).abs() < 1e-9);
        // Folded over: the further half lies above the nearer one.
        let folded = surface(11, |x, y| DVec3::new(x, y.abs(), if y > 0.0 { 0.3 } else { 0.1 }));
        assert!((Heights::of(&folded).lost - 0.5).abs() < 0.06);
    }
}
