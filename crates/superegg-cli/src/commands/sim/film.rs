//! `--frames FILE.glb`: a run as one animated glTF file.

use std::ffi::OsStr;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use superegg::Pose;
use superegg_picture::gltf::{Film, FilmError, MOST_FRAMES, MeshId, State};
use superegg_scene::Scene;
use superegg_scene::drawing::{self, Placement};

use super::{Args, usage};
use crate::error::CliError;

fn refused(error: FilmError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Whether frames go to one film rather than to a folder.
pub fn is_film(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("glb"))
}

/// Steps from frame to frame. A film has a bounded number of frames: long runs get fewer a second.
pub fn stride(args: &Args, steps: usize, dt: f64) -> Result<usize, CliError> {
    let usual = ((0.04 / dt).round() as usize).max(1);
    let film = args.frames.as_deref().is_some_and(is_film);
    let least = if film { steps.div_ceil(MOST_FRAMES - 1).max(1) } else { 1 };
    match args.every {
        None => Ok(usual.max(least)),
        Some(every) if every as usize >= least => Ok(every as usize),
        Some(_) => Err(CliError::Usage(format!(
            "--every: a film has at most {MOST_FRAMES} frames, so of {steps} steps every {least}th at most"
        ))),
    }
}

/// A film in the making and where it is to go.
pub struct Recorder {
    film: Film,
    path: PathBuf,
    /// Pieces of planes, which stay.
    floors: usize,
}

impl Recorder {
    /// For a scene, if a film was asked for.
    pub fn new(args: &Args, scene: &Scene) -> Result<Option<Recorder>, CliError> {
        let Some(path) = args.frames.as_deref().filter(|path| is_film(path)) else { return Ok(None) };
        let mut film = Film::new(&scene.name, Some(scene.camera));
        let floors = drawing::floors(scene).map_err(usage)?;
        for (index, floor) in floors.iter().enumerate() {
            let id = film.add_mesh(floor).map_err(refused)?;
            film.add_rigid(&format!("floor{index}"), id).map_err(refused)?;
        }
        // Equal meshes are one.
        let mut known: Vec<(superegg_picture::Mesh, MeshId)> = Vec::new();
        for one in drawing::drawn(scene).map_err(usage)? {
            match one.placement {
                Placement::Soft => film.add_soft(&one.name, &one.mesh).map_err(refused)?,
                Placement::Rigid(_) => {
                    let same = known.iter().find(|(mesh, _)| *mesh == one.mesh).map(|(_, id)| *id);
                    let id = match same {
                        Some(id) => id,
                        None => {
                            let id = film.add_mesh(&one.mesh).map_err(refused)?;
                            known.push((one.mesh.clone(), id));
                            id
                        }
                    };
                    film.add_rigid(&one.name, id).map_err(refused)?;
                }
            }
        }
        Ok(Some(Recorder { film, path: path.to_owned(), floors: floors.len() }))
    }

    /// Adds a frame.
    pub fn shoot(&mut self, scene: &Scene) -> Result<(), CliError> {
        let drawn = drawing::drawn(scene).map_err(usage)?;
        let floors = std::iter::repeat_n(State::Placed(Pose::IDENTITY), self.floors);
        let states = drawn.iter().map(|one| match one.placement {
            Placement::Rigid(pose) => State::Placed(pose),
            Placement::Soft => State::Shaped(&one.mesh.positions),
        });
        let states: Vec<State> = floors.chain(states).collect();
        self.film.push_frame(scene.world.time, &states).map_err(refused)
    }

    /// Writes the film.
    pub fn save(&self) -> Result<(), CliError> {
        let written = std::fs::File::create(&self.path).and_then(|file| {
            let mut to = BufWriter::new(file);
            self.film.write_glb(&mut to)?;
            to.flush()
        });
        written.map_err(|source| CliError::Write { name: self.path.display().to_string(), source })
    }
}

/// Whether a path that names a file of another kind was given by mistake.
pub fn refuse_text(path: &Path) -> Result<(), CliError> {
    match path.extension().and_then(OsStr::to_str) {
        Some("gltf") => Err(CliError::Usage(format!("{}: films are binary, so name it .glb", path.display()))),
        _ => Ok(()),
    }
}
