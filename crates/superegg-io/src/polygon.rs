//! Polygons and what all readers make of them: vertices and triangles.

use glam::DVec3;

/// Vertices and triangles, indices unchecked.
pub(crate) type Parts = (Vec<DVec3>, Vec<[u32; 3]>);

/// Polygons of more corners than this are not cut into a fan.
const LARGEST_FAN: usize = 16;

/// Cuts a polygon into triangles: around its first corner or, where so many would meet there that everything which looks at
/// neighbours suffers, by halving it again and again, so that no corner has more triangles than twice the halvings.
pub(crate) fn cut_polygon(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    if corners.len() <= LARGEST_FAN {
        triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
        return;
    }
    let middle = corners.len() / 2;
    let halves = [&corners[..=middle], &corners[middle..]];
    triangles.push([corners[0], corners[middle], corners[corners.len() - 1]]);
    halves.into_iter().for_each(|half| cut_polygon(half, triangles));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fan of 20,000 triangles took collision detection over a minute and gigabytes.
    #[test]
    fn large_polygons_are_cut_so_that_few_triangles_meet_at_a_corner() {
        for count in [3, 4, 16, 17, 20_000] {
            let corners: Vec<u32> = (0..count).collect();
            let mut triangles = Vec::new();
            cut_polygon(&corners, &mut triangles);
            assert_eq!(triangles.len(), count as usize - 2);
            // As many as needed, each turned as the polygon is, and their areas add up to that of the polygon.
            let place = |v: u32| DVec3::new((f64::from(v) / 7e3).cos(), (f64::from(v) / 7e3).sin(), 0.0);
            let area = |[a, b, c]: [u32; 3]| (place(b) - place(a)).cross(place(c) - place(a)).z;
            let fan = (1..count - 1).map(|v| area([0, v, v + 1])).sum::<f64>();
            assert!(triangles.iter().all(|t| area(*t) > 0.0));
            assert!((triangles.iter().map(|t| area(*t)).sum::<f64>() - fan).abs() < 1e-9 * fan);
            let mut around = vec![0; count as usize];
            triangles.iter().flatten().for_each(|&v| around[v as usize] += 1);
            assert!(*around.iter().max().unwrap() <= 14 + 2 * 11, "{:?}", around.iter().max());
        }
    }
}
