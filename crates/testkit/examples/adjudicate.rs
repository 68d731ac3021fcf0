//! a
use superegg::query::{Options, distance};
use testkit::generate::{self, Domain, known};
use testkit::oracle::precise;
fn main() {
    let dom = Domain { exponents: 0.05..=1.95, taper: 0.0..=0.0, aspect: 100.0, size: 1.0..=1.0 };
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut worst = 0.0f64;
    let mut ans = 0;
    let t = std::time::Instant::now();
    let mut lo = 0;
    let mut hi = 0;
    let mut maxv = 0.0f64;
    for seed in 0..n {
        let mut rng = generate::seeded(seed);
        let k = known::apart(&mut rng, &dom, false);
        let p = &k.pair;
        let o = distance(&p.a, &p.pose_a, &p.b, &p.pose_b, &Options::DEFAULT).unwrap();
        let mut f = precise::refine(p, &precise::Start { point_a: o.point_a, point_b: o.point_b, normal: o.normal });
        if f.as_ref().is_none_or(|f| f.gap.is_none_or(|g| g > 1e-25 * p.size())) {
            f = precise::refine(p, &precise::Start { point_a: k.point_a, point_b: k.point_b, normal: k.normal });
        }
        let Some(f) = f else { continue };
        let Some(g) = f.gap else { continue };
        if g > 1e-25 * p.size() {
            continue;
        }
        ans += 1;
        let e = f.excess(k.distance);
        let b = o.bounds.unwrap();
        if e.abs() / k.error > worst {
            worst = e.abs() / k.error;
            println!("seed {seed} known error {:e} stated {:e} ratio {}", e, k.error, worst);
        }
        let (el, eu) = (f.excess(b.lower), f.excess(b.upper));
        if el > 0.0 {
            lo += 1;
            maxv = maxv.max(el / p.size());
        }
        if eu < 0.0 {
            hi += 1;
            maxv = maxv.max(-eu / p.size());
        }
        if el > 0.0 || eu < 0.0 {
            println!("seed {seed}: lower-truth {el:e} upper-truth {eu:e} size {} known-truth {e:e}", p.size());
        }
    }
    println!(
        "{ans} of {n} answered, worst ratio {worst}, lower above truth {lo}, upper below truth {hi}, worst violation {maxv:e}, {:?}/pair",
        t.elapsed() / n as u32
    );
}
