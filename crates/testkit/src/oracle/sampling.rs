//! Reference answers by dense sampling and local refinement: slow, simple, and blind to convexity where it has to be.
//!
//! [`over_normals`] samples `L(n)` on a Fibonacci lattice of normals, adds the axes of both bodies and their cross
//! products, and climbs from the best ones that are not neighbours. It answers convex pairs apart and in overlap, where
//! there may be several local maxima.
//! [`over_surfaces`] samples points of both surfaces, takes the closest pairs that are not neighbours, and descends from
//! each by a damped Newton method on the squared distance with differences for derivatives, in two charts of the
//! surface in turn, then by a search along random directions. It answers separated pairs whether convex or not.
//!
//! Errors: `over_normals` never exceeds the true distance, `over_surfaces` never falls below it (both up to rounding),
//! because each evaluates a bound. Both miss a global optimum only when its basin is narrower than the sampling, 0.02
//! radians or 0.05 of the radii. On 300 pairs each of the kinds tested below, `over_normals` fell short of
//! [`super::certified`] by at most 2e-12 of the size and of known distances by 1.3e-9, and `over_surfaces` exceeded them
//! by at most 1.6e-6 (where a ridge with an exponent near 1.8 is the closest part).

use glam::{DMat4, DVec2, DVec3, DVec4};
use rand::RngExt;
use superegg::Pose;
use superegg::shape::Shape;

use super::support::Separation;
use super::surface;
use crate::Pair;
use crate::generate::{Rng, seeded};

/// A distance found by sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// Signed distance.
    pub distance: f64,
    /// Unit normal from a to b (zero where the surfaces meet).
    pub normal: DVec3,
}

/// `count` points spread evenly over the unit sphere.
pub fn lattice(count: usize) -> impl Iterator<Item = DVec3> {
    let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |index| {
        let z = 1.0 - (2.0 * index as f64 + 1.0) / count as f64;
        let (sin, cos) = (golden_angle * index as f64).sin_cos();
        let ring = (1.0 - z * z).sqrt();
        DVec3::new(ring * cos, ring * sin, z)
    })
}

/// Rounds of a climb: forty halvings of the step, and room to walk. Noise in the last digit could keep it going for ever.
const CLIMB_ROUNDS: usize = 150;

/// Climbs `L` from a normal by gradient sampling (Burke, Lewis and Overton 2005): the gradients at a star of six
/// neighbours and at the centre tell smooth slopes from creases, where only the shortest mean of the gradients of both
/// sides leads upwards. The star turns every round, grows on success and shrinks on failure.
pub fn climb(separation: &Separation, start: DVec3, reach: f64) -> (DVec3, f64) {
    climb_until(separation, start, reach, CLIMB_ROUNDS, 0.0)
}

/// The same, until what can still be gained within the star is below `least_gain`: `L` is concave, so that it rises by no more than
/// its slope at the centre times the way. Near a smooth top that is so at a much larger star than the one that rounding ends at.
pub fn climb_for(separation: &Separation, start: DVec3, reach: f64, least_gain: f64) -> (DVec3, f64) {
    climb_until(separation, start, reach, CLIMB_ROUNDS, least_gain)
}

fn climb_until(separation: &Separation, start: DVec3, reach: f64, rounds: usize, least_gain: f64) -> (DVec3, f64) {
    let at = |normal: DVec3| {
        let gap = separation.along(normal);
        (normal, gap.value, gap.point_b - gap.point_a)
    };
    let mut best = at(start);
    let (mut step, mut angle) = (reach, 0.0f64);
    for _ in 0..rounds {
        if step < 1e-13 {
            break;
        }
        let (u, v) = best.0.any_orthonormal_pair();
        let neighbour = |across: DVec2| at((best.0 + u * across.x + v * across.y).normalize());
        let star: [_; 6] = std::array::from_fn(|point| {
            neighbour(DVec2::from_angle(angle + std::f64::consts::FRAC_PI_3 * point as f64) * step)
        });
        let across = |slope: DVec3| DVec2::new(slope.dot(u), slope.dot(v));
        let slopes: [DVec2; 7] = std::array::from_fn(|i| across(if i == 6 { best.2 } else { star[i].2 }));
        let upwards = shortest_mean(&slopes).normalize_or_zero();
        let along_slope = [1.0, 0.3, 0.1, 0.03].map(|part| neighbour(upwards * step * part));
        let improved = star.into_iter().chain(along_slope).max_by(|p, q| p.1.total_cmp(&q.1)).expect("ten candidates");
        if improved.1 > best.1 {
            best = improved;
            step *= 1.3;
        } else {
            if slopes[6].length() * step < least_gain {
                break;
            }
            step *= 0.5;
        }
        angle += 0.4;
    }
    (best.0, best.1)
}

