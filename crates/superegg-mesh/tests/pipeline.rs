//! The whole pipeline against brute force over all feature pairs, with every switch on and off.

use std::collections::BTreeMap;

use proptest::prelude::*;
use superegg_mesh::ccd::elementary::{Margin, edge_edge, edge_edge_curved, vertex_face, vertex_face_curved};
use superegg_mesh::ccd::{Bounds, ContourTest, Culling, Detector, Options, OrphanSet, Report, Search, start_positions};
use superegg_mesh::scene::Scene;
use superegg_mesh::{DVec3, Topology, TriangleMesh};

type Hits = (BTreeMap<[u32; 2], f64>, BTreeMap<[[u32; 2]; 2], f64>);

/// Every vertex–face and edge–edge pair without a common vertex, one by one.
fn brute_force<const N: usize>(topology: &Topology, layers: [&[DVec3]; N], margin: Margin) -> Hits {
    let at = |vertices: [u32; 4]| layers.map(|layer| vertices.map(|v| layer[v as usize]));
    let vertex_face = |vertices: [u32; 4]| match at(vertices).as_slice() {
        [start, end] => vertex_face(start, end, margin),
        _ => vertex_face_curved(&at(vertices), margin),
    };
    let edge_edge = |vertices: [u32; 4]| match at(vertices).as_slice() {
        [start, end] => edge_edge(start, end, margin),
        _ => edge_edge_curved(&at(vertices), margin),
    };
    let mut hits = Hits::default();
    for (face, &[a, b, c]) in (0u32..).zip(topology.triangles()) {
        for vertex in 0..topology.vertex_count() as u32 {
            if ![a, b, c].contains(&vertex)
                && !topology.triangles_of_vertex(vertex).is_empty()
                && let Some(time) = vertex_face([vertex, a, b, c])
            {
                hits.0.insert([vertex, face], time);
            }
        }
    }
    let mut edges = topology.edges().to_vec();
    edges.sort_unstable();
    for (i, &[a, b]) in edges.iter().enumerate() {
        for &[c, d] in &edges[i + 1..] {
            if a != c
                && a != d
                && b != c
                && b != d
                && let Some(time) = edge_edge([a, b, c, d])
            {
                hits.1.insert([[a, b], [c, d]], time);
            }
        }
    }
    hits
}

fn hits_of(report: &Report) -> Hits {
    let vertex_face = report.vertex_face.iter().map(|hit| ([hit.vertex, hit.face], hit.time)).collect();
    let edge_edge = report.edge_edge.iter().map(|hit| (hit.edges, hit.time)).collect();
    (vertex_face, edge_edge)
}

/// All combinations of switches.
fn cullings() -> Vec<Culling> {
    let mut all = Vec::new();
    for bounds in [Bounds::SweptBoxes, Bounds::Swept18Dops, Bounds::Moving18Dops] {
        for bits in 0..256 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            all.push(Culling {
                bounds,
                two_level: on(0),
                normal_cones: on(1),
                contour: ContourTest { boxes: on(5), reuse_projections: on(6), remember_crossings: on(7) },
                orphans: on(2),
                representatives: on(3),
                feature_bounds: on(4),
            });
        }
    }
    all
}

fn check(mesh: &TriangleMesh, start: &[DVec3], end: &[DVec3], margin: Margin, cullings: &[Culling]) -> usize {
    check_curved(mesh, [start, end], margin, cullings)
}

fn check_curved<const N: usize>(
    mesh: &TriangleMesh,
    layers: [&[DVec3]; N],
    margin: Margin,
    cullings: &[Culling],
) -> usize {
    let topology = Topology::new(mesh.positions().len(), mesh.triangles().to_vec()).unwrap();
    let wanted = brute_force(&topology, layers, margin);
    let first = wanted.0.values().chain(wanted.1.values()).copied().reduce(f64::min);
    for &culling in cullings {
        let options = Options { search: Search::AllCollisions, margin, culling };
        let report = Detector::new(mesh, options).detect_curved(layers).unwrap();
        assert_eq!(hits_of(&report), wanted, "{culling:?}");
        assert_eq!(report.time_of_impact, first, "{culling:?}");
        let found = report.vertex_face.len() + report.edge_edge.len();
        assert_eq!(found, wanted.0.len() + wanted.1.len(), "each once: {culling:?}");
        let options = Options { search: Search::FirstContact, margin, culling };
        let report = Detector::new(mesh, options).detect_curved(layers).unwrap();
        assert_eq!(report.time_of_impact, first, "first contact: {culling:?}");
        let witness: Vec<f64> = hits_of(&report).0.into_values().chain(hits_of(&report).1.into_values()).collect();
        assert_eq!(witness, first.into_iter().collect::<Vec<_>>(), "one witness: {culling:?}");
    }
    wanted.0.len() + wanted.1.len()
}

