//! Residuals of points to a superovoid and their normal equations, eight points at a time.
//!
//! The residual is Taubin's (1991) first-order distance applied to the gauge `g`: `r = (g - 1)/|grad g|`, without taper
//! exactly the distance to the tangent plane at the radial foot point. Everything is computed from logarithms: both
//! nested norms are `max + (e/2) log2(1 + 2^-|d|)`, and the derivatives by the exponents are half the entropies of the
//! norms' shares, which are bounded and have no singularity. In the Jacobian `|grad g|` is frozen.

use crate::lanes::{Lane, Portable, WIDTH, exp2, log2};
use crate::model::{Model, UNKNOWNS};

/// Eight points with weights; what is missing has weight zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<S> {
    pub x: [S; WIDTH],
    pub y: [S; WIDTH],
    pub z: [S; WIDTH],
    pub weight: [S; WIDTH],
}

/// Columns of a row: the unknowns, and the residual last.
pub(crate) const COLUMNS: usize = UNKNOWNS + 1;
/// Columns as stored: whole tiles.
const STORED: usize = 16;
/// Blocks whose rows are held in the first-level cache before they are multiplied.
const HELD: usize = 8;
/// Blocks that are summed in the lane's own precision.
const SUMMED: usize = 512;

/// What a row is multiplied with, and what it costs.
pub(crate) struct Row<L> {
    /// Factor of the derivatives of `ln g`.
    pub scale: L,
    pub residual: L,
    pub weight: L,
    pub cost: L,
}

/// Which residual of the gauge is minimised, and with which loss.
pub(crate) trait Measure {
    /// `slope` is `1/|grad g|`.
    fn row<L: Lane>(&self, gauge: L, log2_gauge: L, slope: L) -> Row<L>;
}

/// Least distances under the loss of Geman and McClure, `r²/(1 + r²/s²)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Robust {
    /// `1/s²`.
    pub inverse_scale_sq: f64,
}

impl Robust {
    pub fn new(scale: f64) -> Robust {
        Robust { inverse_scale_sq: 1.0 / (scale * scale) }
    }
}

impl Measure for Robust {
    #[inline(always)]
    fn row<L: Lane>(&self, gauge: L, _: L, slope: L) -> Row<L> {
        let one = L::splat(1.0);
        let residual = (gauge - one) * slope;
        let square = residual * residual;
        let share = one / square.mul_add(L::splat(self.inverse_scale_sq), one);
        Row { scale: slope * gauge, residual, weight: share * share, cost: square * share }
    }
}

/// The logarithm of the gauge itself, each point for itself.
struct LogGauge;

impl Measure for LogGauge {
    #[inline(always)]
    fn row<L: Lane>(&self, _: L, log2_gauge: L, _: L) -> Row<L> {
        let one = L::splat(1.0);
        Row { scale: one, residual: log2_gauge * L::splat(std::f64::consts::LN_2), weight: one, cost: one }
    }
}

/// Sums over points.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// Weighted products of columns: `products[i][j]` for `i <= j`.
    pub products: [[f64; STORED]; STORED],
    pub cost: f64,
    pub weight: f64,
}

/// First row and column of each tile of two rows and four columns: what covers the upper triangle.
const TILES: [(usize, usize); 16] = [
    (0, 0),
    (0, 4),
    (0, 8),
    (0, 12),
    (2, 2),
    (2, 6),
    (2, 10),
    (4, 4),
    (4, 8),
    (4, 12),
    (6, 6),
    (6, 10),
    (8, 8),
    (8, 12),
    (10, 10),
    (12, 12),
];

/// A model's numbers as the rows need them.
struct Constants {
    rotation: [[f64; 3]; 3],
    center: [f64; 3],
    log2_radii: [f64; 3],
    inverse_height: f64,
    /// `2/e`.
    powers: [f64; 2],
    half_exponents: [f64; 2],
    taper: f64,
    by_u: [f64; 2],
    by_tau: f64,
    by_e2: f64,
}