/// The shortest vector on any of the lines between two of the given vectors: the shortest of their convex hull unless
/// that holds the origin.
fn shortest_mean(vectors: &[DVec2]) -> DVec2 {
    let mut shortest = vectors[0];
    for (index, &p) in vectors.iter().enumerate() {
        for &q in &vectors[..=index] {
            let edge = q - p;
            let share = if edge == DVec2::ZERO { 0.0 } else { (-p.dot(edge) / edge.length_squared()).clamp(0.0, 1.0) };
            let mean = p + edge * share;
            if mean.length_squared() < shortest.length_squared() {
                shortest = mean;
            }
        }
    }
    shortest
}

/// Number of sampled normals; they are about 0.025 radians apart.
pub const NORMALS: usize = 20_000;
/// Number of samples that are refined.
pub const REFINED: usize = 50;
/// Number of refined samples that are polished to the end.
const POLISHED: usize = 6;

/// The signed distance of a convex pair without half-spaces.
pub fn over_normals(pair: &Pair) -> Sampled {
    let separation = Separation::new(pair);
    let mut samples: Vec<(f64, DVec3)> = lattice(NORMALS)
        .chain(separation.special_directions())
        .map(|normal| (separation.along(normal).value, normal))
        .collect();
    samples.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut starts: Vec<DVec3> = Vec::with_capacity(REFINED);
    for (_, normal) in samples {
        if starts.len() == REFINED {
            break;
        }
        if starts.iter().all(|other| other.distance_squared(normal) > 0.06f64.powi(2)) {
            starts.push(normal);
        }
    }
    let mut ends: Vec<_> = starts.into_iter().map(|start| climb_until(&separation, start, 0.02, 12, 0.0)).collect();
    ends.sort_by(|p, q| q.1.total_cmp(&p.1));
    let climbs = ends.into_iter().take(POLISHED).map(|(normal, _)| climb(&separation, normal, 1e-3));
    let (normal, distance) = climbs.max_by(|p, q| p.1.total_cmp(&q.1)).expect("there are starts");
    Sampled { distance, normal }
}

/// A shape whose points can be walked over: curved bodies by a direction, hulls by barycentric coordinates.
#[derive(Clone, Copy)]
struct Walk<'a> {
    shape: &'a Shape,
    pose: &'a Pose,
}

impl Walk<'_> {
    fn sites(&self) -> Vec<DVec3> {
        const ROWS: usize = 40;
        let grid = (0..=ROWS).map(|row| row as f64 / ROWS as f64);
        match self.shape {
            Shape::Point(_) => vec![DVec3::ZERO],
            Shape::Segment(_) => grid.map(|u| DVec3::new(u, 0.0, 0.0)).collect(),
            Shape::Triangle(_) => {
                let columns = grid.clone();
                grid.flat_map(|u| columns.clone().map(move |v| DVec3::new(u, v, 0.0)))
                    .filter(|site| site.x + site.y <= 1.0 + 1e-12)
                    .collect()
            }
            Shape::Superellipsoid(_) | Shape::Superovoid(_) => lattice(2_500).collect(),
            Shape::Plane(_) | Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => {
                panic!("a {} is not walked on", self.shape.name())
            }
        }
    }

    fn moved(&self, site: DVec3, step: DVec2, chart: Chart) -> DVec3 {
        match self.shape {
            Shape::Superellipsoid(_) | Shape::Superovoid(_) => {
                let exponents = surface::exponents(self.shape);
                let site = chart.enter(site, exponents);
                let (u, v) = site.any_orthonormal_pair();
                chart.leave((site + u * step.x + v * step.y).normalize(), exponents)
            }
            Shape::Point(_) => site,
            Shape::Segment(_) => DVec3::new((site.x + step.x).clamp(0.0, 1.0), 0.0, 0.0),
            _ => {
                let (u, v) = ((site.x + step.x).max(0.0), (site.y + step.y).max(0.0));
                let sum = (u + v).max(1.0);
                DVec3::new(u / sum, v / sum, 0.0)
            }
        }
    }

    fn point(&self, site: DVec3) -> DVec3 {
        let local = match self.shape {
            Shape::Point(point) => point.points()[0],
            Shape::Segment(segment) => segment.points()[0].lerp(segment.points()[1], site.x),
            Shape::Triangle(triangle) => {
                let [a, b, c] = *triangle.points();
                a + (b - a) * site.x + (c - a) * site.y
            }
            curved => surface::point_towards(curved, site),
        };
        self.pose.transform_point(local)
    }
}

