//! Compiles the FCL shim when the feature `fcl` is on, and says what is missing when FCL is not installed.

fn main() {
    println!("cargo::rerun-if-changed=src/peers/fcl_shim.cpp");
    look_for_data();
    #[cfg(feature = "fcl")]
    compile_shim();
}

/// Tells tests whether the published collision data is there: those that need it are listed as ignored otherwise, not as passed.
fn look_for_data() {
    println!("cargo::rustc-check-cfg=cfg(ccd_data)");
    println!("cargo::rerun-if-env-changed=SUPEREGG_SHARED");
    let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let beside = format!("{manifest}/../../../shared");
    let shared = std::env::var("SUPEREGG_SHARED").unwrap_or(beside);
    let data = std::path::Path::new(&shared).join("data/ccd");
    println!("cargo::rerun-if-changed={}", data.display());
    if data.is_dir() {
        println!("cargo::rustc-cfg=ccd_data");
    }
}

#[cfg(feature = "fcl")]
fn compile_shim() {
    let found = pkg_config::Config::new().atleast_version("0.7").cargo_metadata(false).probe("fcl");
    let fcl = found.unwrap_or_else(|error| {
        panic!("the feature `fcl` needs FCL 0.7 with its headers (Debian: apt-get install libfcl-dev): {error}")
    });
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").warnings(false).opt_level(3).file("src/peers/fcl_shim.cpp");
    build.includes(&fcl.include_paths).compile("superegg_fcl_shim");
    // After the shim, which refers to it.
    for path in &fcl.link_paths {
        println!("cargo::rustc-link-search=native={}", path.display());
    }
    for library in &fcl.libs {
        println!("cargo::rustc-link-lib={library}");
    }
}
