//! Elementary tests beside the plain cubic in double precision, on the same queries.

use std::hint::black_box;

use cpu_time::ThreadTime;
use superegg_mesh::DVec3;
use superegg_mesh::ccd::elementary::{Margin, edge_edge, vertex_face};

use super::plain::{plain_edge_edge, plain_vertex_face};

/// Nanoseconds a test, and how many of the queries collide.
#[derive(Clone, Copy, Debug)]
pub struct Elementary {
    /// `"vertex-face"` or `"edge-edge"`.
    pub kind: &'static str,
    /// Our conservative test.
    pub ours_ns: f64,
    /// The plain cubic.
    pub plain_ns: f64,
    /// Part of the queries that collide.
    pub colliding: f64,
    /// Part of the queries on which the two disagree.
    pub disagreeing: f64,
}

type Query = [[DVec3; 4]; 2];

/// Features of about unit size next to each other that move by about half their size: what bounds let through.
fn queries(count: usize) -> Vec<Query> {
    let mut state = 1u64;
    let mut number = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut vector = move || DVec3::new(number(), number(), number());
    (0..count)
        .map(|_| {
            let start: [DVec3; 4] = std::array::from_fn(|_| vector());
            [start, start.map(|p| p + vector())]
        })
        .collect()
}

/// Measures both tests, best of five passes over the same queries.
pub fn measure_elementary() -> [Elementary; 2] {
    let queries = queries(100_000);
    let time = |test: &dyn Fn(&Query) -> bool| {
        let passes = (0..5).map(|_| {
            let started = ThreadTime::now();
            for query in &queries {
                black_box(test(black_box(query)));
            }
            started.elapsed().as_secs_f64() * 1e9 / queries.len() as f64
        });
        passes.fold(f64::INFINITY, f64::min)
    };
    let compare = |kind, ours: &dyn Fn(&Query) -> bool, plain: &dyn Fn(&Query) -> bool| {
        let part = |is: &dyn Fn(&Query) -> bool| queries.iter().filter(|q| is(q)).count() as f64 / queries.len() as f64;
        Elementary {
            kind,
            ours_ns: time(ours),
            plain_ns: time(plain),
            colliding: part(ours),
            disagreeing: part(&|query| ours(query) != plain(query)),
        }
    };
    [
        compare("vertex-face", &|[start, end]| vertex_face(start, end, Margin::EXACT).is_some(), &|[start, end]| {
            plain_vertex_face(start, end).is_some()
        }),
        compare("edge-edge", &|[start, end]| edge_edge(start, end, Margin::EXACT).is_some(), &|[start, end]| {
            plain_edge_edge(start, end).is_some()
        }),
    ]
}
