//! What the bounds before an exact query cost and how much they reject, volumes beside one or two steps of the solver.

use std::hint::black_box;

use cpu_time::ThreadTime;
use superegg::Pose;
use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, WarmStart, distance};
use superegg::shape::{Shape, Sphere};
use superegg_world::WorldError;
use superegg_world::bound::{Bound, Chain, Counters, Dop18, Obb, Volumes, gap_along};

use super::scene::Scene;
use crate::Table;

/// Candidate pairs of a scene: those whose tight boxes are within the margin, with what the step before left.
pub struct Candidates<'a> {
    scene: &'a Scene,
    pairs: Vec<(usize, usize)>,
    remembered: Vec<WarmStart>,
}

impl<'a> Candidates<'a> {
    /// The candidates of the last step.
    pub fn new(scene: &'a Scene) -> Result<Candidates<'a>, WorldError> {
        let (last, before) = (&scene.steps[scene.steps.len() - 1], &scene.steps[scene.steps.len() - 2]);
        let boxes: Vec<_> = (0..last.len())
            .map(|body| {
                let aabb = scene.shape(body).aabb(&last[body]);
                superegg::shape::Aabb { min: aabb.min - 0.5 * scene.margin, max: aabb.max + 0.5 * scene.margin }
            })
            .collect();
        let pairs: Vec<(usize, usize)> = (superegg_world::broad::Tree::over(&boxes)?.pairs().into_iter())
            .map(|(a, b)| (a as usize, b as usize))
            .collect();
        let earlier: Vec<[Placed; 2]> =
            pairs.iter().map(|&(a, b)| [a, b].map(|body| placed(scene, before, body))).collect();
        let remembered = distances(&earlier, &Options::DEFAULT, Threads::All)
            .into_iter()
            .map(|outcome| outcome.map(|outcome| outcome.warm_start))
            .collect::<Result<_, _>>()?;
        Ok(Candidates { scene, pairs, remembered })
    }

    fn poses(&self) -> &[Pose] {
        &self.scene.steps[self.scene.steps.len() - 1]
    }

    /// Rejection rate and cost of each bound on its own.
    pub fn table(&self) -> Result<Table, WorldError> {
        let mut table =
            Table::new(&["bound", "rejects", "of those that are apart", "ns a pair", "made once or each step"]);
        let (margin, count) = (self.scene.margin, self.pairs.len());
        let shapes: Vec<Shape> = (0..self.poses().len()).map(|body| (*self.scene.shape(body)).into()).collect();
        let poses = self.poses();
        let every: Vec<[Placed; 2]> =
            self.pairs.iter().map(|&(a, b)| [a, b].map(|body| placed(self.scene, poses, body))).collect();
        let mut apart = 0;
        for outcome in distances(&every, &Options::DEFAULT, Threads::All) {
            apart += usize::from(outcome?.distance > margin);
        }
        let mut row = |name: &str, note: &str, reject: &mut dyn FnMut(usize, usize, usize) -> bool| {
            let start = ThreadTime::now();
            let rejected =
                self.pairs.iter().enumerate().filter(|&(index, &(a, b))| black_box(reject(index, a, b))).count();
            let cost = start.elapsed().as_secs_f64() / count as f64;
            table.push([
                name.to_owned(),
                format!("{:.1} %", 100.0 * rejected as f64 / count as f64),
                format!("{:.1} %", 100.0 * rejected as f64 / apart.max(1) as f64),
                format!("{:.0}", cost * 1e9),
                note.to_owned(),
            ]);
        };
        let reaches: Vec<f64> = shapes.iter().map(Shape::reach).collect();
        let ball = |body: usize| Sphere { center: poses[body].translation, radius: reaches[body] };
        row("sphere about the origin", "once", &mut |_, a, b| ball(a).distance(&ball(b)) > margin);
        let local: Vec<Option<Obb>> = shapes.iter().map(|shape| Obb::of(shape, &Pose::IDENTITY)).collect();
        let obb = |body: usize| local[body].as_ref().map(|obb| obb.moved(&poses[body]));
        row(
            "oriented box, 15 axes",
            "once",
            &mut |_, a, b| matches!((obb(a), obb(b)), (Some(a), Some(b)) if a.separated_by(&b, margin)),
        );
        let dops: Vec<Option<Dop18>> = shapes.iter().zip(poses).map(|(shape, pose)| Dop18::of(shape, pose)).collect();
        row(
            "18-DOP",
            "each step: 18 support values",
            &mut |_, a, b| matches!((&dops[a], &dops[b]), (Some(a), Some(b)) if a.gap(b) > margin),
        );
        row("plane across the last normal", "each step: the last answer", &mut |index, a, b| {
            let normal = poses[a].transform_vector(self.remembered[index].normal_a);
            gap_along(normal, &shapes[a], &poses[a], &shapes[b], &poses[b]) > margin
        });
        for iterations in [1, 2, 3] {
            for warm in [false, true] {
                let name = format!("{iterations} of the solver's iterations, {}", if warm { "warm" } else { "cold" });
                row(&name, if warm { "each step: the last answer" } else { "nothing" }, &mut |index, a, b| {
                    let options = Options {
                        max_iterations: iterations,
                        warm_start: warm.then_some(self.remembered[index]),
                        ..Options::DEFAULT
                    };
                    let found = distance(&shapes[a], &poses[a], &shapes[b], &poses[b], &options);
                    found.is_ok_and(|found| found.bounds.is_some_and(|bounds| bounds.lower > margin))
                });
            }
        }
        row("exact, certified to 1e-9", "nothing", &mut |_, a, b| {
            let found = distance(&shapes[a], &poses[a], &shapes[b], &poses[b], &Options::DEFAULT);
            found.is_ok_and(|found| found.distance > margin)
        });
        Ok(table)
    }

    /// What each link of the chain sends away.
    pub fn chain(&self) -> Result<Table, WorldError> {
        let mut table = Table::new(&["chain", "pairs", "sphere", "plane", "oriented box", "exact", "ns a pair"]);
        let all = Chain::within(self.scene.margin);
        let chains = [
            ("exact alone", Chain { sphere: false, obb: false, plane: false, ..all }),
            ("sphere → exact", Chain { obb: false, plane: false, ..all }),
            ("sphere → oriented box → exact", Chain { plane: false, ..all }),
            ("sphere → plane → oriented box → exact", all),
        ];
        let volumes: Vec<Volumes> = self.scene.shapes.iter().map(|shape| Volumes::of(&(*shape).into())).collect();
        let poses = self.poses();
        for (name, chain) in chains {
            let mut counters = Counters::default();
            let start = ThreadTime::now();
            for (&(a, b), warm) in self.pairs.iter().zip(&self.remembered) {
                let shapes = [a, b].map(|body| Shape::from(*self.scene.shape(body)));
                let own = [a, b].map(|body| &volumes[body % volumes.len()]);
                black_box(chain.test(
                    [&shapes[0], &shapes[1]],
                    [&poses[a], &poses[b]],
                    own,
                    Some(warm),
                    &Options::DEFAULT,
                    &mut counters,
                )?);
            }
            let cost = start.elapsed().as_secs_f64() / self.pairs.len() as f64;
            let Counters { pairs, sphere, obb, plane, exact } = counters;
            let mut cells = vec![name.to_owned()];
            cells.extend([pairs, sphere, plane, obb, exact].map(|count| count.to_string()));
            cells.push(format!("{:.0}", cost * 1e9));
            table.push(cells);
        }
        Ok(table)
    }
}

fn placed(scene: &Scene, poses: &[Pose], body: usize) -> Placed {
    Placed { shape: (*scene.shape(body)).into(), pose: poses[body] }
}
