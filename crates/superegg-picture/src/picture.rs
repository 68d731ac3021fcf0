//! From models and a camera to pixels and a PNG file.

use std::io::{self, Write};

use glam::Vec3;

use crate::raster::DepthBuffer;
use crate::shadow::Shadows;
use crate::{Camera, Model};

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

/// Samples that are held at once, with 16 bytes each. Larger pictures are drawn in bands from top to bottom.
const BAND: usize = 1 << 22;

impl Picture {
    /// Draws models; width and height are cut to [1, 8192].
    pub fn new(size: [usize; 2], camera: &Camera, models: &[Model]) -> Picture {
        Picture::in_bands(size, camera, models, BAND)
    }

    fn in_bands(size: [usize; 2], camera: &Camera, models: &[Model], samples: usize) -> Picture {
        let [width, height] = size.map(|n| n.clamp(1, LARGEST));
        let sun = SUN.normalize();
        let scene = Scene {
            eye: camera.eye.as_vec3(),
            target: camera.target.as_vec3(),
            lens: Lens::new(camera, width as f32 / height as f32),
            sun,
            shadows: Shadows::new(models, sun),
            samples: [width * SAMPLES, height * SAMPLES],
        };
        let seen: Vec<Vec<Vec3>> =
            models.iter().map(|model| model.positions.iter().map(|p| scene.lens.see(*p)).collect()).collect();
        let rows = (samples / (width * SAMPLES * SAMPLES)).clamp(1, height);
        let mut pixels = Vec::with_capacity(3 * width * height);
        for top in (0..height).step_by(rows) {
            let rows = rows.min(height - top);
            let mut canvas = DepthBuffer::band(width * SAMPLES, top * SAMPLES, rows * SAMPLES);
            let mut colours: Vec<Vec3> = (0..canvas.depths.len())
                .map(|index| sky((canvas.top + index / canvas.width) as f32 / scene.samples[1] as f32))
                .collect();
            for (model, seen) in models.iter().zip(&seen) {
                scene.draw(model, seen, &mut canvas, &mut colours);
            }
            for y in 0..rows {
                for x in 0..width {
                    let samples = (0..SAMPLES * SAMPLES).map(|i| {
                        let (sx, sy) = (x * SAMPLES + i % SAMPLES, y * SAMPLES + i / SAMPLES);
                        colours[sy * canvas.width + sx]
                    });
                    let mean = samples.fold(Vec3::ZERO, |sum, c| sum + c) / (SAMPLES * SAMPLES) as f32;
                    pixels.extend(mean.to_array().map(|c| (c.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0 + 0.5) as u8));
                }
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

/// What is nearer to the eye than this is cut away.
const NEAREST: f32 = 0.01;

/// What all models of a picture have in common.
struct Scene {
    eye: Vec3,
    target: Vec3,
    lens: Lens,
    sun: Vec3,
    shadows: Shadows,
    /// Width and height of the whole picture.
    samples: [usize; 2],
}

/// A corner of what is left of a triangle: where the camera sees it, and its weights of the triangle's corners.
#[derive(Clone, Copy)]
struct Corner {
    seen: Vec3,
    weights: Vec3,
}

impl Scene {
    /// Draws a model, whose vertices the camera sees at `seen`, into a band.
    fn draw(&self, model: &Model, seen: &[Vec3], canvas: &mut DepthBuffer, colours: &mut [Vec3]) {
        let [width, height] = self.samples.map(|n| n as f32);
        for &corners in &model.triangles {
            let whole = [0, 1, 2].map(|i| Corner { seen: seen[corners[i] as usize], weights: Vec3::AXES[i] });
            for part in in_front(&whole).into_iter().flatten() {
                // Minus one over the distance is linear on the screen and grows with the distance.
                let screen = part.map(|Corner { seen: p, .. }| {
                    let (x, y) = (0.5 + 0.5 * p.x / p.z, 0.5 - 0.5 * p.y / p.z);
                    Vec3::new(x * width, y * height, -1.0 / p.z)
                });
                canvas.fill(screen, |index, flat| {
                    // Weights on the screen are not weights in space: nearer corners count more.
                    let scaled: [f32; 3] = std::array::from_fn(|i| flat[i] / part[i].seen.z);
                    let own = scaled.map(|w| w / (scaled[0] + scaled[1] + scaled[2]));
                    let weights =
                        (0..3).map(|i| part[i].weights * own[i]).fold(Vec3::ZERO, |sum, v| sum + v).to_array();
                    colours[index] = self.shade(model, corners, weights);
                });
            }
        }
    }

    /// The colour of a point of a triangle.
    fn shade(&self, model: &Model, corners: [u32; 3], weights: [f32; 3]) -> Vec3 {
        let mix = |of: &[Vec3]| (0..3).map(|i| of[corners[i] as usize] * weights[i]).fold(Vec3::ZERO, |sum, v| sum + v);
        let Scene { eye, target, .. } = *self;
        let place = mix(&model.positions);
        let normal = mix(&model.normals).normalize_or(Vec3::Z);
        let normal = if normal.dot(eye - place) < 0.0 { -normal } else { normal };
        let colour = model.colour(corners, weights, place);
        let distance = place.distance(target) / eye.distance(target);
        shade(colour, place, normal, eye, self.sun, &self.shadows)
            .lerp(sky(0.6), ((distance - 2.5) * 0.25).clamp(0.0, 1.0))
    }
}

/// The part of a triangle that is in front of the camera, as one triangle or two (Sutherland and Hodgman 1974, one plane).
fn in_front(corners: &[Corner; 3]) -> [Option<[Corner; 3]>; 2] {
    let ahead = corners.map(|corner| corner.seen.z > NEAREST);
    if ahead == [true; 3] {
        return [Some(*corners), None];
    }
    let cut = |from: Corner, to: Corner| {
        let part = (NEAREST - from.seen.z) / (to.seen.z - from.seen.z);
        // The division may round to just behind the plane.
        let seen = from.seen.lerp(to.seen, part).with_z(NEAREST);
        Corner { seen, weights: from.weights.lerp(to.weights, part) }
    };
    let count = ahead.iter().filter(|ahead| **ahead).count();
    // The corner that is alone on its side, the others in turn.
    let Some(alone) = (0..3).find(|&i| ahead[i] == (count == 1)).filter(|_| count > 0) else { return [None; 2] };
    let [a, b, c] = [0, 1, 2].map(|i| corners[(alone + i) % 3]);
    let (on_ab, on_ca) = (cut(a, b), cut(c, a));
    if count == 1 { [Some([a, on_ab, on_ca]), None] } else { [Some([on_ab, b, c]), Some([on_ab, c, on_ca])] }
}

/// A camera's axes, the first two scaled so that the picture's edges are at ±1 for unit distance.
struct Lens {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    ahead: Vec3,
}

impl Lens {
    fn new(camera: &Camera, aspect: f32) -> Lens {
        let eye = camera.eye.as_vec3();
        let ahead = (camera.target.as_vec3() - eye).normalize_or(Vec3::NEG_Z);
        let right = ahead.cross(Vec3::Z).normalize_or(Vec3::X);
        let up = right.cross(ahead);
        let zoom = 1.0 / (0.5 * (camera.field_of_view as f32).clamp(1.0, 170.0).to_radians()).tan();
        Lens { eye, right: right * (zoom / aspect), up: up * zoom, ahead }
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
    use crate::Paint;
    use glam::DVec3;

    fn square(z: f32, half: f32, colour: [f32; 3]) -> Model {
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| Vec3::new(x, y, z));
        Model::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], Paint::Plain(colour))
    }

    #[test]
    fn nearer_hides_farther_and_throws_a_shadow() {
        let camera = Camera { eye: DVec3::new(0.0, 0.0, 10.0), target: DVec3::ZERO, field_of_view: 40.0 };
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

    /// Whole triangles vanished as soon as one corner was behind the camera.
    #[test]
    fn triangles_that_reach_behind_the_camera_are_cut() {
        // The camera stands on a large square and looks along it; the square's corners are in front and behind.
        let camera = Camera { eye: DVec3::new(0.0, 0.0, 1.0), target: DVec3::new(0.0, 8.0, 0.5), field_of_view: 60.0 };
        let picture = Picture::new([90, 90], &camera, &[square(0.0, 40.0, [0.0, 0.9, 0.0])]);
        for (x, y) in [(45, 89), (0, 89), (89, 89), (45, 60), (5, 60)] {
            let [red, green, blue] = picture.pixel(x, y);
            assert!(green > red + 40 && green > blue + 40, "pixel {x}, {y} is {:?}", [red, green, blue]);
        }
        let [_, green, blue] = picture.pixel(45, 2);
        assert!(blue > green, "the sky is above");
        let behind = Camera { eye: DVec3::new(0.0, 0.0, 1.0), target: DVec3::new(0.0, 0.0, 9.0), field_of_view: 60.0 };
        let nothing = Picture::new([20, 20], &behind, &[square(0.0, 40.0, [0.0, 0.9, 0.0])]);
        assert_eq!(nothing.pixels, Picture::new([20, 20], &behind, &[]).pixels);
    }

    /// A picture of 8192 × 8192 took four gigabytes.
    #[test]
    fn bands_make_the_same_picture() {
        let camera = Camera { eye: DVec3::new(1.0, -9.0, 4.0), target: DVec3::ZERO, field_of_view: 40.0 };
        let models = [square(0.0, 3.0, [0.8, 0.8, 0.8]), square(1.0, 0.5, [0.0, 0.8, 0.0])];
        let whole = Picture::in_bands([61, 47], &camera, &models, usize::MAX);
        for samples in [1, 1000, 3000] {
            assert_eq!(Picture::in_bands([61, 47], &camera, &models, samples), whole, "{samples}");
        }
        assert!(size_of::<(f32, Vec3)>() * BAND <= 1 << 26, "64 MB beside the picture itself");
    }

    #[test]
    fn broken_input_draws_nothing() {
        let camera = Camera { eye: DVec3::NAN, target: DVec3::ZERO, field_of_view: 0.0 };
        let broken = Model::new(vec![Vec3::NAN, Vec3::X, Vec3::Y], vec![[0, 1, 2], [0, 1, 9]], Paint::Plain([1.0; 3]));
        let picture = Picture::new([0, 3], &camera, &[broken]);
        let mut file = Vec::new();
        picture.write_png(&mut file).unwrap();
        assert_eq!(&file[1..4], b"PNG");
    }
}
