//! Apps are pure: no clocks, threads, files, sockets or chance of their own. So they run under any host, and the same calls give
//! the same bytes.

use std::path::Path;

/// What the sources may not name outside of their tests.
const FOREIGN: &[&str] = &[
    "std::time::Instant",
    "Instant::now",
    "SystemTime",
    "std::thread",
    "std::fs",
    "std::net",
    "std::process",
    "tokio",
    "getrandom",
    "catch_unwind",
    "HashMap",
    "HashSet",
    "rayon",
];

fn check(folder: &Path, checked: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check(&path, checked);
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".rs") || name == "typescript.rs" || name.ends_with("_tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let own = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = own.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            for word in FOREIGN {
                assert!(!line.contains(word), "{}: {word} in {line:?}", path.display());
            }
        }
        *checked += 1;
    }
}

#[test]
fn no_app_has_a_clock_a_thread_or_a_file_of_its_own() {
    let mut checked = 0;
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut checked);
    assert!(checked > 30, "{checked}");
}