/// What a step over a curved body changes evenly: the direction of the position, in which flat faces are smooth, or at
/// every level with an exponent above one the direction of the normal, in which ridges and tips are smooth.
#[derive(Clone, Copy)]
enum Chart {
    Position,
    Normal,
}

impl Chart {
    /// Powers that turn ratios of positions into ratios of the chart, inner and outer level.
    fn powers(self, exponents: [f64; 2]) -> [f64; 2] {
        exponents.map(|e| match self {
            Chart::Normal if e > 1.0 => (2.0 - e) / e,
            _ => 1.0,
        })
    }

    fn enter(self, position: DVec3, exponents: [f64; 2]) -> DVec3 {
        let [inner, outer] = self.powers(exponents);
        if inner == 1.0 && outer == 1.0 {
            return position;
        }
        let radius = norm(position.x, position.y, 2.0 / exponents[0]);
        let ring = DVec2::new(power(position.x, inner), power(position.y, inner)).normalize_or(DVec2::X);
        let [r, z] = [power(radius, outer), power(position.z, outer)];
        DVec3::new(ring.x * r, ring.y * r, z).normalize()
    }

    fn leave(self, site: DVec3, exponents: [f64; 2]) -> DVec3 {
        let [inner, outer] = self.powers(exponents);
        if inner == 1.0 && outer == 1.0 {
            return site;
        }
        let [r, z] = [power(site.x.hypot(site.y), 1.0 / outer), power(site.z, 1.0 / outer)];
        let ring = DVec2::new(site.x, site.y).normalize_or(DVec2::X);
        let ring = DVec2::new(power(ring.x, 1.0 / inner), power(ring.y, 1.0 / inner));
        let ring = ring / norm(ring.x, ring.y, 2.0 / exponents[0]);
        DVec3::new(ring.x * r, ring.y * r, z).normalize()
    }
}

fn power(x: f64, exponent: f64) -> f64 {
    x.abs().powf(exponent).copysign(x)
}

fn norm(u: f64, v: f64, p: f64) -> f64 {
    let large = u.abs().max(v.abs());
    if large == 0.0 { 0.0 } else { large * ((u / large).abs().powf(p) + (v / large).abs().powf(p)).powf(1.0 / p) }
}

/// The walkers of both bodies and their current sites.
#[derive(Clone, Copy)]
struct Walkers<'a> {
    walks: [Walk<'a>; 2],
    sites: [DVec3; 2],
}

impl Walkers<'_> {
    fn moved(&self, step: DVec4, chart: Chart) -> Self {
        let sites = [
            self.walks[0].moved(self.sites[0], DVec2::new(step.x, step.y), chart),
            self.walks[1].moved(self.sites[1], DVec2::new(step.z, step.w), chart),
        ];
        Walkers { sites, ..*self }
    }
}

/// Descends from `start` to a local minimum of `cost`.
fn descend<'a>(start: Walkers<'a>, cost: &impl Fn(&Walkers<'a>) -> f64) -> (f64, Walkers<'a>) {
    let mut best = (cost(&start), start);
    // Every move to the other chart may open a way that the last one did not see.
    for _ in 0..3 {
        let before = best.0;
        newton(&mut best, cost, Chart::Position);
        newton(&mut best, cost, Chart::Normal);
        if best.0 >= before * (1.0 - 1e-10) {
            break;
        }
    }
    best
}

