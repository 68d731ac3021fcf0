//! Unit quaternions of [`Real`] numbers.

use glam::DQuat;

use super::{M3, Real, V3};

/// A rotation.
#[derive(Clone, Copy)]
pub(crate) struct Quaternion<R> {
    pub vector: V3<R>,
    pub scalar: R,
}

impl<R: Real> Quaternion<R> {
    #[inline(always)]
    pub fn conjugate(self) -> Quaternion<R> {
        Quaternion { vector: -self.vector, scalar: self.scalar }
    }

    /// First `other`, then `self`.
    #[inline(always)]
    pub fn after(self, other: Quaternion<R>) -> Quaternion<R> {
        let (u, v) = (self.vector, other.vector);
        Quaternion {
            vector: u.cross(v) + u.mul_add(other.scalar, v * self.scalar),
            scalar: self.scalar * other.scalar - u.dot(v),
        }
    }

    #[inline(always)]
    pub fn apply(self, v: V3<R>) -> V3<R> {
        let half_turned = self.vector.cross(v);
        let turned = half_turned + half_turned;
        turned.mul_add(self.scalar, v) + self.vector.cross(turned)
    }

    /// The turned axes as columns.
    #[inline(always)]
    pub fn matrix(self) -> M3<R> {
        let one = R::splat(1.0);
        let V3 { x, y, z } = self.vector;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (self.scalar * x2, self.scalar * y2, self.scalar * z2);
        M3 {
            x: V3::new(one - (yy + zz), xy + wz, xz - wy),
            y: V3::new(xy - wz, one - (xx + zz), yz + wx),
            z: V3::new(xz + wy, yz - wx, one - (xx + yy)),
        }
    }
}

impl From<DQuat> for Quaternion<f64> {
    #[inline(always)]
    fn from(q: DQuat) -> Quaternion<f64> {
        Quaternion { vector: V3::new(q.x, q.y, q.z), scalar: q.w }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat, DVec3};

    use super::*;

    #[test]
    fn agrees_with_glam() {
        let p = DQuat::from_xyzw(0.5, -0.1, 0.7, 0.3).normalize();
        let q = DQuat::from_xyzw(-0.2, 0.9, 0.1, -0.4).normalize();
        let v = DVec3::new(0.3, -2.0, 1.1);
        let close = |ours: V3<f64>, theirs: DVec3| (DVec3::from(ours) - theirs).length() < 1e-14;
        let both = Quaternion::from(p).conjugate().after(q.into());
        let theirs = p.conjugate() * q;
        assert!(close(Quaternion::from(p).apply(v.into()), p * v));
        assert!(close(both.apply(v.into()), theirs * v));
        assert!(close(both.matrix().apply(v.into()), DMat3::from_quat(theirs) * v));
    }
}
