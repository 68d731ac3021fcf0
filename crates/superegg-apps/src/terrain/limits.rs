//! What a landscape may hold. What is outside is refused, and the refusal names the field.

use super::messages::{Clothespin, FabricSettings, Hill, Landscape, Settings};
use super::simulation::{BOX, FARTHEST};
use crate::checks::{limit, unique, within};
use crate::wire::Refusal;

pub const MOST_HILLS: usize = 120;
pub const MOST_PINS: usize = 64;
/// Bytes of a name and of what is said about a landscape.
const MOST_TEXT: usize = 400;
pub const RADII: [f64; 2] = [0.04, 0.8];
pub const EXPONENTS: [f64; 2] = [0.1, 1.9];
pub const SIDES: [u32; 2] = [11, 161];
pub const FRICTION: [f64; 2] = [0.0, 1.5];
pub const THICKNESS: [f64; 2] = [0.004, 0.02];
pub const WIND: f64 = 8.0;

/// Refuses a landscape that is not one.
pub fn check(landscape: &Landscape) -> Result<(), Refusal> {
    let Landscape { name, about, hills, settings, .. } = landscape;
    let texts = [("name", name.len()), ("about", about.as_ref().map_or(0, String::len))];
    for (field, length) in texts {
        if length > MOST_TEXT {
            return Err(limit(field, format!("{length} bytes; at most {MOST_TEXT}")));
        }
    }
    if hills.len() > MOST_HILLS {
        return Err(limit("hills", format!("{} bodies; at most {MOST_HILLS}", hills.len())));
    }
    unique("hills", hills.iter().map(|hill| hill.id))?;
    for (index, hill) in hills.iter().enumerate() {
        check_hill(&format!("hills[{index}]"), hill)?;
    }
    check_settings(settings)
}

fn check_hill(field: &str, hill: &Hill) -> Result<(), Refusal> {
    let Hill { position, radii, exponents, turn, lift, .. } = hill;
    for (axis, value) in position.iter().enumerate() {
        within(&format!("{field}.position[{axis}]"), *value, [-FARTHEST, FARTHEST])?;
    }
    for (axis, value) in radii.iter().enumerate() {
        within(&format!("{field}.radii[{axis}]"), *value, RADII)?;
    }
    for (axis, value) in exponents.iter().enumerate() {
        within(&format!("{field}.exponents[{axis}]"), *value, EXPONENTS)?;
    }
    within(&format!("{field}.turn"), *turn, [-1e3, 1e3])?;
    within(&format!("{field}.lift"), *lift, [0.0, 1.0])
}

fn check_settings(settings: &Settings) -> Result<(), Refusal> {
    let Settings { pins, fabric, side, wind, .. } = settings;
    if pins.len() > MOST_PINS {
        return Err(limit("settings.pins", format!("{} clothespins; at most {MOST_PINS}", pins.len())));
    }
    unique("settings.pins", pins.iter().map(|pin| pin.id))?;
    for (index, Clothespin { place, at, .. }) in pins.iter().enumerate() {
        for (axis, value) in place.iter().enumerate() {
            within(&format!("settings.pins[{index}].place[{axis}]"), *value, [0.0, 1.0])?;
        }
        for (axis, value) in at.iter().enumerate() {
            let low = BOX[0].to_array()[axis];
            within(&format!("settings.pins[{index}].at[{axis}]"), *value, [low, low + BOX[1].to_array()[axis]])?;
        }
    }
    let FabricSettings { stiffness, friction, thickness } = *fabric;
    within("settings.fabric.stiffness", stiffness, [0.0, 1.0])?;
    within("settings.fabric.friction", friction, FRICTION)?;
    within("settings.fabric.thickness", thickness, THICKNESS)?;
    within("settings.side", f64::from(*side), SIDES.map(f64::from))?;
    within("settings.wind.speed", wind.speed, [0.0, WIND])?;
    within("settings.wind.direction", wind.direction, [-1e3, 1e3])
}
