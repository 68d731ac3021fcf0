//! Terrain Cloth end to end: what a step of the app costs, from a hand's message to the bytes of the frame that answers it, over the
//! number of bodies (paper 001, figure 6.1) and for the finest cloth.
//!
//! A conversation as the server hosts it is driven on one thread with a clock of its own, so that it never waits: input goes in as
//! bytes, state frames come out as bytes. Times are processor times. One body is carried to and fro, so that the cloth is awake.

use cpu_time::ThreadTime;
use superegg_apps::terrain::TerrainCloth;
use superegg_apps::terrain::grid;
use superegg_apps::terrain::messages::{Edit, Landscape};
use superegg_apps::wire::input::Input;
use superegg_apps::wire::{Control, Phase, VERSION};
use superegg_apps::{App, Clock, Conversation, Message, Next, Setup, studio};
use thiserror::Error;

use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};

/// Why the suite stopped.
#[derive(Debug, Error)]
pub enum TerrainError {
    /// The session said something else.
    #[error("the session of {bodies} bodies sent no frame")]
    Silent {
        /// Under its cloth.
        bodies: usize,
    },
}

const DT: f64 = 1.0 / 60.0;

/// A clock that goes when it is told to.
#[derive(Default)]
struct Told(std::cell::Cell<f64>);

impl Clock for Told {
    fn now(&self) -> f64 {
        self.0.get()
    }
}

/// A client of a landscape.
struct Client {
    clock: Told,
    conversation: Conversation,
    sequence: u32,
    drawn: u32,
}

