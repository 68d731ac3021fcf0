//! An animation: keyframes, and stances between them. Angles follow Catmull–Rom splines that stay between their keys, rotations of the whole
//! the shorter way round.

use glam::{DQuat, DVec3};

use super::messages::{Keyframe, Stance, Turn};

/// How long it lasts, in seconds.
pub fn duration(keys: &[Keyframe]) -> f64 {
    keys.last().map_or(0.0, |key| key.time)
}

/// How a creature stands at a time; none without keyframes.
pub fn stance_at(keys: &[Keyframe], time: f64) -> Option<Stance> {
    let after = keys.iter().position(|key| key.time > time).unwrap_or(keys.len());
    if after == 0 {
        return keys.first().map(|key| key.stance.clone());
    }
    let (Some(next), before) = (keys.get(after), &keys[after - 1]) else {
        return keys.last().map(|key| key.stance.clone());
    };
    let outer = [after.checked_sub(2).map_or(before, |k| &keys[k]), keys.get(after + 1).unwrap_or(next)];
    let part = (time - before.time) / (next.time - before.time);
    let blend = |of: &dyn Fn(&Stance) -> f64| {
        let frames = [outer[0], before, next, outer[1]];
        monotone(frames.map(|frame| frame.time), frames.map(|frame| of(&frame.stance)), part)
    };
    let mut bones: Vec<u32> = before.stance.turns.iter().chain(&next.stance.turns).map(|turn| turn.bone).collect();
    bones.sort_unstable();
    bones.dedup();
    let turn = |bone: u32| Turn { bone, angles: [0, 1, 2].map(|k| blend(&|stance| angle_of(stance, bone, k))) };
    let [from, to] = [before, next].map(|frame| DQuat::from_array(frame.stance.orientation).normalize());
    let to = if from.dot(to) < 0.0 { -to } else { to };
    Some(Stance {
        position: DVec3::from_array([0, 1, 2].map(|k| blend(&|stance| stance.position[k]))).to_array(),
        orientation: from.slerp(to, part).normalize().to_array(),
        turns: bones.into_iter().map(turn).collect(),
    })
}

fn angle_of(stance: &Stance, bone: u32, turn: usize) -> f64 {
    stance.turns.iter().find(|other| other.bone == bone).map_or(0.0, |other| other.angles[turn])
}

/// A cubic between the middle two of four values, with slopes that do not lead beyond them (Fritsch and Carlson).
fn monotone(times: [f64; 4], values: [f64; 4], part: f64) -> f64 {
    let width = times[2] - times[1];
    let rate = (values[2] - values[1]) / width;
    let slope = |k: usize| {
        let before = times[k] - times[k - 1];
        let after = times[k + 1] - times[k];
        if before <= 0.0 || after <= 0.0 {
            return rate;
        }
        let (left, right) = ((values[k] - values[k - 1]) / before, (values[k + 1] - values[k]) / after);
        if left * right <= 0.0 { 0.0 } else { (2.0 * left * right) / (left + right) }
    };
    let (s, t) = (part, 1.0 - part);
    let cubic = values[1] * t * t * (1.0 + 2.0 * s) + values[2] * s * s * (1.0 + 2.0 * t);
    cubic + width * s * t * (slope(1) * t - slope(2) * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, angle: f64) -> Keyframe {
        let turns = vec![Turn { bone: 1, angles: [angle, 0.0, 0.0] }];
        Keyframe { time, stance: Stance { position: [angle, 0.0, 0.0], orientation: [0.0, 0.0, 0.0, 1.0], turns } }
    }

    #[test]
    fn keys_are_met_and_nothing_goes_beyond_them() {
        let keys = [key(0.0, 0.0), key(1.0, 1.0), key(1.5, 1.0), key(3.0, -0.5)];
        assert_eq!(stance_at(&[], 1.0), None);
        for frame in &keys {
            let there = stance_at(&keys, frame.time).unwrap();
            assert!((there.turns[0].angles[0] - frame.stance.turns[0].angles[0]).abs() < 1e-12);
        }
        let at = |time: f64| stance_at(&keys, time).unwrap().turns[0].angles[0];
        for k in 0..300 {
            let time = f64::from(k) / 100.0;
            let (low, high) = if time < 1.0 {
                (0.0, 1.0)
            } else if time < 1.5 {
                (1.0, 1.0)
            } else {
                (-0.5, 1.0)
            };
            assert!((low - 1e-12..=high + 1e-12).contains(&at(time)), "{time}: {}", at(time));
            // No jumps.
            assert!((at(time + 0.01) - at(time)).abs() < 0.03);
        }
        assert!((at(9.0), at(-1.0)) == (-0.5, 0.0) && duration(&keys) == 3.0);
    }
}
