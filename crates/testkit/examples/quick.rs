//! fuzz
use superegg::query::{Options, distance};
use testkit::check;
use testkit::generate::{self, Domain, known};
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(20000, |v| v.parse().unwrap());
    let mode = std::env::args().nth(2).unwrap_or("apart".into());
    let dom = std::env::args().nth(3).unwrap_or("wide".into());
    let show: usize = std::env::args().nth(4).map_or(2, |v| v.parse().unwrap());
    let dom = match dom.as_str() {
        "wide" => Domain::WIDE,
        "mild" => Domain { exponents: 0.1..=1.9, taper: -0.4..=0.4, aspect: 10.0, size: 0.1..=1.0 },
        "ell" => Domain { exponents: 0.05..=1.95, taper: 0.0..=0.0, aspect: 100.0, size: 1.0..=1.0 },
        "ellmild" => Domain { exponents: 0.1..=1.9, taper: 0.0..=0.0, aspect: 10.0, size: 0.1..=1.0 },
        "paper" => Domain { exponents: 0.3..=1.1, aspect: 4.0, taper: -0.4..=0.4, size: 0.5..=1.0 },
        _ => Domain { size: 1.0..=1.0, ..Domain::WIDE },
    };
    let o = Options::DEFAULT;
    let mut fails = std::collections::BTreeMap::<String, (usize, Vec<String>)>::new();
    let mut bad = 0;
    for seed in 0..n {
        let mut rng = generate::seeded(seed);
        let k = match mode.as_str() {
            "apart" => known::apart(&mut rng, &dom, false),
            "hull" => known::apart(&mut rng, &dom, true),
            "axis" => known::axis_aligned(&mut rng, &dom, seed % 2 == 0),
            _ => known::shallow_overlap(&mut rng, &dom),
        };
        let p = &k.pair;
        let r = distance(&p.a, &p.pose_a, &p.b, &p.pose_b, &o).unwrap();
        let c = check::contradictions_to_known(&k, &r, &o);
        if !c.is_empty() {
            bad += 1;
            for m in &c {
                let key: String = m.chars().filter(|c| c.is_alphabetic() || *c == ' ' || *c == '_').collect();
                let e = fails.entry(key).or_insert((0, vec![]));
                e.0 += 1;
                if e.1.len() < show {
                    e.1.push(format!("seed {seed}, size {:e}, true distance {:e} ({:e} of size), got {:e} {:?} in {} its: {}\n```\n{}\n```\n{}", p.size(), k.distance, k.distance/p.size(), r.distance, r.status, r.iterations, c.join("; "), p.to_rust(), p.to_json()));
                }
            }
        }
    }
    println!("bad {bad} of {n}");
    for (k, v) in &fails {
        println!("{:6} {k}", v.0);
    }
    for (k, v) in fails {
        println!("\n## {k}: {} of {n}", v.0);
        for e in v.1 {
            println!("\n{e}");
        }
    }
}
