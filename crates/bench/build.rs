//! Compiles the FCL shim when the feature `fcl` is on, and says what is missing when FCL is not installed.

fn main() {
    println!("cargo::rerun-if-changed=src/peers/fcl_shim.cpp");
    #[cfg(feature = "fcl")]
    compile_shim();
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
