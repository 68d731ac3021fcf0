//! A queue for branch and bound: what can be least comes first, and equal ones in an order of their own, so that answers are
//! reproducible.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Entries by their bound, the least first; of equal ones that with the greatest `tie`.
pub struct BestFirst<K, T>(BinaryHeap<Entry<K, T>>);

struct Entry<K, T> {
    bound: f64,
    tie: K,
    what: T,
}

impl<K: Ord, T> Default for BestFirst<K, T> {
    fn default() -> BestFirst<K, T> {
        BestFirst::new()
    }
}

impl<K: Ord, T> BestFirst<K, T> {
    /// Nothing waits.
    pub fn new() -> BestFirst<K, T> {
        BestFirst(BinaryHeap::new())
    }

    /// Lets something wait.
    pub fn push(&mut self, bound: f64, tie: K, what: T) {
        self.0.push(Entry { bound, tie, what });
    }

    /// What has the least bound, with its bound and its tie.
    pub fn pop(&mut self) -> Option<(f64, K, T)> {
        self.0.pop().map(|Entry { bound, tie, what }| (bound, tie, what))
    }
}

impl<K: Ord, T> PartialEq for Entry<K, T> {
    fn eq(&self, other: &Entry<K, T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K: Ord, T> Eq for Entry<K, T> {}

impl<K: Ord, T> PartialOrd for Entry<K, T> {
    fn partial_cmp(&self, other: &Entry<K, T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, T> Ord for Entry<K, T> {
    /// Reversed by bound, since the heap's first is its greatest.
    fn cmp(&self, other: &Entry<K, T>) -> Ordering {
        other.bound.total_cmp(&self.bound).then_with(|| self.tie.cmp(&other.tie))
    }
}
