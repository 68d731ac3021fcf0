//! Ranks grasps of a superegg by a hand and draws the best ones.
//!
//! `cargo run --release -p superegg-robot --example rank_grasps -- allegro_hand_right.urdf pictures`
//! Without a file it is the built-in hand.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use superegg::shape::Superellipsoid;
use superegg_robot::collide::{AllowedCollisions, CollisionModel};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::grasp::{Hand, SearchOptions, search};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::picture::{CONTACT, Drawing, LINKS, OBJECT};
use superegg_robot::urdf::{ReadOptions, read_file};
use superegg_robot::{DVec3, Pose};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let robot = match arguments.next() {
        Some(file) => read_file(Path::new(&file), &ReadOptions::default())?.robot,
        None => built_in_hand(Side::Right, HandShapes::Mixed)?,
    };
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    // Piet Hein's superegg, as large as an egg.
    let egg = Superellipsoid::new([0.027, 0.027, 0.036], [1.0, 0.8])?;
    let object = ContactPart::new(egg, Pose::IDENTITY);
    let geometry = ContactGeometry::new(&robot, &FitOptions::default(), &mut |_| {})?;
    let allowed = AllowedCollisions::at_rest(&robot, &geometry)?;
    let hand = Hand::new(&robot, CollisionModel::new(&robot, &geometry, &allowed, std::slice::from_ref(&object))?);
    let started = Instant::now();
    let report =
        search(&hand, DVec3::ZERO, 0.036, &SearchOptions { attempts: 3000, keep: 6, ..SearchOptions::default() })?;
    println!("{} grasps hold, found in {:.2} s", report.held, started.elapsed().as_secs_f64());
    for (rank, grasp) in (1..).zip(&report.grasps) {
        let quality = &grasp.quality;
        println!(
            "{rank}: quality in [{:.5}, {:.5}], {} contacts, depth {:.3} mm",
            quality.lower,
            quality.upper,
            grasp.contacts.len(),
            1e3 * grasp.depth
        );
        let poses = hand.model.kinematics().link_poses(&grasp.configuration, &grasp.base);
        let mut drawing = Drawing::new();
        drawing.add_links(&geometry, &poses, |link| LINKS[link % LINKS.len()])?;
        drawing.add_part(&object, &Pose::IDENTITY, OBJECT)?;
        for contact in &grasp.contacts {
            drawing.add_ball(contact.point, 0.0022, CONTACT)?;
            drawing.add_rod(contact.point - contact.normal * 0.015, contact.point, 0.0009, CONTACT)?;
        }
        let file = File::create(folder.join(format!("grasp-{rank}.png")))?;
        drawing.picture([900, 900], DVec3::new(0.6, -0.7, 0.4)).write_png(BufWriter::new(file))?;
    }
    Ok(())
}
