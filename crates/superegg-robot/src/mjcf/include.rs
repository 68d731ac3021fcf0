//! Files that a model includes, put where they are included: an `<include>` stands for everything in the root of another file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use roxmltree::Node;

use crate::assembled::{Assembled, is_include};
use crate::error::{RobotError, Severity};
use crate::xml::{Source, parse};

/// A model with all that it includes.
pub(crate) fn assemble(path: &Path, text: &str) -> Result<Assembled, RobotError> {
    let mut made = Assembled::default();
    add(&mut made, path, path, text, None)?;
    Ok(made)
}

/// Adds a file: the model itself, or what is in the root of one that it includes.
fn add(made: &mut Assembled, main: &Path, path: &Path, text: &str, file: Option<&Arc<Path>>) -> Result<(), RobotError> {
    let document = parse(path, text)?;
    let source = Source::new(path, text, &[]);
    let root = document.root_element();
    let whole = match (file, root.first_child(), root.last_child()) {
        (None, ..) => 0..text.len(),
        (Some(_), Some(first), Some(last)) => first.range().start..last.range().end,
        (Some(_), ..) => return Ok(()),
    };
    let mut at = whole.start;
    for node in root.descendants().filter(|node| is_include(*node)) {
        // One that is not found stays, for the reader to report.
        let Some(found) = find(&source, node, main)? else { continue };
        made.piece(text, at..node.range().start, file);
        at = node.range().end;
        let inner = made.enter(&source, node, main, &found)?;
        add(made, main, &found, &inner, Some(&found))?;
        made.leave();
    }
    made.piece(text, at..whole.end, file);
    Ok(())
}

/// The file that an element includes: beside the model, or beside the file that includes it.
fn find(source: &Source, node: Node, main: &Path) -> Result<Option<Arc<Path>>, RobotError> {
    let name = source.require_name(node, "file")?;
    let beside = |file: &Path| file.parent().map_or(PathBuf::new(), Path::to_path_buf).join(&name);
    let found = [beside(main), beside(source.path)].into_iter().find(|candidate| candidate.is_file());
    Ok(found.map(|file| file.as_path().into()))
}

/// Reports an element whose file was not found.
pub(super) fn not_found(source: &mut Source, node: Node) {
    let name = node.attribute("file").unwrap_or_default();
    source.note(
        Severity::Missing,
        node,
        format!("there is no file {name:?} beside the model; what it says is left out"),
    );
}
