//! Several parts, their metrics and their proofs.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::{Spacing, Superellipsoid, Superovoid};
use superegg_fit::{
    Containment, Count, Family, Part, PartsOptions, SetOptions, Target, Threads, enclose_all, fit_parts, metrics,
    union_mesh,
};
use superegg_mesh::TriangleMesh;
use testkit::generate::everyday::everyday_things;

fn thing(name: &str) -> TriangleMesh {
    let thing = everyday_things().into_iter().find(|thing| thing.name == name).unwrap();
    TriangleMesh::new(thing.positions, thing.triangles).unwrap()
}

#[test]
fn a_dumbbell_is_two_balls() {
    let ball = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap().tessellate(600, Spacing::Angles).unwrap().vertices;
    let points = ball.iter().flat_map(|p| [*p, *p * 0.7 + DVec3::X * 2.5]).collect();
    let target = Target::from_points(points).unwrap();
    let found = fit_parts(&target, &PartsOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(found.parts.len(), 2);
    let mut radii: Vec<f64> = found.parts.iter().map(|part| part.shape.radii()[0]).collect();
    radii.sort_by(f64::total_cmp);
    assert!((radii[0] - 0.7).abs() < 1e-2 && (radii[1] - 1.0).abs() < 1e-2, "{radii:?}");
    let measured = metrics(&found.parts, &target, Threads::One).unwrap();
    assert!(measured.gap.p95 < 1e-2 && measured.chamfer < 5e-2 && measured.volume.is_none());
}

#[test]
fn metrics_of_a_known_pair() {
    // A ball of radius 1 for a mesh of one of radius 0.8: all is covered, protrusion and gap are 0.2.
    let soup = Superellipsoid::new([0.8; 3], [1.0; 2]).unwrap().tessellate(4000, Spacing::Angles).unwrap();
    let target = Target::from_mesh(TriangleMesh::new(soup.vertices, soup.triangles).unwrap()).unwrap();
    let part = Part { shape: Superovoid::new([1.0; 3], [1.0; 2], [0.0; 2]).unwrap(), pose: Pose::IDENTITY };
    let measured = metrics(&[part], &target, Threads::One).unwrap();
    assert_eq!((measured.count, measured.coverage), (1, 1.0));
    // The meshes miss their balls by some 0.2 %, the grid's cells volumes by about 1 %.
    for value in
        [measured.protrusion.mean, measured.protrusion.max, measured.gap.mean, measured.gap.max, measured.chamfer]
    {
        assert!((value - 0.2).abs() < 0.008, "{measured:?}");
    }
    let volume = measured.volume.unwrap();
    assert!((volume.iou - 0.512).abs() < 0.01 && (volume.ratio - 1.0 / 0.512).abs() < 0.03, "{volume:?}");
    // Exactly itself.
    let part = Part { shape: Superovoid::new([0.8; 3], [1.0; 2], [0.0; 2]).unwrap(), pose: Pose::IDENTITY };
    let measured = metrics(&[part], &target, Threads::One).unwrap();
    assert!(measured.volume.unwrap().iou > 0.99 && measured.gap.max < 2e-3);
}

#[test]
fn everyday_things_need_few_parts() {
    for name in ["die", "egg", "finger link", "chess knight"] {
        let target = Target::from_mesh(thing(name)).unwrap();
        let found = fit_parts(&target, &PartsOptions::default(), &mut |_| {}).unwrap();
        let measured = metrics(&found.parts, &target, Threads::One).unwrap();
        assert!(found.parts.len() <= 12 && measured.volume.unwrap().iou > 0.9, "{name}: {measured:?}");
    }
}

/// Whether the corners of a mesh's triangles and 45 points within each are inside one of the parts, by the gauge: no proof, but independent of
/// the certificate and of the planes that triangles were cut by. The gauge is wrong by some 1e-13.
fn covered(mesh: &TriangleMesh, parts: &[Part]) -> bool {
    let inside =
        |p: DVec3| parts.iter().any(|part| part.shape.gauge(part.pose.inverse_transform_point(p)) <= 1.0 + 1e-12);
    mesh.triangles().iter().all(|t| {
        let [a, b, c] = t.map(|v| mesh.positions()[v as usize]);
        (0..9).all(|i| (0..9 - i).all(|j| inside(a + (b - a) * (f64::from(i) / 8.0) + (c - a) * (f64::from(j) / 8.0))))
    })
}

#[test]
fn enclosing_parts_contain_every_triangle() {
    let mesh = thing("chess knight");
    let target = Target::from_mesh(mesh.clone()).unwrap();
    let options = PartsOptions { containment: Containment::Enclose, count: Count::Exactly(3), ..Default::default() };
    let found = fit_parts(&target, &options, &mut |_| {}).unwrap();
    assert!((1..=3).contains(&found.parts.len()) && found.certificate.is_some());
    assert!(covered(&mesh, &found.parts));
    assert_eq!(metrics(&found.parts, &target, Threads::One).unwrap().coverage, 1.0);
}

/// An L of two beams, as one closed mesh of few, long triangles.
fn angle() -> TriangleMesh {
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    let positions = [0.0, 1.0].iter().flat_map(|&y| outline.map(|[x, z]| DVec3::new(x, y, z))).collect();
    let mut triangles = Vec::new();
    // Two rectangles and a square make either face.
    for [a, b, c, d] in [[0u32, 1, 2, 3], [0, 3, 4, 5]] {
        triangles.extend([[a, b, c], [a, c, d], [a + 6, c + 6, b + 6], [a + 6, d + 6, c + 6]]);
    }
    for k in 0..6 {
        let l = (k + 1) % 6;
        triangles.extend([[k, k + 6, l + 6], [k, l + 6, l]]);
    }
    TriangleMesh::new(positions, triangles).unwrap()
}

#[test]
fn parts_go_where_they_take_most_from_the_protrusion() {
    let round = |exponent: f64| {
        let soup = Superellipsoid::new([1.0; 3], [exponent; 2]).unwrap().tessellate(200, Spacing::Curvature).unwrap();
        TriangleMesh::new(soup.vertices, soup.triangles).unwrap()
    };
    let meshes = [round(1.0), angle(), round(0.3)];
    let targets = meshes.clone().map(|mesh| Target::from_mesh(mesh).unwrap());
    let options = |parts, threads| SetOptions { family: Family::Superovoid, parts, threads };
    let single = enclose_all(&targets, &options(3, Threads::One), &mut |_| {}).unwrap();
    let mut told = vec![0.0];
    let found = enclose_all(&targets, &options(4, Threads::One), &mut |share| told.push(share)).unwrap();
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]) && told.last() == Some(&1.0));
    assert_eq!([0, 1, 2].map(|k| found[k].parts.len()), [1, 2, 1]);
    for (mesh, fit) in meshes.iter().zip(&found) {
        assert!(covered(mesh, &fit.parts) && fit.certificate.is_some());
    }
    let protrusion = |fit: &superegg_fit::PartsFit| metrics(&fit.parts, &targets[1], Threads::One).unwrap().protrusion;
    // Beams of 1 × 1 × 4 with edges: one body bridges the angle, two follow the beams.
    assert!(protrusion(&found[1]).p95 < 0.5 * protrusion(&single[1]).p95, "{:?}", protrusion(&found[1]));
    assert_eq!(found, enclose_all(&targets, &options(4, Threads::All), &mut |_| {}).unwrap());
    for parts in [0, 2, 3 * 256 + 1] {
        assert!(enclose_all(&targets, &options(parts, Threads::One), &mut |_| {}).is_err());
    }
    assert_eq!(enclose_all(&[], &options(0, Threads::One), &mut |_| {}), Ok(Vec::new()));
}

#[test]
fn the_union_has_no_hidden_triangles() {
    let ball = |x: f64| Part {
        shape: Superovoid::new([1.0; 3], [1.0; 2], [0.0; 2]).unwrap(),
        pose: Pose::from_translation(DVec3::X * x),
    };
    let parts = [ball(0.0), ball(1.0), ball(0.5)];
    let union = union_mesh(&parts).unwrap();
    for triangle in union.triangles() {
        let hidden = |v: u32| {
            let inside = |part: &&Part| {
                part.shape.gauge(part.pose.inverse_transform_point(union.positions()[v as usize])) < 1.0 - 1e-9
            };
            parts.iter().filter(inside).count() > 1
        };
        assert!(!triangle.iter().all(|&v| hidden(v)));
    }
}

#[test]
fn progress_only_grows() {
    let target = Target::from_mesh(thing("finger link")).unwrap();
    let mut told = vec![0.0];
    fit_parts(&target, &PartsOptions::default(), &mut |share| told.push(share)).unwrap();
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]) && told.last() == Some(&1.0));
}
