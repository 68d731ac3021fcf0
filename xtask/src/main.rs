//! The project's chores.

fn main() {
    println!("cargo xtask test");
}
