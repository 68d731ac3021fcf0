//! How many are here, and from which address: one address may hold only a part of the places.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub IpAddr);

/// Who is connected.
pub(crate) struct Crowd {
    most: usize,
    most_each: usize,
    present: Mutex<HashMap<IpAddr, usize>>,
}

/// A place among the connections, given back when it is dropped.
pub(crate) struct Place {
    crowd: Arc<Crowd>,
    address: IpAddr,
}

impl Crowd {
    pub fn new(most: usize, most_each: usize) -> Crowd {
        Crowd { most, most_each, present: Mutex::default() }
    }

    pub fn enter(self: &Arc<Crowd>, address: IpAddr) -> Option<Place> {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, own) = (present.values().sum::<usize>(), present.get(&address).copied().unwrap_or(0));
        if all >= self.most || own >= self.most_each {
            return None;
        }
        present.insert(address, own + 1);
        Some(Place { crowd: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut present = self.crowd.present.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = present.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                present.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_keep_the_others_out() {
        let crowd = Arc::new(Crowd::new(5, 3));
        let [one, other]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let places: Vec<_> = (0..9).filter_map(|_| crowd.enter(one)).collect();
        assert_eq!(places.len(), 3);
        let others: Vec<_> = (0..9).filter_map(|_| crowd.enter(other)).collect();
        assert_eq!(others.len(), 2);
        drop(places);
        assert!(crowd.enter(one).is_some());
        drop(others);
        assert_eq!(crowd.present.lock().unwrap().len(), 0);
    }
}