/// A small generator of numbers, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next() - 0.5, self.next() - 0.5, self.next() - 0.5) * 2.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n - 1)
    }
}

/// A sheet of `n` by `m` squares.
fn sheet(n: u32, m: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let positions = (0..=m).flat_map(|j| (0..=n).map(move |i| DVec3::new(f64::from(i), f64::from(j), 0.0))).collect();
    let mut triangles = Vec::new();
    for j in 0..m {
        for i in 0..n {
            let a = j * (n + 1) + i;
            let (b, c, d) = (a + 1, a + n + 2, a + n + 1);
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    (positions, triangles)
}

fn tetrahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    (vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
}

/// A name, vertices and triangles.
type Named = (&'static str, Vec<DVec3>, Vec<[u32; 3]>);

/// Topologies of all kinds, small enough to try all feature pairs.
fn topologies(random: &mut Random) -> Vec<Named> {
    let ring = |n: u32| -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(n);
        let positions = (0..2 * n).map(|i| DVec3::new(angle(i / 2).cos(), angle(i / 2).sin(), f64::from(i % 2)));
        let around = |i: u32| i % (2 * n);
        let triangles = (0..2 * n).map(|i| {
            let corners = [i, around(i + 1), around(i + 2)];
            if i % 2 == 0 { corners } else { [corners[1], corners[0], corners[2]] }
        });
        (positions.collect(), triangles.collect())
    };
    let fan = |n: u32| -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let rim = (0..n).map(|i| DVec3::new(f64::from(i).cos(), f64::from(i).sin(), 0.3));
        (std::iter::once(DVec3::ZERO).chain(rim).collect(), (1..n).map(|i| [0, i, i + 1]).collect())
    };
    let mut soup = (Vec::new(), Vec::new());
    for i in 0..8u32 {
        let middle = random.vector() * 2.0;
        soup.0.extend([0, 1, 2].map(|_| middle + random.vector()));
        soup.1.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    // Triangles between random vertices: non-manifold edges, pinched vertices, repeated corners, doubled faces.
    let tangle: Vec<[u32; 3]> = (0..14).map(|_| [0, 1, 2].map(|_| random.below(9) as u32)).collect();
    let positions: Vec<DVec3> = (0..10).map(|_| random.vector()).collect();
    // Two sheets in one mesh, one over the other.
    let (mut two, mut faces) = sheet(3, 3);
    let upper: Vec<DVec3> = two.iter().map(|p| *p + DVec3::new(0.3, 0.2, 0.4)).collect();
    let shift = two.len() as u32;
    two.extend(upper);
    faces.extend(faces.clone().iter().map(|t| t.map(|v| v + shift)));
    // A closed pyramid on four sides.
    let pyramid = vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]];
    let base = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.5, 1.0)];
    let whole = |name, (positions, triangles)| (name, positions, triangles);
    vec![
        whole("sheet", sheet(4, 4)),
        whole("strip", sheet(7, 1)),
        whole("tetrahedron", tetrahedron()),
        whole("pyramid", (base, pyramid)),
        whole("ring of three", ring(3)),
        whole("ring of six", ring(6)),
        whole("fan", fan(7)),
        whole("soup", soup),
        whole("tangle", (positions, tangle)),
        whole("two sheets", (two, faces)),
    ]
}

