//! a
use std::time::Instant;
use testkit::generate::{self, battery};
use testkit::oracle::{certified, sampling};
fn main() {
    let mut rng = generate::seeded(3);
    for _ in 0..6 {
        let p = battery::superovoid_pair(&mut rng);
        let t = Instant::now();
        let o = sampling::overlap(&p);
        let t1 = t.elapsed();
        let t = Instant::now();
        let d = sampling::over_surfaces(&p);
        let t2 = t.elapsed();
        let t = Instant::now();
        let c = certified::signed_distance(&p, 1e-6, 20000);
        let t3 = t.elapsed();
        println!("overlap {o} {t1:?}  surfaces {} {t2:?} certified {:?} {t3:?} {}", d.distance, c.lower, c.evaluations);
    }
}
