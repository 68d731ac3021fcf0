//! The constructor's convexity against the definition: a midpoint of two points of the solid that lies outside it.
//!
//! The brute force searches pairs of boundary points of two sections with a common planar normal, first on a grid and
//! then by a pattern search. It can only miss violations, never invent them: whatever it calls non-convex is so to
//! 1e-12, far above the rounding of its gauge. How shallow a violation it finds shows in how near to the border, on
//! the non-convex side, the two still agree.

use superegg::shape::Superovoid;

#[derive(Clone, Copy, Debug)]
struct Parameters {
    exponents: [f64; 2],
    taper: [f64; 2],
}

impl Parameters {
    fn classified_convex(&self) -> bool {
        Superovoid::new([1.0, 1.0, 1.0], self.exponents, self.taper).unwrap().is_convex()
    }

    fn with_taper_scaled(&self, factor: f64) -> Parameters {
        Parameters { taper: self.taper.map(|t| t * factor), ..*self }
    }

    fn radius(&self, s: f64) -> f64 {
        let e2 = self.exponents[1];
        (1.0 - s.abs().powf(2.0 / e2)).max(0.0).powf(0.5 * e2)
    }

    /// Boundary point of the section at height s whose planar normal is that of `weight` at height `middle`: there the
    /// point is `(weight^(e1/2), (1-weight)^(e1/2))` before scaling.
    fn boundary(&self, s: f64, middle: f64, weight: f64) -> [f64; 2] {
        let e1 = self.exponents[0];
        let q = 2.0 / (2.0 - e1);
        let stretch = self.taper.map(|t| 1.0 + t * s);
        let relative = self.taper.map(|t| ((1.0 + t * s) / (1.0 + t * middle)).powf(q));
        let terms = [relative[0] * weight, relative[1] * (1.0 - weight)];
        let radius = self.radius(s);
        [0, 1].map(|axis| radius * stretch[axis] * (terms[axis] / (terms[0] + terms[1])).powf(0.5 * e1))
    }

    /// The gauge, minus one, of the midpoint of two boundary points at heights s ± h.
    fn midpoint_excess(&self, [s, h, weight]: [f64; 3]) -> f64 {
        if h <= 0.0 || s.abs() + h > 1.0 || !(0.0..=1.0).contains(&weight) {
            return f64::NEG_INFINITY;
        }
        let ([x0, y0], [x1, y1]) = (self.boundary(s - h, s, weight), self.boundary(s + h, s, weight));
        let (x, y) = (0.5 * (x0 + x1) / (1.0 + self.taper[0] * s), 0.5 * (y0 + y1) / (1.0 + self.taper[1] * s));
        let p = 2.0 / self.exponents[0];
        let large = x.max(y);
        large * ((x / large).powf(p) + (y / large).powf(p)).powf(1.0 / p) / self.radius(s) - 1.0
    }

    /// The largest excess found. The search goes for the excess per squared width, which a violation makes positive
    /// however narrow it is, from the best direction at every height that is better than its neighbours; then it
    /// varies the width.
    fn brute_force(&self) -> f64 {
        let bend = |at: [f64; 3]| self.midpoint_excess(at) / (at[1] * at[1]);
        let heights: Vec<(f64, [f64; 3])> = (-60..=60)
            .map(|height: i32| {
                // Finer towards the equator, where exponents below one bend inwards.
                let s = (f64::from(height) / 61.0).powi(2).copysign(f64::from(height));
                (0..=20)
                    .map(|weight| [s, 0.001, f64::from(weight) / 20.0])
                    .map(|at| (bend(at), at))
                    .max_by(|a, b| a.0.total_cmp(&b.0))
                    .unwrap()
            })
            .collect();
        let mut largest = f64::NEG_INFINITY;
        for neighbours in heights.windows(3) {
            let (mut value, mut at) = neighbours[1];
            if value < neighbours[0].0.max(neighbours[2].0) {
                continue;
            }
            let mut step = [0.02, 0.05];
            for _ in 0..40 {
                let before = value;
                for (axis, index) in [(0, 0), (1, 2)] {
                    for sign in [-1.0, 1.0] {
                        let mut trial = at;
                        trial[index] += sign * step[axis];
                        let trial_value = bend(trial);
                        if trial_value > value {
                            (value, at) = (trial_value, trial);
                        }
                    }
                }
                if value == before {
                    step = step.map(|size| 0.6 * size);
                }
            }
            for widening in -30..30 {
                largest = largest.max(self.midpoint_excess([at[0], at[1] * 1.2f64.powi(widening), at[2]]));
            }
        }
        largest
    }
}

