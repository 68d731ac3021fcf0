//! Volume, centroid and inertia of primitives of density one.
//!
//! A rounded box is a box, slabs on its faces, quarter cylinders along its edges and octants of balls at its corners: closed
//! form. Everything else turns about z, with the section's radius R(z) made of straight lines and arcs: `π∫R² dz` and the
//! like are polynomials on the lines and, by the angle, smooth on the arcs, where Gauss's rule with 16 points is exact to
//! rounding.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{Core, Primitive};
use crate::shape::MassProperties;

impl Primitive {
    /// Volume, centroid and inertia.
    ///
    /// ```
    /// use superegg::shape::Primitive;
    /// let die = Primitive::cuboid([1.0, 2.0, 3.0])?.mass_properties();
    /// assert_eq!(die.volume, 48.0);
    /// assert!((die.inertia.x_axis.x - 48.0 * (4.0 + 9.0) / 3.0).abs() < 1e-12);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn mass_properties(&self) -> MassProperties {
        match self.core {
            Core::Cuboid { half_extents } => of_box(half_extents, self.rounding),
            Core::Segment { half_height } => of_revolution([0.0; 2], half_height, self.rounding),
            Core::Frustum { radii, half_height } => of_revolution(radii, half_height, self.rounding),
        }
    }
}

fn of_box(half: [f64; 3], r: f64) -> MassProperties {
    let mut volume = 8.0 * half[0] * half[1] * half[2] + 4.0 / 3.0 * PI * r.powi(3);
    // ∫ x_i² dV
    let mut second = [0.0; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let h = half[i];
        let face = 4.0 * half[j] * half[k];
        volume += 2.0 * face * r + PI * r * r * 2.0 * h;
        // Box and both slabs on the faces across this axis, then the slabs along it.
        second[i] += face * 2.0 / 3.0 * (h + r).powi(3);
        second[i] += 8.0 * h * (half[j] + half[k]) * r * h * h / 3.0;
        // Quarter cylinders along this axis, then along the others: their offset, its product with their centroid, their own.
        second[i] += PI * r * r * 2.0 * h * h * h / 3.0;
        let quarters = PI * r * r * h * h + 8.0 / 3.0 * h * r.powi(3) + 0.25 * PI * r.powi(4);
        second[i] += 2.0 * (half[j] + half[k]) * quarters;
        // Octants of balls.
        second[i] += 4.0 / 3.0 * PI * r.powi(3) * h * h + PI * r.powi(4) * h + 4.0 / 15.0 * PI * r.powi(5);
    }
    let [xx, yy, zz] = second;
    let inertia = DMat3::from_diagonal(DVec3::new(yy + zz, xx + zz, xx + yy));
    MassProperties { volume, centroid: DVec3::ZERO, inertia }
}

/// Nodes and weights of Gauss's rule with 16 points on [-1, 1]: those above zero, the others mirror them.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// Moments of a body that turns about z.
#[derive(Default)]
struct Moments {
    /// `∫ R² dz`, with z and with z².
    areas: [f64; 3],
    /// `∫ R⁴ dz`.
    fourth: f64,
}

impl Moments {
    /// Adds a piece of the section by its points (R, z) and dz for a parameter in [0, 1].
    fn add(&mut self, at: impl Fn(f64) -> (f64, f64, f64)) {
        for (node, weight) in GAUSS {
            for signed in [-node, node] {
                let (radius, z, dz) = at(0.5 + 0.5 * signed);
                let area = 0.5 * weight * dz * radius * radius;
                for (power, sum) in self.areas.iter_mut().enumerate() {
                    *sum += area * z.powi(power as i32);
                }
                self.fourth += area * radius * radius;
            }
        }
    }
}