impl Client {
    fn open(landscape: &Landscape) -> Client {
        let conversation = Conversation::new(Setup { catalogue: studio, ..Setup::default() });
        let mut client = Client { clock: Told::default(), conversation, sequence: 0, drawn: 0 };
        let (name, version) = (TerrainCloth::NAME, TerrainCloth::VERSION);
        client.say(Message::Text(format!(
            r#"{{"hello":{{"version":{VERSION},"app":"{name}","app_version":{version}}}}}"#
        )));
        let edit = Edit::Open { landscape: landscape.clone(), drape: None };
        // Plain data, which is always written.
        let edit = serde_json::to_string(&edit).unwrap_or_default();
        client.say(Message::Text(format!(r#"{{"edit":{{"revision":1,"edit":{edit}}}}}"#)));
        client
    }

    /// Sends a message and takes what comes; the bytes of state frames among it.
    fn say(&mut self, message: Message) -> usize {
        self.clock.0.set(self.clock.now() + DT);
        self.conversation.receive(&message, self.clock.now());
        self.conversation.grant(true, self.clock.now());
        let mut bytes = 0;
        loop {
            match self.conversation.poll(&self.clock, &|| false) {
                Next::Send(Message::Binary(frame)) => {
                    if let Some(head) = superegg_apps::wire::state_frame::read_head(&frame) {
                        (self.drawn, bytes) = (head.sequence, bytes + frame.len());
                    }
                }
                Next::Send(Message::Text(_)) | Next::Again => {}
                Next::Wait(_) | Next::Close(_) => return bytes,
            }
        }
    }

    /// One animation frame of a client that carries the first body; the bytes of the frame that came.
    fn carry(&mut self, home: [f64; 2]) -> usize {
        self.sequence += 1;
        let angle = 0.05 * f64::from(self.sequence);
        let (x, y) = (home[0] + 0.06 * angle.sin(), home[1] + 0.06 * (1.3 * angle).cos());
        let control = Control {
            control: 0,
            phase: Phase::Move,
            flags: 0,
            object: 1,
            values: [x as f32, y as f32, 0.0, 0.0, 0.0, 0.0],
        };
        let input = Input { sequence: self.sequence, drawn: self.drawn, controls: vec![control] };
        self.say(Message::Binary(input.write()))
    }
}

/// What was measured of one landscape.
struct Measured {
    mean: f64,
    slowest: f64,
    frame: usize,
}

fn measure(
    landscape: &Landscape,
    settling: u32,
    steps: u32,
    progress: &dyn Progress,
) -> Result<Measured, TerrainError> {
    let mut client = Client::open(landscape);
    let home = landscape.hills.first().map_or([0.0; 2], |hill| hill.position);
    for _ in 0..settling {
        client.carry(home);
        progress.advance(1);
    }
    let (mut times, mut spent, mut frame) = (Vec::with_capacity(steps as usize), 0.0, 0);
    // A message that falls between two steps is answered with the next.
    for _ in 0..4 * steps {
        let clock = ThreadTime::now();
        let bytes = client.carry(home);
        spent += clock.elapsed().as_secs_f64();
        if bytes > 0 {
            frame = bytes;
            times.push(std::mem::take(&mut spent));
            progress.advance(1);
        }
        if times.len() == steps as usize {
            break;
        }
    }
    if times.len() < steps as usize {
        return Err(TerrainError::Silent { bodies: landscape.hills.len() });
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    Ok(Measured { mean, slowest: times.iter().copied().fold(0.0, f64::max), frame })
}

/// Measures everything.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, TerrainError> {
    let counts: &[u32] = if settings.quick { &[1, 25, 100] } else { &[1, 4, 9, 16, 25, 36, 49, 64, 81, 100] };
    let (settling, steps) = if settings.quick { (90, 60) } else { (180, 300) };
    let mut table = Table::new(&["cloth", "bodies", "ms a step", "steps a second", "slowest step ms", "bytes a frame"]);
    let mut plotted = vec![];
    for (side, counts) in [(41, counts), (161, &[25][..])] {
        let mut points = [vec![], vec![]];
        for count in counts {
            progress.begin(&format!("{side} × {side} vertices over {count} bodies"), u64::from(settling + steps));
            let Measured { mean, slowest, frame } = measure(&grid(*count, side), settling, steps, progress)?;
            table.push([
                format!("{side} × {side}"),
                count.to_string(),
                format!("{:.2}", 1e3 * mean),
                format!("{:.0}", 1.0 / mean),
                format!("{:.2}", 1e3 * slowest),
                frame.to_string(),
            ]);
            points[0].push((f64::from(*count), 1.0 / mean));
            points[1].push((f64::from(*count), 1.0 / slowest));
        }
        let [mean, least] = points;
        plotted.push(Series { name: format!("{side}², mean"), points: mean, published: false });
        plotted.push(Series { name: format!("{side}², slowest step"), points: least, published: false });
    }
    plotted.push(Series {
        name: "paper 001, frames".to_owned(),
        // What the text says: 60 up to 25 bodies, about 30 from 80 on.
        points: vec![(1.0, 60.0), (25.0, 60.0), (80.0, 30.0), (100.0, 30.0)],
        published: true,
    });
    let plot = Plot {
        name: "steps".to_owned(),
        title: "Steps a second over the number of bodies".to_owned(),
        x: Axis::linear("bodies"),
        y: Axis::log("steps a second"),
        series: plotted,
    };
    let text = format!(
        "Input as bytes in, a step of 1/60 s with self-collision, a state frame as bytes out, on one thread, while one body is carried \
         to and fro; {settling} steps to fall and settle, then {steps} measured. 60 steps a second are real time. The paper's are frames of \
         a whole game loop on another machine."
    );
    let tables = vec![("steps".to_owned(), table)];
    let section = Section { title: "Terrain Cloth: paper 001, figure 6.1".to_owned(), text, tables, plots: vec![plot] };
    Ok(Report { name: "terrain", title: "Terrain Cloth, end to end".to_owned(), sections: vec![section] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn every_step_that_is_measured_sends_a_frame() {
        let measured = measure(&grid(4, 21), 3, 5, &Silent).unwrap();
        assert!(measured.mean > 0.0 && measured.slowest >= measured.mean);
        // 21 × 21 places of six bytes and more.
        assert!(measured.frame > 21 * 21 * 6, "{}", measured.frame);
    }
}