/// Damped Newton steps with derivatives from differences.
fn newton<'a>(best: &mut (f64, Walkers<'a>), cost: &impl Fn(&Walkers<'a>) -> f64, chart: Chart) {
    const DIFFERENCE: f64 = 1e-4;
    let mut damping = 1e-6;
    for _ in 0..30 {
        let before = best.0;
        let at = |step: DVec4| cost(&best.1.moved(step * DIFFERENCE, chart));
        let axis = |i: usize| DVec4::AXES[i];
        let pairs: [[f64; 2]; 4] = std::array::from_fn(|i| [at(axis(i)), at(-axis(i))]);
        let gradient = DVec4::from_array(pairs.map(|[forward, back]| (forward - back) / (2.0 * DIFFERENCE)));
        let second = |i: usize, j: usize| {
            let (p, q) = (axis(i), axis(j));
            let sum = match i == j {
                true => pairs[i][0] + pairs[i][1] - 2.0 * best.0,
                false => 0.25 * (at(p + q) + at(-p - q) - at(p - q) - at(q - p)),
            };
            sum / (DIFFERENCE * DIFFERENCE)
        };
        let lower: [[f64; 4]; 4] =
            std::array::from_fn(|i| std::array::from_fn(|j| if j <= i { second(i, j) } else { 0.0 }));
        let hessian: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| lower[i.max(j)][i.min(j)]));
        let scale = hessian.iter().flatten().fold(f64::MIN_POSITIVE, |scale, entry| scale.max(entry.abs()));
        while damping < 1e6 {
            let mut damped = hessian;
            (0..4).for_each(|i| damped[i][i] += damping * scale);
            let step = -(DMat4::from_cols_array_2d(&damped).inverse() * gradient);
            if step.is_finite() && step.length() < 0.5 {
                let moved = best.1.moved(step, chart);
                let value = cost(&moved);
                if value < best.0 {
                    *best = (value, moved);
                    damping = (damping * 0.1).max(1e-12);
                    break;
                }
            }
            damping *= 10.0;
        }
        if best.0 >= before * (1.0 - 1e-12) {
            return;
        }
    }
}

/// A search along random directions, for what Newton leaves where neither chart is smooth.
fn wander<'a>(best: &mut (f64, Walkers<'a>), cost: &impl Fn(&Walkers<'a>) -> f64, rng: &mut Rng) {
    let mut step = 1e-3;
    for round in 0..CLIMB_ROUNDS {
        if step < 1e-11 {
            break;
        }
        let chart = if round % 2 == 0 { Chart::Position } else { Chart::Normal };
        let mut improved = false;
        for _ in 0..8 {
            let direction = DVec4::from_array(std::array::from_fn(|_| rng.random_range(-1.0..=1.0))) * step;
            for direction in [direction, -direction] {
                let moved = best.1.moved(direction, chart);
                let value = cost(&moved);
                if value < best.0 {
                    *best = (value, moved);
                    improved = true;
                }
            }
        }
        step *= if improved { 1.2 } else { 0.6 };
    }
}

/// How many of the closest sampled pairs [`over_surfaces`] refines.
const DESCENTS: usize = 8;
/// How many of the descents are polished further.
const WANDERS: usize = 2;

/// The distance of the true surfaces of a pair without half-spaces, convex or not. Zero, up to the refinement, where
/// they meet.
pub fn over_surfaces(pair: &Pair) -> Sampled {
    let walks = [Walk { shape: &pair.a, pose: &pair.pose_a }, Walk { shape: &pair.b, pose: &pair.pose_b }];
    let sites = walks.map(|walk| walk.sites());
    let points = [0, 1].map(|side| sites[side].iter().map(|&site| walks[side].point(site)).collect::<Vec<_>>());
    let mut closest: Vec<(f64, DVec3, DVec3)> = (points[0].iter().zip(&sites[0]))
        .map(|(a, &site_a)| {
            let nearest = (points[1].iter().zip(&sites[1]))
                .map(|(b, &site_b)| (a.distance_squared(*b), site_b))
                .min_by(|p, q| p.0.total_cmp(&q.0))
                .expect("every shape has points");
            (nearest.0, site_a, nearest.1)
        })
        .collect();
    closest.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut starts: Vec<[DVec3; 2]> = Vec::with_capacity(DESCENTS);
    for (_, a, b) in closest {
        if starts.len() == DESCENTS {
            break;
        }
        if starts.iter().all(|other| other[0].distance(a) > 0.12 || other[1].distance(b) > 0.12) {
            starts.push([a, b]);
        }
    }
    let difference =
        |walkers: &Walkers| walkers.walks[1].point(walkers.sites[1]) - walkers.walks[0].point(walkers.sites[0]);
    let cost = |walkers: &Walkers| difference(walkers).length_squared();
    let mut ends: Vec<_> = starts.into_iter().map(|sites| descend(Walkers { walks, sites }, &cost)).collect();
    ends.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut rng = seeded(0);
    for end in ends.iter_mut().take(WANDERS) {
        wander(end, &cost, &mut rng);
        newton(end, &cost, Chart::Normal);
    }
    let best = ends.into_iter().take(WANDERS).min_by(|p, q| p.0.total_cmp(&q.0)).expect("there are starts");
    let w = difference(&best.1);
    Sampled { distance: w.length(), normal: w.normalize_or_zero() }
}