#[test]
fn every_switch_finds_what_brute_force_finds() {
    let mut random = Random(1);
    let all = cullings();
    let mut total = 0;
    for round in 0..100 {
        for (name, positions, triangles) in topologies(&mut random) {
            let scale = 10f64.powi(random.below(13) as i32 - 6);
            let offset = if round % 3 == 0 { random.vector() * 100.0 } else { DVec3::ZERO };
            let motion = [0.0, 0.01, 0.3, 1.5][round % 4];
            let folded = round % 5 == 0;
            let mut frame = |motion: f64| -> Vec<DVec3> {
                let bend = random.vector();
                positions
                    .iter()
                    .map(|p| {
                        let mut p = *p + random.vector() * motion;
                        if folded {
                            // Creased over its middle, so that one half comes down on the other.
                            p = DVec3::new((p.x - 1.7).abs(), p.y, p.z + 0.1 * bend.z * p.x);
                        }
                        (p + offset) * scale
                    })
                    .collect()
            };
            let (start, end) = (frame(motion), frame(motion));
            let mesh = TriangleMesh::new(start.clone(), triangles).unwrap();
            let separation = if round % 6 == 5 { 0.05 * scale } else { 0.0 };
            // All switches for some, a few for the others.
            let chosen: Vec<Culling> = all.iter().copied().filter(|_| random.next() < 0.0075).collect();
            println!("round {round}: {name}");
            total += check(&mesh, &start, &end, Margin::separation(separation).unwrap(), &chosen);
        }
    }
    assert!(total > 6_000, "only {total} collisions");
}

/// Quadratic and cubic paths: smooth ones that all vertices share in part, and wild ones.
#[test]
fn curved_motion_agrees_with_brute_force() {
    let mut random = Random(3);
    let all = cullings();
    let mut total = [0; 2];
    for round in 0..12 {
        for (name, positions, triangles) in topologies(&mut random) {
            let scale = 10f64.powi(random.below(13) as i32 - 6);
            let wildness = [0.02, 0.3, 1.0][round % 3];
            let mut layer = || -> Vec<DVec3> {
                let drift = random.vector();
                positions.iter().map(|p| (*p + drift + random.vector() * wildness) * scale).collect()
            };
            let layers = [layer(), layer(), layer(), layer()];
            let mesh = TriangleMesh::new(layers[0].clone(), triangles).unwrap();
            let margin = Margin::separation(if round % 6 == 5 { 0.05 * scale } else { 0.0 }).unwrap();
            let chosen: Vec<Culling> = all.iter().copied().filter(|_| random.next() < 0.004).collect();
            println!("round {round}: {name}");
            let [a, b, c, d] = layers.each_ref().map(|layer| layer.as_slice());
            total[0] += check_curved(&mesh, [a, b, c], margin, &chosen);
            total[1] += check_curved(&mesh, [a, b, c, d], margin, &chosen);
        }
    }
    assert!(total.iter().all(|&collisions| collisions > 250), "only {total:?} collisions");
}

/// A sheet that is thrown up and bulges on the way, all along parabolas and cubics: one contour test proves it free.
#[test]
fn normal_cones_prove_smooth_patches_free_on_curved_paths() {
    let (flat, triangles) = sheet(24, 24);
    let layer = |up: f64, height: f64| -> Vec<DVec3> {
        let bump = |p: &DVec3| (-(*p - DVec3::new(12.0, 12.0, 0.0)).length_squared() / 60.0).exp();
        flat.iter().map(|p| *p + DVec3::new(0.3 * up, 0.0, up + height * bump(p))).collect()
    };
    let layers = [layer(0.0, 0.1), layer(4.0, 2.0), layer(3.0, -1.5), layer(1.0, 0.5)];
    let mesh = TriangleMesh::new(layers[0].clone(), triangles).unwrap();
    let mut detector = Detector::new(&mesh, Options::default());
    let [a, b, c, d] = layers.each_ref().map(|layer| layer.as_slice());
    for report in [detector.detect_curved([a, b, c]).unwrap(), detector.detect_curved([a, b, c, d]).unwrap()] {
        assert_eq!(report.time_of_impact, None);
        assert_eq!(report.stats.culled.normal_cone, 1, "the whole sheet at once");
        assert_eq!(report.stats.elementary_tests, 0);
    }
    // A detector goes back to linear motion without a trace.
    assert_eq!(detector.detect(a, d).unwrap().time_of_impact, None);
}

