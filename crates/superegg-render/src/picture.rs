//! From models and a camera to pixels and a PNG file.

use std::io::{self, Write};

use glam::Vec3;

use crate::Model;
use crate::raster::DepthBuffer;
use crate::shadow::Shadows;

/// Where a picture is taken from; z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The camera's place.
    pub eye: Vec3,
    /// What it looks at.
    pub target: Vec3,
    /// Height of the picture as an angle, in degrees.
    pub field_of_view: f32,
}

/// Samples of a pixel along each side.
const SAMPLES: usize = 2;
/// Direction to the sun.
const SUN: Vec3 = Vec3::new(0.45, -0.35, 0.82);
/// Largest width and height.
const LARGEST: usize = 8192;

/// A finished picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// Draws models; width and height are cut to [1, 8192].
    pub fn new(size: [usize; 2], camera: &Camera, models: &[Model]) -> Picture {
        let [width, height] = size.map(|n| n.clamp(1, LARGEST));
        let sun = SUN.normalize();
        let shadows = Shadows::new(models, sun);
        let mut canvas = DepthBuffer::new(width * SAMPLES, height * SAMPLES);
        let mut colours: Vec<Vec3> =
            (0..canvas.depths.len()).map(|index| sky((index / canvas.width) as f32 / canvas.height as f32)).collect();
        let lens = Lens::new(camera, width as f32 / height as f32);
        for model in models {
            let seen: Vec<Vec3> = model.positions.iter().map(|p| lens.see(*p)).collect();
            for &corners in &model.triangles {
                let clip = corners.map(|v| seen[v as usize]);
                if !clip.iter().all(|p| p.z > NEAREST) {
                    continue;
                }
                // Minus one over the distance is linear on the screen and grows with the distance.
                let screen = clip.map(|p| {
                    let (x, y) = (0.5 + 0.5 * p.x / p.z, 0.5 - 0.5 * p.y / p.z);
                    Vec3::new(x * canvas.width as f32, y * canvas.height as f32, -1.0 / p.z)
                });
                canvas.fill(screen, |index, flat| {
                    // Weights on the screen are not weights in space: nearer corners count more.
                    let scaled: [f32; 3] = std::array::from_fn(|i| flat[i] / clip[i].z);
                    let weights = scaled.map(|w| w / (scaled[0] + scaled[1] + scaled[2]));
                    let mix = |of: &[Vec3]| {
                        (0..3).map(|i| of[corners[i] as usize] * weights[i]).fold(Vec3::ZERO, |sum, v| sum + v)
                    };
                    let place = mix(&model.positions);
                    let normal = mix(&model.normals).normalize_or(Vec3::Z);
                    let normal = if normal.dot(camera.eye - place) < 0.0 { -normal } else { normal };
                    let colour = model.colour(corners, weights, place);
                    let distance = place.distance(camera.target) / camera.eye.distance(camera.target);
                    colours[index] = shade(colour, place, normal, camera.eye, sun, &shadows)
                        .lerp(sky(0.6), ((distance - 2.5) * 0.25).clamp(0.0, 1.0));
                });
            }
        }
        let mut pixels = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let samples = (0..SAMPLES * SAMPLES).map(|i| {
                    let (sx, sy) = (x * SAMPLES + i % SAMPLES, y * SAMPLES + i / SAMPLES);
                    colours[sy * canvas.width + sx]
                });
                let mean = samples.fold(Vec3::ZERO, |sum, c| sum + c) / (SAMPLES * SAMPLES) as f32;
                pixels.extend(mean.to_array().map(|c| (c.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0 + 0.5) as u8));
            }
        }
        Picture { width, height, pixels }
    }

    /// Red, green and blue of a pixel, counted from the top left; black outside.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        if x >= self.width || y >= self.height {
            return [0; 3];
        }
        let at = 3 * (y * self.width + x);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Writes the picture as a PNG file.
    pub fn write_png(&self, to: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(to, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }
}

/// What is nearer to the eye than this is left out.
const NEAREST: f32 = 0.01;

