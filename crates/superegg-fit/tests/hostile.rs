//! Input that nothing can be fitted to gets a clear error; odd input a documented answer; nothing panics or takes for ever.

use glam::DVec3;
use superegg::shape::{Spacing, Superellipsoid};
use superegg_fit::{Containment, Count, FitError, Options, PartsOptions, Target, fit, fit_parts};
use superegg_mesh::TriangleMesh;

fn ball_mesh(count: usize) -> TriangleMesh {
    let ball = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap();
    let soup = ball.tessellate(count, Spacing::Angles).unwrap();
    TriangleMesh::new(soup.vertices, soup.triangles).unwrap()
}

fn refused(points: Vec<DVec3>) -> FitError {
    match Target::from_points(points) {
        Ok(target) => fit(&target, &Options::default()).unwrap_err(),
        Err(error) => error,
    }
}

#[test]
fn too_few_points() {
    for count in 0..13u32 {
        let points =
            (0..count).map(|i| DVec3::new(f64::from(i), f64::from(i * i % 7), f64::from(i * 5 % 11))).collect();
        assert_eq!(refused(points), FitError::TooFewPoints { found: count as usize, needed: 13 });
    }
    // A thousand times the same few places.
    let points = (0..1000).map(|i| DVec3::new(f64::from(i % 2), f64::from(i % 3), f64::from(i % 2))).collect();
    assert_eq!(refused(points), FitError::TooFewPoints { found: 6, needed: 13 });
    assert_eq!(refused(vec![DVec3::ONE; 500]), FitError::TooFewPoints { found: 1, needed: 13 });
}

#[test]
fn flat_points() {
    let line = (0..100).map(|i| DVec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
    assert_eq!(refused(line), FitError::Flat("on a line"));
    let plane = (0..400).map(|i| DVec3::new(f64::from(i % 20), f64::from(i / 20), 5.0)).collect();
    assert_eq!(refused(plane), FitError::Flat("in a plane"));
    let far = (0..400).map(|i| DVec3::new(1e20 + f64::from(i), f64::from(i % 7), f64::from(i % 5))).collect();
    assert!(matches!(refused(far), FitError::Flat(_)));
}

#[test]
fn numbers_that_are_none() {
    let mut points: Vec<DVec3> = ball_mesh(100).positions().to_vec();
    points[7].y = f64::NAN;
    assert!(matches!(refused(points.clone()), FitError::Coordinate { index: 7, .. }));
    points[7].y = f64::INFINITY;
    assert!(matches!(refused(points.clone()), FitError::Coordinate { index: 7, .. }));
    points[7].y = 1e31;
    assert!(matches!(refused(points.clone()), FitError::Coordinate { index: 7, .. }));
    points[7].y = 0.0;
    for weights in [vec![1.0; 3], vec![-1.0; points.len()], vec![f64::NAN; points.len()]] {
        assert!(matches!(Target::from_weighted_points(points.clone(), weights), Err(FitError::Weights(_))));
    }
    let target = Target::from_weighted_points(points.clone(), vec![0.0; points.len()]).unwrap();
    assert!(matches!(fit(&target, &Options::default()), Err(FitError::TooFewPoints { found: 0, .. })));
}

#[test]
fn options_out_of_range() {
    let target = Target::from_mesh(ball_mesh(200)).unwrap();
    for count in [0, 257, usize::MAX] {
        let options = PartsOptions { count: Count::Exactly(count), ..PartsOptions::default() };
        assert!(matches!(fit_parts(&target, &options, &mut |_| {}), Err(FitError::InvalidInput(_))));
    }
    for error in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = PartsOptions { max_error: Some(error), ..PartsOptions::default() };
        assert!(matches!(fit_parts(&target, &options, &mut |_| {}), Err(FitError::InvalidInput(_))));
    }
}

#[test]
fn huge_and_tiny_coordinates() {
    let ball = ball_mesh(300);
    for scale in [1e-30, 1e-9, 1e9, 1e29] {
        let points: Vec<DVec3> = ball.positions().iter().map(|p| *p * scale).collect();
        for containment in [Containment::Free, Containment::Enclose] {
            let found =
                fit(&Target::from_points(points.clone()).unwrap(), &Options { containment, ..Options::default() });
            let radii = found.unwrap().part.shape.radii();
            assert!(radii.iter().all(|r| (r / scale - 1.0).abs() < 1e-6), "{scale} {radii:?}");
        }
    }
}

