//! The TypeScript side of all messages, generated from their Rust types and kept beside the code that uses them.

use std::path::Path;

use ts_rs::{Config, TS};

use super::envelope::{ClientMessage, FileFacts, ServerMessage, Welcome, WireLimits};
use super::{ErrorKind, Failure, VERSION};
use crate::app::App;
use crate::{cloth, lab, pong, scene, sketcher, terrain};

const FOLDER: &str = "../../studio/src";
/// Set to anything to write the files instead of checking them.
const UPDATE: &str = "SUPEREGG_UPDATE_TYPES";

macro_rules! declarations {
    ($($type:ty),* $(,)?) => {{
        let config = Config::default();
        vec![$((<$type>::docs().unwrap_or_default(), <$type>::decl(&config))),*]
    }};
}

fn check(file: &str, head: &str, declarations: Vec<(String, String)>) {
    let mut text = format!("// Generated from crates/superegg-apps by its test `typescript`: do not edit.\n\n{head}");
    for (docs, declaration) in declarations {
        text += &format!("\n{docs}export {declaration}\n");
    }
    let text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(file);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(kept == text, "{file} is out of date: run `{UPDATE}=1 cargo test -p superegg-apps typescript`");
}

fn constants<A: App>() -> String {
    format!("export const APP = '{}';\nexport const APP_VERSION = {};\n", A::NAME, A::VERSION)
}

#[test]
fn the_typescript_of_the_envelope_is_current() {
    let all = declarations![ClientMessage, ServerMessage, Welcome, WireLimits, FileFacts, Failure, ErrorKind];
    check("link/envelope.ts", &format!("export const VERSION = {VERSION};\n"), all);
}

#[test]
fn the_typescript_of_bodies_is_current() {
    use scene::{Body, Key, Part, ShapeType};
    let mut all = declarations![Body, Part, ShapeType, Key];
    // A body is a part with more.
    let shared = all[1].1.trim_start_matches("type Part = {").trim_end_matches("};").trim().to_owned();
    let own = all[0].1.replace(&shared, "");
    assert!(own.len() < all[0].1.len(), "a body has no fields of a part");
    all[0].1 = own.replacen('{', "Part & {", 1);
    check("shapes/body.ts", "", all);
}

#[test]
fn the_typescript_of_contact_lab_is_current() {
    use lab::messages::*;
    use lab::trace::*;
    let head = format!("import type {{ Body }} from '../../shapes/body';\n\n{}", constants::<lab::Lab>());
    let all = declarations![
        Edit,
        Ask,
        ExportFormat,
        Reply,
        Facts,
        PublicLimits,
        Scene,
        Placement,
        Solver,
        MethodFacts,
        Contacts,
        BodyFacts,
        Contact,
        Answer,
        PairStatus,
        Plot,
        Impact,
        Trace,
        TraceStep,
        Drawing,
        Role,
        Curve,
    ];
    check("apps/lab/messages.ts", &head, all);
}

#[test]
fn the_typescript_of_pong_is_current() {
    use pong::messages::*;
    check(
        "apps/pong/messages.ts",
        &constants::<pong::Pong>(),
        declarations![Match, Opponent, Edit, Facts, State, Phase, Event],
    );
}

#[test]
fn the_typescript_of_terrain_cloth_is_current() {
    use terrain::messages::*;
    let all = declarations![
        Landscape,
        Hill,
        Settings,
        Clothespin,
        FabricSettings,
        Breeze,
        Edit,
        Ask,
        ExportFormat,
        Reply,
        Facts,
        State,
    ];
    check("apps/terrain/messages.ts", &constants::<terrain::TerrainCloth>(), all);
}

#[test]
fn the_typescript_of_multibody_sketcher_is_current() {
    use sketcher::messages::*;
    let all = declarations![
        Creature,
        Joint,
        Bone,
        Articulation,
        Hitbox,
        Backdrop,
        Stance,
        Turn,
        Keyframe,
        Stroke,
        Edit,
        Show,
        Ask,
        ExportFormat,
        Reply,
        Facts,
        Preset,
        State,
        Place,
        Contact,
    ];
    check("apps/sketcher/messages.ts", &constants::<sketcher::Sketcher>(), all);
}

#[test]
fn the_typescript_of_cloth_table_is_current() {
    use cloth::{Edit, Facts, State, Table};
    check("apps/cloth/messages.ts", &constants::<cloth::ClothTable>(), declarations![Table, Edit, Facts, State]);
}
