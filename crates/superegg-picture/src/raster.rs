//! Filling triangles into a depth buffer.

use glam::Vec3;

/// A grid of depths, the nearest so far of each cell.
#[derive(Clone, Debug)]
pub(crate) struct DepthBuffer {
    pub width: usize,
    /// The first row, of those that triangles are given in.
    pub top: usize,
    pub height: usize,
    pub depths: Vec<f32>,
}

impl DepthBuffer {
    pub fn new(width: usize, height: usize) -> DepthBuffer {
        DepthBuffer::band(width, 0, height)
    }

    /// Some rows of a larger grid.
    pub fn band(width: usize, top: usize, height: usize) -> DepthBuffer {
        DepthBuffer { width, top, height, depths: vec![f32::INFINITY; width * height] }
    }

    /// Calls back with every cell whose centre lies in a triangle and is nearer there than anything before: the cell's index
    /// and the weights of the corners. Corners are in cells, with depth in z; depths are interpolated linearly.
    pub fn fill(&mut self, [a, b, c]: [Vec3; 3], mut nearer: impl FnMut(usize, [f32; 3])) {
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |low: f32, high: f32, begin: usize, size: usize| {
            let first = (low.max(0.0).floor() as usize).max(begin);
            let end = (high.max(0.0).ceil() as usize).min(begin + size);
            first..end
        };
        for y in range(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), self.top, self.height) {
            let py = y as f32 + 0.5;
            for x in range(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), 0, self.width) {
                let px = x as f32 + 0.5;
                let at_a = ((b.x - px) * (c.y - py) - (c.x - px) * (b.y - py)) / area;
                let at_b = ((c.x - px) * (a.y - py) - (a.x - px) * (c.y - py)) / area;
                let at_c = 1.0 - at_a - at_b;
                if at_a < 0.0 || at_b < 0.0 || at_c < 0.0 {
                    continue;
                }
                let depth = at_a * a.z + at_b * b.z + at_c * c.z;
                let index = (y - self.top) * self.width + x;
                if depth < self.depths[index] {
                    self.depths[index] = depth;
                    nearer(index, [at_a, at_b, at_c]);
                }
            }
        }
    }
}
