//! The frozen landscape as triangles to walk on, in the walker's metres: what is near a place, and what a way passes through.
//! Triangles are found by the squares of the plane that they lie over; a folded cloth may have several over one square.

use superegg::DVec3;

/// Squares along a side.
const CELLS: usize = 64;

pub struct Ground {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Half the edge of what the squares cover.
    reach: f64,
    /// Triangles over each square.
    cells: Vec<Vec<u32>>,
}

/// The nearest place of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    pub point: DVec3,
    pub distance: f64,
}

impl Ground {
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Ground {
        let reach = vertices.iter().fold(1.0f64, |reach, at| reach.max(at.x.abs()).max(at.y.abs())) + 1e-6;
        let mut made = Ground { vertices, triangles, reach, cells: vec![vec![]; CELLS * CELLS] };
        for index in 0..made.triangles.len() {
            let [a, b, c] = made.corners(index as u32);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            for cell in made.over(low, high) {
                made.cells[cell].push(index as u32);
            }
        }
        made
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|vertex| self.vertices[vertex as usize])
    }

    /// The squares that a box lies over.
    fn over(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = usize> + use<> {
        let cell =
            |at: f64| ((at + self.reach) / (2.0 * self.reach) * CELLS as f64).clamp(0.0, CELLS as f64 - 1.0) as usize;
        let (columns, rows) = (cell(low.x)..=cell(high.x), cell(low.y)..=cell(high.y));
        rows.flat_map(move |row| columns.clone().map(move |column| column + CELLS * row))
    }

    /// Triangles that may be within a box; some more than once.
    fn within(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        let near = self.over(low, high).flat_map(|cell| self.cells[cell].iter());
        near.map(|triangle| self.corners(*triangle))
            .filter(move |[a, b, c]| !(a.min(*b).min(*c).cmpgt(high).any() || a.max(*b).max(*c).cmplt(low).any()))
    }

    /// The nearest place of the cloth or of the plain around it, if it is within a distance.
    pub fn nearest(&self, place: DVec3, within: f64) -> Option<Near> {
        let plain = Near { point: place.with_z(0.0), distance: place.z.abs() };
        let mut best = Some(plain).filter(|near| near.distance <= within);
        let reach = DVec3::splat(within);
        for corners in self.within(place - reach, place + reach) {
            let point = closest_on_triangle(place, corners);
            let distance = point.distance(place);
            if distance <= best.map_or(within, |near| near.distance) {
                best = Some(Near { point, distance });
            }
        }
        best
    }

    /// All places of triangles within a distance, each the nearest of its triangle, and that of the plain.
    pub fn touching(&self, place: DVec3, within: f64) -> Vec<Near> {
        let reach = DVec3::splat(within);
        let near = self.within(place - reach, place + reach).map(|corners| closest_on_triangle(place, corners));
        let all = near.chain([place.with_z(0.0)]).map(|point| Near { point, distance: point.distance(place) });
        all.filter(|near| near.distance < within).collect()
    }

    /// Whether a straight way passes through the ground.
    pub fn blocks(&self, from: DVec3, to: DVec3) -> bool {
        if (from.z > 0.0) != (to.z > 0.0) {
            return true;
        }
        self.within(from.min(to), from.max(to)).any(|corners| passes(from, to, corners))
    }

    /// The height of the uppermost ground at a place.
    pub fn top(&self, x: f64, y: f64) -> f64 {
        let (low, high) = (DVec3::new(x, y, f64::NEG_INFINITY), DVec3::new(x, y, f64::INFINITY));
        let heights = self.within(low, high).filter_map(|[a, b, c]| {
            let area = (b - a).truncate().perp_dot((c - a).truncate());
            let [u, v] = [b, c].map(|corner| (corner - a).truncate());
            let off = DVec3::new(x, y, 0.0).truncate() - a.truncate();
            let (s, t) = (off.perp_dot(v) / area, u.perp_dot(off) / area);
            (area != 0.0 && s >= 0.0 && t >= 0.0 && s + t <= 1.0).then_some(a.z + s * (b.z - a.z) + t * (c.z - a.z))
        });
        heights.fold(0.0, f64::max)
    }
}

/// The nearest point of a triangle, by the regions of its corners and edges (Ericson 2004, section 5.1.5).
fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum == 0.0 { a } else { a + ab * (vb / sum) + ac * (vc / sum) }
}

/// Whether a segment passes through a triangle: its ends are on different sides of the plane, and the volumes of the tetrahedra
/// over its edges have one sign. What only touches counts.
fn passes(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let (start, end) = (normal.dot(from - a), normal.dot(to - a));
    if start * end > 0.0 || (start == 0.0 && end == 0.0) {
        return false;
    }
    let volume = |p: DVec3, q: DVec3| (to - from).dot((p - from).cross(q - from));
    let [x, y, z] = [volume(a, b), volume(b, c), volume(c, a)];
    (x >= 0.0 && y >= 0.0 && z >= 0.0) || (x <= 0.0 && y <= 0.0 && z <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_and_what_is_in_the_way_of_a_roof() {
        let vertices = vec![DVec3::new(-2.0, -2.0, 1.0), DVec3::new(2.0, -2.0, 1.0), DVec3::new(0.0, 3.0, 1.0)];
        let ground = Ground::new(vertices, vec![[0, 1, 2]]);
        assert_eq!(ground.nearest(DVec3::new(0.0, 0.0, 1.5), 2.0).map(|near| near.distance), Some(0.5));
        assert_eq!(ground.nearest(DVec3::new(0.0, 0.0, 0.3), 2.0).map(|near| near.point.z), Some(0.0));
        assert_eq!(ground.nearest(DVec3::new(0.0, 0.0, 9.0), 2.0), None);
        assert!(ground.blocks(DVec3::new(0.0, 0.0, 1.5), DVec3::new(0.1, 0.2, 0.5)));
        assert!(!ground.blocks(DVec3::new(0.0, 0.0, 1.5), DVec3::new(0.1, 0.2, 1.1)));
        assert!(!ground.blocks(DVec3::new(2.0, 2.0, 1.5), DVec3::new(2.0, 2.0, 0.5)));
        assert_eq!((ground.top(0.0, 0.0), ground.top(1.9, 2.5)), (1.0, 0.0));
    }

    #[test]
    fn the_closest_point_of_a_triangle_is_closer_than_any_sample() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut place = || DVec3::from_array(std::array::from_fn(|_| 2.0 * random.f64() - 1.0));
        for _ in 0..200 {
            let (p, [a, b, c]) = (place(), [place(), place(), place()]);
            let found = closest_on_triangle(p, [a, b, c]).distance(p);
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    assert!(found <= (a + (b - a) * u + (c - a) * v).distance(p) + 1e-12);
                }
            }
        }
    }
}
