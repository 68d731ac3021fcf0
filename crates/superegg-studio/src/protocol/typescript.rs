//! The TypeScript side of the messages, generated from their Rust types and kept in `studio/src/protocol/messages.ts`.

use std::path::Path;

use ts_rs::{Config, TS};

use super::*;

const FILE: &str = "../../studio/src/protocol/messages.ts";
/// Set to anything to write the file instead of checking it.
const UPDATE: &str = "SUPEREGG_UPDATE_TYPES";

fn generated() -> String {
    let config = Config::default();
    macro_rules! declarations {
        ($($type:ty),* $(,)?) => { vec![$((<$type>::docs().unwrap_or_default(), <$type>::decl(&config))),*] };
    }
    let declarations = declarations![
        ClientMessage,
        ServerMessage,
        Welcome,
        PublicLimits,
        MethodFacts,
        Scene,
        Body,
        Part,
        ShapeType,
        Key,
        Placement,
        Solver,
        Contacts,
        BodyFacts,
        Contact,
        Answer,
        PairStatus,
        Plot,
        Impact,
        MeshFacts,
        Trace,
        TraceStep,
        Drawing,
        Role,
        Curve,
        Failure,
        ErrorKind,
    ];
    let mut text =
        "// Generated from crates/superegg-studio/src/protocol by its test `typescript`: do not edit.\n\n".to_owned();
    text += &format!("export const VERSION = {VERSION};\n");
    for (docs, declaration) in declarations {
        text += &format!("\n{docs}export {declaration}\n");
    }
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn the_typescript_types_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, generated()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(kept == generated(), "{FILE} is out of date: run `{UPDATE}=1 cargo test -p superegg-studio typescript`");
}
