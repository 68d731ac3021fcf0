//! Elementary collision queries with exact rational coordinates, as published with "A large-scale benchmark and an
//! inclusion-based algorithm for continuous collision detection" (B. Wang and others).
//!
//! Eight lines a query: four points at time 0, then the same four at time 1. A line is
//! `x numerator, x denominator, y …, z …` and, where the truth is known, a 0 or 1.

use std::path::Path;

use glam::DVec3;

use crate::ReadError;

/// One query: four points at both ends of the time interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// The points at time 0: vertex and three corners, or the ends of one edge and of the other.
    pub start: [DVec3; 4],
    /// The points at time 1.
    pub end: [DVec3; 4],
    /// Whether they meet in between, where the file says so.
    pub truth: Option<bool>,
    /// The first line of the query in the file, from one.
    pub line: usize,
}

/// Reads the queries of a file. Coordinates that are no exact doubles are refused: rounding them would change the
/// question.
pub fn read_queries(path: &Path) -> Result<Vec<Query>, ReadError> {
    let text = std::fs::read_to_string(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    parse_queries(&text).map_err(|message| ReadError::Format { path: path.into(), message })
}

/// Parses the text of a query file; an error names the line.
///
/// ```
/// let still = "1,2,0,1,0,1,0\n".repeat(8);
/// let queries = superegg_io::ccd_queries::parse_queries(&still)?;
/// assert_eq!(queries[0].start[3].x, 0.5);
/// assert_eq!(queries[0].truth, Some(false));
/// # Ok::<(), String>(())
/// ```
pub fn parse_queries(text: &str) -> Result<Vec<Query>, String> {
    let mut rows = Vec::with_capacity(8);
    let mut queries = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        rows.push((number, parse_row(line).map_err(|message| format!("line {number}: {message}"))?));
        if rows.len() == 8 {
            let (first, (_, truth)) = rows[0];
            if let Some((number, _)) = rows.iter().find(|(_, (_, other))| *other != truth) {
                return Err(format!("line {number}: truth differs from line {first} of the same query"));
            }
            let point = |i: usize| rows[i].1.0;
            queries.push(Query {
                start: std::array::from_fn(point),
                end: std::array::from_fn(|i| point(i + 4)),
                truth,
                line: first,
            });
            rows.clear();
        }
    }
    match rows.first() {
        Some((number, _)) => Err(format!("line {number}: a query has eight lines, the last one has {}", rows.len())),
        None => Ok(queries),
    }
}

fn parse_row(line: &str) -> Result<(DVec3, Option<bool>), String> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != 6 && fields.len() != 7 {
        return Err(format!("{} fields, expected 6 or 7", fields.len()));
    }
    let coordinate = |axis: usize| exact_quotient(fields[2 * axis], fields[2 * axis + 1]);
    let point = DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?);
    let truth = match fields.get(6) {
        None => None,
        Some(&"0") => Some(false),
        Some(&"1") => Some(true),
        Some(other) => return Err(format!("truth {other:?} is neither 0 nor 1")),
    };
    Ok((point, truth))
}

/// The quotient of two decimal integers, when it is exactly a double: the denominator must be a power of two.
fn exact_quotient(numerator: &str, denominator: &str) -> Result<f64, String> {
    let refused = || format!("{numerator}/{denominator} is no exact double");
    let (top, top_exact) = decimal_integer(numerator).ok_or_else(refused)?;
    let (bottom, bottom_exact) = decimal_integer(denominator).ok_or_else(refused)?;
    let power_of_two = bottom > 0.0 && bottom.to_bits().trailing_zeros() >= 52;
    let quotient = top / bottom;
    // Division by a power of two is exact unless the result is subnormal.
    let exact = top_exact && bottom_exact && power_of_two && (top == 0.0 || quotient.is_normal());
    if exact { Ok(quotient) } else { Err(refused()) }
}

/// A decimal integer as a double, and whether it is exactly that. Rust parses decimals to the nearest double and
/// prints integral doubles digit by digit, so comparing the print with the text decides.
fn decimal_integer(text: &str) -> Option<(f64, bool)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || digits.len() > 400 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    let trimmed = digits.trim_start_matches('0');
    let exact = if trimmed.is_empty() { value == 0.0 } else { format!("{:.0}", value.abs()) == trimmed };
    Some((value, exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inexact_or_malformed_rows_are_refused_by_line() {
        let good = "0,1,0,1,0,1,1\n".repeat(7);
        for (bad, part) in [
            ("1,3,0,1,0,1,1", "1/3 is no exact double"),
            ("9007199254740993,1,0,1,0,1,1", "no exact double"),
            ("1,0,0,1,0,1,1", "no exact double"),
            ("x,1,0,1,0,1,1", "no exact double"),
            ("0,1,0,1,0,1,2", "neither 0 nor 1"),
            ("0,1,0,1,0,1,0", "truth differs"),
            ("0,1,0,1", "4 fields"),
        ] {
            let message = parse_queries(&format!("{good}{bad}\n")).unwrap_err();
            assert!(message.starts_with("line 8: ") && message.contains(part), "{bad}: {message}");
        }
        assert!(parse_queries(&good).unwrap_err().contains("eight lines"));
    }
}
