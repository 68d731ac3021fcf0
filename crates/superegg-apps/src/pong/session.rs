//! Duper Bowl Pong as a live session. Control 0 is the left paddle, control 1 the right: height and tilt that a hand wants.

use glam::{DQuat, DVec3};

use super::game::{DT, Game};
use super::messages::{Ask, Edit, Event, Facts, Match, Opponent, Phase, State};
use super::paddle::{COURT, HALF, LINE, SPEED, THICKNESS, TILT, TURN};
use crate::app::{App, Open, Outgoing};
use crate::session::{Asked, Context, Pace};
use crate::wire::state_frame::Block;
use crate::wire::{self, Control, Refusal};

/// What begins without being asked: the picture behind the start screen.
const FIRST: Match = Match { right: Opponent::Medium, points: 7 };
/// Most points of a match.
const MOST_POINTS: u32 = 21;
/// Objects of the frames: ball and paddles as poses, and what there is to know about the ball as numbers.
const POSES: u32 = 0;
const BALL: u32 = 1;

/// One client's match.
pub struct Pong {
    seed: u64,
    game: Game,
    begun: bool,
    /// The phase before a pause.
    paused: Option<Phase>,
    revision: u32,
    told: Option<State>,
}

impl Pong {
    fn state(&self) -> State {
        let state = self.game.state();
        let phase = match (self.begun, self.paused) {
            (false, _) => Phase::Start,
            (true, Some(_)) => Phase::Paused,
            (true, None) => state.phase,
        };
        State { phase, ..state }
    }
}

impl App for Pong {
    const NAME: &'static str = "pong";
    const VERSION: u32 = 1;
    type Facts = Facts;
    type Document = Match;
    type State = State;
    type Answer = ();
    type Event = Event;
    type Edit = Edit;
    type Ask = Ask;

    fn open(open: &Open) -> (Pong, Facts) {
        let game = Game::new(FIRST, open.seed);
        let facts = Facts {
            court: COURT.to_array(),
            line: LINE,
            paddle: HALF,
            thickness: THICKNESS,
            tilt: TILT,
            speed: [SPEED, TURN],
            dt: DT,
        };
        (Pong { seed: open.seed, game, begun: false, paused: None, revision: 0, told: None }, facts)
    }

    fn edit(&mut self, edit: Edit, context: &Context) -> Result<(), Refusal> {
        match edit {
            Edit::Begin { r#match } => {
                if !(1..=MOST_POINTS).contains(&r#match.points) {
                    let message = format!("{} is outside [1, {MOST_POINTS}]", r#match.points);
                    return Err(Refusal::at("begin.match.points", message));
                }
                // Every match is another one, and every session the same sequence of them.
                self.seed = self.seed.wrapping_add(1);
                self.game = Game::new(r#match, self.seed);
                (self.begun, self.paused) = (true, None);
            }
            Edit::Serve {} => {
                if self.paused.is_none() {
                    self.game.serve();
                }
            }
            Edit::Pause { paused: true } => {
                if self.game.phase != Phase::Over && self.begun {
                    self.paused = Some(self.game.phase);
                }
            }
            Edit::Pause { paused: false } => self.paused = None,
            Edit::Leave {} => (self.begun, self.paused) = (false, None),
        }
        // Told even when nothing changed: it answers the edit.
        self.told = None;
        self.revision = context.number;
        Ok(())
    }

    fn ask(&mut self, ask: Ask, _context: &Context) -> Result<Asked<()>, Refusal> {
        match ask {}
    }

    fn input(&mut self, controls: &[Control]) {
        for control in controls {
            let side = usize::from(control.control);
            let is_hand = side == 0 || (side == 1 && self.game.rules.right == Opponent::Person);
            if is_hand && control.phase != wire::Phase::Cancel {
                let [_, height, tilt, ..] = control.values.map(f64::from);
                self.game.paddles[side].aim(height, tilt);
            }
        }
    }

    fn pace(&self) -> Pace {
        match self.state().phase {
            Phase::Serve | Phase::Play => Pace::Live { dt: DT },
            Phase::Start | Phase::Paused | Phase::Over => Pace::Idle,
        }
    }

    fn advance(&mut self, _dt: f64) {
        self.game.advance();
    }

    fn frame(&mut self, out: &mut Outgoing<Pong>) {
        out.events = self.game.take_events();
        let state = self.state();
        if self.told != Some(state) {
            self.told = Some(state);
            out.state = Some((self.revision, state));
        }
        let Game { ball, paddles, .. } = &self.game;
        let pose =
            |id: u32, at: superegg::DVec2, angle: f64| (id, at.extend(0.0), DQuat::from_axis_angle(DVec3::Z, angle));
        let [left, right] = paddles;
        let poses = [
            pose(0, ball.position, ball.angle),
            pose(1, left.position, left.tilt),
            pose(2, right.position, right.tilt),
        ];
        let [a, b] = ball.shape.radii();
        let numbers = [a, b, ball.shape.exponent(), ball.velocity.x, ball.velocity.y, ball.spin];
        out.blocks = Some(vec![Block::poses(POSES, &poses), Block::scalars(BALL, &numbers)]);
    }

    fn document(&self) -> Match {
        self.game.rules
    }
}
