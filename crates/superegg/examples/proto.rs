#![allow(missing_docs)]
use superegg::query::{Options, Status, distance};
use superegg::shape::*;
use superegg::{DQuat, DVec3, Pose};
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
    fn range(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.next()).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
    }
    fn unit(&mut self) -> DVec3 {
        DVec3::new(self.normal(), self.normal(), self.normal()).normalize()
    }
    fn quat(&mut self) -> DQuat {
        DQuat::from_xyzw(self.normal(), self.normal(), self.normal(), self.normal()).normalize()
    }
}
fn support(s: &Shape, n: DVec3) -> DVec3 {
    match s {
        Shape::Superellipsoid(e) => e.support(n),
        Shape::Superovoid(e) => e.support(n),
        Shape::Point(e) => e.support(n),
        Shape::Segment(e) => e.support(n),
        Shape::Triangle(e) => e.support(n),
        _ => unreachable!(),
    }
}
fn sigma(a: &Shape, b: &Shape, pa: &Pose, pb: &Pose, n: DVec3) -> f64 {
    let x = pa.transform_point(support(a, pa.inverse_transform_vector(n)));
    let y = pb.transform_point(support(b, pb.inverse_transform_vector(-n)));
    n.dot(x - y)
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: usize = args.get(1).map_or(20_000, |s| s.parse().unwrap());
    let which = args.get(2).cloned().unwrap_or("apart".into());
    let show = args.len() > 3;
    let ranges = if which == "deep" || which == "ovoid" {
        vec![(0.3, 1.1), (0.1, 1.9)]
    } else {
        vec![(0.1, 1.9), (0.3, 1.1), (0.1, 1.0), (1.0, 1.9)]
    };
    for (lo, hi) in ranges {
        for kind in 0..4 {
            let mut rng = Rng(7 + kind);
            let mut pairs = Vec::new();
            while pairs.len() < count {
                let se = |rng: &mut Rng| {
                    Superellipsoid::new([0; 3].map(|_| rng.range(0.1, 1.0)), [0; 2].map(|_| rng.range(lo, hi))).unwrap()
                };
                let so = |rng: &mut Rng| loop {
                    let s = Superovoid::new([0; 3].map(|_| rng.range(0.1, 1.0)), [0; 2].map(|_| rng.range(lo, hi)), {
                        let t = rng.range(-0.4, 0.4);
                        if rng.next() < 0.6 { [t, t] } else { [t, rng.range(-0.4, 0.4)] }
                    })
                    .unwrap();
                    if s.is_convex() {
                        return s;
                    }
                };
                let a: Shape = if which == "ovoid" { so(&mut rng).into() } else { se(&mut rng).into() };
                let b: Shape = match which.as_str() {
                    "ovoid" => so(&mut rng).into(),
                    "point" => Point::new([rng.unit() * 0.1]).unwrap().into(),
                    "segment" => Segment::new([rng.unit() * rng.next(), rng.unit() * rng.next()]).unwrap().into(),
                    "triangle" => {
                        Triangle::new([rng.unit() * rng.next(), rng.unit() * rng.next(), rng.unit() * rng.next()])
                            .unwrap()
                            .into()
                    }
                    _ => se(&mut rng).into(),
                };
                let q = if kind >= 2 {
                    let f = |r: &mut Rng| {
                        DQuat::from_axis_angle(
                            [DVec3::X, DVec3::Y, DVec3::Z][(r.next() * 3.0) as usize],
                            std::f64::consts::FRAC_PI_2 * (r.next() * 4.0).floor(),
                        )
                    };
                    f(&mut rng) * f(&mut rng)
                } else {
                    rng.quat()
                };
                let n = if kind == 3 {
                    let u = [DVec3::X, DVec3::Y, DVec3::Z][(rng.next() * 3.0) as usize];
                    if rng.next() < 0.5 { u } else { (u + 1e-3 * rng.unit()).normalize() }
                } else {
                    rng.unit()
                };
                let d = if which == "deep" {
                    if kind % 2 == 0 { -rng.range(0.0, 0.2) } else { -rng.range(0.2, 0.8) }
                } else if kind == 1 {
                    10f64.powf(rng.range(-12.0, -3.0))
                } else {
                    10f64.powf(rng.range(-3.0, 1.0))
                };
                let pa = Pose::IDENTITY;
                let x = support(&a, n);
                let y = q * support(&b, q.conjugate() * -n);
                let pb = Pose { rotation: q, translation: x + n * d - y };
                pairs.push((a, b, pa, pb, d));
            }
            let (mut fails, mut evs, mut worst, mut gap) = (0, 0.0, 0.0f64, 0.0f64);
            let mut shown = 0;
            let t = std::time::Instant::now();
            let results: Vec<_> =
                pairs.iter().map(|(a, b, pa, pb, _)| distance(a, pa, b, pb, &Options::default()).unwrap()).collect();
            let time = t.elapsed().as_secs_f64() / count as f64 * 1e6;
            let mut hist = [0usize; 201];
            for ((a, b, pa, pb, d), o) in pairs.iter().zip(&results) {
                evs += o.iterations as f64;
                hist[(o.iterations as usize).min(200)] += 1;
                let bad = if which == "deep" {
                    let mut best = f64::MAX;
                    let mut bn = DVec3::X;
                    let gold = std::f64::consts::PI * (3.0 - 5f64.sqrt());
                    for i in 0..1500 {
                        let z = 1.0 - 2.0 * (i as f64 + 0.5) / 1500.0;
                        let r = (1.0 - z * z).sqrt();
                        let n = DVec3::new(r * (gold * i as f64).cos(), r * (gold * i as f64).sin(), z);
                        let s = sigma(a, b, pa, pb, n);
                        if s < best {
                            best = s;
                            bn = n;
                        }
                    }
                    let mut step = 0.05;
                    while step > 1e-7 {
                        let mut better = false;
                        for _ in 0..12 {
                            let m = (bn + step * rng.unit()).normalize();
                            let s = sigma(a, b, pa, pb, m);
                            if s < best {
                                best = s;
                                bn = m;
                                better = true;
                            }
                        }
                        if !better {
                            step *= 0.6;
                        }
                    }
                    let depth = -o.distance;
                    let err = depth - best;
                    worst = worst.max(err);
                    let own = sigma(a, b, pa, pb, o.normal);
                    gap = gap.max((own - depth).abs()).max(((o.point_b - o.point_a) - o.normal * o.distance).length());
                    !(err < 1e-6) || (o.status != Status::Penetrating && best > 1e-8)
                } else {
                    let b = o.bounds.unwrap();
                    let err = (o.distance - d).abs();
                    gap = gap.max(b.upper - b.lower);
                    worst = worst.max(err);
                    !(err < 4e-9) || o.status == Status::NotConverged || b.lower > *d + 1e-14 || b.upper < *d - 1e-14
                };
                if bad {
                    fails += 1;
                    if shown < 3 && show {
                        shown += 1;
                        println!("FAIL {a:?}\n  {b:?}\n  {pb:?} d={d} -> {o:?}");
                    }
                }
            }
            let mut acc = 0;
            let mut p99 = 0;
            for (i, h) in hist.iter().enumerate() {
                acc += h;
                if acc as f64 >= 0.99 * count as f64 {
                    p99 = i;
                    break;
                }
            }
            println!(
                "{which} e {lo}-{hi} kind {kind}: fails/M {:.0} evals {:.2} p99 {p99} worst {worst:.1e} gap {gap:.1e} {time:.2} us",
                fails as f64 / count as f64 * 1e6,
                evs / count as f64
            );
        }
    }
}
