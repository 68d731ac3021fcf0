//! Where the sun does not shine: a depth map from its direction.

use glam::Vec3;

use crate::raster::DepthBuffer;
use crate::{Model, Paint};

/// Cells along each side of the map.
const SIZE: usize = 2048;
/// Light that leaks under an edge within this part of the map's depth hides the coarseness of the map.
const BIAS: f32 = 0.004;

/// What the sun sees.
pub(crate) struct Shadows {
    map: DepthBuffer,
    right: Vec3,
    up: Vec3,
    away: Vec3,
    low: Vec3,
    scale: Vec3,
}

impl Shadows {
    /// The map of some models with the sun in a unit direction. Floors throw no shadow that anyone would see.
    pub fn new(models: &[Model], sun: Vec3) -> Shadows {
        let (right, up) = sun.any_orthonormal_pair();
        let away = -sun;
        let project = |p: Vec3| Vec3::new(p.dot(right), p.dot(up), p.dot(away));
        let throwing = || models.iter().filter(|model| !matches!(model.paint, Paint::Floor(_)));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in throwing().flat_map(|model| &model.positions).filter(|p| p.is_finite()) {
            (low, high) = (low.min(project(*p)), high.max(project(*p)));
        }
        if !low.is_finite() {
            (low, high) = (Vec3::ZERO, Vec3::ONE);
        }
        let extent = (high - low).max(Vec3::splat(1e-3));
        let cells = SIZE as f32 - 4.0;
        let scale = Vec3::new(cells / extent.x, cells / extent.y, 1.0 / extent.max_element());
        let mut shadows = Shadows { map: DepthBuffer::new(SIZE, SIZE), right, up, away, low, scale };
        for model in throwing() {
            for &corners in &model.triangles {
                let points = corners.map(|v| shadows.place(model.positions[v as usize]));
                shadows.map.fill(points, |_, _| {});
            }
        }
        shadows
    }

    /// A point in cells of the map, and its depth.
    fn place(&self, p: Vec3) -> Vec3 {
        let seen = Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.away));
        (seen - self.low) * self.scale + Vec3::new(2.0, 2.0, 0.0)
    }

    /// How much of the sun reaches a point, from 0 to 1: the mean over neighbouring cells.
    pub fn sunlight(&self, p: Vec3) -> f32 {
        const REACH: i32 = 2;
        let seen = self.place(p);
        let (x, y) = (seen.x.floor() as i32, seen.y.floor() as i32);
        let mut lit = 0;
        for (dx, dy) in (-REACH..=REACH).flat_map(|dy| (-REACH..=REACH).map(move |dx| (dx, dy))) {
            let (cx, cy) = (x + dx, y + dy);
            let inside = (0..SIZE as i32).contains(&cx) && (0..SIZE as i32).contains(&cy);
            let hidden = inside && self.map.depths[cy as usize * SIZE + cx as usize] < seen.z - BIAS;
            lit += i32::from(!hidden);
        }
        lit as f32 / ((2 * REACH + 1) * (2 * REACH + 1)) as f32
    }
}