impl Constants {
    fn new(model: &Model) -> Constants {
        let exponents = model.exponents();
        let (by_u, by_tau, by_e2) = model.chain();
        Constants {
            rotation: model.rotation.to_cols_array_2d(),
            center: model.center.to_array(),
            log2_radii: model.log_radii.to_array().map(|l| l * std::f64::consts::LOG2_E),
            inverse_height: 1.0 / model.radii().z,
            powers: exponents.map(|e| 2.0 / e),
            half_exponents: exponents.map(|e| 0.5 * e),
            taper: model.taper(),
            by_u,
            by_tau,
            by_e2,
        }
    }
}

/// A planar norm from the logarithms of its two coordinates.
struct Norm<L> {
    log2: L,
    /// Shares of both coordinates; they add up to one.
    first: L,
    second: L,
    /// Half the entropy of the shares in nats: the derivative of the norm's logarithm by its exponent.
    half_entropy: L,
}

#[inline(always)]
fn norm<L: Lane>(first: L, second: L, power: f64, half_exponent: f64) -> Norm<L> {
    let one = L::splat(1.0);
    let difference = (first - second) * L::splat(power);
    let size = difference.abs().min(L::splat(100.0));
    let ratio = exp2(L::splat(0.0) - size);
    let growth = log2(one + ratio);
    let large = one / (one + ratio);
    let small = ratio * large;
    let half_ln2 = L::splat(0.5 * std::f64::consts::LN_2);
    Norm {
        log2: growth.mul_add(L::splat(half_exponent), first.max(second)),
        first: difference.if_not_negative(large, small),
        second: difference.if_not_negative(small, large),
        half_entropy: small.mul_add(size, growth) * half_ln2,
    }
}

/// Coordinates nearer to a plane of symmetry than this, in units of the cloud, are taken to be this far away.
const NEAREST: f64 = 1e-9;
/// Height, in radii, from which on the taper no longer changes.
const HIGHEST: f64 = 2.0;
/// What a section shrinks to at most by a taper, far beyond the narrow pole.
const NARROWEST: f64 = 0.05;

/// A coordinate along a unit vector, never zero. Nothing here is a closure: those are not inlined with the caller's CPU
/// features.
#[inline(always)]
fn coordinate<L: Lane>(from_center: [L; 3], axis: [f64; 3]) -> L {
    let sum = from_center[2] * L::splat(axis[2]);
    let sum = from_center[1].mul_add(L::splat(axis[1]), sum);
    let value = from_center[0].mul_add(L::splat(axis[0]), sum);
    value.abs().max(L::splat(NEAREST)).copysign(value)
}

/// Points in the body's frame, and the norms of their coordinates.
struct Placed<L> {
    x: L,
    y: L,
    z: L,
    height: L,
    /// One where the taper changes with the height, zero beyond.
    varies: L,
    narrowing: L,
    inner: Norm<L>,
    outer: Norm<L>,
}

#[inline(always)]
fn placed<L: Lane>(block: &Block<L::Scalar>, c: &Constants) -> Placed<L> {
    macro_rules! s {
        ($value:expr) => {
            L::splat($value)
        };
    }
    let from_center =
        [L::load(&block.x) - s!(c.center[0]), L::load(&block.y) - s!(c.center[1]), L::load(&block.z) - s!(c.center[2])];
    let x = coordinate(from_center, c.rotation[0]);
    let y = coordinate(from_center, c.rotation[1]);
    let z = coordinate(from_center, c.rotation[2]);
    // Beyond twice the height the taper stays what it is there, or far points would lie near the cone that it makes.
    let full_height = z * s!(c.inverse_height);
    let varies = (s!(HIGHEST) - full_height.abs()).if_not_negative(s!(1.0), s!(0.0));
    let height = full_height.min(s!(HIGHEST)).max(s!(-HIGHEST));
    let widening = height.mul_add(s!(c.taper), s!(1.0)).max(s!(NARROWEST));
    let narrowing = s!(1.0) / widening;
    let inner = norm(
        log2(x.abs() * narrowing) - s!(c.log2_radii[0]),
        log2(y.abs() * narrowing) - s!(c.log2_radii[1]),
        c.powers[0],
        c.half_exponents[0],
    );
    let outer = norm(inner.log2, log2(z.abs()) - s!(c.log2_radii[2]), c.powers[1], c.half_exponents[1]);
    Placed { x, y, z, height, varies, narrowing, inner, outer }
}