/// The factor that brings the tapers to the classifier's own border, if there is one below 0.999.
fn border(parameters: &Parameters) -> Option<f64> {
    let (mut low, mut high) = (0.0, 0.999 / parameters.taper[0].abs().max(parameters.taper[1].abs()));
    if parameters.with_taper_scaled(high).classified_convex() {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if parameters.with_taper_scaled(middle).classified_convex() {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[test]
fn equal_tapers_agree_with_midpoints_on_both_sides_of_the_border() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..60 {
        let taper = if random.bool() { 1.0 } else { -1.0 };
        let parameters =
            Parameters { exponents: [0.05 + 1.9 * random.f64(), 0.2 + 1.75 * random.f64()], taper: [taper, taper] };
        let border = border(&parameters).unwrap();
        let inside = parameters.with_taper_scaled(border * (1.0 - 1e-4)).brute_force();
        let outside = parameters.with_taper_scaled(border * (1.0 + 1e-4)).brute_force();
        assert!(inside < 1e-13, "{parameters:?} {border} {inside}");
        assert!(outside > 1e-12, "{parameters:?} {border} {outside}");
    }
}

#[test]
fn unequal_tapers_agree_with_midpoints_on_both_sides_of_the_border() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut decided_by_interior = 0;
    for index in 0..120 {
        let e2 = if index % 4 == 0 { 1.0 } else { 1.0 + 0.95 * random.f64() * random.f64() };
        let parameters = Parameters {
            exponents: [0.05 + 1.9 * random.f64(), e2],
            taper: [2.0 * random.f64() - 1.0, 2.0 * random.f64() - 1.0],
        };
        let Some(border) = border(&parameters) else { continue };
        let largest = border * parameters.taper[0].abs().max(parameters.taper[1].abs());
        decided_by_interior += usize::from(largest < 0.999 * (0.5 * e2).exp2() * (1.0 - 0.5 * e2));
        let inside = parameters.with_taper_scaled(border * (1.0 - 1e-4)).brute_force();
        let outside = parameters.with_taper_scaled(border * (1.0 + 1e-3)).brute_force();
        assert!(inside < 1e-13, "{parameters:?} {border} {inside}");
        assert!(outside > 1e-12, "{parameters:?} {border} {outside}");
    }
    assert!(decided_by_interior > 20, "{decided_by_interior}");
}

#[test]
fn unequal_tapers_below_exponent_one_are_never_convex() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..60 {
        let tx = 1.2 * random.f64() - 0.6;
        let sign = if random.bool() { 1.0 } else { -1.0 };
        let parameters = Parameters {
            exponents: [0.5 + 1.4 * random.f64(), 0.4 + 0.35 * random.f64()],
            taper: [tx, tx + sign * (0.2 + 0.2 * random.f64())],
        };
        assert!(!parameters.classified_convex());
        let excess = parameters.brute_force();
        assert!(excess > 1e-12, "{parameters:?} {excess}");
    }
}

#[test]
fn random_parameters_never_contradict_midpoints() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut convex = 0;
    for _ in 0..150 {
        let parameters = Parameters {
            exponents: [0.05 + 1.9 * random.f64(), 0.05 + 1.9 * random.f64()],
            taper: [1.9 * random.f64() - 0.95, 1.9 * random.f64() - 0.95],
        };
        if parameters.classified_convex() {
            convex += 1;
            let excess = parameters.brute_force();
            assert!(excess < 1e-13, "{parameters:?} {excess}");
        }
    }
    assert!(convex > 5, "{convex}");
}

#[test]
fn limits_measured_before() {
    for (e2, limit) in [(1.0, 0.707), (1.4, 0.487), (1.6, 0.348), (1.8, 0.187)] {
        let convex = |t: f64| Superovoid::new([1.0, 2.0, 0.1], [0.7, e2], [t, t]).unwrap().is_convex();
        assert!(convex(limit - 1e-3) && convex(1e-3 - limit), "{e2}");
        assert!(!convex(limit + 1e-3) && !convex(-limit - 1e-3), "{e2}");
    }
    assert!(Superovoid::new([1.0; 3], [0.7, 1.0], [0.0, 0.0]).unwrap().is_convex());
    assert!(Superovoid::new([1.0; 3], [1e-300, 1.99], [0.0, 0.0]).unwrap().is_convex());
}