/// The accelerations of the contour test change its cost, not what is found.
#[test]
fn contour_accelerations_change_no_answer() {
    let mut random = Random(9);
    let (flat, triangles) = sheet(40, 40);
    let mut frame = || -> Vec<DVec3> {
        let wave = random.next();
        let rise = |p: &DVec3| DVec3::new(0.0, 0.0, 2.0 * (0.5 * p.x + wave).sin() + 1.5 * (0.4 * p.y).cos());
        flat.iter().map(|p| *p + rise(p) + random.vector() * 0.05).collect()
    };
    let (start, end) = (frame(), frame());
    let mesh = TriangleMesh::new(start.clone(), triangles).unwrap();
    let reports = [ContourTest::ALL, ContourTest::NONE].map(|contour| {
        let culling = Culling { contour, ..Culling::ALL };
        Detector::new(&mesh, Options { culling, ..Options::default() }).detect(&start, &end).unwrap()
    });
    assert_eq!(hits_of(&reports[0]), hits_of(&reports[1]));
    assert!(reports.iter().all(|report| report.stats.culled.normal_cone > 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Coordinates on a small lattice: coplanar, collinear and coinciding features are the rule.
    #[test]
    fn lattice_motions_agree_with_brute_force(
        corners in prop::collection::vec([0..8u32, 0..8, 0..8], 1..14),
        start in prop::collection::vec([-2..=2i32, -2..=2, -2..=2], 8),
        end in prop::collection::vec([-2..=2i32, -2..=2, -2..=2], 8),
        flat in any::<bool>(),
    ) {
        let frame = |lattice: &[[i32; 3]]| -> Vec<DVec3> {
            lattice.iter().map(|&[x, y, z]| DVec3::new(x.into(), y.into(), if flat { 0.0 } else { z.into() })).collect()
        };
        let (start, end) = (frame(&start), frame(&end));
        let mesh = TriangleMesh::new(start.clone(), corners).unwrap();
        check(&mesh, &start, &end, Margin::EXACT, &[Culling::ALL, Culling::BASE]);
    }

    /// Each feature pair is an orphan or has non-adjacent triangles, never both, on any topology.
    #[test]
    fn orphans_are_exactly_the_pairs_without_non_adjacent_triangles(
        corners in prop::collection::vec([0..9u32, 0..9, 0..9], 1..24),
    ) {
        let topology = Topology::new(9, corners).unwrap();
        let orphans = OrphanSet::new(&topology);
        let apart = |a: &[u32], b: &[u32]| a.iter().any(|&s| b.iter().any(|&t| !topology.adjacent(s, t)));
        let mut vertex_face = Vec::new();
        for vertex in 0..9 {
            for (face, corners) in (0u32..).zip(topology.triangles()) {
                let around = topology.triangles_of_vertex(vertex);
                if !corners.contains(&vertex) && !around.is_empty() && !apart(around, &[face]) {
                    vertex_face.push([vertex, face]);
                }
            }
        }
        let mut edge_edge = Vec::new();
        for (i, a) in (0u32..).zip(topology.edges()) {
            for (j, b) in (0u32..).zip(topology.edges()) {
                if a < b && !b.contains(&a[0]) && !b.contains(&a[1])
                    && !apart(topology.triangles_of_edge(i), topology.triangles_of_edge(j))
                {
                    edge_edge.push([*a, *b]);
                }
            }
        }
        edge_edge.sort_unstable();
        prop_assert_eq!(orphans.vertex_face(), vertex_face);
        prop_assert_eq!(orphans.edge_edge(), edge_edge);
    }

    /// Following a change of topology gives the same orphans as starting anew.
    #[test]
    fn orphans_follow_changes_of_topology(
        before in prop::collection::vec([0..12u32, 0..12, 0..12], 1..24),
        changes in prop::collection::vec((0..30usize, [0..14u32, 0..14, 0..14]), 0..6),
        kept in 1..30usize,
    ) {
        let mut after = before.clone();
        for (index, corners) in changes {
            match after.get_mut(index) {
                Some(triangle) => *triangle = corners,
                None => after.push(corners),
            }
        }
        after.truncate(kept);
        let [old, new] = [(12, before), (14, after)].map(|(vertices, t)| Topology::new(vertices, t).unwrap());
        let mut orphans = OrphanSet::new(&old);
        orphans.update(&old, &new);
        prop_assert_eq!(orphans, OrphanSet::new(&new));
    }
}

/// A detector that follows random changes of topology finds what brute force finds.
#[test]
fn changing_topologies_agree_with_brute_force() {
    let mut random = Random(11);
    let (flat, mut triangles) = sheet(5, 5);
    let mut start: Vec<DVec3> = flat.iter().map(|p| *p + random.vector() * 0.2).collect();
    let mesh = TriangleMesh::new(start.clone(), triangles.clone()).unwrap();
    let mut detector = Detector::new(&mesh, Options::default());
    let mut total = 0;
    for round in 0..40 {
        if round % 5 == 4 {
            // Sewn together anywhere, or gone.
            let (triangle, corner) = (random.below(triangles.len()), random.below(3));
            triangles[triangle][corner] = random.below(start.len()) as u32;
            triangles.pop();
        } else {
            let (triangle, corner) = (random.below(triangles.len()), random.below(3));
            start.push(start[triangles[triangle][corner] as usize]);
            triangles[triangle][corner] = start.len() as u32 - 1;
        }
        let end: Vec<DVec3> = start.iter().map(|p| *p + random.vector() * 0.3).collect();
        let mesh = TriangleMesh::new(end.clone(), triangles.clone()).unwrap();
        detector.change_topology(&mesh);
        let report = detector.detect(&start, &end).unwrap();
        let wanted = brute_force(detector.topology(), [&start, &end], Margin::EXACT);
        assert_eq!(hits_of(&report), wanted, "round {round}");
        assert_eq!(report.vertex_face.len() + report.edge_edge.len(), wanted.0.len() + wanted.1.len());
        total += wanted.0.len() + wanted.1.len();
        start = end;
    }
    assert!(total > 1_000, "only {total} collisions");
}

/// A smooth bump that rises: normal cones prove most of it free, and the answer is the same.
#[test]
fn normal_cones_prove_smooth_patches_free() {
    let (flat, triangles) = sheet(24, 24);
    let bump = |p: &DVec3, height: f64| {
        let d = (*p - DVec3::new(12.0, 12.0, 0.0)).length_squared();
        DVec3::new(p.x, p.y, height * (-d / 60.0).exp())
    };
    let frame = |height: f64| -> Vec<DVec3> { flat.iter().map(|p| bump(p, height)).collect() };
    let mesh = TriangleMesh::new(frame(1.0), triangles).unwrap();
    let mut detector = Detector::new(&mesh, Options::default());
    let report = detector.detect(&frame(0.2), &frame(1.0)).unwrap();
    assert_eq!(report.time_of_impact, None);
    assert_eq!(report.stats.culled.normal_cone, 1, "the whole sheet at once");
    assert_eq!(report.stats.elementary_tests, 0);
    // A half turn is no linear motion: a sheet that is mirrored passes through itself, and its cone is open.
    let (flat, triangles) = sheet(5, 5);
    let start: Vec<DVec3> = flat.iter().map(|p| bump(&(*p + DVec3::new(9.5, 9.5, 0.0)), 1.0)).collect();
    let end: Vec<DVec3> = start.iter().map(|p| DVec3::new(24.0 - p.x, p.y, -p.z)).collect();
    let mesh = TriangleMesh::new(start.clone(), triangles).unwrap();
    assert!(check(&mesh, &start, &end, Margin::EXACT, &[Culling::ALL, Culling::BASE]) > 0);
}

/// A spiral ramp whose normals all point up, but whose turns pass through each other: the contour test must see it.
#[test]
fn a_ramp_over_itself_is_not_proved_free() {
    let turns = 40u32;
    let point = |i: u32, outer: bool, squeeze: f64| {
        let angle = f64::from(i) / f64::from(turns) * 2.0 * std::f64::consts::TAU;
        let radius = if outer { 2.0 } else { 1.0 };
        // The height first rises and then falls back to the level of the turn below.
        let height = if i < turns / 2 { f64::from(i) } else { f64::from(i) * squeeze };
        DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.02 * height)
    };
    let frame = |squeeze: f64| -> Vec<DVec3> {
        (0..=turns).flat_map(|i| [point(i, false, squeeze), point(i, true, squeeze)]).collect()
    };
    let triangles =
        (0..turns).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]).collect();
    let mesh = TriangleMesh::new(frame(1.0), triangles).unwrap();
    let with_cones: Vec<Culling> = cullings().into_iter().filter(|c| c.normal_cones).step_by(41).collect();
    assert!(check(&mesh, &frame(1.0), &frame(0.4), Margin::EXACT, &with_cones) > 0);
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut random = Random(5);
    let (flat, triangles) = sheet(60, 60);
    let frame = |random: &mut Random| -> Vec<DVec3> { flat.iter().map(|p| *p + random.vector() * 0.8).collect() };
    let (start, end) = (frame(&mut random), frame(&mut random));
    let mesh = TriangleMesh::new(start.clone(), triangles).unwrap();
    for search in [Search::AllCollisions, Search::FirstContact] {
        let reports: Vec<Report> = [1, 2, 5]
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let options = Options { search, ..Options::default() };
                let mut report = pool.install(|| Detector::new(&mesh, options).detect(&start, &end)).unwrap();
                report.stats.ms = Default::default();
                report
            })
            .into();
        assert!(reports[0].time_of_impact.is_some());
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
    }
}

