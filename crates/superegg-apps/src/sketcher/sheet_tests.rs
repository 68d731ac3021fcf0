//! Strokes that a test got wrong, as a sheet of pictures to look at: `SUPEREGG_SHEETS=folder cargo test -p superegg-apps sketcher` writes one
//! for every test that has any. What was meant is broad and grey, the stroke blue, what was found red; in the order of the test's list.

use std::path::Path;

use glam::DVec2;

/// Pixels of a picture, how many stand beside each other, and what is left free around each.
const SIDE: usize = 200;
const ROW: usize = 6;
const MARGIN: f64 = 18.0;

/// A stroke that was not taken for what it was meant as.
pub struct Wrong {
    pub why: String,
    pub meant: Vec<DVec2>,
    pub stroke: Vec<DVec2>,
    pub found: Vec<DVec2>,
}

/// Hands that draw, by what their sheets are called and how much they shake: at least 98 % of what each draws has to be right.
pub const USUAL_AND_SHAKIER: [(&str, f64); 2] = [("", 1.0), ("-shakier", 2.0)];

/// Draws strokes by their seeds, lists those that went wrong, and writes their sheet where one is wanted.
pub fn assert_right(name: &str, trials: u64, wrong: impl Fn(u64) -> Option<Wrong>) {
    let wrong: Vec<Wrong> = (0..trials).filter_map(wrong).collect();
    let list: Vec<&str> = wrong.iter().map(|wrong| wrong.why.as_str()).collect();
    println!("{name}: {} of {trials} wrong\n{}", wrong.len(), list.join("\n"));
    if let (Some(folder), false) = (std::env::var_os("SUPEREGG_SHEETS"), wrong.is_empty()) {
        write(&Path::new(&folder).join(format!("{name}.png")), &wrong);
    }
    assert!(wrong.len() as u64 * 50 <= trials, "{name}: {} of {trials} wrong:\n{}", wrong.len(), list.join("\n"));
}

fn write(path: &Path, wrong: &[Wrong]) {
    let [width, height] = [ROW * SIDE, wrong.len().div_ceil(ROW) * SIDE];
    let mut pixels = vec![255; 3 * width * height];
    for (k, wrong) in wrong.iter().enumerate() {
        let corner = DVec2::new((k % ROW * SIDE) as f64, (k / ROW * SIDE) as f64);
        let all = || [&wrong.meant, &wrong.stroke, &wrong.found].into_iter().flatten();
        let low = all().fold(DVec2::INFINITY, |low, at| low.min(*at));
        let high = all().fold(DVec2::NEG_INFINITY, |high, at| high.max(*at));
        let scale = (SIDE as f64 - 2.0 * MARGIN) / (high - low).max_element().max(1e-9);
        let place = |at: &DVec2| {
            let from_middle = (*at - 0.5 * (low + high)) * scale;
            corner + 0.5 * SIDE as f64 + DVec2::new(from_middle.x, -from_middle.y)
        };
        let mut line = |points: &[DVec2], radius: f64, colour: [u8; 3]| {
            for pair in points.windows(2) {
                let [from, to] = [place(&pair[0]), place(&pair[1])];
                let steps = (2.0 * from.distance(to)).ceil().max(1.0) as usize;
                (0..=steps)
                    .for_each(|k| dot(&mut pixels, width, from.lerp(to, k as f64 / steps as f64), radius, colour));
            }
        };
        line(&wrong.meant, 4.0, [205, 205, 205]);
        line(&wrong.stroke, 1.2, [40, 90, 200]);
        line(&wrong.found, 1.2, [215, 45, 45]);
        // Joints of chains, not every point of a curve.
        if wrong.found.len() < 20 {
            wrong.found.iter().for_each(|at| dot(&mut pixels, width, place(at), 4.0, [215, 45, 45]));
        }
    }
    let file = std::fs::File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

fn dot(pixels: &mut [u8], width: usize, at: DVec2, radius: f64, colour: [u8; 3]) {
    let reach = radius.ceil() as i64;
    for (dx, dy) in (-reach..=reach).flat_map(|dx| (-reach..=reach).map(move |dy| (dx, dy))) {
        let (x, y) = (at.x as i64 + dx, at.y as i64 + dy);
        let inside = (dx * dx + dy * dy) as f64 <= radius * radius;
        if inside && x >= 0 && y >= 0 && (x as usize) < width {
            let start = 3 * (y as usize * width + x as usize);
            if let Some(pixel) = pixels.get_mut(start..start + 3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }
}
