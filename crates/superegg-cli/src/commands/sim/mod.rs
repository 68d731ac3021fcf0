//! `superegg sim`: runs a scene, measures what it costs and how deep cloth gets into bodies, writes frames and pictures.

mod film;
mod frame;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use superegg::Legible;
use superegg::Threads;
use superegg_scene::built_in::{self, BUILT_IN};
use superegg_scene::{Description, Scene, file};
use superegg_sim::{Clock, SimError, StepOptions, World, Wrinkles, measure};

use crate::error::{CliError, Verdict};
use crate::progress::Progress;
use film::Recorder;
pub use frame::picture;
use frame::write_frame;
use report::Tally;

/// Simulate a scene of bodies, joints, cloth and soft solids
#[derive(clap::Args)]
#[command(after_help = "\
Built-in scenes: tablecloth, terrain, curtain, blanket, chair, bowl, egg, tower, billiard, ragdoll,
hammock, parts, arm; or a scene file ending in .toml. Every scene can be written out as such a file, and is read
back to the same bits.

Penetration of cloth is the certified distance of whole triangles to the bodies, measured after every step and
not counted in the times; that of bodies the certified distance of every pair whose boxes overlap. Whether cloth
passes through meshes is found out at the end by brute force.

Examples:
  superegg sim tablecloth --report -
  superegg sim terrain --size 100 --seconds 3 --png pictures
  superegg sim bowl --bodies 50 --frames bowl.glb
  superegg sim curtain --wrinkles 1 --png pictures
  superegg sim bowl --write-scene my-scene.toml
  superegg sim my-scene.toml --frames frames --every 4")]
pub struct Args {
    /// A built-in scene or a scene file
    #[arg(value_name = "SCENE")]
    scene: String,
    #[command(flatten)]
    choice: Choice,
    /// Write the report as JSON to a file, or to standard output for `-`
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,
    /// Write frames: OBJ files to a folder, or one animated glTF file to a name ending in .glb
    #[arg(long, value_name = "DIR|FILE.glb")]
    frames: Option<PathBuf>,
    /// Write pictures as PNG files to a folder
    #[arg(long, value_name = "DIR")]
    png: Option<PathBuf>,
    /// Write the scene as a file and do not run it
    #[arg(long, value_name = "OUT.toml")]
    write_scene: Option<PathBuf>,
    /// Write every so many steps; about 25 a simulated second when left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Share large scenes among so many threads; the result is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// Which scene, and how it differs from itself.
#[derive(clap::Args)]
pub struct Choice {
    /// How long to simulate, in seconds
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Length of a step, in seconds
    #[arg(long, value_name = "DT")]
    dt: Option<f64>,
    /// Substeps of a step
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// Vertices of the tablecloth (3240 or 6460), bodies of the terrain (1 to 10000)
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// Bodies of the bowl, the tower, the billiard row and the hammock, machine parts, figures of the ragdoll
    #[arg(long, value_name = "N", conflicts_with = "size")]
    bodies: Option<usize>,
    /// Show cloths by wrinkle meshes, whose triangles are divided in four so many times (1 to 3)
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(1..=3))]
    wrinkles: Option<u32>,
}

