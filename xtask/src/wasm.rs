//! The apps without a server: `superegg-apps` and all below it for `wasm32-unknown-unknown`, as a browser would run them.

use std::path::PathBuf;
use std::process::Command;

use crate::counts::Counts;
use crate::test::{cargo, check};

const TARGET: &str = "wasm32-unknown-unknown";

/// Compiles the apps; `Err` says what is missing.
pub fn check_wasm() -> Result<Counts, String> {
    let mut command = cargo(&["check", "--quiet", "--package", "superegg-apps", "--target", TARGET]);
    let rust = sysroot().ok_or("rustc does not say where its libraries are")?.join("lib/rustlib");
    if !rust.join(TARGET).join("lib").is_dir() {
        // Where no target can be installed, the standard library is compiled from its sources.
        if !rust.join("src/rust/library/std/Cargo.toml").is_file() {
            return Err(format!("no {TARGET}: rustup target add {TARGET} (or rustup component add rust-src)"));
        }
        command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
    }
    Ok(check(&mut command))
}

/// Where the compiler is that cargo uses.
fn sysroot() -> Option<PathBuf> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}
