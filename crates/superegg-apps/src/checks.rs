//! What documents of all apps are refused for: numbers outside their ranges, ids that are not unique, lists that are too long.

use crate::wire::{ErrorKind, Refusal};

pub fn within(field: &str, value: f64, [low, high]: [f64; 2]) -> Result<(), Refusal> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Refusal::at(field.to_owned(), format!("{value} is outside [{low}, {high}]")))
}

pub fn limit(field: &str, message: String) -> Refusal {
    Refusal { kind: ErrorKind::Limit, ..Refusal::at(field.to_owned(), message) }
}

pub fn unique(field: &str, ids: impl Iterator<Item = u32>) -> Result<(), Refusal> {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Refusal::at(field.to_owned(), format!("two have the id {}", pair[0]))),
        None => Ok(()),
    }
}
