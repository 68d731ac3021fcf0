//! A point cloud in its own frame and unit, so that a fit depends on neither the world's frame nor its unit.
//!
//! The frame is that of the principal axes, their signs told by the third moments, of the points in dense places: space
//! is cut into cells along the principal axes of all points, and points whose surroundings hold few others are left out
//! of the search (not of the final fit), since a few far ones would spoil extents and axes. The unit is the largest
//! half-extent.

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;

use crate::equations::{Block, Precision};
use crate::error::FitError;
use crate::lanes::WIDTH;

/// Fewest points that determine a superovoid, with one to spare.
pub(crate) const FEWEST_POINTS: usize = 13;
/// Most points that a fit looks at; of larger clouds an even sample of this size is taken.
pub(crate) const MOST_POINTS: usize = 16_384;
/// Largest accepted coordinate: its square, summed over all points, is finite.
const LARGEST_COORDINATE: f64 = 1e30;
/// Cells along the longest side in the density filter.
const CELLS: f64 = 22.0;
/// Points with fewer neighbours than this part of what is common (the 70th percentile) are left out of the search.
const SPARSE: f64 = 0.3;
/// Thickness, as a part of the length, below which points lie in a plane or on a line.
const FLAT: f64 = 1e-6;
/// Part of the points beyond either end of the trimmed extents.
const TRIMMED: f64 = 0.01;

/// A cloud in its own frame and unit.
#[derive(Clone, Debug)]
pub(crate) struct Cloud {
    pub points: Vec<DVec3>,
    pub weights: Vec<f64>,
    /// Points in dense places.
    pub dense: Vec<u32>,
    /// Half the trimmed extents of the dense points along the axes; the largest is one.
    pub half_extents: DVec3,
    /// Outermost dense points in many directions.
    pub extremes: Vec<DVec3>,
    /// World length of the cloud's unit.
    pub unit: f64,
    /// Maps the cloud's frame, in world lengths, to the world.
    pub frame: Pose,
}

/// Refuses coordinates that are not finite or too large, and weights that are no weights.
pub(crate) fn validate(points: &[DVec3], weights: Option<&[f64]>) -> Result<(), FitError> {
    for (index, point) in points.iter().enumerate() {
        if let Some(&value) = point.as_ref().iter().find(|x| x.is_nan() || x.abs() > LARGEST_COORDINATE) {
            return Err(FitError::Coordinate { index, value });
        }
    }
    if let Some(weights) = weights {
        if weights.len() != points.len() {
            return Err(FitError::Weights(format!("{} weights for {} points", weights.len(), points.len())));
        }
        if let Some((index, &value)) = weights.iter().enumerate().find(|(_, w)| !(0.0..=1e9).contains(*w)) {
            return Err(FitError::Weights(format!("weight {index} is {value}, outside [0, 1e9]")));
        }
    }
    Ok(())
}

