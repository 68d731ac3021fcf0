//! The nearest of many points or triangles, and how often triangles wind around a point: a tree of boxes, halved at the middle of the
//! longest side.
//!
//! The winding number is the solid angle of all triangles over 4π (van Oosterom and Strackee 1983). Of boxes that are far away all
//! triangles together are taken for a dipole (Barill and others 2018, first order): wrong by some 1e-2, which tells inside
//! from outside.

use glam::DVec3;

/// Items in a leaf.
const LEAF: usize = 6;

/// Triangles (or points: triangles of three equal corners) in a tree of boxes.
pub(crate) struct Nearest {
    items: Vec<[DVec3; 3]>,
    nodes: Vec<Node>,
}

struct Node {
    low: DVec3,
    high: DVec3,
    /// First item and number of items of a leaf; first child and zero of others, whose second child comes after the first's.
    start: u32,
    count: u32,
    second: u32,
    /// The triangles' middle weighted by area, the sum of their area vectors, and how far they reach from the middle.
    middle: DVec3,
    area: DVec3,
    reach: f64,
}

/// A box is far away from here on, in units of its reach.
const FAR: f64 = 2.5;

impl Nearest {
    pub fn of_points(points: &[DVec3]) -> Nearest {
        Nearest::new(points.iter().map(|p| [*p; 3]).collect())
    }

    pub fn new(mut items: Vec<[DVec3; 3]>) -> Nearest {
        let mut nodes = Vec::with_capacity(items.len() / LEAF * 3 + 1);
        if !items.is_empty() {
            build(&mut items, 0, &mut nodes);
        }
        Nearest { items, nodes }
    }

    /// Distance to the nearest item; infinite if there are none.
    pub fn distance(&self, point: DVec3) -> f64 {
        let mut best = f64::INFINITY;
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push((self.box_distance_sq(0, point), 0u32));
        }
        while let Some((bound, node)) = stack.pop() {
            if bound >= best {
                continue;
            }
            let Node { start, count, second, .. } = self.nodes[node as usize];
            if count > 0 {
                for item in &self.items[start as usize..(start + count) as usize] {
                    best = best.min(closest_on_triangle(item, point).distance_squared(point));
                }
                continue;
            }
            let (a, b) = ((self.box_distance_sq(start, point), start), (self.box_distance_sq(second, point), second));
            let (near, far) = if a.0 <= b.0 { (a, b) } else { (b, a) };
            stack.push(far);
            stack.push(near);
        }
        best.sqrt()
    }

    /// How often the triangles wind around a point: about one inside of a closed mesh, zero outside, minus one if it is turned
    /// inside out.
    pub fn winding(&self, point: DVec3) -> f64 {
        let mut half_angle = 0.0;
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push(0u32);
        }
        while let Some(node) = stack.pop() {
            let node = &self.nodes[node as usize];
            let to = node.middle - point;
            let distance_sq = to.length_squared();
            if distance_sq > (FAR * node.reach).powi(2) {
                half_angle += 0.5 * node.area.dot(to) / (distance_sq * distance_sq.sqrt());
            } else if node.count > 0 {
                let items = &self.items[node.start as usize..(node.start + node.count) as usize];
                half_angle += items.iter().map(|item| half_solid_angle(item, point)).sum::<f64>();
            } else {
                stack.extend([node.start, node.second]);
            }
        }
        half_angle / std::f64::consts::TAU
    }

    /// The triangles.
    pub fn items(&self) -> &[[DVec3; 3]] {
        &self.items
    }

    fn box_distance_sq(&self, node: u32, point: DVec3) -> f64 {
        let Node { low, high, .. } = self.nodes[node as usize];
        (low - point).max(point - high).max(DVec3::ZERO).length_squared()
    }
}

fn build(items: &mut [[DVec3; 3]], offset: u32, nodes: &mut Vec<Node>) -> u32 {
    let low = items.iter().flatten().copied().reduce(DVec3::min).unwrap_or_default();
    let high = items.iter().flatten().copied().reduce(DVec3::max).unwrap_or_default();
    let index = nodes.len() as u32;
    let (mut area, mut middle, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for [a, b, c] in items.iter() {
        let across = 0.5 * (*b - *a).cross(*c - *a);
        let size = across.length();
        area += across;
        middle += (*a + *b + *c) * (size / 3.0);
        total += size;
    }
    let middle = if total > 0.0 { middle / total } else { 0.5 * (low + high) };
    let reach = (high - middle).max(middle - low).length();
    nodes.push(Node { low, high, start: offset, count: items.len() as u32, second: 0, middle, area, reach });
    if items.len() > LEAF {
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let middle = items.len() / 2;
        let key = |t: &[DVec3; 3]| t[0][axis] + t[1][axis] + t[2][axis];
        items.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
        let (first, second) = items.split_at_mut(middle);
        let first = build(first, offset, nodes);
        let second = build(second, offset + middle as u32, nodes);
        let node = &mut nodes[index as usize];
        (node.start, node.count, node.second) = (first, 0, second);
    }
    index
}

/// Half the solid angle of a triangle seen from a point.
pub(crate) fn half_solid_angle(triangle: &[DVec3; 3], point: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    volume.atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
}

/// The nearest point of a triangle, by the regions of its corners, edges and face (Ericson 2005, section 5.1.5).
pub(crate) fn closest_on_triangle(&[a, b, c]: &[DVec3; 3], p: DVec3) -> DVec3 {
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
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let denominator = 1.0 / (va + vb + vc);
    a + ab * (vb * denominator) + ac * (vc * denominator)
}
