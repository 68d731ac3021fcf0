//! The `superegg` program.

fn main() {
    println!("superegg {}", env!("CARGO_PKG_VERSION"));
}