/// The rows of a block: derivatives by the unknowns and the residual, all times the root of the weight.
#[inline(always)]
fn rows<L: Lane, M: Measure>(block: &Block<L::Scalar>, c: &Constants, measure: &M) -> ([L; COLUMNS], L, L) {
    macro_rules! s {
        ($value:expr) => {
            L::splat($value)
        };
    }
    let Placed { x, y, z, height, varies, narrowing, inner, outer } = placed::<L>(block, c);
    let (wr, wz) = (outer.first, outer.second);
    let (wx, wy) = (wr * inner.first, wr * inner.second);
    let gauge = exp2(outer.log2);
    // The taper's share of the derivatives by height, and by the taper itself.
    let sideways = wr * narrowing;
    let nx = wx / x;
    let ny = wy / y;
    let nz = wz / z - sideways * varies * s!(c.taper * c.inverse_height);
    let length = nx.mul_add(nx, ny.mul_add(ny, nz * nz)).sqrt();
    let slope = s!(1.0) / (gauge * length);
    let row = measure.row(gauge, outer.log2, slope);
    let weight = row.weight * L::load(&block.weight);
    let root = weight.sqrt();
    let f = row.scale * root;
    let zero = s!(0.0);
    let by_taper = zero - sideways * height;
    let columns = [
        zero - f * wx,
        zero - f * wy,
        f * (zero - wz - by_taper * varies * s!(c.taper)),
        f * wr * inner.half_entropy * s!(c.by_u[0]),
        f * (by_taper.mul_add(s!(c.by_e2), outer.half_entropy)) * s!(c.by_u[1]),
        f * by_taper * s!(c.by_tau),
        f * (ny * z - nz * y),
        f * (nz * x - nx * z),
        f * (nx * y - ny * x),
        zero - f * nx,
        zero - f * ny,
        zero - f * nz,
        row.residual * root,
    ];
    (columns, row.cost * L::load(&block.weight), weight)
}

#[inline(always)]
fn sums_in_lanes<L: Lane, M: Measure>(blocks: &[Block<L::Scalar>], model: &Model, measure: &M) -> Sums {
    let constants = Constants::new(model);
    let zero = L::splat(0.0);
    let mut sums = Sums { products: [[0.0; STORED]; STORED], cost: 0.0, weight: 0.0 };
    let mut columns = [[zero; HELD]; STORED];
    for piece in blocks.chunks(SUMMED) {
        let mut totals = [[zero; 8]; TILES.len()];
        let (mut cost, mut weight) = (zero, zero);
        for held in piece.chunks(HELD) {
            for (at, block) in held.iter().enumerate() {
                let (row, row_cost, row_weight) = rows::<L, M>(block, &constants, measure);
                // An iterator would not be inlined with the caller's CPU features.
                #[allow(clippy::needless_range_loop)]
                for k in 0..COLUMNS {
                    columns[k][at] = row[k];
                }
                cost = cost + row_cost;
                weight = weight + row_weight;
            }
            for (total, &(row, column)) in totals.iter_mut().zip(&TILES) {
                tile(total, &columns, row, column, held.len());
            }
        }
        sums.cost += cost.sum();
        sums.weight += weight.sum();
        for (total, &(row, column)) in totals.iter().zip(&TILES) {
            for (at, value) in total.iter().enumerate() {
                sums.products[row + at / 4][column + at % 4] += value.sum();
            }
        }
    }
    sums
}

/// Adds the products of two columns with four columns, eight sums that stay in registers.
#[inline(always)]
fn tile<L: Lane>(total: &mut [L; 8], columns: &[[L; HELD]; STORED], row: usize, column: usize, count: usize) {
    let (a, b) = (&columns[row], &columns[row + 1]);
    let c = [&columns[column], &columns[column + 1], &columns[column + 2], &columns[column + 3]];
    let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5, mut s6, mut s7] = *total;
    for i in 0..count.min(HELD) {
        let (u, v) = (a[i], b[i]);
        let (p, q, r, t) = (c[0][i], c[1][i], c[2][i], c[3][i]);
        s0 = u.mul_add(p, s0);
        s1 = u.mul_add(q, s1);
        s2 = u.mul_add(r, s2);
        s3 = u.mul_add(t, s3);
        s4 = v.mul_add(p, s4);
        s5 = v.mul_add(q, s5);
        s6 = v.mul_add(r, s6);
        s7 = v.mul_add(t, s7);
    }
    *total = [s0, s1, s2, s3, s4, s5, s6, s7];
}

