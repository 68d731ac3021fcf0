//! Contact Lab as a session: edits change the world, contacts and meshes are due work, questions are tasks.

use super::contacts::{Known, State, Underway};
use super::export::Exporting;
use super::messages::{Ask, Contacts, Edit, Facts, PublicLimits, Reply, Scene};
use super::plot::Plotting;
use super::trace::Trace;
use super::world::World;
use super::{method, parse, scenes};
use crate::app::{App, Open, Outgoing};
use crate::limits::Limits;
use crate::scene::{Body, tessellate};
use crate::session::{Asked, Context, Slice, Step, Task, Work};
use crate::wire::geometry::{self, FrameKind};
use crate::wire::{ErrorKind, Refusal};

/// One client's Contact Lab.
pub struct Lab {
    limits: Limits,
    world: World,
    known: Known,
    /// Whether the world has changed since the state that is under way began.
    edited: bool,
    underway: Option<Underway>,
    done: Option<State>,
}

impl App for Lab {
    const NAME: &'static str = "contact-lab";
    const VERSION: u32 = 1;
    type Facts = Facts;
    type Document = Scene;
    type State = Contacts;
    type Answer = Reply;
    type Event = ();
    type Edit = Edit;
    type Ask = Ask;

    fn open(open: &Open) -> (Lab, Facts) {
        let limits = open.limits.clone();
        let facts = Facts {
            limits: PublicLimits {
                bodies: limits.bodies as u32,
                keys: limits.keys as u32,
                samples: limits.samples as u32,
                preview_grid: limits.preview_grid as u32,
                mesh_triangles: limits.mesh_triangles as u32,
                parts: limits.parts as u32,
                hull_points: limits.hull_points as u32,
            },
            methods: method::METHODS.iter().map(method::Method::facts).collect(),
            scenes: scenes::all(),
        };
        let (world, known) = (World::empty(), Known::default());
        (Lab { limits, world, known, edited: false, underway: None, done: None }, facts)
    }

    fn edit(&mut self, edit: Edit, context: &Context) -> Result<(), Refusal> {
        self.world.apply(edit, context.number, context.files, &self.limits)?;
        self.edited = true;
        Ok(())
    }

    fn ask(&mut self, ask: Ask, context: &Context) -> Result<Asked<Reply>, Refusal> {
        let (slot, task): (_, Box<dyn Task<Reply>>) = match ask {
            Ask::Scene {} => return Ok(Asked::Now(Reply::Scene(self.world.scene().clone()))),
            Ask::Parse { text } => {
                return Ok(Asked::Now(Reply::Parsed(parse::parse(&text, context.files, &self.limits)?)));
            }
            Ask::Trace { pair } => {
                let indices = find_pair(&self.world, "trace.pair", pair)?;
                (
                    "trace",
                    Box::new(Tracing { world: self.world.clone(), pair, indices, steps: self.limits.trace_steps }),
                )
            }
            Ask::Plot { pair, samples } => {
                check_range("plot.samples", samples, 2, self.limits.samples)?;
                let indices = find_pair(&self.world, "plot.pair", pair)?;
                ("plot", Box::new(Plotting::new(self.world.clone(), pair, indices, samples as usize)))
            }
            Ask::Previews { id, grid } => {
                check_range("previews.grid", grid, 1, self.limits.preview_grid)?;
                let body = self.world.scene().bodies[self.world.find("previews.id", id)?].clone();
                if body.exponents.is_none() {
                    let refusal = Refusal::at("previews.id", "the body has no exponents");
                    return Err(Refusal { kind: ErrorKind::Unsupported, ..refusal });
                }
                let (request, limits) = (context.number, self.limits.clone());
                ("previews", Box::new(Previewing { body, grid, request, limits, cell: 0, bytes: vec![] }))
            }
            Ask::Export { ids, format } => {
                for (index, id) in ids.iter().enumerate() {
                    self.world.find(&format!("export.ids[{index}]"), *id)?;
                }
                ("export", Box::new(Exporting::new(self.world.clone(), ids, format, self.limits.vertices)))
            }
        };
        Ok(Asked::Later { slot, task })
    }

