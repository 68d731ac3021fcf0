//! `superegg robot FILE acm`: which pairs of links need not be checked.

use std::path::PathBuf;

use serde_json::{Value, json};
use superegg_robot::{AcmOptions, DisabledPair, Reason, generate_acm};

use super::input::{Fitting, Loaded};
use super::output::{allow_endings, print, print_json, write_text};
use super::{info, refused};
use crate::error::{CliError, Verdict};

/// Find pairs of links that need not be checked, from random configurations
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    fitting: Fitting,
    /// Random configurations
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    samples: u32,
    /// Of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The SRDF file to write; what --srdf has beside such pairs is kept
    #[arg(short, long, value_name = "OUT.srdf")]
    output: Vec<PathBuf>,
}

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["srdf"])?;
    let geometry = args.fitting.geometry(loaded)?;
    let options = AcmOptions { samples: args.samples as usize, seed: args.seed, ..AcmOptions::default() };
    let pairs = generate_acm(&loaded.robot, &geometry, &options).map_err(refused)?;
    let srdf = loaded.srdf.clone().unwrap_or_default().with_pairs(&loaded.robot, &pairs);
    let written = srdf.write().map_err(refused)?;
    for path in &args.output {
        write_text(&written, path)?;
    }
    let name = |link: usize| loaded.robot.links[link].name.as_str();
    if json {
        let one = |pair: &DisabledPair| json!({"a": name(pair.a), "b": name(pair.b), "reason": pair.reason.name()});
        let mut value = info::summary(loaded);
        value["disabled"] = Value::Array(pairs.iter().map(one).collect());
        value["samples"] = json!(args.samples);
        return print_json(&value).map(|()| Verdict::AllAnswered);
    }
    let shaped = geometry.links.iter().filter(|parts| !parts.is_empty()).count();
    let count = |reason: Reason| pairs.iter().filter(|pair| pair.reason == reason).count();
    let all = shaped * shaped.saturating_sub(1) / 2;
    let mut text = format!("{all} pairs of {shaped} links with shapes, {} left to check\n", all - pairs.len());
    for (reason, why) in [
        (Reason::Adjacent, "a joint joins them"),
        (Reason::Default, "they touch at zero"),
        (Reason::Always, "they touch nearly always"),
        (Reason::Never, "they were never seen to touch"),
    ] {
        text += &format!("  {:<9} {:>5}  {why}\n", reason.name(), count(reason));
    }
    text += &format!("from {} random configurations, seed {}\n", args.samples, args.seed);
    if args.output.is_empty() {
        text += &written;
    }
    print(&text)?;
    Ok(Verdict::AllAnswered)
}
