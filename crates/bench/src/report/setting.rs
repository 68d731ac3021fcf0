//! Where the figures come from: the processor, and what of it is used.

/// The processor's name, its usable cores and vector instructions, and how this program was built.
pub fn setting() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let lanes = if has_lanes() { "AVX2 and FMA" } else { "no AVX2" };
    let build = if cfg!(debug_assertions) { "a debug build: times mean nothing" } else { "release build" };
    format!(
        "{processor}, {cores} usable {}, {lanes}; {}, {build}",
        if cores == 1 { "core" } else { "cores" },
        std::env::consts::OS
    )
}

/// What Linux calls the processor.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn has_lanes() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_lanes() -> bool {
    false
}
