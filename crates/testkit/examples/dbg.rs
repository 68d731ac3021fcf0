//! a
use testkit::generate::{self, Domain, known};
use testkit::oracle::{support::*, surface};
fn main() {
    let dom = Domain { exponents: 0.05..=1.95, taper: 0.0..=0.0, aspect: 100.0, size: 1.0..=1.0 };
    for seed in [98u64, 177, 764, 524] {
        let mut rng = generate::seeded(seed);
        let k = known::apart(&mut rng, &dom, false);
        let p = &k.pair;
        println!("{}", p.to_rust());
        for (s, pose, n) in [(&p.a, p.pose_a, k.normal), (&p.b, p.pose_b, -k.normal)] {
            let l = pose.rotation.conjugate() * n;
            let r = support(s, l);
            println!(
                " local n {l:?} |n|-1 {:e} value {} n.x-value {:e} offset {:e} point {:?} quat {:e}",
                l.length() - 1.0,
                r.value,
                l.dot(r.point) - r.value,
                surface::offset(s, r.point),
                r.point,
                pose.rotation.length() - 1.0
            );
        }
    }
}