/// Indices of `count` of `total` items, spread so that neither sorted nor repeating orders make a pattern; all of them in order
/// when there are no more.
pub(crate) fn spread(total: usize, count: usize) -> Vec<u32> {
    if total <= count {
        return (0..total as u32).collect();
    }
    // Multiples of the golden ratio fall evenly into every part of the order.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut chosen: Vec<u32> = (0..count)
        .map(|k| ((k as f64 * GOLDEN).fract() * total as f64) as u32)
        .map(|i| i.min(total as u32 - 1))
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

impl Cloud {
    /// Brings points into their own frame. Points of weight zero are left out.
    pub fn new(points: &[DVec3], weights: Option<&[f64]>) -> Result<Cloud, FitError> {
        validate(points, weights)?;
        let weight = |i: u32| weights.map_or(1.0, |weights| weights[i as usize]);
        let used: Vec<u32> = (0..points.len() as u32).filter(|&i| weight(i) > 0.0).collect();
        let used: Vec<u32> = spread(used.len(), MOST_POINTS).into_iter().map(|k| used[k as usize]).collect();
        let found = distinct(used.iter().map(|&i| points[i as usize]), FEWEST_POINTS);
        if found < FEWEST_POINTS {
            return Err(FitError::TooFewPoints { found, needed: FEWEST_POINTS });
        }
        let mean = used.iter().map(|&i| points[i as usize] / used.len() as f64).sum::<DVec3>();
        let mut local: Vec<DVec3> = used.iter().map(|&i| points[i as usize] - mean).collect();
        let length = local.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        // Digits of positions are lost to the distance from the world's origin.
        let lost = 1e-15 * mean.abs().max_element();
        if length <= 100.0 * lost || length < 1e-40 {
            return Err(FitError::Flat("in one place"));
        }
        local.iter_mut().for_each(|p| *p /= length);
        let first = principal_axes(&local)?;
        let dense = dense_points(&local, &first);
        let weights = used.iter().map(|&i| weight(i)).collect();
        let place = Pose::from_translation(mean);
        Ok(Cloud::from_dense(local, weights, dense, first).placed(length, &place))
    }

    /// The same points without the density filter, in their own frame and unit, which are said in this cloud's; nothing where they
    /// are flat.
    pub fn unfiltered(&self) -> Option<Cloud> {
        let axes = principal_axes(&self.points).ok()?;
        let all = (0..self.points.len() as u32).collect();
        Some(Cloud::from_dense(self.points.clone(), self.weights.clone(), all, axes))
    }

    /// A cloud whose frame is told by its dense points; `first` are the axes of all.
    fn from_dense(local: Vec<DVec3>, weights: Vec<f64>, dense: Vec<u32>, first: DMat3) -> Cloud {
        let chosen: Vec<DVec3> = dense.iter().map(|&i| local[i as usize]).collect();
        let axes = principal_axes(&chosen).unwrap_or(first);
        let (center, half_extents) = trimmed_box(&chosen, &axes);
        let unit = half_extents.max_element();
        let points: Vec<DVec3> = local.iter().map(|p| (axes.transpose() * *p - center) / unit).collect();
        let rotation = DQuat::from_mat3(&axes).normalize();
        Cloud {
            weights,
            extremes: outermost(&dense, &points),
            half_extents: (half_extents / unit).max(DVec3::splat(1e-3)),
            points,
            dense,
            unit,
            frame: Pose { rotation, translation: rotation * center },
        }
    }

    /// The cloud after lengths are multiplied by `scale` and the frame is moved to `frame`.
    fn placed(self, scale: f64, frame: &Pose) -> Cloud {
        let moved = Pose { translation: self.frame.translation * scale, ..self.frame };
        Cloud { unit: self.unit * scale, frame: frame.compose(&moved), ..self }
    }

    /// `count` points of a list of indices, packed for the kernel, and their summed weight.
    pub fn blocks<S: Precision>(&self, indices: &[u32], count: usize) -> (Vec<Block<S>>, f64) {
        let chosen: Vec<u32> = spread(indices.len(), count).into_iter().map(|k| indices[k as usize]).collect();
        let total = chosen.iter().map(|&i| self.weights[i as usize]).sum();
        (pack(chosen.iter().map(|&i| (self.points[i as usize], self.weights[i as usize]))), total)
    }
}

/// Packs points with weights by eights; the last are filled up with weight zero.
pub(crate) fn pack<S: Precision>(points: impl Iterator<Item = (DVec3, f64)>) -> Vec<Block<S>> {
    let mut blocks = Vec::new();
    for (at, (point, weight)) in points.enumerate() {
        if at % WIDTH == 0 {
            let [x, y, z] = point.to_array().map(|c| [S::from_f64(c); WIDTH]);
            blocks.push(Block { x, y, z, weight: [S::from_f64(0.0); WIDTH] });
        }
        if let Some(block) = blocks.last_mut() {
            let lane = at % WIDTH;
            block.x[lane] = S::from_f64(point.x);
            block.y[lane] = S::from_f64(point.y);
            block.z[lane] = S::from_f64(point.z);
            block.weight[lane] = S::from_f64(weight);
        }
    }
    blocks
}

/// How many different points there are, counted up to a limit.
fn distinct(points: impl Iterator<Item = DVec3>, limit: usize) -> usize {
    let mut seen = std::collections::HashSet::new();
    for point in points {
        seen.insert(point.to_array().map(|c| (c + 0.0).to_bits()));
        if seen.len() >= limit {
            break;
        }
    }
    seen.len()
}

/// Eigenvectors of the covariance by falling eigenvalue, right-handed, pointing to where points are fewer and farther.
fn principal_axes(points: &[DVec3]) -> Result<DMat3, FitError> {
    let count = points.len() as f64;
    let mean = points.iter().sum::<DVec3>() / count;
    let mut covariance = [[0.0; 3]; 3];
    for point in points {
        let p = (*point - mean).to_array();
        for i in 0..3 {
            for j in 0..3 {
                covariance[i][j] += p[i] * p[j] / count;
            }
        }
    }
    let (values, axes) = eigen(covariance);
    if values[1] < FLAT * FLAT * values[0] {
        return Err(FitError::Flat("on a line"));
    }
    if values[2] < FLAT * FLAT * values[0] {
        return Err(FitError::Flat("in a plane"));
    }
    let skew = |axis: DVec3| {
        points
            .iter()
            .map(|p| {
                let along = (*p - mean).dot(axis);
                along * along * along
            })
            .sum::<f64>()
    };
    let [x, y] = [axes[0], axes[1]].map(|axis| if skew(axis) < 0.0 { -axis } else { axis });
    Ok(DMat3::from_cols(x, y, x.cross(y)))
}

/// Eigenvalues of a symmetric matrix, largest first, with unit eigenvectors. Jacobi's rotations.
pub(crate) fn eigen(mut m: [[f64; 3]; 3]) -> ([f64; 3], [DVec3; 3]) {
    let mut vectors = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..30 {
        let off = m[0][1].powi(2) + m[0][2].powi(2) + m[1][2].powi(2);
        if off <= 1e-34 * (m[0][0] + m[1][1] + m[2][2]).powi(2) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (row_p, row_q) = (m[p], m[q]);
            m[p] = std::array::from_fn(|k| c * row_p[k] - s * row_q[k]);
            m[q] = std::array::from_fn(|k| s * row_p[k] + c * row_q[k]);
            (vectors[p], vectors[q]) = (vectors[p] * c - vectors[q] * s, vectors[p] * s + vectors[q] * c);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| m[b][b].total_cmp(&m[a][a]));
    (order.map(|i| m[i][i]), order.map(|i| vectors[i].normalize()))
}

/// Points whose surroundings are not much emptier than those of others.
fn dense_points(points: &[DVec3], axes: &DMat3) -> Vec<u32> {
    let turned: Vec<DVec3> = points.iter().map(|p| axes.transpose() * *p).collect();
    let low = turned.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = turned.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let cell = (high - low).max_element() / CELLS;
    // A border of one empty cell on each side.
    let size = ((high - low) / cell).floor().as_uvec3() + 3;
    let place = |p: &DVec3| {
        let at = ((*p - low) / cell).as_uvec3() + 1;
        ((at.z * size.y + at.y) * size.x + at.x) as usize
    };
    let places: Vec<usize> = turned.iter().map(place).collect();
    let (row, layer) = (size.x as usize, (size.x * size.y) as usize);
    let mut counts = vec![0u32; layer * size.z as usize];
    places.iter().for_each(|&at| counts[at] += 1);
    // Sums over three neighbours along each axis in turn are sums over all 27.
    for stride in [1, row, layer] {
        let before = counts.clone();
        for at in stride..counts.len() - stride {
            counts[at] += before[at - stride] + before[at + stride];
        }
    }
    let neighbours: Vec<u32> = places.iter().map(|&at| counts[at]).collect();
    let mut sorted = neighbours.clone();
    let middle = sorted.len() * 7 / 10;
    let common = f64::from(*sorted.select_nth_unstable(middle).1);
    let dense: Vec<u32> =
        (0..points.len() as u32).filter(|&i| f64::from(neighbours[i as usize]) >= SPARSE * common).collect();
    if dense.len() >= FEWEST_POINTS.max(points.len() / 5) { dense } else { (0..points.len() as u32).collect() }
}

/// Middle and half-extents along the axes, without the outermost points.
fn trimmed_box(points: &[DVec3], axes: &DMat3) -> (DVec3, DVec3) {
    let mut low = DVec3::ZERO;
    let mut high = DVec3::ZERO;
    for axis in 0..3 {
        let mut values: Vec<f64> = points.iter().map(|p| axes.col(axis).dot(*p)).collect();
        let skipped = (values.len() as f64 * TRIMMED) as usize;
        let last = values.len() - 1 - skipped;
        low[axis] = *values.select_nth_unstable_by(skipped, f64::total_cmp).1;
        high[axis] = *values.select_nth_unstable_by(last, f64::total_cmp).1;
    }
    let half = 0.5 * (high - low);
    (0.5 * (low + high), half.max(DVec3::splat(1e-3 * half.max_element().max(1e-300))))
}

/// The farthest points along 26 directions, of a sample of points, for extents along any axis.
fn outermost(indices: &[u32], points: &[DVec3]) -> Vec<DVec3> {
    let mut found = Vec::new();
    let sample: Vec<DVec3> =
        spread(indices.len(), 512).into_iter().map(|k| points[indices[k as usize] as usize]).collect();
    for k in (0..27).filter(|&k| k != 13) {
        let direction = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
        let mut farthest = (f64::NEG_INFINITY, DVec3::ZERO);
        for &point in &sample {
            let along = point.dot(direction);
            if along > farthest.0 {
                farthest = (along, point);
            }
        }
        found.push(farthest.1);
    }
    found
}
