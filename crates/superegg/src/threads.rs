//! How many threads share a piece of work.

/// How many threads share a piece of work. The answers are the same bits either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread alone.
    One,
    /// All threads of the current rayon pool; the calling thread alone without the feature `rayon`.
    #[default]
    All,
}
