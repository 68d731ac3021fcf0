//! An XML document whose every element has a line, and whose reader reports what it does not use.

use std::path::Path;

use glam::DVec3;
use roxmltree::{Document, Node, ParsingOptions};

use crate::error::{Diagnostic, Place, RobotError, Severity};
use crate::model::{Geometry, Kept};

/// Largest file that is read: robots with everything in them have a few megabytes.
pub(crate) const MOST_BYTES: u64 = 64 << 20;
/// Most elements, attributes and texts of a document.
const MOST_NODES: u32 = 4_000_000;
/// Deepest nesting: elements that are kept are walked through.
const DEEPEST: usize = 256;
/// Largest number that is a length, angle, mass or anything else of a robot.
const LARGEST: f64 = 1e30;

/// Reads a text file of a sensible size.
pub(crate) fn read_text(path: &Path) -> Result<String, RobotError> {
    let io = |source| RobotError::Io { path: path.into(), source };
    let metadata = std::fs::metadata(path).map_err(io)?;
    if metadata.len() > MOST_BYTES {
        let message = format!("the file has {} bytes; at most {MOST_BYTES} are read", metadata.len());
        return Err(RobotError::format(path, 1, "robot", message));
    }
    let bytes = std::fs::read(path).map_err(io)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() as u32;
        RobotError::format(path, line, "robot", "the file is not UTF-8 text here; save it as UTF-8")
    })
}

/// A document, or what is wrong with it; `None` if elements are nested too deep to look.
pub(crate) fn try_parse(text: &str) -> Option<Result<Document<'_>, roxmltree::Error>> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    (nesting(text) <= DEEPEST).then(|| Document::parse_with_options(text, options))
}

/// Parses a document; entities are refused, since a small file can make them arbitrarily large.
pub(crate) fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>, RobotError> {
    let Some(parsed) = try_parse(text) else {
        let message = format!("elements are nested deeper than {DEEPEST} levels");
        return Err(RobotError::format(path, 1, "robot", message));
    };
    parsed.map_err(|error| {
        let message = match error {
            roxmltree::Error::DtdDetected => {
                "has a <!DOCTYPE …>, which is not read (entities can grow without bound): remove it".to_owned()
            }
            roxmltree::Error::UnknownNamespace(ref prefix, _) if prefix == "xacro" => {
                "is a xacro file: expand it first, as in `xacro robot.urdf.xacro > robot.urdf`".to_owned()
            }
            ref other => format!("is not well-formed XML: {other}"),
        };
        // Not every error knows its place; then it is the first line.
        RobotError::format(path, error.pos().row.max(1), "robot", message)
    })
}

/// The depth of the elements, in one pass over the text; comments and unparsed text are skipped.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut rest) = (0usize, 0, text);
    while let Some(open) = rest.find('<') {
        rest = &rest[open..];
        let (end, is_element) = match rest {
            _ if rest.starts_with("<!--") => ("-->", false),
            _ if rest.starts_with("<![CDATA[") => ("]]>", false),
            _ if rest.starts_with("<?") => ("?>", false),
            _ => (">", !rest.starts_with("<!")),
        };
        let close = if is_element { end_of_tag(rest) } else { rest.find(end) };
        let Some(close) = close else { break };
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if is_element && !rest[..close].ends_with('/') {
            depth += 1;
            deepest = deepest.max(depth);
        }
        rest = &rest[close + end.len()..];
    }
    deepest
}

/// Where a tag ends: the first `>` that is not in quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        quote.is_none() && byte == b'>'
    })
}

/// A part of a text that was put together from several files.
pub(crate) struct Piece {
    /// Where it begins in the text.
    pub start: usize,
    /// Where it comes from.
    pub at: Place,
}

