//! The apps that the studio offers, by their names.

use crate::app::{App, Open, Typed};
use crate::session::Opened;
use crate::{cloth, lab, pong, sketcher, terrain};

/// How a host finds the apps that it offers.
pub type Catalogue = fn(&str, &Open) -> Option<Opened>;

/// Opens an app of the studio by its name.
pub fn studio(name: &str, open: &Open) -> Option<Opened> {
    match name {
        lab::Lab::NAME => Some(Typed::<lab::Lab>::open(open)),
        pong::Pong::NAME => Some(Typed::<pong::Pong>::open(open)),
        terrain::TerrainCloth::NAME => Some(Typed::<terrain::TerrainCloth>::open(open)),
        sketcher::Sketcher::NAME => Some(Typed::<sketcher::Sketcher>::open(open)),
        cloth::ClothTable::NAME => Some(Typed::<cloth::ClothTable>::open(open)),
        _ => None,
    }
}
