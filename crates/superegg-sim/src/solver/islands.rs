//! Islands: bodies that lean on each other, and the cloth and soft solids that push them, fall asleep and wake up together.

use superegg_world::bound::Bound;

use super::surfaces::Surfaces;
use crate::body::BodyState;
use crate::contact::broad::Pairs;

/// Slower than this a body counts as still, in metres a second.
const STILL: f64 = 0.03;
/// For so long an island has to be still, in seconds.
const DROWSY: f64 = 0.5;
/// A body that is at least this fast wakes what it touches, in metres a second.
pub(crate) const WAKING: f64 = 0.06;

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

/// The sets of dynamic bodies that lean on each other or hang together, and of some more things, each for itself.
fn islands(bodies: &[BodyState], pairs: &Pairs, links: &[[u32; 2]], more: usize) -> Sets {
    let mut sets = Sets((0..(bodies.len() + more) as u32).collect());
    let dynamic = |i: u32| bodies[i as usize].is_dynamic();
    let leaning = pairs.list.iter().filter(|pair| pair.is_leaning()).map(|pair| pair.bodies);
    for [a, b] in leaning.chain(links.iter().copied()).filter(|[a, b]| dynamic(*a) && dynamic(*b)) {
        sets.join(a, b);
    }
    sets
}

/// Lets islands sleep that have been still for long enough: bodies that lean on each other or hang together, the surfaces that push
/// them (`touched`: bodies near parts), and surfaces near each other.
pub(crate) fn fall_asleep(
    bodies: &mut [BodyState],
    pairs: &Pairs,
    links: &[[u32; 2]],
    surfaces: &mut Surfaces,
    touched: &[(u32, usize)],
    windy: bool,
    dt: f64,
) {
    let mut any = false;
    let mut judge = |still_for: &mut f64, speed: f64| {
        *still_for = if speed < STILL { *still_for + dt } else { 0.0 };
        any |= *still_for >= DROWSY;
    };
    for body in bodies.iter_mut().filter(|body| body.is_dynamic() && !body.asleep) {
        let speed = body.speed();
        judge(&mut body.still_for, speed);
    }
    for sleep in surfaces.parts.iter_mut().map(|part| &mut part.sleep).filter(|sleep| !sleep.asleep) {
        let speed = if sleep.lingers { 0.0 } else { sleep.speed };
        judge(&mut sleep.still_for, speed);
    }
    if !any {
        return;
    }
    // Bodies first, then surfaces.
    let count = bodies.len();
    let mut sets = islands(bodies, pairs, links, surfaces.parts.len());
    for (i, part) in surfaces.parts.iter().enumerate() {
        let beside = |j: &usize| part.sleep.bounds.overlaps(&surfaces.parts[*j].sleep.bounds);
        (0..i).filter(beside).for_each(|j| sets.join((count + i) as u32, (count + j) as u32));
    }
    for &(body, part) in touched.iter().filter(|(body, _)| bodies[*body as usize].is_dynamic()) {
        sets.join(body, (count + part) as u32);
    }
    let roots: Vec<u32> = (0..(count + surfaces.parts.len()) as u32).map(|node| sets.root(node)).collect();
    let mut restless = vec![false; roots.len()];
    for (body, &root) in bodies.iter().zip(&roots) {
        restless[root as usize] |= body.is_dynamic() && !body.asleep && body.still_for < DROWSY;
    }
    for (index, part) in surfaces.parts.iter().enumerate().filter(|(_, part)| !part.sleep.asleep) {
        let restive = windy || part.sleep.still_for < DROWSY || surfaces.is_moved(index);
        restless[roots[count + index] as usize] |= restive;
    }
    // What a moving body carries must not sleep.
    let carried = |body: &BodyState| !body.is_dynamic() && body.is_moving();
    let leaning = pairs.list.iter().filter(|pair| pair.is_leaning()).map(|pair| pair.bodies);
    let between_bodies = leaning.chain(links.iter().copied()).map(|both| both.map(|body| body as usize));
    let with_surfaces = touched.iter().map(|&(body, part)| [body as usize, count + part]);
    for [a, b] in between_bodies.chain(with_surfaces) {
        if carried(&bodies[a]) || bodies.get(b).is_some_and(carried) {
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
    for index in 0..surfaces.parts.len() {
        if !surfaces.parts[index].sleep.asleep && !restless[roots[count + index] as usize] {
            surfaces.sleep(index);
        }
    }
}

/// Wakes the islands of bodies that something fast is about to touch. Returns whether any were woken.
pub(crate) fn wake_touched(bodies: &mut [BodyState], pairs: &Pairs, links: &[[u32; 2]], dt: f64) -> bool {
    let mut touched = Vec::new();
    for listed in &pairs.list {
        let [a, b] = listed.bodies.map(|body| &bodies[body as usize]);
        if a.asleep == b.asleep {
            continue;
        }
        let (sleeper, other) = if a.asleep { (listed.bodies[0], b) } else { (listed.bodies[1], a) };
        let speed = other.speed();
        if other.is_moving() && speed > WAKING {
            let reach = speed * dt + crate::contact::SKIN;
            if listed.pair.points.iter().any(|point| point.separation(a, b) < reach) {
                touched.push(sleeper);
            }
        }
    }
    wake(bodies, pairs, links, &touched)
}

/// Wakes the islands of some bodies. Returns whether any slept.
pub(crate) fn wake(bodies: &mut [BodyState], pairs: &Pairs, links: &[[u32; 2]], touched: &[u32]) -> bool {
    if !touched.iter().any(|&i| bodies[i as usize].asleep) {
        return false;
    }
    let mut sets = islands(bodies, pairs, links, 0);
    let mut woken = vec![false; bodies.len()];
    for &index in touched {
        woken[sets.root(index) as usize] = true;
    }
    for (index, body) in (0u32..).zip(bodies) {
        if woken[sets.root(index) as usize] {
            body.asleep = false;
            body.still_for = 0.0;
        }
    }
    true
}