fn of_revolution([bottom, top]: [f64; 2], half: f64, r: f64) -> MassProperties {
    let mut moments = Moments::default();
    // The angle by which normals of the side rise from the horizontal.
    let rise = if half > 0.0 { ((bottom - top) / (2.0 * half)).atan() } else { 0.0 };
    let (sine, cosine) = rise.sin_cos();
    moments.add(|t| {
        let (radius, z) = (bottom + (top - bottom) * t, half * (2.0 * t - 1.0));
        (radius + r * cosine, z + r * sine, 2.0 * half)
    });
    if r > 0.0 {
        let mut arc = |radius: f64, z: f64, from: f64, to: f64| {
            moments.add(|t| {
                let (sine, cosine) = (from + (to - from) * t).sin_cos();
                (radius + r * cosine, z + r * sine, (to - from) * r * cosine)
            });
        };
        arc(bottom, -half, -0.5 * PI, rise);
        arc(top, half, rise, 0.5 * PI);
    }
    let [volume, first, second] = moments.areas.map(|area| PI * area);
    let center = first / volume;
    let (across, along) = (0.25 * PI * moments.fourth, second - volume * center * center);
    MassProperties {
        volume,
        centroid: DVec3::new(0.0, 0.0, center),
        inertia: DMat3::from_diagonal(DVec3::new(across + along, across + along, 2.0 * across)),
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    /// Against the midpoint rule on 200³ cells, turned against the bodies so that its error, 1e-4, is that of chance.
    #[test]
    fn masses_are_those_of_cells() {
        let bodies = [
            Primitive::cuboid([0.5, 0.8, 0.3]).unwrap().rounded(0.2).unwrap(),
            Primitive::sphere(0.7).unwrap(),
            Primitive::capsule(0.3, 0.6).unwrap(),
            Primitive::frustum([0.7, 0.3], 0.5).unwrap().rounded(0.2).unwrap(),
            Primitive::cone(0.9, 0.6).unwrap(),
            Primitive::cylinder(0.4, 0.7).unwrap().rounded(0.1).unwrap(),
        ];
        const CELLS: i32 = 200;
        for body in bodies {
            let (half, turn) = (1.4, DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 0.7, 0.3));
            let cell = 2.0 * half / f64::from(CELLS);
            let at = |index: i32| (f64::from(index) + 0.5) * cell - half;
            let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DVec3::ZERO);
            for x in 0..CELLS {
                for y in 0..CELLS {
                    for z in 0..CELLS {
                        let p = turn * DVec3::new(at(x), at(y), at(z));
                        if body.contains(p) {
                            volume += 1.0;
                            first += p;
                            second += p * p;
                        }
                    }
                }
            }
            let found = body.mass_properties();
            let weight = cell.powi(3);
            assert!((found.volume / (volume * weight) - 1.0).abs() < 1e-3, "{body:?}");
            let centroid = first / volume;
            assert!((found.centroid - centroid).length() < 1e-3, "{body:?}");
            let s = second * weight - centroid * centroid * (volume * weight);
            let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
            let diagonal = DVec3::new(found.inertia.x_axis.x, found.inertia.y_axis.y, found.inertia.z_axis.z);
            assert!((diagonal / inertia - 1.0).abs().max_element() < 2e-3, "{body:?}: {diagonal} {inertia}");
        }
    }

    #[test]
    fn balls_and_cones_are_those_of_textbooks() {
        let ball = Primitive::sphere(2.0).unwrap().mass_properties();
        assert!((ball.volume / (4.0 / 3.0 * PI * 8.0) - 1.0).abs() < 1e-14);
        assert!((ball.inertia.z_axis.z / (0.4 * ball.volume * 4.0) - 1.0).abs() < 1e-14);
        let cone = Primitive::cone(3.0, 2.0).unwrap().mass_properties();
        assert!((cone.volume / (PI * 9.0 * 4.0 / 3.0) - 1.0).abs() < 1e-14);
        assert!((cone.centroid.z + 1.0).abs() < 1e-14);
        assert!((cone.inertia.z_axis.z / (0.3 * cone.volume * 9.0) - 1.0).abs() < 1e-14);
        assert!((cone.inertia.x_axis.x / (cone.volume * (0.15 * 9.0 + 0.0375 * 16.0)) - 1.0).abs() < 1e-13);
    }
}
