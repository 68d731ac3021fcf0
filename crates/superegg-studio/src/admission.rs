//! Who may compute when: seats for clients, cores for live sessions, and what is left for everything else.
//!
//! A live session holds a core while it is live. All other work shares the rest, at least one core, slice by slice. Seats and
//! cores belong to the computation, not to the connection: what a departed client has begun counts until it has stopped.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::crowd::{Crowd, Place};
use crate::limits::Limits;

/// Seats and cores of a studio.
#[derive(Clone)]
pub(crate) struct Admission {
    seats: Arc<Semaphore>,
    crowd: Arc<Crowd>,
    live: Arc<Semaphore>,
    workers: Arc<Semaphore>,
    waiting: Arc<AtomicU32>,
}

/// A client's place.
pub(crate) struct Seat {
    _seat: OwnedSemaphorePermit,
    _place: Option<Place>,
}

/// A core of a live session's own.
pub(crate) struct Core {
    _live: OwnedSemaphorePermit,
    /// Taken from what others share, as long as one is left for them.
    _worker: Option<OwnedSemaphorePermit>,
}

/// A live session that waits for a core.
pub(crate) struct Waiting {
    counter: Arc<AtomicU32>,
    /// How many were to be served first when it came, itself included.
    pub place: u32,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.counter.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admission {
    pub fn new(limits: &Limits, cores: usize) -> Admission {
        Admission {
            seats: Arc::new(Semaphore::new(limits.clients)),
            crowd: Arc::new(Crowd::new(limits.clients, limits.clients_each)),
            live: Arc::new(Semaphore::new(cores.max(1))),
            workers: Arc::new(Semaphore::new(cores.max(1))),
            waiting: Arc::default(),
        }
    }

    /// A seat, if there is one. Without an address, as in tests without a network, only the number of all counts.
    pub fn enter(&self, address: Option<IpAddr>) -> Option<Seat> {
        let _seat = self.seats.clone().try_acquire_owned().ok()?;
        let _place = match address {
            Some(address) => Some(self.crowd.enter(address)?),
            None => None,
        };
        Some(Seat { _seat, _place })
    }

    /// When every seat is free.
    pub async fn until_empty(&self, clients: usize) {
        let everyone = u32::try_from(clients).unwrap_or(u32::MAX);
        drop(self.seats.acquire_many(everyone).await);
    }

    /// A core for a live session, if one is free.
    pub fn try_core(&self) -> Option<Core> {
        let live = self.live.clone().try_acquire_owned().ok()?;
        Some(self.core(live))
    }

    /// A core for a live session, when one is free.
    pub async fn core_in_turn(&self) -> Option<Core> {
        // The semaphore is never closed.
        let live = self.live.clone().acquire_owned().await.ok()?;
        Some(self.core(live))
    }

    fn core(&self, live: OwnedSemaphorePermit) -> Core {
        let spare = self.workers.available_permits() > 1;
        let worker = if spare { self.workers.clone().try_acquire_owned().ok() } else { None };
        Core { _live: live, _worker: worker }
    }

    /// One more waits.
    pub fn queue(&self) -> Waiting {
        let place = self.waiting.fetch_add(1, Ordering::Relaxed) + 1;
        Waiting { counter: self.waiting.clone(), place }
    }

    /// Leave to work for one slice.
    pub async fn work(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }

    #[cfg(test)]
    pub fn free(&self) -> [usize; 3] {
        [self.seats.available_permits(), self.live.available_permits(), self.workers.available_permits()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_sessions_leave_one_core_for_the_others_and_give_theirs_back() {
        let admission = Admission::new(&Limits::default(), 2);
        let [first, second] = [admission.try_core().unwrap(), admission.try_core().unwrap()];
        assert!(admission.try_core().is_none());
        assert_eq!(admission.free()[1..], [0, 1]);
        let [one, other] = [admission.queue(), admission.queue()];
        assert_eq!([one.place, other.place], [1, 2]);
        drop((first, one));
        assert!(admission.try_core().is_some());
        drop(second);
        assert_eq!(admission.free()[1..], [2, 2]);
        assert_eq!(admission.queue().place, 2);
    }

    #[test]
    fn one_address_has_only_a_part_of_the_seats() {
        let admission = Admission::new(&Limits { clients: 5, clients_each: 3, ..Limits::default() }, 1);
        let [one, other]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let seats: Vec<Seat> = (0..9).filter_map(|_| admission.enter(Some(one))).collect();
        assert_eq!(seats.len(), 3);
        let others: Vec<Seat> = (0..9).filter_map(|_| admission.enter(Some(other))).collect();
        assert_eq!(others.len(), 2);
        drop((seats, others));
        assert_eq!(admission.free()[0], 5);
    }
}
