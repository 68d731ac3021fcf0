//! Times and summaries.
//!
//! Times are processor times of the calling thread, since others may use the machine, of the median of several rounds in
//! which all methods take turns. Inputs are made before.

use std::hint::black_box;

use cpu_time::ThreadTime;

/// A piece of work to be timed.
pub(crate) type Work<'a> = Box<dyn FnMut() + 'a>;

/// Median seconds of each piece of work, all of them taking turns.
pub(crate) fn alternate(rounds: usize, works: &mut [Work]) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); works.len()];
    for _ in 0..rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            let start = ThreadTime::now();
            work();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// Lets a result count as used, though only its time matters.
pub(crate) fn spend<T>(value: T) {
    black_box(value);
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Mean, standard deviation and largest of some values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    pub count: usize,
    pub mean: f64,
    pub sigma: f64,
    pub largest: f64,
}

impl Summary {
    pub fn of(values: impl IntoIterator<Item = f64>) -> Summary {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Summary::default();
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Summary { count: values.len(), mean, sigma: variance.sqrt(), largest }
    }
}

/// Seconds as microseconds, with digits that mean something.
pub(crate) fn micro(seconds: f64) -> String {
    let value = seconds * 1e6;
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A part of a whole in per cent.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    format!("{:.2}", 100.0 * part as f64 / whole.max(1) as f64)
}

/// A length in exponent form; zero as such.
pub(crate) fn tiny(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_by_hand() {
        let summary = Summary::of([1.0, 3.0, 5.0, 7.0]);
        assert_eq!((summary.count, summary.mean, summary.largest), (4, 4.0, 7.0));
        assert!((summary.sigma - 5f64.sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of([]).count, 0);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!((micro(1.234e-6), micro(12.34e-6), micro(123.4e-6)), ("1.23".into(), "12.3".into(), "123".into()));
    }
}
