//! Where a mesh file is: relative to the robot's file, absolute, `file://`, or in a package.
//!
//! A package is looked for in the given folders, in `ROS_PACKAGE_PATH` and `AMENT_PREFIX_PATH`, and in the folders above the robot's
//! file: a folder of that name, or one whose `package.xml` says that name. Letter case is forgiven, and reported.

use std::path::{Path, PathBuf};

use roxmltree::Node;

use crate::error::Severity;
use crate::loaded::ReadOptions;
use crate::xml::Source;

/// A file that was found, and what had to be forgiven.
struct Found {
    path: PathBuf,
    repair: Option<String>,
}

/// Looks for the mesh file that an element names, beside the file that the element is in and beside the robot's file, and says what was
/// repaired or is missing.
pub(crate) fn find(source: &mut Source, node: Node, filename: &str, options: &ReadOptions) -> Option<PathBuf> {
    let included = source.place(node).file.and_then(|file| look(filename, &file, options).ok());
    match included.map_or_else(|| look(filename, source.path, options), Ok) {
        Ok(found) => {
            if let Some(repair) = found.repair {
                source.note(Severity::Repaired, node, format!("{filename}: {repair}"));
            }
            Some(found.path)
        }
        Err(why) => {
            source.note(Severity::Missing, node, format!("{filename}: {why}"));
            None
        }
    }
}

/// The file that a name leads to from another file.
pub(crate) fn look_for(filename: &str, from: &Path, options: &ReadOptions) -> Result<PathBuf, String> {
    look(filename, from, options).map(|found| found.path)
}

/// The file; where it was looked for if it was not found.
fn look(filename: &str, robot_file: &Path, options: &ReadOptions) -> Result<Found, String> {
    let mut repairs = Vec::new();
    let mut name = filename.trim().to_owned();
    if name.contains('\\') {
        name = name.replace('\\', "/");
        repairs.push("backslashes read as slashes".to_owned());
    }
    let folder = robot_file.parent().map_or(PathBuf::new(), Path::to_path_buf);
    let candidates: Vec<PathBuf> = match name.split_once("://") {
        Some(("package" | "model", rest)) => in_packages(rest.trim_start_matches('/'), &folder, options),
        Some(("file", rest)) => vec![PathBuf::from(rest)],
        Some((scheme, _)) => return Err(format!("addresses that begin with {scheme}:// are not read")),
        None => vec![folder.join(&name)],
    };
    for candidate in &candidates {
        if candidate.is_file() {
            return Ok(Found { path: candidate.clone(), repair: join(repairs) });
        }
    }
    for candidate in &candidates {
        if let Some(path) = in_any_case(candidate) {
            repairs.push(format!("found as {}, in other letter case", path.display()));
            return Ok(Found { path, repair: join(repairs) });
        }
    }
    // A package that is called otherwise here, or begins elsewhere, but has the same folders.
    if let Some((_, mut rest)) = name.split_once("://") {
        while let Some((_, inner)) = rest.split_once('/').filter(|(_, inner)| inner.contains('/')) {
            rest = inner;
            for above in folder.ancestors().take(ANCESTORS) {
                let candidate = above.join(rest);
                if candidate.is_file() {
                    repairs.push(format!("the package was not found; read {}", candidate.display()));
                    return Ok(Found { path: candidate, repair: join(repairs) });
                }
            }
        }
        return Err(
            "the package is neither in --package-path, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH nor above the file".into()
        );
    }
    Err(format!("there is no {}", candidates.first().map_or(folder, Clone::clone).display()))
}

fn join(repairs: Vec<String>) -> Option<String> {
    if repairs.is_empty() { None } else { Some(repairs.join("; ")) }
}

/// Folders above a file that are looked at.
const ANCESTORS: usize = 8;

fn in_packages(rest: &str, folder: &Path, options: &ReadOptions) -> Vec<PathBuf> {
    let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
    let listed = |variable: &str| -> Vec<PathBuf> {
        std::env::var_os(variable).map(|value| std::env::split_paths(&value).collect()).unwrap_or_default()
    };
    let mut roots = options.package_path.clone();
    roots.extend(listed("ROS_PACKAGE_PATH"));
    let mut candidates = Vec::new();
    for root in &roots {
        candidates.push(root.join(package).join(path));
        if is_package(root, package) {
            candidates.push(root.join(path));
        }
    }
    candidates.extend(listed("AMENT_PREFIX_PATH").iter().map(|root| root.join("share").join(package).join(path)));
    for above in std::path::absolute(folder).unwrap_or(folder.to_path_buf()).ancestors().take(ANCESTORS) {
        if is_package(above, package) {
            candidates.push(above.join(path));
        }
        candidates.push(above.join(package).join(path));
    }
    candidates
}

fn is_package(folder: &Path, package: &str) -> bool {
    if folder.file_name().is_some_and(|name| name == package) {
        return true;
    }
    let manifest = folder.join("package.xml");
    let small = std::fs::metadata(&manifest).is_ok_and(|data| data.len() < 1 << 20);
    small && std::fs::read_to_string(&manifest).is_ok_and(|text| text.contains(&format!("<name>{package}</name>")))
}

/// The file with the same name in other letter case, component by component.
fn in_any_case(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for component in path.components() {
        let next = found.join(component);
        if next.exists() {
            found = next;
            continue;
        }
        let wanted = component.as_os_str().to_str()?.to_lowercase();
        let place = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        let mut names: Vec<_> =
            std::fs::read_dir(place).ok()?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        names.sort();
        let name = names.into_iter().find(|name| name.to_str().is_some_and(|name| name.to_lowercase() == wanted))?;
        found.push(name);
    }
    found.is_file().then_some(found)
}