#[test]
fn wrong_input_is_refused() {
    let (positions, triangles) = tetrahedron();
    let mesh = TriangleMesh::new(positions.clone(), triangles).unwrap();
    let mut detector = Detector::new(&mesh, Options::default());
    let short = detector.detect(&positions[..3], &positions).unwrap_err();
    assert_eq!(short.to_string(), "3 positions for a mesh of 4 vertices");
    let mut broken = positions.clone();
    broken[2].y = f64::NAN;
    assert!(detector.detect(&positions, &broken).unwrap_err().to_string().starts_with("vertex 2: coordinate NaN"));
    let empty = TriangleMesh::new(Vec::new(), Vec::new()).unwrap();
    let report = Detector::new(&empty, Options::default()).detect(&[], &[]).unwrap();
    assert_eq!(report.time_of_impact, None);
}

/// Whole scenes, topology changes included: all culling against none.
#[test]
fn scenes_have_the_same_collisions_with_and_without_culling() {
    for scene in Scene::ALL {
        let mut collisions = 0;
        let detail = if scene == Scene::Letters { 0.3 } else { 0.02 };
        let mut from = scene.frame(17, detail);
        let mut detector = Detector::new(&from, Options::default());
        for index in 18..24 {
            let to = scene.frame(index, detail);
            if detector.topology().triangles() != to.triangles() {
                detector.change_topology(&to);
            }
            let start = start_positions(&from, &to);
            let report = detector.detect(&start, to.positions()).unwrap();
            let base = Options { culling: Culling::BASE, ..Options::default() };
            let wanted = Detector::new(&to, base).detect(&start, to.positions()).unwrap();
            assert_eq!(hits_of(&report), hits_of(&wanted), "{} frame {index}", scene.name());
            assert_eq!(detector.orphans(), &OrphanSet::new(detector.topology()), "{} frame {index}", scene.name());
            collisions += report.vertex_face.len() + report.edge_edge.len();
            from = to;
        }
        assert!(collisions > 0, "{} has no collisions", scene.name());
    }
}

