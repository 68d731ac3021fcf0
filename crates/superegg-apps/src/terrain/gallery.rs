//! Ready landscapes, and the grids of bodies that speed is measured with.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::messages::{Breeze, Clothespin, FabricSettings, Hill, Landscape, Settings};

fn settings() -> Settings {
    Settings {
        pins: vec![],
        fabric: FabricSettings { stiffness: 0.35, friction: 0.5, thickness: 0.008 },
        side: 41,
        wind: Breeze { speed: 0.0, direction: 0.0 },
        frozen: false,
        drops: 0,
        smooths: 0,
    }
}

fn landscape(name: &str, about: &str, hills: Vec<Hill>) -> Landscape {
    let hills = (1..).zip(hills).map(|(id, hill)| Hill { id, ..hill }).collect();
    Landscape { name: name.to_owned(), about: Some(about.to_owned()), hills, settings: settings(), moment: 0 }
}

/// A round hill in the middle of the table; its number is given later.
fn hill(position: [f64; 2], radii: [f64; 3]) -> Hill {
    Hill { id: 0, position, radii, exponents: [1.0, 1.0], turn: 0.0, lift: 0.0 }
}

fn shaped(hill: Hill, exponents: [f64; 2], turn: f64) -> Hill {
    Hill { exponents, turn, ..hill }
}

/// All of them; the first is what to begin with.
pub fn gallery() -> Vec<Landscape> {
    vec![two_summits(), mesas(), caldera(), archipelago(), overhang()]
}

fn two_summits() -> Landscape {
    let hills = vec![
        shaped(hill([-0.3, 0.12], [0.26, 0.22, 0.66]), [1.0, 1.5], 0.4),
        shaped(hill([0.28, -0.08], [0.2, 0.24, 0.44]), [1.1, 1.4], 0.0),
        shaped(hill([0.05, 0.42], [0.3, 0.16, 0.22]), [1.0, 1.0], 0.5),
        shaped(hill([-0.45, -0.45], [0.22, 0.17, 0.14]), [1.0, 1.0], 1.1),
        shaped(hill([0.55, -0.5], [0.2, 0.16, 0.17]), [1.0, 1.0], 2.2),
    ];
    landscape("Two summits", "A high and a lower peak, a saddle between them and foothills.", hills)
}

fn mesas() -> Landscape {
    let hills = vec![
        shaped(hill([-0.42, 0.35], [0.28, 0.22, 0.36]), [0.25, 0.2], 0.3),
        shaped(hill([0.32, 0.4], [0.22, 0.26, 0.3]), [0.3, 0.25], -0.2),
        shaped(hill([-0.35, -0.4], [0.2, 0.28, 0.26]), [0.3, 0.2], 0.15),
        shaped(hill([0.42, -0.32], [0.24, 0.2, 0.42]), [0.25, 0.2], 0.6),
        shaped(hill([0.02, 0.0], [0.07, 0.07, 0.3]), [1.0, 0.4], 0.0),
    ];
    landscape("Mesas", "Table mountains with steep walls around a lone needle.", hills)
}

fn caldera() -> Landscape {
    let around = |k: u32| {
        let angle = TAU * f64::from(k) / 9.0;
        let height = 0.42 + 0.08 * (2.3 * f64::from(k)).sin();
        let (x, y) = (0.5 * angle.cos(), 0.5 * angle.sin());
        shaped(hill([x, y], [0.17, 0.2, height]), [1.0, 1.3], angle)
    };
    let mut hills: Vec<Hill> = (0..9).map(around).collect();
    hills.push(shaped(hill([0.06, -0.04], [0.12, 0.12, 0.2]), [1.0, 1.5], 0.0));
    landscape("Caldera", "A ring of ridges, and a young cone in the crater.", hills)
}

fn archipelago() -> Landscape {
    let islands = [
        [-0.62, -0.5, 0.16, 0.22],
        [-0.3, -0.15, 0.22, 0.34],
        [0.1, 0.05, 0.2, 0.3],
        [0.42, 0.32, 0.24, 0.4],
        [0.72, 0.66, 0.15, 0.18],
        [-0.7, 0.5, 0.18, 0.2],
        [0.6, -0.5, 0.2, 0.24],
        [0.15, -0.62, 0.13, 0.14],
    ];
    let hills = (0..).zip(islands).map(|(k, [x, y, size, height])| {
        shaped(hill([x, y], [1.15 * size, 0.85 * size, height]), [1.0, 1.2], 0.7 * f64::from(k))
    });
    landscape("Archipelago", "Islands along an arc, low shores between them.", hills.collect())
}

fn overhang() -> Landscape {
    let hills = vec![
        Hill { lift: 1.0, ..shaped(hill([-0.35, 0.1], [0.3, 0.3, 0.3]), [0.6, 0.6], 0.3) },
        shaped(hill([0.5, -0.35], [0.24, 0.2, 0.34]), [1.0, 1.4], FRAC_PI_2),
        shaped(hill([0.45, 0.55], [0.2, 0.24, 0.26]), [1.0, 1.0], PI / 5.0),
    ];
    let pins = vec![
        Clothespin { id: 1, place: [0.86, 0.62], at: [0.62, 0.16, 0.52] },
        Clothespin { id: 2, place: [0.3, 0.12], at: [-0.3, -0.62, 0.4] },
    ];
    let made = landscape(
        "Blanket fort",
        "A block that stands on the table, and clothespins that hold the cloth in the air.",
        hills,
    );
    Landscape { settings: Settings { pins, ..made.settings }, ..made }
}

/// `count` bodies on a square grid, all under the cloth (paper 001, section 6.1).
pub fn grid(count: u32, side: u32) -> Landscape {
    let columns = (1..).find(|n| n * n >= count).unwrap_or(1);
    let spacing = 1.5 / f64::from(columns);
    let at = |k: u32| (f64::from(k) + 0.5) * spacing - 0.75;
    let hills = (0..count).map(|k| {
        let size = 0.36 * spacing;
        let exponents = [0.5 + 0.25 * f64::from(k % 5), 0.5 + 0.25 * f64::from(k / 5 % 5)];
        shaped(
            hill([at(k % columns), at(k / columns)], [size, size, 1.2 * size]).raised(),
            exponents,
            0.3 * f64::from(k),
        )
    });
    let made = landscape("Grid", "Bodies on a square grid.", hills.collect());
    Landscape { settings: Settings { side, ..made.settings }, ..made }
}

impl Hill {
    /// Within the sizes that are allowed.
    fn raised(self) -> Hill {
        Hill { radii: self.radii.map(|radius| radius.max(0.04)), ..self }
    }
}
