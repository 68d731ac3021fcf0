//! Draws the papers' case studies: two hands that pass through each other, links that intersect in red, and the bite of two molars.
//!
//! `cargo run --release -p superegg-robot --example case_studies -- pictures`

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use superegg::query::{Options, distance, intersect};
use superegg_robot::contact_geometry::ContactPart;
use superegg_robot::hand::{HandPair, HandShapes};
use superegg_robot::picture::{CONTACT, Drawing, NEAR};
use superegg_robot::teeth::Bite;
use superegg_robot::{DVec3, Pose};
use superegg_world::compound::Compound;

const LEFT: [f32; 3] = [0.30, 0.44, 0.62];
const RIGHT: [f32; 3] = [0.70, 0.56, 0.34];
const LOWER: [f32; 3] = [0.78, 0.74, 0.62];
const UPPER: [f32; 3] = [0.62, 0.68, 0.74];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let write = |name: &str, drawing: &Drawing, from: DVec3| -> Result<(), Box<dyn Error>> {
        let file = File::create(folder.join(name))?;
        drawing.picture([1200, 800], from).write_png(BufWriter::new(file))?;
        Ok(())
    };
    let hands = HandPair::new(HandShapes::Mixed)?;
    for (name, frame) in
        [("hands-apart.png", 20), ("hands-touching.png", hands.touch), ("hands.png", hands.touch + 110)]
    {
        write(name, &hands_at(&hands, frame)?, DVec3::new(0.75, -0.55, 0.30))?;
    }
    let bite = Bite::new()?;
    for (name, frame) in [("teeth-apart.png", 0), ("teeth.png", 79)] {
        let mut drawing = Drawing::new();
        add_tooth(&mut drawing, &bite.lower, &Pose::IDENTITY, LOWER)?;
        add_tooth(&mut drawing, &bite.upper, &bite.frames[frame], UPPER)?;
        let found =
            bite.lower.distance(&Pose::IDENTITY, &bite.upper, &bite.frames[frame], &Options::DEFAULT)?.contact.outcome;
        println!("bite, frame {frame}: {:.4} mm", 1e3 * found.distance);
        let colour = if found.distance > 0.0 { NEAR } else { CONTACT };
        drawing.add_ball(found.point_a, 0.0003, colour)?;
        write(name, &drawing, DVec3::new(0.3, -0.9, 0.08))?;
    }
    Ok(())
}

fn add_tooth(drawing: &mut Drawing, tooth: &Compound, pose: &Pose, colour: [f32; 3]) -> Result<(), Box<dyn Error>> {
    for part in tooth.parts() {
        drawing.add_part(&ContactPart::new(part.shape.clone(), part.pose), pose, colour)?;
    }
    Ok(())
}

/// Both hands in a frame, with what intersects in red and the distance of finger tips of the same name in green.
fn hands_at(hands: &HandPair, frame: usize) -> Result<Drawing, Box<dyn Error>> {
    let poses = &hands.frames[frame];
    let mut touching = [vec![false; hands.parts[0].len()], vec![false; hands.parts[1].len()]];
    let mut drawing = Drawing::new();
    let mut count = 0;
    for (i, (name, one)) in hands.parts[0].iter().enumerate() {
        for (j, (other_name, other)) in hands.parts[1].iter().enumerate() {
            if intersect(&one.shape, &poses[0][i], &other.shape, &poses[1][j])? {
                (touching[0][i], touching[1][j]) = (true, true);
                count += 1;
            } else if name == other_name && name.ends_with("_3") {
                let found = distance(&one.shape, &poses[0][i], &other.shape, &poses[1][j], &Options::DEFAULT)?;
                drawing.add_rod(found.point_a, found.point_b, 0.0007, NEAR)?;
            }
        }
    }
    println!("hands, frame {frame}: {count} pairs intersect");
    for side in 0..2 {
        for (number, (_, part)) in hands.parts[side].iter().enumerate() {
            let colour = if touching[side][number] { CONTACT } else { [LEFT, RIGHT][side] };
            // The pose is that of the shape itself.
            drawing.add_part(&ContactPart { pose: Pose::IDENTITY, ..part.clone() }, &poses[side][number], colour)?;
        }
    }
    Ok(drawing)
}