/// The triangles of a fan are all adjacent: their orphans grow with the square of their number and were gigabytes for one
/// polygon of 20,000 corners. They are met one by one instead, with the same collisions.
#[test]
fn large_fans_are_searched_without_a_list_of_orphans() {
    let count = 700u32;
    let place = |i: u32, lift: f64| {
        let angle = f64::from(i) * std::f64::consts::TAU / f64::from(count);
        DVec3::new(angle.cos(), angle.sin(), lift * (3.0 * angle).sin())
    };
    // A flat disc, and one whose rim is folded over the middle.
    let flat: Vec<DVec3> = (0..count).map(|i| place(i, 0.0)).chain([DVec3::ZERO]).collect();
    let mut folded: Vec<DVec3> = (0..count).map(|i| place(i, 0.3)).chain([DVec3::ZERO]).collect();
    folded.iter_mut().filter(|p| p.x > 0.6).for_each(|p| *p = DVec3::new(0.2 - p.x, p.y, 0.1 - p.z));
    let triangles = (0..count).map(|i| [i, (i + 1) % count, count]).collect();
    let mesh = TriangleMesh::new(flat.clone(), triangles).unwrap();
    let mut detector = Detector::new(&mesh, Options::default());
    assert!(detector.orphans().is_empty());
    let found = detector.detect(&flat, &folded).unwrap();
    let mut plain = Detector::new(&mesh, Options { culling: Culling::BASE, ..Options::default() });
    let expected = plain.detect(&flat, &folded).unwrap();
    assert!(!expected.edge_edge.is_empty());
    assert_eq!((found.vertex_face, found.edge_edge), (expected.vertex_face, expected.edge_edge));
}
