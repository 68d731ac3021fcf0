use superegg::shape::*;
fn main() {
    let mut r = fastrand::Rng::with_seed(5);
    let which = std::env::args().nth(1).unwrap();
    let n = 200;
    let mut acc = 0.0;
    for _ in 0..n {
        let e = Superovoid::new(
            [1.0; 3],
            [0.3 + 0.8 * r.f64(), 0.3 + 0.8 * r.f64()],
            [0.8 * (r.f64() - 0.5), 0.8 * (r.f64() - 0.5)],
        )
        .unwrap();
        let c =
            Superovoid::new([1.0; 3], [0.3 + 0.8 * r.f64(), 0.3 + 0.8 * r.f64()], [0.4 * (r.f64() - 0.5); 2]).unwrap();
        let d = superegg::DVec3::new(r.f64() - 0.5, r.f64() - 0.5, r.f64() - 0.5);
        acc += match which.as_str() {
            "sphere" => e.bounding_sphere().radius,
            "mass" => e.mass_properties().volume,
            "support" => e.support(d).x,
            "csupport" => c.support(d).x,
            "new" => 0.0,
            _ => 0.0,
        };
    }
    println!("{acc}");
}
