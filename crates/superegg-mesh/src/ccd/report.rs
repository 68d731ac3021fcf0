//! What a query found and what it cost.

/// A vertex that meets a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexFace {
    /// The vertex.
    pub vertex: u32,
    /// The triangle.
    pub face: u32,
    /// A time in `[0, 1]` not after their first contact.
    pub time: f64,
}

/// An edge that meets another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdge {
    /// Both edges by their vertices, the smaller first, the smaller edge first.
    pub edges: [[u32; 2]; 2],
    /// A time in `[0, 1]` not after their first contact.
    pub time: f64,
}

/// How many tests each kind of culling spared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Culled {
    /// Patches proved free of self-contact by normal cone and contour.
    pub normal_cone: u64,
    /// Feature pairs left to the triangle pair that represents them.
    pub representative: u64,
    /// Pairs of adjacent triangles left to the orphan set.
    pub orphan: u64,
    /// Feature pairs whose bounds do not overlap.
    pub kdop: u64,
}

/// Where the time went. Over several threads, times of threads are added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Milliseconds {
    /// Bounds and the tree over objects.
    pub update: f64,
    /// Walking the hierarchy, normal cones and contour tests included.
    pub traverse: f64,
    /// Feature bounds, representatives and elementary tests.
    pub test: f64,
}

/// Counters and timings of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Pairs of triangles whose bounds overlap.
    pub triangle_pairs: u64,
    /// Feature pairs that went to an elementary test.
    pub elementary_tests: u64,
    /// Elementary tests that the cubic could not decide.
    pub refined_tests: u64,
    /// Orphan pairs tested.
    pub orphan_tests: u64,
    /// Contour tests made.
    pub contour_tests: u64,
    /// What culling spared.
    pub culled: Culled,
    /// Where the time went.
    pub ms: Milliseconds,
}

impl Stats {
    /// Adds the counters and times of another part of the query.
    pub(super) fn add(&mut self, other: &Stats) {
        self.triangle_pairs += other.triangle_pairs;
        self.elementary_tests += other.elementary_tests;
        self.refined_tests += other.refined_tests;
        self.orphan_tests += other.orphan_tests;
        self.contour_tests += other.contour_tests;
        self.culled.normal_cone += other.culled.normal_cone;
        self.culled.representative += other.culled.representative;
        self.culled.orphan += other.culled.orphan;
        self.culled.kdop += other.culled.kdop;
        self.ms.update += other.ms.update;
        self.ms.traverse += other.ms.traverse;
        self.ms.test += other.ms.test;
    }
}

/// The collisions between two frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// A time not after the first contact of all; `None` when nothing collides.
    pub time_of_impact: Option<f64>,
    /// Vertices that meet faces, sorted by vertex and face. For the first contact only: the witness, if it is one.
    pub vertex_face: Vec<VertexFace>,
    /// Edges that meet, sorted. For the first contact only: the witness, if it is one.
    pub edge_edge: Vec<EdgeEdge>,
    /// Counters and timings.
    pub stats: Stats,
}
