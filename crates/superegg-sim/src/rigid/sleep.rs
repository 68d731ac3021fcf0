//! Islands: bodies that lean on each other fall asleep and wake up together.

use super::body::State;
use super::pairs::Pairs;

/// Slower than this a body counts as still, in metres a second.
pub(super) const STILL: f64 = 0.03;
/// For so long an island has to be still, in seconds.
pub(super) const DROWSY: f64 = 0.5;
/// A body that is at least this fast wakes what it touches, in metres a second.
const WAKING: f64 = 0.06;

/// Disjoint sets of bodies.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut index: u32) -> u32 {
        while self.0[index as usize] != index {
            let parent = self.0[index as usize];
            self.0[index as usize] = self.0[parent as usize];
            index = parent;
        }
        index
    }

    /// The smaller root stands for both.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The sets of dynamic bodies that lean on each other or hang together, each body with the number of its set.
fn islands(bodies: &[State], pairs: &Pairs, links: &[[u32; 2]]) -> Vec<u32> {
    let mut sets = Sets((0..bodies.len() as u32).collect());
    let dynamic = |i: u32| bodies[i as usize].is_dynamic();
    let leaning = pairs.list.iter().filter(|pair| pair.is_leaning()).map(|pair| pair.bodies);
    for [a, b] in leaning.chain(links.iter().copied()).filter(|[a, b]| dynamic(*a) && dynamic(*b)) {
        sets.join(a, b);
    }
    (0..bodies.len() as u32).map(|i| sets.root(i)).collect()
}

/// Lets islands sleep that have been still for long enough.
pub(super) fn fall_asleep(bodies: &mut [State], pairs: &Pairs, links: &[[u32; 2]], dt: f64) {
    let mut any = false;
    for body in bodies.iter_mut().filter(|body| body.is_dynamic() && !body.asleep) {
        body.still_for = if body.speed() < STILL { body.still_for + dt } else { 0.0 };
        any |= body.still_for >= DROWSY;
    }
    if !any {
        return;
    }
    let roots = islands(bodies, pairs, links);
    let mut restless = vec![false; bodies.len()];
    for (body, &root) in bodies.iter().zip(&roots) {
        restless[root as usize] |= body.is_dynamic() && !body.asleep && body.still_for < DROWSY;
    }
    // What a moving body carries must not sleep.
    let carried = |body: &State| !body.is_dynamic() && body.is_moving();
    let leaning = pairs.list.iter().filter(|pair| pair.is_leaning()).map(|pair| pair.bodies);
    for [a, b] in leaning.chain(links.iter().copied()).map(|both| both.map(|body| body as usize)) {
        if carried(&bodies[a]) || carried(&bodies[b]) {
            restless[roots[a] as usize] = true;
            restless[roots[b] as usize] = true;
        }
    }
    for (body, &root) in bodies.iter_mut().zip(&roots) {
        if body.is_dynamic() && !restless[root as usize] {
            body.asleep = true;
            (body.velocity, body.turning) = (glam::DVec3::ZERO, glam::DVec3::ZERO);
        }
    }
}

/// Wakes the islands of bodies that something fast is about to touch. Returns whether any were woken.
pub(super) fn wake_touched(bodies: &mut [State], pairs: &Pairs, links: &[[u32; 2]], dt: f64) -> bool {
    let mut touched = Vec::new();
    for listed in &pairs.list {
        let [a, b] = listed.bodies.map(|body| &bodies[body as usize]);
        if a.asleep == b.asleep {
            continue;
        }
        let (sleeper, other) = if a.asleep { (listed.bodies[0], b) } else { (listed.bodies[1], a) };
        let speed = other.speed();
        if other.is_moving() && speed > WAKING {
            let reach = speed * dt + super::world::SKIN;
            if listed.pair.points.iter().any(|point| point.separation(a, b) < reach) {
                touched.push(sleeper);
            }
        }
    }
    wake(bodies, pairs, links, &touched)
}

/// Wakes the islands of some bodies. Returns whether any slept.
pub(super) fn wake(bodies: &mut [State], pairs: &Pairs, links: &[[u32; 2]], touched: &[u32]) -> bool {
    if !touched.iter().any(|&i| bodies[i as usize].asleep) {
        return false;
    }
    let roots = islands(bodies, pairs, links);
    let mut woken = vec![false; bodies.len()];
    for &index in touched {
        woken[roots[index as usize] as usize] = true;
    }
    for (body, &root) in bodies.iter_mut().zip(&roots) {
        if woken[root as usize] {
            body.asleep = false;
            body.still_for = 0.0;
        }
    }
    true
}