/// Whether two curved bodies, convex or not, have a point in common. Wrong only where they touch or miss each other by
/// less than about 1e-9 of the size, or where a body that is not convex enters the other by a part narrower than the
/// sampling.
pub fn overlap(pair: &Pair) -> bool {
    let swapped = pair.swapped();
    let entries = [Entry::new(pair), Entry::new(&swapped)];
    if entries.iter().any(|entry| entry.sites[0].0 <= 1.0) {
        return true;
    }
    let separation = Separation::new(pair);
    let from_centres = separation.centre_b().normalize_or(DVec3::X);
    if climb_until(&separation, from_centres, 0.3, CLIMB_ROUNDS, 0.0).1 > 0.0 {
        return false;
    }
    entries.iter().any(Entry::descends_below_the_surface)
}

/// The surface of a, judged by the inside–outside function of b.
struct Entry<'a> {
    pair: &'a Pair,
    /// Sampled sites of a and the function there, the deepest first.
    sites: Vec<(f64, DVec3)>,
}

impl<'a> Entry<'a> {
    fn new(pair: &'a Pair) -> Entry<'a> {
        let mut entry = Entry { pair, sites: Vec::new() };
        entry.sites = entry.walk().sites().into_iter().map(|site| (entry.depth(site), site)).collect();
        entry.sites.sort_by(|p, q| p.0.total_cmp(&q.0));
        entry
    }

    fn walk(&self) -> Walk<'a> {
        Walk { shape: &self.pair.a, pose: &self.pair.pose_a }
    }

    fn depth(&self, site: DVec3) -> f64 {
        let world = self.walk().point(site);
        surface::inside_outside(&self.pair.b, self.pair.pose_b.inverse_transform_point(world))
    }

    fn descends_below_the_surface(&self) -> bool {
        let walks = [self.walk(); 2];
        let cost = |walkers: &Walkers| self.depth(walkers.sites[0]);
        let mut starts = self.sites.iter().take(8).map(|&(_, site)| Walkers { walks, sites: [site, DVec3::X] });
        starts.any(|start| descend(start, &cost).0 <= 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::certified;
    use super::*;
    use crate::generate::random::{Arrangement, Spacing, superellipsoids};
    use crate::generate::{self, Domain, known};

    #[test]
    fn both_samplings_find_known_distances() {
        let mut rng = generate::seeded(31);
        let domain = Domain { exponents: 0.2..=1.8, ..Domain::MODERATE };
        let mut worst = [0.0f64; 2];
        for index in 0..12 {
            let known = known::apart(&mut rng, &domain, true);
            let size = known.pair.size();
            if known.distance > 10.0 * size {
                continue;
            }
            let (normals, surfaces) = (over_normals(&known.pair), over_surfaces(&known.pair));
            let errors = [known.distance - normals.distance, surfaces.distance - known.distance].map(|e| e / size);
            assert!(errors.iter().all(|&error| error > -1e-13), "{index}: a bound is violated: {errors:?} {known:?}");
            worst = std::array::from_fn(|side| worst[side].max(errors[side]));
            assert!(errors.iter().all(|&error| error < 1e-5), "{index}: {errors:?} {known:?}");
        }
        println!("worst shortfall of over_normals {:e}, excess of over_surfaces {:e}", worst[0], worst[1]);
    }

    #[test]
    fn depths_agree_with_branch_and_bound() {
        let mut rng = generate::seeded(32);
        let mut worst = 0.0f64;
        for index in 0..30 {
            let spacing = if index % 2 == 0 { Spacing::Shallow } else { Spacing::Deep };
            let pair = superellipsoids(&mut rng, &Domain::MODERATE, Arrangement::Random, spacing);
            let size = pair.size();
            let sampled = over_normals(&pair).distance;
            let proved = certified::signed_distance(&pair, 1e-6 * size, 40_000);
            assert!(sampled <= proved.upper, "{index}: {sampled} {proved:?}");
            worst = worst.max((proved.lower - sampled) / size);
            assert!(sampled >= proved.lower - 1e-6 * size, "{index}: {sampled} {proved:?} {}", pair.to_rust());
        }
        println!("worst shortfall of sampling against branch and bound {worst:e}");
    }
}