    fn work(&mut self, slice: &Slice) -> Work {
        if self.underway.is_none() && std::mem::take(&mut self.edited) {
            self.underway = Some(Underway::new(self.world.clone(), self.limits.vertices));
        }
        let Some(underway) = &mut self.underway else { return Work::Done };
        let Some(state) = underway.step(&mut self.known, slice) else { return Work::More };
        self.underway = None;
        match &mut self.done {
            // Not yet fetched: the newer contacts, and the meshes of both.
            Some((revision, contacts, meshes)) => {
                (*revision, *contacts) = (state.0, state.1);
                meshes.extend(state.2);
            }
            none => *none = Some(state),
        }
        if self.edited { Work::More } else { Work::Done }
    }

    fn frame(&mut self, out: &mut Outgoing<Lab>) {
        if let Some((revision, contacts, meshes)) = self.done.take() {
            out.geometry = meshes;
            out.state = Some((revision, contacts));
        }
    }

    fn document(&self) -> Scene {
        self.world.scene().clone()
    }
}

/// How a method comes to its answer: one unit.
struct Tracing {
    world: World,
    pair: [u32; 2],
    indices: [usize; 2],
    steps: usize,
}

impl Task<Reply> for Tracing {
    fn step(&mut self, _slice: &Slice) -> Result<Step<Reply>, Refusal> {
        let solver = &self.world.scene().solver;
        let method =
            method::find(&solver.method).ok_or_else(|| Refusal::whole(ErrorKind::Internal, "the method is gone"))?;
        let [a, b] = self.indices.map(|index| &self.world.placed()[index]);
        let mut story = method.trace(a, b, solver.tolerance)?;
        let omitted = story.steps.len().saturating_sub(self.steps);
        // The end of a story matters more than its middle.
        let cut = (self.steps / 2)..(self.steps / 2 + omitted);
        if omitted > 0 {
            story.steps.drain(cut.clone());
            for curve in &mut story.curves {
                curve.values.drain(cut.start..cut.end.min(curve.values.len()));
            }
        }
        let (steps, curves) = (story.steps, story.curves);
        let trace = Trace { method: method.name().to_owned(), pair: self.pair, steps, omitted: omitted as u32, curves };
        Ok(Step::Done(Reply::Trace(trace), vec![]))
    }
}

/// Previews on their way: one cell a unit.
struct Previewing {
    body: Body,
    grid: u32,
    request: u32,
    limits: Limits,
    cell: u32,
    bytes: Vec<u8>,
}

impl Task<Reply> for Previewing {
    fn step(&mut self, slice: &Slice) -> Result<Step<Reply>, Refusal> {
        while self.cell < self.grid * self.grid {
            let mesh = tessellate::preview(&self.body, self.grid, self.cell, &self.limits).unwrap_or_default();
            geometry::write(FrameKind::Preview { request: self.request, cell: self.cell }, &mesh, &mut self.bytes);
            self.cell += 1;
            if slice.spent() {
                return Ok(Step::More);
            }
        }
        Ok(Step::Done(Reply::Previews {}, vec![std::mem::take(&mut self.bytes)]))
    }
}

fn check_range(path: &str, value: u32, low: u32, high: usize) -> Result<(), Refusal> {
    if value >= low && value as usize <= high {
        return Ok(());
    }
    Err(Refusal::at(path, format!("{value} is outside [{low}, {high}]")))
}

fn find_pair(world: &World, path: &str, [a, b]: [u32; 2]) -> Result<[usize; 2], Refusal> {
    if a == b {
        return Err(Refusal::at(path, "a pair is two bodies"));
    }
    Ok([world.find(&format!("{path}[0]"), a)?, world.find(&format!("{path}[1]"), b)?])
}