/// Rows of one point each: derivatives of the gauge's logarithm by the unknowns, and the logarithm last.
pub(crate) type LogGaugeRow = [f64; COLUMNS];

#[inline(always)]
fn log_gauges_in_lanes<L: Lane>(blocks: &[Block<L::Scalar>], model: &Model) -> Vec<LogGaugeRow> {
    let constants = Constants::new(model);
    let mut found = Vec::with_capacity(WIDTH * blocks.len());
    for block in blocks {
        let (row, _, _) = rows::<L, LogGauge>(block, &constants, &LogGauge);
        let start = found.len();
        found.resize(start + WIDTH, [0.0; COLUMNS]);
        // Iterators would not be inlined with the caller's CPU features.
        #[allow(clippy::needless_range_loop)]
        for k in 0..COLUMNS {
            let column = row[k].to_array();
            for lane in 0..WIDTH {
                found[start + lane][k] = column[lane];
            }
        }
    }
    found
}

/// The logarithm of each point's gauge with its derivatives, of points of weight one; what fills the last block up is garbage.
pub(crate) fn log_gauges(blocks: &[Block<f64>], model: &Model) -> Vec<LogGaugeRow> {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        return unsafe { log_gauges_avx2(blocks, model) };
    }
    log_gauges_in_lanes::<Portable<f64>>(blocks, model)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn log_gauges_avx2(blocks: &[Block<f64>], model: &Model) -> Vec<LogGaugeRow> {
    log_gauges_in_lanes::<crate::lanes::avx2::F64x8>(blocks, model)
}

/// Precisions in which sums can be taken.
pub(crate) trait Precision: Copy + Send + Sync {
    fn from_f64(value: f64) -> Self;
    fn sums<M: Measure>(blocks: &[Block<Self>], model: &Model, measure: &M) -> Sums;
}

impl Precision for f32 {
    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    fn sums<M: Measure>(blocks: &[Block<f32>], model: &Model, measure: &M) -> Sums {
        #[cfg(target_arch = "x86_64")]
        if crate::lanes::avx2::available() {
            // SAFETY: the CPU was just asked for AVX2 and FMA.
            return unsafe { sums_avx2_f32(blocks, model, measure) };
        }
        sums_in_lanes::<Portable<f32>, M>(blocks, model, measure)
    }
}

impl Precision for f64 {
    fn from_f64(value: f64) -> f64 {
        value
    }