/// A camera's axes, the first two scaled so that the picture's edges are at ±1 for unit distance.
struct Lens {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    ahead: Vec3,
}

impl Lens {
    fn new(camera: &Camera, aspect: f32) -> Lens {
        let ahead = (camera.target - camera.eye).normalize_or(Vec3::NEG_Z);
        let right = ahead.cross(Vec3::Z).normalize_or(Vec3::X);
        let up = right.cross(ahead);
        let zoom = 1.0 / (0.5 * camera.field_of_view.clamp(1.0, 170.0).to_radians()).tan();
        Lens { eye: camera.eye, right: right * (zoom / aspect), up: up * zoom, ahead }
    }

    /// Across, up and ahead.
    fn see(&self, p: Vec3) -> Vec3 {
        let from_eye = p - self.eye;
        Vec3::new(from_eye.dot(self.right), from_eye.dot(self.up), from_eye.dot(self.ahead))
    }
}

/// The background, from the top (0) to the bottom (1).
fn sky(height: f32) -> Vec3 {
    Vec3::new(0.36, 0.52, 0.72).lerp(Vec3::new(0.80, 0.84, 0.88), (1.3 * height).min(1.0))
}

/// Light from a point to the eye.
fn shade(colour: Vec3, place: Vec3, normal: Vec3, eye: Vec3, sun: Vec3, shadows: &Shadows) -> Vec3 {
    let facing = normal.dot(sun).max(0.0);
    let lit = if facing > 0.0 { shadows.sunlight(place + normal * 0.01) } else { 0.0 };
    let ambient = Vec3::new(0.20, 0.22, 0.26).lerp(Vec3::new(0.40, 0.43, 0.50), 0.5 + 0.5 * normal.z);
    let halfway = (sun + (eye - place).normalize_or_zero()).normalize_or_zero();
    let shine = 0.06 * normal.dot(halfway).max(0.0).powi(24) * lit;
    colour * (ambient + Vec3::new(0.85, 0.80, 0.70) * (facing * lit)) + Vec3::splat(shine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    fn square(z: f32, half: f32, colour: [f32; 3]) -> Model {
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| Vec3::new(x, y, z));
        Model::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], Pattern::Plain(colour))
    }

    #[test]
    fn nearer_hides_farther_and_throws_a_shadow() {
        let camera = Camera { eye: Vec3::new(0.0, 0.0, 10.0), target: Vec3::ZERO, field_of_view: 40.0 };
        let models = [square(0.0, 3.0, [0.8, 0.8, 0.8]), square(1.0, 0.5, [0.0, 0.8, 0.0])];
        let picture = Picture::new([200, 200], &camera, &models);
        let [red, green, _] = picture.pixel(100, 100);
        assert!(green > 100 && red < 60, "the small square is in front");
        // The shadow lies away from the sun, beside the square that throws it; a mirrored place is lit.
        let brightness = |x: usize, y: usize| picture.pixel(x, y).iter().map(|&c| u32::from(c)).sum::<u32>();
        let darkest = (0..200).flat_map(|x| (0..200).map(move |y| (x, y))).filter(|&(x, y)| {
            let [r, g, b] = picture.pixel(x, y);
            r.abs_diff(g) < 25 && g.abs_diff(b) < 40 && brightness(x, y) < 480
        });
        let (count, sum) = darkest.fold((0, 0), |(count, sum), (x, _)| (count + 1, sum + x));
        assert!(count > 100 && sum / count < 100, "{count} dark pixels around {}", sum / count.max(1));
    }

    #[test]
    fn broken_input_draws_nothing() {
        let camera = Camera { eye: Vec3::NAN, target: Vec3::ZERO, field_of_view: 0.0 };
        let broken =
            Model::new(vec![Vec3::NAN, Vec3::X, Vec3::Y], vec![[0, 1, 2], [0, 1, 9]], Pattern::Plain([1.0; 3]));
        let picture = Picture::new([0, 3], &camera, &[broken]);
        let mut file = Vec::new();
        picture.write_png(&mut file).unwrap();
        assert_eq!(&file[1..4], b"PNG");
    }
}
