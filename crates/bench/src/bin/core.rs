//! Prints the table of the distance core: `cargo run --release -p bench --bin core [--quick]`.

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    println!("{}", bench::core::run(if quick { bench::core::Effort::QUICK } else { bench::core::Effort::FULL }));
}
