//! Meshes: closed, oriented, on the surface, of the wanted size, and better where they adapt.

use std::collections::HashMap;

use superegg::DVec3;
use superegg::shape::{IndexedTriangles, Spacing, Superellipsoid, Superovoid};

fn eggs() -> Vec<Superovoid> {
    let mut eggs = vec![];
    for e1 in [0.05, 0.4, 1.0, 1.95] {
        for e2 in [0.05, 0.7, 1.0, 1.95] {
            for taper in [[0.0, 0.0], [0.5, 0.5], [-0.9, 0.3]] {
                eggs.push(Superovoid::new([1.0, 0.02, 0.5], [e1, e2], taper).unwrap());
                eggs.push(Superovoid::new([1e-6, 2e-6, 0.3e-6], [e1, e2], taper).unwrap());
            }
        }
    }
    eggs
}

fn signed_volume(mesh: &IndexedTriangles) -> f64 {
    let corner = |index: u32| mesh.vertices[index as usize];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
}

/// How far the mesh lies from the surface at worst, to first order in the gauge, on a grid of each triangle.
fn worst_error(egg: &Superovoid, mesh: &IndexedTriangles) -> f64 {
    let mut worst = 0.0f64;
    for &[a, b, c] in &mesh.triangles {
        let [a, b, c] = [a, b, c].map(|index| mesh.vertices[index as usize]);
        for (u, v) in [(0.5, 0.5), (0.5, 0.0), (0.0, 0.5), (0.33, 0.33), (0.25, 0.0), (0.0, 0.25), (0.75, 0.25)] {
            let gauge = egg.gauge_derivatives(a + (b - a) * u + (c - a) * v);
            worst = worst.max((1.0 - gauge.value).abs() / gauge.gradient.length());
        }
    }
    worst
}

#[test]
fn meshes_are_closed_and_oriented() {
    for egg in eggs() {
        for spacing in [Spacing::Angles, Spacing::Curvature] {
            for wanted in [6, 50, 272] {
                let mesh = egg.tessellate(wanted, spacing).unwrap();
                let count = mesh.vertices.len();
                assert!(count <= wanted && count as f64 >= 0.8 * wanted as f64, "{count} of {wanted}");
                // Every edge once in each direction: watertight, and the same side out everywhere.
                let mut edges = HashMap::new();
                for &[a, b, c] in &mesh.triangles {
                    for edge in [(a, b), (b, c), (c, a)] {
                        *edges.entry(edge).or_insert(0) += 1;
                    }
                }
                assert!(edges.iter().all(|(&(a, b), &uses)| uses == 1 && edges.contains_key(&(b, a))));
                assert_eq!(count + mesh.triangles.len(), edges.len() / 2 + 2);
                for &vertex in &mesh.vertices {
                    assert!((egg.gauge(vertex) - 1.0).abs() < 1e-13, "{egg:?} {vertex}");
                }
                for vertex in [mesh.vertices[0], mesh.vertices[count - 1]] {
                    assert_eq!(vertex.abs(), DVec3::new(0.0, 0.0, egg.radii()[2]));
                }
                let volume = egg.mass_properties().volume;
                assert!(signed_volume(&mesh) > 0.1 * volume, "{egg:?} {spacing:?} {wanted}");
                if egg.is_convex() {
                    assert!(signed_volume(&mesh) <= volume * (1.0 + 1e-12));
                }
            }
        }
    }
}

#[test]
fn volumes_converge_with_the_second_order() {
    for spacing in [Spacing::Angles, Spacing::Curvature] {
        for exponents in [[0.5, 0.5], [1.0, 1.0], [1.5, 0.8]] {
            let egg = Superovoid::new([1.0, 1.5, 0.7], exponents, [0.2, 0.2]).unwrap();
            let volume = egg.mass_properties().volume;
            let missing = |count| 1.0 - signed_volume(&egg.tessellate(count, spacing).unwrap()) / volume;
            let (coarse, fine) = (missing(1000), missing(16_000));
            assert!(fine > 0.0 && fine < coarse / 8.0, "{exponents:?} {spacing:?} {coarse} {fine}");
        }
    }
}

#[test]
fn adapted_meshes_are_nearer_to_the_surface() {
    for (radii, exponents, taper, gain) in [
        ([1.0, 1.0, 1.0], [1.0, 1.0], [0.0, 0.0], 0.99),
        ([1.0, 0.1, 0.1], [1.0, 1.0], [0.0, 0.0], 3.0),
        ([0.1, 0.1, 1.0], [1.0, 1.0], [0.0, 0.0], 3.0),
        ([1.0, 1.0, 0.1], [0.5, 0.5], [0.0, 0.0], 1.7),
        ([0.1, 1.0, 10.0], [0.3, 0.8], [0.5, 0.5], 5.0),
        ([1.0, 0.2, 0.2], [1.6, 0.5], [0.0, 0.0], 2.5),
    ] {
        let egg = Superovoid::new(radii, exponents, taper).unwrap();
        let error = |spacing| worst_error(&egg, &egg.tessellate(1000, spacing).unwrap());
        let (even, adapted) = (error(Spacing::Angles), error(Spacing::Curvature));
        assert!(gain * adapted < even, "{egg:?} {even} {adapted}");
    }
}

#[test]
fn impossible_counts_are_refused() {
    let egg = Superellipsoid::new([1.0; 3], [1.0, 1.0]).unwrap();
    for count in [0, 5, usize::MAX] {
        let refused = egg.tessellate(count, Spacing::Angles).unwrap_err();
        assert_eq!(refused.field, "vertex_count");
    }
}
