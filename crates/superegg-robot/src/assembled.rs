//! A text that is put together from several files, of which every piece remembers where it comes from.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use roxmltree::Node;

use crate::error::{Diagnostic, Place, RobotError};
use crate::forgive::forgive;
use crate::xml::{MOST_BYTES, Piece, Source};

/// Most files one within the other.
const DEEPEST: usize = 16;

/// The text so far.
#[derive(Default)]
pub(crate) struct Assembled {
    pub text: String,
    pub pieces: Vec<Piece>,
    /// What had to be repaired in the included files so that they could be read.
    pub repairs: Vec<Diagnostic>,
    /// Files that are being read, each included by the one before.
    open: Vec<Arc<Path>>,
}

impl Assembled {
    /// Adds a part of a file; `None` is the robot's own file.
    pub fn piece(&mut self, text: &str, range: Range<usize>, file: Option<&Arc<Path>>) {
        let line = 1 + text[..range.start].matches('\n').count() as u32;
        self.pieces.push(Piece { start: self.text.len(), at: Place { file: file.cloned(), line } });
        self.text.push_str(&text[range]);
    }

    /// Begins an included file; refused where files include each other in a circle, or where the whole grows too large.
    pub fn enter(&mut self, source: &Source, node: Node, main: &Path, file: &Arc<Path>) -> Result<String, RobotError> {
        let name = file.display();
        if self.open.contains(file) || **file == *main {
            return Err(source.refuse(node, format!("{name} includes itself; leave one of the includes out")));
        }
        if self.open.len() >= DEEPEST {
            return Err(source.refuse(node, format!("files are included more than {DEEPEST} deep")));
        }
        let text = crate::xml::read_text(file)?;
        let (text, repairs) = forgive(&text);
        self.repairs.extend(
            repairs.into_iter().map(|told| Diagnostic { at: Place { file: Some(file.clone()), ..told.at }, ..told }),
        );
        if (self.text.len() + text.len()) as u64 > MOST_BYTES {
            let message = format!("with {name} the robot has more than {MOST_BYTES} bytes, which are the most");
            return Err(source.refuse(node, message));
        }
        self.open.push(file.clone());
        Ok(text.into_owned())
    }

    /// Ends the included file that was begun last.
    pub fn leave(&mut self) {
        self.open.pop();
    }
}

/// Whether a document has elements of the name `include`.
pub(crate) fn includes(root: Node) -> bool {
    root.descendants().any(is_include)
}

/// Whether a node is an element of the name `include`.
pub(crate) fn is_include(node: Node) -> bool {
    node.is_element() && node.tag_name().name() == "include"
}
