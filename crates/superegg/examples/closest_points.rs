//! Draws the picture of the README: two bodies and the shortest segment between them, as SVG.
//!
//! ```sh
//! cargo run --release --package superegg --example closest_points > docs/images/closest-points.svg
//! ```
//!
//! The lines on a body are lines of constant normal, points of its support function: they crowd where it bends and leave
//! its flat faces blank. The camera looks along a direction without perspective, so the outline of a body consists of
//! the points whose normal is square to that direction, and a point is visible when its normal leans towards the camera.

use std::f64::consts::TAU;
use std::fmt::Write;

use superegg::query::{Options, QueryError, distance};
use superegg::shape::{Shape, Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};

/// Size of the picture and length of a metre, in pixels.
const SIZE: [f64; 2] = [800.0, 400.0];
const METRE: f64 = 135.0;
/// Lines of constant normal in each direction, and pieces of a full line.
const MERIDIANS: usize = 24;
const PARALLELS: usize = 12;
const PIECES: usize = 192;

fn main() -> Result<(), QueryError> {
    let camera = Camera::looking_from(DVec3::new(-0.35, -1.0, 0.42));
    let die = Superellipsoid::new([0.9, 0.9, 0.9], [0.35, 0.35])?;
    let die_pose = Pose::new(DQuat::from_rotation_z(0.45) * DQuat::from_rotation_x(0.2), DVec3::new(-1.45, 0.0, 0.0))?;
    let egg = Superovoid::new([0.8, 0.8, 1.15], [1.0, 1.0], [-0.25, -0.25])?;
    let egg_pose = Pose::new(DQuat::from_rotation_y(-0.45), DVec3::new(1.35, 0.0, 0.1))?;

    let answer = distance(&Shape::from(die), &die_pose, &Shape::from(egg), &egg_pose, &Options::DEFAULT)?;

    let [width, height] = SIZE;
    let mut picture = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\n");
    picture += &camera.draw_body("die", ["#e8b04a", "#8a5a12"], &die_pose, |normal| die.support(normal));
    picture += &camera.draw_body("egg", ["#7fb3d8", "#23527c"], &egg_pose, |normal| egg.support(normal));
    let [from, to] = [answer.point_a, answer.point_b].map(|point| camera.project(point));
    picture += &format!("<g stroke=\"#d03030\" fill=\"#d03030\" stroke-width=\"3\">{}", path(&[from, to]));
    for [x, y] in [from, to] {
        picture += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
    }
    let [x, y] = [0, 1].map(|axis| 0.5 * (from[axis] + to[axis]));
    let label = format!("{:.3} m", answer.distance);
    picture += &format!(
        "</g>\n<text x=\"{x:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"18\" fill=\"#d03030\" \
         text-anchor=\"middle\">{label}</text>\n</svg>",
        y - 16.0
    );
    println!("{picture}");
    Ok(())
}

/// Looks along a direction, without perspective.
struct Camera {
    right: DVec3,
    up: DVec3,
    towards: DVec3,
}

impl Camera {
    fn looking_from(direction: DVec3) -> Camera {
        let towards = direction.normalize();
        let right = DVec3::Z.cross(towards).normalize();
        Camera { right, up: towards.cross(right), towards }
    }

    fn project(&self, point: DVec3) -> [f64; 2] {
        [0.5 * SIZE[0] + METRE * self.right.dot(point), 0.5 * SIZE[1] - METRE * self.up.dot(point)]
    }

    /// The outline and the visible lines of constant normal of a body that is given by its support points.
    fn draw_body(&self, name: &str, [fill, ink]: [&str; 2], pose: &Pose, support: impl Fn(DVec3) -> DVec3) -> String {
        let draw = |normal: &DVec3| self.project(pose.transform_point(support(*normal)));
        let sees = |normal: &DVec3| pose.transform_vector(*normal).dot(self.towards) >= 0.0;
        let edge_on = full_turn().map(|angle| self.right * angle.cos() + self.up * angle.sin());
        let outline: Vec<[f64; 2]> = edge_on.map(|normal| draw(&pose.inverse_transform_vector(normal))).collect();
        let mut drawing = format!(
            "<radialGradient id=\"{name}\" cx=\"0.38\" cy=\"0.3\" r=\"0.85\"><stop offset=\"0\" stop-color=\"#fff8e8\"/>\
             <stop offset=\"0.35\" stop-color=\"{fill}\"/><stop offset=\"1\" stop-color=\"{ink}\"/></radialGradient>\n\
             <g stroke=\"{ink}\" stroke-linejoin=\"round\" fill=\"url(#{name})\" stroke-width=\"2\">{}</g>\n\
             <g stroke=\"{ink}\" stroke-opacity=\"0.5\" fill=\"none\">",
            path(&outline)
        );
        let meridians = (0..MERIDIANS).map(|line| TAU * (line as f64 + 0.5) / MERIDIANS as f64).map(|longitude| {
            let upwards = full_turn().take(PIECES / 2 + 1);
            upwards.map(|angle| normal(longitude, angle - 0.25 * TAU)).collect::<Vec<DVec3>>()
        });
        let parallels = (0..PARALLELS).map(|line| ((line as f64 + 0.5) / PARALLELS as f64 - 0.5) * 0.5 * TAU);
        let parallels = parallels.map(|latitude| full_turn().map(|angle| normal(angle, latitude)).collect());
        for line in meridians.chain(parallels) {
            for run in line.chunk_by(|one, other| sees(one) == sees(other)).filter(|run| sees(&run[0])) {
                drawing += &path(&run.iter().map(draw).collect::<Vec<_>>());
            }
        }
        drawing + "</g>\n"
    }
}

fn full_turn() -> impl Iterator<Item = f64> {
    (0..=PIECES).map(|piece| TAU * piece as f64 / PIECES as f64)
}

fn normal(longitude: f64, latitude: f64) -> DVec3 {
    DVec3::new(latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin())
}

fn path(points: &[[f64; 2]]) -> String {
    let mut path = String::from("<path d=\"M");
    for [x, y] in points {
        let _ = write!(path, " {x:.1},{y:.1}");
    }
    path + "\"/>\n"
}
