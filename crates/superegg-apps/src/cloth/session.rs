//! Cloth Table as a live session. Control 0 moves the body, control 1 pulls a vertex of the cloth.

use superegg::DVec3;

use super::messages::{Ask, Edit, Event, Facts, State, Table};
use super::simulation::{REACH, Simulation};
use crate::app::{App, Open, Outgoing};
use crate::session::{Asked, Context, Pace};
use crate::wire::geometry::{self, FrameKind, Mesh};
use crate::wire::state_frame::Block;
use crate::wire::{Control, Phase, Refusal};

/// Seconds of a step.
const DT: f64 = 1.0 / 60.0;
/// Vertices along a side.
const SIDES: [u32; 2] = [5, 81];
/// The cloth as an object of frames and geometry; the body is the other.
pub const CLOTH: u32 = 1;
const BODY: u32 = 2;

const FIRST: Table = Table { side: 41, radii: [0.35, 0.35, 0.3], exponents: [0.7, 0.7] };

/// One client's table.
pub struct ClothTable {
    table: Table,
    simulation: Option<Simulation>,
    paused: bool,
    halted: Option<String>,
    revision: u32,
    /// The topology was not sent yet.
    fresh: bool,
    /// Something but positions has changed.
    changed: bool,
}

impl App for ClothTable {
    const NAME: &'static str = "cloth-table";
    const VERSION: u32 = 1;
    type Facts = Facts;
    type Document = Table;
    type State = State;
    type Answer = ();
    type Event = Event;
    type Edit = Edit;
    type Ask = Ask;

    fn open(_open: &Open) -> (ClothTable, Facts) {
        let table = ClothTable {
            table: FIRST,
            simulation: None,
            paused: false,
            halted: None,
            revision: 0,
            fresh: false,
            changed: false,
        };
        (table, Facts { table: FIRST, sides: SIDES, reach: REACH })
    }

    fn edit(&mut self, edit: Edit, context: &Context) -> Result<(), Refusal> {
        match edit {
            Edit::Set { table } => {
                if !(SIDES[0]..=SIDES[1]).contains(&table.side) {
                    let message = format!("{} is outside [{}, {}]", table.side, SIDES[0], SIDES[1]);
                    return Err(Refusal::at("set.table.side", message));
                }
                if let Some(axis) = table.radii.iter().position(|radius| !(0.05..=0.8).contains(radius)) {
                    let message = format!("{} is outside [0.05, 0.8]", table.radii[axis]);
                    return Err(Refusal::at(format!("set.table.radii[{axis}]"), message));
                }
                let made = Simulation::new(&table).map_err(|error| Refusal::at("set.table", error.to_string()))?;
                (self.simulation, self.table) = (Some(made), table);
                (self.fresh, self.paused, self.halted) = (true, false, None);
            }
            Edit::Pause { paused } => self.paused = paused,
        }
        self.changed = true;
        self.revision = context.number;
        Ok(())
    }

    fn ask(&mut self, ask: Ask, _context: &Context) -> Result<Asked<()>, Refusal> {
        match ask {}
    }

    fn input(&mut self, controls: &[Control]) {
        let Some(simulation) = &mut self.simulation else { return };
        for control in controls {
            let [x, y, z, ..] = control.values.map(f64::from);
            let at = DVec3::new(x, y, z);
            match (control.control, control.phase) {
                (0, Phase::Press | Phase::Move | Phase::Release) => simulation.move_body(at),
                (1, Phase::Press) => simulation.grab(control.object as usize),
                (1, Phase::Move) => simulation.pull(at),
                (1, Phase::Release | Phase::Cancel) => simulation.release(),
                _ => {}
            }
        }
    }

    fn pace(&self) -> Pace {
        if self.simulation.is_some() && !self.paused && self.halted.is_none() {
            Pace::Live { dt: DT }
        } else {
            Pace::Idle
        }
    }

    fn advance(&mut self, dt: f64) {
        let Some(simulation) = &mut self.simulation else { return };
        let outcome = simulation.advance(dt).map_err(|error| error.to_string());
        let outcome =
            outcome.and_then(|()| if simulation.is_finite() { Ok(()) } else { Err("the cloth is lost".into()) });
        if let Err(reason) = outcome {
            (self.halted, self.changed) = (Some(reason), true);
        }
    }

    fn frame(&mut self, out: &mut Outgoing<ClothTable>) {
        let Some(simulation) = &self.simulation else { return };
        if std::mem::take(&mut self.fresh) {
            let vertices = simulation.positions().to_vec();
            let normals = vec![DVec3::Z; vertices.len()];
            let mesh = Mesh { vertices, normals, triangles: simulation.triangles().to_vec() };
            let mut bytes = vec![];
            geometry::write(FrameKind::Body { id: CLOTH, revision: self.revision }, &mesh, &mut bytes);
            out.geometry.push(bytes);
        }
        if std::mem::take(&mut self.changed) {
            out.state = Some((self.revision, State { paused: self.paused, halted: self.halted.clone() }));
        }
        if self.halted.is_none() {
            let pose = simulation.pose();
            out.blocks = Some(vec![
                Block::positions(CLOTH, simulation.positions(), simulation.shortest()),
                Block::poses(BODY, &[(BODY, pose.translation, pose.rotation)]),
            ]);
        }
    }

    fn document(&self) -> Table {
        self.table
    }
}
