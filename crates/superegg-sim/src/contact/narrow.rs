//! Which method finds the points of a pair.

use superegg::query::WarmStart;
use superegg::shape::Shape;
use superegg_world::geometry::Geometry;

use super::manifold::{Found, Sought};
use super::smooth_mesh::{mesh_on_plane, on_mesh};
use super::smooth_smooth::{of_smooth, on_plane};
use crate::SimError;
use crate::body::Placed;

/// The points of an egg and another proxy, or of a mesh and a plane.
pub(crate) fn find(a: &Placed, b: &Placed, warm: Option<WarmStart>, sought: &Sought) -> Result<Found, SimError> {
    let margin = sought.margin;
    match (&a.proxy.geometry, &b.proxy.geometry) {
        (Geometry::Mesh(mesh), Geometry::Shape(Shape::Plane(plane))) => {
            let up = b.axes * plane.normal();
            Ok(mesh_on_plane(a, b, mesh, up, plane.offset() + up.dot(b.origin), margin))
        }
        (_, Geometry::Shape(Shape::Plane(plane))) => {
            let up = b.axes * plane.normal();
            Ok(on_plane(a, b, up, plane.offset() + up.dot(b.origin), margin))
        }
        (_, Geometry::Mesh(mesh)) => on_mesh(a, b, mesh, sought),
        _ => of_smooth(a, b, warm, margin),
    }
}