#[test]
fn open_and_inverted_meshes() {
    let (positions, mut triangles) = ball_mesh(400).into_parts();
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let inside = Options { containment: Containment::Inside, ..Options::default() };
    // Turned inside out, a mesh has the same inside.
    let inverted = TriangleMesh::new(positions.clone(), triangles.clone()).unwrap();
    let found = fit(&Target::from_mesh(inverted).unwrap(), &inside).unwrap();
    assert!(found.part.shape.radii().iter().all(|r| (0.9..=1.0).contains(r)));
    triangles.truncate(triangles.len() - 10);
    let open = TriangleMesh::new(positions.clone(), triangles).unwrap();
    let target = Target::from_mesh(open).unwrap();
    assert!(matches!(fit(&target, &inside), Err(FitError::Open { open_edges: 1.., .. })));
    assert!(fit(&target, &Options::default()).is_ok());
    let bare = TriangleMesh::new(positions, vec![[0, 0, 1]]).unwrap();
    assert_eq!(Target::from_mesh(bare).unwrap_err(), FitError::NoSurface);
}

#[test]
fn inscribed_shapes_stay_inside() {
    // An L: its middle is outside.
    let block = |low: DVec3, high: DVec3| {
        let soup = Superellipsoid::new([0.5; 3], [0.05; 2]).unwrap().tessellate(800, Spacing::Curvature).unwrap();
        let place = move |p: &DVec3| low + (*p + 0.5) * (high - low);
        (soup.vertices.iter().map(place).collect::<Vec<_>>(), soup.triangles)
    };
    let (mut positions, mut triangles) = block(DVec3::ZERO, DVec3::new(1.0, 1.0, 5.0));
    let (more, other) = block(DVec3::new(1.001, 0.0, 0.0), DVec3::new(6.0, 1.0, 1.0));
    let first = positions.len() as u32;
    positions.extend(more);
    triangles.extend(other.into_iter().map(|t| t.map(|v| v + first)));
    let mesh = TriangleMesh::new(positions, triangles).unwrap();
    let target = Target::from_mesh(mesh.clone()).unwrap();
    let found = fit(&target, &Options { containment: Containment::Inside, ..Options::default() }).unwrap();
    assert_eq!(found.certificate.unwrap().proved, mesh.triangles().len());
    assert!(found.part.shape.mass_properties().volume > 0.3);
    // Independent of the certificate: no vertex and no sample of the surface is inside the shape.
    for p in mesh.positions().iter().chain(target.points()) {
        assert!(found.part.shape.gauge(found.part.pose.inverse_transform_point(*p)) > 1.0 - 1e-9);
    }
}

/// The work does not grow with the number of points: as many evaluations, each of at most 16,384 points, as for a few thousand.
#[test]
fn a_million_points_take_no_hour() {
    let ball = Superellipsoid::new([1.0, 2.0, 3.0], [0.6, 0.8]).unwrap();
    let fitted = |count| {
        let points = ball.tessellate(count, Spacing::Angles).unwrap().vertices;
        let found = fit(&Target::from_points(points).unwrap(), &Options::default()).unwrap();
        assert!((found.part.shape.mass_properties().volume / ball.mass_properties().volume - 1.0).abs() < 1e-6);
        found.evaluations
    };
    let (few, many) = (fitted(4000), fitted(1_000_000));
    assert!(many <= 2 * few, "{many} {few}");
    // Enclosing looks at all of them only in the end, and for the proof.
    let points = ball.tessellate(100_000, Spacing::Angles).unwrap().vertices;
    let count = points.len();
    let options = Options { containment: Containment::Enclose, ..Options::default() };
    let found = fit(&Target::from_points(points).unwrap(), &options).unwrap();
    assert_eq!(found.certificate.unwrap().proved, count);
    assert!((found.part.shape.mass_properties().volume / ball.mass_properties().volume - 1.0).abs() < 1e-6);
}