/// A parsed file and what was said about it so far.
pub(crate) struct Source<'a> {
    pub path: &'a Path,
    pub text: &'a str,
    /// Where lines begin.
    lines: Vec<usize>,
    /// Where the text of included files begins, and where the files around them go on; none where nothing is included.
    pieces: &'a [Piece],
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Source<'a> {
    pub fn new(path: &'a Path, text: &'a str, pieces: &'a [Piece]) -> Source<'a> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { path, text, lines, pieces, diagnostics: Vec::new() }
    }

    /// Where an element begins in the file that it comes from.
    pub fn place(&self, node: Node) -> Place {
        let line_of = |offset: usize| self.lines.partition_point(|start| *start <= offset).max(1) as u32;
        let offset = node.range().start;
        let piece = self.pieces.partition_point(|piece| piece.start <= offset);
        match piece.checked_sub(1).map(|last| &self.pieces[last]) {
            Some(Piece { start, at }) => {
                Place { file: at.file.clone(), line: at.line + line_of(offset) - line_of(*start) }
            }
            None => Place { file: None, line: line_of(offset) },
        }
    }

    pub fn line(&self, node: Node) -> u32 {
        self.place(node).line
    }

    pub fn note(&mut self, severity: Severity, node: Node, message: impl Into<String>) {
        let element = node.tag_name().name().to_owned();
        let at = self.place(node);
        self.diagnostics.push(Diagnostic { at, element, severity, message: message.into() });
    }

    pub fn refuse(&self, node: Node, message: impl Into<String>) -> RobotError {
        self.refuse_at(&self.place(node), node.tag_name().name(), message)
    }

    pub fn refuse_at(&self, at: &Place, element: &str, message: impl Into<String>) -> RobotError {
        RobotError::format(at.file.as_deref().unwrap_or(self.path), at.line, element, message)
    }

    /// Keeps the text of an element that is not used, and says so.
    pub fn keep(&mut self, node: Node, kept: &mut Vec<Kept>) {
        self.note(Severity::Ignored, node, "kept, not used");
        let (element, line) = (node.tag_name().name().to_owned(), self.line(node));
        kept.push(Kept { element, text: self.text[node.range()].to_owned(), line });
    }

    /// Reports attributes that are not among the known ones, and text where none belongs.
    pub fn allow_attributes(&mut self, node: Node, known: &[&str]) {
        let unknown: Vec<String> = node
            .attributes()
            .filter(|a| a.namespace().is_some() || !known.contains(&a.name()))
            .map(|a| a.name().to_owned())
            .collect();
        for name in unknown {
            self.note(Severity::Ignored, node, format!("attribute {name} is not known and not used"));
        }
        let text = node.children().filter(|child| child.is_text()).filter_map(|child| child.text());
        if text.flat_map(str::chars).any(|c| !c.is_whitespace()) {
            self.note(Severity::Ignored, node, "has text, which is not used");
        }
    }

    /// An attribute that has to be there.
    pub fn require<'b>(&self, node: Node<'b, '_>, name: &str) -> Result<&'b str, RobotError> {
        node.attribute(name).ok_or_else(|| self.refuse(node, format!("has no attribute {name}; give it one")))
    }

    /// A name that has to be there and not be empty.
    pub fn require_name(&self, node: Node, name: &str) -> Result<String, RobotError> {
        let text = self.require(node, name)?.trim();
        if text.is_empty() {
            return Err(self.refuse(node, format!("{name} is empty; give it a name")));
        }
        Ok(text.to_owned())
    }

    /// The number that a word says.
    pub fn number_in(&self, node: Node, name: &str, word: &str) -> Result<f64, RobotError> {
        let Ok(value) = word.parse::<f64>() else {
            let hint = if is_xacro(word) {
                XACRO_HINT
            } else if word.contains(',') {
                "; decimals are written with a point and numbers are separated by spaces"
            } else {
                ""
            };
            return Err(self.refuse(node, format!("{name}: {word:?} is not a number{hint}")));
        };
        if value.abs() <= LARGEST {
            return Ok(value);
        }
        Err(self.refuse(node, format!("{name}: {word:?} is outside [-1e30, 1e30]; give it a finite number")))
    }

    /// A number, if it is there.
    pub fn number(&self, node: Node, name: &str) -> Result<Option<f64>, RobotError> {
        node.attribute(name).map(|text| self.number_in(node, name, text.trim())).transpose()
    }

    /// A number that has to be there.
    pub fn require_number(&self, node: Node, name: &str) -> Result<f64, RobotError> {
        self.number_in(node, name, self.require(node, name)?.trim())
    }

    /// A shape whose lengths are not negative; one without extent, as files have it to stand for nothing, is left out, and that is said.
    pub fn with_extent(&mut self, node: Node, shape: Geometry) -> Result<Option<Geometry>, RobotError> {
        let lengths = match &shape {
            Geometry::Box { size } => size.to_array().to_vec(),
            Geometry::Cylinder { radius, length } => vec![*radius, *length],
            // Without length it is a ball.
            Geometry::Capsule { radius, length } => vec![*radius, length.min(0.0) + 1.0],
            Geometry::Sphere { radius } => vec![*radius],
            _ => Vec::new(),
        };
        let least = lengths.into_iter().fold(f64::INFINITY, f64::min);
        if least < 0.0 {
            return Err(self.refuse(node, format!("has a length of {least}; lengths have to be positive")));
        }
        match shape {
            Geometry::Capsule { radius, length: 0.0 } if radius > 0.0 => {
                self.note(Severity::Repaired, node, "a capsule without length, read as a sphere");
                Ok(Some(Geometry::Sphere { radius }))
            }
            _ if least == 0.0 => {
                self.note(Severity::Error, node, "has a length of zero, so that it is nothing, and is left out");
                Ok(None)
            }
            shape => Ok(Some(shape)),
        }
    }

    /// So many numbers, separated by white space (or commas, which are reported), if they are there.
    pub fn numbers<const N: usize>(&mut self, node: Node, name: &str) -> Result<Option<[f64; N]>, RobotError> {
        node.attribute(name).map(|text| self.numbers_in(node, name, text)).transpose()
    }

    /// So many numbers in a text.
    pub fn numbers_in<const N: usize>(&mut self, node: Node, name: &str, text: &str) -> Result<[f64; N], RobotError> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let separated: Vec<&str> = text.split([',', ' ', '\t', '\n', ';']).filter(|word| !word.is_empty()).collect();
        if text.contains(',') && separated.len() == N {
            words = separated;
            self.note(Severity::Repaired, node, format!("{name}: numbers are separated by commas; read as spaces"));
        }
        if words.len() != N {
            let hint = if is_xacro(text) { XACRO_HINT } else { "" };
            let found = words.len();
            return Err(self.refuse(node, format!("{name}: {found} numbers in {text:?} where {N} belong{hint}")));
        }
        let mut values = [0.0; N];
        for (value, word) in values.iter_mut().zip(words) {
            *value = self.number_in(node, name, word)?;
        }
        Ok(values)
    }

    /// Three numbers, if they are there.
    pub fn vector(&mut self, node: Node, name: &str) -> Result<Option<DVec3>, RobotError> {
        Ok(self.numbers(node, name)?.map(DVec3::from_array))
    }
}

/// What to do about text that only xacro understands.
const XACRO_HINT: &str = "; this is xacro: expand the file first, as in `xacro robot.urdf.xacro > robot.urdf`";

fn is_xacro(text: &str) -> bool {
    text.contains("${") || text.contains("$(")
}

/// The elements in an element.
pub(crate) fn elements<'a, 'b>(node: Node<'a, 'b>) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children().filter(|child| child.is_element())
}

/// An element's name where it has no name space of its own.
pub(crate) fn plain_name<'a>(node: Node<'a, '_>) -> &'a str {
    if node.tag_name().namespace().is_some_and(|space| !space.is_empty()) { "" } else { node.tag_name().name() }
}
