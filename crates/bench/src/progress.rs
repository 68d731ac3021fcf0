//! How a suite tells what it is doing.

/// Told of the work that is under way. The suites write nothing to the terminal themselves.
pub trait Progress: Sync {
    /// Work of so many steps begins; the work before it has ended.
    fn begin(&self, work: &str, steps: u64);

    /// So many steps more are done.
    fn advance(&self, steps: u64);

    /// Something a reader should know, such as a peer that is not there.
    fn note(&self, text: &str);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn note(&self, _: &str) {}
}
