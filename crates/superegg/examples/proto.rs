use superegg::{DMat3, DQuat, DVec3, query::distance::try_pair, shape::Superellipsoid};
struct Rng(u64);
impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
    }
    fn range(&mut self, a: f64, b: f64) -> f64 { a + (b - a) * self.next() }
    fn normal(&mut self) -> f64 { (-2.0 * (1.0 - self.next()).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos() }
    fn unit(&mut self) -> DVec3 { DVec3::new(self.normal(), self.normal(), self.normal()).normalize() }
    fn quat(&mut self) -> DQuat { DQuat::from_xyzw(self.normal(), self.normal(), self.normal(), self.normal()).normalize() }
}
fn support(s: &Superellipsoid, n: DVec3) -> DVec3 {
    let [a1, a2, a3] = s.radii(); let [e1, e2] = s.exponents();
    let (q1, q2) = (2.0 / (2.0 - e1), 2.0 / (2.0 - e2));
    let v = [(a1 * n.x).abs(), (a2 * n.y).abs(), (a3 * n.z).abs()];
    let m = v[0].max(v[1]).max(1e-300);
    let inner = m * ((v[0] / m).powf(q1) + (v[1] / m).powf(q1)).powf(1.0 / q1);
    let mo = inner.max(v[2]).max(1e-300);
    let h = mo * ((inner / mo).powf(q2) + (v[2] / mo).powf(q2)).powf(1.0 / q2);
    let dr = (inner / h).powf(q2 - 1.0);
    let g = |x: f64| if inner > 0.0 { (x / inner).powf(q1 - 1.0) } else { 0.0 };
    DVec3::new(a1 * dr * g(v[0]) * n.x.signum(), a2 * dr * g(v[1]) * n.y.signum(), a3 * (v[2] / h).powf(q2 - 1.0) * n.z.signum())
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: usize = args.get(1).map_or(100_000, |s| s.parse().unwrap());
    let most: u32 = std::env::var("MOST").map_or(24, |s| s.parse().unwrap());
    for (lo, hi) in [(0.1, 1.9), (0.3, 1.1), (0.1, 1.0), (1.0, 1.9)] {
        for kind in 0..4 {
            let mut rng = Rng(7 + kind);
            let mut pairs = Vec::new();
            for _ in 0..count {
                let mut se = || Superellipsoid::new([0; 3].map(|_| rng.range(0.1, 1.0)), [0; 2].map(|_| rng.range(lo, hi))).unwrap();
                let (a, b) = (se(), se());
                let q = if kind >= 2 { 
                    let f = |r: &mut Rng| DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][(r.next() * 3.0) as usize], std::f64::consts::FRAC_PI_2 * (r.next() * 4.0).floor());
                    f(&mut rng) * f(&mut rng) } else { rng.quat() };
                let rot = DMat3::from_quat(q);
                let n = if kind == 3 { let u = [DVec3::X, DVec3::Y, DVec3::Z][(rng.next() * 3.0) as usize]; if rng.next() < 0.5 { u } else { (u + 1e-3 * rng.unit()).normalize() } } else { rng.unit() };
                let d = if kind == 1 { 10f64.powf(rng.range(-12.0, -3.0)) } else { 10f64.powf(rng.range(-3.0, 1.0)) };
                let pa = support(&a, n);
                let pb = rot * support(&b, rot.transpose() * -n);
                let c = pa + n * d - pb;
                pairs.push((a, b, rot, c, d));
            }
            let (mut fails, mut evs, mut worst) = (0, 0.0, 0.0f64);
            let mut shown = 0;
            let t = std::time::Instant::now();
            let mut results = Vec::with_capacity(count);
            for (a, b, rot, c, _) in &pairs { results.push(try_pair(a, b, *rot, *c, 1e-9, most)); }
            let time = t.elapsed().as_secs_f64() / count as f64 * 1e6;
            let mut hist = [0usize; 61];
            for ((a, b, rot, c, d), (l, u, ev)) in pairs.iter().zip(&results) {
                evs += ev; hist[(*ev as usize).min(60)] += 1;
                let err = (u - d).abs().max((l - d).abs());
                if *u == 0.0 || err > 4e-9 { fails += 1; if shown < 2 && args.len() > 2 { shown += 1; eprintln!("FAIL {a:?} {b:?} {rot:?} {c:?} d={d} -> {l} {u} {ev}"); } } else { worst = worst.max(err); }
            }
            let mut acc = 0; let mut p99 = 0;
            for (i, h) in hist.iter().enumerate() { acc += h; if acc as f64 >= 0.99 * count as f64 { p99 = i; break; } }
            println!("e {lo}-{hi} kind {kind}: fails/M {:.0} evals {:.2} p99 {p99} worst {worst:.1e} {time:.2} us", fails as f64 / count as f64 * 1e6, evs / count as f64);
        }
    }
}
