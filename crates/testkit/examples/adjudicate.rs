//! a
use superegg::query::{Options, distance};
use testkit::generate::{self, Domain, known};
use testkit::oracle::precise;
fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let r: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    for (name, dom, flat) in [("hulls", Domain { size: 1.0..=1.0, ..Domain::WIDE }, true)] {
        let mut ans = 0;
        let t = std::time::Instant::now();
        let (mut wl, mut wu) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let (mut sl, mut su) = (0, 0);
        for seed in 0..n {
            let mut rng = generate::seeded(seed);
            let k = if flat { known::flat_apart(&mut rng, &dom) } else { known::apart(&mut rng, &dom, false) };
            let p = &k.pair;
            let o = distance(&p.a, &p.pose_a, &p.b, &p.pose_b, &Options::DEFAULT).unwrap();
            let mut f =
                precise::refine(p, &precise::Start { point_a: o.point_a, point_b: o.point_b, normal: o.normal });
            if f.as_ref().is_none_or(|f| f.gap.is_none_or(|g| g > 1e-25 * p.size())) {
                f = precise::refine(p, &precise::Start { point_a: k.point_a, point_b: k.point_b, normal: k.normal });
            }
            let Some(f) = f else { continue };
            let Some(g) = f.gap else { continue };
            if g > 1e-25 * p.size() {
                continue;
            }
            ans += 1;
            let b = o.bounds.unwrap();
            let unit = p.size() + (p.pose_b.translation - p.pose_a.translation).length();
            let el = f.excess(b.lower) / unit + r;
            let eu = -f.excess(b.upper) / unit + r;
            if el > wl {
                wl = el;
                sl = seed;
            }
            if eu > wu {
                wu = eu;
                su = seed;
            }
        }
        println!(
            "{name}: {ans} of {n} proved; raw lower exceeds truth by at most {wl:e} (seed {sl}), truth exceeds raw upper by at most {wu:e} (seed {su}) of size+|c|; {:?}/pair",
            t.elapsed() / n as u32
        );
    }
}