    fn sums<M: Measure>(blocks: &[Block<f64>], model: &Model, measure: &M) -> Sums {
        #[cfg(target_arch = "x86_64")]
        if crate::lanes::avx2::available() {
            // SAFETY: the CPU was just asked for AVX2 and FMA.
            return unsafe { sums_avx2_f64(blocks, model, measure) };
        }
        sums_in_lanes::<Portable<f64>, M>(blocks, model, measure)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn sums_avx2_f32<M: Measure>(blocks: &[Block<f32>], model: &Model, measure: &M) -> Sums {
    sums_in_lanes::<crate::lanes::avx2::F32x8, M>(blocks, model, measure)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn sums_avx2_f64<M: Measure>(blocks: &[Block<f64>], model: &Model, measure: &M) -> Sums {
    sums_in_lanes::<crate::lanes::avx2::F64x8, M>(blocks, model, measure)
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat, DVec3};
    use testkit::generate::{cloud, rotation, seeded};

    use super::*;
    use crate::cloud::pack;

    fn example(seed: u64, taper: bool) -> (Model, Vec<DVec3>) {
        let mut rng = seeded(seed);
        let (shape, pose) = cloud::scanned_shape(&mut rng);
        let points = cloud::surface_points(&mut rng, &shape, 101);
        let points =
            points.iter().map(|p| pose.transform_point(*p * (1.0 + 0.05 * cloud::gaussian(&mut rng)))).collect();
        let taper = if taper { shape.taper()[0] } else { 0.0 };
        let turn = DMat3::from_quat((pose.rotation * DQuat::IDENTITY.slerp(rotation(&mut rng), 0.02)).normalize());
        (Model::new(DVec3::from_array(shape.radii()), shape.exponents(), taper, turn, pose.translation), points)
    }

    #[test]
    fn residuals_are_those_of_the_shape() {
        // The library's gauge with its gradient, in double precision and by other formulas.
        for seed in 0..50 {
            let (model, points) = example(seed, true);
            let (shape, pose) = model.placed(1.0, &superegg::Pose::IDENTITY).unwrap();
            for point in points {
                let local = pose.inverse_transform_point(point);
                if local.z.abs() > shape.radii()[2] {
                    continue; // Beyond the poles the library goes on differently.
                }
                let truth = shape.gauge_derivatives(local);
                let residual = (truth.value - 1.0) / truth.gradient.length();
                let sums = f64::sums(&pack(std::iter::once((point, 1.0))), &model, &Robust { inverse_scale_sq: 0.0 });
                assert!((sums.products[12][12].sqrt() - residual.abs()).abs() < 1e-11, "{seed}: {residual}");
            }
        }
    }

    #[test]
    fn columns_are_derivatives_of_the_gauge() {
        // Central differences: wrong by some 1e-9.
        for seed in 0..50 {
            let (model, points) = example(seed, true);
            for point in points.into_iter().step_by(7) {
                let block = pack::<f64>(std::iter::once((point, 1.0)));
                let log_gauge = |model: &Model| log_gauges(&block, model)[0][UNKNOWNS];
                let row = log_gauges(&block, &model)[0];
                for (k, column) in row.into_iter().enumerate().take(UNKNOWNS) {
                    let moved = |h: f64| {
                        let mut step = [0.0; UNKNOWNS];
                        step[k] = h;
                        log_gauge(&model.stepped(&step))
                    };
                    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!((slope - column).abs() < 1e-5 * (1.0 + slope.abs()), "{seed} {k}: {slope} {column}");
                }
            }
        }
    }

    #[test]
    fn gauges_are_those_of_the_shape_on_every_processor() {
        for seed in 0..20 {
            let (model, points) = example(seed, true);
            let (shape, pose) = model.placed(1.0, &superegg::Pose::IDENTITY).unwrap();
            let blocks = pack::<f64>(points.iter().map(|p| (*p, 1.0)));
            let found = log_gauges(&blocks, &model);
            let portable = log_gauges_in_lanes::<Portable<f64>>(&blocks, &model);
            for (i, point) in points.iter().enumerate() {
                let local = pose.inverse_transform_point(*point);
                for k in 0..COLUMNS {
                    assert!((found[i][k] - portable[i][k]).abs() < 1e-11 * (1.0 + found[i][k].abs()));
                }
                // Beyond the poles the library goes on differently.
                if local.z.abs() <= shape.radii()[2] {
                    assert!((found[i][UNKNOWNS] - shape.gauge(local).ln()).abs() < 1e-11);
                }
            }
        }
    }

    #[test]
    fn precisions_and_processors_agree() {
        for seed in 0..20 {
            let (model, points) = example(seed, seed % 2 == 0);
            let weighted = || points.iter().enumerate().map(|(i, p)| (*p, 0.5 + (i % 3) as f64));
            let measure = Robust::new(0.1);
            let double = f64::sums(&pack(weighted()), &model, &measure);
            let portable = sums_in_lanes::<Portable<f64>, _>(&pack(weighted()), &model, &measure);
            let single = f32::sums(&pack(weighted()), &model, &measure);
            let portable_single = sums_in_lanes::<Portable<f32>, _>(&pack(weighted()), &model, &measure);
            let size = double.products[0][0].max(double.products[9][9]).max(double.cost);
            for (other, tolerance) in [(portable, 1e-11), (single, 3e-4), (portable_single, 3e-4)] {
                assert!((other.cost - double.cost).abs() < tolerance * size);
                for i in 0..COLUMNS {
                    for j in i..COLUMNS {
                        let difference = other.products[i][j] - double.products[i][j];
                        assert!(difference.abs() < tolerance * size, "{i} {j}: {difference} of {size}");
                    }
                }
            }
        }
    }
}