/// As the program tells of it.
pub fn usage(error: SimError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Finds a scene.
fn describe(name: &str, choice: &Choice) -> Result<Description, CliError> {
    match built_in::description(name, choice.bodies.or(choice.size)) {
        Some(description) => description.map_err(usage),
        None if name.ends_with(".toml") => {
            file::read(Path::new(name)).map_err(|error| CliError::Usage(error.to_string()))
        }
        None => {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            let near = names.iter().copied().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
            let near = near.filter(|near| strsim::jaro(near, name) > 0.7);
            let hint = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
            let message = format!("no scene {name}{hint}: there are {}, and files ending in .toml", names.join(", "));
            Err(CliError::Usage(message))
        }
    }
}

/// Finds and adjusts a scene.
pub fn load(name: &str, choice: &Choice) -> Result<Scene, CliError> {
    let mut description = describe(name, choice)?;
    choice.adjust(&mut description)?;
    let mut scene = description.build().map_err(usage)?;
    choice.wrinkle(&mut scene.world).map_err(usage)?;
    Ok(scene)
}

impl Choice {
    /// Gives all cloths of a world wrinkle meshes, if that was asked for.
    fn wrinkle(&self, world: &mut World) -> Result<(), SimError> {
        let Some(level) = self.wrinkles else { return Ok(()) };
        let cloths: Vec<_> = world.cloths().collect();
        for cloth in cloths {
            let reach = Wrinkles::NATURAL_REACH * world.edge_length(cloth)?;
            world.set_wrinkles(cloth, Some(Wrinkles { level, reach }))?;
        }
        Ok(())
    }

    /// Replaces what was given on the command line.
    fn adjust(&self, scene: &mut Description) -> Result<(), CliError> {
        let Description { seconds, dt, substeps, .. } = scene;
        for (value, to, name) in [(self.seconds, seconds, "--seconds"), (self.dt, dt, "--dt")] {
            if let Some(value) = value {
                if !(value > 0.0 && value <= 1e5) {
                    return Err(CliError::Usage(format!("{name}: {} is outside ]0, 100000]", Legible(value))));
                }
                *to = value;
            }
        }
        *substeps = self.substeps.unwrap_or(*substeps);
        Ok(())
    }
}

/// Processor time of this thread.
struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    if let Some(path) = &args.frames {
        film::refuse_text(path)?;
    }
    for folder in [&args.frames, &args.png].into_iter().flatten().filter(|path| !film::is_film(path)) {
        std::fs::create_dir_all(folder)
            .map_err(|source| CliError::Write { name: folder.display().to_string(), source })?;
    }
    if let Some(path) = &args.write_scene {
        let mut description = describe(&args.scene, &args.choice)?;
        args.choice.adjust(&mut description)?;
        let text = file::write(&description).map_err(|error| CliError::Usage(error.to_string()))?;
        std::fs::write(path, text).map_err(|source| CliError::Write { name: path.display().to_string(), source })?;
        return Ok(Verdict::AllAnswered);
    }
    let mut scene = load(&args.scene, &args.choice)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(args.threads)).build();
    let pool = pool.map_err(|error| CliError::Usage(format!("--threads: {error}")))?;
    let threads = if args.threads > 1 { Threads::All } else { Threads::One };
    let steps = scene.step_count();
    let every = film::stride(&args, steps, scene.dt)?;
    let mut recorder = Recorder::new(&args, &scene)?;
    let mut tally = Tally::default();
    let mut progress = Progress::of_frames(steps as u64);
    let mut written = 0;
    for index in 0..=steps {
        if index % every == 0 {
            write_outputs(&args, &scene, written)?;
            if let Some(recorder) = &mut recorder {
                recorder.shoot(&scene)?;
            }
            written += 1;
        }
        if index == steps {
            break;
        }
        let done = pool.install(|| {
            let clock = Processor(ThreadTime::now());
            scene.advance(&StepOptions { threads, clock: Some(&clock), ..StepOptions::default() })
        });
        let done = done.map_err(usage)?;
        let cloth = measure::cloth_penetration(&scene.world).map_err(usage)?;
        let bodies = measure::body_penetration(&scene.world).map_err(usage)?;
        tally.add(&scene, &done, [cloth, bodies]);
        progress.advance_told(1, || {
            format!("{:.2} s, {:.2} ms a step, {} awake", scene.world.time, tally.mean_ms(), done.awake)
        });
    }
    progress.finish();
    if let Some(recorder) = &recorder {
        recorder.save()?;
    }
    tell(&tally.report(&scene).map_err(usage)?, args.report.as_deref())
}

/// Writes the report where it was asked for, and for people unless it went to standard output.
fn tell(report: &(impl serde::Serialize + std::fmt::Display), to: Option<&Path>) -> Result<Verdict, CliError> {
    if let Some(path) = to {
        // Numbers and strings: nothing that JSON cannot say.
        let text = format!("{}\n", serde_json::to_string(report).expect("plain data"));
        if path == Path::new("-") {
            std::io::stdout().write_all(text.as_bytes()).map_err(CliError::stdout)?;
            return Ok(Verdict::AllAnswered);
        }
        std::fs::write(path, text).map_err(|source| CliError::Write { name: path.display().to_string(), source })?;
    }
    write!(std::io::stdout(), "{report}").map_err(CliError::stdout)?;
    Ok(Verdict::AllAnswered)
}

fn write_outputs(args: &Args, scene: &Scene, number: usize) -> Result<(), CliError> {
    if let Some(folder) = args.frames.as_ref().filter(|path| !film::is_film(path)) {
        write_frame(scene, &folder.join(format!("{}{number:05}.obj", scene.name)))?;
    }
    if let Some(folder) = &args.png {
        picture(scene, [960, 640], &folder.join(format!("{}{number:05}.png", scene.name)))?;
    }
    Ok(())
}
