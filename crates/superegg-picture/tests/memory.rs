//! Large pictures in bounded memory: one of 8192 × 8192 pixels took four gigabytes. Alone in its process, whose peak is asked for.
#![cfg(target_os = "linux")]

use glam::{DVec3, Vec3};
use superegg_picture::{Camera, Model, Paint, Picture};

/// The most memory that this process has held so far, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
}

/// What drawing takes beyond the picture itself: bands of 64 MB and the shadows' depths, each once.
const BESIDE: usize = 128 << 20;

fn draw([width, height]: [usize; 2]) {
    let camera = Camera { eye: DVec3::new(1.0, -9.0, 4.0), target: DVec3::ZERO, field_of_view: 40.0 };
    let corners = [(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let model = Model::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], Paint::Plain([0.8; 3]));
    let before = peak_memory();
    let picture = Picture::new([width, height], &camera, &[model]);
    let taken = peak_memory() - before;
    println!("{width} × {height}: {} MB", taken >> 20);
    assert!(taken < 3 * width * height + BESIDE, "{} MB", taken >> 20);
    assert_ne!(picture.pixel(width / 2, height / 2), picture.pixel(0, 0));
}

#[test]
fn a_wide_picture_takes_little_more_than_its_pixels() {
    draw([8192, 1024]);
}

#[test]
#[ignore = "takes half a minute: run by `cargo xtask long`"]
fn the_largest_picture_takes_little_more_than_its_pixels() {
    draw([8192, 8192]);
}
