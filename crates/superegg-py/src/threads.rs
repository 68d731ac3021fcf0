//! Work on all cores, without holding the interpreter.
//!
//! Batches are cut into blocks that a pool of threads answers, while the calling thread waits and looks for Ctrl-C. The pool belongs to a
//! process: a forked child has none of its parent's threads, and makes a pool of its own when it first needs one. Blocks do not depend on
//! the number of threads, so that answers are the same bits on any.

use std::mem::MaybeUninit;
use std::process;
use std::ptr;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::array::unravel;
use crate::error::Refusal;

/// How often a waiting thread looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// A pool and the process whose threads it has.
struct Pool {
    process: u32,
    threads: ThreadPool,
}

/// Never freed: threads that still work for a forked parent, or under an earlier number of threads, keep theirs.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
/// The number of threads that was asked for; 0 for one a core, or as many as `RAYON_NUM_THREADS` says.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The pool of this process.
fn pool() -> PyResult<&'static ThreadPool> {
    let current = POOL.load(Ordering::Acquire);
    // SAFETY: the pointer is null or came from `Box::leak`, and is never freed.
    if let Some(pool) = unsafe { current.as_ref() }
        && pool.process == process::id()
    {
        return Ok(&pool.threads);
    }
    let threads = ThreadPoolBuilder::new()
        .num_threads(WANTED.load(Ordering::Relaxed))
        .thread_name(|index| format!("superegg-{index}"))
        .build()
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
    let made = Box::leak(Box::new(Pool { process: process::id(), threads }));
    // Of two threads that make one at the same time, the first one's is used by all later calls.
    let _ = POOL.compare_exchange(current, made, Ordering::AcqRel, Ordering::Acquire);
    Ok(&made.threads)
}

/// Use so many threads for batches; 0 for one a core.
///
/// >>> import superegg
/// >>> superegg.set_threads(1)
/// >>> superegg.threads()
/// 1
/// >>> superegg.set_threads(0)
#[pyfunction]
pub fn set_threads(count: usize) -> PyResult<()> {
    if count > 1024 {
        return Err(Refusal::invalid("count", format!("{count} is outside [0, 1024]")).into());
    }
    WANTED.store(count, Ordering::Relaxed);
    POOL.store(ptr::null_mut(), Ordering::Release);
    Ok(())
}

/// How many threads batches use.
#[pyfunction]
pub fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Told to a computation that is no longer wanted.
pub struct Cancelled(AtomicBool);

impl Cancelled {
    /// Whether it should end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does work in the pool, where everything parallel of it stays, while other Python threads run. Ctrl-C raises `KeyboardInterrupt` once the
/// work has ended, which it does early where it looks at its argument.
pub fn detached<R: Send>(py: Python<'_>, work: impl FnOnce(&Cancelled) -> R + Send) -> PyResult<R> {
    let pool = pool()?;
    let cancelled = Cancelled(AtomicBool::new(false));
    let (interrupt, answer) = py.detach(|| {
        let mut answer = None;
        let mut interrupt = None;
        pool.in_place_scope(|scope| {
            let (done, finished) = channel::<()>();
            let (answer, cancelled) = (&mut answer, &cancelled);
            scope.spawn(move |_| {
                *answer = Some(work(cancelled));
                drop(done);
            });
            while finished.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    cancelled.0.store(true, Ordering::Relaxed);
                    interrupt = Some(error);
                    break;
                }
            }
        });
        (interrupt, answer)
    });
    match (interrupt, answer) {
        (Some(error), _) => Err(error),
        (None, Some(answer)) => Ok(answer),
        // A panic in the pool goes on in the scope: there is always an answer here.
        (None, None) => Err(pyo3::exceptions::PyRuntimeError::new_err("the computation gave no answer")),
    }
}

/// Batches from this many items on are made by all threads.
const LARGE: usize = 8192;

/// Makes the items of a batch, on all cores where it is large. The refusal is that of the first item that has one.
pub fn make_all<T: Send, E: Send>(
    py: Python<'_>,
    count: usize,
    make: impl Fn(usize) -> Result<T, E> + Sync + Send,
) -> PyResult<Result<Vec<T>, (usize, E)>> {
    if count >= LARGE {
        let parallel = || (0..count).into_par_iter().with_min_len(LARGE / 8).map(&make).collect::<Result<Vec<T>, E>>();
        if let Ok(made) = detached(py, |_| parallel())? {
            return Ok(Ok(made));
        }
    }
    let mut made = Vec::with_capacity(count);
    for place in 0..count {
        match make(place) {
            Ok(item) => made.push(item),
            Err(refused) => return Ok(Err((place, refused))),
        }
    }
    Ok(Ok(made))
}

/// Numbers of answers, `width` each, one after the other.
pub type Rows = Vec<f64>;

/// Batches up to this many items are answered by the calling thread, unless blocks are that small because items take long: waking another thread
/// takes as long as some quick queries.
const SMALL: usize = 16;

/// Answers `count` questions: `answer` fills the rows of a block of them, and says which item it was that was refused. The refusal of the first
/// item that has one is raised.
pub fn answer_all(
    py: Python<'_>,
    dims: &[usize],
    width: usize,
    block: usize,
    answer: impl Fn(std::ops::Range<usize>, &mut [f64]) -> Result<(), (usize, Refusal)> + Sync + Send,
) -> PyResult<Rows> {
    let count: usize = dims.iter().product();
    let raise = |(place, refusal): (usize, Refusal)| refusal.into_exception(py, Some(&unravel(place, dims)));
    if count <= SMALL && block > SMALL {
        let mut rows = vec![0.0; count * width];
        answer(0..count, &mut rows).map_err(raise)?;
        return Ok(rows);
    }
    let mut rows = Vec::with_capacity(count * width);
    let unfilled = &mut rows.spare_capacity_mut()[..count * width];
    let first_refused = AtomicUsize::new(usize::MAX);
    let refusal: Mutex<Option<(usize, Refusal)>> = Mutex::new(None);
    detached(py, |cancelled| {
        unfilled.par_chunks_mut((block * width).max(1)).enumerate().for_each(|(number, rows)| {
            let (start, rows) = (number * block, zeroed(rows));
            if cancelled.is_set() || start > first_refused.load(Ordering::Relaxed) {
                return;
            }
            if let Err((place, refused)) = answer(start..(start + block).min(count), rows) {
                first_refused.fetch_min(place, Ordering::Relaxed);
                let mut held = refusal.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if held.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
                    *held = Some((place, refused));
                }
            }
        });
    })?;
    if let Some(refused) = refusal.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(raise(refused));
    }
    // SAFETY: there is room for so many, and every block was zeroed at least.
    unsafe { rows.set_len(count * width) };
    Ok(rows)
}

/// Numbers that are zero. Each thread does this to its own block, which it is about to write: one thread that did it to all of them would take
/// a fiftieth of the time of a batch of quick queries.
fn zeroed(numbers: &mut [MaybeUninit<f64>]) -> &mut [f64] {
    for number in numbers.iter_mut() {
        number.write(0.0);
    }
    // SAFETY: the same numbers, all of which were just written.
    unsafe { slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
}
